//! Variables as sources of decoded chunks.

use std::ops::Range;
use std::sync::Arc;

use frazil_codec::{BoundDecoder, cure_for};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage, Hdf5Input};
use frazil_pipeline::{ArraySource, ByteSource, ChunkIndex, StoredChunk, StoredChunks};
use frazil_types::{ChunkGrid, ChunkRecord, ErrorCode, FileExtent, FilterPipeline, FilterSpec};

use crate::error::{Error, Result};
use crate::external::ExternalBytes;
use crate::file_bytes::{FileBytes, HeldBytes};
use crate::input::{Input, InputKind};
use crate::resources::Resources;
use crate::storage_error::from_container;
use crate::virtual_data::{self, VirtualValues};

/// Contiguous data are cut into slabs of about this many bytes: large enough to read at full
/// speed, small enough that several fit into any budget.
const SLAB_BYTES: u64 = 1 << 20;

/// How a variable's values can be reached.
pub enum Access {
    /// By our own fetching and decoding, in parallel.
    Parallel(ArraySource, Stored),
    /// As [`Self::Parallel`]; the values are not among those of others: in the metadata, in other files, or in other
    /// datasets.
    Apart(ArraySource),
    /// As [`Self::Parallel`]; elements lead elsewhere in the file: into its heaps, or to its objects. Only
    /// [`Hdf5Input::expand`] makes values of them.
    Indirect(ArraySource, Stored),
    /// In other datasets, whose elements lead elsewhere in their files.
    Elsewhere(Arc<VirtualValues>),
    /// By libhdf5 only: chunks with filters that only a plugin can decode.
    Library,
    /// There is nothing to read: a null dataspace, or data that were never written.
    Nothing,
    /// Chunks have filters that nobody here can decode; their stored bytes can be copied.
    Undecodable(ArraySource, Stored, Vec<FilterSpec>),
}

/// How a variable can be reached, its source by number.
pub enum AccessPath {
    /// Threads read and decode its chunks.
    Parallel(usize, Stored),
    /// Its chunks can only be copied: these filters have no decoder here.
    Undecodable(usize, Stored, Vec<FilterSpec>),
    /// libhdf5 or netCDF-C reads it, one piece after the other.
    Library,
    /// There is nothing to read.
    Nothing,
}

/// Which chunks of a source exist.
pub enum Stored {
    /// All of the grid (contiguous data).
    All,
    /// These, in row-major order.
    Records(Vec<ChunkRecord>),
}

/// Finds out how variable `i` can be read.
///
/// `leading` is the chunk extent that the reader wants along the first axis: slabs of contiguous
/// data follow it where they can.
///
/// # Errors
/// If the layout or the chunk index cannot be read, or is damaged.
pub fn access(input: &Input, i: usize, leading: Option<u64>) -> Result<Access> {
    let variable = &input.variables()[i];
    located(input, i, leading)
        .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))
}

/// Refuses values of which one alone takes more memory than there is for all work, and more than its file.
///
/// # Errors
/// [`ErrorCode::MemoryBudget`] if they are such.
pub fn check_element(input_bytes: u64, variable: &DatasetInfo) -> Result<()> {
    /// Elements that lead elsewhere are in memory as they are stored, as they are expanded, and as fill values.
    const COPIES: u64 = 4;
    let bytes = variable.element.size_bytes as u64;
    let needed = match variable.element.is_self_contained() {
        true => bytes,
        false => bytes.saturating_mul(COPIES),
    };
    if needed <= Resources::DEFAULT_MEMORY_BYTES.max(input_bytes) {
        return Ok(());
    }
    let cause = format!("each of its elements has {bytes} bytes, more than there is memory for");
    let cure = "read it with h5py, or write its values as an array of smaller elements";
    Err(Error::new(ErrorCode::MemoryBudget, cause).with_cure(cure))
}

fn located(input: &Input, i: usize, leading: Option<u64>) -> Result<Access> {
    let variable = &input.variables()[i];
    check_element(input.file_bytes(), variable)?;
    if variable.is_null || variable.shape.contains(&0) {
        return Ok(Access::Nothing);
    }
    let access = stored_values(input, i, leading)?;
    match variable.element.is_self_contained() {
        true => Ok(access),
        false => as_indirect(access),
    }
}

