//! szip (filter 4): CCSDS 121 through libaec.
//!
//! Source: `H5Zszip.c`, `H5Pdcpl.c`, libaec's `sz_compat.c`. The stored chunk is its raw length (4
//! bytes, little-endian) and one bare AEC bit stream. Pixels of 32 and 64 bits are coded as byte
//! planes, and scan lines are padded to whole blocks; both are done and undone here.

#![expect(
    unsafe_code,
    reason = "calls libaec; lengths come from the slices given"
)]

use frazil_types::FilterSpec;
use libaec_sys as ffi;

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::cursor::Cursor;
use crate::error::invalid;
use crate::filter::shuffle::{Direction, transform_slice};
use crate::scratch::Codecs;
use crate::simd::Simd;

const NAME: &str = "szip";
const NEAREST_NEIGHBOUR: u32 = 32;
const MSB_FIRST: u32 = 16;
const MAX_PIXELS_PER_BLOCK: u32 = 32;
/// `SZ_MAX_PIXELS_PER_SCANLINE`, `SZ_MAX_BLOCKS_PER_SCANLINE` blocks of 32.
const MAX_PIXELS_PER_SCANLINE: u32 = 4096;
/// The raw length in front of the bit stream.
const LENGTH_BYTES: usize = 4;
/// Room for the last block, beyond half as much again as is coded: a block of two 8-bit pixels
/// that does not shrink takes a few bits more than it had.
const LAST_BLOCK_BYTES: usize = 512;

/// What the client data values say, in libaec's terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Szip {
    flags: u32,
    pixels_per_block: u32,
    blocks_per_line: u32,
    pixels_per_line: usize,
    bits_per_sample: u32,
    /// Byte planes that a pixel was split into; 1 if it was not.
    planes: usize,
}

