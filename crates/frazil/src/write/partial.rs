//! A chunk being gathered: its values so far, and which of them were written.

use frazil_pipeline::Charge;

use super::buffer::Buffer;
use super::writer::lost;
use crate::error::Result;

/// Which elements of a chunk were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mask {
    words: Vec<u64>,
    written: u64,
}

impl Mask {
    pub(super) fn new(elements: usize) -> Self {
        Self {
            words: vec![0; elements.div_ceil(64)],
            written: 0,
        }
    }

    /// Bytes of a mask in memory and in the scratch file.
    pub(super) fn bytes_for(elements: usize) -> usize {
        elements.div_ceil(64) * 8
    }

    /// Marks elements as written.
    pub(super) fn mark(&mut self, from: usize, elements: usize) {
        let (mut at, end) = (from, from + elements);
        while at < end {
            let bits = (64 - at % 64).min(end - at);
            let run = (u64::MAX >> (64 - bits)) << (at % 64);
            let word = &mut self.words[at / 64];
            self.written += u64::from((run & !*word).count_ones());
            *word |= run;
            at += bits;
        }
    }

    /// Marks one element as written.
    pub(super) fn mark_one(&mut self, element: usize) {
        let word = &mut self.words[element / 64];
        let bit = 1 << (element % 64);
        self.written += u64::from(*word & bit == 0);
        *word |= bit;
    }

    /// How many elements were written.
    pub(super) fn written_elements(&self) -> u64 {
        self.written
    }

    /// Calls `take` for every run of elements that were written, as long as they are: first
    /// element, elements.
    fn for_each_run(&self, mut take: impl FnMut(usize, usize)) {
        let mut open: Option<(usize, usize)> = None;
        for (number, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let skipped = rest.trailing_zeros();
                let elements = (rest >> skipped).trailing_ones();
                // All bits up to the end of the run.
                rest &= !(u64::MAX >> (64 - skipped - elements));
                let from = number * 64 + skipped as usize;
                let end = from + elements as usize;
                match &mut open {
                    Some((_, open_end)) if *open_end == from => *open_end = end,
                    other => {
                        if let Some((from, end)) = other.replace((from, end)) {
                            take(from, end - from);
                        }
                    }
                }
            }
        }
        if let Some((from, end)) = open {
            take(from, end - from);
        }
    }

    /// Runs of elements that were written, none beyond the end of a row: first element, elements.
    pub(super) fn runs(&self, row: usize) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        self.for_each_run(|mut from, mut elements| {
            while elements > 0 {
                let part = (row - from % row).min(elements);
                runs.push((from, part));
                from += part;
                elements -= part;
            }
        });
        runs
    }

    /// Calls `take` for every run of elements that were not written, of `elements` in all: first
    /// element, the one behind the last.
    fn for_each_gap(&self, elements: usize, mut take: impl FnMut(usize, usize)) {
        let mut end = 0;
        let mut take_if_any = |from: usize, to: usize| {
            if from < to {
                take(from, to);
            }
        };
        self.for_each_run(|from, count| {
            take_if_any(end, from.min(elements));
            end = from + count;
        });
        take_if_any(end, elements);
    }

    /// Takes over from `base` the elements that were not written.
    pub(super) fn merge(&self, values: &mut [u8], base: &[u8], element_bytes: usize) {
        let bytes = values.len().min(base.len());
        self.for_each_gap(bytes / element_bytes, |from, to| {
            let gap = from * element_bytes..to * element_bytes;
            values[gap.clone()].copy_from_slice(&base[gap]);
        });
    }

    /// Whether any element was written here and there.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let mut both = self.words.iter().zip(&other.words);
        both.any(|(one, other)| one & other != 0)
    }

    /// The elements that were written, one behind the other.
    pub(super) fn written(&self, values: &[u8], element_bytes: usize) -> Vec<u8> {
        let mut written = Vec::with_capacity(self.written as usize * element_bytes);
        self.append_written(values, element_bytes, &mut written);
        written
    }

    /// As [`Self::written`], behind what is in `written`.
    pub(super) fn append_written(
        &self,
        values: &[u8],
        element_bytes: usize,
        written: &mut Vec<u8>,
    ) {
        self.for_each_run(|from, elements| {
            let (from, end) = (from * element_bytes, (from + elements) * element_bytes);
            if let Some(run) = values.get(from..end) {
                written.extend_from_slice(run);
            }
        });
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let words = bytes.as_chunks::<8>().0.iter();
        let words: Vec<u64> = words.map(|&word| u64::from_le_bytes(word)).collect();
        Self {
            written: words.iter().map(|word| u64::from(word.count_ones())).sum(),
            words,
        }
    }
}

