//! One filter on its own, as libhdf5 calls a plugin: nobody says how large the chunk is.

use frazil_types::FilterSpec;

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::registry::MAX_CHUNK_BYTES;
use crate::scratch::Scratch;
use crate::stage::{DecodeStage, EncodeStage, invalid};

/// Encodes `raw` with one filter.
///
/// # Errors
/// As [`crate::BoundEncoder::bind`] and [`crate::BoundEncoder::encode`].
pub fn encode_one(
    spec: &FilterSpec,
    raw: &[u8],
    scratch: &mut Scratch,
) -> Result<Vec<u8>, CodecError> {
    let stage = EncodeStage::bind(spec, None, 1)?;
    stage.check_input(raw.len())?;
    let mut encoded = Vec::new();
    stage.encode(raw, &mut encoded, &mut scratch.codecs)?;
    Ok(encoded)
}

/// Decodes `stored`, which one filter encoded, to the length that its own header states.
///
/// Only filters that state it, and bzip2, can be decoded so. A length that no encoder could have come from so
/// few bytes, or for which there is no memory, is refused before anything is decoded.
///
/// # Errors
/// [`CodecError::InvalidParameters`] for client data values that cannot be and filters without a
/// stated length; [`CodecError::Corrupt`] and [`CodecError::WrongSize`] for damaged chunks.
pub fn decode_one(
    spec: &FilterSpec,
    stored: &[u8],
    scratch: &mut Scratch,
) -> Result<Vec<u8>, CodecError> {
    let stage = DecodeStage::bind(spec)?;
    if stage.grows_as_it_decodes() {
        let mut decoded = Vec::new();
        let size = OutputSize::AtMost(MAX_CHUNK_BYTES);
        stage.decode(stored, &mut decoded, size, &mut scratch.codecs)?;
        return Ok(decoded);
    }
    let Some(stated) = stage.stated_length(stored) else {
        return Err(invalid("filter", "its chunks do not state their length"));
    };
    let (bytes, most) = stated?;
    let limit = stored.len().saturating_mul(most).min(MAX_CHUNK_BYTES);
    OutputSize::AtMost(limit).check(bytes)?;
    let mut decoded = Vec::new();
    if decoded.try_reserve_exact(bytes).is_err() {
        return Err(OutputSize::AtMost(0).overflow());
    }
    let size = OutputSize::Exact(bytes);
    stage.decode(stored, &mut decoded, size, &mut scratch.codecs)?;
    size.check(decoded.len())?;
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use frazil_types::filter_id;

    use super::*;

    #[test]
    fn a_filter_alone_finds_its_length_by_itself() {
        let raw: Vec<u8> = (0..4000_u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
        let mut scratch = Scratch::default();
        for (id, values) in [
            (filter_id::BZIP2, vec![3]),
            (filter_id::LZ4, vec![]),
            (filter_id::LZ4, vec![700]),
            (filter_id::BITSHUFFLE, vec![0, 4, 4, 0, 0]),
            (filter_id::BITSHUFFLE, vec![0, 4, 4, 0, 2]),
            (filter_id::BITSHUFFLE, vec![0, 4, 4, 0, 3]),
            (filter_id::BLOSC, vec![2, 2, 4, 0, 5, 1, 5]),
            (filter_id::ZSTD, vec![3]),
            (filter_id::PCODEC, vec![1, 1, 0, 8]),
            (filter_id::DELTA, vec![1, 4, 0, 1, 1, 4000]),
            (filter_id::MAFISC, vec![0, 7, 4, 0, 1, 1, 4000]),
            (filter_id::FRAZIL, vec![1, 1, 0, 4, 0, 0, 1, 4000]),
        ] {
            let spec = FilterSpec::new(id, values);
            let stored = encode_one(&spec, &raw, &mut scratch).unwrap();
            assert!(
                decode_one(&spec, &stored, &mut scratch).unwrap() == raw,
                "{id}"
            );
            for cut in [0, 3, 11, stored.len() / 2, stored.len() - 1] {
                let _ = decode_one(&spec, &stored[..cut], &mut scratch);
            }
            // A length that the bytes cannot have come from.
            let mut claiming = stored.clone();
            claiming
                .iter_mut()
                .take(16)
                .skip(4)
                .for_each(|byte| *byte = 0x7f);
            assert!(
                id == filter_id::BITSHUFFLE || decode_one(&spec, &claiming, &mut scratch).is_err()
            );
        }
        let deflate = FilterSpec::new(filter_id::DEFLATE, vec![4]);
        assert!(decode_one(&deflate, &raw, &mut scratch).is_err());
    }
}
