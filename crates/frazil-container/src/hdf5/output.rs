//! A file being written: defined through libhdf5, filled by whoever holds the bytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use frazil_types::{ChunkGrid, FileAddress, Selection};

use super::OutputStorage;
use super::additions::{self, Additions, NewAttribute};
use super::attributes::{self, DeferredAttribute};
use super::classic_define;
use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::define::{self, Defined};
use super::references::{CopiedObjects, LostReferences};
use super::scan::Hdf5Input;
use super::values;
use crate::classic::ClassicModel;
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::dataspace::Hyperslab;
use crate::ffi::file::{self, Target};
use crate::ffi::property::{PropertyList, TRACKED_AND_INDEXED};
use crate::ffi::{Handle, RawSink, link};

/// Where an output goes.
#[derive(Debug, Clone, Copy)]
pub enum OutputTarget<'a> {
    /// Into this file, which must exist; its content is replaced.
    File {
        /// The file.
        path: &'a Path,
        /// Metadata are allocated in blocks of this many bytes: the first block, at the head of
        /// the file, holds all metadata if it is large enough.
        metadata_block_bytes: u64,
    },
    /// Nowhere: only to learn how large the metadata become.
    Measure {
        /// As for a file; `None`: all metadata in one block.
        metadata_block_bytes: Option<u64>,
    },
}

/// What a finished file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The first address past the metadata.
    pub metadata_end: u64,
    /// The first address past all that libhdf5 has written: heaps of texts may lie behind the metadata.
    pub written_end: u64,
    /// What the user should know.
    pub notice: Option<String>,
}

/// A file being written.
pub struct Hdf5Output {
    // Datasets and handles are dropped before the file they belong to.
    defined: Defined,
    /// References of values that led nowhere.
    lost: RefCell<LostReferences>,
    sink: RawSink,
    file: Handle,
}

impl std::fmt::Debug for Hdf5Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5Output")
            .field("datasets", &self.defined.datasets.len())
            .finish()
    }
}

impl Hdf5Output {
    /// Creates a file with all objects of `input`, and `additions`; `storage` says how each of its
    /// datasets lies in the copy. Values are placed afterwards.
    ///
    /// # Errors
    /// If an object cannot be read or cannot be kept.
    pub fn define_copy(
        input: &Hdf5Input,
        target: OutputTarget<'_>,
        storage: &[OutputStorage],
        additions: &Additions,
    ) -> Result<Self> {
        check_lengths(input.datasets().len(), storage, additions)?;
        let creation =
            PropertyList::file_create(input.user_block_bytes(), input.root_link_order())?;
        let define = |foreseen: Option<&HashMap<u64, u64>>| {
            let (file, sink) = create(target, &creation)?;
            let defined = define::define_copy(input, &file, storage, additions, foreseen)
                .map_err(|error| blame(error, sink))?;
            Ok::<_, ContainerError>(Self::new(defined, sink, file))
        };
        let first = define(None)?;
        if !first.defined.must_be_repeated {
            return Ok(first);
        }
        let foreseen = first.defined.addresses.clone();
        drop(first);
        let again = define(Some(&foreseen))?;
        if again.defined.addresses != foreseen {
            return Err(ContainerError::Internal(
                "objects that fill values lead to came to other places than foreseen".to_owned(),
            ));
        }
        Ok(again)
    }

    fn new(mut defined: Defined, sink: RawSink, file: Handle) -> Self {
        let lost = RefCell::new(std::mem::take(&mut defined.lost));
        Self {
            defined,
            lost,
            sink,
            file,
        }
    }

    /// Creates a netCDF-4 file with the dimensions, variables and attributes of a classic one, and
    /// `additions`.
    ///
    /// `storage` says how each variable lies in the output; classic-model files stay in the classic
    /// model if `strict`.
    ///
    /// # Errors
    /// If libhdf5 refuses a definition.
    pub fn define_classic(
        model: &ClassicModel,
        strict: bool,
        target: OutputTarget<'_>,
        storage: &[OutputStorage],
        additions: &Additions,
    ) -> Result<Self> {
        check_lengths(model.variables.len(), storage, additions)?;
        let creation = PropertyList::file_create(0, TRACKED_AND_INDEXED)?;
        let (file, sink) = create(target, &creation)?;
        let defined = classic_define::define(model, strict, &file, storage, additions)
            .map_err(|error| blame(error, sink))?;
        Ok(Self::new(defined, sink, file))
    }

