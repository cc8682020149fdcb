//! Blosc 1 buffers (filter 32001).
//!
//! Written here instead of calling C-Blosc: headers come from files, and this way no number in them
//! can do more than fail. Source: `blosc.c` of C-Blosc 1.21, `README_HEADER.rst` of its format. A
//! 16-byte little-endian header, a table of block starts, and per block one compressed stream or one
//! per byte plane, each preceded by its length (4 bytes).

mod encode;

pub(crate) use encode::BloscEncoder;

use super::{blosclz, lz4, zstd};
use crate::CodecError;
use crate::buffer::{OutputSize, pieces};
use crate::cursor::Cursor;
use crate::filter::bit_transpose::{GROUP, untranspose};
use crate::filter::shuffle::{Direction, transform_slice};
use crate::scratch::Codecs;
use crate::simd::Simd;

const NAME: &str = "blosc";
const HEADER_BYTES: usize = 16;
const FORMAT_VERSION: u8 = 2;
const BYTE_SHUFFLE: u8 = 1;
const PLAIN_COPY: u8 = 2;
const BIT_SHUFFLE: u8 = 4;
const RESERVED: u8 = 8;
const ONE_STREAM: u8 = 16;
/// Blocks are split into byte planes up to this element size...
const MAX_SPLITS: usize = 16;
/// ...and from this many elements on.
const MIN_SPLIT_ELEMENTS: usize = 128;

/// A checked header.
#[derive(Debug, Clone, Copy)]
struct Header {
    flags: u8,
    element_bytes: usize,
    raw_bytes: usize,
    block_bytes: usize,
}

impl Header {
    fn parse(stored: &[u8], size: OutputSize) -> Result<(Self, &[u8]), CodecError> {
        let mut cursor = Cursor::new(NAME, stored);
        let &[version, _, flags, element_bytes] = cursor.take(4)? else {
            return Err(corrupt("shorter than its header"));
        };
        let raw_bytes = size.check(cursor.u32_le()? as usize)?;
        let block_bytes = cursor.u32_le()? as usize;
        let buffer_bytes = cursor.u32_le()? as usize;
        if version != FORMAT_VERSION || flags & RESERVED != 0 {
            return Err(corrupt("made by another version of Blosc"));
        }
        let buffer = stored.get(..buffer_bytes).ok_or(corrupt("cut short"))?;
        if raw_bytes > 0 && (element_bytes == 0 || block_bytes == 0 || block_bytes > raw_bytes) {
            return Err(corrupt("impossible element or block size"));
        }
        let header = Self {
            flags,
            element_bytes: usize::from(element_bytes),
            raw_bytes,
            block_bytes,
        };
        Ok((header, buffer))
    }

    /// Number of streams of a block.
    fn streams(&self, is_whole_block: bool) -> usize {
        let split = self.flags & ONE_STREAM == 0
            && self.element_bytes <= MAX_SPLITS
            && self.block_bytes / self.element_bytes >= MIN_SPLIT_ELEMENTS
            && is_whole_block;
        if split { self.element_bytes } else { 1 }
    }
}

/// Decodes `stored` into `out`.
pub(crate) fn decode(
    stored: &[u8],
    out: &mut Vec<u8>,
    size: OutputSize,
    codecs: &mut Codecs,
) -> Result<(), CodecError> {
    let (header, buffer) = Header::parse(stored, size)?;
    if header.flags & PLAIN_COPY != 0 || header.raw_bytes == 0 {
        let plain = buffer.get(HEADER_BYTES..).unwrap_or_default();
        let plain = plain.get(..header.raw_bytes).ok_or(corrupt("cut short"))?;
        out.clear();
        out.extend_from_slice(plain);
        return Ok(());
    }
    size.begin(out, header.raw_bytes);
    let mut starts = Cursor::new(NAME, &buffer[HEADER_BYTES.min(buffer.len())..]);
    for (first, end) in pieces(header.raw_bytes, header.block_bytes) {
        let start = starts.u32_le()? as usize;
        let streams = buffer.get(start..).ok_or(corrupt("a block past the end"))?;
        check_streams(header, streams, end - first)?;
        decode_block(header, streams, size.part(out, first, end)?, codecs)?;
    }
    Ok(())
}

