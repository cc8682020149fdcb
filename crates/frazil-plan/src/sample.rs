//! Which bytes of a variable the trials look at: few, spread, and always the same ones.

use std::ops::Range;

/// Share of a variable's raw bytes that is sampled: one part in this many.
///
/// With half a dozen trial encodings of such a sample, trials would take a tenth of the time of packing
/// the whole: of large variables it is less.
pub const SAMPLE_SHARE: u64 = 64;

/// Least sample of variables larger than [`SMALL_VARIABLE_BYTES`]: less says little, since
/// compressors need some KiB of context.
const LEAST_SAMPLE_BYTES: u64 = 16 << 10;

/// Variables up to this size give a sixteenth instead; trials of so few bytes cost nothing that
/// anyone notices.
const SMALL_VARIABLE_BYTES: u64 = 256 << 10;

/// Least sample at all, where the variable has as much.
const SMALLEST_SAMPLE_BYTES: u64 = 4 << 10;

/// Largest sample: more adds cost, not knowledge.
const MOST_SAMPLE_BYTES: u64 = 512 << 10;

/// Pieces a sample is taken in, so that no odd corner speaks for all.
const MOST_PIECES: u64 = 4;

/// No sample is cut into pieces smaller than deflate's window: short pieces mislead.
const LEAST_PIECE_BYTES: u64 = 32 << 10;

/// How much of a variable to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplePlan {
    /// Number of chunks to look into, at least 1 and at most 4; 0 if there are no data.
    pub pieces: usize,
    /// Bytes to take from each of them; less where a chunk has less.
    pub window_bytes: usize,
}

/// Plans the sample of a variable of `raw_bytes` uncompressed bytes.
#[must_use]
pub fn sample_plan(raw_bytes: u64) -> SamplePlan {
    let wanted = if raw_bytes > SMALL_VARIABLE_BYTES {
        (raw_bytes / SAMPLE_SHARE).clamp(LEAST_SAMPLE_BYTES, MOST_SAMPLE_BYTES)
    } else {
        (raw_bytes / 16).max(SMALLEST_SAMPLE_BYTES).min(raw_bytes)
    };
    if wanted == 0 {
        return SamplePlan {
            pieces: 0,
            window_bytes: 0,
        };
    }
    let pieces = (wanted / LEAST_PIECE_BYTES).clamp(1, MOST_PIECES);
    SamplePlan {
        // Both fit: at most 4 and at most 1 MiB.
        pieces: pieces as usize,
        window_bytes: (wanted / pieces) as usize,
    }
}

/// Least sample of a variable where a goal is stated, and least piece of a larger one: compressors
/// differ most in what they find far apart, and all chains but the best are tried on one piece only.
const LEAST_FOR_GOAL_BYTES: u64 = 128 << 10;

/// In large files, least piece: the first heat of trials is on one.
const LEAST_HEAT_BYTES: u64 = 24 << 10;

/// In files of that many raw bytes samples of small variables stay small: there are many of them, and
/// planning must not take more than a twentieth of packing.
pub(crate) const LARGE_FILE_BYTES: u64 = 100_000_000;

/// Plans the sample of a variable of `raw_bytes` uncompressed bytes for a stated goal, in a file whose
/// variables have `file_bytes` together: more of a small variable than [`sample_plan`] takes, in fewer
/// pieces.
#[must_use]
pub fn sample_plan_for_goal(raw_bytes: u64, file_bytes: u64) -> SamplePlan {
    if raw_bytes == 0 || (raw_bytes <= SMALL_VARIABLE_BYTES && file_bytes > LARGE_FILE_BYTES) {
        return sample_plan(raw_bytes);
    }
    let (least, piece) = match file_bytes > LARGE_FILE_BYTES {
        true => (LEAST_SAMPLE_BYTES, LEAST_HEAT_BYTES),
        false => (LEAST_FOR_GOAL_BYTES, LEAST_FOR_GOAL_BYTES),
    };
    let wanted = (raw_bytes / SAMPLE_SHARE).clamp(least, MOST_SAMPLE_BYTES);
    let wanted = wanted.min(raw_bytes);
    let pieces = (wanted / piece).clamp(1, MOST_PIECES);
    SamplePlan {
        pieces: pieces as usize,
        window_bytes: (wanted / pieces) as usize,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn large_variables_give_a_sixty_fourth_up_to_half_a_mebibyte() {
        let plan = sample_plan(16 << 20);
        assert_eq!((plan.pieces, plan.window_bytes), (4, 64 << 10));
        let plan = sample_plan(1 << 40);
        assert_eq!((plan.pieces, plan.window_bytes), (4, 128 << 10));
    }

    #[test]
    fn small_variables_give_a_readable_sample() {
        let plan = sample_plan(300 << 10);
        assert_eq!((plan.pieces, plan.window_bytes), (1, 16 << 10));
        let plan = sample_plan(4 << 20);
        assert_eq!((plan.pieces, plan.window_bytes), (2, 32 << 10));
        assert_eq!(sample_plan(100).window_bytes, 100);
        assert_eq!(sample_plan(0).pieces, 0);
    }

    #[test]
    fn a_goal_looks_closer_at_small_variables_of_small_files() {
        let plan = |raw, file| {
            let plan = sample_plan_for_goal(raw, file);
            (plan.pieces, plan.window_bytes)
        };
        assert_eq!(plan(100_000, 1 << 20), (1, 100_000));
        assert_eq!(plan(1 << 20, 1 << 20), (1, 128 << 10));
        assert_eq!(plan(1 << 20, 1 << 30), (1, 16 << 10));
        assert_eq!(plan(4 << 20, 1 << 30), (2, 32 << 10));
        assert_eq!(plan(16 << 20, 1 << 30), (4, 64 << 10));
        assert_eq!(plan(100_000, 1 << 30), (1, 6250));
        assert_eq!(plan(1 << 40, 1 << 40), (4, 128 << 10));
        assert_eq!(plan(16 << 20, 32 << 20), (2, 128 << 10));
        assert_eq!(plan(0, 0), (0, 0));
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
