//! Which bytes of a variable the trials look at: whole chunks of the output, spread, and always the same ones.

use std::ops::Range;

use crate::goal::Goal;

const LARGE_FILE_BYTES: u64 = 100_000_000;

/// No more is sampled of a variable.
const MOST_SAMPLE_BYTES: u64 = 4 << 20;

/// Least sample for goals that weigh time, and in large files, where the variable has as much.
const LEAST_BYTES: u64 = 1 << 20;
const LEAST_IN_LARGE_FILE_BYTES: u64 = 64 << 10;

/// One byte in so many is sampled: for goals that weigh time, the same in large files, and for `size` in these.
const SHARE: u64 = 50;
const SHARE_OF_LARGE_FILE: u64 = 100;
const SHARE_FOR_SIZE: u64 = 40;

/// A sample of less than two chunks is cut into pieces of them that are not smaller than deflate's window.
const LEAST_PIECE_BYTES: u64 = 64 << 10;
const MOST_CUT_PIECES: u64 = 4;

/// Chunks of a sample lie in so many places at most.
const MOST_PIECES: u64 = 16;

/// How much of a variable to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplePlan {
    /// Number of places to look into, at least 1 and at most 16; 0 if there are no data.
    pub pieces: usize,
    /// Bytes to take from each of them: whole chunks, or a part of one.
    pub window_bytes: usize,
}

impl SamplePlan {
    /// Bytes of all pieces together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pieces as u64 * self.window_bytes as u64
    }

    /// The same of a variable of `raw_bytes`, in chunks of `chunk_bytes`, but of `most` bytes at most.
    #[must_use]
    pub fn at_most(self, most: u64, raw_bytes: u64, chunk_bytes: u64) -> Self {
        match self.bytes() > most {
            true => Self::of(most, raw_bytes, chunk_bytes),
            false => self,
        }
    }

    /// So many bytes of a variable.
    fn of(wanted: u64, raw_bytes: u64, chunk_bytes: u64) -> Self {
        let wanted = wanted.min(MOST_SAMPLE_BYTES).min(raw_bytes);
        if wanted == 0 {
            return Self {
                pieces: 0,
                window_bytes: 0,
            };
        }
        let pieces = match wanted / chunk_bytes.max(1) {
            0 | 1 if wanted < raw_bytes => (wanted / LEAST_PIECE_BYTES).clamp(1, MOST_CUT_PIECES),
            chunks => chunks.clamp(1, MOST_PIECES),
        };
        Self {
            // Both fit: at most 16 and 4 MiB. Rounded up, since what is wanted may be all of the variable.
            pieces: pieces as usize,
            window_bytes: wanted.div_ceil(pieces) as usize,
        }
    }
}

/// Whether a file, whose variables have so many bytes together, is so large that deciding must stay a small part of
/// packing it.
#[must_use]
pub fn is_large_file(bytes: u64) -> bool {
    bytes > LARGE_FILE_BYTES
}

/// Plans the sample of a variable of `raw_bytes` uncompressed bytes, in chunks of `chunk_bytes`, in a file
/// whose variables have `file_bytes` together.
#[must_use]
pub fn sample_plan(raw_bytes: u64, chunk_bytes: u64, file_bytes: u64, goal: Goal) -> SamplePlan {
    let is_large = is_large_file(file_bytes);
    let wanted = match (goal, is_large) {
        (Goal::Archive, _) | (Goal::Size, false) => MOST_SAMPLE_BYTES,
        (Goal::Size, true) => (raw_bytes / SHARE_FOR_SIZE).max(LEAST_IN_LARGE_FILE_BYTES),
        (_, false) => (raw_bytes / SHARE).max(LEAST_BYTES),
        (_, true) => (raw_bytes / SHARE_OF_LARGE_FILE).max(LEAST_IN_LARGE_FILE_BYTES),
    };
    SamplePlan::of(wanted, raw_bytes, chunk_bytes)
}

/// Chooses up to `wanted` of `count` chunks, ascending and distinct, one from each equal part of
/// the grid, away from its ends.
///
/// Within its part each position is shifted by a fixed low-discrepancy sequence: equal steps could
/// fall on the same map column of every record. If there are no more chunks than wanted, all are
/// taken.
#[must_use]
pub fn sample_chunks(count: u64, wanted: usize) -> Vec<u64> {
    /// Fractional part of the golden ratio in units of 2^-32: its multiples spread evenly.
    const GOLDEN: u64 = 2_654_435_769;
    let wanted = wanted as u64;
    if count <= wanted {
        return (0..count).collect();
    }
    (0..wanted)
        .map(|part| {
            // Position within the part: its middle if parts are short, else middle half.
            let shift = if count / wanted < 4 {
                1 << 31
            } else {
                (1 << 30) + ((part + 1).wrapping_mul(GOLDEN) & 0xFFFF_FFFF) / 2
            };
            let position = (u128::from(part) << 32) + u128::from(shift);
            let chunk = position * u128::from(count) / (u128::from(wanted) << 32);
            // Below `count`, since `position` lies below `wanted << 32`.
            chunk as u64
        })
        .collect()
}

/// The middle `window_bytes` of a chunk, in whole elements; at least one element, and the whole
/// chunk if it has no more.
#[must_use]
pub fn sample_window(
    chunk_bytes: usize,
    element_bytes: usize,
    window_bytes: usize,
) -> Range<usize> {
    let element = element_bytes.max(1);
    let available = chunk_bytes / element;
    let taken = (window_bytes / element).max(1).min(available);
    let start = (available - taken) / 2;
    start * element..(start + taken) * element
}