fn stored_values(input: &Input, i: usize, leading: Option<u64>) -> Result<Access> {
    let variable = &input.variables()[i];
    match (&variable.storage, input.kind()) {
        (DatasetStorage::Compact | DatasetStorage::External, _) => apart(input, variable, leading),
        (DatasetStorage::Virtual, InputKind::Hdf5(hdf5)) => {
            let values = virtual_data::of_dataset(hdf5, variable)?;
            if !variable.element.is_self_contained() {
                return Ok(Access::Elsewhere(values));
            }
            let mut source = slabs(input, variable, 0, leading)?;
            source.bytes = values;
            Ok(Access::Apart(source))
        }
        (DatasetStorage::Virtual, InputKind::Classic(_)) => Err(Error::new(
            ErrorCode::Internal,
            "virtual data in a classic file",
        )),
        (DatasetStorage::Contiguous { .. }, InputKind::Classic(_)) => {
            classic_slabs(input, i, leading)
        }
        (DatasetStorage::Contiguous { address: None }, _) => Ok(Access::Nothing),
        (
            DatasetStorage::Contiguous {
                address: Some(address),
            },
            _,
        ) => contiguous_slabs(input, variable, *address, leading),
        (DatasetStorage::Chunked { .. }, InputKind::Hdf5(hdf5)) => {
            chunked(hdf5, input.bytes(), variable, None)
        }
        (DatasetStorage::Chunked { .. }, InputKind::Classic(_)) => {
            Err(Error::new(ErrorCode::Internal, "chunks in a classic file"))
        }
    }
}

/// One element of a variable as it lies in the file.
fn element_of(hdf5: Option<&Hdf5Input>, variable: &DatasetInfo) -> Result<Element> {
    match hdf5.filter(|_| !variable.element.is_self_contained()) {
        Some(hdf5) => {
            let stored = hdf5.stored_element(variable);
            let stored = stored.map_err(|error| from_container(error, hdf5.path()))?;
            Ok(Element {
                size_bytes: stored.datatype.size_bytes,
                fill: stored.fill,
            })
        }
        None => Ok(Element {
            size_bytes: variable.element.size_bytes,
            fill: variable.fill.clone(),
        }),
    }
}

/// One element as it lies in the file.
struct Element {
    size_bytes: usize,
    fill: Vec<u8>,
}

/// What was found of elements that lead elsewhere: stored chunks cannot be copied, since they hold addresses.
fn as_indirect(access: Access) -> Result<Access> {
    match access {
        Access::Parallel(_, Stored::Records(records)) if records.is_empty() => Ok(Access::Nothing),
        Access::Parallel(source, stored) => Ok(Access::Indirect(source, stored)),
        Access::Apart(source) => Ok(Access::Indirect(source, Stored::All)),
        Access::Undecodable(_, _, missing) => Err(missing_filter_error(&missing)),
        other => Ok(other),
    }
}

/// Finds out how a chunked variable of an HDF5 file can be read, whose bytes are `bytes`. With `within`, only chunks of
/// these numbers in the grid are known afterwards: nothing else may be read.
///
/// # Errors
/// If the chunk index cannot be read, or is damaged.
pub fn chunked(
    hdf5: &Hdf5Input,
    bytes: Arc<FileBytes>,
    variable: &DatasetInfo,
    within: Option<&Range<u64>>,
) -> Result<Access> {
    let DatasetStorage::Chunked {
        chunk,
        pipeline,
        raw_partial_edges,
    } = &variable.storage
    else {
        return Err(Error::new(
            ErrorCode::Internal,
            "chunks of a dataset without",
        ));
    };
    let path = hdf5.path();
    let element = element_of(Some(hdf5), variable)?;
    let records = hdf5.locate_within(variable, within);
    let records = records.map_err(|e| from_container(e, path))?;
    let grid = grid(variable, chunk)?;
    let chunk_bytes = grid
        .chunk_elements()
        .checked_mul(element.size_bytes as u64)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| corrupt("chunks of more bytes than can be counted"))?;
    let unused = records
        .iter()
        .fold(u32::MAX, |mask, one| mask & one.filter_mask);
    let decoder = BoundDecoder::bind_used(pipeline, unused, element.size_bytes, chunk_bytes)
        .map_err(|error| Error::new(error.code(), error.to_string()))?;
    let missing = needed_but_missing(&decoder, pipeline, &records);
    for filter in &missing {
        if hdf5
            .has_plugin(filter.id)
            .map_err(|e| from_container(e, path))?
        {
            return Ok(Access::Library);
        }
    }
    let source = ArraySource {
        grid,
        element_bytes: element.size_bytes,
        index: ChunkIndex::Stored(StoredChunks::new(records.clone())),
        decoder: Arc::new(decoder),
        raw_partial_edges: *raw_partial_edges,
        byte_swap: None,
        fill: element.fill,
        bytes,
        tiling: None,
    };
    if missing.is_empty() {
        Ok(Access::Parallel(source, Stored::Records(records)))
    } else {
        Ok(Access::Undecodable(
            source,
            Stored::Records(records),
            missing,
        ))
    }
}

/// Missing filters that at least one stored chunk really went through.
fn needed_but_missing(
    decoder: &BoundDecoder,
    pipeline: &FilterPipeline,
    records: &[ChunkRecord],
) -> Vec<FilterSpec> {
    let all = decoder.missing().iter();
    all.filter(|filter| is_used(filter, pipeline, records))
        .cloned()
        .collect()
}

