//! Writing Blosc 1 buffers.
//!
//! Split into streams as C-Blosc does for readers of every age (`BLOSC_FORWARD_COMPAT_SPLIT`): by
//! byte planes for all compressors but zstd. Data that do not shrink become a plain copy behind the
//! header, so that no chunk needs a filter mask.

use frazil_types::{DeflateEncoder, FilterSpec};

use super::{
    BIT_SHUFFLE, BYTE_SHUFFLE, FORMAT_VERSION, HEADER_BYTES, Header, NAME, ONE_STREAM, PLAIN_COPY,
};
use crate::CodecError;
use crate::compress::{blosclz, lz4};
use crate::error::invalid;
use crate::filter::bit_transpose::{GROUP, transpose};
use crate::filter::shuffle::{Direction, transform_slice};
use crate::scratch::Codecs;
use crate::simd::Simd;

/// Version of every compressor's own format (`BLOSC_*_VERSION_FORMAT`).
const COMPRESSOR_VERSION: u8 = 1;
/// Length of a stream, and start of a block.
const NUMBER_BYTES: usize = 4;
/// Largest element that the header can name; the filter says 1 for larger ones.
const LARGEST_ELEMENT: u32 = 255;
/// `BLOSC_MAX_BUFFERSIZE`.
const LARGEST_BUFFER: usize = i32::MAX as usize - HEADER_BYTES;
/// Level and shuffle where the client data values stop before them, as `blosc_filter.c` has them.
const DEFAULT_LEVEL: u32 = 5;
/// Levels from 0 (a plain copy) to 9.
const HIGHEST_LEVEL: u32 = 9;
/// Bytes of a stream of LZ4 or Snappy: what stays in a core's second cache with its output.
const FAST_STREAM_BYTES: usize = 64 << 10;
/// Bytes of a block of zlib or zstd, whose ratio grows with it.
const STRONG_BLOCK_BYTES: usize = 512 << 10;
/// Blocks are at most this long, whatever the element's size.
const LARGEST_BLOCK: usize = 1 << 20;

/// zstd's levels for Blosc's (`blosc.c`: `clevel * 2 - 1`, and the highest for 9).
const ZSTD_HIGHEST: i32 = 22;

/// The compressor inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    BloscLz,
    Lz4,
    Snappy,
    Zlib,
    Zstd,
}

impl Inner {
    /// Its number in the header's flags.
    fn format(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 => 1,
            Self::Snappy => 2,
            Self::Zlib => 3,
            Self::Zstd => 4,
        }
    }
}

/// What the client data values say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BloscEncoder {
    element_bytes: usize,
    level: u32,
    shuffle_flag: u8,
    inner: Inner,
}

