//! Which values are data.

use frazil_types::ProtectedValues;

use super::counts::BitUse;
use super::words::Word;

/// Protected values in the variable's own type.
#[derive(Debug, Clone)]
pub(super) struct Mask<W: Word> {
    singles: Vec<W::Float>,
    /// Closed intervals that are left out.
    ranges: Vec<[W::Float; 2]>,
    /// Values outside this closed interval are left out.
    valid: Option<[W::Float; 2]>,
}

impl<W: Word> Mask<W> {
    pub(super) fn new(protected: &ProtectedValues) -> Self {
        let inwards = |&[low, high]: &[f64; 2]| [W::at_least(low), W::at_most(high)];
        Self {
            singles: protected.values.iter().map(|&v| W::nearest(v)).collect(),
            ranges: protected.ranges.iter().map(inwards).collect(),
            valid: protected.valid.as_ref().map(inwards),
        }
    }

    /// Sets `valid[i]` to all ones where `words[i]` is data, else to zero.
    #[inline(always)]
    pub(super) fn apply(&self, words: &[W], valid: &mut [W]) {
        for (valid, word) in valid.iter_mut().zip(words) {
            *valid = word.finite();
        }
        for &single in &self.singles {
            for (valid, word) in valid.iter_mut().zip(words) {
                *valid = *valid & W::mask(word.float() != single);
            }
        }
        for &[low, high] in &self.ranges {
            for (valid, word) in valid.iter_mut().zip(words) {
                let x = word.float();
                *valid = *valid & !(W::mask(x >= low) & W::mask(x <= high));
            }
        }
        if let Some([low, high]) = self.valid {
            for (valid, word) in valid.iter_mut().zip(words) {
                let x = word.float();
                *valid = *valid & (W::mask(x >= low) & W::mask(x <= high));
            }
        }
    }
}

/// Notes which bits the valid words use; `all_bits` and `any_bits` of words that are left out do
/// not count.
#[inline(always)]
pub(super) fn note_use<W: Word>(words: &[W], valid: &[W], bits: &mut BitUse) {
    let (mut any, mut all, mut edges, mut ordinary) = (W::ZERO, W::ONES, W::ZERO, 0_u32);
    for (&word, &valid) in words.iter().zip(valid) {
        any = any | (word & valid);
        all = all & (word | !valid);
        edges = edges | (word.edges() & valid);
        ordinary += valid.last_bit();
    }
    bits.any |= any.to_u64();
    bits.all &= all.to_u64();
    bits.edges |= edges.to_u64();
    bits.ordinary += u64::from(ordinary);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_and_special_values_are_no_data() {
        let protected = ProtectedValues {
            values: vec![1e20, -999.0],
            ranges: vec![[2.0, 3.0]],
            valid: Some([-1000.0, 1e30]),
        };
        let values = [
            (1.0_f32, true),
            (1e20, false),
            (-999.0, false),
            (2.0, false),
            (3.0, false),
            (3.000_001, true),
            (-1001.0, false),
            (2e30, false),
            (f32::NAN, false),
            (f32::INFINITY, false),
            (0.0, true),
        ];
        let words: Vec<u32> = values.iter().map(|(value, _)| value.to_bits()).collect();
        let mut valid = vec![0; words.len()];
        Mask::<u32>::new(&protected).apply(&words, &mut valid);
        for ((value, is_data), valid) in values.iter().zip(valid) {
            assert_eq!(valid, u32::mask(*is_data), "{value}");
        }
    }

    #[test]
    fn only_data_use_bits() {
        let words = [0b1100_u32, 0b0100, !0];
        let mut bits = BitUse::default();
        note_use(&words, &[!0, !0, 0], &mut bits);
        assert_eq!((bits.any, bits.all, bits.ordinary), (0b1100, 0b0100, 2));
        assert_eq!(bits.edges, 0b1010 | 0b0110);
    }
}
