//! The chunk cache that a reader should use.

use frazil_types::ReaderCache;

use super::cost::CostModel;
use super::goal_input::{GoalInput, ReadGoal, planned_shape, reads_of};
use super::read_cost::bytes_of;
use super::reads::ReadBox;

/// What HDF5 gives a dataset where nobody asks for more (before 2.0): a request for less is none.
const DEFAULT_CACHE_BYTES: u64 = 1 << 20;
/// Bytes of all caches of a file together.
pub const TOTAL_CACHE_BYTES: u64 = 64 << 20;

/// Shares `total` bytes among the caches that the variables of a file want: those that want least
/// get it first, the others the same each. No cache is given fewer bytes than HDF5's own default.
pub fn share_caches(wanted: &mut [Option<ReaderCache>], total: u64) {
    let mut order: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i].is_some()).collect();
    order.sort_by_key(|&i| wanted[i].map_or(0, |cache| cache.bytes));
    let mut left = total;
    for (done, &i) in order.iter().enumerate() {
        let share = left / (order.len() - done) as u64;
        let Some(cache) = &mut wanted[i] else {
            continue;
        };
        if cache.bytes > share {
            let slots = cache.slots as f64 * (share as f64 / cache.bytes as f64);
            cache.slots = prime_from(slots.ceil() as u64);
            cache.bytes = share;
        }
        left -= cache.bytes;
        if cache.bytes <= DEFAULT_CACHE_BYTES {
            wanted[i] = None;
        }
    }
}

/// The cache that keeps the chunks that one read touches until the next one touches them again;
/// `None` if every reader's default does.
pub(crate) fn cache_for(chunks: u64, chunk_bytes: u64) -> Option<ReaderCache> {
    let bytes = chunks.saturating_mul(chunk_bytes);
    (bytes > DEFAULT_CACHE_BYTES).then(|| ReaderCache {
        bytes,
        slots: prime_from(chunks.saturating_mul(10).min(1 << 20)),
    })
}

/// Bytes of the decoded chunks that the wanted read touches that touches most of them; the read beside
/// it touches them again. It is what a reader should keep of a variable in these chunks; 0 where no read
/// is about the variable.
#[must_use]
pub fn kept_for_reads(input: &GoalInput<'_>, chunk: &[u64], goal: &ReadGoal<'_>) -> u64 {
    let chunks = chunks_for_reads(input, chunk, goal);
    chunks.saturating_mul(bytes_of(chunk, input.shape.element_bytes))
}

/// The chunk cache that a stock reader should use for the wanted reads of a variable in these chunks;
/// `None` if its default does.
#[must_use]
pub fn cache_for_reads(
    input: &GoalInput<'_>,
    chunk: &[u64],
    goal: &ReadGoal<'_>,
) -> Option<ReaderCache> {
    let chunk_bytes = bytes_of(chunk, input.shape.element_bytes);
    cache_for(chunks_for_reads(input, chunk, goal), chunk_bytes)
}

fn chunks_for_reads(input: &GoalInput<'_>, chunk: &[u64], goal: &ReadGoal<'_>) -> u64 {
    let planned = planned_shape(input);
    if chunk.len() != planned.len() || chunk.contains(&0) {
        return 0;
    }
    let model = CostModel::new(
        &planned,
        input.shape.element_bytes,
        input.ratio,
        goal.storage,
        goal.calibration,
    );
    let reads = reads_of(input, &planned, goal);
    most_chunks(&model, reads.iter().map(|(_, _, takes)| takes), chunk)
}

/// Chunks that the read touches that touches most of them.
pub(super) fn most_chunks<'a>(
    model: &CostModel<'_>,
    reads: impl Iterator<Item = &'a ReadBox>,
    chunk: &[u64],
) -> u64 {
    let chunks = reads.map(|takes| model.of(takes, chunk).chunks);
    chunks.fold(0.0_f64, f64::max).ceil() as u64
}

/// The first prime number from `number` on; HDF5's hash table wants one.
fn prime_from(number: u64) -> u64 {
    let is_prime = |n: u64| {
        (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    (number.max(521)..).find(|&n| is_prime(n)).unwrap_or(521)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_primes() {
        assert_eq!(prime_from(0), 521);
        assert_eq!(prime_from(1000), 1009);
        assert_eq!(prime_from(1009), 1009);
    }

    #[test]
    fn caches_never_exceed_their_total() {
        let cache = |mib: u64| cache_for(mib, 1 << 20);
        let mut wanted = vec![cache(100), None, cache(8), cache(1), cache(400), cache(2)];
        share_caches(&mut wanted, 64 << 20);
        let bytes: Vec<u64> = wanted
            .iter()
            .map(|one| one.map_or(0, |one| one.bytes >> 20))
            .collect();
        assert_eq!(bytes, [27, 0, 8, 0, 27, 2]);
        let mut many = vec![cache(2); 100];
        share_caches(&mut many, 64 << 20);
        assert!(many.iter().all(Option::is_none));
    }
}
