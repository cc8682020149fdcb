//! The bitshuffle filter (32008): bit transpose in blocks, alone or with LZ4 or zstd.
//!
//! Source: `bshuf_h5filter.c`, `bitshuffle.c`. With a compressor, a big-endian header holds the
//! total (8 bytes) and the block size in bytes (4), and each block is preceded by its stored size
//! (4). Up to 7 elements that fill no group follow raw.

use frazil_types::FilterSpec;

use crate::CodecError;
use crate::buffer::{OutputSize, pieces};
use crate::compress::{lz4, zstd};
use crate::cursor::Cursor;
use crate::error::invalid;
use crate::filter::bit_transpose::{GROUP, transpose, untranspose};
use crate::scratch::Codecs;
use crate::simd::Simd;

const NAME: &str = "bitshuffle";
const DEFAULT_BLOCK_BYTES: usize = 8192;
const MIN_BLOCK_ELEMENTS: usize = 128;
const HEADER_BYTES: usize = 12;
const LENGTH_BYTES: usize = 4;
/// `BSHUF_ZSTD_DEFAULT_COMP_LEVEL`.
const ZSTD_DEFAULT: i32 = 3;

/// What the client data values say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bitshuffle {
    element_bytes: usize,
    /// Block size in elements, for streams that do not name theirs.
    block_elements: usize,
    inner: Inner,
    zstd_level: i32,
}

/// The compressor inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    None,
    Lz4,
    Zstd,
}

