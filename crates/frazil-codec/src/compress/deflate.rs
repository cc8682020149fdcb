//! zlib streams (filter 1), through libdeflate and, on request, zlib itself or our own encoder.
//!
//! Source: `H5Zdeflate.c` (one RFC 1950 stream; bytes after its end are ignored).

#![expect(
    unsafe_code,
    reason = "calls libdeflate and zlib; lengths come from the slices given"
)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use frazil_types::DeflateEncoder;
use libdeflate_sys as ffi;

use crate::CodecError;
use crate::buffer::{OutputSize, fill_uninit};

use super::quick::{self, Quick};

const NAME: &str = "deflate";
/// libdeflate's level beside which our own encoder is tried.
const FASTEST_LEVEL: i32 = 1;
/// Our own encoder is taken if it makes pieces at most this much larger.
const FASTEST_SLACK: f64 = 1.03;
/// Pieces of a chunk on which both encoders are tried: an even number, so that each of the byte
/// planes of shuffled numbers of 2, 4 and 8 bytes gets as many as any other.
const PIECES: usize = 8;
/// A piece is this part of its share of the chunk, but no longer than is needed. Each is packed by
/// itself, for a byte plane wants a code of its own.
const PIECE_PART: usize = 24;
const LONGEST_PIECE: usize = 2 << 10;
/// Shorter pieces tell nothing.
const SHORTEST_PIECE: usize = 256;
/// Levels whose state is kept: trials take turns with a few, and a new state costs as much as packing
/// some KiB.
const MOST_COMPRESSORS: usize = 4;
/// First guess for an output of unknown length: this many times the input.
const FIRST_GUESS: usize = 4;

const OUT_OF_MEMORY: CodecError = CodecError::EncodeFailed {
    filter: NAME,
    reason: "out of memory",
};

/// Reusable libdeflate state; made when first needed.
#[derive(Debug, Default)]
pub(crate) struct Deflate {
    decompressor: Option<Decompressor>,
    /// By level, the one that was needed last at the end.
    compressors: Vec<(i32, Compressor)>,
    quick: Quick,
}

#[derive(Debug)]
struct Decompressor(NonNull<ffi::libdeflate_decompressor>);

#[derive(Debug)]
struct Compressor(NonNull<ffi::libdeflate_compressor>);

