//! What chunk shapes are to serve: the reads to come, the storage, what the axes are.

mod axes;
mod chooser;
mod text;

use frazil_plan::{AxisRole, MOST_CHUNKS, ReadGoal, WantedRead};
use frazil_types::{Calibration, Storage};
use serde::{Deserialize, Serialize};

pub use axes::{roles_of, roles_of_input, roles_of_model, roles_of_schema};
pub use chooser::{Chooser, Findings, Subject};
pub use text::{parse_axes, parse_expected, parse_reads, parse_storage};

/// What chunk shapes are to serve. Where neither reads nor storage nor a number of chunks are
/// stated, the standard rule decides, which balances maps and series in chunks of about 1 MiB.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessPattern {
    /// The reads to come ([`parse_reads`]); empty: map, series and profile alike.
    pub reads: Vec<WantedRead>,
    /// Where the file will lie while it is read; `None`: not stated, taken as local.
    pub storage: Option<Storage>,
    /// What axes are, by name of the dimension, where it shall not be found out ([`parse_axes`]).
    pub axes: Vec<(String, AxisRole)>,
    /// Lengths that unlimited dimensions will get, by name ([`parse_expected`]).
    pub expected: Vec<(String, u64)>,
    /// Most chunks of a variable; `None`: 65 536.
    pub most_chunks: Option<u64>,
    /// What reading costs.
    pub calibration: Calibration,
}

impl AccessPattern {
    /// Whether anything is stated that the standard rule does not know.
    #[must_use]
    pub fn is_stated(&self) -> bool {
        !self.reads.is_empty() || self.storage.is_some() || self.most_chunks.is_some()
    }

    /// As the decision unit wants it.
    pub fn read_goal(&self) -> ReadGoal<'_> {
        ReadGoal {
            reads: &self.reads,
            storage: self.storage.unwrap_or_default(),
            calibration: &self.calibration,
            most_chunks: self.most_chunks.unwrap_or(MOST_CHUNKS),
        }
    }

    /// What the user says that a dimension is.
    pub(crate) fn stated_role(&self, dimension: &str) -> Option<AxisRole> {
        let found = self.axes.iter().rev().find(|(name, _)| name == dimension);
        found.map(|&(_, role)| role)
    }

    /// The length that the user expects of a dimension.
    pub fn expected_length(&self, dimension: &str) -> Option<u64> {
        let found = self.expected.iter().rev();
        found
            .clone()
            .find(|(name, _)| name == dimension)
            .map(|&(_, length)| length)
    }
}
