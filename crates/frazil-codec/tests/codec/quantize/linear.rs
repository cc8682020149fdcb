//! Linear rounding over the field's range.

use frazil_codec::{implied_absolute_bound, ordinary_range};
use frazil_types::{ByteOrder, ProtectedValues, Rounding};

use super::plans::{SINGLE, float, plain};
use super::random::any_patterns;
use super::rounding::{Pattern, check, quantize, to_bytes};

fn linear(nbits: u32, range: [f64; 2]) -> Rounding {
    Rounding::Linear {
        nbits,
        range: Some(range),
    }
}

#[test]
fn the_grid_has_as_many_points_as_bits_can_number() {
    let values: Vec<u32> = (0..100_000)
        .map(|i| (250.0 + i as f32 * 5e-4).to_bits())
        .collect();
    let range = [250.0, f64::from(f32::from_bits(values[99_999]))];
    for nbits in [1, 2, 8, 12] {
        let plan = plain(linear(nbits, range));
        let rounded = quantize(&plan, &values);
        let scale = (range[1] - range[0]) / (2_f64.powi(nbits as i32) - 1.0);
        for (x, y) in values.iter().zip(&rounded) {
            let point = range[0] + scale * ((x.number() - range[0]) / scale).round();
            assert_eq!(f32::from_bits(*y), point.min(range[1]) as f32);
            assert!((x.number() - y.number()).abs() <= scale / 2.0 + 2e-5);
        }
        let mut points = rounded.clone();
        points.dedup();
        assert_eq!(points.len(), 1 << nbits);
        assert_eq!((points[0], points.last()), (values[0], values.last()));
        let stats = check(&plan, &values, &rounded).unwrap();
        let bound = implied_absolute_bound(&plan.rounding, 23).unwrap();
        assert!(stats.max_absolute_error <= bound && bound < scale / 2.0 + 2e-5);
    }
}

#[test]
fn a_constant_field_and_outsiders_stay() {
    let values = [273.15_f32.to_bits(); 300];
    let constant = f64::from(273.15_f32);
    assert_eq!(quantize(&plain(linear(8, [constant; 2])), &values), values);
    let outside = [-5.0_f32, 0.3, 1.0, 7.0].map(f32::to_bits);
    let rounded = quantize(&plain(linear(1, [0.0, 1.0])), &outside);
    assert_eq!(rounded, [-5.0_f32, 0.0, 1.0, 7.0].map(f32::to_bits));
}

#[test]
fn the_largest_numbers_have_a_finite_bound() {
    let largest = f64::MAX;
    let values = [largest, largest * 0.75, largest * 0.5, 1.0].map(f64::to_bits);
    let half = linear(6, [largest * 0.5, largest]);
    assert!(implied_absolute_bound(&half, 52).unwrap().is_finite());
    let rounded = quantize(&plain(half), &values);
    assert!(rounded.iter().all(|&bits| f64::from_bits(bits).is_finite()));
}

#[test]
fn the_range_is_that_of_ordinary_values() {
    let protected = ProtectedValues {
        values: vec![-9999.0],
        ranges: vec![[50.0, 60.0]],
        valid: Some([-100.0, 100.0]),
    };
    let values = [
        f32::NAN,
        -9999.0,
        0.0,
        1e-40,
        55.0,
        101.0,
        -3.5,
        42.25,
        f32::INFINITY,
        7.0,
    ];
    let words = values.map(f32::to_bits);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = to_bytes(&words, order);
        let range = ordinary_range(&bytes, &protected, float(4, order)).unwrap();
        assert_eq!(range, Some([-3.5, 42.25]));
    }
    let none = to_bytes(&[words[0], words[1], words[3], words[4]], ByteOrder::Little);
    assert_eq!(ordinary_range(&none, &protected, SINGLE).unwrap(), None);
    let rain = to_bytes(&[0.0_f32, 3.5, 2.0].map(f32::to_bits), ByteOrder::Little);
    let from_zero = ordinary_range(&rain, &protected, SINGLE).unwrap();
    assert_eq!(from_zero, Some([0.0, 3.5]));
    let fill_is_zero = ProtectedValues {
        values: vec![0.0],
        ..ProtectedValues::default()
    };
    let without = ordinary_range(&rain, &fill_is_zero, SINGLE).unwrap();
    assert_eq!(without, Some([2.0, 3.5]));
    assert!(ordinary_range(&none[1..], &protected, SINGLE).is_err());

    let random: Vec<u64> = any_patterns(21, 10_000);
    let normal = random
        .iter()
        .filter(|word| word.is_normal())
        .map(|word| word.number());
    let expected = normal.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
        [low.min(number), high.max(number)]
    });
    let bytes = to_bytes(&random, ByteOrder::Little);
    let none = ProtectedValues::default();
    let range = ordinary_range(&bytes, &none, float(8, ByteOrder::Little)).unwrap();
    assert_eq!(range, Some(expected));
}
