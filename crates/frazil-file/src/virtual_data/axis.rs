//! Elements that are selected along one axis, counted in their order.

use std::ops::Range;

use frazil_types::AxisSelection;

/// A number that stands for no limit.
pub(super) const UNLIMITED: u64 = u64::MAX;

/// Elements along an axis, of which only the first `count` are meant.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    form: Form,
    count: u64,
}

#[derive(Debug, Clone)]
enum Form {
    /// Runs of `size` from `start` on, every `stride`.
    Pattern { start: u64, stride: u64, size: u64 },
    /// First element, length, and elements before, of runs in their order.
    Runs(Vec<[u64; 3]>),
}

/// Some elements that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Number of the first one in the order of the selection.
    pub(super) number: u64,
    /// Where it is.
    pub(super) at: u64,
    /// How many they are.
    pub(super) length: u64,
}

impl Axis {
    /// So many elements from the first on.
    pub(super) fn all(extent: u64) -> Self {
        Self::pattern([0, 1, 1, extent])
    }

    /// Start, stride, count and size of runs.
    pub(super) fn pattern([start, stride, count, length]: [u64; 4]) -> Self {
        let is_one_run = stride == length || count == 1;
        let (stride, size) = match is_one_run {
            true => (UNLIMITED, UNLIMITED),
            false => (stride.max(1), length),
        };
        let elements = match count {
            0 => 0,
            1 => length,
            _ => count.saturating_mul(length),
        };
        Self {
            form: Form::Pattern {
                start,
                stride,
                size,
            },
            count: elements,
        }
    }

    /// First element and length of runs, which do not overlap, in their order.
    pub(super) fn runs(runs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut count = 0_u64;
        let mut all: Vec<[u64; 3]> = Vec::new();
        for (at, length) in runs {
            match all.last_mut() {
                Some(last) if last[0].saturating_add(last[1]) == at => last[1] += length,
                _ => all.push([at, length, count]),
            }
            count = count.saturating_add(length);
        }
        Self {
            form: Form::Runs(all),
            count,
        }
    }

    /// The first so many of the elements.
    pub(super) fn first(mut self, count: u64) -> Self {
        self.count = self.count.min(count);
        self
    }

    /// How many they are.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The first element behind the last one.
    pub(super) fn end(&self) -> u64 {
        match self.count.checked_sub(1).and_then(|last| self.run_at(last)) {
            Some(last) => last.at.saturating_add(1),
            None => 0,
        }
    }

    /// How many lie before an element of the array.
    pub(super) fn before(&self, at: u64) -> u64 {
        let number = match &self.form {
            Form::Pattern {
                start,
                stride,
                size,
            } => {
                let behind = at.saturating_sub(*start);
                let (whole, rest) = (behind / stride, behind % stride);
                whole.saturating_mul(*size).saturating_add(rest.min(*size))
            }
            Form::Runs(runs) => {
                let next = runs.partition_point(|run| run[0] < at);
                match next.checked_sub(1).map(|i| runs[i]) {
                    Some([first, length, before]) => before + length.min(at - first),
                    None => 0,
                }
            }
        };
        number.min(self.count)
    }

    /// How many libhdf5 counts in an array of a length (`H5S_hyper_get_clip_extent_match`): of runs without end, the
    /// first one counts whole, also if the array ends inside it.
    pub(super) fn counted_in(&self, length: u64) -> u64 {
        match &self.form {
            Form::Pattern {
                start,
                stride,
                size,
            } if *size != UNLIMITED && length > *start && length - start <= *stride => {
                (*size).min(self.count)
            }
            _ => self.before(length),
        }
    }

    /// The element of a number, and those that follow it without a gap.
    pub(super) fn run_at(&self, number: u64) -> Option<Run> {
        let left = self.count.checked_sub(number).filter(|&left| left > 0)?;
        let (at, length) = match &self.form {
            Form::Pattern {
                start,
                stride,
                size,
            } => {
                let (whole, rest) = (number / size, number % size);
                let begin = start.checked_add(whole.checked_mul(*stride)?)?;
                (begin.checked_add(rest)?, size - rest)
            }
            Form::Runs(runs) => {
                let next = runs.partition_point(|run| run[2] <= number);
                let [first, length, before] = runs[next.checked_sub(1)?];
                (first + (number - before), length - (number - before))
            }
        };
        Some(Run {
            number,
            at,
            length: length.min(left),
        })
    }

    /// The runs of elements of these numbers, in their order.
    pub(super) fn runs_of(&self, from: u64, end: u64) -> impl Iterator<Item = Run> + '_ {
        let mut next = from;
        std::iter::from_fn(move || {
            let mut run = self.run_at(next).filter(|_| next < end)?;
            run.length = run.length.min(end - next);
            next += run.length;
            Some(run)
        })
    }

    /// The elements of these numbers, to be read.
    pub(super) fn selection(&self, numbers: Range<u64>) -> AxisSelection {
        let mut runs = self.runs_of(numbers.start, numbers.end);
        let first = runs.next().map_or((0, 0), |run| (run.at, run.length));
        if first.1 == numbers.end.saturating_sub(numbers.start) {
            return AxisSelection::dense(first.0, first.1);
        }
        if let Form::Pattern {
            stride, size: 1, ..
        } = self.form
        {
            return AxisSelection::Range {
                start: first.0,
                count: numbers.end - numbers.start,
                stride,
            };
        }
        let rest = runs.flat_map(|run| run.at..run.at + run.length);
        let all = (first.0..first.0 + first.1).chain(rest);
        AxisSelection::List(all.collect())
    }

    /// All of them.
    #[cfg(test)]
    fn elements(&self) -> Vec<u64> {
        let runs = self.runs_of(0, self.count);
        runs.flat_map(|run| run.at..run.at + run.length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_in_every_form() {
        let pattern = Axis::pattern([1, 5, 3, 2]);
        let runs = Axis::runs([(1, 2), (6, 1), (7, 1), (11, 2)]);
        for axis in [pattern, runs] {
            assert_eq!(axis.elements(), [1, 2, 6, 7, 11, 12]);
            let before: Vec<u64> = (0..14).map(|at| axis.before(at)).collect();
            assert_eq!(before, [0, 0, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6]);
            assert_eq!((axis.count(), axis.end()), (6, 13));
            let first = axis.first(3);
            assert_eq!(first.elements(), [1, 2, 6]);
            assert_eq!((first.before(100), first.end()), (3, 7));
        }
    }

    #[test]
    fn what_has_no_end_can_be_cut() {
        let blocks = Axis::pattern([2, 4, UNLIMITED, 3]).first(4);
        assert_eq!(blocks.elements(), [2, 3, 4, 6]);
        let one = Axis::pattern([7, 1, 1, UNLIMITED]).first(2);
        assert_eq!(one.elements(), [7, 8]);
        let joined = Axis::pattern([3, 2, UNLIMITED, 2]).first(3);
        assert_eq!(joined.elements(), [3, 4, 5]);
        assert_eq!(Axis::pattern([5, 1, 0, 1]).end(), 0);
        assert_eq!(Axis::all(0).elements(), [0; 0]);
    }
}
