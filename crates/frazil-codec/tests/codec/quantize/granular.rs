//! Granular BitRound against a straight port of the published formula.

use super::plans::{granular, plain};
use super::random::random;
use super::rounding::{Pattern, quantize};

/// Mantissa of 0.5 to 1 and exponent of a normal number, as C's frexp.
fn frexp(number: f64) -> (f64, i32) {
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (
        f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)),
        exponent,
    )
}

/// The formula as NCO and netCDF-C state it: explicit mantissa bits to keep.
fn bits_to_keep(number: f64, digits: i32) -> i32 {
    let bits_per_digit = std::f64::consts::LN_10 / std::f64::consts::LN_2;
    let digits_per_bit = std::f64::consts::LN_2 / std::f64::consts::LN_10;
    let (mantissa, exponent) = frexp(number);
    let log = mantissa.abs().log10();
    let digit_count = (f64::from(exponent) * digits_per_bit + log).floor() as i32 + 1;
    let quantum_power = (bits_per_digit * f64::from(digit_count - digits)).floor() as i32;
    ((f64::from(exponent) - bits_per_digit * log).floor() as i32 - quantum_power).abs() - 1
}

fn rounded_single(word: u32, digits: u32) -> u32 {
    let dropped = 23 - bits_to_keep(word.number(), digits as i32);
    if dropped <= 0 {
        return word;
    }
    let rounded = (word + (1 << (dropped - 1))) & (u32::MAX << dropped);
    if f32::from_bits(rounded).is_infinite() {
        word
    } else {
        rounded
    }
}

fn rounded_double(word: u64, digits: u32) -> u64 {
    let dropped = 52 - bits_to_keep(word.number(), digits as i32);
    if dropped <= 0 {
        return word;
    }
    let rounded = (word + (1 << (dropped - 1))) & (u64::MAX << dropped);
    if f64::from_bits(rounded).is_infinite() {
        word
    } else {
        rounded
    }
}

fn agree_single(words: &[u32], digits: u32) {
    let rounded = quantize(&plain(granular(digits)), words);
    for (word, rounded) in words.iter().zip(rounded) {
        assert_eq!(
            rounded,
            rounded_single(*word, digits),
            "{word:08x}, {digits} digits"
        );
    }
}

fn agree_double(words: &[u64], digits: u32) {
    let rounded = quantize(&plain(granular(digits)), words);
    for (word, rounded) in words.iter().zip(rounded) {
        assert_eq!(
            rounded,
            rounded_double(*word, digits),
            "{word:016x}, {digits} digits"
        );
    }
}

#[test]
fn random_values() {
    let singles: Vec<u32> = (1..1_000_000)
        .map(|i| random(i) as u32)
        .filter(|word| word.is_normal())
        .collect();
    for digits in 1..=6 {
        agree_single(&singles, digits);
    }
    let doubles: Vec<u64> = (1..400_000)
        .map(random)
        .filter(|word| word.is_normal())
        .collect();
    for digits in 1..=15 {
        agree_double(&doubles, digits);
    }
}

/// The number of bits changes at powers of ten and just above powers of two.
#[test]
fn neighbours_of_every_threshold() {
    let mut singles = Vec::new();
    for power in -37..=38 {
        let nearest = format!("1e{power}").parse::<f32>().unwrap().to_bits();
        singles.extend(nearest - 100..=nearest + 100);
    }
    for exponent in 1..255_u32 {
        singles.extend((0..100).map(|i| (exponent << 23) + i));
        singles.extend((1..100).map(|i| ((exponent + 1) << 23) - i));
    }
    singles.retain(|word| word.is_normal());
    for digits in 1..=6 {
        agree_single(&singles, digits);
    }
    let mut doubles = Vec::new();
    for power in -307..=308 {
        let nearest = format!("1e{power}").parse::<f64>().unwrap().to_bits();
        // In double precision the rounding of the logarithm moves the threshold.
        doubles.extend(nearest - 200..=nearest + 200);
    }
    for exponent in 1..2047_u64 {
        doubles.extend((0..60).map(|i| (exponent << 52) + i * 13));
        doubles.extend((1..30).map(|i| ((exponent + 1) << 52) - i));
    }
    doubles.retain(|word| word.is_normal());
    for digits in [1, 2, 3, 7, 15] {
        agree_double(&doubles, digits);
    }
}

/// A known property, not a fault: see the module's documentation of the reference.
#[test]
fn a_second_pass_may_change_a_value() {
    let value = [9.9984e-7_f32.to_bits()];
    let once = quantize(&plain(granular(2)), &value);
    let changes = (1..=6).filter(|digits| {
        let plan = plain(granular(*digits));
        let once = quantize(&plan, &value);
        quantize(&plan, &once) != once
    });
    assert!(changes.count() > 0, "{once:?}");
}
