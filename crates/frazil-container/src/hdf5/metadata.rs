//! What an HDF5 file is, read without libhdf5: objects, types, attributes, places of chunks.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use frazil_hdf5::{Attribute, Object, Source, Storage, TypeDescription};
use frazil_types::{ChunkRecord, ErrorCode};

use super::contents::Contents;
use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::filter_decoder;

/// How often the metadata of a file are read that another program is writing: what it was about to
/// change can contradict itself.
const MOST_READINGS: usize = 10;

/// Opens a file's metadata.
pub(super) fn open(source: Box<dyn Source>) -> Result<frazil_hdf5::File> {
    Ok(frazil_hdf5::File::open(
        source,
        filter_decoder::decode_block(),
    )?)
}

/// Does something with metadata; again if another program is writing them and they contradict
/// themselves.
pub(super) fn while_written<T>(is_written: bool, work: impl Fn() -> Result<T>) -> Result<T> {
    let mut outcome = work();
    for _ in 1..MOST_READINGS {
        match outcome {
            Err(error) if is_written && error.code() == ErrorCode::Corrupt => outcome = work(),
            _ => break,
        }
    }
    outcome
}

impl From<frazil_hdf5::Error> for ContainerError {
    fn from(error: frazil_hdf5::Error) -> Self {
        match error {
            frazil_hdf5::Error::Io(error) => Self::io("read file", error),
            frazil_hdf5::Error::NotHdf5 => Self::NotAContainer(String::new()),
            frazil_hdf5::Error::Unsupported(what) => Self::Unsupported(what),
            error => Self::Corrupt(error.to_string()),
        }
    }
}

impl Hdf5Input {
    /// Does something with the file's metadata; several times if another program writes the file and
    /// its metadata contradict themselves.
    pub(super) fn with_metadata<T>(
        &self,
        work: impl Fn(&frazil_hdf5::File) -> Result<T>,
    ) -> Result<T> {
        match self.contents().is_swmr() {
            false => work(&*self.metadata()?),
            true => while_written(true, || work(&*self.fresh_metadata()?)),
        }
    }

    /// The metadata of a file that stays as it is.
    fn metadata(&self) -> Result<Arc<frazil_hdf5::File>> {
        if let Some(known) = &*self.metadata.lock() {
            return Ok(Arc::clone(known));
        }
        let metadata = self.fresh_metadata()?;
        *self.metadata.lock() = Some(Arc::clone(&metadata));
        Ok(metadata)
    }

    fn fresh_metadata(&self) -> Result<Arc<frazil_hdf5::File>> {
        let source: Box<dyn Source> = match &self.contents().source {
            Some(far) => Box::new(Arc::clone(&far.0)),
            None => {
                let file = File::open(self.path());
                Box::new(file.map_err(|error| ContainerError::io("open file", error))?)
            }
        };
        open(source).map(Arc::new)
    }

    /// Lets go of the bytes of metadata in memory: a file that stays open may not be asked for long.
    pub fn forget_metadata(&self) {
        if let Some(known) = &*self.metadata.lock() {
            known.forget();
        }
    }

    /// The object at an absolute path.
    pub(super) fn object(&self, file: &frazil_hdf5::File, path: &str) -> Result<Object> {
        let address = self.contents().address(path).ok_or_else(|| {
            ContainerError::Internal(format!("no object of the file is at {path}"))
        })?;
        Ok(file.object(address)?)
    }

    /// The object at an address, and its attributes.
    pub(super) fn object_at(&self, address: u64) -> Result<(Object, Vec<Attribute>)> {
        self.with_metadata(|file| {
            let object = file.object(address)?;
            let attributes = file.attributes(&object)?;
            Ok((object, attributes))
        })
    }

    /// The attribute of an object, if it has it.
    pub(super) fn attribute(&self, path: &str, name: &str) -> Result<Option<Attribute>> {
        self.with_metadata(|file| Ok(file.attribute(&self.object(file, path)?, name)?))
    }

    /// What a dataset is.
    pub(super) fn dataset(&self, info: &DatasetInfo) -> Result<frazil_hdf5::Dataset> {
        self.with_metadata(|file| Ok(file.dataset(&file.object(info.object_address)?)?))
    }

    /// The stored chunks of a chunked dataset, in row-major order of the grid.
    ///
    /// # Errors
    /// If the index cannot be read, or names chunks that lie outside the file.
    pub fn locate(&self, dataset: &DatasetInfo) -> Result<Vec<ChunkRecord>> {
        self.locate_within(dataset, None)
    }

    /// As [`Self::locate`]; with `within`, only chunks of these numbers in the grid, for which less of an index may be
    /// read.
    ///
    /// # Errors
    /// As [`Self::locate`].
    pub fn locate_within(
        &self,
        dataset: &DatasetInfo,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        if !matches!(dataset.storage, DatasetStorage::Chunked { .. }) {
            return Ok(Vec::new());
        }
        self.with_metadata(|file| {
            let mut now = file.dataset(&file.object(dataset.object_address)?)?;
            now.extent.set_shape(&dataset.shape);
            Ok(file.locate_within(&now, within)?)
        })
    }

    /// Brings all chunk indexes into memory, as far as there is room, in as few rounds of requests as one of them takes.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn prefetch_indexes(&self) -> Result<()> {
        self.with_metadata(|file| {
            let mut all = Vec::new();
            for info in self.datasets() {
                if matches!(info.storage, DatasetStorage::Chunked { .. }) {
                    let mut one = file.dataset(&file.object(info.object_address)?)?;
                    one.extent.set_shape(&info.shape);
                    all.push(one);
                }
            }
            Ok(file.prefetch_indexes(&all)?)
        })
    }

    /// Where the bytes of a file come from that is somewhere else.
    #[must_use]
    pub fn far_source(&self) -> Option<&Arc<dyn Source>> {
        self.contents().source.as_ref().map(|far| &far.0)
    }

    /// A type as libhdf5 gives its values, with the path of the committed datatype that it is.
    pub(super) fn described(
        &self,
        datatype: TypeDescription,
        committed: Option<u64>,
    ) -> TypeDescription {
        described(self.contents(), datatype, committed)
    }
}

fn described(
    contents: &Contents,
    datatype: TypeDescription,
    committed: Option<u64>,
) -> TypeDescription {
    let path = |address| contents.paths.get(&address).cloned().unwrap_or_default();
    let mut datatype = datatype.in_memory();
    datatype.committed = committed.map(path);
    datatype
}

/// How a dataset's values are stored.
pub(super) fn storage(dataset: &frazil_hdf5::Dataset) -> DatasetStorage {
    match &dataset.storage {
        Storage::Compact(_) => DatasetStorage::Compact,
        Storage::External(_) => DatasetStorage::External,
        Storage::Virtual(_) => DatasetStorage::Virtual,
        // As for other readers, the address alone says whether there are values: the size beside it
        // may be damaged.
        Storage::Contiguous { address, .. } => DatasetStorage::Contiguous {
            address: address.filter(|_| dataset.extent.elements() != Some(0)),
        },
        Storage::Chunked(chunks) => DatasetStorage::Chunked {
            chunk: chunks.chunk.clone(),
            pipeline: chunks.pipeline.clone(),
            raw_partial_edges: chunks.raw_partial_edges,
        },
    }
}
