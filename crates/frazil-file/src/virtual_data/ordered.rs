//! Selections whose elements are counted: those of a virtual dataset and of its sources belong together by number.

use std::collections::BTreeSet;

use frazil_container::hdf5::ElementSelection;

use super::axis::{Axis, Run, UNLIMITED};

/// Rows that are written out of a selection which is no product of axes.
const MOST_ROWS: u64 = 1 << 20;

/// Selected elements of an array, in row-major order.
#[derive(Debug, Clone)]
pub(super) enum Ordered {
    /// All combinations of elements along each axis.
    Product(Vec<Axis>),
    /// Runs along the last axis.
    Rows(Rows),
}

/// Runs along the last axis, in row-major order.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    rank: usize,
    /// Where each begins: `rank` numbers.
    starts: Vec<u64>,
    /// Length of each, and elements before it.
    lengths: Vec<[u64; 2]>,
}

impl Ordered {
    /// The elements that a selection means in an array of this shape.
    ///
    /// # Errors
    /// If it does not fit the array, or is too intricate.
    pub(super) fn of(selection: &ElementSelection, shape: &[u64]) -> Result<Self, String> {
        // A single element without axes is one along an axis.
        let shape = if shape.is_empty() { &[1] } else { shape };
        let fits = |rank: usize| match rank == shape.len() {
            true => Ok(()),
            false => Err(format!(
                "a selection along {rank} axes of an array of {}",
                shape.len()
            )),
        };
        match selection {
            ElementSelection::None => {
                Ok(Self::Product(shape.iter().map(|_| Axis::all(0)).collect()))
            }
            ElementSelection::All => {
                Ok(Self::Product(shape.iter().map(|&n| Axis::all(n)).collect()))
            }
            ElementSelection::Regular { axes } => {
                fits(axes.len())?;
                let axes = axes.iter().map(|&axis| Axis::pattern(axis));
                Ok(Self::Product(axes.collect()))
            }
            ElementSelection::Boxes { rank, corners } => {
                fits(*rank)?;
                of_boxes(*rank, corners)
            }
            ElementSelection::Points { .. } => Err("a selection of single points".to_owned()),
        }
    }

    /// How many they are.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Product(axes) => axes
                .iter()
                .fold(1, |all, axis| all.saturating_mul(axis.count())),
            Self::Rows(rows) => rows.lengths.last().map_or(0, |last| last[0] + last[1]),
        }
    }

    /// The first element behind the last one, along each axis; nothing if there are none.
    pub(super) fn ends(&self) -> Vec<u64> {
        match self {
            Self::Product(axes) => {
                let ends: Vec<u64> = axes.iter().map(Axis::end).collect();
                if ends.contains(&0) { Vec::new() } else { ends }
            }
            Self::Rows(rows) => {
                let mut ends = vec![0; rows.rank];
                for (start, length) in rows.starts.chunks_exact(rows.rank).zip(&rows.lengths) {
                    for (axis, end) in ends.iter_mut().enumerate() {
                        let is_last = axis + 1 == rows.rank;
                        let length = if is_last { length[0] } else { 1 };
                        *end = (*end).max(start[axis].saturating_add(length));
                    }
                }
                ends
            }
        }
    }

    /// The runs that lie in a part of one row of the array, which begins at `start` and is so long.
    pub(super) fn runs_in(&self, start: &[u64], length: u64, found: &mut Vec<Run>) {
        let Some((&from, leading)) = start.split_last() else {
            return;
        };
        let end = from.saturating_add(length);
        match self {
            Self::Product(axes) => {
                let Some((last, outer)) = axes.split_last() else {
                    return;
                };
                let mut row = 0_u64;
                for (axis, &at) in outer.iter().zip(leading) {
                    let number = axis.before(at);
                    if axis.before(at.saturating_add(1)) == number {
                        return;
                    }
                    row = row.saturating_mul(axis.count()).saturating_add(number);
                }
                let before = row.saturating_mul(last.count());
                let runs = last.runs_of(last.before(from), last.before(end));
                found.extend(runs.map(|run| Run {
                    number: before + run.number,
                    ..run
                }));
            }
            Self::Rows(rows) => rows.runs_in(leading, from, end, found),
        }
    }

    /// Where the element of a number is, and how many follow it along the last axis without a gap.
    pub(super) fn place_of(&self, number: u64, place: &mut Vec<u64>) -> Option<u64> {
        place.clear();
        match self {
            Self::Product(axes) => {
                let (mut rest, mut length) = (number, 1);
                for (i, axis) in axes.iter().enumerate().rev() {
                    let run = axis.run_at(rest % axis.count().max(1))?;
                    rest /= axis.count().max(1);
                    if i + 1 == axes.len() {
                        length = run.length;
                    }
                    place.push(run.at);
                }
                place.reverse();
                (rest == 0).then_some(length)
            }
            Self::Rows(rows) => {
                let next = rows.lengths.partition_point(|row| row[1] <= number);
                let row = next.checked_sub(1)?;
                let [length, before] = rows.lengths[row];
                let begin = number - before;
                place.extend_from_slice(&rows.starts[row * rows.rank..][..rows.rank]);
                *place.last_mut()? += begin;
                length.checked_sub(begin).filter(|&left| left > 0)
            }
        }
    }
}

