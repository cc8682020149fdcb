//! One state of a file: what it holds and where, found out once.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use frazil_codec::BoundDecoder;
use frazil_container::classic::ClassicFile;
use frazil_container::hdf5::{Contents, DatasetStorage, Hdf5Input, Source, TypeDescription};
use frazil_container::model::{FileModel, Variable};
use frazil_container::outside_forks;
use frazil_pipeline::{ByteSource, CacheStats, ChunkedArray, PipelineError, PlainArray};
use frazil_types::sync::Mutex;
use frazil_types::{AxisSelection, ChunkGrid, ErrorCode, FilterSpec};

use super::element::{Conversion, fill_inside, fill_outside, handed_out};
use super::identity::Identity;
use super::options::{Checksums, ReaderOptions};
use super::{cache, library, model};
use frazil_file::error::{Error, Result};
use frazil_file::input::{FileBytes, Input, InputKind};
use frazil_file::left_commit::is_being_written;
use frazil_file::sources::{self, Access};
use frazil_file::storage_error::from_container;
use frazil_file::virtual_data::{self, VirtualValues};

/// How long a thread waits for another that locates the same variable.
const PATIENCE: Duration = Duration::from_secs(1);
/// Of a far variable with at least so many chunks, so many reads look up their own chunks alone, if these are at most
/// one of so many.
const LEAST_CHUNKS: u64 = 512;
const MOST_PARTS: u32 = 2;
const SMALL_SHARE: u64 = 8;

/// One state of a file.
#[derive(Debug)]
pub(super) struct FileSnapshot {
    number: u64,
    pub(super) path: PathBuf,
    /// Of files of this machine. What is read of others is of one version, or an error.
    identity: Option<Identity>,
    mark_at: u64,
    pub(super) bytes: Arc<FileBytes>,
    pub(super) kind: Kind,
    pub(super) format: String,
    pub(super) notices: Vec<String>,
    pub(super) model: Arc<FileModel>,
    checksums: Checksums,
    /// By variable: bytes of decoded chunks that are kept whatever else is read.
    shares: Vec<u64>,
    /// By variable.
    reaches: Vec<Slot>,
    /// Held while a variable is located.
    locating: Mutex<()>,
    /// Whether something of it was opened by its name later: of the file that had the name then.
    goes_by_name: AtomicBool,
}

/// How a variable can be reached, as soon as that is known.
#[derive(Debug, Default)]
struct Slot {
    reach: OnceLock<Arc<Reach>>,
    /// Reads that looked up their own chunks.
    parts: AtomicU32,
}

/// What kind of file it is.
#[derive(Debug)]
pub(super) enum Kind {
    /// HDF5 of any sort.
    Hdf5(Arc<Contents>),
    /// Classic netCDF.
    Classic(Box<ClassicFile>),
}

/// How a variable's elements can be reached, and what they are.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) path: ReadPath,
    /// What one is in the file.
    pub(super) datatype: TypeDescription,
    /// Their bytes are reversed in units of so many, against the file.
    pub(super) byte_swap: Option<usize>,
    /// One element of what was never written, and of what lies beyond the dataset's end.
    pub(super) fill: Vec<u8>,
    pub(super) outside: Vec<u8>,
}

/// The way to a variable's elements.
#[derive(Debug)]
pub(super) enum ReadPath {
    /// Chunk by chunk; the filters, if any, that nobody here can decode.
    Chunked(Arc<ChunkedArray>, Vec<FilterSpec>),
    /// Where they lie.
    Plain(PlainArray),
    /// In other datasets, whose elements lead elsewhere in their files.
    Elsewhere(Arc<VirtualValues>),
    /// Through libhdf5.
    Library,
    /// There are none.
    Nothing,
}

impl Drop for FileSnapshot {
    fn drop(&mut self) {
        library::close(self.number);
    }
}

