//! All rounded variables of a file, one after the other.

use frazil_pipeline::MemoryBudget;

use super::super::findings::Findings;
use super::super::options::VerifyOptions;
use super::super::plan::Pair;
use super::agreement::Promise;
use super::comparison::{Comparison, Context, Measured};
use super::{figures, judge};
use crate::PrecisionReport;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_precision::information;
use frazil_precision::information::Wanted;
use frazil_precision::protected::protected_values;
use frazil_precision::rules::{globs, is_match};

/// One rounded variable.
pub(crate) struct Rounded<'a> {
    pub(crate) pair: &'a Pair,
    pub promise: &'a Promise,
    /// `None`: nothing is stored on either side.
    pub(crate) comparison: Option<&'a Comparison>,
}

/// A variable that may be shown in pictures.
struct Candidate<'a> {
    concern: f64,
    rounded: &'a Rounded<'a>,
    comparison: &'a Comparison,
    measured: Measured,
}

/// Measures and judges all rounded variables.
///
/// # Errors
/// If values cannot be read or decoded, or on a request to stop.
pub(crate) fn compare(
    (a, b): (&Input, &Input),
    all: &[Rounded<'_>],
    options: &VerifyOptions,
    findings: &mut Findings,
    progress: &mut dyn Progress,
) -> Result<()> {
    let resources = &options.resources;
    let mut worst: Vec<Candidate<'_>> = Vec::new();
    let chosen = globs(&options.pictured)?;
    let first = findings.precision.len();
    let mut used_bits = Vec::with_capacity(all.len());
    for rounded in all {
        run::check_cancel(resources)?;
        let Rounded { pair, promise, .. } = *rounded;
        let context = Context {
            a,
            b,
            pair,
            resources,
        };
        let measured = match rounded.comparison {
            Some(comparison) => comparison.measure(context, progress)?,
            None => Measured::default(),
        };
        let report = judge::judge(
            &pair.path,
            &pair.shape,
            promise,
            &measured,
            options.thresholds,
        );
        let concern = report.concern();
        findings.precision.push(report);
        used_bits.push(measured.findings.errors.used_bits());
        let is_meant = chosen.is_empty() || is_match(&chosen, &pair.path);
        if let (true, Some(comparison)) = (is_meant, rounded.comparison) {
            worst.push(Candidate {
                concern,
                rounded,
                comparison,
                measured,
            });
            worst.sort_by(|one, other| other.concern.total_cmp(&one.concern));
            worst.truncate(options.figures);
        }
    }
    let reports = &mut findings.precision[first..];
    add_information(a, all, &used_bits, (resources, reports), progress)?;
    for candidate in &worst {
        let pair = candidate.rounded.pair;
        let context = Context {
            a,
            b,
            pair,
            resources,
        };
        let figures = figures::collect(candidate.comparison, context, &candidate.measured)?;
        findings.figures.push(figures);
    }
    Ok(())
}

/// Judges how much information was kept, where the second file promises some: what the original
/// holds in the bits that are stated to be kept, or in fewer where the rounded values use fewer.
fn add_information(
    a: &Input,
    all: &[Rounded<'_>],
    used_bits: &[u32],
    (resources, reports): (&Resources, &mut [PrecisionReport]),
    progress: &mut dyn Progress,
) -> Result<()> {
    let (mut wanted, mut targets) = (Vec::new(), Vec::new());
    for ((rounded, used_bits), report) in all.iter().zip(used_bits).zip(reports) {
        let stated = &rounded.promise.stated;
        let Some(keep_information) = stated.keep_information else {
            continue;
        };
        let variable = rounded.pair.a.variable;
        wanted.push(Wanted {
            variable,
            keep_information,
            protected: protected_values(a, variable, None)?,
        });
        let bits = stated.significant_bits.unwrap_or(u32::MAX).min(*used_bits);
        targets.push((bits, report));
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let budget = MemoryBudget::new(resources.memory_bytes);
    let found = information::variable_information(a, &wanted, resources, &budget, progress)?;
    for (information, (bits, report)) in found.iter().zip(targets) {
        judge::add_information(
            report,
            information::preserved_information(information, bits),
        );
    }
    Ok(())
}
