//! Arrays to read from: where their chunks lie and how to decode them.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use frazil_codec::{BoundDecoder, CodecError, Scratch};
use frazil_types::{ChunkGrid, FileExtent, Selection};

use crate::stored_chunks::StoredChunks;
use crate::{PipelineError, TilingHint};

/// Positioned reads of a file's bytes, from any number of threads at a time.
pub trait ByteSource: Send + Sync {
    /// Fills `buffer` with the bytes from absolute `address` on.
    ///
    /// # Errors
    /// Any input/output error; `UnexpectedEof` where the file ends before the buffer is full.
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> io::Result<()>;

    /// Says that parts of the file, in order of address, will be read soon, so that they can come
    /// from the disk meanwhile. Does not wait for them.
    fn will_read(&self, _parts: &[Range<u64>]) {}

    /// Whether bytes take long to come, and much should be announced together, as far ahead as memory allows.
    fn is_far(&self) -> bool {
        false
    }

    /// Whether the last of some parts of the file, by a quick look, can be read without waiting for
    /// a disk.
    fn is_at_hand(&self, _parts: &[Range<u64>]) -> bool {
        false
    }
}

/// Decodes single chunks of one array.
pub trait ChunkDecoder: Send + Sync {
    /// Undoes all filters whose bit in `filter_mask` is clear.
    ///
    /// # Errors
    /// Whatever is wrong with the stored bytes, or a filter that cannot be undone.
    fn decode(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError>;

    /// As [`Self::decode`], into `out`, which has the length of a decoded chunk.
    ///
    /// # Errors
    /// As [`Self::decode`]; what `out` holds then means nothing.
    fn decode_into(
        &self,
        stored: &[u8],
        filter_mask: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), CodecError> {
        let decoded = self.decode(stored, filter_mask, scratch)?;
        copy_exactly(&decoded, out)
    }

    /// As [`Self::decode`], of a chunk that may be stored without its end: the result may be
    /// shorter than a chunk.
    ///
    /// # Errors
    /// As [`Self::decode`].
    fn decode_start(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        self.decode(stored, filter_mask, scratch)
    }

    /// Whether chunks are stored as they are, so that `decode` would only copy.
    fn is_identity(&self) -> bool;
}

impl ChunkDecoder for BoundDecoder {
    fn decode(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        Self::decode(self, stored, filter_mask, scratch)
    }

    fn decode_into(
        &self,
        stored: &[u8],
        filter_mask: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), CodecError> {
        Self::decode_into(self, stored, filter_mask, out, scratch)
    }

    fn decode_start(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        Self::decode_start(self, stored, filter_mask, scratch)
    }

    fn is_identity(&self) -> bool {
        Self::is_identity(self)
    }
}

/// A stored chunk of a source array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredChunk {
    /// Where its bytes lie.
    pub extent: FileExtent,
    /// Bit i set: filter i of the pipeline was not applied.
    pub filter_mask: u32,
}

/// A formula from linear chunk number to stored bytes.
pub type ChunkFormula = Box<dyn Fn(u64) -> Option<StoredChunk> + Send + Sync>;

/// Where the chunks of a source lie. A chunk that is nowhere has the fill value throughout.
pub enum ChunkIndex {
    /// Chunks of one segment each, by linear chunk number.
    Stored(StoredChunks),
    /// Contiguous and classic data cut into slabs. A slab at the upper edge may be stored whole
    /// (with padding) or clipped to the array (packed, row-major).
    Computed(ChunkFormula),
}

impl fmt::Debug for ChunkIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored(chunks) => write!(f, "Stored({} chunks)", chunks.len()),
            Self::Computed(_) => f.write_str("Computed"),
        }
    }
}

impl fmt::Debug for ArraySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArraySource({:?}, {:?})", self.grid, self.index)
    }
}

/// One array to read from.
pub struct ArraySource {
    /// Shape and chunk shape in elements.
    pub grid: ChunkGrid,
    /// Size of one element.
    pub element_bytes: usize,
    /// Where the chunks lie.
    pub index: ChunkIndex,
    /// Decodes one chunk.
    pub decoder: Arc<dyn ChunkDecoder>,
    /// Chunks that stick out of the array are stored without filters
    /// (`H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS`).
    pub raw_partial_edges: bool,
    /// Reverse the bytes in each unit of this many bytes after decoding (big-endian classic data
    /// to little-endian).
    pub byte_swap: Option<usize>,
    /// One element of fill value, in the byte order after swapping; empty: zeros.
    pub fill: Vec<u8>,
    /// The file.
    pub bytes: Arc<dyn ByteSource>,
    /// How the whole source will be cut by the tasks to come, if they tile it.
    pub tiling: Option<TilingHint>,
}

