//! BitGroom's even and odd go by the index in the variable, however it is cut.

use frazil_types::ByteOrder;
use proptest::prelude::*;

use frazil_codec::BoxPlace;

use super::plans::{SINGLE, all_fixed, groom, plain};
use super::random::any_patterns;
use super::rounding::{quantize, quantize_box};

/// Row-major indices, in the variable, of the elements of a box; `None` beyond the variable.
fn indices(place: &BoxPlace<'_>) -> Vec<Option<usize>> {
    let total: u64 = place.count.iter().product();
    let index = |i: u64| {
        let (mut rest, mut stride, mut index) = (i, 1, 0);
        for axis in (0..place.shape.len()).rev() {
            let along = place.start[axis] + rest % place.count[axis];
            if along >= place.shape[axis] {
                return None;
            }
            rest /= place.count[axis];
            index += along * stride;
            stride *= place.shape[axis];
        }
        Some(index as usize)
    };
    (0..total).map(index).collect()
}

fn box_equals_whole(shape: &[u64], start: &[u64], count: &[u64]) {
    let total: u64 = shape.iter().product();
    let values: Vec<u32> = any_patterns(7, total as usize);
    let plan = plain(groom(3));
    let whole = quantize(&plan, &values);
    let place = BoxPlace {
        shape,
        start,
        count,
    };
    let indices = indices(&place);
    let cut: Vec<u32> = indices
        .iter()
        .map(|index| index.map_or(0, |i| values[i]))
        .collect();
    let (rounded, _) = quantize_box(&plan, &cut, &place, ByteOrder::Little);
    for (index, rounded) in indices.iter().zip(rounded) {
        let expected = index.map_or(0, |i| whole[i]);
        assert_eq!(rounded, expected, "{index:?} of {place:?}");
    }
}

#[test]
fn odd_rows_planes_and_edges() {
    box_equals_whole(&[5, 7, 9], &[1, 2, 3], &[3, 4, 5]);
    box_equals_whole(&[5, 7, 9], &[4, 6, 8], &[3, 4, 5]);
    box_equals_whole(&[5, 8, 9], &[1, 0, 0], &[2, 8, 9]);
    box_equals_whole(&[5, 7, 9], &[1, 3, 0], &[2, 3, 9]);
    box_equals_whole(&[3, 1001], &[1, 1], &[2, 700]);
    box_equals_whole(&[600, 3], &[1, 1], &[599, 1]);
    box_equals_whole(&[600, 4], &[1, 1], &[599, 2]);
    box_equals_whole(&[9], &[3], &[8]);
    box_equals_whole(&[], &[], &[]);
}

proptest! {
    #[test]
    fn any_box(axes in prop::collection::vec((1..9_u64, 0..9_u64, 1..9_u64), 1..5)) {
        let shape: Vec<u64> = axes.iter().map(|axis| axis.0).collect();
        let start: Vec<u64> = axes.iter().map(|axis| axis.1 % axis.0).collect();
        let count: Vec<u64> = axes.iter().map(|axis| axis.2).collect();
        box_equals_whole(&shape, &start, &count);
    }
}

/// All others know no place: cut anywhere, they give the same.
#[test]
fn big_endian_and_lengths_change_nothing() {
    let singles: Vec<u32> = any_patterns(8, 1500);
    let doubles: Vec<u64> = any_patterns(9, 1500);
    for length in [0, 1, 2, 255, 256, 257, 512, 1500] {
        let count = [length as u64];
        let place = BoxPlace {
            shape: &count,
            start: &[0],
            count: &count,
        };
        for rounding in all_fixed(SINGLE) {
            let plan = plain(rounding);
            let whole = quantize(&plan, &singles);
            let (little, _) = quantize_box(&plan, &singles[..length], &place, ByteOrder::Little);
            let (big, _) = quantize_box(&plan, &singles[..length], &place, ByteOrder::Big);
            assert_eq!(little, whole[..length]);
            assert_eq!(big, little);
            let (little, _) = quantize_box(&plan, &doubles[..length], &place, ByteOrder::Little);
            let (big, _) = quantize_box(&plan, &doubles[..length], &place, ByteOrder::Big);
            assert_eq!(big, little);
        }
    }
}
