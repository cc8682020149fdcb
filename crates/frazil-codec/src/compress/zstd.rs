//! Zstandard frames (filter 32015).
//!
//! Readers allocate from the frame's content size, so it must be there: one-shot compression always
//! writes it. Source: RFC 8878; `H5Zzstd.c` of netCDF-C and of the HDF Group's plugins.

use zstd_safe::{CCtx, DCtx};

use crate::CodecError;
use crate::buffer::OutputSize;

const NAME: &str = "zstd";

/// Reusable zstd contexts; made when first needed.
#[derive(Default)]
pub(crate) struct Zstd {
    decompressor: Option<DCtx<'static>>,
    compressor: Option<CCtx<'static>>,
}

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").finish_non_exhaustive()
    }
}

impl Zstd {
    /// Decodes the frames in `stored` into `out`.
    pub(crate) fn decode(
        &mut self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        out.clear();
        let room = match size {
            OutputSize::Exact(bytes) | OutputSize::AtMost(bytes) => bytes,
            OutputSize::Stated(bytes) => bytes.min(most_bytes(stored)),
        };
        out.try_reserve_exact(room).map_err(|_| size.overflow())?;
        let decoded = self.decompressor()?.decompress(out, stored);
        decoded.map_err(|code| decode_error(code, size))?;
        size.check(out.len()).map(drop)
    }

    /// Decodes the frames in `stored`, which must fill `out`.
    pub(crate) fn decode_slice(&mut self, stored: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let size = OutputSize::Exact(out.len());
        let decoded = self.decompressor()?.decompress(out, stored);
        let got = decoded.map_err(|code| decode_error(code, size))?;
        size.check(got).map(drop)
    }

    fn decompressor(&mut self) -> Result<&mut DCtx<'static>, CodecError> {
        if self.decompressor.is_none() {
            self.decompressor = DCtx::try_create();
        }
        self.decompressor.as_mut().ok_or(CodecError::Corrupt {
            filter: NAME,
            reason: "out of memory",
        })
    }

    /// Compresses `raw` into `out` as one frame that carries its content size.
    pub(crate) fn encode(
        &mut self,
        level: i32,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        out.clear();
        out.reserve_exact(encode_bound(raw.len()));
        let encoded = self.compressor()?.compress(out, raw, level);
        encoded.map(drop).map_err(encode_error)
    }

    /// Appends such a frame to `out`; returns its length.
    pub(crate) fn append(
        &mut self,
        level: i32,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, CodecError> {
        let start = out.len();
        out.resize(start + encode_bound(raw.len()), 0);
        let encoded = self.compressor()?.compress(&mut out[start..], raw, level);
        let written = encoded.map_err(encode_error)?;
        out.truncate(start + written);
        Ok(written)
    }

    fn compressor(&mut self) -> Result<&mut CCtx<'static>, CodecError> {
        let context = match &mut self.compressor {
            Some(context) => context,
            none => none.insert(CCtx::try_create().ok_or(CodecError::EncodeFailed {
                filter: NAME,
                reason: "out of memory",
            })?),
        };
        Ok(context)
    }
}

fn encode_error(code: zstd_safe::ErrorCode) -> CodecError {
    CodecError::EncodeFailed {
        filter: NAME,
        reason: zstd_safe::get_error_name(code),
    }
}

fn decode_error(code: zstd_safe::ErrorCode, size: OutputSize) -> CodecError {
    match zstd_safe::get_error_name(code) {
        "Destination buffer is too small" => size.overflow(),
        reason => CodecError::Corrupt {
            filter: NAME,
            reason,
        },
    }
}