impl Bitshuffle {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let values = &spec.cd_values;
        let element_bytes = values.get(2).map_or(0, |&bytes| bytes as usize);
        if element_bytes == 0 {
            return Err(invalid(NAME, "no element size"));
        }
        let inner = match values.get(4) {
            None | Some(0) => Inner::None,
            Some(2) => Inner::Lz4,
            Some(3) => Inner::Zstd,
            Some(other) => return Err(invalid(NAME, format!("no compressor has number {other}"))),
        };
        let asked = values.get(3).map_or(0, |&elements| elements as usize);
        if !asked.is_multiple_of(GROUP) {
            return Err(invalid(NAME, "the block size is no multiple of 8"));
        }
        Ok(Self {
            element_bytes,
            block_elements: if asked == 0 {
                default_block_elements(element_bytes)
            } else {
                asked
            },
            inner,
            zstd_level: match values.get(5) {
                None | Some(0) => ZSTD_DEFAULT,
                Some(level) => level.cast_signed(),
            },
        })
    }

    /// Whether chunks of `bytes` can be encoded: the filter knows no part of an element.
    pub(crate) fn check_input(&self, bytes: usize) -> Result<(), CodecError> {
        if bytes.is_multiple_of(self.element_bytes) {
            Ok(())
        } else {
            Err(invalid(NAME, "the data are no whole number of elements"))
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        let block_bytes = self.block_bytes().min(raw_bytes).max(1);
        let blocks = raw_bytes.div_ceil(block_bytes);
        let of_block = match self.inner {
            Inner::None => return raw_bytes,
            Inner::Lz4 => lz4::block_bound(block_bytes),
            Inner::Zstd => zstd::encode_bound(block_bytes),
        };
        blocks
            .saturating_mul(LENGTH_BYTES + of_block)
            .saturating_add(HEADER_BYTES + GROUP * self.element_bytes)
    }

    fn block_bytes(&self) -> usize {
        self.block_elements.saturating_mul(self.element_bytes)
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        self.check_input(raw.len())?;
        out.clear();
        if self.inner != Inner::None {
            out.extend_from_slice(&(raw.len() as u64).to_be_bytes());
            // Blocks larger than the chunk are named as they were asked for, as the original does.
            let block_bytes = u32::try_from(self.block_bytes())
                .map_err(|_| invalid(NAME, "blocks of 4 GiB and more"))?;
            out.extend_from_slice(&block_bytes.to_be_bytes());
        }
        let group_bytes = GROUP.saturating_mul(self.element_bytes);
        let (grouped, rest) = raw.split_at(raw.len() - raw.len() % group_bytes);
        for block in grouped.chunks(self.block_bytes()) {
            self.encode_block(block, out, codecs)?;
        }
        out.extend_from_slice(rest);
        Ok(())
    }

    /// Appends one block.
    fn encode_block(
        &self,
        block: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let Codecs {
            zstd,
            lz4,
            block: rows,
            work,
            ..
        } = codecs;
        let (simd, start) = (Simd::detect(), out.len());
        if self.inner == Inner::None {
            out.resize(start + block.len(), 0);
            transpose(simd, self.element_bytes, block, &mut out[start..], work);
            return Ok(());
        }
        rows.resize(rows.len().max(block.len()), 0);
        let rows = &mut rows[..block.len()];
        transpose(simd, self.element_bytes, block, rows, work);
        out.extend_from_slice(&[0; LENGTH_BYTES]);
        let stored_bytes = match self.inner {
            Inner::Zstd => zstd.append(self.zstd_level, rows, out)?,
            _ => lz4.append_block(NAME, rows, out)?,
        };
        let stored_bytes =
            u32::try_from(stored_bytes).map_err(|_| invalid(NAME, "a block of 4 GiB and more"))?;
        out[start..start + LENGTH_BYTES].copy_from_slice(&stored_bytes.to_be_bytes());
        Ok(())
    }

    /// Length after encoding, where it follows from the filter alone.
    pub(crate) fn encoded_bytes(&self, decoded: usize) -> Option<usize> {
        (self.inner == Inner::None).then_some(decoded)
    }

    /// Decodes `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let mut cursor = Cursor::new(NAME, stored);
        let (total, block_elements) = match self.inner {
            Inner::None => (stored.len(), self.block_elements),
            _ => self.header(&mut cursor)?,
        };
        let total = size.check(total)?;
        if !total.is_multiple_of(self.element_bytes) {
            return Err(corrupt("no whole number of elements"));
        }
        size.begin(out, total);
        let group_bytes = GROUP.saturating_mul(self.element_bytes);
        let grouped = total - total % group_bytes;
        let block_bytes = block_elements.saturating_mul(self.element_bytes);
        for (start, end) in pieces(grouped, block_bytes) {
            let stored = self.stored_block(&mut cursor, end - start)?;
            self.decode_block(stored, size.part(out, start, end)?, codecs)?;
        }
        let raw = cursor.take(total - grouped)?;
        size.part(out, grouped, total)?.copy_from_slice(raw);
        Ok(())
    }

    /// Total bytes and block size in elements.
    fn header(&self, cursor: &mut Cursor<'_>) -> Result<(usize, usize), CodecError> {
        let total = usize::try_from(cursor.u64_be()?).unwrap_or(usize::MAX);
        let block_elements = cursor.u32_be()? as usize / self.element_bytes;
        if !block_elements.is_multiple_of(GROUP) {
            return Err(corrupt("the block size is no multiple of 8"));
        }
        let default = default_block_elements(self.element_bytes);
        Ok((
            total,
            if block_elements == 0 {
                default
            } else {
                block_elements
            },
        ))
    }

    /// What is stored of a block of so many bytes, which it must be able to hold.
    fn stored_block<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        bytes: usize,
    ) -> Result<&'a [u8], CodecError> {
        if self.inner == Inner::None {
            return cursor.take(bytes);
        }
        let stored_bytes = cursor.u32_be()? as usize;
        let stored = cursor.take(stored_bytes)?;
        match self.inner {
            Inner::Zstd => zstd::check_frame(NAME, stored, bytes)?,
            _ => lz4::check_block(NAME, stored, bytes)?,
        }
        Ok(stored)
    }

    fn decode_block(
        &self,
        stored: &[u8],
        block: &mut [u8],
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let Codecs {
            zstd,
            block: rows,
            work,
            ..
        } = codecs;
        let rows: &[u8] = if self.inner == Inner::None {
            stored
        } else {
            rows.resize(rows.len().max(block.len()), 0);
            let rows = &mut rows[..block.len()];
            match self.inner {
                Inner::Zstd => zstd.decode_slice(stored, rows)?,
                _ => lz4::decode_block(NAME, stored, rows)?,
            }
            rows
        };
        untranspose(Simd::detect(), self.element_bytes, rows, block, work);
        Ok(())
    }
}

/// `bshuf_default_block_size`: 8 KiB in whole groups, but at least 128 elements.
fn default_block_elements(element_bytes: usize) -> usize {
    let elements = DEFAULT_BLOCK_BYTES / element_bytes;
    (elements - elements % GROUP).max(MIN_BLOCK_ELEMENTS)
}

fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}
