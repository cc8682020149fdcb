//! What is known about precision: the information in a variable's bits, and how closely a rounded
//! variable follows its original.

use std::path::PathBuf;

pub use frazil_types::DataOrigin;
use frazil_types::{ErrorBound, QuantizeAlgorithm};
use serde::Serialize;

use super::lossy;

/// The information in the bits of one variable (Klöwer et al. 2021, doi:10.1038/s43588-021-00156-2).
#[derive(Debug, Clone, Serialize)]
pub struct VariableInformation {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// The axis along which neighbours were compared (the one with the most correlation), and its
    /// dimension name (empty where it has none).
    pub axis: Option<(usize, String)>,
    /// Pairs of neighbours compared.
    pub pairs: u64,
    /// Values left out: fill, missing, not finite.
    pub masked: u64,
    /// Bitwise real information by bit position, most significant (the sign) first.
    pub information: Vec<f64>,
    /// Where the values seem to come from.
    pub origin: DataOrigin,
    /// Share of information asked for.
    pub keep_information: f64,
    /// Explicit mantissa bits that keep it, on every level and sample; `None`: keep all (see
    /// `reason`).
    pub significant_bits: Option<u32>,
    /// Share of information that these bits keep: the smallest of the whole variable's and of every
    /// level's and sample's that has enough pairs.
    pub preserved_information: Option<f64>,
    /// The relative error bound that these bits mean: 2^-(bits + 1).
    pub relative_bound: Option<f64>,
    /// Why, in one line.
    pub reason: String,
    /// What the bits were decided on: the information by bit position that counts, of the whole
    /// variable and of every level and sample that has a vote.
    #[serde(skip)]
    pub votes: Vec<Vec<f64>>,
}

/// The result of analysing one file.
#[derive(Debug, Clone, Serialize)]
pub struct AnalyzeReport {
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Floating-point variables in file order.
    pub variables: Vec<VariableInformation>,
    /// Variables that were left out and why, one line each.
    pub notices: Vec<String>,
    /// Wall seconds.
    pub seconds: f64,
}

/// What a file says about how a variable was rounded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedPrecision {
    /// The algorithm, where the file names one that frazil knows.
    pub algorithm: Option<QuantizeAlgorithm>,
    /// Mantissa bits kept (the smallest number of any chunk).
    pub significant_bits: Option<u32>,
    /// Decimal digits kept.
    pub significant_digits: Option<u32>,
    /// What is promised of every value.
    pub bound: ErrorBound,
    /// Share of information promised.
    pub keep_information: Option<f64>,
}

/// One test with a threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThresholdResult {
    /// What was tested.
    pub name: String,
    /// What was found.
    pub value: f64,
    /// The limit.
    pub limit: f64,
    /// Whether the test passed.
    pub passed: bool,
}

/// How closely a rounded variable follows its original. Errors are rounded minus original; values
/// that are special in the original take no part.
#[derive(Debug, Clone, Serialize)]
pub struct PrecisionReport {
    /// Absolute path in the file.
    pub path: String,
    /// What the rounded file states.
    pub stated: StatedPrecision,
    /// Ordinary values compared.
    pub values: u64,
    /// ... of which are changed.
    pub changed: u64,
    /// Special values (fill, missing, outside the valid range, not finite), all compared exactly.
    pub special: u64,
    /// ... of which are changed; any is a failure.
    pub special_changed: u64,
    /// Largest absolute error.
    pub max_absolute_error: f64,
    /// Largest error relative to the original value.
    pub max_relative_error: f64,
    /// Values whose error exceeds the stated bound; any is a failure.
    pub beyond_bound: u64,
    /// Root of the mean squared error.
    pub rmse: f64,
    /// Mean error.
    pub bias: f64,
    /// Pearson correlation; `None` for constant fields.
    pub correlation: Option<f64>,
    /// Kolmogorov-Smirnov distance of the two distributions.
    pub ks_distance: f64,
    /// Root mean squared error of horizontal gradients relative to their root mean square.
    pub gradient_error: Option<f64>,
    /// Root mean squared relative error of the power spectrum along the last axis.
    pub spectral_error: Option<f64>,
    /// Structural similarity on horizontal slices: the mean and the worst slice.
    pub ssim: Option<(f64, f64)>,
    /// Share of the bitwise real information kept, where the file promises one.
    pub preserved_information: Option<f64>,
    /// Documented tests; they decide only if asked for.
    pub thresholds: Vec<ThresholdResult>,
    /// Whether the stated bound and the other promises hold (and the thresholds, if asked for).
    pub passed: bool,
    /// What failed, one line each.
    pub failures: Vec<String>,
}

/// Data for the pictures of one variable.
#[derive(Debug, Clone)]
pub struct VariableFigures {
    /// Absolute path in the file.
    pub path: String,
    /// Which slice the maps show, `time=0, lev=3`.
    pub slice: String,
    /// Columns and rows of the maps (thinned to at most 512 each).
    pub size: (usize, usize),
    /// Original values, row by row; NaN where special.
    pub original: Vec<f32>,
    /// Rounded values.
    pub rounded: Vec<f32>,
    /// First and last edge of the histograms' equal bins.
    pub histogram_range: (f64, f64),
    /// Counts of original and rounded values.
    pub histograms: (Vec<u64>, Vec<u64>),
    /// Power by wavenumber along the last axis, original and rounded, from wavenumber 1.
    pub spectra: (Vec<f64>, Vec<f64>),
}
