//! What trials of a variable may cost: in large files little beside packing it.

use crate::candidates::CandidateFilters;
use crate::sample::LARGE_FILE_BYTES;

/// Trials take at most this part of what packing the variable takes. Reading its samples and counting what the
/// tree asks for take more, packing takes less where data are easier than those that speeds were measured on, and
/// all together should be a twentieth.
const TRIAL_SHARE: f64 = 0.007;

/// Where the likeliest filters are slow, trials outweigh all else, and to take them in vain costs most.
const SLOW_TRIAL_SHARE: f64 = 0.0125;

/// MB/s that everything but encoding takes: reading, decoding what is read, writing.
const OTHER_MB_S: f64 = 600.0;

/// Fewer bytes of a piece decide nothing.
const LEAST_TRIED_BYTES: f64 = 4096.0;

/// What trials of one variable may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialAllowance {
    raw_bytes: u64,
}

impl TrialAllowance {
    /// Of a variable of `raw_bytes` uncompressed bytes, in a file whose variables have `file_bytes`
    /// together. `None`: trials may take what they need, since all of it is soon packed.
    #[must_use]
    pub fn of(raw_bytes: u64, file_bytes: u64) -> Option<Self> {
        (file_bytes > LARGE_FILE_BYTES).then_some(Self { raw_bytes })
    }

    /// Seconds for all trials together, if these filters, the likeliest, pack the variable.
    pub(crate) fn seconds(self, likeliest: &CandidateFilters) -> f64 {
        let of_a_megabyte = 1.0 / likeliest.encode_mb_s + 1.0 / OTHER_MB_S;
        let share = match likeliest.is_slow() {
            true => SLOW_TRIAL_SHARE,
            false => TRIAL_SHARE,
        };
        share * self.raw_bytes as f64 * 1e-6 * of_a_megabyte
    }
}

/// Seconds that trials of one piece of so many bytes with each of some filters take.
pub(crate) fn seconds_of<'a>(
    bytes: usize,
    filters: impl IntoIterator<Item = &'a CandidateFilters>,
) -> f64 {
    filters.into_iter().map(|one| one.seconds_of(bytes)).sum()
}

/// Bytes of a piece that each of some filters can be tried on within so many seconds; `None` if so few that they
/// decide nothing.
pub(crate) fn bytes_within<'a>(
    seconds: f64,
    filters: impl IntoIterator<Item = &'a CandidateFilters> + Clone,
) -> Option<usize> {
    let setup = seconds_of(0, filters.clone());
    let of_a_byte = seconds_of(1, filters) - setup;
    let bytes = (seconds - setup) / of_a_byte;
    (bytes >= LEAST_TRIED_BYTES).then_some(bytes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::candidate;

    fn bytes(raw_bytes: u64, names: &[&str]) -> Option<usize> {
        let allowance = TrialAllowance::of(raw_bytes, 1 << 30).unwrap();
        let named: Vec<_> = names.iter().filter_map(|name| candidate(name)).collect();
        bytes_within(allowance.seconds(named[0]), named)
    }

    #[test]
    fn small_files_are_tried_on_what_tells_most() {
        assert_eq!(TrialAllowance::of(1 << 20, 50_000_000), None);
        assert!(TrialAllowance::of(1 << 20, 200_000_000).is_some());
    }

    #[test]
    fn trials_take_a_part_of_what_packing_takes() {
        // Next to what bzip2 takes, all else is nothing, but for its tables.
        let alone = bytes(1_000_000, &["shuffle+bzip2(9)"]).unwrap();
        assert!((8_000..11_000).contains(&alone), "{alone}");
        let twice = bytes(2_000_000, &["shuffle+bzip2(9)", "shuffle+bzip2(9)"]).unwrap();
        assert!(alone.abs_diff(twice) <= 2);
        // The likeliest counts, not the slowest of what is tried with it.
        let slow = ["shuffle+zstd(3)", "shuffle+bzip2(9)"];
        assert_eq!(bytes(1_000_000, &slow), None);
        // Fast filters may be tried on more.
        assert!(bytes(1_000_000, &["lz4"]).unwrap() > 60_000);
        assert_eq!(bytes(100_000, &["shuffle+bzip2(9)"]), None);
    }
}
