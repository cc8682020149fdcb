//! The result of packing or unpacking one file, as plain data: the command prints it, `--json`
//! serialises it.

mod energy;

use std::path::PathBuf;

use frazil_types::ErrorBound;
use serde::Serialize;

pub use energy::{EnergyReport, EnergySource};
use frazil_file::wording::{lossy, lossy_option};
use frazil_precision::rules::VariableRule;

/// One variable of a packed or planned file.
#[derive(Debug, Clone, Serialize)]
pub struct VariableReport {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// Chunk shape in elements; `None` when contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// Bytes stored in the input.
    pub input_bytes: u64,
    /// Bytes stored in the output (predicted in a dry run).
    pub stored_bytes: u64,
    /// Why this was chosen, in one line.
    pub reason: String,
    /// Whether its chunks are those of the input, byte by byte.
    pub kept: bool,
    /// How its values were rounded; `None`: every bit is kept.
    pub precision: Option<VariablePrecision>,
    /// Its part of the run's joules: by the seconds that threads spent on packing it, and its bytes.
    pub joules: f64,
}

/// How the values of one variable were rounded, and what that did to them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariablePrecision {
    /// The rounding in a few words, `bitround(7)`.
    pub rounding: String,
    /// The smallest number of bits (digits for algorithms that count digits) kept in any chunk;
    /// `None` in a dry run, and where nothing had to be rounded.
    pub least_kept: Option<u32>,
    /// What is promised, and was checked, of every value.
    pub bound: ErrorBound,
    /// Largest absolute error found (0 in a dry run).
    pub max_absolute_error: f64,
    /// Largest relative error found (0 in a dry run).
    pub max_relative_error: f64,
    /// Values that changed (0 in a dry run).
    pub changed: u64,
}

/// What nine of ten outcomes lie within, each from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PredictedRange {
    /// Size of the output file in bytes.
    pub file_bytes: [u64; 2],
    /// Wall seconds.
    pub seconds: [f64; 2],
}

/// The result of packing or unpacking one file.
#[derive(Debug, Clone, Serialize)]
pub struct PackReport {
    /// The input.
    #[serde(serialize_with = "lossy")]
    pub input: PathBuf,
    /// The output; `None` in a dry run.
    #[serde(serialize_with = "lossy_option")]
    pub output: Option<PathBuf>,
    /// Per variable, in file order.
    pub variables: Vec<VariableReport>,
    /// Size of the input file in bytes.
    pub input_file_bytes: u64,
    /// Size of the output file in bytes (predicted in a dry run).
    pub output_file_bytes: u64,
    /// Sum of the variables' uncompressed bytes.
    pub raw_bytes: u64,
    /// Those of them that were ever written: what is fill values by no more than the file's word takes no
    /// time.
    pub written_bytes: u64,
    /// Wall seconds, verification included (predicted in a dry run).
    pub seconds: f64,
    /// CPU seconds of the process in that time.
    pub cpu_seconds: f64,
    /// Wall seconds of deciding chunk shapes, filters and precision; part of `seconds`, but in a dry run.
    pub planning_seconds: f64,
    /// CPU seconds of the process in that time.
    pub planning_cpu_seconds: f64,
    /// Energy of the run, and what the output saves.
    pub energy: EnergyReport,
    /// Packing threads used.
    pub threads: usize,
    /// The memory budget in bytes.
    pub memory_bytes: u64,
    /// Whether the output was verified value by value.
    pub verified: bool,
    /// Whether the output is the input as it was, since packing would not make it smaller (predicted in a dry run).
    pub kept_input: bool,
    /// Whether this is a prediction only.
    pub dry_run: bool,
    /// In a dry run: what nine of ten predictions come to lie within.
    pub range: Option<PredictedRange>,
    /// The decisions about precision, one rule per rounded variable: to review, edit and replay.
    pub precision: Vec<VariableRule>,
    /// What the user should know (kept unknown filters, conversions...), one line each.
    pub notices: Vec<String>,
}