// SAFETY: libdeflate's state has no thread affinity; it is used through `&mut` only.
unsafe impl Send for Decompressor {}
// SAFETY: as above.
unsafe impl Send for Compressor {}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the pointer came from libdeflate's allocator and is freed once.
        unsafe { ffi::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: the pointer came from libdeflate's allocator and is freed once.
        unsafe { ffi::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

impl Deflate {
    fn decompressor(&mut self) -> Result<&mut Decompressor, CodecError> {
        if self.decompressor.is_none() {
            // SAFETY: no arguments; null means out of memory.
            let made = NonNull::new(unsafe { ffi::libdeflate_alloc_decompressor() });
            self.decompressor = made.map(Decompressor);
        }
        self.decompressor.as_mut().ok_or(OUT_OF_MEMORY)
    }

    fn compressor(&mut self, level: i32) -> Result<&mut Compressor, CodecError> {
        let known = self.compressors.iter().position(|(at, _)| *at == level);
        let needed = match known {
            Some(place) => self.compressors.remove(place),
            None => {
                if self.compressors.len() == MOST_COMPRESSORS {
                    self.compressors.remove(0);
                }
                // SAFETY: any level is allowed; null means a wrong level or out of memory.
                let made = NonNull::new(unsafe { ffi::libdeflate_alloc_compressor(level) });
                (level, Compressor(made.ok_or(OUT_OF_MEMORY)?))
            }
        };
        self.compressors.push(needed);
        let newest = self.compressors.last_mut().ok_or(OUT_OF_MEMORY)?;
        Ok(&mut newest.1)
    }

    /// Inflates the stream at the start of `stored` into `out`.
    pub(crate) fn decode(
        &mut self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        let decompressor = self.decompressor()?;
        let mut capacity = match size {
            OutputSize::Exact(bytes) => bytes,
            OutputSize::AtMost(limit) | OutputSize::Stated(limit) => {
                stored.len().saturating_mul(FIRST_GUESS).min(limit)
            }
        };
        while !decompressor.inflate(stored, out, capacity)? {
            if capacity >= size.limit() {
                return Err(size.overflow());
            }
            capacity = capacity.saturating_mul(2).clamp(1, size.limit());
        }
        size.check(out.len()).map(drop)
    }

    /// Inflates the stream at the start of `stored`, which must fill `out`.
    pub(crate) fn decode_slice(&mut self, stored: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let decompressor = self.decompressor()?;
        let size = OutputSize::Exact(out.len());
        let pointer = out.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: same memory, same layout; libdeflate only ever writes initialised bytes to it.
        let target = unsafe { std::slice::from_raw_parts_mut(pointer, out.len()) };
        let written = decompressor.inflate_into(stored, target)?;
        size.check(written.ok_or(size.overflow())?).map(drop)
    }

    /// Compresses `raw` into `out` as one zlib stream.
    pub(crate) fn encode(
        &mut self,
        encoder: DeflateEncoder,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        match encoder {
            DeflateEncoder::Quick => self.quick.encode(raw, adler32(raw), out),
            DeflateEncoder::Fastest => {
                let encoder = self.faster(raw, out)?;
                self.encode(encoder, raw, out)?;
            }
            DeflateEncoder::Libdeflate(level) => self.compressor(level)?.compress(raw, out)?,
            DeflateEncoder::Zlib(level) => compress_with_zlib(level, raw, out)?,
        }
        Ok(())
    }

    /// Our own encoder, if it makes pieces spread over `raw` about as small as libdeflate does.
    fn faster(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<DeflateEncoder, CodecError> {
        let libdeflate = DeflateEncoder::Libdeflate(FASTEST_LEVEL);
        let step = raw.len() / PIECES;
        let piece = (step / PIECE_PART).min(LONGEST_PIECE);
        if piece < SHORTEST_PIECE {
            return Ok(libdeflate);
        }
        let (mut by_quick, mut by_libdeflate) = (0, 0);
        for number in 0..PIECES {
            let from = number * step + (step - piece) / 2;
            let piece = &raw[from..from + piece];
            self.encode(DeflateEncoder::Quick, piece, out)?;
            by_quick += out.len();
            self.encode(libdeflate, piece, out)?;
            by_libdeflate += out.len();
        }
        let limit = by_libdeflate as f64 * FASTEST_SLACK;
        Ok(match by_quick as f64 <= limit {
            true => DeflateEncoder::Quick,
            false => libdeflate,
        })
    }
}

impl Decompressor {
    /// Returns whether the stream fitted into `capacity` bytes.
    fn inflate(
        &mut self,
        stored: &[u8],
        out: &mut Vec<u8>,
        capacity: usize,
    ) -> Result<bool, CodecError> {
        let mut fitted = false;
        let run = |target: &mut [MaybeUninit<u8>]| {
            let written = self.inflate_into(stored, target)?;
            fitted = written.is_some();
            Ok(written.unwrap_or(0))
        };
        // SAFETY: libdeflate has written as many first bytes as `inflate_into` says.
        unsafe { fill_uninit(out, capacity, run)? };
        Ok(fitted)
    }

    /// Returns how many first bytes were written, or `None` if the stream does not fit.
    fn inflate_into(
        &mut self,
        stored: &[u8],
        target: &mut [MaybeUninit<u8>],
    ) -> Result<Option<usize>, CodecError> {
        let (mut used, mut written) = (0_usize, 0_usize);
        // SAFETY: both buffers are described by their own slices; libdeflate writes at most
        // `target.len()` bytes and reports how many.
        let outcome = unsafe {
            ffi::libdeflate_zlib_decompress_ex(
                self.0.as_ptr(),
                stored.as_ptr().cast(),
                stored.len(),
                target.as_mut_ptr().cast(),
                target.len(),
                &raw mut used,
                &raw mut written,
            )
        };
        match outcome {
            ffi::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(Some(written)),
            ffi::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Ok(None),
            _ => Err(CodecError::Corrupt {
                filter: NAME,
                reason: "not a whole zlib stream, or its checksum is wrong",
            }),
        }
    }
}

impl Compressor {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        // SAFETY: the compressor is valid; a null pointer would be allowed as well.
        let bound = unsafe { ffi::libdeflate_zlib_compress_bound(self.0.as_ptr(), raw.len()) };
        let run = |target: &mut [MaybeUninit<u8>]| {
            // SAFETY: both buffers are described by their own slices; libdeflate writes at most
            // `target.len()` bytes and returns how many, or 0.
            let written = unsafe {
                ffi::libdeflate_zlib_compress(
                    self.0.as_ptr(),
                    raw.as_ptr().cast(),
                    raw.len(),
                    target.as_mut_ptr().cast(),
                    target.len(),
                )
            };
            if written == 0 {
                Err(CodecError::EncodeFailed {
                    filter: NAME,
                    reason: "libdeflate's bound was too small",
                })
            } else {
                Ok(written)
            }
        };
        // SAFETY: libdeflate has written the first `written` bytes.
        unsafe { fill_uninit(out, bound, run) }
    }
}

/// Bytes that any encoder needs at most for `raw_bytes`.
pub(crate) fn encode_bound(raw_bytes: usize) -> usize {
    // SAFETY: null asks for the bound of any compressor.
    let libdeflate =
        unsafe { ffi::libdeflate_zlib_compress_bound(std::ptr::null_mut(), raw_bytes) };
    let libraries = libdeflate.max(zlib_bound(raw_bytes));
    libraries.max(quick::encode_bound(raw_bytes))
}

/// The checksum of a zlib stream.
pub(crate) fn adler32(raw: &[u8]) -> u32 {
    // SAFETY: the buffer is described by its own slice.
    unsafe { ffi::libdeflate_adler32(1, raw.as_ptr().cast(), raw.len()) }
}

fn zlib_bound(raw_bytes: usize) -> usize {
    // SAFETY: plain arithmetic on a number.
    let bound = unsafe { libz_sys::compressBound(raw_bytes as libz_sys::uLong) };
    bound as usize
}

/// zlib's own `compress2`, which is what libhdf5 calls.
fn compress_with_zlib(level: i32, raw: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let too_large = |_| CodecError::EncodeFailed {
        filter: NAME,
        reason: "the chunk is too large for zlib",
    };
    let raw_bytes = libz_sys::uLong::try_from(raw.len()).map_err(too_large)?;
    let run = |target: &mut [MaybeUninit<u8>]| {
        let mut written = libz_sys::uLong::try_from(target.len()).map_err(too_large)?;
        // SAFETY: both buffers are described by their own slices; zlib writes at most `written`
        // bytes and stores how many.
        let status = unsafe {
            libz_sys::compress2(
                target.as_mut_ptr().cast(),
                &raw mut written,
                raw.as_ptr(),
                raw_bytes,
                level,
            )
        };
        if status == libz_sys::Z_OK {
            Ok(written as usize)
        } else {
            Err(CodecError::EncodeFailed {
                filter: NAME,
                reason: "zlib refused the level or is out of memory",
            })
        }
    };
    // SAFETY: on success zlib has written the first `written` bytes.
    unsafe { fill_uninit(out, zlib_bound(raw.len()), run) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoders() -> impl Iterator<Item = DeflateEncoder> {
        (1..=12)
            .map(DeflateEncoder::Libdeflate)
            .chain((0..=9).map(DeflateEncoder::Zlib))
            .chain([DeflateEncoder::Quick, DeflateEncoder::Fastest])
    }

    #[test]
    fn every_encoder_makes_streams_that_decode() {
        let raw: Vec<u8> = (0..50_000_u32).map(|i| ((i * i) >> 7) as u8).collect();
        let mut deflate = Deflate::default();
        let (mut stored, mut back) = (Vec::new(), Vec::new());
        for encoder in encoders() {
            deflate.encode(encoder, &raw, &mut stored).unwrap();
            assert!(stored.len() <= encode_bound(raw.len()));
            stored.extend_from_slice(b"bytes after the end");
            for size in [OutputSize::Exact(raw.len()), OutputSize::AtMost(1 << 20)] {
                deflate.decode(&stored, &mut back, size).unwrap();
                assert!(back == raw, "{encoder:?} {size:?}");
            }
        }
    }

    #[test]
    fn the_fastest_encoder_is_chosen_by_the_chunk() {
        let mut deflate = Deflate::default();
        let mut by = |encoder, raw: &[u8]| {
            let mut stored = Vec::new();
            deflate.encode(encoder, raw, &mut stored).unwrap();
            stored
        };
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8 & 0x3f
        })
        .take(1 << 18)
        .collect();
        // Repetitions at many distances are what our own encoder does not look for.
        let words: Vec<u8> = (0..1_usize << 16)
            .flat_map(|i| {
                let from = usize::from(noise[i]) * 5;
                noise[from..from + 5].iter().copied()
            })
            .collect();
        let (quick, libdeflate) = (DeflateEncoder::Quick, DeflateEncoder::Libdeflate(1));
        assert_eq!(by(DeflateEncoder::Fastest, &noise), by(quick, &noise));
        assert_eq!(by(DeflateEncoder::Fastest, &words), by(libdeflate, &words));
        assert!(by(quick, &words).len() > by(libdeflate, &words).len());
        let short = &noise[..1 << 12];
        assert_eq!(by(DeflateEncoder::Fastest, short), by(libdeflate, short));
    }

    #[test]
    fn outputs_over_the_limit_are_refused() {
        let mut deflate = Deflate::default();
        let (mut stored, mut back) = (Vec::new(), Vec::new());
        let encoder = DeflateEncoder::Libdeflate(6);
        deflate
            .encode(encoder, &vec![7; 1 << 20], &mut stored)
            .unwrap();
        for limit in [0, 1, 1 << 19, (1 << 20) - 1] {
            for size in [OutputSize::Exact(limit), OutputSize::AtMost(limit)] {
                let refused = deflate.decode(&stored, &mut back, size).unwrap_err();
                assert_eq!(refused, size.overflow());
                assert!(back.capacity() <= 1 << 20);
            }
        }
        let short = deflate.decode(&stored, &mut back, OutputSize::Exact(1 << 21));
        let expected = 1 << 21;
        let got = 1 << 20;
        assert_eq!(short, Err(CodecError::WrongSize { got, expected }));
    }
}
