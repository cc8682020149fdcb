//! One filter on its own, as libhdf5 calls a plugin: nobody says how large the chunk is.

use frazil_types::FilterSpec;

use crate::CodecError;
use crate::bound::{DecodeStage, EncodeStage};
use crate::buffer::OutputSize;
use crate::error::invalid;
use crate::registry::MAX_CHUNK_BYTES;
use crate::scratch::Scratch;

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
/// Only filters that state it, and bzip2, can be decoded so. A length that no encoder could have come
/// from so few bytes is refused before anything is decoded; and memory grows with what is decoded,
/// never with what is stated.
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
    let size = OutputSize::Stated(bytes);
    stage.decode(stored, &mut decoded, size, &mut scratch.codecs)?;
    OutputSize::Exact(bytes).check(decoded.len())?;
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use frazil_types::filter_id;

    use super::*;

    #[test]
    fn memory_follows_what_is_decoded_and_not_what_is_stated() {
        // Each states 2^31 - 1 bytes and holds none, in 64 KiB that could be so much.
        let claim = 0x7fff_ffff_u64;
        let framed = |magic: &[u8; 4], parameters: [u8; 3], rest: &[u8]| {
            let start = [&magic[..], &[1], &parameters, &claim.to_le_bytes(), rest];
            [&start.concat()[..], &[0; 1 << 16]].concat()
        };
        let mut blosc = vec![2, 1, 0, 1, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f];
        blosc.extend((1_u32 << 16).to_le_bytes());
        blosc.extend(20_u32.to_le_bytes());
        blosc.resize(1 << 16, 0);
        let shape = [&[1, 1][..], &0x7fff_ffff_u32.to_le_bytes(), &[4, 125, 0]].concat();
        let mut pcodec_inside = [&[1, 1][..], &0x7fff_ffff_u32.to_le_bytes()].concat();
        pcodec_inside.extend([0xfd, 0xb7, 4]);
        for value in [1_u32, 10, 0, 8] {
            pcodec_inside.extend(value.to_le_bytes());
        }
        let chunk_values = vec![1, 10, 0, 1, 0, 0, 1, 0x7fff_ffff];
        for (id, values, stored) in [
            (
                filter_id::PCODEC,
                vec![1, 10, 0, 8],
                framed(b"FZpc", [10, 0, 0], &[4, 1]),
            ),
            (filter_id::BLOSC, vec![], blosc),
            (
                filter_id::FRAZIL,
                chunk_values.clone(),
                framed(b"FZch", [10, 0, 1], &shape),
            ),
            (
                filter_id::FRAZIL,
                chunk_values,
                framed(b"FZch", [10, 0, 1], &pcodec_inside),
            ),
        ] {
            let spec = FilterSpec::new(id, values);
            let before = resident_bytes();
            let refused = decode_one(&spec, &stored, &mut Scratch::default());
            assert!(refused.is_err(), "{id}");
            assert!(resident_bytes() < before + (1 << 30), "{id}: {refused:?}");
        }
    }

    /// The most memory that this process ever had.
    fn resident_bytes() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0)
            << 10
    }

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
