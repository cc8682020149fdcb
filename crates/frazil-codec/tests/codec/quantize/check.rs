//! The check catches what it is there for.

use frazil_codec::{CodecError, ErrorCheck, ErrorStats};
use frazil_types::{ByteOrder, ErrorCode, QuantizePlan};

use super::plans::{SINGLE, absolute, bits, bounded, float, plain, relative};
use super::rounding::{Pattern, check, quantize, to_bytes};

fn plan() -> QuantizePlan {
    let mut plan = bounded(relative(1e-3));
    plan.protected.values = vec![-9999.0, 1e20, 12345.0];
    plan.protected.ranges = vec![[500.0, 600.0]];
    plan.protected.valid = Some([-10_000.0, 2e20]);
    plan
}

/// Values with one of every kind at a known place.
fn values() -> Vec<u32> {
    let mut values: Vec<u32> = (0..1000)
        .map(|i| (1.0 + i as f32 * 0.37).to_bits())
        .collect();
    let specials = [
        f32::NAN,
        f32::INFINITY,
        -9999.0,
        1e20,
        12345.0,
        550.0,
        -20_000.0,
        0.0,
        -0.0,
        1e-40,
    ];
    for (i, special) in specials.into_iter().enumerate() {
        values[300 + i] = special.to_bits();
    }
    values
}

fn caught(plan: &QuantizePlan, place: usize, planted: u32) -> f64 {
    let values = values();
    let mut rounded = quantize(plan, &values);
    check(plan, &values, &rounded).unwrap();
    rounded[place] = planted;
    let error = check(plan, &values, &rounded).unwrap_err();
    assert_eq!(error.code(), ErrorCode::BoundExceeded);
    assert!(error.to_string().starts_with(&format!("value {place}: ")));
    match error {
        CodecError::BoundExceeded {
            index,
            original,
            bound,
            ..
        } => {
            assert_eq!(index, place);
            assert!(original == values[place].number() || original.is_nan());
            bound
        }
        other => panic!("{other}"),
    }
}

#[test]
fn values_beyond_the_bound() {
    for place in [0, 255, 256, 511, 767, 768, 999] {
        let value = f32::from_bits(values()[place]);
        let bound = caught(&plan(), place, (value * 1.0011).to_bits());
        assert_eq!(bound, f64::from(value) * 1e-3);
        caught(&plan(), place, (-value).to_bits());
        caught(&plan(), place, f32::NAN.to_bits());
        caught(&plan(), place, f32::INFINITY.to_bits());
    }
}

#[test]
fn specials_that_changed() {
    for place in 300..310 {
        // The lowest bit, and the payload of NaN too.
        assert_eq!(caught(&plan(), place, values()[place] ^ 1), 0.0);
        // The sign: of NaN and zero as well.
        assert_eq!(caught(&plan(), place, values()[place] ^ (1 << 31)), 0.0);
    }
}

#[test]
fn data_that_became_missing() {
    let mut plan = plan();
    plan.bound = absolute(f64::INFINITY);
    for missing in [
        -9999.0_f32,
        1e20,
        12345.0,
        550.0,
        -20_000.0,
        f32::NAN,
        f32::INFINITY,
    ] {
        assert_eq!(caught(&plan, 17, missing.to_bits()), 0.0);
    }
}

#[test]
fn an_algorithm_that_errs_more_than_its_definition() {
    let plan = plain(bits(7));
    let values: Vec<u32> = values()
        .into_iter()
        .filter(|word| word.is_normal())
        .collect();
    let mut rounded = quantize(&plan, &values);
    check(&plan, &values, &rounded).unwrap();
    rounded[40] += 1 << 16;
    assert!(check(&plan, &values, &rounded).is_err());
}

#[test]
fn what_it_measures() {
    let original = [1.0_f32, 2.0, 8.0, f32::NAN, 0.0, 100.0].map(f32::to_bits);
    let rounded = [1.25_f32, 2.0, 9.0, f32::NAN, 0.0, 101.5].map(f32::to_bits);
    let plan = bounded(absolute(2.0));
    let mut stats = check(&plan, &original, &rounded).unwrap();
    let expected = ErrorStats {
        changed: 3,
        max_absolute_error: 1.5,
        max_relative_error: 0.25,
    };
    assert_eq!(stats, expected);
    stats.merge(&ErrorStats {
        changed: 2,
        max_absolute_error: 1.0,
        max_relative_error: 0.5,
    });
    assert_eq!((stats.changed, stats.max_absolute_error), (5, 1.5));
    assert_eq!(stats.max_relative_error, 0.5);
    assert_eq!(
        check::<u32>(&plan, &[], &[]).unwrap(),
        ErrorStats::default()
    );
}

#[test]
fn either_byte_order_and_whole_elements() {
    let values = values();
    let plan = plan();
    let rounded = quantize(&plan, &values);
    let stats = check(&plan, &values, &rounded).unwrap();
    let order = ByteOrder::Big;
    let (x, y) = (to_bytes(&values, order), to_bytes(&rounded, order));
    let big = ErrorCheck::bind(&plan, float(4, order)).unwrap();
    assert_eq!(big.check(&x, &y).unwrap(), stats);
    let little = ErrorCheck::bind(&plan, SINGLE).unwrap();
    assert!(little.check(&x, &y).is_err());
    for (x, y) in [(&x[..], &y[4..]), (&x[..6], &y[..6])] {
        assert!(matches!(big.check(x, y), Err(CodecError::WrongSize { .. })));
    }
}
