//! What requests and bytes cost, measured while they come.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where nothing is known yet.
const USUAL_LATENCY: f64 = 0.03;
const USUAL_BYTES_A_SECOND: f64 = 50e6;
/// A new measurement counts for so much.
const NEWS: f64 = 0.25;
/// Shorter answers say nothing about bytes a second.
const LEAST_MEASURED_BYTES: u64 = 64 << 10;
/// Skipped bytes that cost as much as so many parts of a request: requests go out side by side, bytes do not.
const REQUESTS_AT_ONCE: f64 = 8.0;

const SMALLEST_GAP: u64 = 8 << 10;
const LARGEST_GAP: u64 = 1 << 20;
const SMALLEST_PIECE: u64 = 1 << 20;
const LARGEST_PIECE: u64 = 8 << 20;

/// Latency and speed of one server, as bits of floating-point numbers.
#[derive(Debug)]
pub(crate) struct Cost {
    latency: AtomicU64,
    bytes_a_second: AtomicU64,
}

impl Default for Cost {
    fn default() -> Self {
        Self {
            latency: AtomicU64::new(USUAL_LATENCY.to_bits()),
            bytes_a_second: AtomicU64::new(USUAL_BYTES_A_SECOND.to_bits()),
        }
    }
}

impl Cost {
    /// Learns of a request: how long its first byte took, and how long all others.
    pub(crate) fn learn(&self, first: Duration, rest: Duration, bytes: u64) {
        blend(&self.latency, first.as_secs_f64().max(1e-6));
        if bytes >= LEAST_MEASURED_BYTES {
            let seconds = rest.as_secs_f64().max(1e-6);
            blend(&self.bytes_a_second, bytes as f64 / seconds);
        }
    }

    /// Bytes that come in the time of one request.
    fn bytes_of_a_request(&self) -> f64 {
        let read = |number: &AtomicU64| f64::from_bits(number.load(Ordering::Relaxed));
        read(&self.latency) * read(&self.bytes_a_second)
    }

    /// Ranges this close are asked for together.
    pub(crate) fn gap(&self) -> u64 {
        let bytes = (self.bytes_of_a_request() / REQUESTS_AT_ONCE) as u64;
        bytes.clamp(SMALLEST_GAP, LARGEST_GAP)
    }

    /// Longer ranges are cut, and their pieces come side by side: a piece takes half as long again as a request for nothing.
    pub(crate) fn piece(&self) -> u64 {
        let bytes = (self.bytes_of_a_request() / 2.0) as u64;
        bytes.clamp(SMALLEST_PIECE, LARGEST_PIECE)
    }
}

fn blend(number: &AtomicU64, new: f64) {
    let old = f64::from_bits(number.load(Ordering::Relaxed));
    // Two at once lose one of two measurements, and no harm.
    number.store((old + NEWS * (new - old)).to_bits(), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_servers_are_asked_for_more_at_once() {
        let (near, far) = (Cost::default(), Cost::default());
        for _ in 0..30 {
            near.learn(
                Duration::from_micros(200),
                Duration::from_millis(1),
                1 << 20,
            );
            far.learn(
                Duration::from_millis(80),
                Duration::from_millis(10),
                1 << 20,
            );
        }
        assert!(near.gap() < far.gap() && near.piece() < far.piece());
        assert!(far.piece() <= LARGEST_PIECE && near.gap() >= SMALLEST_GAP);
    }
}
