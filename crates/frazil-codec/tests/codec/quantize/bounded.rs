//! The fewest bits that keep a relative bound.

use frazil_types::{ErrorBound, QuantizePlan, Rounding};
use proptest::prelude::*;

use super::plans::{bits, bounded, plain, relative};
use super::random::random;
use super::rounding::{Pattern, check, quantize, quantize_kept};

/// A smooth field with noise and fill values.
fn field(seed: u64, count: usize) -> Vec<f64> {
    let value = |i: usize| {
        let noise = random(seed * 1_000_003 + i as u64 + 1) as f64 / 2.0_f64.powi(64);
        match i % 10 {
            3 => -9999.0,
            _ => 20.0 * (i as f64 / 300.0).sin() + noise,
        }
    };
    (0..count).map(value).collect()
}

fn keeps<P: Pattern>(plan: &QuantizePlan, values: &[P], number: u32) -> bool {
    let fixed = QuantizePlan {
        rounding: bits(number),
        ..plan.clone()
    };
    check(&fixed, values, &quantize(&fixed, values)).is_ok()
}

/// The bits found keep the bound, and one bit less does not.
fn fewest<P: Pattern>(bound: ErrorBound, values: &[P], most: u32) -> u32 {
    let mut plan = bounded(bound);
    plan.protected.values = vec![-9999.0];
    let (rounded, kept) = quantize_kept(&plan, values);
    let number = kept.significant_bits.unwrap();
    assert!((1..=most).contains(&number));
    check(&plan, values, &rounded).unwrap();
    let fixed = QuantizePlan {
        rounding: bits(number),
        ..plan.clone()
    };
    assert_eq!(
        rounded,
        quantize(&fixed, values),
        "{number} bits, {bound:?}"
    );
    assert!(
        number == 1 || !keeps(&plan, values, number - 1),
        "{number} bits, {bound:?}"
    );
    number
}

fn singles(seed: u64, count: usize) -> Vec<u32> {
    field(seed, count)
        .into_iter()
        .map(u32::from_number)
        .collect()
}

fn doubles(seed: u64, count: usize) -> Vec<u64> {
    field(seed, count).into_iter().map(f64::to_bits).collect()
}

#[test]
fn no_bit_too_many() {
    let (single, double) = (singles(1, 20_000), doubles(1, 20_000));
    for share in [0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-6] {
        fewest(relative(share), &single, 23);
        fewest(relative(share), &double, 52);
    }
    // 2^-10 <= 1e-3 < 2^-9; the worst value lies just above a power of two.
    assert_eq!(fewest(relative(1e-3), &single, 23), 9);
    assert_eq!(fewest(relative(1e-12), &double, 52), 39);
}

#[test]
fn values_that_are_round_already_need_few_bits() {
    let whole: Vec<u32> = (1..5000)
        .map(|i| ((i % 7) as f32 + 1.0).to_bits())
        .collect();
    let mut plan = bounded(relative(1e-9));
    let (rounded, kept) = quantize_kept(&plan, &whole);
    assert_eq!((rounded, kept.significant_bits), (whole.clone(), Some(2)));
    plan.rounding = Rounding::BoundedBitRound {
        least_significant_bits: 11,
    };
    assert_eq!(quantize_kept(&plan, &whole).1.significant_bits, Some(11));
}

#[test]
fn the_ends_of_the_search() {
    let values = singles(2, 1000);
    let exact = bounded(relative(0.0));
    let (same, kept) = quantize_kept(&exact, &values);
    assert_eq!((same, kept.significant_bits), (values.clone(), Some(23)));
    let loose = bounded(relative(1e30));
    assert_eq!(quantize_kept(&loose, &values).1.significant_bits, Some(1));
    // No ordinary value: nothing to keep bits of.
    let mut missing = bounded(relative(1e-3));
    missing.protected.values = vec![-9999.0];
    let nothing = [0, 1 << 31, 0x7fc0_0000, 0xc61c_3c00, 0x7f80_0000, 5_u32];
    let (same, kept) = quantize_kept(&missing, &nothing);
    assert_eq!((&same[..], kept.significant_bits), (&nothing[..], None));
    let least = QuantizePlan {
        rounding: Rounding::BoundedBitRound {
            least_significant_bits: 7,
        },
        ..plain(bits(1))
    };
    assert_eq!(quantize_kept(&least, &values).1.significant_bits, Some(7));
    assert_eq!(
        quantize(&least, &values),
        quantize(&plain(bits(7)), &values)
    );
}

#[test]
fn the_largest_finite_values() {
    let values = [
        f32::MAX.to_bits(),
        f32::MIN.to_bits(),
        0x7f7f_8000,
        0x3f80_1234,
    ];
    let plan = bounded(relative(1e-2));
    let (rounded, _) = quantize_kept(&plan, &values);
    assert!(rounded.iter().all(|word| f32::from_bits(*word).is_finite()));
    check(&plan, &values, &rounded).unwrap();
    let doubles = [f64::MAX.to_bits(), f64::MIN_POSITIVE.to_bits() + 12345];
    let plan = bounded(relative(1e-12));
    check(&plan, &doubles, &quantize(&plan, &doubles)).unwrap();
}

proptest! {
    #[test]
    fn any_bound(
        seed in 0..1000_u64,
        count in 1..2000_usize,
        share in -8.0..0.0_f64,
    ) {
        let bound = relative(10_f64.powf(share));
        fewest(bound, &singles(seed, count), 23);
        fewest(bound, &doubles(seed, count), 52);
    }
}
