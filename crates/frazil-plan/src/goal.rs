//! What filters are chosen for: size, speed, energy, or a balance.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::PlanError;

/// What filters are chosen for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Small files at little cost: a slower level must earn what it takes.
    #[default]
    Balanced,
    /// The smallest files at a speed that a repack can bear.
    Size,
    /// Data that are written as fast as can be, and still shrink.
    Speed,
    /// The smallest files, whatever writing them costs.
    Archive,
    /// The fewest joules for writing once and reading once, of what still shrinks.
    Energy,
}

frazil_types::words!(pub Goal: Balanced "balanced", Size "size", Speed "speed", Archive "archive", Energy "energy");

impl Goal {
    /// Of filters that keep more than this share of the bytes there is no use: decoding costs every
    /// reader more than the saved bytes are worth.
    #[must_use]
    pub fn worthwhile_share(self) -> f64 {
        match self {
            Self::Balanced | Self::Speed | Self::Energy => 0.95,
            Self::Size | Self::Archive => 0.99,
        }
    }

    /// The goals whose candidates compete for this one: its own, and those of cheaper ones, so that no
    /// file gets larger for a dearer goal, but for its tolerance.
    #[must_use]
    pub fn asked(self) -> &'static [Self] {
        match self {
            Self::Balanced => &[Self::Balanced],
            Self::Size => &[Self::Size, Self::Balanced],
            Self::Speed => &[Self::Speed],
            Self::Archive => &[Self::Archive, Self::Size],
            Self::Energy => &[Self::Energy],
        }
    }

    /// By how much a ratio may be lower and count as equal where nobody says: the last thousandths of
    /// the smallest files would take longer than much of the rest.
    pub(crate) fn ratio_tolerance(self) -> Option<f64> {
        matches!(self, Self::Size | Self::Archive).then_some(0.002)
    }

    /// Raw MB/s that one core must at least encode: what a repack can bear, for `size`.
    #[must_use]
    pub fn least_encode_mb_s(self) -> f64 {
        match self {
            Self::Size => 20.0,
            Self::Balanced | Self::Speed | Self::Archive | Self::Energy => 0.0,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Goal {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        Self::from_name(text).ok_or_else(|| PlanError::UnknownGoal {
            name: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_have_names() {
        for goal in Goal::ALL {
            assert_eq!(goal.name().parse::<Goal>().unwrap(), goal);
        }
        assert!("fast".parse::<Goal>().is_err());
    }
}