impl FileSnapshot {
    /// Opens a file and reads what it holds. A file that changes meanwhile is looked at again.
    ///
    /// `threads`: those that may work on one read.
    pub(super) fn open(path: &Path, options: &ReaderOptions, threads: usize) -> Result<Self> {
        const ATTEMPTS: usize = 4;
        let look = || {
            let input = Input::open_with(path, &options.storage)?;
            Self::look(input, options.checksums)
        };
        let mut outcome = look();
        for _ in 1..ATTEMPTS {
            match &outcome {
                Ok((_, true)) => break,
                Err(error) if error.code == ErrorCode::NotFound => break,
                // A commit under way can look like damage.
                Ok((_, false)) => {}
                Err(_) if !is_being_written(path) => break,
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(2)),
            }
            outcome = look();
        }
        outcome?.0.with_shares(options, threads)
    }

    /// As [`Self::open`], of a file whose bytes come from `source`, and which messages call `name`.
    pub(super) fn open_source(
        name: &Path,
        source: Arc<dyn Source>,
        options: &ReaderOptions,
        threads: usize,
    ) -> Result<Self> {
        let input = Input::open_source(name, source)?;
        Self::look(input, options.checksums)?
            .0
            .with_shares(options, threads)
    }

    fn with_shares(mut self, options: &ReaderOptions, threads: usize) -> Result<Self> {
        let shares = cache::shares(&self.model, &options.chunk_cache, threads);
        self.shares = shares.map_err(|error| error.in_file(&self.path))?;
        Ok(self)
    }

    /// Also tells whether the file stayed the same meanwhile.
    fn look(input: Input, checksums: Checksums) -> Result<(Self, bool)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = input.path().to_owned();
        let state = input.state();
        let format = input.format_name()?;
        let notices = input.notices();
        let (kind, bytes, datasets) = input.into_parts();
        let mark_at = match &kind {
            InputKind::Hdf5(hdf5) => hdf5.user_block_bytes(),
            InputKind::Classic(_) => 0,
        };
        let identity = state.zip(bytes.file());
        let identity = identity.map(|(state, file)| Identity::new(state, file, mark_at));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (kind, model) = match kind {
            InputKind::Hdf5(hdf5) => {
                let model = hdf5.data_model().map_err(|e| from_container(e, &path))?;
                let contents = Arc::clone(hdf5.contents());
                library::keep(number, Arc::new(hdf5));
                (Kind::Hdf5(contents), model)
            }
            InputKind::Classic(classic) => {
                let model = model::of_classic(&classic, datasets);
                (Kind::Classic(Box::new(classic)), model)
            }
        };
        let generation = Self {
            number,
            path,
            identity,
            mark_at,
            bytes,
            kind,
            format,
            notices,
            checksums,
            shares: Vec::new(),
            reaches: model.variables.iter().map(|_| Slot::default()).collect(),
            model: Arc::new(model),
            locating: Mutex::new(()),
            goes_by_name: AtomicBool::new(false),
        };
        let is_steady = generation.is_current()? && generation.has_its_name();
        generation.goes_by_name.store(!is_steady, Ordering::Relaxed);
        Ok((generation, is_steady))
    }

    /// What messages call the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is as it was found.
    pub(super) fn is_current(&self) -> Result<bool> {
        match self.identity.as_ref().zip(self.bytes.file()) {
            Some((identity, file)) => {
                // Asked for only where it matters: it takes a lock of all readers.
                let goes_by_name = || {
                    self.goes_by_name.load(Ordering::Relaxed) || library::has_opened(self.number)
                };
                identity.is_current(&self.path, file, self.mark_at, goes_by_name)
            }
            None => Ok(true),
        }
    }

    /// Size of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        match &self.kind {
            Kind::Hdf5(contents) => contents.file_bytes(),
            Kind::Classic(classic) => classic.file_bytes(),
        }
    }

    /// Whether what was read is good although the file is another now: one that is written for many
    /// readers (SWMR) only grows, and keeps what was found.
    pub(super) fn may_grow(&self) -> bool {
        let is_swmr = match &self.kind {
            Kind::Hdf5(contents) => contents.is_swmr(),
            Kind::Classic(_) => false,
        };
        is_swmr && self.is_same_file()
    }

    fn is_same_file(&self) -> bool {
        let identity = self.identity.as_ref();
        identity.is_some_and(|identity| identity.is_same_file(&self.path))
    }

    /// Whether no other file has its name now.
    pub(super) fn has_its_name(&self) -> bool {
        self.identity.is_none() || self.is_same_file() || self.path.symlink_metadata().is_err()
    }

    /// How long to wait until a change of the file is certain to be seen. Commits of frazil's own
    /// writers leave a mark, and need no waiting.
    pub(super) fn settles_in(&self) -> Option<Duration> {
        let (identity, file) = self.identity.as_ref().zip(self.bytes.file())?;
        let rest = identity.settles_in(file)?;
        let is_of_interest =
            self.is_same_file() && !self.may_grow() && !is_being_written(&self.path);
        is_of_interest.then_some(rest)
    }

    /// The file's metadata. libhdf5 opens the file only when it must read values.
    pub(super) fn input(&self) -> Result<Arc<Hdf5Input>> {
        match &self.kind {
            Kind::Hdf5(contents) => {
                let (input, is_reopened) = library::open(self.number, contents);
                self.goes_by_name.fetch_or(is_reopened, Ordering::Relaxed);
                Ok(input)
            }
            Kind::Classic(_) => Err(Error::new(ErrorCode::Internal, "a classic file in libhdf5")),
        }
    }

    /// How a variable can be reached; located when first asked for.
    pub(super) fn reach(&self, number: usize) -> Result<Arc<Reach>> {
        let (Some(slot), Some(variable)) =
            (self.reaches.get(number), self.model.variables.get(number))
        else {
            let cause = format!("there is no variable number {number}");
            return Err(Error::new(ErrorCode::InvalidArgument, cause));
        };
        if let Some(reach) = slot.reach.get() {
            return Ok(Arc::clone(reach));
        }
        // Else work would be done twice, and no harm: in a child process the thread that holds
        // this may be no more.
        let _one_at_a_time = self.locating.try_lock_for(PATIENCE);
        if let Some(reach) = slot.reach.get() {
            return Ok(Arc::clone(reach));
        }
        let reach = Arc::new(self.locate(number, variable, None)?);
        Ok(outside_forks(|| {
            Arc::clone(slot.reach.get_or_init(|| reach))
        }))
    }

    /// What became of a variable's chunks, if it is in chunks and was read.
    pub(super) fn cache_stats(&self, number: usize) -> Option<CacheStats> {
        match &self.reaches.get(number)?.reach.get()?.path {
            ReadPath::Chunked(array, _) => Some(array.cache_stats()),
            _ => None,
        }
    }

    /// How the elements of one read can be reached. As long as a variable of a far file is not located, a small read
    /// looks up its own chunks, which takes fewer requests than the whole index.
    pub(super) fn reach_for(
        &self,
        number: usize,
        selections: &[AxisSelection],
    ) -> Result<Arc<Reach>> {
        let Some(part) = self.part(number, selections) else {
            return self.reach(number);
        };
        let variable = &self.model.variables[number];
        self.locate(number, variable, Some(&part)).map(Arc::new)
    }

    /// The chunks that a read looks up alone, if that is worth it.
    fn part(&self, number: usize, selections: &[AxisSelection]) -> Option<Range<u64>> {
        let slot = self.reaches.get(number)?;
        if !self.bytes.is_far() || slot.reach.get().is_some() {
            return None;
        }
        let dataset = &self.model.variables.get(number)?.dataset;
        let DatasetStorage::Chunked { chunk, .. } = &dataset.storage else {
            return None;
        };
        let grid = ChunkGrid::new(&dataset.shape, chunk)?;
        let part = grid.span(selections)?;
        let is_small = (part.end - part.start).saturating_mul(SMALL_SHARE) <= grid.chunk_count();
        let is_worth = is_small && grid.chunk_count() >= LEAST_CHUNKS;
        let is_early = || slot.parts.fetch_add(1, Ordering::Relaxed) < MOST_PARTS;
        (is_worth && is_early()).then_some(part)
    }

    fn locate(
        &self,
        number: usize,
        variable: &Variable,
        part: Option<&Range<u64>>,
    ) -> Result<Reach> {
        let dataset = &variable.dataset;
        sources::check_element(self.bytes.length().unwrap_or(0), dataset)?;
        let mut reach = self.elements_of(variable)?;
        reach.path = match (&dataset.storage, &self.kind) {
            _ if dataset.is_null || dataset.shape.contains(&0) => ReadPath::Nothing,
            (DatasetStorage::Contiguous { .. }, Kind::Classic(classic)) => {
                let location = &classic.locations()[number];
                let record = location.record_stride_bytes();
                let bytes = Arc::clone(&self.bytes) as Arc<_>;
                reach.plain(variable, bytes, location.begin(), record)?
            }
            (DatasetStorage::Contiguous { address: None }, _) => ReadPath::Nothing,
            (
                DatasetStorage::Contiguous {
                    address: Some(address),
                },
                _,
            ) => reach.plain(variable, Arc::clone(&self.bytes) as Arc<_>, *address, None)?,
            (DatasetStorage::Virtual, Kind::Hdf5(_)) if !dataset.element.is_self_contained() => {
                ReadPath::Elsewhere(virtual_data::of_dataset(&*self.input()?, dataset)?)
            }
            (
                DatasetStorage::Compact | DatasetStorage::External | DatasetStorage::Virtual,
                Kind::Hdf5(_),
            ) => {
                let bytes = sources::bytes_apart(&*self.input()?, dataset)?;
                reach.plain(variable, bytes, 0, None)?
            }
            (DatasetStorage::Chunked { .. }, Kind::Hdf5(_)) => {
                let share = self.shares.get(number).copied().unwrap_or(0);
                self.chunked(variable, &reach, (share, part))?
            }
            _ => ReadPath::Library,
        };
        Ok(reach)
    }

    /// What a variable's elements are; where they are comes later.
    fn elements_of(&self, variable: &Variable) -> Result<Reach> {
        let stored = &variable.dataset.fill;
        let mut datatype = variable.datatype.clone();
        let (byte_swap, fill, outside) = match handed_out(variable).1 {
            Conversion::Swap(unit) => (unit, fill_inside(variable), fill_outside(variable)),
            Conversion::Number | Conversion::Texts => (None, stored.clone(), stored.clone()),
            Conversion::Expansion => {
                let element = self.input()?.stored_element(&variable.dataset);
                let element = element.map_err(|error| from_container(error, &self.path))?;
                datatype = element.datatype;
                (None, element.fill.clone(), element.fill)
            }
        };
        Ok(Reach {
            path: ReadPath::Nothing,
            datatype,
            byte_swap,
            fill,
            outside,
        })
    }

    /// Values in chunks; `share`: bytes of them to keep.
    fn chunked(
        &self,
        variable: &Variable,
        reach: &Reach,
        (share, part): (u64, Option<&Range<u64>>),
    ) -> Result<ReadPath> {
        let hdf5 = self.input()?;
        let access = sources::chunked(&hdf5, Arc::clone(&self.bytes), &variable.dataset, part)?;
        let (mut source, missing) = match access {
            Access::Parallel(source, _) => (source, Vec::new()),
            Access::Undecodable(source, _, missing) => (source, missing),
            Access::Nothing => return Ok(ReadPath::Nothing),
            Access::Library => return Ok(ReadPath::Library),
            Access::Elsewhere(values) => return Ok(ReadPath::Elsewhere(values)),
            Access::Indirect(..) | Access::Apart(_) => {
                let cause = "chunks that lie elsewhere";
                return Err(Error::new(ErrorCode::Internal, cause));
            }
        };
        if let (DatasetStorage::Chunked { pipeline, .. }, Checksums::Skip) =
            (&variable.dataset.storage, self.checksums)
        {
            let elements = usize::try_from(source.grid.chunk_elements()).unwrap_or(usize::MAX);
            let chunk_bytes = elements.saturating_mul(source.element_bytes);
            let decoder = BoundDecoder::bind(pipeline, source.element_bytes, chunk_bytes)
                .map_err(|error| Error::new(error.code(), error.to_string()))?;
            source.decoder = Arc::new(decoder.skip_checksums());
        }
        source.byte_swap = reach.byte_swap;
        source.fill.clone_from(&reach.fill);
        let array = ChunkedArray::new(source).map_err(|error| internal(&error))?;
        Ok(ReadPath::Chunked(
            Arc::new(array.with_share(share)),
            missing,
        ))
    }
}

impl Reach {
    /// Bytes of one element.
    pub(super) fn element_bytes(&self) -> usize {
        self.datatype.size_bytes
    }

    /// Values one after the other in `bytes`; `record`: from one record to the next.
    fn plain(
        &self,
        variable: &Variable,
        bytes: Arc<dyn ByteSource>,
        address: u64,
        record: Option<u64>,
    ) -> Result<ReadPath> {
        let shape = &variable.dataset.shape;
        let mut strides = vec![self.element_bytes() as u64; shape.len()];
        let too_large = || Error::new(ErrorCode::Corrupt, "its size overflows");
        for axis in (1..shape.len()).rev() {
            let step = strides[axis].checked_mul(shape[axis]);
            strides[axis - 1] = step.ok_or_else(too_large)?;
        }
        if let (Some(record), Some(first)) = (record, strides.first_mut()) {
            *first = record;
        }
        Ok(ReadPath::Plain(PlainArray {
            shape: shape.clone(),
            address,
            stride_bytes: strides,
            element_bytes: self.element_bytes(),
            byte_swap: self.byte_swap,
            fill: self.outside.clone(),
            bytes,
        }))
    }
}

fn internal(error: &PipelineError) -> Error {
    Error::new(error.code(), error.to_string())
}
