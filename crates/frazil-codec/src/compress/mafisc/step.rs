//! The steps of a method, by their letters.
//!
//! Source: `filter-cascade-filter.c`, `difference-filter.c`, `lorenzo-filter.c`, `sign-filter.c`.

use super::adaptive::{self, Learning};
use super::bits;
use super::number::Number;

/// Axes that the Lorenzo predictor is undone for: each doubles the work.
const LORENZO_RANK: usize = 8;

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// `al`, `as`: differences to the best of several predictions.
    Adaptive(Learning),
    /// `bb`: bits sorted within each number.
    BitsOfEach,
    /// `bg`: planes of bits.
    BitsOfAll,
    /// `d` and an axis (0 to 9, a to z; the fastest if there are not so many): differences along it.
    Difference(usize),
    /// `l`: differences along all axes.
    Lorenzo,
    /// `sn`: bits inverted but for the sign.
    SignInverted,
    /// `sr`: the sign becomes the lowest bit.
    SignRotated,
    /// `t`: differences to an earlier chunk, of which there is none.
    Time,
}

/// The steps that letters name, for chunks of so many axes; what is wrong with them, if anything.
pub(crate) fn parse(mut letters: &[u8], rank: usize) -> Result<Vec<Step>, &'static str> {
    let mut steps = Vec::new();
    while !letters.is_empty() {
        let (step, length) = match letters {
            [b'a', b'l', ..] => (Step::Adaptive(Learning::Last), 2),
            [b'a', b's', ..] => (Step::Adaptive(Learning::Rewards), 2),
            [b'b', b'b', ..] => (Step::BitsOfEach, 2),
            [b'b', b'g', ..] => (Step::BitsOfAll, 2),
            [b'd', axis @ b'0'..=b'9', ..] => (Step::Difference(usize::from(axis - b'0')), 2),
            [b'd', axis @ b'a'..=b'z', ..] => (Step::Difference(usize::from(axis - b'a') + 10), 2),
            [b's', b'n', ..] => (Step::SignInverted, 2),
            [b's', b'r', ..] => (Step::SignRotated, 2),
            [b'l', ..] if rank > LORENZO_RANK => return Err("differences along too many axes"),
            [b'l', ..] => (Step::Lorenzo, 1),
            [b't', ..] => (Step::Time, 1),
            _ => return Err("a method that this build does not know"),
        };
        // These remember what they saw, and the registered filter has one of each.
        if matches!(step, Step::Adaptive(_) | Step::Time) && steps.contains(&step) {
            return Err("a method that no encoder writes");
        }
        steps.push(step);
        letters = &letters[length..];
    }
    Ok(steps)
}

impl Step {
    /// Applies it to the numbers of a chunk.
    pub(crate) fn apply<T: Number>(self, numbers: &mut [T], shape: &[usize]) {
        match self {
            Self::Adaptive(learning) => adaptive::apply(learning, numbers, shape),
            Self::BitsOfEach => bits::sort_each(numbers),
            Self::BitsOfAll => bits::sort_all(numbers),
            Self::Difference(axis) => {
                for (range, offset) in runs(axis, shape).into_iter().rev() {
                    for i in range.rev() {
                        numbers[i] = numbers[i].minus(numbers[i - offset]);
                    }
                }
            }
            Self::Lorenzo => {
                let corners = corners(shape);
                for i in (0..numbers.len()).rev() {
                    numbers[i] = numbers[i].minus(predicted(&numbers[..i], &corners));
                }
            }
            Self::SignInverted => each(numbers, T::sign_inverted),
            Self::SignRotated => each(numbers, T::sign_to_lowest),
            Self::Time => {}
        }
    }

    /// Undoes [`Self::apply`].
    pub(crate) fn undo<T: Number>(self, numbers: &mut [T], shape: &[usize]) {
        match self {
            Self::Adaptive(learning) => adaptive::undo(learning, numbers, shape),
            Self::BitsOfEach => bits::unsort_each(numbers),
            Self::BitsOfAll => bits::unsort_all(numbers),
            Self::Difference(axis) => {
                for (range, offset) in runs(axis, shape) {
                    for i in range {
                        numbers[i] = numbers[i].plus(numbers[i - offset]);
                    }
                }
            }
            Self::Lorenzo => {
                let corners = corners(shape);
                for i in 0..numbers.len() {
                    numbers[i] = numbers[i].plus(predicted(&numbers[..i], &corners));
                }
            }
            Self::SignInverted => each(numbers, T::sign_inverted),
            Self::SignRotated => each(numbers, T::sign_to_highest),
            Self::Time => {}
        }
    }
}

fn each<T: Number>(numbers: &mut [T], change: impl Fn(T) -> T) {
    for number in numbers {
        *number = change(*number);
    }
}

/// Runs of elements with how far back the neighbour of each lies: at first the last element, and,
/// as soon as there is a row, plane, ... before it up to the axis, the one in that.
fn runs(axis: usize, shape: &[usize]) -> Vec<(std::ops::Range<usize>, usize)> {
    let count: usize = shape.iter().product();
    let mut starts = vec![(1, 1)];
    let (mut stride, mut first) = (1, 1);
    // The offset grows by at most one axis at each element.
    for slower in (axis + 1..shape.len()).rev() {
        stride *= shape[slower];
        let start = stride.max(first);
        starts.push((start, stride));
        first = start + 1;
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|&(start, _)| start)
        .chain([count]);
    let range = |(&(start, offset), end): (&(usize, usize), usize)| {
        (start.min(count)..end.min(count), offset)
    };
    starts.iter().zip(ends).map(range).collect()
}

/// How far back the corners of a cube lie, its last one left out, and whether they are subtracted.
fn corners(shape: &[usize]) -> Vec<(usize, bool)> {
    let mut corners = vec![(0, false)];
    let mut stride = 1;
    for &length in shape.iter().rev() {
        for i in 0..corners.len() {
            let (offset, is_odd) = corners[i];
            corners.push((offset + stride, !is_odd));
        }
        stride *= length;
    }
    corners.remove(0);
    corners
}

/// What the corners that come before the first missing one predict.
fn predicted<T: Number>(known: &[T], corners: &[(usize, bool)]) -> T {
    let there = corners
        .iter()
        .take_while(|&&(offset, _)| offset <= known.len());
    there.fold(T::default(), |sum, &(offset, is_odd)| {
        let corner = known[known.len() - offset];
        if is_odd {
            sum.plus(corner)
        } else {
            sum.minus(corner)
        }
    })
}