/// Whether at least one stored chunk really went through a filter.
fn is_used(filter: &FilterSpec, pipeline: &FilterPipeline, records: &[ChunkRecord]) -> bool {
    let position = pipeline.position(filter.id);
    position.is_some_and(|at| {
        records
            .iter()
            .any(|record| record.filter_mask & (1 << at) == 0)
    })
}

/// Contiguous HDF5 data as slabs.
fn contiguous_slabs(
    input: &Input,
    variable: &DatasetInfo,
    address: u64,
    leading: Option<u64>,
) -> Result<Access> {
    let element = element_of(input.hdf5(), variable)?;
    let raw_bytes = (variable.elements())
        .and_then(|elements| elements.checked_mul(element.size_bytes as u64))
        .ok_or_else(|| corrupt("its size overflows"))?;
    let end = address.checked_add(raw_bytes);
    if end.is_none_or(|end| end > input.file_bytes()) {
        return Err(corrupt(format!(
            "its values lie outside the file (address {address}, {raw_bytes} bytes; the file has \
             {} bytes)",
            input.file_bytes()
        )));
    }
    let source = slabs(input, variable, address, leading)?;
    Ok(Access::Parallel(source, Stored::All))
}

/// Compact and external values, as slabs of bytes of their own.
fn apart(input: &Input, variable: &DatasetInfo, leading: Option<u64>) -> Result<Access> {
    let Some(hdf5) = input.hdf5() else {
        let cause = "values that are not in their classic file";
        return Err(Error::new(ErrorCode::Internal, cause));
    };
    let mut source = slabs(input, variable, 0, leading)?;
    source.bytes = bytes_apart(hdf5, variable)?;
    Ok(Access::Apart(source))
}

/// The bytes of values that are not among those of others, one after the other.
///
/// # Errors
/// If the variable cannot be read, or is stored otherwise.
pub fn bytes_apart(hdf5: &Hdf5Input, variable: &DatasetInfo) -> Result<Arc<dyn ByteSource>> {
    let failed = |error| from_container(error, hdf5.path());
    if variable.storage == DatasetStorage::Compact {
        let values = hdf5.compact_values(variable).map_err(failed)?;
        return Ok(Arc::new(HeldBytes(values)));
    }
    if variable.storage == DatasetStorage::Virtual {
        return Ok(virtual_data::of_dataset(hdf5, variable)?);
    }
    let files = hdf5.external_files(variable).map_err(failed)?;
    let bytes = match hdf5.far_source() {
        Some(source) => ExternalBytes::far(hdf5.path(), source, &files),
        None => ExternalBytes::new(hdf5.path(), &files)
            .map_err(|error| Error::io(&error, "find the folder of", hdf5.path()))?,
    };
    Ok(Arc::new(bytes))
}

/// Values one after the other, from an address on, as slabs: leading axes 1, then as many as fit, then whole
/// axes.
fn slabs(
    input: &Input,
    variable: &DatasetInfo,
    address: u64,
    leading: Option<u64>,
) -> Result<ArraySource> {
    let element = element_of(input.hdf5(), variable)?;
    let element_bytes = element.size_bytes as u64;
    let slab = slab_shape(&variable.shape, element_bytes, leading);
    let grid = grid(variable, &slab)?;
    let rule = grid.clone();
    let formula = move |index: u64| {
        let valid = rule.valid_box(index);
        let first = linear(rule.shape(), &valid.start)?;
        let bytes = valid.elements()?.checked_mul(element_bytes)?;
        let start = address.checked_add(first.checked_mul(element_bytes)?)?;
        Some(StoredChunk {
            extent: FileExtent::contiguous(start, bytes),
            filter_mask: 0,
        })
    };
    unfiltered(input, element, grid, Box::new(formula), None)
}

fn classic_slabs(input: &Input, i: usize, leading: Option<u64>) -> Result<Access> {
    let InputKind::Classic(classic) = input.kind() else {
        return Err(Error::new(
            ErrorCode::Internal,
            "classic slabs of an HDF5 file",
        ));
    };
    let variable = &input.variables()[i];
    let slabs = classic.locations()[i]
        .slabs(SLAB_BYTES, leading)
        .map_err(|error| from_container(error.into(), input.path()))?;
    let grid = slabs.grid().clone();
    let formula = move |index: u64| {
        slabs.extent(index).map(|extent| StoredChunk {
            extent,
            filter_mask: 0,
        })
    };
    let swap = (variable.element.size_bytes > 1).then_some(variable.element.size_bytes);
    Ok(Access::Parallel(
        unfiltered(
            input,
            element_of(None, variable)?,
            grid,
            Box::new(formula),
            swap,
        )?,
        Stored::All,
    ))
}

