//! One filter of a pipeline, its client data values checked and ready to run.

use frazil_types::{DeflateEncoder, FilterSpec, filter_id};

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::compress::szip::Szip;
use crate::compress::{blosc, bzip2, deflate, lz4, lzf, zstd};
use crate::filter::bitshuffle::Bitshuffle;
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
    Lz4,
    Bitshuffle(Bitshuffle),
    Zstd,
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
            filter_id::LZ4 => Self::Lz4,
            filter_id::BITSHUFFLE => Self::Bitshuffle(Bitshuffle::bind(spec)?),
            filter_id::ZSTD => Self::Zstd,
            filter_id::BITGROOM | filter_id::GRANULAR_BITROUND | filter_id::BITROUND => {
                Self::Identity
            }
            id => Self::Missing {
                id,
                name: spec.display_name(),
            },
        })
    }

    /// Length after encoding `decoded` bytes, where it follows from the filter alone.
    pub(crate) fn encoded_bytes(&self, decoded: usize) -> Option<usize> {
        match self {
            Self::Identity | Self::Shuffle { .. } => Some(decoded),
            Self::Fletcher32 => decoded.checked_add(fletcher32::CHECKSUM_BYTES),
            Self::Bitshuffle(bitshuffle) => bitshuffle.encoded_bytes(decoded),
            _ => None,
        }
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
            Self::Lz4 => lz4::decode(encoded, out, size),
            Self::Bitshuffle(bitshuffle) => bitshuffle.decode(encoded, out, size, codecs),
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
#[derive(Debug, Clone, Copy)]
pub(crate) enum EncodeStage {
    Deflate(DeflateEncoder),
    Shuffle { element_bytes: usize },
    Fletcher32,
    Zstd { level: i32 },
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
            filter_id::ZSTD => match spec.cd_values[..] {
                [level] => Ok(Self::Zstd {
                    level: level.cast_signed(),
                }),
                _ => Err(invalid("zstd", "needs exactly one value, the level")),
            },
            id => Err(CodecError::CannotEncode { id }),
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(self, raw_bytes: usize) -> usize {
        match self {
            Self::Deflate(_) => deflate::encode_bound(raw_bytes),
            Self::Zstd { .. } => zstd::encode_bound(raw_bytes),
            Self::Shuffle { .. } => raw_bytes,
            Self::Fletcher32 => raw_bytes.saturating_add(fletcher32::CHECKSUM_BYTES),
        }
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        match self {
            Self::Deflate(encoder) => codecs.deflate.encode(encoder, raw, out)?,
            Self::Zstd { level } => codecs.zstd.encode(level, raw, out)?,
            Self::Shuffle { element_bytes } => {
                let direction = Direction::Shuffle;
                shuffle::transform(direction, Simd::detect(), element_bytes, raw, out);
            }
            Self::Fletcher32 => {
                out.clear();
                out.extend_from_slice(raw);
                fletcher32::encode(out);
            }
        }
        Ok(())
    }
}

/// The error for client data values that cannot be.
pub(crate) fn invalid(filter: &'static str, reason: impl Into<String>) -> CodecError {
    CodecError::InvalidParameters {
        filter,
        reason: reason.into(),
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
