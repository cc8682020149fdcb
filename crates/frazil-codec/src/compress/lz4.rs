//! LZ4 blocks: the LZ4 filter (32004) and the blocks that other formats use.
//!
//! Source: `H5Zlz4.c`. Big-endian header: total size (8 bytes), block size (4); then each block's
//! stored size (4) and data. A block as long as the block size is stored raw.

use frazil_types::FilterSpec;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use crate::CodecError;
use crate::buffer::{OutputSize, pieces};
use crate::cursor::Cursor;

const NAME: &str = "lz4";
const HEADER_BYTES: usize = 12;
const LENGTH_BYTES: usize = 4;
/// `DEFAULT_BLOCK_SIZE`, for filters whose block size is absent or 0.
const DEFAULT_BLOCK_BYTES: usize = 1 << 30;
/// Largest block that `H5Zlz4.c` encodes (`LZ4_MAX_INPUT_SIZE`); it decodes no larger ones.
const LARGEST_BLOCK_BYTES: usize = 0x7E00_0000;
/// Inputs below this length get a table of 16-bit positions, which fits in the nearest cache.
const SHORT_INPUT: usize = u16::MAX as usize;

/// Reusable tables of the compressor, one for each kind of input: made when first needed.
#[derive(Default)]
pub(crate) struct Lz4 {
    short: Option<CompressTable>,
    long: Option<CompressTable>,
}

impl std::fmt::Debug for Lz4 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lz4").finish_non_exhaustive()
    }
}

impl Lz4 {
    /// Appends `raw` to `out` as one LZ4 block; returns the block's length.
    pub(crate) fn append_block(
        &mut self,
        filter: &'static str,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, CodecError> {
        let table = if raw.len() < SHORT_INPUT {
            self.short.get_or_insert_with(CompressTable::small)
        } else {
            self.long.get_or_insert_with(CompressTable::large)
        };
        let start = out.len();
        out.resize(start + block_bound(raw.len()), 0);
        let written = compress_into_with_table(raw, &mut out[start..], table);
        let written = written.map_err(|_| CodecError::EncodeFailed {
            filter,
            reason: "the LZ4 block exceeds its bound",
        })?;
        out.truncate(start + written);
        Ok(written)
    }
}

/// Length of an LZ4 block of `raw_bytes` at most.
pub(crate) fn block_bound(raw_bytes: usize) -> usize {
    get_maximum_output_size(raw_bytes)
}

/// The block size that the client data values ask for.
pub(crate) fn block_bytes(spec: &FilterSpec) -> usize {
    match spec.cd_values.first() {
        None | Some(0) => DEFAULT_BLOCK_BYTES,
        Some(&bytes) => (bytes as usize).min(LARGEST_BLOCK_BYTES),
    }
}

/// Length of the encoded form of `raw_bytes` at most.
pub(crate) fn encode_bound(block_bytes: usize, raw_bytes: usize) -> usize {
    let block_bytes = block_bytes.min(raw_bytes).max(1);
    let blocks = raw_bytes.div_ceil(block_bytes);
    // Blocks that do not shrink are stored raw.
    let lengths = blocks.saturating_mul(LENGTH_BYTES);
    raw_bytes
        .saturating_add(lengths)
        .saturating_add(HEADER_BYTES)
}

/// Replaces the content of `out` by `raw` in the LZ4 filter's format.
pub(crate) fn encode(
    block_bytes: usize,
    raw: &[u8],
    out: &mut Vec<u8>,
    lz4: &mut Lz4,
) -> Result<(), CodecError> {
    let block_bytes = block_bytes.min(raw.len());
    out.clear();
    out.extend_from_slice(&(raw.len() as u64).to_be_bytes());
    out.extend_from_slice(&(block_bytes as u32).to_be_bytes());
    for block in raw.chunks(block_bytes.max(1)) {
        append_or_copy(NAME, block, out, lz4, u32::to_be_bytes)?;
    }
    Ok(())
}

/// Appends a block preceded by its length; one that does not shrink is stored raw.
pub(crate) fn append_or_copy(
    filter: &'static str,
    block: &[u8],
    out: &mut Vec<u8>,
    lz4: &mut Lz4,
    length_bytes: fn(u32) -> [u8; LENGTH_BYTES],
) -> Result<(), CodecError> {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    let mut stored_bytes = lz4.append_block(filter, block, out)?;
    if stored_bytes >= block.len() {
        out.truncate(start + LENGTH_BYTES);
        out.extend_from_slice(block);
        stored_bytes = block.len();
    }
    // A block is at most 2 GiB long.
    out[start..start + LENGTH_BYTES].copy_from_slice(&length_bytes(stored_bytes as u32));
    Ok(())
}

/// Refuses a block that states more bytes than any of its length can hold.
pub(crate) fn check_block(
    filter: &'static str,
    stored: &[u8],
    bytes: usize,
) -> Result<(), CodecError> {
    // A byte of a length stands for 255 bytes at most.
    const MOST: usize = 256;
    if bytes <= stored.len().saturating_mul(MOST) {
        return Ok(());
    }
    Err(CodecError::Corrupt {
        filter,
        reason: "a block that states more than it can hold",
    })
}

/// Decodes one LZ4 block, which must fill `out`.
pub(crate) fn decode_block(
    filter: &'static str,
    stored: &[u8],
    out: &mut [u8],
) -> Result<(), CodecError> {
    match lz4_flex::block::decompress_into(stored, out) {
        Ok(written) if written == out.len() => Ok(()),
        _ => Err(CodecError::Corrupt {
            filter,
            reason: "a block is no LZ4 block of its size",
        }),
    }
}

/// Decodes a chunk of the LZ4 filter into `out`.
pub(crate) fn decode(stored: &[u8], out: &mut Vec<u8>, size: OutputSize) -> Result<(), CodecError> {
    let mut cursor = Cursor::new(NAME, stored);
    let total = size.check(usize::try_from(cursor.u64_be()?).unwrap_or(usize::MAX))?;
    let block_bytes = cursor.u32_be()? as usize;
    size.begin(out, total);
    if total > 0 && block_bytes == 0 {
        return Err(CodecError::Corrupt {
            filter: NAME,
            reason: "blocks of 0 bytes",
        });
    }
    for (start, end) in pieces(total, block_bytes) {
        let stored_bytes = cursor.u32_be()? as usize;
        let stored = cursor.take(stored_bytes)?;
        check_block(NAME, stored, end - start)?;
        let block = size.part(out, start, end)?;
        if stored_bytes == block.len() {
            block.copy_from_slice(stored);
        } else {
            decode_block(NAME, stored, block)?;
        }
    }
    Ok(())
}
