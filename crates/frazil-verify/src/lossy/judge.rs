//! What measures mean for the promises of a file.

use super::super::elements::indices;
use super::super::options::Thresholds;
use super::agreement::Promise;
use super::comparison::Measured;
use super::thresholds;
use crate::PrecisionReport;

/// A number with as many digits as a reader needs: six decimals tell 0.99998 from 0.99999.
fn readable(value: f64) -> String {
    match value.abs() {
        small if small > 0.0 && small < 1e-4 => format!("{value:.2e}"),
        large if large >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.6}"),
    }
}

/// Judges a variable of this shape by what the second file promises of it, and by documented tests
/// where these are to decide.
pub(crate) fn judge(
    path: &str,
    shape: &[u64],
    promise: &Promise,
    measured: &Measured,
    decisive: Option<Thresholds>,
) -> PrecisionReport {
    let findings = &measured.findings;
    let errors = &findings.errors;
    let thresholds = thresholds::ldcpy(findings, measured.ks_distance);
    let mut failures = failures(shape, measured);
    if decisive == Some(Thresholds::Ldcpy) {
        let failed = thresholds.iter().filter(|test| !test.passed);
        failures.extend(failed.map(|test| {
            format!(
                "ldcpy: {} is {}, the limit is {}",
                test.name,
                readable(test.value),
                test.limit
            )
        }));
    }
    PrecisionReport {
        path: path.to_owned(),
        stated: promise.stated.clone(),
        values: errors.values,
        changed: errors.changed,
        special: errors.special,
        special_changed: errors.special_changed + errors.zeros_changed,
        max_absolute_error: errors.max_absolute,
        max_relative_error: errors.max_relative,
        beyond_bound: errors.beyond_bound,
        standard_deviation: errors.moments.deviation(),
        rmse: errors.rmse(),
        bias: errors.bias(),
        correlation: errors.moments.correlation(),
        ks_distance: measured.ks_distance,
        gradient_error: findings.gradients.relative_error(),
        spectral_error: findings.spectra.relative_error(),
        ssim: findings.similarity.mean_and_worst(),
        preserved_information: None,
        thresholds,
        passed: failures.is_empty(),
        failures,
    }
}

/// Broken promises, one line each.
fn failures(shape: &[u64], measured: &Measured) -> Vec<String> {
    let errors = &measured.findings.errors;
    let place = |element: u64| match shape {
        [] => "the only one".to_owned(),
        _ => format!("at {:?}", indices(shape, element)),
    };
    let mut failures = Vec::new();
    if let (1.., Some(largest)) = (errors.beyond_bound, errors.largest) {
        failures.push(format!(
            "{} of {} values are further from their originals than stated; the worst, {}, by a \
             factor of {:.4}",
            errors.beyond_bound,
            errors.values,
            place(largest.element),
            largest.score
        ));
    }
    if let (1.., Some(first)) = (errors.special_changed, errors.first_special) {
        failures.push(format!(
            "{} of {} special values (fill, missing, not valid, not finite) are changed; the \
             first, {}",
            errors.special_changed,
            errors.special,
            place(first)
        ));
    }
    if let (1.., Some(first)) = (errors.zeros_changed, errors.first_zero) {
        failures.push(format!(
            "changed zeros: {}; the first, {}",
            errors.zeros_changed,
            place(first)
        ));
    }
    if errors.lost > 0 {
        failures.push(format!(
            "{} values became special (fill, missing, not valid, not finite)",
            errors.lost
        ));
    }
    failures
}

/// Enters how much information was kept, and judges it.
pub(crate) fn add_information(report: &mut PrecisionReport, preserved: f64) {
    report.preserved_information = Some(preserved);
    if let Some(stated) = report.stated.keep_information
        && preserved < stated
    {
        report.passed = false;
        report.failures.push(format!(
            "{preserved:.6} of the information is kept, {stated} is stated"
        ));
    }
}