/// A chunk being gathered.
#[derive(Debug)]
pub(super) struct PartialChunk {
    pub(super) values: Buffer,
    pub(super) mask: Mask,
    /// Elements that may be written: with all of them the chunk is complete.
    writable: u64,
    /// Whether elements that were not written have values in the file.
    pub(super) has_base: bool,
    /// Whether there are values that were not packed yet.
    pub(super) is_dirty: bool,
    /// Whether elements that were not written hold what they are before; else they hold zeros.
    pub(super) is_filled: bool,
    pub(super) charge: Charge,
}

impl PartialChunk {
    /// A chunk of `values` as they are before anything is written.
    pub(super) fn new(
        values: Buffer,
        mask: Mask,
        writable: u64,
        has_base: bool,
        charge: Charge,
    ) -> Self {
        Self {
            values,
            mask,
            writable,
            has_base,
            is_dirty: false,
            is_filled: true,
            charge,
        }
    }

    /// A chunk whose fill values come later, where they are still wanted ([`Self::fill_rest`]):
    /// `zeros` are its values until then.
    pub(super) fn unfilled(
        zeros: Buffer,
        mask: Mask,
        writable: u64,
        has_base: bool,
        charge: Charge,
    ) -> Self {
        Self {
            is_filled: false,
            ..Self::new(zeros, mask, writable, has_base, charge)
        }
    }

    /// Gives elements that were not written their fill value, if they have none yet.
    pub(super) fn fill_rest(&mut self, fill: &[u8]) {
        let is_filled = std::mem::replace(&mut self.is_filled, true);
        if is_filled || fill.iter().all(|&byte| byte == 0) {
            return;
        }
        let (size, values) = (fill.len(), &mut self.values);
        self.mask.for_each_gap(values.len() / size, |from, to| {
            for element in values[from * size..to * size].chunks_exact_mut(size) {
                element.copy_from_slice(fill);
            }
        });
    }

    /// Memory that a chunk takes while it is gathered.
    pub(super) fn bytes_for(chunk_bytes: usize, element_bytes: usize) -> u64 {
        (chunk_bytes + Mask::bytes_for(chunk_bytes / element_bytes)) as u64
    }

    /// Writes elements from `at` on.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8], element_bytes: usize) {
        let first = at * element_bytes;
        self.values[first..first + bytes.len()].copy_from_slice(bytes);
        self.mask.mark(at, bytes.len() / element_bytes);
        self.is_dirty = true;
    }

    /// Writes one element.
    pub(super) fn write_one(&mut self, at: usize, bytes: &[u8]) {
        let first = at * bytes.len();
        self.values[first..first + bytes.len()].copy_from_slice(bytes);
        self.mask.mark_one(at);
        self.is_dirty = true;
    }

    /// Writes those elements that a mask names.
    ///
    /// # Errors
    /// If mask and values do not fit the chunk or each other.
    pub(super) fn overlay(
        &mut self,
        mask: &Mask,
        written: &[u8],
        element_bytes: usize,
    ) -> Result<()> {
        let elements = self.values.len() / element_bytes;
        let fits = mask.words.len() == self.mask.words.len()
            && written.len() as u64 == mask.written * element_bytes as u64;
        let mut rest = written;
        for (from, count) in mask.runs(elements.max(1)) {
            let run = rest.split_at_checked(count * element_bytes);
            let (run, behind) = run
                .filter(|_| fits && from + count <= elements)
                .ok_or_else(lost)?;
            self.write(from, run, element_bytes);
            rest = behind;
        }
        Ok(())
    }

    /// A copy to be packed as it stands; this one goes on being gathered.
    pub(super) fn copy_for_commit(&mut self, charge: Charge) -> Self {
        self.is_dirty = false;
        Self {
            values: self.values.clone(),
            mask: self.mask.clone(),
            writable: self.writable,
            has_base: self.has_base,
            is_dirty: false,
            is_filled: self.is_filled,
            charge,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.mask.written >= self.writable
    }
}

