//! What is counted: plain data that can be merged in any order.

/// Over pairs of neighbours (a, b): how often bits are set, position by position, the sign first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Number of pairs.
    pub pairs: u64,
    /// Pairs where the bit is set in both; empty as long as nothing was counted.
    pub both: Vec<u64>,
    /// Pairs where it is set in a.
    pub first: Vec<u64>,
    /// Pairs where it is set in b.
    pub second: Vec<u64>,
}

impl PairCounts {
    /// Makes room for `bits` positions.
    pub(super) fn sized(&mut self, bits: usize) -> [&mut [u64]; 3] {
        for counts in [&mut self.both, &mut self.first, &mut self.second] {
            if counts.len() < bits {
                counts.resize(bits, 0);
            }
        }
        [&mut self.both, &mut self.first, &mut self.second]
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        let mine = self.sized(other.both.len());
        for (mine, other) in mine
            .into_iter()
            .zip([&other.both, &other.first, &other.second])
        {
            for (count, more) in mine.iter_mut().zip(other) {
                *count += more;
            }
        }
        self.pairs += other.pairs;
    }
}

/// Which bits the ordinary values use, and how many values there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitUse {
    /// Bits set in any value.
    pub any: u64,
    /// Bits set in all values.
    pub all: u64,
    /// Bit i: bits i and i + 1 differ in any value.
    pub edges: u64,
    /// Ordinary values (those in two boxes count twice, so use it only to ask whether there are
    /// any).
    pub ordinary: u64,
    /// Values left out, each counted once: not finite, or protected.
    pub masked: u64,
}

impl Default for BitUse {
    fn default() -> Self {
        Self {
            any: 0,
            all: u64::MAX,
            edges: 0,
            ordinary: 0,
            masked: 0,
        }
    }
}

impl BitUse {
    /// Adds what was seen elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.any |= other.any;
        self.all &= other.all;
        self.edges |= other.edges;
        self.ordinary += other.ordinary;
        self.masked += other.masked;
    }
}

/// Counts of a whole variable (or of a part of it) and of its groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableCounts {
    /// All pairs.
    pub whole: PairCounts,
    /// By band of levels; empty where there is no vertical axis.
    pub levels: Vec<PairCounts>,
    /// By sample; empty where there is only one.
    pub samples: Vec<PairCounts>,
    /// Use of bits.
    pub bits: BitUse,
}

impl VariableCounts {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.whole.merge(&other.whole);
        merge_all(&mut self.levels, &other.levels);
        merge_all(&mut self.samples, &other.samples);
        self.bits.merge(&other.bits);
    }

    /// Adds the counts of one cell: one band of levels, one sample.
    pub(super) fn add_cell(
        &mut self,
        level: Option<usize>,
        sample: Option<usize>,
        counts: &PairCounts,
    ) {
        self.whole.merge(counts);
        for (list, number) in [(&mut self.levels, level), (&mut self.samples, sample)] {
            if let Some(number) = number {
                if list.len() <= number {
                    list.resize(number + 1, PairCounts::default());
                }
                list[number].merge(counts);
            }
        }
    }

    /// All groups that are not the whole.
    pub fn groups(&self) -> impl Iterator<Item = &PairCounts> {
        self.levels.iter().chain(&self.samples)
    }
}

fn merge_all(mine: &mut Vec<PairCounts>, others: &[PairCounts]) {
    if mine.len() < others.len() {
        mine.resize(others.len(), PairCounts::default());
    }
    for (counts, other) in mine.iter_mut().zip(others) {
        counts.merge(other);
    }
}
