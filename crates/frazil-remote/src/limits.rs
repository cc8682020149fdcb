//! How long and how often is asked.

use std::time::Duration;

/// Says for how many seconds a server may be silent.
pub(crate) const TIMEOUT_VARIABLE: &str = "FRAZIL_REMOTE_TIMEOUT";

/// Seconds for which a server may be silent if nobody says.
const USUAL_SECONDS: f64 = 20.0;
const MOST_SECONDS: f64 = 3600.0;
/// A range is asked for so often at most.
pub(crate) const MOST_ATTEMPTS: u32 = 6;
/// A server that gives less than so many bytes a second is taken to be stuck.
const LEAST_BYTES_A_SECOND: f64 = 16.0 * 1024.0;
/// Requests under way at a time, of the whole process.
pub(crate) const MOST_REQUESTS: usize = 64;
/// A pause before asking again grows up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// For how long a server may be silent.
pub(crate) fn silence() -> Duration {
    let stated = std::env::var(TIMEOUT_VARIABLE).ok();
    let seconds = stated.and_then(|text| text.trim().parse::<f64>().ok());
    let usable = seconds.filter(|seconds| (0.01..=MOST_SECONDS).contains(seconds));
    Duration::from_secs_f64(usable.unwrap_or(USUAL_SECONDS))
}

/// How long the begin of an answer may take: to connect, and to be heard.
pub(crate) fn answer() -> Duration {
    silence() * 2
}

/// Bytes that must come in the time for which a server may be silent.
pub(crate) fn least_bytes() -> u64 {
    (silence().as_secs_f64() * LEAST_BYTES_A_SECOND) as u64
}

/// After so long a range is not asked for again.
pub(crate) fn all_attempts() -> Duration {
    silence() * 3
}

/// The pause before an attempt, the first one again being number 1; `asked`: what the server asks for.
pub(crate) fn pause(attempt: u32, asked: Option<Duration>) -> Duration {
    let doubled = FIRST_PAUSE * 2_u32.saturating_pow(attempt.saturating_sub(1).min(10));
    // Clients that failed together should not come back together.
    let spread = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos() % 1000);
    let spread = doubled.mul_f64(f64::from(spread) / 2000.0);
    asked.unwrap_or((doubled + spread).min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        assert!(pause(1, None) < Duration::from_millis(200));
        assert!(pause(3, None) >= Duration::from_millis(400));
        assert_eq!(pause(90, None), LONGEST_PAUSE);
        let asked = Duration::from_secs(7);
        assert_eq!(pause(1, Some(asked)), asked);
    }
}
