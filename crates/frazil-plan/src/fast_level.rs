//! The encoder behind deflate's fastest level, where somebody has stated all filters.

use frazil_codec::{BoundEncoder, Scratch};
use frazil_types::{DeflateEncoder, ElementType, FilterPipeline, filter_id};

use crate::error::PlanError;

/// Deflate's fastest level.
pub(crate) const FASTEST_LEVEL: u32 = 1;

/// A level is as good as the best if its size is within this factor.
const LEVEL_SLACK: f64 = 1.03;

/// Whether filters contain deflate at its fastest level, for which there are two encoders.
#[must_use]
pub fn has_fastest_deflate(pipeline: &FilterPipeline) -> bool {
    let stage = pipeline.position(filter_id::DEFLATE);
    stage.is_some_and(|stage| pipeline.0[stage].cd_values == [FASTEST_LEVEL])
}

/// The encoder for filters with deflate at its fastest level: our own if samples, runs of whole
/// elements, get as small by it as by libdeflate; else, and without samples, libdeflate.
///
/// # Errors
/// [`PlanError::Codec`] if a trial fails.
pub fn fastest_deflate_encoder(
    samples: &[Vec<u8>],
    element: ElementType,
    pipeline: &FilterPipeline,
    scratch: &mut Scratch,
) -> Result<DeflateEncoder, PlanError> {
    let libdeflate = DeflateEncoder::Libdeflate(FASTEST_LEVEL.cast_signed());
    let mut bytes_by = |encoder| {
        let mut total = 0;
        for sample in samples.iter().filter(|sample| !sample.is_empty()) {
            let (size, bytes) = (element.size_bytes, sample.len());
            let encoder = BoundEncoder::bind(pipeline, Some(encoder), size, bytes)?;
            total += encoder.encode(sample, scratch)?.len();
        }
        Ok::<usize, PlanError>(total)
    };
    let limit = bytes_by(libdeflate)? as f64 * LEVEL_SLACK;
    let is_as_good = limit > 0.0 && bytes_by(DeflateEncoder::Quick)? as f64 <= limit;
    Ok(match is_as_good {
        true => DeflateEncoder::Quick,
        false => libdeflate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::{ByteOrder, ElementClass, FilterSpec};

    #[test]
    fn our_encoder_is_taken_where_it_gets_as_small() {
        let element = ElementType {
            class: ElementClass::Float,
            size_bytes: 4,
            order: ByteOrder::Little,
        };
        let pipeline = FilterPipeline(vec![
            FilterSpec::new(filter_id::SHUFFLE, vec![4]),
            FilterSpec::new(filter_id::DEFLATE, vec![1]),
        ]);
        assert!(has_fastest_deflate(&pipeline));
        let mut scratch = Scratch::default();
        let mut choose = |samples: &[Vec<u8>]| {
            fastest_deflate_encoder(samples, element, &pipeline, &mut scratch).unwrap()
        };
        let mut state = 1_u32;
        let mut noise = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as f32 / 16_777_216.0
        };
        let mut rounded = |i: u32| {
            let value = 280.0 + 30.0 * (i as f32 * 1e-3).sin() + noise();
            value.to_bits() & 0xffff_f000
        };
        let field: Vec<u8> = (0..16_384).flat_map(|i| rounded(i).to_le_bytes()).collect();
        assert_eq!(choose(&[field]), DeflateEncoder::Quick);
        let mut sum = 0_u32;
        let mut grown = || {
            sum += (noise() * 5.0) as u32;
            sum
        };
        let series: Vec<u8> = (0..16_384).flat_map(|_| grown().to_le_bytes()).collect();
        assert_eq!(choose(&[series]), DeflateEncoder::Libdeflate(1));
        assert_eq!(choose(&[]), DeflateEncoder::Libdeflate(1));
    }
}