    /// Enters a chunk into a dataset's index and returns where its bytes belong; the caller writes
    /// them there.
    ///
    /// `dataset` is the dataset's number in the input; `offset` the chunk's first element.
    ///
    /// # Errors
    /// If libhdf5 refuses, or its metadata cannot be written.
    pub fn place_chunk(
        &self,
        dataset: usize,
        offset: &[u64],
        filter_mask: u32,
        stored_bytes: usize,
    ) -> Result<FileAddress> {
        self.dataset(dataset)?
            .place_chunk(self.sink, offset, filter_mask, stored_bytes, None)
            .map_err(|error| blame(error, self.sink))
    }

    /// Allocates a contiguous dataset of `bytes` and returns where it begins; the caller writes the
    /// bytes there.
    ///
    /// # Errors
    /// If libhdf5 refuses, or its metadata cannot be written.
    pub fn place_contiguous(&self, dataset: usize, bytes: u64) -> Result<FileAddress> {
        let dataset = self.dataset(dataset)?;
        let datatype = dataset.datatype()?;
        dataset
            .place_contiguous(self.sink, &datatype, bytes)
            .map_err(|error| blame(error, self.sink))
    }

    /// Copies the values of a dataset that only libhdf5 can read, references translated.
    ///
    /// # Errors
    /// If values cannot be read or written, or are sequences of references.
    pub fn copy_values(&self, input: &Hdf5Input, dataset: usize) -> Result<()> {
        let info = &input.datasets()[dataset];
        let outcome = self.copy_located(input, info, self.dataset(dataset)?);
        outcome.map_err(|error| blame(error, self.sink).at(&info.path))
    }

    /// Writes a part of a dataset's values, which lie so in the input: what they lead to comes along.
    ///
    /// # Errors
    /// If values lead to nothing that can be read, do not fit, or cannot be written.
    pub fn write_stored(
        &self,
        input: &Hdf5Input,
        dataset: usize,
        part: &Selection,
        stored: &[u8],
    ) -> Result<()> {
        let info = &input.datasets()[dataset];
        let write = || {
            let to = self.dataset(dataset)?;
            let read = input.dataset(info)?;
            let form = input.in_memory_form(&read.datatype, stored, &self.objects())?;
            self.lost.borrow_mut().add(&info.path, form.lost);
            let slab = Hyperslab::dense(&part.start, &part.count);
            let slab = (!part.count.is_empty()).then_some(slab);
            to.write(&to.datatype()?.memory_copy()?, slab, &form.elements)
        };
        write().map_err(|error| blame(error, self.sink).at(&info.path))
    }

