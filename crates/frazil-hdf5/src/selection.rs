//! Selections: which elements of an array are meant, by a reference or a virtual dataset.

use std::fmt;

use crate::cursor::Cursor;
use crate::dataspace::Extent;
use crate::error::{Result, damaged, unsupported};

/// `H5S_UNLIMITED`: a pattern goes on without end.
const UNLIMITED: u64 = u64::MAX;
/// Most axes that HDF5 knows (`H5S_MAX_RANK`).
const MAX_RANK: u32 = 32;
/// A few bytes of a file can stand for any number of boxes: not more numbers than these are written out.
const MOST_NUMBERS: u64 = 1 << 20;

/// The elements that are selected of an array, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Nothing.
    None,
    /// Everything.
    All,
    /// Single elements, one after the other: `rank` numbers each.
    Points {
        /// Numbers of each.
        rank: usize,
        /// The numbers.
        at: Vec<u64>,
    },
    /// Boxes: the first and the last element of each, `rank` numbers each.
    Boxes {
        /// Numbers of each corner.
        rank: usize,
        /// The corners.
        corners: Vec<u64>,
    },
    /// Boxes in a regular pattern, which may go on without end: start, stride, count and size of
    /// them along each axis.
    Regular {
        /// The four numbers of each axis.
        axes: Vec<[u64; 4]>,
    },
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = |rank: &usize, numbers: &[u64]| -> String {
            let each = numbers.chunks_exact((*rank).max(1));
            each.map(|at| format!(" {at:?}")).collect()
        };
        match self {
            Self::None => f.write_str("(nothing)"),
            Self::All => f.write_str("(all)"),
            Self::Points { rank, at } => write!(f, "points{}", places(rank, at)),
            Self::Boxes { rank, corners } => write!(f, "boxes{}", places(rank, corners)),
            Self::Regular { axes } => {
                f.write_str("boxes")?;
                axes.iter().try_for_each(|[start, stride, count, size]| {
                    match *count == UNLIMITED || *size == UNLIMITED {
                        true => write!(f, " [{start} and on, every {stride}]"),
                        false => write!(f, " [{count} of {size} from {start}, every {stride}]"),
                    }
                })
            }
        }
    }
}

impl Selection {
    /// Decodes a selection, and passes over it.
    pub(crate) fn decode(at: &mut Cursor<'_>) -> Result<Self> {
        match at.u32()? {
            0 => nothing_more(at).map(|()| Self::None),
            1 => decode_points(at),
            2 => decode_boxes(at),
            3 => nothing_more(at).map(|()| Self::All),
            kind => Err(damaged(format!(
                "a selection is of kind {kind}, which is none"
            ))),
        }
    }

    /// How many elements these are, one block of those that go on without end; `None`: all of an array, or a block
    /// without end.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        match self {
            Self::None => Some(0),
            Self::All => None,
            Self::Points { rank, at } => Some((at.len() / (*rank).max(1)) as u64),
            Self::Boxes { rank, corners } => {
                let mut all = 0_u64;
                for both in corners.chunks_exact(2 * (*rank).max(1)) {
                    let (first, last) = both.split_at(*rank);
                    let lengths = first.iter().zip(last);
                    let mut lengths = lengths.map(|(a, b)| b.saturating_sub(*a).saturating_add(1));
                    let elements = lengths.try_fold(1_u64, u64::checked_mul)?;
                    all = all.checked_add(elements)?;
                }
                Some(all)
            }
            Self::Regular { axes } => {
                let mut lengths = axes
                    .iter()
                    .map(|[_, _, count, size]| match (*count, *size) {
                        (_, UNLIMITED) => None,
                        (UNLIMITED, size) => Some(size),
                        (count, size) => count.checked_mul(size),
                    });
                lengths.try_fold(1_u64, |all, length| all.checked_mul(length?))
            }
        }
    }

    /// The smallest array that has the elements; of everything, one of so many elements.
    #[must_use]
    pub fn least_extent(&self, elements: u64) -> Extent {
        let limited = |shape: Vec<u64>| Extent::Simple {
            max_shape: shape.iter().copied().map(Some).collect(),
            shape,
        };
        let behind = |rank: usize, places: &[u64]| {
            let mut shape = vec![1; rank];
            for at in places.chunks_exact(rank.max(1)) {
                for (length, at) in shape.iter_mut().zip(at) {
                    *length = at.saturating_add(1).max(*length);
                }
            }
            shape
        };
        match self {
            Self::None | Self::All => limited(vec![elements]),
            Self::Points { rank, at: places }
            | Self::Boxes {
                rank,
                corners: places,
            } => limited(behind(*rank, places)),
            Self::Regular { axes } => {
                let lengths = axes.iter().map(|[start, stride, count, size]| {
                    let before = match *count {
                        UNLIMITED => 0,
                        count => stride.saturating_mul(count.saturating_sub(1)),
                    };
                    let last = if *size == UNLIMITED { 1 } else { *size };
                    start.saturating_add(before).saturating_add(last)
                });
                Extent::Simple {
                    shape: lengths.collect(),
                    max_shape: vec![None; axes.len()],
                }
            }
        }
    }

    /// The same elements, whatever form the file has for them: boxes one by one, those joined that are neighbours, in
    /// the order of their first elements.
    ///
    /// # Errors
    /// If these are too many, or without end.
    pub fn spelled_out(self) -> Result<Self> {
        match self {
            Self::Regular { axes } => {
                let rank = axes.len();
                let corners = all_boxes(&axes)?;
                Ok(Self::Boxes { rank, corners })
            }
            Self::Boxes { rank, corners } => Ok(Self::Boxes {
                rank,
                corners: joined(rank, &corners),
            }),
            other => Ok(other),
        }
    }
}

