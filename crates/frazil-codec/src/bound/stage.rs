//! One filter of a pipeline, its client data values checked and ready to run.

use frazil_types::{DeflateEncoder, FilterSpec, filter_id};

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::by_chunk::ByChunk;
use crate::compress::bitshuffle::Bitshuffle;
use crate::compress::blosc::{self, BloscEncoder};
use crate::compress::mafisc::{self, Mafisc};
use crate::compress::pcodec::Pcodec;
use crate::compress::szip::Szip;
use crate::compress::{bzip2, deflate, lz4, lzf, zstd};
use crate::error::invalid;
use crate::filter::delta::Delta;
use crate::filter::fletcher32;
use crate::filter::nbit::Nbit;
use crate::filter::scaleoffset::ScaleOffset;
use crate::filter::shuffle::{self, Direction};
use crate::scratch::Codecs;
use crate::simd::Simd;

/// A filter ready to decode.
#[derive(Debug, Clone)]
pub(crate) enum DecodeStage {
    /// Changed values on writing; there is nothing to undo.
    Identity,
    Deflate,
    Shuffle {
        element_bytes: usize,
    },
    Fletcher32,
    Szip(Szip),
    Nbit(Nbit),
    ScaleOffset(ScaleOffset),
    Bzip2,
    Lzf,
    Blosc,
    Mafisc,
    Lz4,
    Bitshuffle(Bitshuffle),
    Zstd,
    Pcodec(Pcodec),
    Delta(Delta),
    ByChunk(ByChunk),
    /// Nobody here can undo it.
    Missing {
        id: i32,
        name: String,
    },
}

