//! The tests of ldcpy (Large Data Comparison for Python, `ldcpy.util.check_metrics`).
//!
//! | test | passes if | source |
//! | --- | --- | --- |
//! | Pearson correlation | at least 0.99999 | Baker et al. 2017, doi:10.1007/978-3-319-67630-2_3 |
//! | Kolmogorov-Smirnov | p-value at least 0.05 | same |
//! | spatial relative error | at most 5 % of the values off by more than 1e-4 | same |
//! | structural similarity | at least 0.99995 on every slice | Baker et al. 2019, doi:10.1111/cgf.13707 |
//!
//! ldcpy looks at one time at a time, here the whole variable is tested: that makes the
//! Kolmogorov-Smirnov test much stricter, since its p-value falls with the number of values. Its
//! limit for the structural similarity is meant for pictures; here, as with ldcpy's `ssim_fp`, the
//! similarity is that of the data. As in ldcpy, zeros count with their absolute error in the third
//! test.

use super::distribution;
use super::errors::SPATIAL_TOLERANCE;
use super::tile::TileFindings;
use crate::ThresholdResult;

const LEAST_CORRELATION: f64 = 0.999_99;
const LEAST_P_VALUE: f64 = 0.05;
const MOST_SPATIAL_PERCENT: f64 = 5.0;
const LEAST_SIMILARITY: f64 = 0.999_95;

/// The results of the tests that are defined for a variable.
pub(super) fn ldcpy(findings: &TileFindings, ks_distance: f64) -> Vec<ThresholdResult> {
    let errors = &findings.errors;
    if errors.values == 0 {
        return Vec::new();
    }
    let mut results = Vec::new();
    if let Some(correlation) = errors.moments.correlation() {
        results.push(at_least(
            "pearson correlation",
            correlation,
            LEAST_CORRELATION,
        ));
    }
    let p_value = distribution::p_value(ks_distance, errors.values);
    results.push(at_least(
        "kolmogorov-smirnov p-value",
        p_value,
        LEAST_P_VALUE,
    ));
    let percent = 100.0 * errors.beyond_spatial as f64 / errors.values as f64;
    results.push(ThresholdResult {
        name: format!("% of values off by more than {SPATIAL_TOLERANCE:e}"),
        value: percent,
        limit: MOST_SPATIAL_PERCENT,
        passed: percent <= MOST_SPATIAL_PERCENT,
    });
    if let Some((_, worst)) = findings.similarity.mean_and_worst() {
        results.push(at_least("structural similarity", worst, LEAST_SIMILARITY));
    }
    results
}

fn at_least(name: &str, value: f64, limit: f64) -> ThresholdResult {
    ThresholdResult {
        name: name.to_owned(),
        value,
        limit,
        passed: value >= limit,
    }
}