/// A shape for a sample of so many elements that is as like the chunk's as can be: the same fast
/// axes, as long as they divide it, and what is left along the slowest. Extents are in elements,
/// slowest axis first.
#[must_use]
pub fn sample_shape(elements: u64, chunk: &[u64]) -> Vec<u64> {
    let mut shape = vec![1; chunk.len().max(1)];
    let mut rest = elements;
    for (axis, &length) in chunk.iter().enumerate().skip(1).rev() {
        if length == 0 || !rest.is_multiple_of(length) {
            break;
        }
        shape[axis] = length;
        rest /= length;
    }
    shape[0] = rest;
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(raw: u64, chunk: u64, file: u64, goal: Goal) -> (usize, usize) {
        let plan = sample_plan(raw, chunk, file, goal);
        (plan.pieces, plan.window_bytes)
    }

    #[test]
    fn samples_are_whole_chunks_of_small_files() {
        let file = 50_000_000;
        assert_eq!(plan(8 << 20, 1 << 20, file, Goal::Balanced), (4, 256 << 10));
        assert_eq!(
            plan(8 << 20, 256 << 10, file, Goal::Balanced),
            (4, 256 << 10)
        );
        assert_eq!(plan(8 << 20, 1 << 20, file, Goal::Size), (4, 1 << 20));
        assert_eq!(plan(300_000, 300_000, file, Goal::Balanced), (1, 300_000));
        assert_eq!(plan(3 << 20, 1 << 20, file, Goal::Archive), (3, 1 << 20));
        assert_eq!(plan(0, 1, 0, Goal::Archive), (0, 0));
        let odd = sample_plan(1_000_003, 300_000, file, Goal::Archive);
        assert!(odd.bytes() >= 1_000_003, "a small variable is seen wholly");
    }

    #[test]
    fn of_large_files_little_is_looked_at_where_time_counts() {
        let file = 1 << 40;
        assert_eq!(plan(1 << 20, 1 << 20, file, Goal::Balanced), (1, 64 << 10));
        assert_eq!(plan(1 << 40, 1 << 20, file, Goal::Speed), (4, 1 << 20));
        assert_eq!(plan(20 << 20, 1 << 20, file, Goal::Size), (4, 128 << 10));
        assert_eq!(plan(1 << 20, 1 << 20, file, Goal::Archive), (1, 1 << 20));
    }

    #[test]
    fn a_smaller_sample_has_fewer_pieces() {
        let (raw, chunk) = (8 << 20, 256 << 10);
        let of = |most| {
            let plan = sample_plan(raw, chunk, 50_000_000, Goal::Size).at_most(most, raw, chunk);
            (plan.pieces, plan.window_bytes)
        };
        assert_eq!(of(u64::MAX), (16, 256 << 10));
        assert_eq!(of(1 << 20), (4, 256 << 10));
        assert_eq!(of(100 << 10), (1, 100 << 10));
        assert_eq!(of(0), (0, 0));
    }

    #[test]
    fn samples_come_from_every_third_but_not_from_the_ends() {
        let chosen = sample_chunks(200, 4);
        assert_eq!(chosen.len(), 4);
        assert!(chosen.iter().all(|&chunk| (10..190).contains(&chunk)));
        assert!(chosen.iter().any(|&chunk| chunk < 67));
        assert!(chosen.iter().any(|&chunk| (67..134).contains(&chunk)));
        assert!(chosen.iter().any(|&chunk| chunk >= 134));
    }

    #[test]
    fn samples_do_not_keep_to_one_map_column() {
        // 4 x 4 map chunks per record: equal steps of 400 would hit column 8 each time.
        let columns: Vec<u64> = sample_chunks(1600, 4)
            .iter()
            .map(|chunk| chunk % 16)
            .collect();
        assert!(columns.iter().any(|column| *column != columns[0]));
    }

    #[test]
    fn samples_have_the_fast_axes_of_their_chunk() {
        assert_eq!(sample_shape(10 * 16 * 128, &[10, 16, 128]), [10, 16, 128]);
        assert_eq!(sample_shape(3 * 16 * 128, &[10, 16, 128]), [3, 16, 128]);
        assert_eq!(sample_shape(5 * 128, &[10, 16, 128]), [5, 1, 128]);
        assert_eq!(sample_shape(100, &[10, 16, 128]), [100, 1, 1]);
        assert_eq!(sample_shape(7, &[]), [7]);
    }

    proptest! {
        #[test]
        fn chosen_chunks_are_distinct_ascending_and_exist(count: u64, wanted in 0_usize..20) {
            let chosen = sample_chunks(count, wanted);
            prop_assert_eq!(chosen.len() as u64, count.min(wanted as u64));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(chosen.iter().all(|&chunk| chunk < count));
        }

        #[test]
        fn windows_lie_inside_and_on_elements(
            elements in 0_usize..100_000, element in 1_usize..20, wanted in 0_usize..300_000,
        ) {
            let window = sample_window(elements * element, element, wanted);
            prop_assert!(window.end <= elements * element);
            prop_assert!(window.start.is_multiple_of(element) && window.len().is_multiple_of(element));
            prop_assert!(window.len() <= wanted.max(element));
        }
    }
}