impl Rows {
    fn start(&self, row: usize) -> &[u64] {
        &self.starts[row * self.rank..][..self.rank]
    }

    fn runs_in(&self, leading: &[u64], from: u64, end: u64, found: &mut Vec<Run>) {
        let outer = self.rank - 1;
        // The first row that ends behind `from`.
        let mut low = 0;
        let mut high = self.lengths.len();
        while low < high {
            let middle = low.midpoint(high);
            let start = self.start(middle);
            let is_before = match start[..outer].cmp(leading) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => start[outer] + self.lengths[middle][0] <= from,
                std::cmp::Ordering::Greater => false,
            };
            if is_before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for row in low..self.lengths.len() {
            let (start, [length, before]) = (self.start(row), self.lengths[row]);
            if &start[..outer] != leading || start[outer] >= end {
                return;
            }
            let at = start[outer].max(from);
            found.push(Run {
                number: before + (at - start[outer]),
                at,
                length: (start[outer] + length).min(end) - at,
            });
        }
    }
}

/// Boxes as a product of axes if they are one, else row by row.
fn of_boxes(rank: usize, corners: &[u64]) -> Result<Ordered, String> {
    let boxes = corners.chunks_exact(2 * rank);
    let mut elements = 0_u64;
    let mut spans: Vec<BTreeSet<(u64, u64)>> = vec![BTreeSet::new(); rank];
    for one in boxes.clone() {
        let mut all = 1_u64;
        for (axis, spans) in spans.iter_mut().enumerate() {
            let (first, last) = (one[axis], one[rank + axis]);
            let length = last.saturating_sub(first).saturating_add(1);
            spans.insert((first, length));
            all = all.saturating_mul(length);
        }
        elements = elements.saturating_add(all);
    }
    let is_apart = |spans: &BTreeSet<(u64, u64)>| {
        let ends = spans
            .iter()
            .map(|&(first, length)| first.saturating_add(length));
        ends.zip(spans.iter().skip(1))
            .all(|(end, next)| end <= next.0)
    };
    // HDF5 writes boxes that do not overlap: as many elements as combinations are all of them.
    if spans.iter().all(is_apart) {
        let axes: Vec<Axis> = spans.into_iter().map(Axis::runs).collect();
        let product = Ordered::Product(axes);
        if product.count() == elements {
            return Ok(product);
        }
    }
    by_rows(rank, boxes)
}

fn by_rows<'a>(
    rank: usize,
    boxes: impl Iterator<Item = &'a [u64]> + Clone,
) -> Result<Ordered, String> {
    let rows_of = |one: &[u64]| {
        let lengths = (0..rank - 1).map(|axis| one[rank + axis] - one[axis] + 1);
        lengths.fold(1, u64::saturating_mul)
    };
    let count = boxes.clone().map(rows_of).fold(0, u64::saturating_add);
    if count.saturating_mul(rank as u64) > MOST_ROWS {
        return Err(format!("a selection of {count} separate rows"));
    }
    let mut rows: Vec<(Vec<u64>, u64)> = Vec::with_capacity(count as usize);
    for one in boxes {
        for number in 0..rows_of(one) {
            let mut start = one[..rank].to_vec();
            let mut rest = number;
            for axis in (0..rank - 1).rev() {
                let length = one[rank + axis] - one[axis] + 1;
                start[axis] += rest % length;
                rest /= length;
            }
            let length = one[2 * rank - 1] - one[rank - 1];
            rows.push((start, length.saturating_add(1)));
        }
    }
    rows.sort_unstable();
    let mut found = Rows {
        rank,
        starts: Vec::with_capacity(rows.len() * rank),
        lengths: Vec::with_capacity(rows.len()),
    };
    let mut before = 0_u64;
    let mut end: Vec<u64> = Vec::new();
    for (start, length) in rows {
        // What two boxes share is one element.
        let overlaps = !end.is_empty()
            && end[..rank - 1] == start[..rank - 1]
            && start[rank - 1] < end[rank - 1];
        if overlaps {
            return Err("a selection whose boxes overlap".to_owned());
        }
        end.clone_from(&start);
        end[rank - 1] = end[rank - 1].saturating_add(length);
        found.starts.extend_from_slice(&start);
        found.lengths.push([length, before]);
        before = before.saturating_add(length);
    }
    Ok(Ordered::Rows(found))
}