impl Szip {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let [options, per_block, bits, per_line] = spec.cd_values[..] else {
            return Err(invalid(NAME, "needs exactly 4 values"));
        };
        if !(2..=MAX_PIXELS_PER_BLOCK).contains(&per_block) || !per_block.is_multiple_of(2) {
            return Err(invalid(
                NAME,
                "blocks have an even number of pixels, 2 to 32",
            ));
        }
        if !(per_block..=MAX_PIXELS_PER_SCANLINE).contains(&per_line) {
            return Err(invalid(
                NAME,
                "scan lines have from one block to 4096 pixels",
            ));
        }
        let (bits_per_sample, planes) = match bits {
            32 => (8, 4),
            64 => (8, 8),
            1..=24 => (bits, 1),
            _ => return Err(invalid(NAME, "pixels have 1 to 24, 32 or 64 bits")),
        };
        let mut flags = 0;
        if options & NEAREST_NEIGHBOUR != 0 {
            flags |= ffi::AEC_DATA_PREPROCESS;
        }
        if options & MSB_FIRST != 0 {
            flags |= ffi::AEC_DATA_MSB;
        }
        Ok(Self {
            flags,
            pixels_per_block: per_block,
            blocks_per_line: per_line.div_ceil(per_block),
            pixels_per_line: per_line as usize,
            bits_per_sample,
            planes,
        })
    }

    /// Bytes of a pixel as libaec sees it.
    fn sample_bytes(&self) -> usize {
        match self.bits_per_sample {
            1..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }

    /// Bytes of a scan line, and with its padding.
    fn line_bytes(&self) -> (usize, usize) {
        let padded = self.blocks_per_line as usize * self.pixels_per_block as usize;
        let sample_bytes = self.sample_bytes();
        (self.pixels_per_line * sample_bytes, padded * sample_bytes)
    }

    /// Whether chunks of `bytes` can be encoded: whole pixels, counted in 32 bits.
    pub(crate) fn check_input(&self, bytes: usize) -> Result<(), CodecError> {
        let pixel_bytes = self.planes * self.sample_bytes();
        if !bytes.is_multiple_of(pixel_bytes) {
            return Err(invalid(NAME, "the data are no whole number of pixels"));
        }
        match u32::try_from(bytes) {
            Ok(_) => Ok(()),
            Err(_) => Err(invalid(NAME, "chunks of 4 GiB and more do not exist")),
        }
    }

    /// Bytes that are coded for `raw_bytes`: whole scan lines.
    fn padded_bytes(&self, raw_bytes: usize) -> usize {
        let (line_bytes, padded) = self.line_bytes();
        raw_bytes.div_ceil(line_bytes).saturating_mul(padded)
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        let coded = self.padded_bytes(raw_bytes);
        coded
            .saturating_add(coded / 2)
            .saturating_add(LENGTH_BYTES + LAST_BLOCK_BYTES)
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        self.check_input(raw.len())?;
        let Codecs { block, work, .. } = codecs;
        work.resize(work.len().max(raw.len()), 0);
        let planes = &mut work[..raw.len()];
        transform_slice(Direction::Shuffle, Simd::detect(), self.planes, raw, planes);
        self.pad(planes, block);
        out.clear();
        out.extend_from_slice(&(raw.len() as u32).to_le_bytes());
        out.resize(self.encode_bound(raw.len()), 0);
        let stream = &mut out[LENGTH_BYTES..];
        let written = self.run_encoder(&block[..self.padded_bytes(raw.len())], stream)?;
        out.truncate(LENGTH_BYTES + written);
        Ok(())
    }

    /// Fills every scan line up to whole blocks, with its last pixel if neighbours are compared.
    fn pad(&self, data: &[u8], padded: &mut Vec<u8>) {
        let (line_bytes, padded_bytes) = self.line_bytes();
        let sample_bytes = self.sample_bytes();
        padded.clear();
        for (i, line) in data.chunks(line_bytes).enumerate() {
            padded.extend_from_slice(line);
            let last = line.len() - sample_bytes;
            while padded.len() < (i + 1) * padded_bytes {
                if self.flags & ffi::AEC_DATA_PREPROCESS == 0 {
                    padded.resize((i + 1) * padded_bytes, 0);
                } else {
                    padded.extend_from_slice(&line[last..]);
                }
            }
        }
    }

    /// What libaec is told of a run from `input` into `out`.
    fn aec_stream(&self, input: &[u8], out: &mut [u8]) -> ffi::aec_stream {
        ffi::aec_stream {
            next_in: input.as_ptr(),
            avail_in: input.len(),
            total_in: 0,
            next_out: out.as_mut_ptr(),
            avail_out: out.len(),
            total_out: 0,
            bits_per_sample: self.bits_per_sample,
            block_size: self.pixels_per_block,
            rsi: self.blocks_per_line,
            flags: self.flags,
            state: std::ptr::null_mut(),
        }
    }

    /// Encodes `data` into `out`, which has room for it; returns the length of the bit stream.
    fn run_encoder(&self, data: &[u8], out: &mut [u8]) -> Result<usize, CodecError> {
        let mut aec = self.aec_stream(data, out);
        aec.flags |= ffi::AEC_NOT_ENFORCE;
        // SAFETY: both buffers are described by their own slices, and libaec keeps to the lengths
        // in the structure; it frees its state before it returns.
        let status = unsafe { ffi::aec_buffer_encode(&raw mut aec) };
        if status.cast_unsigned() == ffi::AEC_OK && aec.avail_in == 0 {
            Ok(aec.total_out)
        } else {
            Err(CodecError::EncodeFailed {
                filter: NAME,
                reason: "libaec cannot encode these parameters",
            })
        }
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
        let total = size.check(cursor.u32_le()? as usize)?;
        let stream = &stored[4..];
        out.resize(total, 0);
        let (line_bytes, padded) = self.line_bytes();
        if padded == line_bytes && self.planes == 1 {
            return self.run(stream, out);
        }
        let lines = total.div_ceil(line_bytes);
        let stream_bytes = if padded == line_bytes {
            total
        } else {
            lines * padded
        };
        let held = &mut codecs.block;
        held.resize(held.len().max(stream_bytes), 0);
        let held = &mut held[..stream_bytes];
        self.run(stream, held)?;
        if padded != line_bytes {
            for line in 1..lines {
                held.copy_within(line * padded..line * padded + line_bytes, line * line_bytes);
            }
        }
        let direction = Direction::Unshuffle;
        transform_slice(direction, Simd::detect(), self.planes, &held[..total], out);
        Ok(())
    }

    /// Decodes the bit stream, which must fill `out`.
    fn run(&self, stream: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let mut aec = self.aec_stream(stream, out);
        // SAFETY: both buffers are described by their own slices, and libaec keeps to the lengths
        // in the structure; it frees its state before it returns.
        let status = unsafe { ffi::aec_buffer_decode(&raw mut aec) };
        if status.cast_unsigned() == ffi::AEC_OK && aec.total_out == out.len() {
            Ok(())
        } else {
            Err(CodecError::Corrupt {
                filter: NAME,
                reason: "no AEC stream of its size",
            })
        }
    }
}
