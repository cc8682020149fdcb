//! LZ4 blocks: the LZ4 filter (32004) and the block decoder that other formats use.
//!
//! Source: `H5Zlz4.c`. Big-endian header: total size (8 bytes), block size (4); then each block's
//! stored size (4) and data. A block as long as the block size is stored raw.

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::compress::cursor::Cursor;

const NAME: &str = "lz4";

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
    out.resize(total, 0);
    if total > 0 && block_bytes == 0 {
        return Err(CodecError::Corrupt {
            filter: NAME,
            reason: "blocks of 0 bytes",
        });
    }
    for block in out.chunks_mut(block_bytes.max(1)) {
        let stored_bytes = cursor.u32_be()? as usize;
        let stored = cursor.take(stored_bytes)?;
        if stored_bytes == block.len() {
            block.copy_from_slice(stored);
        } else {
            decode_block(NAME, stored, block)?;
        }
    }
    Ok(())
}
