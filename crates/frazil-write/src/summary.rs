//! What rounding did to values, on its way from the process that packed them.

use frazil_codec::ErrorStats;
use serde::{Deserialize, Serialize};

use frazil_precision::RoundingStats;

/// What rounding did to values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoundingSummary {
    least_kept: Option<u32>,
    changed: u64,
    /// By its bits: JSON has no words for NaN and infinities.
    max_absolute_error: u64,
    max_relative_error: u64,
}

impl From<RoundingStats> for RoundingSummary {
    fn from(stats: RoundingStats) -> Self {
        Self {
            least_kept: stats.least_kept,
            changed: stats.errors.changed,
            max_absolute_error: stats.errors.max_absolute_error.to_bits(),
            max_relative_error: stats.errors.max_relative_error.to_bits(),
        }
    }
}

impl From<RoundingSummary> for RoundingStats {
    fn from(summary: RoundingSummary) -> Self {
        Self {
            least_kept: summary.least_kept,
            errors: ErrorStats {
                changed: summary.changed,
                max_absolute_error: f64::from_bits(summary.max_absolute_error),
                max_relative_error: f64::from_bits(summary.max_relative_error),
            },
        }
    }
}
