//! Plans that cannot be bound, and boxes that do not fit.

use frazil_codec::{BoxPlace, CodecError, Quantizer};
use frazil_types::{ByteOrder, ElementClass, ElementType, ErrorBound, QuantizePlan, Rounding};

use super::plans::{
    DOUBLE, SINGLE, absolute, bits, bounded, float, granular, groom, plain, relative,
};

fn refused(plan: &QuantizePlan, element: ElementType) -> String {
    let error = Quantizer::bind(plan, element).unwrap_err();
    assert!(
        matches!(error, CodecError::InvalidParameters { .. }),
        "{plan:?}"
    );
    error.to_string()
}

#[test]
fn numbers_out_of_range() {
    for rounding in [
        bits(0),
        bits(24),
        granular(0),
        granular(7),
        groom(0),
        groom(7),
    ] {
        refused(&plain(rounding), SINGLE);
    }
    for rounding in [bits(53), granular(16), groom(16), groom(u32::MAX)] {
        refused(&plain(rounding), DOUBLE);
    }
    let message = refused(&plain(bits(24)), SINGLE);
    assert_eq!(
        message,
        "quantize: 24 significant bits: float32 has 1 to 23"
    );
    let linear = |nbits, range| plain(Rounding::Linear { nbits, range });
    refused(&linear(0, Some([0.0, 1.0])), SINGLE);
    refused(&linear(32, Some([0.0, 1.0])), SINGLE);
    for range in [
        None,
        Some([1.0, 0.0]),
        Some([f64::NAN, 1.0]),
        Some([f64::MIN, f64::MAX]),
    ] {
        refused(&linear(8, range), DOUBLE);
    }
    let most = plain(Rounding::BoundedBitRound {
        least_significant_bits: 24,
    });
    refused(&most, SINGLE);
}

#[test]
fn bounds_without_sense() {
    refused(&bounded(ErrorBound::default()), SINGLE);
    refused(&bounded(relative(-1.0)), SINGLE);
    refused(&bounded(absolute(f64::NAN)), SINGLE);
    let finest = ErrorBound {
        finest_absolute: -1.0,
        ..relative(0.1)
    };
    refused(&bounded(finest), SINGLE);
}

#[test]
fn elements_that_are_not_rounded() {
    let integer = ElementType {
        class: ElementClass::SignedInteger,
        ..SINGLE
    };
    assert!(refused(&plain(bits(3)), integer).contains("int32"));
    for size_bytes in [2, 16] {
        refused(&plain(bits(3)), float(size_bytes, ByteOrder::Little));
    }
}

#[test]
fn boxes_of_another_size() {
    let quantizer = Quantizer::bind(&plain(groom(3)), SINGLE).unwrap();
    let quantize = |bytes: usize, shape: &[u64], start: &[u64], count: &[u64]| {
        let place = BoxPlace {
            shape,
            start,
            count,
        };
        quantizer.quantize(&vec![0; bytes], &place, &mut Vec::new())
    };
    assert!(quantize(24, &[9, 9], &[0, 0], &[2, 3]).is_ok());
    assert!(quantize(0, &[9, 9], &[0, 0], &[0, 3]).is_ok());
    for bytes in [0, 23, 25, 28] {
        let wrong = quantize(bytes, &[9, 9], &[0, 0], &[2, 3]);
        assert!(matches!(wrong, Err(CodecError::WrongSize { .. })));
    }
    let huge = quantize(4, &[9, 9], &[0, 0], &[1 << 40, 1 << 40]);
    assert!(matches!(huge, Err(CodecError::WrongSize { .. })));
    let flat = quantize(24, &[9, 9], &[0], &[6]);
    assert!(matches!(flat, Err(CodecError::InvalidParameters { .. })));
}