/// The element that all of `values` are, bit for bit, if there is one.
pub(super) fn constant(values: &[u8], element_bytes: usize) -> Option<&[u8]> {
    let element = values.get(..element_bytes)?;
    (values[..values.len() - element_bytes] == values[element_bytes..]).then_some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_counts_every_element_once() {
        let mut mask = Mask::new(200);
        mask.mark(60, 10);
        mask.mark(65, 70);
        mask.mark(0, 1);
        mask.mark(199, 1);
        assert_eq!(mask.written, 75 + 2);
        assert_eq!(Mask::from_bytes(&mask.to_bytes()), mask);
        assert_eq!(mask.to_bytes().len(), Mask::bytes_for(200));
        let mut values = vec![1; 200];
        mask.merge(&mut values, &[2; 200], 1);
        let kept = (0..200).filter(|&i| values[i] == 1).count();
        assert_eq!(kept, 77);
        assert_eq!(mask.written(&values, 1), [1; 77]);
        assert!(values[60] == 1 && values[134] == 1 && values[135] == 2 && values[59] == 2);
    }

    #[test]
    fn fill_values_come_where_nothing_was_written() {
        let budget = std::sync::Arc::new(frazil_pipeline::MemoryBudget::new(100));
        let charge = || budget.charge(1).unwrap();
        let mut chunk =
            PartialChunk::unfilled(Buffer::zeroed(140), Mask::new(70), 70, false, charge());
        for (at, elements) in [(0, 2), (63, 2), (68, 1)] {
            chunk.write(at, &vec![1; 2 * elements], 2);
        }
        let mut copy = chunk.copy_for_commit(charge());
        for chunk in [&mut chunk, &mut copy] {
            chunk.fill_rest(&[8, 9]);
            for (number, element) in chunk.values.chunks_exact(2).enumerate() {
                let is_written = matches!(number, 0 | 1 | 63 | 64 | 68);
                assert_eq!(
                    element,
                    if is_written { [1, 1] } else { [8, 9] },
                    "{number}"
                );
            }
        }
        // Once is enough.
        chunk.fill_rest(&[5, 5]);
        assert_eq!(chunk.values[4..6], [8, 9]);
        let other = Mask::new(70);
        assert!(!chunk.mask.overlaps(&other) && chunk.mask.overlaps(&copy.mask));
    }

    /// Against the bits one by one.
    #[test]
    fn runs_are_what_was_marked() {
        for seed in 0..200_u64 {
            let mut random = crate::write::tests::script::Random(seed);
            let elements = 1 + random.below(300) as usize;
            let mut mask = Mask::new(elements);
            let mut marked = vec![false; elements];
            for _ in 0..random.below(12) {
                let from = random.below(elements as u64) as usize;
                let most = 1 + random.below(200);
                let count = 1 + random.below(most.min((elements - from) as u64)) as usize;
                mask.mark(from, count);
                marked[from..from + count].fill(true);
            }
            let row = 1 + random.below(elements as u64) as usize;
            let mut found = vec![false; elements];
            for (from, count) in mask.runs(row) {
                assert!(count > 0 && from / row == (from + count - 1) / row);
                assert!(!found[from..from + count].contains(&true));
                found[from..from + count].fill(true);
            }
            assert_eq!(found, marked);
            let values: Vec<u8> = (0..2 * elements).map(|_| random.below(256) as u8).collect();
            let pairs = values.chunks(2).zip(&marked);
            let written: Vec<u8> = (pairs.filter(|(_, is)| **is))
                .flat_map(|(value, _)| value.to_vec())
                .collect();
            assert_eq!(mask.written(&values, 2), written);
            let mut merged = values.clone();
            let base: Vec<u8> = values.iter().map(|byte| !byte).collect();
            mask.merge(&mut merged, &base, 2);
            for (at, byte) in merged.iter().enumerate() {
                assert_eq!(*byte == values[at], marked[at / 2]);
            }
        }
    }

    #[test]
    fn constants_are_told_by_their_bits() {
        assert_eq!(constant(&[1, 2, 1, 2, 1, 2], 2), Some([1, 2].as_slice()));
        assert_eq!(constant(&[1, 2, 1, 3], 2), None);
        assert_eq!(constant(&[7, 7], 2), Some([7, 7].as_slice()));
    }
}
