//! What a user demands of a variable's filters: how fast, which, and what differences matter.

use serde::{Deserialize, Serialize};

use crate::filter_chain::FilterChain;
use crate::speed_demand::SpeedDemand;

/// What a user demands of a variable's filters, beside what they are chosen for.
///
/// The names are those of SCIL (Scientific Compression Library), where it has one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterConstraints {
    /// How fast one core must at least encode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_write_speed: Option<SpeedDemand>,
    /// How fast one core must at least decode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_read_speed: Option<SpeedDemand>,
    /// These filters instead of a choice; speeds and the tolerance then mean nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<FilterChain>,
    /// Filters whose ratio is lower by no more than this, in percent, count as equal, and the
    /// fastest of them is taken; where joules are what counts, so do theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_tolerance_percent: Option<f64>,
}

impl FilterConstraints {
    /// The names of all fields.
    pub const KEYS: [&'static str; 4] = [
        "min_write_speed",
        "min_read_speed",
        "filters",
        "ratio_tolerance_percent",
    ];

    /// Whether nothing is demanded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// What is demanded by both, `later` winning key by key.
    #[must_use]
    pub fn and_later(self, later: &Self) -> Self {
        let later = later.clone();
        Self {
            min_write_speed: later.min_write_speed.or(self.min_write_speed),
            min_read_speed: later.min_read_speed.or(self.min_read_speed),
            filters: later.filters.or(self.filters),
            ratio_tolerance_percent: later
                .ratio_tolerance_percent
                .or(self.ratio_tolerance_percent),
        }
    }

    /// Whether it can be meant so.
    ///
    /// # Errors
    /// One line that says which number cannot be, or what contradicts itself.
    pub fn check(&self) -> Result<(), String> {
        let tolerance = self.ratio_tolerance_percent.unwrap_or(0.0);
        if !(0.0..100.0).contains(&tolerance) {
            return Err("ratio_tolerance_percent must be from 0 to below 100".to_owned());
        }
        let others = Self {
            filters: None,
            ..self.clone()
        };
        match &self.filters {
            Some(filters) if !others.is_empty() => Err(format!(
                "filters = \"{filters}\" leaves nothing to choose: state speeds and a tolerance, or \
                 filters"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_demands_win_key_by_key() {
        let earlier = FilterConstraints {
            min_write_speed: "network".parse().ok(),
            ratio_tolerance_percent: Some(3.0),
            ..FilterConstraints::default()
        };
        let later = FilterConstraints {
            min_write_speed: "2GB/s".parse().ok(),
            min_read_speed: "local".parse().ok(),
            ..FilterConstraints::default()
        };
        let both = earlier.and_later(&later);
        assert_eq!(both.min_write_speed, later.min_write_speed);
        assert_eq!(both.min_read_speed, later.min_read_speed);
        assert_eq!(both.ratio_tolerance_percent, Some(3.0));
        assert!(!both.is_empty() && FilterConstraints::default().is_empty());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let tolerance = |percent| FilterConstraints {
            ratio_tolerance_percent: Some(percent),
            ..FilterConstraints::default()
        };
        for possible in [0.0, 3.0, 99.9] {
            assert_eq!(tolerance(possible).check(), Ok(()));
        }
        for wrong in [-1.0, 100.0, f64::NAN, f64::INFINITY] {
            assert!(tolerance(wrong).check().is_err(), "{wrong}");
        }
        let mut both = tolerance(3.0);
        both.filters = "shuffle+deflate(1)".parse().ok();
        let cause = both.check().unwrap_err();
        assert!(cause.contains("shuffle+deflate(1)"), "{cause}");
    }
}
