//! Whether an element's row-major index in its variable is odd.
//!
//! Only the last bit of indices and strides matters, so no product can overflow.

use super::block::{Block, LANES};
use super::place::BoxPlace;
use super::word::Word;

/// Walks a box in row-major order, run by run: within a run, indices in the variable follow each
/// other, so even and odd alternate.
#[derive(Debug, Clone)]
pub(super) struct Parity {
    /// Elements of a run.
    run: u64,
    /// Dimensions outside a run, slowest first.
    outer: Vec<Axis>,
    /// Parity of the run's first element, as far as its own dimension goes.
    inner_odd: bool,
    /// Elements of the current run that are still to come.
    left: u64,
    /// Whether the next element's index is odd.
    next_odd: bool,
}

#[derive(Debug, Clone)]
struct Axis {
    start: u64,
    count: u64,
    index: u64,
    /// Whether a step along this dimension changes the parity.
    stride_odd: bool,
}

impl Parity {
    /// Starts at the first element of the box. All three slices must have the same length.
    pub(super) fn new(place: &BoxPlace<'_>) -> Self {
        let rank = place.shape.len();
        let whole =
            |axis: &usize| place.start[*axis] == 0 && place.count[*axis] == place.shape[*axis];
        // Whole dimensions at the end belong to the run, and the one before them does.
        let whole_at_end = (0..rank).rev().take_while(whole).count();
        let inner = rank.saturating_sub(whole_at_end + 1);
        let stride_odd = |axis: usize| place.shape[axis + 1..].iter().all(|n| n % 2 == 1);
        let outer = (0..inner).map(|axis| Axis {
            start: place.start[axis],
            count: place.count[axis],
            index: 0,
            stride_odd: stride_odd(axis),
        });
        let mut parity = Self {
            run: place.count[inner..].iter().product(),
            outer: outer.collect(),
            inner_odd: rank > 0 && stride_odd(inner) && place.start[inner] % 2 == 1,
            left: 0,
            next_odd: false,
        };
        parity.begin_run();
        parity
    }

    /// Whether even and odd alternate over the whole box.
    pub(super) fn alternates(&self) -> bool {
        let same_start = self.outer.iter().all(|axis| !axis.stride_odd);
        self.outer.is_empty() || (same_start && self.run.is_multiple_of(2))
    }

    /// Sets all bits where the next elements are odd, and none where they are even.
    pub(super) fn fill<W: Word>(&mut self, odd: &mut Block<W>) {
        let mut filled = 0;
        while filled < LANES {
            if self.left == 0 {
                self.step();
                // An empty box has nothing to fill.
                if self.left == 0 {
                    return;
                }
            }
            let room = LANES - filled;
            let length = usize::try_from(self.left).map_or(room, |left| left.min(room));
            let first = usize::from(self.next_odd);
            for (i, mask) in odd[filled..filled + length].iter_mut().enumerate() {
                *mask = if (first + i) % 2 == 1 {
                    W::ONES
                } else {
                    W::default()
                };
            }
            filled += length;
            self.left -= length as u64;
            self.next_odd ^= length % 2 == 1;
        }
    }

    /// Goes to the next run; after the last one, back to the first.
    fn step(&mut self) {
        for axis in self.outer.iter_mut().rev() {
            axis.index += 1;
            if axis.index < axis.count {
                break;
            }
            axis.index = 0;
        }
        self.begin_run();
    }

    fn begin_run(&mut self) {
        let odd = |axis: &Axis| axis.stride_odd && axis.start.wrapping_add(axis.index) % 2 == 1;
        let odd_axes = self.outer.iter().filter(|axis| odd(axis)).count();
        self.next_odd = self.inner_odd ^ (odd_axes % 2 == 1);
        self.left = self.run;
    }
}
