//! Pairs of neighbours in a box of values, counted.
//!
//! Values are copied to a small staging buffer in an order that makes all pairs of one box pairs
//! (i, i + stride) of the buffer. Between rows that are no neighbours lies a gap of values that are
//! left out, and so everything that has to be left out is left out in the same way: its bits are
//! cleared, and those of its mask.

use std::ops::Range;

use frazil_types::{ProtectedValues, Selection};

use super::counter::BitCounter;
use super::counts::{BitUse, PairCounts, VariableCounts};
use super::groups::{Grouping, pieces};
use super::mask::{Mask, note_use};
use super::words::Word;

/// Bytes of the staging buffer: it and its mask stay in the nearest cache.
const STAGING_BYTES: usize = 24 << 10;
/// Rows are not cut shorter than this many elements.
const LEAST_ROW: usize = 64;

/// Bytes that counting one box allocates at most, beside the box itself.
#[must_use]
pub fn working_bytes(grouping: &Grouping, element_bytes: usize) -> u64 {
    let counts = 3 * 8 * 8 * element_bytes as u64;
    let groups = grouping.count() as u64 + 2;
    // The counters' planes and totals, and the staging buffer with its mask.
    let planes = 3 * (36 * 32 + 8 * 8 * element_bytes as u64);
    groups * (counts + 80) + planes + 2 * STAGING_BYTES as u64 + 1024
}

/// Counts the pairs of neighbours along one axis of one variable.
#[derive(Debug, Clone)]
pub struct PairCounter {
    grouping: Grouping,
    masks: Masks,
}

#[derive(Debug, Clone)]
enum Masks {
    Float32(Mask<u32>),
    Float64(Mask<u64>),
}

impl PairCounter {
    /// For little-endian IEEE 754 values of 4 or 8 bytes; `None` for other sizes.
    #[must_use]
    pub fn new(
        element_bytes: usize,
        grouping: Grouping,
        protected: &ProtectedValues,
    ) -> Option<Self> {
        let masks = match element_bytes {
            4 => Masks::Float32(Mask::new(protected)),
            8 => Masks::Float64(Mask::new(protected)),
            _ => return None,
        };
        Some(Self { grouping, masks })
    }

    /// The groups it counts.
    #[must_use]
    pub fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    /// Counts the pairs inside `part` of the array, whose `values` these are, row-major.
    ///
    /// `overlaps`: the last plane along the axis is the first one of another box; its values count
    /// as partners only. `None` if there are not as many values as the box has elements.
    #[must_use]
    pub fn count(&self, values: &[u8], part: &Selection, overlaps: bool) -> Option<VariableCounts> {
        match &self.masks {
            Masks::Float32(mask) => count::<u32, 8>(values, part, overlaps, &self.grouping, mask),
            Masks::Float64(mask) => count::<u64, 4>(values, part, overlaps, &self.grouping, mask),
        }
    }
}

fn count<W: Word, const L: usize>(
    values: &[u8],
    part: &Selection,
    overlaps: bool,
    grouping: &Grouping,
    mask: &Mask<W>,
) -> Option<VariableCounts> {
    let bytes = part.elements()?.checked_mul((W::BITS / 8) as u64)?;
    if bytes != values.len() as u64 || grouping.axis >= part.count.len() {
        return None;
    }
    let extents = part
        .count
        .iter()
        .map(|&n| usize::try_from(n).ok())
        .collect::<Option<Vec<usize>>>()?;
    let mut counts = VariableCounts::default();
    let mut staging = Staging::<W, L>::new(mask);
    for (level, level_start, level_count) in
        pieces(grouping.levels.as_ref(), &part.start, &part.count)
    {
        for (sample, sample_start, sample_count) in
            pieces(grouping.samples.as_ref(), &part.start, &part.count)
        {
            let mut cell = Cell::new(&extents, grouping.axis);
            if let Some(bands) = &grouping.levels {
                cell.narrow(bands.axis, level_start, level_count)?;
            }
            if let Some(bands) = &grouping.samples {
                cell.narrow(bands.axis, sample_start, sample_count)?;
            }
            cell.stage(values, overlaps, &mut staging);
            counts.add_cell(level, sample, &staging.take());
        }
    }
    counts.bits = staging.bits;
    Some(counts)
}

/// A part of a box.
struct Cell<'a> {
    /// The whole box's extents.
    extents: &'a [usize],
    start: Vec<usize>,
    count: Vec<usize>,
    axis: usize,
}

impl<'a> Cell<'a> {
    fn new(extents: &'a [usize], axis: usize) -> Self {
        Self {
            extents,
            start: vec![0; extents.len()],
            count: extents.to_vec(),
            axis,
        }
    }

    fn narrow(&mut self, axis: usize, start: u64, count: u64) -> Option<()> {
        self.start[axis] = usize::try_from(start).ok()?;
        self.count[axis] = usize::try_from(count).ok()?;
        Some(())
    }

