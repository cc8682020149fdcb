//! Which chains are tried on a chunk, and which of them is taken.

use frazil_types::ChunkGoal;

/// A chain that may be taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// As a filter chain is written; `%` stands for zstd's level.
    chain: &'static str,
    /// Raw MB/s that one core encodes with it, as in frazil-plan's table: only the order of them
    /// matters but for `speed`.
    encode_mb_s: f64,
}

const fn chain(chain: &'static str, encode_mb_s: f64) -> Candidate {
    Candidate { chain, encode_mb_s }
}

static BALANCED: [Candidate; 6] = [
    chain("shuffle+zstd(%)", 3200.0),
    chain("delta+shuffle+zstd(%)", 1850.0),
    chain("lorenzo+shuffle+zstd(%)", 1530.0),
    chain("zstd(%)", 780.0),
    chain("bitshuffle+zstd(%)", 730.0),
    chain("pcodec(8)", 170.0),
];
static SIZE: [Candidate; 8] = [
    chain("delta+shuffle+zstd(%)", 1100.0),
    chain("shuffle+zstd(%)", 510.0),
    chain("lorenzo+shuffle+zstd(%)", 430.0),
    chain("zstd(%)", 250.0),
    chain("pcodec(8)", 170.0),
    chain("bitshuffle+zstd(%)", 140.0),
    chain("lorenzo+bitshuffle+zstd(%)", 130.0),
    chain("deflate(9)", 81.0),
];
static SPEED: [Candidate; 5] = [
    chain("shuffle+lz4", 5600.0),
    chain("lz4", 5500.0),
    chain("shuffle+zstd(%)", 3500.0),
    chain("delta+shuffle+zstd(%)", 1900.0),
    chain("lorenzo+shuffle+zstd(%)", 1560.0),
];
static ARCHIVE: [Candidate; 8] = [
    chain("delta+shuffle+zstd(%)", 24.0),
    chain("lorenzo+shuffle+zstd(%)", 16.0),
    chain("bitshuffle+zstd(%)", 16.0),
    chain("lorenzo+bitshuffle+zstd(%)", 16.0),
    chain("pcodec(12)", 13.0),
    chain("zstd(%)", 12.0),
    chain("shuffle+zstd(%)", 11.0),
    chain("mafisc(4)", 3.0),
];

/// Where chunks go at `speed`, in MB/s of one core's share.
const STORAGE_MB_S: f64 = 1000.0;

/// How a goal is pursued.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pursuit {
    pub(crate) candidates: &'static [Candidate],
    /// zstd's level where none is stated.
    level: u32,
    /// How many are tried on the whole chunk, of those tried on a part of it.
    pub(crate) finalists: usize,
    /// Of sizes within this factor of the smallest, the fastest is taken.
    slack: f64,
    /// Time to encode and store counts, not size.
    is_for_speed: bool,
}

impl Pursuit {
    pub(crate) fn of(goal: ChunkGoal) -> Self {
        let (candidates, level, finalists, slack) = match goal {
            ChunkGoal::Balanced => (&BALANCED[..], 3, 1, 1.03),
            ChunkGoal::Size => (&SIZE[..], 9, 2, 1.005),
            ChunkGoal::Speed => (&SPEED[..], 1, 1, 1.0),
            ChunkGoal::Archive => (&ARCHIVE[..], 19, ARCHIVE.len(), 1.0),
        };
        Self {
            candidates,
            level,
            finalists,
            slack,
            is_for_speed: goal == ChunkGoal::Speed,
        }
    }

    /// The chain of a candidate, with zstd at `level` (0: as the goal has it).
    pub(crate) fn chain(&self, candidate: usize, level: u32) -> String {
        let level = if level == 0 { self.level } else { level };
        self.candidates[candidate]
            .chain
            .replace('%', &level.to_string())
    }

    /// Candidates in the order of preference, by what each made of `raw_bytes`.
    ///
    /// Sizes and a table decide, never a clock: the same bytes give the same order.
    pub(crate) fn ranked(&self, mut tried: Vec<(usize, usize)>, raw_bytes: usize) -> Vec<usize> {
        let speed = |candidate: usize| self.candidates[candidate].encode_mb_s;
        if self.is_for_speed {
            let share = |bytes: usize| bytes as f64 / raw_bytes.max(1) as f64;
            let cost = |&(candidate, bytes): &(usize, usize)| {
                1.0 / speed(candidate) + share(bytes) / STORAGE_MB_S
            };
            tried.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        } else {
            tried.sort_by_key(|&(_, bytes)| bytes);
            let least = tried.first().map_or(0, |&(_, bytes)| bytes);
            let limit = least as f64 * self.slack;
            let near = tried.partition_point(|&(_, bytes)| bytes as f64 <= limit);
            tried[..near].sort_by(|a, b| speed(b.0).total_cmp(&speed(a.0)));
        }
        tried.into_iter().map(|(candidate, _)| candidate).collect()
    }
}

#[cfg(test)]
mod tests {
    use frazil_types::FilterChain;

    use super::*;

    #[test]
    fn every_candidate_is_a_chain_and_the_fastest_come_first() {
        for goal in ChunkGoal::ALL {
            let pursuit = Pursuit::of(goal);
            for i in 0..pursuit.candidates.len() {
                let text = pursuit.chain(i, 0);
                assert!(text.parse::<FilterChain>().is_ok(), "{text}");
            }
            let speeds = pursuit.candidates.iter().map(|one| one.encode_mb_s);
            assert!(
                speeds
                    .collect::<Vec<_>>()
                    .windows(2)
                    .all(|two| two[0] >= two[1])
            );
        }
        assert_eq!(Pursuit::of(ChunkGoal::Size).chain(1, 0), "shuffle+zstd(9)");
        assert_eq!(
            Pursuit::of(ChunkGoal::Size).chain(1, 17),
            "shuffle+zstd(17)"
        );
    }

    #[test]
    fn among_sizes_that_are_close_the_fastest_is_preferred() {
        let balanced = Pursuit::of(ChunkGoal::Balanced);
        assert_eq!(
            balanced.ranked(vec![(0, 1020), (1, 1000), (5, 1010)], 4000)[0],
            0
        );
        assert_eq!(
            balanced.ranked(vec![(0, 1040), (1, 1000), (5, 900)], 4000)[0],
            5
        );
        let archive = Pursuit::of(ChunkGoal::Archive);
        assert_eq!(archive.ranked(vec![(0, 1001), (4, 1000)], 4000)[0], 4);
        let speed = Pursuit::of(ChunkGoal::Speed);
        assert_eq!(speed.ranked(vec![(0, 2000), (2, 1900)], 4000)[0], 0);
        assert_eq!(speed.ranked(vec![(0, 4000), (2, 1000)], 4000)[0], 2);
    }
}
