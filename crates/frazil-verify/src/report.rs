//! The result of comparing two files, as plain data.

use std::path::PathBuf;

use serde::Serialize;

use frazil_file::wording::lossy;
use frazil_precision::MOST_ERROR_SHARE;
use frazil_precision::stated::StatedPrecision;

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
    /// ... of which are changed, and zeros that are not the same zero any more; any is a failure.
    pub special_changed: u64,
    /// Largest absolute error.
    pub max_absolute_error: f64,
    /// Largest error relative to the original value.
    pub max_relative_error: f64,
    /// Values whose error exceeds the stated bound; any is a failure.
    pub beyond_bound: u64,
    /// Standard deviation of the original values.
    pub standard_deviation: f64,
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

impl PrecisionReport {
    /// The error in standard deviations of the original; `None` where that is constant.
    #[must_use]
    pub fn error_in_deviations(&self) -> Option<f64> {
        (self.standard_deviation > 0.0).then(|| self.rmse / self.standard_deviation)
    }

    /// Whether errors make up much of the variance of the original.
    #[must_use]
    pub fn has_lost_much(&self) -> bool {
        let share = self.error_in_deviations().map(|error| error * error);
        share.is_some_and(|share| share > MOST_ERROR_SHARE)
    }

    /// How much there is to fear of the rounding: the error in standard deviations, or what the worst slice
    /// lacks of structural similarity, whichever is more.
    #[must_use]
    pub fn concern(&self) -> f64 {
        let unlike = self.ssim.map_or(0.0, |(_, worst)| 1.0 - worst);
        let error = match self.error_in_deviations() {
            Some(error) => error,
            None if self.rmse > 0.0 => f64::INFINITY,
            None => 0.0,
        };
        error.max(unlike)
    }
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
