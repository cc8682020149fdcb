//! Which elements of a chunk were written.

use std::ops::Range;

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

    /// Marks as written what another mask of as many elements does.
    pub(super) fn add(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            self.written += u64::from((more & !*word).count_ones());
            *word |= more;
        }
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
    pub(super) fn for_each_gap(&self, elements: usize, mut take: impl FnMut(usize, usize)) {
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
        self.for_each_run(|from, elements| {
            let (from, end) = (from * element_bytes, (from + elements) * element_bytes);
            if let Some(run) = values.get(from..end) {
                written.extend_from_slice(run);
            }
        });
        written
    }

    /// Puts elements that lie one behind the other where a mask says that they were written.
    pub(super) fn place(&self, written: &[u8], values: &mut [u8], element_bytes: usize) {
        let mut rest = written;
        self.for_each_run(|from, elements| {
            let bytes = (elements * element_bytes).min(rest.len());
            let (run, behind) = rest.split_at(bytes);
            if let Some(place) = values.get_mut(from * element_bytes..from * element_bytes + bytes)
            {
                place.copy_from_slice(run);
            }
            rest = behind;
        });
    }

    /// The element behind the last one that was written.
    pub(super) fn end(&self) -> usize {
        let last = self.words.iter().rposition(|&word| word != 0);
        last.map_or(0, |at| {
            (at + 1) * 64 - self.words[at].leading_zeros() as usize
        })
    }

    /// The elements that were written, if they follow each other.
    pub(super) fn only_run(&self) -> Option<Range<usize>> {
        let first = self.words.iter().position(|&word| word != 0)?;
        let first = first * 64 + self.words[first].trailing_zeros() as usize;
        let run = first..self.end();
        (run.len() as u64 == self.written).then_some(run)
    }

    /// Whether it is of as many elements as another one.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_counts_every_element_once() {
        let mut mask = Mask::new(200);
        mask.mark(60, 10);
        mask.mark(65, 70);
        mask.mark(0, 1);
        let mut end = Mask::new(200);
        end.mark(130, 70);
        mask.mark(199, 1);
        let mut both = mask.clone();
        both.add(&end);
        assert_eq!(both.written, 75 + 65 + 1);
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

    /// Against the bits one by one.
    #[test]
    fn runs_are_what_was_marked() {
        for seed in 0..200_u64 {
            let mut random = crate::tests::script::Random(seed);
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
            let runs = mask.runs(elements);
            let run = (runs.len() == 1).then(|| runs[0].0..runs[0].0 + runs[0].1);
            assert_eq!(mask.only_run(), run);
            let last = marked.iter().rposition(|&is_marked| is_marked);
            assert_eq!(mask.end(), last.map_or(0, |last| last + 1));
            let values: Vec<u8> = (0..2 * elements).map(|_| random.below(256) as u8).collect();
            let pairs = values.chunks(2).zip(&marked);
            let written: Vec<u8> = (pairs.filter(|(_, is)| **is))
                .flat_map(|(value, _)| value.to_vec())
                .collect();
            assert_eq!(mask.written(&values, 2), written);
            let mut placed = vec![0; 2 * elements];
            mask.place(&written, &mut placed, 2);
            let pairs = placed.chunks(2).zip(values.chunks(2)).zip(&marked);
            for ((placed, value), is_marked) in pairs {
                assert_eq!(placed, if *is_marked { value } else { &[0, 0] });
            }
            let mut merged = values.clone();
            let base: Vec<u8> = values.iter().map(|byte| !byte).collect();
            mask.merge(&mut merged, &base, 2);
            for (at, byte) in merged.iter().enumerate() {
                assert_eq!(*byte == values[at], marked[at / 2]);
            }
        }
    }
}
