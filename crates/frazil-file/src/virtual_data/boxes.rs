//! Elements that follow each other in row-major order, as boxes.

use std::ops::Range;

/// A box of an array: its first element, and its lengths.
pub(super) type ArrayBox = (Vec<u64>, Vec<u64>);

/// The boxes that elements of these row-major numbers make up, in their order.
pub(super) fn boxes_of(shape: &[u64], mut range: Range<u64>) -> Vec<ArrayBox> {
    // Elements of what lies below each axis.
    let mut below = vec![1_u64; shape.len()];
    for axis in (1..shape.len()).rev() {
        below[axis - 1] = below[axis].saturating_mul(shape[axis]);
    }
    let mut boxes = Vec::new();
    while range.start < range.end {
        let (start, count) = largest_from(shape, &below, &range);
        range.start += count.iter().product::<u64>();
        boxes.push((start, count));
    }
    boxes
}

/// The largest box that begins at the start of a range and lies in it.
fn largest_from(shape: &[u64], below: &[u64], range: &Range<u64>) -> ArrayBox {
    let mut rest = range.start;
    let mut start = Vec::with_capacity(shape.len());
    for &step in below {
        start.push(rest / step.max(1));
        rest %= step.max(1);
    }
    let length = range.end - range.start;
    // The outermost axis along which whole parts of what is below it fit.
    let fits = |axis: &usize| range.start.is_multiple_of(below[*axis]) && below[*axis] <= length;
    let axis = (0..shape.len()).find(fits).unwrap_or(shape.len() - 1);
    let mut count = vec![1; axis];
    count.push((length / below[axis]).min(shape[axis] - start[axis]));
    count.extend_from_slice(&shape[axis + 1..]);
    (start, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_a_range_in_its_order() {
        let shape = [3_u64, 4, 5];
        for from in 0..60 {
            for end in from..=60 {
                let mut next = from;
                let boxes = boxes_of(&shape, from..end);
                assert!(boxes.len() <= 5, "{boxes:?}");
                for (start, count) in boxes {
                    let first = (start[0] * 4 + start[1]) * 5 + start[2];
                    assert_eq!(first, next);
                    assert!((0..3).all(|axis| start[axis] + count[axis] <= shape[axis]));
                    next += count.iter().product::<u64>();
                }
                assert_eq!(next, end);
            }
        }
    }
}
