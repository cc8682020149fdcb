//! What a chunk shape for reads is chosen from: the goal, and the variable.

use frazil_types::{Calibration, Storage};

use super::axes::AxisRole;
use super::chunk_shape::ShapeInput;
use super::reads::{ReadBox, WantedRead, balanced_reads};

/// What a chunk shape is to serve.
#[derive(Debug, Clone, Copy)]
pub struct ReadGoal<'a> {
    /// The reads to come; empty: map, series and profile alike. Those that a variable has no axes
    /// for do not count for it.
    pub reads: &'a [WantedRead],
    /// Where the file will lie.
    pub storage: Storage,
    /// What reading costs.
    pub calibration: &'a Calibration,
    /// Most chunks of a variable.
    pub most_chunks: u64,
}

/// A variable whose chunk shape is wanted for reads.
#[derive(Debug, Clone, Copy)]
pub struct GoalInput<'a> {
    /// Shape, type, existing chunks.
    pub shape: ShapeInput<'a>,
    /// What the axes are; same rank as the shape.
    pub roles: &'a [AxisRole],
    /// By axis: the length that an unlimited one is expected to get. Where it is not known, its
    /// current length counts, taken up to a power of two, so that files of a stream with 28 to 31 records get
    /// the same chunks.
    pub expected: &'a [Option<u64>],
    /// Raw bytes by stored bytes, about; `None`: stored without filters.
    pub ratio: Option<f64>,
    /// Most bytes of a chunk that the writer can hold; `u64::MAX` if it does not matter.
    pub most_bytes: u64,
    /// Most elements of a chunk along the first axis, for writers that gather records in memory;
    /// `u64::MAX` if it does not matter.
    pub most_records: u64,
}

/// The shape to plan for: unlimited axes have the length that is expected of them.
pub(super) fn planned_shape(input: &GoalInput<'_>) -> Vec<u64> {
    let current = input.shape.planned_shape();
    (0..current.len())
        .map(|axis| {
            if !input.shape.is_unlimited(axis) {
                return current[axis];
            }
            let expected = input.expected.get(axis).copied().flatten();
            let rounded = current[axis].checked_next_power_of_two();
            expected.or(rounded).unwrap_or(current[axis]).max(1)
        })
        .collect()
}

/// The wanted reads that concern a variable: their names, weights, and what they take.
pub(super) fn reads_of(
    input: &GoalInput<'_>,
    planned: &[u64],
    goal: &ReadGoal<'_>,
) -> Vec<(String, f64, ReadBox)> {
    let balance = balanced_reads();
    let wanted = match goal.reads {
        [] => balance.as_slice(),
        stated => stated,
    };
    let named = wanted.iter().filter_map(|read| {
        let names = input.shape.dimension_names;
        let takes = read.intent.of(planned, names, input.roles)?;
        Some((read.intent.to_string(), read.weight, takes))
    });
    named.collect()
}
