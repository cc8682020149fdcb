//! The report of a file that is being packed, as far as it is known before the output has its name.

use frazil_types::{QuantizePlan, StorageLayout};

use crate::fill::Stored;
use crate::job::Job;
use crate::routes::Decisions;
use frazil_file::input::Input;
use frazil_file::run;
use frazil_options::pack_report::{EnergyReport, PackReport, VariablePrecision, VariableReport};
use frazil_precision::rounding_text;

/// The report of a finished or predicted file, still without its output.
pub(crate) fn report(
    source: &Input,
    decisions: &Decisions,
    stored: &[Stored],
    job: &Job<'_>,
) -> PackReport {
    let mut variables = Vec::new();
    let mut raw_bytes = 0;
    for (i, (variable, plan)) in source.variables().iter().zip(&decisions.plans).enumerate() {
        if variable.is_dimension_only {
            continue;
        }
        let raw = variable.raw_bytes().unwrap_or(0);
        raw_bytes += raw;
        let predicted = plan.predicted_bytes.unwrap_or(variable.stored_bytes);
        variables.push(VariableReport {
            path: variable.path.clone(),
            element: variable.element.name(),
            shape: variable.shape.clone(),
            chunk: match &plan.layout {
                StorageLayout::Chunked { chunk } => Some(chunk.clone()),
                StorageLayout::Contiguous => None,
            },
            filters: plan.pipeline.summary(),
            raw_bytes: raw,
            input_bytes: variable.stored_bytes,
            stored_bytes: stored.get(i).map_or(predicted, |stored| stored.bytes),
            reason: plan.reason.clone(),
            kept: plan.copy_raw,
            precision: plan
                .quantize
                .as_ref()
                .map(|plan| precision_report(plan, stored.get(i))),
            joules: 0.0,
        });
    }
    let (seconds, cpu_seconds) = job.clock.elapsed();
    PackReport {
        input: source.path().to_owned(),
        output: None,
        variables,
        input_file_bytes: source.file_bytes(),
        output_file_bytes: 0,
        raw_bytes,
        written_bytes: decisions.written_bytes,
        seconds,
        cpu_seconds,
        planning_seconds: decisions.planning.seconds,
        planning_cpu_seconds: decisions.planning.cpu_seconds,
        energy: EnergyReport::default(),
        threads: run::threads(job.resources),
        memory_bytes: job.resources.memory_bytes,
        verified: false,
        kept_input: false,
        dry_run: false,
        range: None,
        precision: decisions.precision_rules.clone(),
        notices: Vec::new(),
    }
}

/// How a variable was (or will be) rounded.
fn precision_report(plan: &QuantizePlan, stored: Option<&Stored>) -> VariablePrecision {
    let stats = stored.map(|stored| stored.rounding).unwrap_or_default();
    VariablePrecision {
        rounding: rounding_text(plan),
        least_kept: stats.least_kept,
        bound: plan.bound,
        max_absolute_error: stats.errors.max_absolute_error,
        max_relative_error: stats.errors.max_relative_error,
        changed: stats.errors.changed,
    }
}