fn version(at: &mut Cursor<'_>, latest: u32) -> Result<u32> {
    let version = at.u32()?;
    match (1..=latest).contains(&version) {
        true => Ok(version),
        false => Err(damaged(format!(
            "a selection has version {version}, which is none"
        ))),
    }
}

fn nothing_more(at: &mut Cursor<'_>) -> Result<()> {
    version(at, 1)?;
    at.skip(8)
}

fn rank(at: &mut Cursor<'_>) -> Result<usize> {
    match at.u32()? {
        rank @ 1..=MAX_RANK => Ok(rank as usize),
        rank => Err(damaged(format!("a selection claims {rank} axes"))),
    }
}

/// Bytes of each number.
fn number_bytes(at: &mut Cursor<'_>) -> Result<usize> {
    match at.u8()? {
        size @ (2 | 4 | 8) => Ok(size.into()),
        _ => Err(damaged("a selection has numbers of no known size")),
    }
}

/// Numbers of so many bytes, which are there.
fn numbers(at: &mut Cursor<'_>, count: u64, each: usize, size: usize) -> Result<Vec<u64>> {
    let there = at.rest().len() / size / each.max(1);
    match usize::try_from(count).ok().filter(|&count| count <= there) {
        Some(count) => (0..count * each).map(|_| at.uint(size)).collect(),
        None => Err(damaged("a selection ends too early")),
    }
}

fn decode_points(at: &mut Cursor<'_>) -> Result<Selection> {
    let size = match version(at, 2)? {
        1 => at.skip(8).map(|()| 4)?,
        _ => number_bytes(at)?,
    };
    let rank = rank(at)?;
    let count = at.uint(size)?;
    let at = numbers(at, count, rank, size)?;
    Ok(Selection::Points { rank, at })
}

fn decode_boxes(at: &mut Cursor<'_>) -> Result<Selection> {
    const IS_REGULAR: u8 = 1;
    let (flags, size) = match version(at, 3)? {
        1 => at.skip(8).map(|()| (0, 4))?,
        2 => {
            let flags = at.u8()?;
            at.skip(4).map(|()| (flags, 8))?
        }
        _ => (at.u8()?, number_bytes(at)?),
    };
    if flags & !IS_REGULAR != 0 {
        return Err(damaged("a selection has flags that there are not"));
    }
    let rank = rank(at)?;
    if flags & IS_REGULAR == 0 {
        let count = at.uint(size)?;
        let corners = numbers(at, count, 2 * rank, size)?;
        let is_box = |both: &[u64]| (0..rank).all(|axis| both[axis] <= both[rank + axis]);
        return match corners.chunks_exact(2 * rank).all(is_box) {
            true => Ok(Selection::Boxes { rank, corners }),
            false => Err(damaged("a box of a selection ends before it begins")),
        };
    }
    let most = u64::MAX >> (64 - 8 * size);
    let mut axes = Vec::with_capacity(rank);
    for _ in 0..rank {
        let four = numbers(at, 1, 4, size)?;
        let or_unlimited = |number| if number == most { UNLIMITED } else { number };
        let axis = [
            four[0],
            four[1],
            or_unlimited(four[2]),
            or_unlimited(four[3]),
        ];
        check_pattern(axis)?;
        axes.push(axis);
    }
    Ok(Selection::Regular { axes })
}