    /// Hands over all values, block by block: a block is all rows along the axis that begin next to
    /// each other.
    fn stage<W: Word, const L: usize>(
        &self,
        values: &[u8],
        overlaps: bool,
        staging: &mut Staging<'_, W, L>,
    ) {
        let mut strides = vec![1; self.extents.len()];
        for axis in (1..self.extents.len()).rev() {
            strides[axis - 1] = strides[axis] * self.extents[axis];
        }
        // Axes that are faster than the analysed one join rows as long as they are whole.
        let mut row = 1;
        let mut joined = self.extents.len();
        while joined > self.axis + 1 {
            joined -= 1;
            row *= self.count[joined];
            if self.count[joined] < self.extents[joined] {
                break;
            }
        }
        let outer: Vec<usize> = (0..joined).filter(|&i| i != self.axis).collect();
        let first: usize = self
            .start
            .iter()
            .zip(&strides)
            .map(|(s, stride)| s * stride)
            .sum();
        let mut at = vec![0; outer.len()];
        loop {
            let offset: usize = outer.iter().zip(&at).map(|(&i, n)| n * strides[i]).sum();
            let block = Block {
                first: first + offset,
                rows: self.count[self.axis],
                stride: strides[self.axis],
                row,
            };
            staging.push(values, block, overlaps);
            let next = (0..outer.len())
                .rev()
                .find(|&i| at[i] + 1 < self.count[outer[i]]);
            let Some(next) = next else { return };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }
}

/// Rows of values, all of which but the last have neighbours one stride further on.
#[derive(Clone, Copy)]
struct Block {
    /// The first element.
    first: usize,
    rows: usize,
    /// Elements from one row's beginning to the next one's.
    stride: usize,
    /// Elements per row.
    row: usize,
}

struct Staging<'a, W: Word, const L: usize> {
    mask: &'a Mask<W>,
    words: Vec<W>,
    valid: Vec<W>,
    /// Distance of neighbours.
    stride: usize,
    /// Elements in gaps.
    gaps: u64,
    /// Rows that will be seen again.
    repeated: Vec<Range<usize>>,
    counters: [BitCounter<W, L>; 3],
    pairs: u64,
    bits: BitUse,
}

impl<'a, W: Word, const L: usize> Staging<'a, W, L> {
    const CAPACITY: usize = STAGING_BYTES / (W::BITS / 8);

    fn new(mask: &'a Mask<W>) -> Self {
        Self {
            mask,
            words: Vec::with_capacity(Self::CAPACITY),
            valid: Vec::with_capacity(Self::CAPACITY),
            stride: 0,
            gaps: 0,
            repeated: Vec::new(),
            counters: std::array::from_fn(|_| BitCounter::new()),
            pairs: 0,
            bits: BitUse::default(),
        }
    }

    /// Takes in a block, in pieces that fit.
    fn push(&mut self, values: &[u8], block: Block, overlaps: bool) {
        let row = (Self::CAPACITY / (block.rows + 1))
            .max(LEAST_ROW)
            .min(block.row);
        let rows = (Self::CAPACITY / row - 1).min(block.rows);
        for inner in (0..block.row).step_by(row) {
            let mut begin = 0;
            loop {
                let end = (begin + rows).min(block.rows);
                let is_last = end == block.rows;
                let piece = Block {
                    first: block.first + begin * block.stride + inner,
                    rows: end - begin,
                    stride: block.stride,
                    row: row.min(block.row - inner),
                };
                self.push_piece(values, piece, overlaps || !is_last);
                if is_last {
                    break;
                }
                begin = end - 1;
            }
        }
    }

    fn push_piece(&mut self, values: &[u8], piece: Block, repeats_last: bool) {
        let size = W::BITS / 8;
        let needed = (piece.rows + 1) * piece.row;
        if self.stride != piece.row || self.words.len() + needed > Self::CAPACITY {
            self.flush();
            self.stride = piece.row;
        }
        if piece.stride == piece.row {
            let bytes = piece.first * size..(piece.first + piece.rows * piece.row) * size;
            W::extend_from_le(&values[bytes], &mut self.words);
        } else {
            for k in 0..piece.rows {
                let first = piece.first + k * piece.stride;
                let bytes = first * size..(first + piece.row) * size;
                W::extend_from_le(&values[bytes], &mut self.words);
            }
        }
        let end = self.words.len();
        if repeats_last {
            self.repeated.push(end - piece.row..end);
        }
        self.words.resize(end + piece.row, W::ONES);
        self.gaps += piece.row as u64;
    }

    /// Counts what is staged.
    fn flush(&mut self) {
        let n = self.words.len();
        if n == 0 {
            return;
        }
        self.valid.resize(n, W::ZERO);
        let (words, valid) = (&mut self.words[..], &mut self.valid[..n]);
        self.mask.apply(words, valid);
        let before = self.bits.ordinary;
        note_use(words, valid, &mut self.bits);
        let mut masked = n as u64 - (self.bits.ordinary - before) - self.gaps;
        for range in self.repeated.drain(..) {
            let valid_again: u64 = valid[range.clone()]
                .iter()
                .map(|v| u64::from(v.last_bit()))
                .sum();
            masked -= range.len() as u64 - valid_again;
        }
        self.bits.masked += masked;
        for (word, valid) in words.iter_mut().zip(valid.iter()) {
            *word = word.signed_exponent() & *valid;
        }
        let (a, b) = (&words[..n - self.stride], &words[self.stride..]);
        let (valid_a, valid_b) = (&valid[..n - self.stride], &valid[self.stride..]);
        let pairs: u32 = valid_a
            .iter()
            .zip(valid_b)
            .map(|(a, b)| (*a & *b).last_bit())
            .sum();
        self.pairs += u64::from(pairs);
        let [both, first, second] = &mut self.counters;
        both.add_and(a, b);
        first.add_and(a, valid_b);
        second.add_and(valid_a, b);
        self.words.clear();
        self.gaps = 0;
    }

    /// The counts since the last call.
    fn take(&mut self) -> PairCounts {
        self.flush();
        let mut counts = PairCounts::default();
        let lists = counts.sized(W::BITS);
        for (counter, list) in self.counters.iter_mut().zip(lists) {
            counter.take_into(list);
        }
        counts.pairs = std::mem::take(&mut self.pairs);
        counts
    }
}