/// A stored chunk with its linear number.
pub(crate) type LocatedChunk = (u64, StoredChunk);

impl ArraySource {
    /// The stored chunk with linear number `index`; `None` if it is not allocated.
    #[must_use]
    pub fn locate(&self, index: u64) -> Option<StoredChunk> {
        if index >= self.grid.chunk_count() {
            return None;
        }
        match &self.index {
            ChunkIndex::Stored(chunks) => chunks.get(index),
            ChunkIndex::Computed(formula) => formula(index),
        }
    }

    /// Bytes of one whole decoded chunk; `None` on overflow.
    pub(crate) fn chunk_bytes(&self) -> Option<u64> {
        let element_bytes = u64::try_from(self.element_bytes).ok()?;
        self.grid.chunk_elements().checked_mul(element_bytes)
    }

    /// Checks that the parts fit each other; `source_index` is for the error only.
    pub(crate) fn validate(&self, source_index: usize) -> Result<(), PipelineError> {
        let fault = |reason| PipelineError::InvalidSource {
            source_index,
            reason,
        };
        if self.element_bytes == 0 {
            return Err(fault("elements of 0 bytes"));
        }
        if ![0, self.element_bytes].contains(&self.fill.len()) {
            return Err(fault("the fill value is not one element"));
        }
        if let Some(unit) = self.byte_swap
            && (unit == 0 || !self.element_bytes.is_multiple_of(unit))
        {
            return Err(fault("elements are not made of whole swap units"));
        }
        if let Some(hint) = &self.tiling
            && hint.grid.shape() != self.grid.shape()
        {
            return Err(fault("the tiling is of another shape"));
        }
        match self.chunk_bytes() {
            Some(_) => Ok(()),
            None => Err(fault("chunks of more bytes than can be counted")),
        }
    }

    /// Number of grid cells that a box touches, allocated or not.
    pub(crate) fn cells_touched(&self, selection: &Selection) -> u64 {
        self.grid.touched(selection).map_or(0, |ranges| {
            ranges.iter().fold(1, |cells: u64, &(first, last)| {
                cells.saturating_mul(last - first + 1)
            })
        })
    }

    /// An upper bound on the number of chunks that [`Self::chunks_touching`] finds.
    pub(crate) fn chunks_touching_bound(&self, selection: &Selection) -> u64 {
        let cells = self.cells_touched(selection);
        match &self.index {
            ChunkIndex::Stored(chunks) => cells.min(chunks.len() as u64),
            ChunkIndex::Computed(_) => cells,
        }
    }

    /// The allocated chunks a box touches, in no particular order.
    pub(crate) fn chunks_touching(&self, selection: &Selection) -> Vec<LocatedChunk> {
        let Some(ranges) = self.grid.touched(selection) else {
            return Vec::new();
        };
        match &self.index {
            // A hostile grid may have far more cells than there are stored chunks.
            ChunkIndex::Stored(chunks) if (chunks.len() as u64) < self.cells_touched(selection) => {
                let inside = |index: u64| {
                    index < self.grid.chunk_count()
                        && self
                            .grid
                            .indices(index)
                            .iter()
                            .zip(&ranges)
                            .all(|(i, (first, last))| (first..=last).contains(&i))
                };
                chunks.iter().filter(|found| inside(found.0)).collect()
            }
            _ => self
                .grid
                .chunks_in(selection)
                .into_iter()
                .filter_map(|index| Some((index, self.locate(index)?)))
                .collect(),
        }
    }

    /// Whether the stored bytes of chunk `index` are its values (before swapping).
    pub(crate) fn is_stored_raw(&self, index: u64) -> bool {
        self.decoder.is_identity() || (self.raw_partial_edges && self.grid.is_partial_edge(index))
    }

    /// Whether the stored bytes of chunk `index` can become its values without another buffer.
    pub(crate) fn becomes_in_place(&self, index: u64, stored: &StoredChunk) -> bool {
        let is_whole = matches!(self.index, ChunkIndex::Computed(_))
            || Some(stored.extent.segment_bytes) == self.chunk_bytes();
        is_whole && self.is_stored_raw(index)
    }

