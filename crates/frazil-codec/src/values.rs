//! Values in memory, compressed so that their bytes alone say what they are.
//!
//! The bytes are those of a chunk of the filter that chooses for every chunk (47103).

use frazil_types::{
    ChunkGoal, DeflateEncoder, ElementType, FilterChain, FilterPipeline, FilterSpec, MAX_RANK,
};

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::by_chunk;
use crate::error::invalid;
use crate::registry::MAX_CHUNK_BYTES;
use crate::scratch::Scratch;
use crate::single::encode_one;

const NAME: &str = "compressed values";

/// Identifiers of the filters that compressed values may have.
pub const VALUES_FILTERS: &[i32] = &by_chunk::POSSIBLE;

/// What compressed values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValuesInfo {
    /// What one element is; elements longer than 255 bytes are not told from single bytes.
    pub element: ElementType,
    /// Elements along each axis, slowest first.
    pub shape: Vec<u64>,
    /// Bytes of the values.
    pub raw_bytes: usize,
}

/// Bytes that compressed values of `raw_bytes` and so many axes need at most.
#[must_use]
pub fn values_bound(rank: usize, raw_bytes: usize) -> usize {
    raw_bytes.saturating_add(by_chunk::header_bytes(rank))
}

/// Compresses `raw`, the elements of an array of this shape, by the filters that serve the goal best.
/// `level` is zstd's where it is among them; 0: as the goal has it.
///
/// # Errors
/// [`CodecError::InvalidParameters`] for more than 32 axes, axes of 2^32 elements and more, levels
/// above 22, and bytes that are not the elements; [`CodecError::EncodeFailed`].
pub fn encode_values(
    raw: &[u8],
    element: ElementType,
    shape: &[u64],
    goal: ChunkGoal,
    level: u32,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, CodecError> {
    let spec = filter(raw, element, shape, goal, level)?;
    encode_one(&spec, raw, scratch)
}

/// Compresses `raw` as [`encode_values`], but by filters that the caller has chosen, bound to this
/// element and shape; all of them are among [`VALUES_FILTERS`]. What does not shrink stays as it is.
///
/// # Errors
/// As [`encode_values`]; [`CodecError::InvalidParameters`] also for filters that cannot be.
pub fn encode_values_by(
    raw: &[u8],
    element: ElementType,
    shape: &[u64],
    filters: (&FilterPipeline, Option<DeflateEncoder>),
    scratch: &mut Scratch,
) -> Result<Vec<u8>, CodecError> {
    let spec = filter(raw, element, shape, ChunkGoal::Balanced, 0)?;
    let by_chunk = by_chunk::ByChunk::bind(&spec)?;
    let mut out = Vec::new();
    by_chunk.encode_by(filters, raw, &mut out, &mut scratch.codecs)?;
    Ok(out)
}

/// The filter that compresses values by a goal, if they are the elements of the shape.
fn filter(
    raw: &[u8],
    element: ElementType,
    shape: &[u64],
    goal: ChunkGoal,
    level: u32,
) -> Result<FilterSpec, CodecError> {
    if shape.len() > MAX_RANK || shape.iter().any(|&length| u32::try_from(length).is_err()) {
        let reason = "at most 32 axes, each of less than 2^32 elements";
        return Err(invalid(NAME, reason));
    }
    let product = |n: u64, &length: &u64| n.checked_mul(length);
    let bytes = shape.iter().try_fold(element.size_bytes as u64, product);
    if bytes != Some(raw.len() as u64) {
        let reason = format!("{} bytes are not the elements of the shape", raw.len());
        return Err(invalid(NAME, reason));
    }
    let chain: FilterChain = format!("frazil({},{level})", goal.name())
        .parse()
        .map_err(|_| invalid(NAME, format!("levels are 0 to 22, not {level}")))?;
    let mut filters = chain.resolve(element, shape).0;
    match (filters.pop(), filters.is_empty()) {
        (Some(spec), true) => Ok(spec),
        _ => Err(invalid(NAME, "elements that cannot be filtered")),
    }
}

/// What compressed values are, by their first bytes.
///
/// # Errors
/// [`CodecError::Corrupt`] for bytes that are no compressed values.
pub fn values_info(stored: &[u8]) -> Result<ValuesInfo, CodecError> {
    let opened = by_chunk::open(stored, OutputSize::AtMost(MAX_CHUNK_BYTES))?;
    opened.check_claim()?;
    let info = ValuesInfo {
        element: opened.elements.element(),
        raw_bytes: opened.raw_bytes,
        shape: opened.elements.shape,
    };
    let product = |n: u64, &length: &u64| n.checked_mul(length);
    let bytes = info
        .shape
        .iter()
        .try_fold(info.element.size_bytes as u64, product);
    match bytes {
        Some(bytes) if bytes == info.raw_bytes as u64 => Ok(info),
        _ => Err(CodecError::Corrupt {
            filter: NAME,
            reason: "their length is not that of their shape",
        }),
    }
}

/// Decompresses values; memory grows with what is decoded, whatever the bytes state.
///
/// # Errors
/// [`CodecError::Corrupt`] and [`CodecError::WrongSize`] for damaged bytes.
pub fn decode_values_grown(stored: &[u8], scratch: &mut Scratch) -> Result<Vec<u8>, CodecError> {
    let opened = by_chunk::open(stored, OutputSize::AtMost(MAX_CHUNK_BYTES))?;
    opened.decode(&mut scratch.codecs)
}

/// Decompresses values into `out`, which must be [`ValuesInfo::raw_bytes`] long.
///
/// # Errors
/// [`CodecError::Corrupt`] and [`CodecError::WrongSize`] for damaged bytes, or an `out` of another
/// length; what it holds then means nothing.
pub fn decode_values(
    stored: &[u8],
    out: &mut [u8],
    scratch: &mut Scratch,
) -> Result<(), CodecError> {
    let opened = by_chunk::open(stored, OutputSize::Exact(out.len()))?;
    opened.decode_into(out, &mut scratch.codecs)
}

#[cfg(test)]
mod tests {
    use frazil_types::{ByteOrder, ElementClass};

    use super::*;

    const DOUBLE: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 8,
        order: ByteOrder::Little,
    };

    #[test]
    fn values_come_back_from_their_bytes_alone() {
        let raw: Vec<u8> = (0..6000_u32)
            .flat_map(|i| (f64::from(i % 60) * 0.5 + f64::from(i / 60)).to_le_bytes())
            .collect();
        let mut scratch = Scratch::default();
        for goal in ChunkGoal::ALL {
            let stored = encode_values(&raw, DOUBLE, &[100, 60], goal, 0, &mut scratch).unwrap();
            assert!(stored.len() < raw.len() / 4 && stored.len() <= values_bound(2, raw.len()));
            let info = values_info(&stored).unwrap();
            assert_eq!((info.element, &info.shape[..]), (DOUBLE, &[100, 60][..]));
            let mut back = vec![0; info.raw_bytes];
            decode_values(&stored, &mut back, &mut scratch).unwrap();
            assert!(back == raw);
            assert!(decode_values(&stored, &mut back[1..], &mut scratch).is_err());
            assert!(decode_values(&stored[..30], &mut back, &mut scratch).is_err());
        }
        assert!(values_info(&raw).is_err() && values_info(&[]).is_err());
    }

    #[test]
    fn filters_can_be_stated() {
        let raw: Vec<u8> = (0..6000_u32)
            .flat_map(|i| (f64::from(i % 60) * 0.5 + f64::from(i / 60)).to_le_bytes())
            .collect();
        let mut scratch = Scratch::default();
        let mut by = |chain: &str| {
            let chain: FilterChain = chain.parse().unwrap();
            let filters = chain.resolve(DOUBLE, &[100, 60]);
            encode_values_by(&raw, DOUBLE, &[100, 60], (&filters, None), &mut scratch)
        };
        for chain in [
            "shuffle+deflate(1)",
            "lz4",
            "lorenzo+shuffle+zstd(3)",
            "none",
        ] {
            let stored = by(chain).unwrap();
            let is_smaller = stored.len() < raw.len() / 2;
            assert_eq!(is_smaller, chain != "none", "{chain}");
            let mut back = vec![0; raw.len()];
            decode_values(&stored, &mut back, &mut Scratch::default()).unwrap();
            assert!(back == raw, "{chain}");
        }
        for chain in [
            "bzip2",
            "blosc(lz4)",
            "shuffle+deflate+fletcher32",
            "frazil",
        ] {
            let refused = by(chain).unwrap_err();
            assert!(
                matches!(refused, CodecError::InvalidParameters { .. }),
                "{chain}"
            );
        }
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let mut scratch = Scratch::default();
        let mut refused = |raw: &[u8], shape: &[u64], level| {
            let goal = ChunkGoal::Balanced;
            encode_values(raw, DOUBLE, shape, goal, level, &mut scratch).is_err()
        };
        assert!(refused(&[0; 16], &[3], 0));
        assert!(refused(&[0; 8], &[1; 33], 0));
        assert!(refused(&[0; 8], &[1], 23));
        assert!(refused(&[], &[1 << 32, 0], 0));
        assert!(!refused(&[0; 8], &[], 0) && !refused(&[], &[0], 0));
    }
}