/// Boxes do not overlap, and their last element has a number.
fn check_pattern([start, stride, count, size]: [u64; 4]) -> Result<()> {
    let is_endless = count == UNLIMITED || size == UNLIMITED;
    let last = || {
        let before = stride.checked_mul(count.saturating_sub(1))?;
        start.checked_add(before)?.checked_add(size)
    };
    let overlaps = count > 1 && (stride == 0 || (size > stride && size != UNLIMITED));
    match overlaps || (!is_endless && last().is_none()) {
        true => Err(damaged("the pattern of a selection is none")),
        false => Ok(()),
    }
}

/// The corners of all boxes of a pattern, row-major.
fn all_boxes(axes: &[[u64; 4]]) -> Result<Vec<u64>> {
    let rank = axes.len();
    let mut parts: Vec<[u64; 4]> = Vec::with_capacity(rank);
    for &[start, stride, count, size] in axes {
        if count == UNLIMITED || size == UNLIMITED {
            return Err(unsupported("a selection without end"));
        }
        // Boxes that touch are one.
        parts.push(match stride == size {
            true => [start, 1, u64::from(count > 0), count.saturating_mul(size)],
            false => [start, stride, count, size],
        });
    }
    if parts
        .iter()
        .any(|&[_, _, count, size]| count == 0 || size == 0)
    {
        return Ok(Vec::new());
    }
    let boxes = parts
        .iter()
        .fold(1_u64, |all, part| all.saturating_mul(part[2]));
    if boxes.saturating_mul(2 * rank as u64) > MOST_NUMBERS {
        return Err(unsupported(format!(
            "a selection of {boxes} separate boxes"
        )));
    }
    let mut corners = Vec::with_capacity(boxes as usize * 2 * rank);
    for number in 0..boxes {
        let mut rest = number;
        let mut first = vec![0; rank];
        for axis in (0..rank).rev() {
            let [start, stride, count, _] = parts[axis];
            first[axis] = start.saturating_add(rest % count * stride);
            rest /= count;
        }
        let last = first.iter().zip(&parts);
        let last: Vec<u64> = last
            .map(|(at, part)| at.saturating_add(part[3] - 1))
            .collect();
        corners.extend(first);
        corners.extend(last);
    }
    Ok(corners)
}