impl DecodeStage {
    /// Checks the client data values of a filter.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        Ok(match spec.id {
            filter_id::DEFLATE => {
                deflate_level(spec)?;
                Self::Deflate
            }
            filter_id::SHUFFLE => Self::Shuffle {
                element_bytes: shuffle_element_bytes(spec)?,
            },
            filter_id::FLETCHER32 => Self::Fletcher32,
            filter_id::SZIP => Self::Szip(Szip::bind(spec)?),
            filter_id::NBIT => Self::Nbit(Nbit::bind(spec)?),
            filter_id::SCALEOFFSET => Self::ScaleOffset(ScaleOffset::bind(spec)?),
            filter_id::BZIP2 => Self::Bzip2,
            filter_id::LZF => Self::Lzf,
            filter_id::BLOSC => Self::Blosc,
            filter_id::MAFISC => Self::Mafisc,
            filter_id::LZ4 => Self::Lz4,
            filter_id::BITSHUFFLE => Self::Bitshuffle(Bitshuffle::bind(spec)?),
            filter_id::ZSTD => Self::Zstd,
            filter_id::PCODEC => Self::Pcodec(Pcodec::bind(spec)?),
            filter_id::DELTA => Self::Delta(Delta::bind(spec)?),
            filter_id::FRAZIL => Self::ByChunk(ByChunk::bind(spec)?),
            filter_id::BITGROOM | filter_id::GRANULAR_BITROUND | filter_id::BITROUND => {
                Self::Identity
            }
            _ => Self::missing(spec),
        })
    }

    /// A filter that nobody here can undo.
    pub(crate) fn missing(spec: &FilterSpec) -> Self {
        Self::Missing {
            id: spec.id,
            name: spec.display_name(),
        }
    }

    /// Length after encoding `decoded` bytes, where it follows from the filter alone.
    pub(crate) fn encoded_bytes(&self, decoded: usize) -> Option<usize> {
        match self {
            Self::Identity | Self::Shuffle { .. } => Some(decoded),
            Self::Fletcher32 => decoded.checked_add(fletcher32::CHECKSUM_BYTES),
            Self::Bitshuffle(bitshuffle) => bitshuffle.encoded_bytes(decoded),
            Self::Delta(_) => Some(Delta::encoded_bytes(decoded)),
            _ => None,
        }
    }

    /// The longest encoded form of at most so many bytes, where the stage may add more than a little.
    pub(crate) fn longest_encoded(&self, decoded: usize) -> usize {
        match self {
            Self::Szip(szip) => szip.encode_bound(decoded),
            _ => decoded,
        }
    }

    /// Whether memory for the decoded form follows what was decoded, not what is expected.
    pub(crate) fn grows_as_it_decodes(&self) -> bool {
        matches!(self, Self::Bzip2)
    }

    /// The length of the decoded form that the start of `stored` states, and how many times longer
    /// than `stored` it can be at most; `None` for filters that state none.
    pub(crate) fn stated_length(
        &self,
        stored: &[u8],
    ) -> Option<Result<(usize, usize), CodecError>> {
        // LZ4 makes at most 255 bytes of one; zstd's and Pcodec's runs have no such limit, but no
        // chunk shrinks to less than a few bytes in each block.
        const LZ4_MOST: usize = 256;
        const OTHERS_MOST: usize = 1 << 17;
        let number = |name: &'static str, at: usize, bytes: usize, is_big_endian: bool| {
            let found = stored.get(at..at + bytes).ok_or(CodecError::Corrupt {
                filter: name,
                reason: "shorter than its header",
            })?;
            let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
            let number = match is_big_endian {
                true => found.iter().fold(0, add),
                false => found.iter().rev().fold(0, add),
            };
            Ok(usize::try_from(number).unwrap_or(usize::MAX))
        };
        let stated = match self {
            Self::Lz4 => number("lz4", 0, 8, true).map(|bytes| (bytes, LZ4_MOST)),
            Self::Bitshuffle(bitshuffle) if bitshuffle.encoded_bytes(0).is_some() => {
                Ok((stored.len(), 1))
            }
            Self::Bitshuffle(_) => {
                number("bitshuffle", 0, 8, true).map(|bytes| (bytes, OTHERS_MOST))
            }
            Self::Blosc => number("blosc", 4, 4, false).map(|bytes| (bytes, OTHERS_MOST)),
            Self::Pcodec(_) => number("pcodec", 8, 8, false).map(|bytes| (bytes, OTHERS_MOST)),
            Self::Delta(_) => number("delta", 8, 8, false).map(|bytes| (bytes, 1)),
            Self::ByChunk(_) => number("frazil", 8, 8, false).map(|bytes| (bytes, OTHERS_MOST)),
            Self::Mafisc => mafisc::stated_length(stored).map(|bytes| (bytes, OTHERS_MOST)),
            Self::Zstd => zstd::stated_length(stored).map(|bytes| (bytes, OTHERS_MOST)),
            _ => return None,
        };
        Some(stated)
    }

    /// For filters whose decoded form is the start of their encoded form: its length.
    pub(crate) fn decoded_prefix(
        &self,
        encoded: &[u8],
        skip_checksum: bool,
    ) -> Option<Result<usize, CodecError>> {
        match self {
            Self::Identity => Some(Ok(encoded.len())),
            Self::Fletcher32 if skip_checksum => Some(fletcher32::data_bytes(encoded)),
            Self::Fletcher32 => Some(fletcher32::decode(encoded)),
            _ => None,
        }
    }

    /// Whether [`Self::decoded_prefix`] does all the work.
    pub(crate) fn is_prefix(&self) -> bool {
        matches!(self, Self::Identity | Self::Fletcher32)
    }

    /// Replaces the content of `out` by the decoded form of `encoded`.
    pub(crate) fn decode(
        &self,
        encoded: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        match self {
            Self::Deflate => codecs.deflate.decode(encoded, out, size),
            Self::Zstd => codecs.zstd.decode(encoded, out, size),
            Self::Szip(szip) => szip.decode(encoded, out, size, codecs),
            Self::Nbit(nbit) => nbit.decode(encoded, out, size),
            Self::ScaleOffset(packing) => packing.decode(encoded, out, size),
            Self::Bzip2 => bzip2::decode(encoded, out, size),
            Self::Lzf => lzf::decode(encoded, out, size),
            Self::Blosc => blosc::decode(encoded, out, size, codecs),
            Self::Mafisc => mafisc::decode(encoded, out, size),
            Self::Lz4 => lz4::decode(encoded, out, size),
            Self::Bitshuffle(bitshuffle) => bitshuffle.decode(encoded, out, size, codecs),
            Self::Pcodec(pcodec) => pcodec.decode(encoded, out, size),
            Self::Delta(delta) => delta.decode(encoded, out, size),
            Self::ByChunk(by_chunk) => by_chunk.decode(encoded, out, size, codecs),
            Self::Shuffle { element_bytes } => {
                size.check(encoded.len())?;
                let direction = Direction::Unshuffle;
                shuffle::transform(direction, Simd::detect(), *element_bytes, encoded, out);
                Ok(())
            }
            Self::Identity | Self::Fletcher32 => {
                out.clear();
                out.extend_from_slice(encoded);
                Ok(())
            }
            Self::Missing { id, name } => Err(CodecError::MissingFilter {
                id: *id,
                name: name.clone(),
            }),
        }
    }
}