    /// Decodes chunk `index` from its stored bytes.
    ///
    /// The result has the length of a whole chunk, or of the part inside the array where a formula
    /// may have clipped the chunk. A chunk at the array's end may be stored without the bytes behind
    /// the last value; zeros stand for them.
    pub(crate) fn decode(
        &self,
        index: u64,
        stored: StoredBytes<'_>,
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        let mut decoded = if self.is_stored_raw(index) {
            stored.into_vec()
        } else {
            let stored = stored.as_slice();
            let whole = self.decoder.decode(stored, filter_mask, scratch);
            self.or_start(index, whole, || {
                self.decoder.decode_start(stored, filter_mask, scratch)
            })?
        };
        self.complete(index, &mut decoded);
        self.check_length(index, decoded.len())?;
        self.swap(&mut decoded);
        Ok(decoded)
    }

    /// As [`Self::decode`], into `out`, which has the length of a whole chunk.
    pub(crate) fn decode_into(
        &self,
        index: u64,
        stored: &[u8],
        filter_mask: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), CodecError> {
        let is_raw = self.is_stored_raw(index);
        let whole = match is_raw {
            true => copy_exactly(stored, out),
            false => (self.decoder).decode_into(stored, filter_mask, out, scratch),
        };
        self.or_start(index, whole, || {
            let mut start = match is_raw {
                true => stored.to_vec(),
                false => self.decoder.decode_start(stored, filter_mask, scratch)?,
            };
            self.complete(index, &mut start);
            copy_exactly(&start, out)
        })?;
        self.swap(out);
        Ok(())
    }

    /// What `start` gives, where a chunk at the array's end does not have the length of a whole one.
    fn or_start<T>(
        &self,
        index: u64,
        whole: Result<T, CodecError>,
        start: impl FnOnce() -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        match whole {
            Err(error @ CodecError::WrongSize { .. }) if self.grid.is_partial_edge(index) => {
                start().map_err(|_| error)
            }
            outcome => outcome,
        }
    }

    /// Fills up a stored chunk that has all its values, but lacks padding behind the last one.
    fn complete(&self, index: u64, decoded: &mut Vec<u8>) {
        let (Some(whole), Some(needed)) = (self.chunk_bytes(), self.needed_bytes(index)) else {
            return;
        };
        if (needed..whole).contains(&(decoded.len() as u64)) {
            decoded.resize(whole as usize, 0);
        }
    }

    /// Bytes of a stored chunk up to the end of its last value inside the array.
    fn needed_bytes(&self, index: u64) -> Option<u64> {
        if matches!(self.index, ChunkIndex::Computed(_)) {
            return None;
        }
        let valid = self.grid.valid_box(index);
        let last = (valid.count.iter().zip(self.grid.chunk()))
            .try_fold(0_u64, |at, (&count, &extent)| {
                at.checked_mul(extent)?.checked_add(count.checked_sub(1)?)
            })?;
        last.checked_add(1)?.checked_mul(self.element_bytes as u64)
    }

    /// Brings decoded values into the byte order that is wanted.
    pub(crate) fn swap(&self, decoded: &mut [u8]) {
        if let Some(unit) = self.byte_swap.filter(|&unit| unit > 1) {
            swap_bytes(decoded, unit);
        }
    }

    fn check_length(&self, index: u64, got: usize) -> Result<(), CodecError> {
        let expected = self.chunk_bytes().unwrap_or(u64::MAX);
        let clipped = matches!(self.index, ChunkIndex::Computed(_))
            && self.clipped_bytes(index) == Some(got as u64);
        if got as u64 == expected || clipped {
            return Ok(());
        }
        Err(CodecError::WrongSize {
            got,
            expected: usize::try_from(expected).unwrap_or(usize::MAX),
        })
    }

    fn clipped_bytes(&self, index: u64) -> Option<u64> {
        let elements = self.grid.valid_box(index).elements()?;
        elements.checked_mul(self.element_bytes as u64)
    }
}

/// Stored bytes of one chunk: a part of a merged read, or a read of their own.
pub(crate) enum StoredBytes<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
}

impl StoredBytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }

    pub(crate) fn into_vec(self) -> Vec<u8> {
        match self {
            Self::Borrowed(bytes) => bytes.to_vec(),
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Overwrites `out` by bytes of the same length.
fn copy_exactly(bytes: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
    if bytes.len() != out.len() {
        return Err(CodecError::WrongSize {
            got: bytes.len(),
            expected: out.len(),
        });
    }
    out.copy_from_slice(bytes);
    Ok(())
}

/// Reverses the bytes of each unit.
pub(crate) fn swap_bytes(bytes: &mut [u8], unit: usize) {
    fn swap<const N: usize>(bytes: &mut [u8]) {
        for unit in bytes.as_chunks_mut::<N>().0 {
            unit.reverse();
        }
    }
    match unit {
        2 => swap::<2>(bytes),
        4 => swap::<4>(bytes),
        8 => swap::<8>(bytes),
        _ => bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse),
    }
}
