//! What is stated of a choice beside its goal.

use std::fmt;
use std::sync::Arc;

use frazil_types::{Calibration, SpeedDemand, Transfer};
use serde::{Deserialize, Serialize};

use crate::score::Weights;
use crate::tree::FilterTree;

/// What is stated of a choice of filters beside its goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectionCriteria {
    /// How much size, time and energy count, in place of what the goal stands for.
    pub weights: Option<Weights>,
    /// How fast one core must at least encode.
    pub encode_floor: Option<SpeedFloor>,
    /// How fast one core must at least decode.
    pub decode_floor: Option<SpeedFloor>,
    /// Share by which a ratio may be lower and count as equal, from 0 to below 1; the fastest of
    /// what is equal is taken. Where joules are what counts: by which they may be more.
    pub ratio_tolerance: Option<f64>,
    /// The tree that names what is tried; `None`: the shipped one.
    pub tree: Option<Arc<FilterTree>>,
}

/// A speed that filters must reach on one core, by the constants of [`crate::candidates()`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedFloor {
    /// Raw MB/s, above 0.
    pub mb_s: f64,
    /// The end of a sentence that says who wants it: `as asked`, `(network) from rules`.
    pub origin: String,
}

impl SpeedFloor {
    /// What somebody demands, words being what the calibration says of writing or of reading; `origin`
    /// ends a sentence about it: `as asked`, `from rules`.
    #[must_use]
    pub fn of(
        demand: &SpeedDemand,
        transfer: Transfer,
        calibration: &Calibration,
        origin: &str,
    ) -> Self {
        Self {
            mb_s: demand.mb_s(transfer, calibration),
            origin: match demand.words() {
                Some(words) => format!("({words}) {origin}"),
                None => origin.to_owned(),
            },
        }
    }
}

impl fmt::Display for SpeedFloor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mb_s, origin } = self;
        match *mb_s < 10.0 {
            true => write!(f, "floor of {mb_s} MB/s {origin}"),
            false => write!(f, "floor of {mb_s:.0} MB/s {origin}"),
        }
    }
}

impl SelectionCriteria {
    pub(crate) fn tree(&self) -> &FilterTree {
        self.tree
            .as_deref()
            .unwrap_or_else(|| FilterTree::shipped())
    }

    /// `write floor of 400 MB/s as asked, read floor of 800 MB/s (shared) from rules`; empty where
    /// none is stated.
    pub(crate) fn floors(&self) -> String {
        let named = [("write", &self.encode_floor), ("read", &self.decode_floor)];
        let stated = named
            .iter()
            .filter_map(|(name, floor)| floor.as_ref().map(|floor| format!("{name} {floor}")));
        stated.collect::<Vec<String>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_say_where_they_come_from() {
        let calibration = Calibration::default();
        let floor = |text: &str, origin| {
            let demand = text.parse().unwrap();
            SpeedFloor::of(&demand, Transfer::Reading, &calibration, origin)
        };
        let weighing = SelectionCriteria {
            encode_floor: Some(floor("400MB/s", "from rules")),
            decode_floor: Some(floor("network", "as asked")),
            ..SelectionCriteria::default()
        };
        assert_eq!(
            weighing.floors(),
            "write floor of 400 MB/s from rules, read floor of 1250 MB/s (network) as asked"
        );
        assert_eq!(SelectionCriteria::default().floors(), "");
    }
}