impl DecodeStage {
    /// Overwrites `out` by the decoded form of `encoded`, which must have the same length.
    pub(crate) fn decode_slice(
        &self,
        encoded: &[u8],
        out: &mut [u8],
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let size = OutputSize::Exact(out.len());
        match self {
            Self::Deflate => codecs.deflate.decode_slice(encoded, out),
            Self::Zstd => codecs.zstd.decode_slice(encoded, out),
            Self::Shuffle { element_bytes } => {
                size.check(encoded.len())?;
                let direction = Direction::Unshuffle;
                shuffle::transform_slice(direction, Simd::detect(), *element_bytes, encoded, out);
                Ok(())
            }
            _ => {
                let mut decoded = Vec::new();
                self.decode(encoded, &mut decoded, size, codecs)?;
                size.check(decoded.len())?;
                out.copy_from_slice(&decoded);
                Ok(())
            }
        }
    }
}

/// A filter ready to encode.
#[derive(Debug, Clone)]
pub(crate) enum EncodeStage {
    Deflate(DeflateEncoder),
    Shuffle { element_bytes: usize },
    Fletcher32,
    Szip(Szip),
    Blosc(BloscEncoder),
    Bzip2 { level: u32 },
    Mafisc(Mafisc),
    Lz4 { block_bytes: usize },
    Bitshuffle(Bitshuffle),
    Zstd { level: i32 },
    Pcodec(Pcodec),
    Delta(Delta),
    ByChunk(ByChunk),
}