    fn objects(&self) -> CopiedObjects<'_> {
        CopiedObjects {
            addresses: &self.defined.addresses,
            root: Some(&self.file),
        }
    }

    fn copy_located(&self, input: &Hdf5Input, info: &DatasetInfo, to: &Dataset) -> Result<()> {
        let from = input.open_dataset(&info.object_path)?;
        let (grid, records) = match &info.storage {
            DatasetStorage::Chunked { chunk, .. } => {
                (ChunkGrid::new(&info.shape, chunk), input.locate(info)?)
            }
            _ => (None, Vec::new()),
        };
        let chunks = grid.as_ref().map(|grid| (grid, records.as_slice()));
        let datatype = input.describe_datatype(info)?;
        let memory = from.datatype()?;
        let has_references = memory.holds_references()?;
        if has_references && memory.holds_variable_length()? {
            return Err(ContainerError::Unsupported(
                "sequences of references under a filter that only a plugin decodes".to_owned(),
            ));
        }
        let translate = |values: &[u8]| {
            let form = input.in_memory_form(&datatype, values, &self.objects())?;
            self.lost.borrow_mut().add(&info.path, form.lost);
            Ok(form.elements)
        };
        let change: Option<&values::Change<'_>> = has_references.then_some(&translate);
        input.through_filters(info, || values::copy(&from, to, chunks, change))
    }

    /// Writes a small dataset's values (row-major, in the bytes of the dataset's own type).
    ///
    /// # Errors
    /// If the bytes do not fit the dataset or cannot be written.
    pub fn write_values(&self, dataset: usize, bytes: &[u8]) -> Result<()> {
        let dataset = self.dataset(dataset)?;
        let memory = dataset.datatype()?.memory_copy()?;
        dataset
            .write(&memory, None, bytes)
            .map_err(|error| blame(error, self.sink))
    }

    /// Replaces the value of an attribute that [`Additions`] wrote, by one of the same type (text:
    /// and of the same length in bytes), for values that are only known at the end.
    ///
    /// # Errors
    /// If the dataset has no such attribute or it cannot be written.
    pub fn set_attribute(&self, dataset: usize, attribute: &NewAttribute) -> Result<()> {
        additions::replace(self.dataset(dataset)?.handle(), attribute)
            .map_err(|error| blame(error, self.sink))
    }

    /// Bytes that libhdf5 counts as stored for a dataset.
    ///
    /// # Errors
    /// If there is no such dataset.
    pub fn stored_bytes(&self, dataset: usize) -> Result<u64> {
        Ok(self.dataset(dataset)?.stored_bytes())
    }

    /// Writes what had to wait for all objects to exist (references of the copied `input`), and
    /// all metadata, and closes the file.
    ///
    /// # Errors
    /// If metadata cannot be written.
    pub fn finish(mut self, input: Option<&Hdf5Input>) -> Result<Finished> {
        if let Some(input) = input {
            self.write_references(input)
                .map_err(|error| blame(error, self.sink))?;
        }
        self.defined.datasets.clear();
        file::flush(&self.file).map_err(|error| blame(error, self.sink))?;
        let metadata_end = self.sink.metadata_end();
        let written_end = self.sink.written_end();
        file::close(self.file)?;
        Ok(Finished {
            metadata_end,
            written_end,
            notice: self.lost.into_inner().notice(),
        })
    }

    fn write_references(&mut self, input: &Hdf5Input) -> Result<()> {
        let deferred = std::mem::take(&mut self.defined.deferred);
        let paths = input
            .datasets()
            .iter()
            .map(|dataset| dataset.object_path.as_str());
        let numbers: HashMap<&str, usize> = paths.zip(0..).collect();
        for attribute in &deferred {
            let (object, name) = (&attribute.object, &attribute.name);
            let number = numbers.get(object.as_str()).copied();
            let lost = self.write_reference(input, attribute, number);
            let lost = lost.map_err(|error| error.at(object))?;
            let holder = format!("attribute {name} of {object}");
            self.lost.borrow_mut().add(&holder, lost);
        }
        Ok(())
    }

    /// Writes one attribute that had to wait; `number` is set if its object is a dataset.
    fn write_reference(
        &self,
        input: &Hdf5Input,
        attribute: &DeferredAttribute,
        number: Option<usize>,
    ) -> Result<u64> {
        let objects = self.objects();
        if let Some(number) = number {
            let to = self.dataset(number)?.handle();
            return attributes::write_deferred(input, attribute, to, &objects);
        }
        let to = link::open_object(&self.file, &attribute.object)?;
        attributes::write_deferred(input, attribute, &to, &objects)
    }

    fn dataset(&self, number: usize) -> Result<&Dataset> {
        self.defined
            .datasets
            .get(number)
            .ok_or_else(|| ContainerError::Internal(format!("no dataset number {number}")))
    }
}

/// Refuses lists that do not fit the input.
fn check_lengths(datasets: usize, storage: &[OutputStorage], additions: &Additions) -> Result<()> {
    if storage.len() != datasets {
        return Err(ContainerError::Internal(
            "one storage per dataset is needed".to_owned(),
        ));
    }
    additions.check(datasets)
}

fn create(target: OutputTarget<'_>, creation: &PropertyList) -> Result<(Handle, RawSink)> {
    /// So large that all metadata of any file fit into the first block.
    const WHOLE: u64 = 1 << 40;
    match target {
        OutputTarget::File {
            path,
            metadata_block_bytes,
        } => file::create(Target::File(path), creation, metadata_block_bytes),
        OutputTarget::Measure {
            metadata_block_bytes,
        } => file::create(
            Target::Measure,
            creation,
            metadata_block_bytes.unwrap_or(WHOLE),
        ),
    }
}

/// Prefers the system error behind a failure of libhdf5 (a full disk, say).
pub(super) fn blame(error: ContainerError, sink: RawSink) -> ContainerError {
    match (error, sink.system_error()) {
        (ContainerError::Hdf5 { doing, .. }, Some(source)) => ContainerError::Io { doing, source },
        (ContainerError::At { object, error }, _) => blame(*error, sink).at(&object),
        (error, _) => error,
    }
}