/// Refuses a block whose streams cannot hold it: nothing is allocated for what it claims.
fn check_streams(header: Header, streams: &[u8], block_bytes: usize) -> Result<(), CodecError> {
    let count = header.streams(block_bytes == header.block_bytes);
    let stream_bytes = block_bytes / count;
    let mut cursor = Cursor::new(NAME, streams);
    for _ in 0..count {
        let stored_bytes = cursor.u32_le()? as usize;
        let stored = cursor.take(stored_bytes)?;
        match header.flags >> 5 {
            _ if stored_bytes == stream_bytes => {}
            4 => zstd::check_frame(NAME, stored, stream_bytes)?,
            format if stream_bytes > stored_bytes.saturating_mul(most_of(format)) => {
                return Err(corrupt("a stream that states more than it can hold"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Bytes that a byte of a stream can stand for at most.
fn most_of(format: u8) -> usize {
    match format {
        // BloscLZ's and LZ4's lengths grow by 255 with every byte.
        0 | 1 => 1 << 9,
        // Snappy copies 64 bytes with 3.
        2 => 64,
        // deflate copies 258 bytes with 2 bits.
        _ => 1 << 11,
    }
}

fn decode_block(
    header: Header,
    streams: &[u8],
    block: &mut [u8],
    codecs: &mut Codecs,
) -> Result<(), CodecError> {
    let mut held = std::mem::take(&mut codecs.block);
    held.resize(held.len().max(block.len()), 0);
    let decoded = decode_streams(header, streams, block, &mut held, codecs);
    codecs.block = held;
    decoded
}

/// Decodes the streams of a block, into `held` first if they have to be unshuffled from there.
fn decode_streams(
    header: Header,
    streams: &[u8],
    block: &mut [u8],
    held: &mut [u8],
    codecs: &mut Codecs,
) -> Result<(), CodecError> {
    let (element_bytes, block_bytes) = (header.element_bytes, block.len());
    let shuffled = header.flags & BYTE_SHUFFLE != 0 && element_bytes > 1;
    let elements = block_bytes / element_bytes;
    // Blocks that fill no whole groups were not transposed.
    let transposed = !shuffled
        && header.flags & BIT_SHUFFLE != 0
        && elements > 0
        && elements.is_multiple_of(GROUP);
    let held = &mut held[..block_bytes];
    let target = if shuffled || transposed {
        &mut *held
    } else {
        &mut *block
    };
    let count = header.streams(block_bytes == header.block_bytes);
    let stream_bytes = block_bytes / count;
    let mut cursor = Cursor::new(NAME, streams);
    if count * stream_bytes != block_bytes {
        return Err(corrupt("a block that splits unevenly"));
    }
    for part in target.chunks_mut(stream_bytes) {
        let stored_bytes = cursor.u32_le()? as usize;
        let stored = cursor.take(stored_bytes)?;
        if stored_bytes == part.len() {
            part.copy_from_slice(stored);
        } else {
            decode_stream(header.flags >> 5, stored, part, codecs)?;
        }
    }
    if shuffled {
        let direction = Direction::Unshuffle;
        transform_slice(direction, Simd::detect(), element_bytes, held, block);
    } else if transposed {
        let whole = elements * element_bytes;
        let simd = Simd::detect();
        let (cells, rest) = block.split_at_mut(whole);
        untranspose(simd, element_bytes, &held[..whole], cells, &mut codecs.work);
        rest.copy_from_slice(&held[whole..]);
    }
    Ok(())
}

/// Decodes one stream, which must fill `out`.
fn decode_stream(
    format: u8,
    stored: &[u8],
    out: &mut [u8],
    codecs: &mut Codecs,
) -> Result<(), CodecError> {
    match format {
        0 => blosclz::decode(stored, out).ok_or(corrupt("a block is no BloscLZ stream")),
        1 => lz4::decode_block(NAME, stored, out),
        2 => match snap::raw::Decoder::new().decompress(stored, out) {
            Ok(written) if written == out.len() => Ok(()),
            _ => Err(corrupt("a block is no Snappy stream of its size")),
        },
        3 => codecs.deflate.decode_slice(stored, out),
        4 => codecs.zstd.decode_slice(stored, out),
        _ => Err(corrupt("an unknown compressor")),
    }
}

fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}
