//! What a run did.

/// Counts and waits of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunStats {
    /// Tasks run.
    pub tasks: u64,
    /// Source chunks decoded (or handed over as stored values).
    pub chunks_decoded: u64,
    /// How many of these had been decoded before and were let go for want of memory.
    pub decoded_again: u64,
    /// Bytes read, gaps between merged chunks included.
    pub fetched_bytes: u64,
    /// Bytes of decoded chunks.
    pub decoded_bytes: u64,
    /// Most bytes of the budget this run held at a time.
    pub peak_budget_bytes: u64,
    /// Seconds that workers slept because no memory was left, summed over workers.
    pub memory_wait_seconds: f64,
    /// Seconds that workers slept because results were not taken away, summed over workers.
    pub delivery_wait_seconds: f64,
}

impl RunStats {
    /// Adds the counts of chunks and bytes of a part of the run.
    pub(crate) fn add_work(&mut self, part: &Self) {
        self.chunks_decoded += part.chunks_decoded;
        self.fetched_bytes += part.fetched_bytes;
        self.decoded_bytes += part.decoded_bytes;
    }
}
