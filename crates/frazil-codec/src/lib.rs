//! Encodes and decodes one chunk: rounding, filters and compressors.
//!
//! In: a chunk's values and a list of filters. Out: the bytes that a file stores; and back.
//!
//! A dataset's [`FilterPipeline`](frazil_types::FilterPipeline) is bound once to its element and
//! chunk size ([`BoundDecoder`], [`BoundEncoder`]); the bound form is shared by all threads, each of
//! which brings its own [`Scratch`]. No threads, files or libhdf5 here.
//!
//! ```
//! use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
//! use frazil_types::{FilterPipeline, FilterSpec, filter_id};
//!
//! # fn main() -> Result<(), frazil_codec::CodecError> {
//! let pipeline = FilterPipeline(vec![
//!     FilterSpec::new(filter_id::SHUFFLE, vec![4]),
//!     FilterSpec::new(filter_id::DEFLATE, vec![4]),
//! ]);
//! let raw: Vec<u8> = (0..1000_u32).flat_map(u32::to_le_bytes).collect();
//! let mut scratch = Scratch::default();
//! let encoder = BoundEncoder::bind(&pipeline, None, 4, raw.len())?;
//! let stored = encoder.encode(&raw, &mut scratch)?;
//! let decoder = BoundDecoder::bind(&pipeline, 4, raw.len())?;
//! assert_eq!(decoder.decode(&stored, 0, &mut scratch)?, raw);
//! # Ok(())
//! # }
//! ```

mod bits;
mod bound;
mod buffer;
mod by_chunk;
mod compress;
mod cursor;
mod error;
mod filter;
mod frame;
mod quantize;
mod registry;
mod scratch;
mod simd;
mod single;
mod values;

pub use bound::{BoundDecoder, BoundEncoder};
pub use error::CodecError;
pub use quantize::{
    BoxPlace, ErrorCheck, ErrorStats, Extremes, IntegerPacker, Kept, Quantizer, extremes,
    implied_absolute_bound, implied_relative_bound, ordinary_range, unpack_integers,
};
pub use registry::{FilterInfo, cure_for, filters};
pub use scratch::Scratch;
pub use simd::simd_summary;
pub use single::{decode_one, encode_one};
pub use values::{
    VALUES_FILTERS, ValuesInfo, decode_values, decode_values_grown, encode_values,
    encode_values_by, values_bound, values_info,
};