fn unfiltered(
    input: &Input,
    element: Element,
    grid: ChunkGrid,
    formula: frazil_pipeline::ChunkFormula,
    byte_swap: Option<usize>,
) -> Result<ArraySource> {
    let element_bytes = element.size_bytes;
    let slab_bytes = usize::try_from(grid.chunk_elements())
        .ok()
        .and_then(|elements| elements.checked_mul(element_bytes))
        .ok_or_else(|| corrupt("its size overflows"))?;
    let decoder = BoundDecoder::bind(&FilterPipeline::default(), element_bytes, slab_bytes)
        .map_err(|error| Error::new(error.code(), error.to_string()))?;
    Ok(ArraySource {
        grid,
        element_bytes,
        index: ChunkIndex::Computed(formula),
        decoder: Arc::new(decoder),
        raw_partial_edges: false,
        byte_swap,
        fill: element.fill,
        bytes: input.bytes(),
        tiling: None,
    })
}

/// A source of nothing but fill values.
///
/// # Errors
/// If the variable cannot be read.
pub fn unwritten(input: &Input, variable: &DatasetInfo) -> Result<ArraySource> {
    let one: Vec<u64> = vec![1; variable.shape.len()];
    let element = element_of(input.hdf5(), variable)?;
    let mut source = unfiltered(
        input,
        element,
        grid(variable, &one)?,
        Box::new(|_| None),
        None,
    )?;
    source.index = ChunkIndex::Stored(StoredChunks::default());
    Ok(source)
}

/// The shape of contiguous slabs: leading axes 1, one axis cut, the rest whole.
///
/// Where the cut axis is the first one, slabs are whole multiples of `leading` if that fits.
pub fn slab_shape(shape: &[u64], element_bytes: u64, leading: Option<u64>) -> Vec<u64> {
    let mut slab: Vec<u64> = shape.iter().map(|&n| n.max(1)).collect();
    for axis in 0..shape.len() {
        let rest = slab[axis + 1..]
            .iter()
            .fold(element_bytes, |product, &n| product.saturating_mul(n));
        if rest >= SLAB_BYTES {
            slab[axis] = 1;
            continue;
        }
        let mut fitting = (SLAB_BYTES / rest).max(1);
        if let (0, Some(step)) = (axis, leading)
            && step > 0
        {
            fitting = if fitting >= step {
                fitting / step * step
            } else {
                fitting
            };
        }
        slab[axis] = slab[axis].min(fitting);
        break;
    }
    slab
}

/// Row-major number of the element at `at`.
pub fn linear(shape: &[u64], at: &[u64]) -> Option<u64> {
    shape
        .iter()
        .zip(at)
        .try_fold(0_u64, |sum, (&n, &i)| sum.checked_mul(n)?.checked_add(i))
}

/// A chunk grid over a variable.
///
/// # Errors
/// If the chunk shape does not fit the variable.
pub fn grid(variable: &DatasetInfo, chunk: &[u64]) -> Result<ChunkGrid> {
    ChunkGrid::new(&variable.shape, chunk)
        .ok_or_else(|| corrupt("the number of chunks is beyond counting"))
}

/// Whether less than half of a variable was ever written: a contiguous copy would spell out fill
/// values, however many the file's shape claims.
pub fn is_sparse(variable: &DatasetInfo, source: &ArraySource, stored: &Stored) -> bool {
    let Stored::Records(records) = stored else {
        return false;
    };
    let stored_elements = source
        .grid
        .chunk_elements()
        .saturating_mul(records.len() as u64);
    !records.is_empty()
        && variable
            .elements()
            .is_none_or(|all| stored_elements < all / 2)
}

fn corrupt(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::Corrupt, cause)
}

/// What there is to do about a filter that frazil cannot undo; `None`: it can.
#[must_use]
pub fn cure_of_filter(id: i32) -> Option<String> {
    let mut known = frazil_codec::filters().iter();
    let can_decode = known.any(|known| known.id == id && known.can_decode);
    (!can_decode).then(|| cure_for(id))
}

/// One line about filters that nobody here can decode.
pub fn missing_filter_text(missing: &[FilterSpec]) -> String {
    let names: Vec<String> = missing
        .iter()
        .map(|filter| format!("{} (filter {})", filter.display_name(), filter.id))
        .collect();
    format!("nobody here can decode {}", names.join(" and "))
}

/// The error for values that would have to be decoded and cannot be.
pub fn missing_filter_error(missing: &[FilterSpec]) -> Error {
    let cure = missing
        .first()
        .map(|filter| cure_for(filter.id))
        .unwrap_or_default();
    Error::new(ErrorCode::MissingFilter, missing_filter_text(missing)).with_cure(cure)
}
