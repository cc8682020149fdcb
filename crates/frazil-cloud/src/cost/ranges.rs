//! Which bytes of a file a part of a variable takes.

use std::ops::Range;

use frazil_container::hdf5::DatasetStorage;
use frazil_container::model::Variable;
use frazil_read::Places;
use frazil_types::{ChunkGrid, Selection};

/// Parts that are looked at one by one; of more, the first and the last stand for all.
const MOST_RANGES: u64 = 1 << 20;

/// The bytes that a box of a variable takes; values that are elsewhere, or are metadata, take none.
pub(super) fn of_box(variable: &Variable, places: &Places, part: &Selection) -> Vec<Range<u64>> {
    let dataset = &variable.dataset;
    let element = dataset.element.size_bytes as u64;
    match (places, &dataset.storage) {
        (Places::Chunks(records), DatasetStorage::Chunked { chunk, .. }) => {
            let Some(grid) = ChunkGrid::new(&dataset.shape, chunk) else {
                return Vec::new();
            };
            let is_touched = |index: u64| overlap(&grid.valid_box(index), part);
            let touched = records.iter().filter(|record| is_touched(record.index));
            touched
                .map(|record| record.address..record.address.saturating_add(record.stored_bytes))
                .collect()
        }
        (Places::Run { address, .. }, _) => {
            let strides = strides(&dataset.shape, element);
            runs(*address, &dataset.shape, &strides, element, part)
        }
        (
            Places::Records {
                address, stride, ..
            },
            _,
        ) => {
            let mut strides = strides(&dataset.shape, element);
            if let Some(first) = strides.first_mut() {
                *first = *stride;
            }
            runs(*address, &dataset.shape, &strides, element, part)
        }
        _ => Vec::new(),
    }
}

fn overlap(one: &Selection, other: &Selection) -> bool {
    let along = |axis: usize| {
        one.start[axis] < other.start[axis] + other.count[axis]
            && other.start[axis] < one.start[axis] + one.count[axis]
    };
    (0..one.start.len()).all(along)
}

/// From one element to the next along each axis.
fn strides(shape: &[u64], element: u64) -> Vec<u64> {
    let mut strides = vec![element; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// The runs of bytes that a box of values takes which lie one after the other.
fn runs(
    address: u64,
    shape: &[u64],
    strides: &[u64],
    element: u64,
    part: &Selection,
) -> Vec<Range<u64>> {
    // Axes behind this one are whole, and lie in one run with it.
    let mut inner = shape.len();
    let mut run = element;
    while inner > 0 && strides[inner - 1] == run {
        inner -= 1;
        run = run.saturating_mul(part.count[inner]);
        if part.count[inner] != shape[inner] {
            break;
        }
    }
    let count = (part.count[..inner].iter()).fold(1_u64, |product, &n| product.saturating_mul(n));
    let place = |mut number: u64| {
        let mut at = address;
        for axis in (0..shape.len()).rev() {
            let mut index = part.start[axis];
            if axis < inner {
                index += number % part.count[axis].max(1);
                number /= part.count[axis].max(1);
            }
            at = at.saturating_add(index.saturating_mul(strides[axis]));
        }
        at..at.saturating_add(run)
    };
    match count {
        0 => Vec::new(),
        1..=MOST_RANGES => (0..count).map(place).collect(),
        _ => {
            let all = place(0).start..place(count - 1).end;
            vec![all]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(ranges: &[Range<u64>]) -> Vec<(u64, u64)> {
        ranges
            .iter()
            .map(|range| (range.start, range.end))
            .collect()
    }

    #[test]
    fn whole_axes_are_one_run() {
        let shape = [3, 4, 5];
        let usual = strides(&shape, 2);
        let of = |start: &[u64; 3], count: &[u64; 3]| {
            ends(&runs(100, &shape, &usual, 2, &Selection::new(start, count)))
        };
        assert_eq!(of(&[0, 0, 0], &[3, 4, 5]), [(100, 220)]);
        assert_eq!(of(&[1, 0, 0], &[1, 4, 5]), [(140, 180)]);
        let column = [(114, 116), (154, 156), (194, 196)];
        assert_eq!(of(&[0, 1, 2], &[3, 1, 1]), column);
        assert_eq!(of(&[0, 1, 0], &[1, 2, 5]), [(110, 130)]);
        // Records of a classic file have others between them.
        let records = [100, 10, 2];
        let whole = runs(0, &shape, &records, 2, &Selection::new(&[0; 3], &shape));
        assert_eq!(ends(&whole), [(0, 40), (100, 140), (200, 240)]);
        assert_eq!(
            ends(&runs(8, &[], &[], 4, &Selection::new(&[], &[]))),
            [(8, 12)]
        );
    }
}
