//! Every instruction set gives the same bytes.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use frazil_types::{
    ByteOrder, ElementClass, ElementType, ErrorBound, ProtectedValues, QuantizePlan, Rounding,
};

use super::{BoxPlace, Quantizer};
use crate::simd::Simd;

fn roundings() -> [Rounding; 5] {
    [
        Rounding::BitRound {
            significant_bits: 7,
        },
        Rounding::BoundedBitRound {
            least_significant_bits: 0,
        },
        Rounding::GranularBitRound {
            significant_digits: 3,
        },
        Rounding::BitGroom {
            significant_digits: 3,
        },
        Rounding::Linear {
            nbits: 9,
            range: Some([-1e9, 1e9]),
        },
    ]
}

#[test]
fn instruction_sets_agree() {
    let mut state = 5_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(8 * 5003)
    .collect();
    let sizes = [(4, None), (8, None), (4, Some(1e7)), (8, Some(1e7))];
    let kinds = sizes.into_iter().flat_map(|s| roundings().map(|r| (s, r)));
    for ((size_bytes, absolute), rounding) in kinds {
        let plan = QuantizePlan {
            rounding,
            bound: ErrorBound {
                absolute,
                relative: Some(1e-2),
                finest_absolute: 0.0,
            },
            protected: ProtectedValues {
                values: vec![-9999.0, 1.0, 2.0, 0.0],
                ranges: vec![[4.0, 64.0]],
                valid: Some([-1e30, 1e35]),
            },
            keep_information: None,
            forced: false,
        };
        let element = ElementType {
            class: ElementClass::Float,
            size_bytes,
            order: ByteOrder::Big,
        };
        let count = [7, (bytes.len() / size_bytes / 7) as u64];
        let place = BoxPlace {
            shape: &[8, 10_001],
            start: &[1, 3],
            count: &count,
        };
        let used = &bytes[..(count[0] * count[1]) as usize * size_bytes];
        let results = Simd::available().into_iter().map(|simd| {
            let quantizer = Quantizer::bind_for(&plan, element, simd).unwrap();
            let mut out = Vec::new();
            let kept = quantizer.quantize(used, &place, &mut out).unwrap();
            (out, kept)
        });
        let results: Vec<_> = results.collect();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
        assert_ne!(results[0].0, used);
    }
}