/// Boxes that touch along one axis and are alike along the others become one, axis by axis.
fn joined(rank: usize, corners: &[u64]) -> Vec<u64> {
    let mut boxes: Vec<Vec<u64>> = corners
        .chunks_exact(2 * rank)
        .map(<[u64]>::to_vec)
        .collect();
    for axis in (0..rank).rev() {
        let others = |one: &[u64]| -> Vec<u64> {
            let numbers = one.iter().enumerate();
            let kept = numbers.filter(|(i, _)| i % rank != axis);
            kept.map(|(_, number)| *number).collect()
        };
        boxes.sort_by_cached_key(|one| (others(one), one[axis]));
        let mut kept: Vec<Vec<u64>> = Vec::with_capacity(boxes.len());
        for one in boxes {
            match kept.last_mut() {
                Some(last)
                    if others(last) == others(&one)
                        && one[axis] <= last[rank + axis].saturating_add(1) =>
                {
                    last[rank + axis] = last[rank + axis].max(one[rank + axis]);
                }
                _ => kept.push(one),
            }
        }
        boxes = kept;
    }
    boxes.sort();
    boxes.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::NumberSizes;

    fn decoded(words: &[u8]) -> Result<Selection> {
        let sizes = NumberSizes {
            address: 8,
            length: 8,
        };
        Selection::decode(&mut Cursor::new(words, sizes))
    }

    /// Bytes of numbers with their sizes.
    fn bytes(numbers: &[(u64, usize)]) -> Vec<u8> {
        let each = numbers.iter();
        each.flat_map(|(number, size)| number.to_le_bytes()[..*size].to_vec())
            .collect()
    }

    #[test]
    fn one_selection_is_the_same_in_every_form() {
        // Columns 1 to 2 and 4 to 5 of rows 0 to 1.
        let regular = [0, 1, 2, 1, 1, 3, 2, 2].map(|number| (number, 8));
        let regular = [
            vec![(2, 4), (2, 4), (1, 1), (0, 4), (2, 4)],
            regular.to_vec(),
        ]
        .concat();
        let rows = [[0, 1, 0, 2], [0, 4, 0, 5], [1, 1, 1, 2], [1, 4, 1, 5]].concat();
        let rows: Vec<(u64, usize)> = rows.into_iter().map(|number| (number, 4)).collect();
        let rows = [vec![(2, 4), (1, 4), (0, 8), (2, 4), (4, 4)], rows].concat();
        for form in [regular, rows] {
            let selection = decoded(&bytes(&form)).unwrap().spelled_out().unwrap();
            assert_eq!(selection.to_string(), "boxes [0, 1] [1, 2] [0, 4] [1, 5]");
        }
    }

    #[test]
    fn points_keep_their_order() {
        let points = [
            (1, 4),
            (2, 4),
            (2, 1),
            (2, 4),
            (2, 2),
            (3, 2),
            (4, 2),
            (0, 2),
            (1, 2),
        ];
        let selection = decoded(&bytes(&points)).unwrap().spelled_out().unwrap();
        assert_eq!(selection.to_string(), "points [3, 4] [0, 1]");
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        let most = u64::MAX;
        for damaged in [
            // Too many points, boxes without order, patterns without end or that overlap.
            vec![(1, 4), (2, 4), (8, 1), (1, 4), (most, 8)],
            vec![(2, 4), (1, 4), (0, 8), (1, 4), (1, 4), (5, 4), (4, 4)],
            vec![
                (2, 4),
                (3, 4),
                (1, 1),
                (8, 1),
                (1, 4),
                (0, 8),
                (1, 8),
                (3, 8),
                (2, 8),
            ],
            vec![
                (2, 4),
                (3, 4),
                (1, 1),
                (8, 1),
                (1, 4),
                (3, 8),
                (1, 8),
                (most - 1, 8),
                (1, 8),
            ],
            vec![(2, 4), (3, 4), (1, 1), (2, 1), (33, 4)],
            vec![(4, 4)],
        ] {
            let selection = decoded(&bytes(&damaged));
            assert!(selection.is_err(), "{selection:?}");
        }
        let many = [
            (2, 4),
            (3, 4),
            (1, 1),
            (4, 1),
            (1, 4),
            (0, 4),
            (2, 4),
            (1 << 30, 4),
            (1, 4),
        ];
        assert!(decoded(&bytes(&many)).unwrap().spelled_out().is_err());
    }

    #[test]
    fn an_array_has_room_for_what_is_selected_of_it() {
        let limited = |shape: &[u64]| Extent::Simple {
            shape: shape.to_vec(),
            max_shape: shape.iter().copied().map(Some).collect(),
        };
        let boxes = Selection::Boxes {
            rank: 2,
            corners: vec![0, 5, 1, 6, 3, 0, 3, 2],
        };
        assert_eq!(boxes.elements(), Some(7));
        assert_eq!(boxes.least_extent(7), limited(&[4, 7]));
        assert_eq!(Selection::All.elements(), None);
        assert_eq!(Selection::All.least_extent(12), limited(&[12]));
        let axes = vec![[1, 4, 3, 2], [0, 1, 1, 5]];
        let pattern = Selection::Regular { axes };
        assert_eq!(pattern.elements(), Some(30));
        assert_eq!(pattern.least_extent(30).shape(), [11, 5]);
        let axes = vec![[2, 3, UNLIMITED, 1], [0, 1, 1, 5]];
        let endless = Selection::Regular { axes };
        assert_eq!(endless.elements(), Some(5));
        assert_eq!(endless.least_extent(0).shape(), [3, 5]);
    }
}