/// The content size that the frame at the start of `stored` states.
pub(crate) fn stated_length(stored: &[u8]) -> Result<usize, CodecError> {
    let corrupt = |reason| CodecError::Corrupt {
        filter: NAME,
        reason,
    };
    let size = zstd_safe::get_frame_content_size(stored);
    let size = size.map_err(|_| corrupt("no zstd frame"))?;
    let size = size.ok_or(corrupt("a frame that does not state its content size"))?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

/// Bytes that the frames in `stored` can decode to at most, by the headers of their blocks.
///
/// Source: RFC 8878, 3.1.1. A block has a header of 3 bytes and decodes to 128 KiB at most; a raw or
/// a repeated one says to how many bytes. What is no frame counts nothing, and fails when decoded.
fn most_bytes(stored: &[u8]) -> usize {
    let (mut rest, mut most) = (stored, 0_usize);
    while let Some((header, blocks)) = frame_header(rest) {
        rest = blocks;
        loop {
            let Some((&[low, middle, high], data)) = rest.split_first_chunk() else {
                return most;
            };
            let block = u32::from_le_bytes([low, middle, high, 0]);
            let bytes = (block >> 3) as usize;
            let (kept, decoded) = match block >> 1 & 3 {
                0 => (bytes, bytes),
                1 => (1, bytes),
                2 => (bytes, BLOCK_BYTES),
                _ => return most,
            };
            let Some(after) = data.get(kept..) else {
                return most;
            };
            most = most.saturating_add(decoded.min(BLOCK_BYTES));
            rest = after;
            if block & 1 == 1 {
                break;
            }
        }
        rest = rest.get(header.checksum_bytes..).unwrap_or_default();
    }
    most
}

/// Largest block of a frame.
const BLOCK_BYTES: usize = 128 << 10;

struct FrameHeader {
    checksum_bytes: usize,
}

/// The header of the frame at the start of `stored`, and what follows it; skippable frames are
/// skipped.
fn frame_header(mut stored: &[u8]) -> Option<(FrameHeader, &[u8])> {
    loop {
        let (magic, rest) = stored.split_first_chunk()?;
        match u32::from_le_bytes(*magic) {
            0xFD2F_B528 => {
                stored = rest;
                break;
            }
            0x184D_2A50..=0x184D_2A5F => {
                let (length, data) = rest.split_first_chunk()?;
                stored = data.get(u32::from_le_bytes(*length) as usize..)?;
            }
            _ => return None,
        }
    }
    let descriptor = *stored.first()?;
    let is_single = descriptor >> 5 & 1;
    let size_bytes = [usize::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)];
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let bytes = 1 + usize::from(1 - is_single) + dictionary_bytes + size_bytes;
    let header = FrameHeader {
        checksum_bytes: if descriptor >> 2 & 1 == 1 { 4 } else { 0 },
    };
    Some((header, stored.get(bytes..)?))
}

/// Refuses frames that cannot hold so many bytes.
pub(crate) fn check_frame(
    filter: &'static str,
    stored: &[u8],
    bytes: usize,
) -> Result<(), CodecError> {
    // Common frames need no look into them.
    if bytes <= BLOCK_BYTES || bytes <= most_bytes(stored) {
        return Ok(());
    }
    Err(CodecError::Corrupt {
        filter,
        reason: "a frame that states more than it can hold",
    })
}

/// Bytes that a frame of `raw_bytes` needs at most.
pub(crate) fn encode_bound(raw_bytes: usize) -> usize {
    zstd_safe::compress_bound(raw_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_carry_their_content_size_and_decode() {
        let raw: Vec<u8> = (0..40_000_u32).map(|i| (i / 17) as u8).collect();
        let mut zstd = Zstd::default();
        let (mut stored, mut back) = (Vec::new(), Vec::new());
        for level in [-5, 0, 1, 3, 9, 22] {
            zstd.encode(level, &raw, &mut stored).unwrap();
            let content = zstd_safe::get_frame_content_size(&stored).unwrap();
            assert_eq!(content, Some(raw.len() as u64));
            for size in [OutputSize::Exact(raw.len()), OutputSize::AtMost(1 << 20)] {
                zstd.decode(&stored, &mut back, size).unwrap();
                assert!(back == raw);
            }
            assert!(
                most_bytes(&stored) >= raw.len() && most_bytes(&stored) <= raw.len() + BLOCK_BYTES
            );
            assert!(check_frame(NAME, &stored, raw.len()).is_ok());
            back = Vec::new();
            assert!(check_frame(NAME, &stored, 1 << 31).is_err());
            zstd.decode(&stored, &mut back, OutputSize::Stated(1 << 40))
                .unwrap();
            assert!(back == raw && back.capacity() <= raw.len() + BLOCK_BYTES);
            back = Vec::new();
            let small = OutputSize::Exact(raw.len() - 1);
            let refused = zstd.decode(&stored, &mut back, small).unwrap_err();
            assert!(matches!(refused, CodecError::WrongSize { .. }));
        }
    }
}
