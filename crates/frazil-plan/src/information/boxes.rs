//! Boxes of values to look at before all of them are read.

use frazil_types::Selection;

/// Most boxes.
const MOST_BOXES: u64 = 8;
/// Most elements of one box.
const MOST_ELEMENTS: u64 = 1 << 16;
/// Least extents, where there are as many: of the last axis, and of the others.
const LEAST_LAST: u64 = 256;
const LEAST_OTHER: u64 = 4;

/// Boxes spread over an array of `shape`: always the same ones, whatever its chunks are.
///
/// Every box has neighbours along every axis that is longer than one.
#[must_use]
pub fn sample_boxes(shape: &[u64]) -> Vec<Selection> {
    if shape.contains(&0) {
        return Vec::new();
    }
    let extents = box_extents(shape);
    let inside = shape
        .iter()
        .zip(&extents)
        .fold(1_u64, |n, (&whole, &part)| {
            n.saturating_mul(whole.div_ceil(part))
        });
    let boxes = inside.min(MOST_BOXES);
    // An additive recurrence with the powers of a root of x^(d + 1) = x + 1 fills d dimensions
    // evenly.
    let dimensions = shape.len() as i32;
    let mut root = 2.0_f64;
    for _ in 0..32 {
        root = (1.0 + root).powf(1.0 / f64::from(dimensions + 1));
    }
    let mut found: Vec<Selection> = Vec::new();
    for number in 0..boxes {
        let mut step = 1.0;
        let start = shape
            .iter()
            .zip(&extents)
            .map(|(&whole, &part)| {
                step /= root;
                let share = (0.5 + step * (number + 1) as f64).fract();
                let places = whole - part + 1;
                ((share * places as f64) as u64).min(places - 1)
            })
            .collect();
        let part = Selection {
            start,
            count: extents.clone(),
        };
        if !found.contains(&part) {
            found.push(part);
        }
    }
    found
}

fn box_extents(shape: &[u64]) -> Vec<u64> {
    let last = shape.len().saturating_sub(1);
    let mut extents: Vec<u64> = shape
        .iter()
        .enumerate()
        .map(|(axis, &n)| {
            n.min(if axis == last {
                LEAST_LAST
            } else {
                LEAST_OTHER
            })
        })
        .collect();
    let elements = |extents: &[u64]| {
        extents
            .iter()
            .fold(1_u64, |product, &n| product.saturating_mul(n))
    };
    while elements(&extents) > MOST_ELEMENTS {
        let Some(longest) = extents.iter_mut().max() else {
            break;
        };
        *longest = longest.div_ceil(2);
    }
    for axis in (0..last).rev().chain([last]) {
        let Some(&n) = shape.get(axis) else { break };
        let growth = (MOST_ELEMENTS / elements(&extents)).max(1);
        extents[axis] = extents[axis].saturating_mul(growth).min(n);
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_lie_inside_and_have_neighbours_everywhere() {
        for shape in [
            vec![1_000_000],
            vec![7],
            vec![2000, 3000],
            vec![28, 201, 2, 80],
            vec![365, 50, 192, 288],
            vec![3; 12],
            vec![u64::MAX / 2, 1, 5],
        ] {
            let boxes = sample_boxes(&shape);
            assert!(!boxes.is_empty() && boxes.len() <= 8);
            for part in &boxes {
                assert!(part.elements().unwrap() <= MOST_ELEMENTS);
                for axis in 0..shape.len() {
                    assert!(part.start[axis] + part.count[axis] <= shape[axis]);
                    assert!(part.count[axis] >= shape[axis].min(2), "{shape:?} {part:?}");
                }
            }
        }
        assert!(sample_boxes(&[4, 0]).is_empty());
        assert_eq!(sample_boxes(&[100, 200]).len(), 1);
    }
}
