//! What was measured, as JSON and as text.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::codec_loop::Round;
use crate::error::Error;
use crate::work::{LeftOut, Work};

/// The result of a measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The file.
    pub(crate) file: PathBuf,
    /// Threads that shared the chunks.
    pub(crate) threads: usize,
    /// Timed rounds.
    pub(crate) rounds: usize,
    /// Wall seconds of a round.
    pub(crate) median_seconds: f64,
    /// CPU seconds of a round, of all threads; the median too.
    pub(crate) cpu_seconds: f64,
    /// Chunks in a round.
    pub(crate) chunks: usize,
    /// Bytes of the values in them.
    pub(crate) raw_bytes: u64,
    /// Bytes that `frazil pack` would store for them.
    pub(crate) stored_bytes: u64,
    /// Variables that have values but no part in this.
    pub(crate) left_out: Vec<LeftOut>,
}

impl Report {
    pub(crate) fn new(path: &Path, work: Work, threads: usize, rounds: &[Round]) -> Self {
        Self {
            file: path.to_owned(),
            threads,
            rounds: rounds.len(),
            median_seconds: median(rounds.iter().map(|round| round.seconds)),
            cpu_seconds: median(rounds.iter().map(|round| round.cpu_seconds)),
            chunks: work.chunks.len(),
            raw_bytes: work.raw_bytes,
            stored_bytes: rounds.first().map_or(0, |round| round.stored_bytes),
            left_out: work.left_out,
        }
    }

    /// One JSON document.
    ///
    /// # Errors
    /// If the path is not UTF-8.
    pub(crate) fn json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// A few lines to read.
    pub(crate) fn text(&self) -> String {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let mut lines = vec![
            format!("bare codec loop  {}", self.file.display()),
            format!(
                "  threads        {}, median of {} rounds",
                self.threads, self.rounds
            ),
            format!("  wall           {:.4} s", self.median_seconds),
            format!("  CPU            {:.4} s", self.cpu_seconds),
            format!(
                "  raw            {:.1} MB, {:.1} MB/s",
                megabytes(self.raw_bytes),
                megabytes(self.raw_bytes) / self.median_seconds
            ),
            format!(
                "  encoded        {:.1} MB, {} chunks",
                megabytes(self.stored_bytes),
                self.chunks
            ),
        ];
        let left_out = self
            .left_out
            .iter()
            .map(|one| format!("  left out       {}: {}", one.path, one.reason));
        lines.extend(left_out);
        lines.join("\n")
    }
}

/// The middle value, or the mean of the two in the middle; 0 of nothing.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert_eq!(median(std::iter::empty()), 0.0);
    }
}