impl EncodeStage {
    /// Checks the client data values of a filter.
    ///
    /// `deflate` overrides the encoder behind a deflate filter; a shuffle without values takes
    /// `element_bytes`, as libhdf5 would set it.
    pub(crate) fn bind(
        spec: &FilterSpec,
        deflate: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Self, CodecError> {
        match spec.id {
            filter_id::DEFLATE => {
                let level = deflate_level(spec)?;
                let encoder = deflate.unwrap_or(DeflateEncoder::Libdeflate(level));
                check_encoder(encoder)?;
                Ok(Self::Deflate(encoder))
            }
            filter_id::SHUFFLE if spec.cd_values.is_empty() => Ok(Self::Shuffle { element_bytes }),
            filter_id::SHUFFLE => Ok(Self::Shuffle {
                element_bytes: shuffle_element_bytes(spec)?,
            }),
            filter_id::FLETCHER32 => Ok(Self::Fletcher32),
            filter_id::SZIP => Ok(Self::Szip(Szip::bind(spec)?)),
            filter_id::BZIP2 => match spec.cd_values[..] {
                [] => Ok(Self::Bzip2 { level: 9 }),
                [level @ 1..=9] => Ok(Self::Bzip2 { level }),
                _ => Err(invalid("bzip2", "needs one level from 1 to 9, or none")),
            },
            filter_id::BLOSC => Ok(Self::Blosc(BloscEncoder::bind(spec)?)),
            filter_id::MAFISC => Ok(Self::Mafisc(Mafisc::bind(spec)?)),
            filter_id::LZ4 => Ok(Self::Lz4 {
                block_bytes: lz4::block_bytes(spec),
            }),
            filter_id::BITSHUFFLE => Ok(Self::Bitshuffle(Bitshuffle::bind(spec)?)),
            filter_id::PCODEC => Ok(Self::Pcodec(Pcodec::bind(spec)?)),
            filter_id::DELTA => Ok(Self::Delta(Delta::bind(spec)?)),
            filter_id::FRAZIL => Ok(Self::ByChunk(ByChunk::bind(spec)?)),
            filter_id::ZSTD => match spec.cd_values[..] {
                [level] => Ok(Self::Zstd {
                    level: level.cast_signed(),
                }),
                _ => Err(invalid("zstd", "needs exactly one value, the level")),
            },
            id => Err(CodecError::CannotEncode { id }),
        }
    }

    /// Whether the filter can encode `raw_bytes`, where it is not certain for any length.
    pub(crate) fn check_input(&self, raw_bytes: usize) -> Result<(), CodecError> {
        match self {
            Self::Szip(szip) => szip.check_input(raw_bytes),
            Self::Blosc(_) => BloscEncoder::check_input(raw_bytes),
            Self::Bitshuffle(bitshuffle) => bitshuffle.check_input(raw_bytes),
            Self::Delta(delta) => delta.check_input(raw_bytes),
            Self::Mafisc(mafisc) => mafisc.check_input(raw_bytes),
            _ => Ok(()),
        }
    }

    /// Whether the filter can encode what another filter left, of any length.
    pub(crate) fn check_any_input(&self) -> Result<(), CodecError> {
        self.check_input(1).map_err(|error| match error {
            CodecError::InvalidParameters { filter, .. } => invalid(
                filter,
                "cannot follow a filter that changes the length of chunks",
            ),
            other => other,
        })
    }

    /// Length of the encoded form, where it follows from the filter alone.
    pub(crate) fn encoded_bytes(&self, raw_bytes: usize) -> Option<usize> {
        match self {
            Self::Shuffle { .. } => Some(raw_bytes),
            Self::Fletcher32 => raw_bytes.checked_add(fletcher32::CHECKSUM_BYTES),
            Self::Bitshuffle(bitshuffle) => bitshuffle.encoded_bytes(raw_bytes),
            Self::Delta(_) => Some(Delta::encoded_bytes(raw_bytes)),
            _ => None,
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        match self {
            Self::Deflate(_) => deflate::encode_bound(raw_bytes),
            Self::Zstd { .. } => zstd::encode_bound(raw_bytes),
            Self::Shuffle { .. } => raw_bytes,
            Self::Fletcher32 => raw_bytes.saturating_add(fletcher32::CHECKSUM_BYTES),
            Self::Szip(szip) => szip.encode_bound(raw_bytes),
            Self::Blosc(_) => BloscEncoder::encode_bound(raw_bytes),
            Self::Bzip2 { .. } => bzip2::encode_bound(raw_bytes),
            Self::Mafisc(mafisc) => mafisc.encode_bound(raw_bytes),
            Self::Lz4 { block_bytes } => lz4::encode_bound(*block_bytes, raw_bytes),
            Self::Bitshuffle(bitshuffle) => bitshuffle.encode_bound(raw_bytes),
            Self::Pcodec(pcodec) => pcodec.encode_bound(raw_bytes),
            Self::Delta(_) => Delta::encoded_bytes(raw_bytes),
            Self::ByChunk(by_chunk) => by_chunk.encode_bound(raw_bytes),
        }
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        match self {
            Self::Deflate(encoder) => codecs.deflate.encode(*encoder, raw, out),
            Self::Zstd { level } => codecs.zstd.encode(*level, raw, out),
            Self::Shuffle { element_bytes } => {
                let direction = Direction::Shuffle;
                shuffle::transform(direction, Simd::detect(), *element_bytes, raw, out);
                Ok(())
            }
            Self::Fletcher32 => {
                out.clear();
                out.extend_from_slice(raw);
                fletcher32::encode(out);
                Ok(())
            }
            Self::Szip(szip) => szip.encode(raw, out, codecs),
            Self::Blosc(blosc) => blosc.encode(raw, out, codecs),
            Self::Bzip2 { level } => {
                bzip2::encode(*level, raw, out);
                Ok(())
            }
            Self::Mafisc(mafisc) => mafisc.encode(raw, out, codecs),
            Self::Lz4 { block_bytes } => lz4::encode(*block_bytes, raw, out, &mut codecs.lz4),
            Self::Bitshuffle(bitshuffle) => bitshuffle.encode(raw, out, codecs),
            Self::Pcodec(pcodec) => pcodec.encode(raw, out),
            Self::Delta(delta) => delta.encode(raw, out),
            Self::ByChunk(by_chunk) => by_chunk.encode(raw, out, codecs),
        }
    }
}

/// The level of a deflate filter; libhdf5 checks it on reading as well.
fn deflate_level(spec: &FilterSpec) -> Result<i32, CodecError> {
    match spec.cd_values[..] {
        [level @ 0..=9] => Ok(level.cast_signed()),
        _ => Err(invalid("deflate", "needs exactly one level from 0 to 9")),
    }
}

fn check_encoder(encoder: DeflateEncoder) -> Result<(), CodecError> {
    match encoder {
        DeflateEncoder::Quick
        | DeflateEncoder::Fastest
        | DeflateEncoder::Libdeflate(0..=12)
        | DeflateEncoder::Zlib(0..=9) => Ok(()),
        DeflateEncoder::Libdeflate(_) => {
            Err(invalid("deflate", "libdeflate has levels from 0 to 12"))
        }
        DeflateEncoder::Zlib(_) => Err(invalid("deflate", "zlib has levels from 0 to 9")),
    }
}

fn shuffle_element_bytes(spec: &FilterSpec) -> Result<usize, CodecError> {
    match spec.cd_values[..] {
        [bytes @ 1..=u32::MAX] => Ok(bytes as usize),
        _ => Err(invalid("shuffle", "needs exactly one element size")),
    }
}