impl BloscEncoder {
    /// Reads the client data values: revision, format, element size, chunk bytes, level (5 if
    /// absent), shuffle (bytes if absent), compressor.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let values = &spec.cd_values;
        let element_bytes = match values.get(2) {
            Some(&bytes @ 1..=LARGEST_ELEMENT) => bytes as usize,
            Some(0) | None => return Err(invalid(NAME, "no element size")),
            Some(_) => 1,
        };
        let level = values.get(4).copied().unwrap_or(DEFAULT_LEVEL);
        if level > HIGHEST_LEVEL {
            return Err(invalid(NAME, "levels go from 0 to 9"));
        }
        let shuffle_flag = match values.get(5) {
            Some(0) => 0,
            // Single bytes have no planes.
            Some(1) | None if element_bytes == 1 => 0,
            Some(1) | None => BYTE_SHUFFLE,
            Some(2) => BIT_SHUFFLE,
            Some(other) => return Err(invalid(NAME, format!("no shuffle has number {other}"))),
        };
        let inner = match values.get(6) {
            None | Some(0) => Inner::BloscLz,
            // LZ4HC makes the same format, with more effort.
            Some(1 | 2) => Inner::Lz4,
            Some(3) => Inner::Snappy,
            Some(4) => Inner::Zlib,
            Some(5) => Inner::Zstd,
            Some(other) => return Err(invalid(NAME, format!("no compressor has number {other}"))),
        };
        Ok(Self {
            element_bytes,
            level,
            shuffle_flag,
            inner,
        })
    }

    /// Whether chunks of `bytes` can be encoded.
    pub(crate) fn check_input(bytes: usize) -> Result<(), CodecError> {
        if bytes <= LARGEST_BUFFER {
            Ok(())
        } else {
            Err(invalid(NAME, "buffers of 2 GiB and more do not exist"))
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(raw_bytes: usize) -> usize {
        raw_bytes.saturating_add(HEADER_BYTES)
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        Self::check_input(raw.len())?;
        out.clear();
        let header = self.header(raw.len());
        if self.level > 0 && !raw.is_empty() {
            self.encode_blocks(header, raw, out, codecs)?;
        }
        if out.is_empty() || out.len() >= HEADER_BYTES + raw.len() {
            out.clear();
            out.extend_from_slice(&self.header_bytes(PLAIN_COPY | header.flags, header));
            out.extend_from_slice(raw);
        }
        let buffer_bytes = out.len() as u32;
        out[12..HEADER_BYTES].copy_from_slice(&buffer_bytes.to_le_bytes());
        Ok(())
    }

    fn header(&self, raw_bytes: usize) -> Header {
        let one_stream = if self.inner == Inner::Zstd {
            ONE_STREAM
        } else {
            0
        };
        Header {
            flags: self.shuffle_flag | one_stream | self.inner.format() << 5,
            element_bytes: self.element_bytes,
            raw_bytes,
            block_bytes: self.block_bytes(raw_bytes),
        }
    }

    /// Whole groups of elements, so that all blocks but the last can be transposed.
    fn block_bytes(&self, raw_bytes: usize) -> usize {
        let requested = match self.inner {
            Inner::BloscLz | Inner::Lz4 | Inner::Snappy => {
                FAST_STREAM_BYTES.saturating_mul(self.element_bytes)
            }
            Inner::Zlib | Inner::Zstd => STRONG_BLOCK_BYTES,
        };
        let group_bytes = GROUP * self.element_bytes;
        let block_bytes = requested.min(LARGEST_BLOCK);
        let whole = (block_bytes - block_bytes % group_bytes).min(raw_bytes);
        // A chunk of one short block is cut to whole elements; the rest is a block of its own.
        let rest = whole % self.element_bytes;
        if whole > rest { whole - rest } else { whole }
    }

    /// The header with an empty place for the buffer's length.
    fn header_bytes(&self, flags: u8, header: Header) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = FORMAT_VERSION;
        bytes[1] = COMPRESSOR_VERSION;
        bytes[2] = flags;
        bytes[3] = self.element_bytes as u8;
        bytes[4..8].copy_from_slice(&(header.raw_bytes as u32).to_le_bytes());
        bytes[8..12].copy_from_slice(&(header.block_bytes as u32).to_le_bytes());
        bytes
    }

    /// Appends header, table of block starts and blocks; stops early once they are no shorter than
    /// a plain copy.
    fn encode_blocks(
        &self,
        header: Header,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let blocks = raw.len().div_ceil(header.block_bytes);
        out.extend_from_slice(&self.header_bytes(header.flags, header));
        out.resize(HEADER_BYTES + blocks * NUMBER_BYTES, 0);
        for (i, block) in raw.chunks(header.block_bytes).enumerate() {
            if out.len() >= HEADER_BYTES + raw.len() {
                break;
            }
            let entry = HEADER_BYTES + i * NUMBER_BYTES;
            let start = out.len() as u32;
            out[entry..entry + NUMBER_BYTES].copy_from_slice(&start.to_le_bytes());
            let mut held = std::mem::take(&mut codecs.block);
            held.resize(held.len().max(block.len()), 0);
            let encoded = self.encode_block(header, block, &mut held, out, codecs);
            codecs.block = held;
            encoded?;
        }
        Ok(())
    }

    fn encode_block(
        &self,
        header: Header,
        block: &[u8],
        held: &mut [u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let held = &mut held[..block.len()];
        let elements = block.len() / self.element_bytes;
        let simd = Simd::detect();
        let block = if self.shuffle_flag == BYTE_SHUFFLE {
            transform_slice(Direction::Shuffle, simd, self.element_bytes, block, held);
            &*held
        } else if self.shuffle_flag == BIT_SHUFFLE && elements > 0 && elements.is_multiple_of(GROUP)
        {
            let whole = elements * self.element_bytes;
            let (rows, rest) = held.split_at_mut(whole);
            transpose(
                simd,
                self.element_bytes,
                &block[..whole],
                rows,
                &mut codecs.work,
            );
            rest.copy_from_slice(&block[whole..]);
            &*held
        } else {
            block
        };
        let streams = header.streams(block.len() == header.block_bytes);
        for stream in block.chunks((block.len() / streams).max(1)) {
            self.append_stream(stream, out, codecs)?;
        }
        Ok(())
    }

    /// Appends a stream preceded by its length; one that does not shrink is stored raw.
    fn append_stream(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        if self.inner == Inner::Lz4 {
            return lz4::append_or_copy(NAME, raw, out, &mut codecs.lz4, u32::to_le_bytes);
        }
        let start = out.len();
        out.extend_from_slice(&[0; NUMBER_BYTES]);
        let mut stored_bytes = match self.inner {
            Inner::Zstd => codecs.zstd.append(self.zstd_level(), raw, out)?,
            Inner::Snappy => append_snappy(raw, out)?,
            Inner::BloscLz => blosclz::append(raw, out),
            _ => {
                let encoder = DeflateEncoder::Libdeflate(self.level.cast_signed());
                let mut stream = std::mem::take(&mut codecs.stream);
                let encoded = codecs.deflate.encode(encoder, raw, &mut stream);
                out.extend_from_slice(&stream);
                let stored_bytes = stream.len();
                codecs.stream = stream;
                encoded?;
                stored_bytes
            }
        };
        if stored_bytes >= raw.len() {
            out.truncate(start + NUMBER_BYTES);
            out.extend_from_slice(raw);
            stored_bytes = raw.len();
        }
        let length = (stored_bytes as u32).to_le_bytes();
        out[start..start + NUMBER_BYTES].copy_from_slice(&length);
        Ok(())
    }

    fn zstd_level(&self) -> i32 {
        match self.level.cast_signed() {
            9 => ZSTD_HIGHEST,
            level => level * 2 - 1,
        }
    }
}

fn append_snappy(raw: &[u8], out: &mut Vec<u8>) -> Result<usize, CodecError> {
    let start = out.len();
    out.resize(start + snap::raw::max_compress_len(raw.len()), 0);
    let written = snap::raw::Encoder::new().compress(raw, &mut out[start..]);
    let written = written.map_err(|_| CodecError::EncodeFailed {
        filter: NAME,
        reason: "Snappy cannot compress a stream",
    })?;
    out.truncate(start + written);
    Ok(written)
}