/// The axis along which a selection goes on without end.
pub(super) fn endless_axis(selection: &ElementSelection) -> Option<usize> {
    let ElementSelection::Regular { axes } = selection else {
        return None;
    };
    let is_endless = |axis: &[u64; 4]| axis[2] == UNLIMITED || axis[3] == UNLIMITED;
    axes.iter().position(is_endless)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(ordered: &Ordered) -> Vec<Vec<u64>> {
        let mut place = Vec::new();
        let count = ordered.count();
        (0..count)
            .map(|number| {
                ordered.place_of(number, &mut place).unwrap();
                place.clone()
            })
            .collect()
    }

    /// Elements by looking at every row of an array of 4 by 7.
    fn by_looking(ordered: &Ordered) -> Vec<(u64, Vec<u64>)> {
        let mut all = Vec::new();
        for row in 0..4 {
            // In two halves, which must not matter.
            for (from, length) in [(0, 3), (3, 4)] {
                let mut runs = Vec::new();
                ordered.runs_in(&[row, from], length, &mut runs);
                for run in runs {
                    all.extend((0..run.length).map(|i| (run.number + i, vec![row, run.at + i])));
                }
            }
        }
        all
    }

    fn check(selection: &ElementSelection, expected: &[[u64; 2]], is_product: bool) {
        let ordered = Ordered::of(selection, &[4, 7]).unwrap();
        assert_eq!(matches!(ordered, Ordered::Product(_)), is_product);
        assert_eq!(elements(&ordered), expected);
        let numbered: Vec<(u64, Vec<u64>)> =
            (0..).zip(expected.iter().map(|at| at.to_vec())).collect();
        assert_eq!(by_looking(&ordered), numbered);
    }

    #[test]
    fn elements_are_in_row_major_order_in_every_form() {
        let boxes = |corners: &[[u64; 4]]| ElementSelection::Boxes {
            rank: 2,
            corners: corners.concat(),
        };
        // Two columns of two rows, as HDF5's boxes; and a corner that is missing.
        let product = boxes(&[[1, 0, 1, 0], [1, 4, 1, 4], [3, 0, 3, 0], [3, 4, 3, 4]]);
        check(&product, &[[1, 0], [1, 4], [3, 0], [3, 4]], true);
        let rows = boxes(&[[0, 5, 1, 6], [1, 1, 2, 2]]);
        let expected = [
            [0, 5],
            [0, 6],
            [1, 1],
            [1, 2],
            [1, 5],
            [1, 6],
            [2, 1],
            [2, 2],
        ];
        check(&rows, &expected, false);
        let regular = ElementSelection::Regular {
            axes: vec![[0, 3, 2, 1], [2, 3, 2, 2]],
        };
        let expected = [
            [0, 2],
            [0, 3],
            [0, 5],
            [0, 6],
            [3, 2],
            [3, 3],
            [3, 5],
            [3, 6],
        ];
        check(&regular, &expected, true);
        check(&ElementSelection::None, &[], true);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let regular = ElementSelection::Regular {
            axes: vec![[0, 1, 1, 1]],
        };
        assert!(Ordered::of(&regular, &[4, 7]).is_err());
        let far = u64::MAX >> 1;
        let many = ElementSelection::Boxes {
            rank: 2,
            corners: vec![0, 0, far, 1, 5, 5, far, 9],
        };
        assert!(Ordered::of(&many, &[4, 7]).is_err());
    }
}
