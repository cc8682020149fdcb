//! Rounding to multiples of powers of two, where a bound is absolute.

use frazil_types::{ErrorBound, ProtectedValues, QuantizePlan, Rounding};
use proptest::prelude::*;

use super::plans::{absolute, bounded, plain};
use super::random::{any_patterns, corner_patterns};
use super::rounding::{Pattern, check, quantize, quantize_kept};

/// 2^floor(log2(2 · bound)), by repeated halving and doubling.
fn step(bound: f64) -> f64 {
    let mut step = 1.0;
    while step > 2.0 * bound {
        step /= 2.0;
    }
    while 2.0 * step <= 2.0 * bound && step < 1e300 {
        step *= 2.0;
    }
    step
}

/// The nearest multiple of a step, half away from zero, in double precision: exact, since dividing by a
/// power of two is, and what is not smaller than 2^53 steps is a multiple.
fn nearest(value: f64, step: f64) -> f64 {
    match value.abs() < 2_f64.powi(53) * step {
        true => (value / step).round() * step,
        false => value,
    }
}

/// Values become the nearest multiple, unless that is infinite; what is not ordinary stays.
fn are_nearest<P: Pattern>(bound: f64, values: &[P]) {
    let plan = bounded(absolute(bound));
    let rounded = quantize(&plan, values);
    check(&plan, values, &rounded).unwrap();
    let step = step(bound);
    for (x, y) in values.iter().zip(&rounded) {
        if !x.is_normal() {
            assert_eq!(x, y);
            continue;
        }
        let expected = P::from_number(nearest(x.number(), step)).number();
        match expected.is_finite() {
            true => assert_eq!(y.number(), expected, "{x:?} by {step:e}"),
            false => assert_eq!(x, y),
        }
        assert!((x.number() - y.number()).abs() <= bound);
        assert!(y.number() != 0.0 || y.number().is_sign_positive());
    }
}

#[test]
fn every_value_becomes_the_nearest_multiple() {
    for bound in [
        0.01, 0.25, 0.5, 1e-6, 1e-30, 1e30, 3.0, 1e-320, 1e-45, 5e-324,
    ] {
        are_nearest(bound, &corner_patterns::<u32>());
        are_nearest(bound, &corner_patterns::<u64>());
        are_nearest(bound, &any_patterns::<u32>(3, 20_000));
        are_nearest(bound, &any_patterns::<u64>(3, 20_000));
    }
}

#[test]
fn ties_go_away_from_zero_and_small_values_to_it() {
    let plan = bounded(absolute(0.25));
    let rounded = |values: &[f32]| -> Vec<f32> {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        let rounded = quantize(&plan, &words).into_iter();
        rounded.map(f32::from_bits).collect()
    };
    let values = [0.25, -0.25, 0.75, 1.25, 0.2499, -0.1, 1e-30, 7.3, 0.0, -0.0];
    let expected = [0.5, -0.5, 1.0, 1.5, 0.0, 0.0, 0.0, 7.5, 0.0, -0.0];
    let found = rounded(&values);
    assert_eq!(found, expected);
    let signs: Vec<bool> = found.iter().map(|value| value.is_sign_negative()).collect();
    assert_eq!(signs[4..], [false, false, false, false, false, true]);
    // A multiple already: from 2^24 steps on, every float32 is one.
    let large = [8_388_608.5_f32, 16_777_217.0, f32::MAX, f32::MIN];
    assert_eq!(rounded(&large), large);
    // Rounding up would be infinite.
    let huge = bounded(absolute(1e38));
    let words = [f32::MAX.to_bits(), f32::INFINITY.to_bits(), 0x7fc0_1234];
    assert_eq!(quantize(&huge, &words), words);
}

#[test]
fn what_would_become_protected_stays() {
    let mut plan = bounded(absolute(0.25));
    plan.protected = ProtectedValues {
        values: vec![0.0, 1.5],
        ranges: vec![[3.0, 3.5]],
        valid: Some([-10.0, 10.2]),
    };
    let values = [0.1, 1.4, 1.5, 2.9, 3.2, 10.2, 11.1, 2.2_f32].map(f32::to_bits);
    let expected = [0.1, 1.4, 1.5, 2.9, 3.2, 10.0, 11.1, 2.0_f32].map(f32::to_bits);
    assert_eq!(quantize(&plan, &values), expected);
}

#[test]
fn the_fewest_bits_of_any_value_are_told() {
    let kept = |bound: f64, values: &[f32]| {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        quantize_kept(&bounded(absolute(bound)), &words)
            .1
            .significant_bits
    };
    // Steps of 1/64, 6 bits below one.
    assert_eq!(kept(0.01, &[1.1, 300.7]), Some(6));
    assert_eq!(kept(0.01, &[0.0001, 300.7]), Some(1));
    assert_eq!(kept(0.01, &[0.0, f32::NAN]), None);
    assert_eq!(kept(0.0, &[1.1]), Some(23));
    // More than these have there is not.
    assert_eq!(kept(1e-6, &[1.5, 2.5]), Some(2));
}

/// Everything that is stated holds: also bits, and a relative bound that is softened near zero.
fn all_holds<P: Pattern>(bound: ErrorBound, least: u32, values: &[P]) {
    let plan = QuantizePlan {
        bound,
        ..plain(Rounding::BoundedBitRound {
            least_significant_bits: least,
        })
    };
    let rounded = quantize(&plan, values);
    check(&plan, values, &rounded).unwrap();
    // Twice is once.
    assert_eq!(quantize(&plan, &rounded), rounded);
}

proptest! {
    #[test]
    fn any_bound_holds_for_any_bits(
        seed in 0..100_000_u64,
        error in -12.0..12.0_f64,
        share in -8.0..0.0_f64,
        finest in -9.0..2.0_f64,
        kinds in 1..4_u32,
        least in 0..12_u32,
    ) {
        let power = |exponent: f64| 10_f64.powf(exponent);
        let is_relative = kinds & 2 != 0;
        let bound = ErrorBound {
            absolute: (kinds & 1 != 0).then(|| power(error)),
            relative: is_relative.then(|| power(share)),
            finest_absolute: if is_relative { power(finest) } else { 0.0 },
        };
        all_holds(bound, least, &any_patterns::<u32>(seed, 700));
        all_holds(bound, least, &any_patterns::<u64>(seed, 700));
        are_nearest(power(error), &any_patterns::<u32>(seed, 700));
    }
}
