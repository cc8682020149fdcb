//! What was done, as plain data: the CLI prints it, `--json` serialises it.

mod energy;
mod precision;

use std::path::{Path, PathBuf};

pub use energy::{EnergyReport, EnergySource};
pub use precision::{
    AnalyzeReport, DataOrigin, PrecisionReport, StatedPrecision, ThresholdResult, VariableFigures,
    VariableInformation,
};

use frazil_types::{ErrorBound, ReaderLevel};
use serde::{Serialize, Serializer};

use crate::precision::rules::PrecisionRule;

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
    /// Whether the output is the input as it was, since packing would not make it smaller.
    pub kept_input: bool,
    /// Whether this is a prediction only.
    pub dry_run: bool,
    /// In a dry run: what nine of ten predictions come to lie within.
    pub range: Option<PredictedRange>,
    /// The decisions about precision, one rule per rounded variable: to review, edit and replay.
    pub precision: Vec<PrecisionRule>,
    /// What the user should know (kept unknown filters, conversions...), one line each.
    pub notices: Vec<String>,
}

/// One variable as it lies in a file.
#[derive(Debug, Clone, Serialize)]
pub struct VariableInfo {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name.
    pub element: String,
    /// Dimension names where the file has them, else empty.
    pub dimensions: Vec<String>,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// Which axes are unlimited.
    pub unlimited: Vec<bool>,
    /// `contiguous`, `chunked`, `compact`, `virtual`, `external` or `classic`.
    pub layout: String,
    /// Chunk shape in elements, if chunked.
    pub chunk: Option<Vec<u64>>,
    /// Stored chunks.
    pub chunk_count: Option<u64>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// Bytes stored.
    pub stored_bytes: u64,
    /// Share of elements equal to the fill value, on request.
    pub fill_fraction: Option<f64>,
    /// Filters of this variable that this build cannot decode: `(id, name)`.
    pub missing_filters: Vec<(i32, String)>,
    /// Who can read the variable.
    pub readable_by: Option<ReaderLevel>,
    /// How the file says that its values were rounded.
    pub precision: Option<StatedPrecision>,
}

/// A file at a glance.
#[derive(Debug, Clone, Serialize)]
pub struct FileInfo {
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// `netCDF-4`, `netCDF-4 classic model`, `HDF5`, `CDF-1`, `CDF-2`, `CDF-5`.
    pub format: String,
    /// Size in bytes.
    pub file_bytes: u64,
    /// HDF5 superblock version, if HDF5.
    pub superblock: Option<u32>,
    /// Variables in file order.
    pub variables: Vec<VariableInfo>,
    /// One sentence: who can read the whole file.
    pub readable_by: String,
    /// Groups, links and other things worth knowing, one line each.
    pub notices: Vec<String>,
}

/// One difference found by `verify`.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// Object path.
    pub path: String,
    /// What differs and where, in one line (first differing element with both values).
    pub what: String,
}

/// The result of comparing two files.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReport {
    /// The first file.
    #[serde(serialize_with = "lossy")]
    pub a: PathBuf,
    /// The second file.
    #[serde(serialize_with = "lossy")]
    pub b: PathBuf,
    /// Objects compared.
    pub objects: u64,
    /// Attributes compared.
    pub attributes: u64,
    /// Values compared.
    pub values: u64,
    /// Bytes of values compared.
    pub value_bytes: u64,
    /// Differences, first ones only (at most 100).
    pub differences: Vec<Difference>,
    /// Total number of differences found.
    pub difference_count: u64,
    /// Variables that the second file states to be rounded, judged by what it states.
    pub precision: Vec<PrecisionReport>,
    /// Data for the pictures of the variables with the largest errors, on request.
    #[serde(skip)]
    pub figures: Vec<VariableFigures>,
    /// What was skipped and why, one line each.
    pub notices: Vec<String>,
    /// Wall seconds.
    pub seconds: f64,
}

impl VerifyReport {
    /// Whether nothing differs but rounded values that keep what was promised of them.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.difference_count == 0 && self.precision.iter().all(|variable| variable.passed)
    }
}

/// A path as text: one that is not UTF-8 with replacement characters, rather than no report at all.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn lossy_option<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_path_that_is_not_utf8_does_not_cost_the_report() {
        let path = PathBuf::from(OsStr::from_bytes(b"caf\xe9.nc"));
        let report = VerifyReport {
            a: path.clone(),
            b: path,
            objects: 0,
            attributes: 0,
            values: 0,
            value_bytes: 0,
            differences: Vec::new(),
            difference_count: 0,
            precision: Vec::new(),
            figures: Vec::new(),
            notices: Vec::new(),
            seconds: 0.0,
        };
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["a"], "caf\u{fffd}.nc");
    }
}
