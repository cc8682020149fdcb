//! Joules of a run: by the machine's counters where it shows them, else by a model.

mod meter;
mod rapl;

pub(crate) use meter::{Meter, Metered};

use frazil_plan::energy::{EnergyRates, kwh};

use frazil_options::pack_report::{EnergyReport, EnergySource, PackReport};

/// Raw bytes a second at which a variable's chunks are taken to be fetched, decoded and placed,
/// beside the time that packing them took.
const MOVING_BYTES_PER_SECOND: f64 = 1e9;

/// What a run took that its meter does not know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<'a> {
    /// CPU seconds of the process.
    pub(crate) cpu_seconds: f64,
    /// Wall seconds.
    pub seconds: f64,
    /// How often what was read and written went through the machine: twice with a verification.
    pub passes: f64,
    /// Seconds that threads spent on packing each variable of the report; empty: not known.
    pub(crate) packing_seconds: &'a [f64],
}

/// Completes a report: joules of the run and of each variable, their carbon, and what is saved.
///
/// `measured` is what counters found, or why there is nothing.
pub(crate) fn complete(
    report: &mut PackReport,
    rates: &EnergyRates,
    measured: Result<f64, String>,
    work: Work<'_>,
) {
    let moved = (report.input_file_bytes + report.output_file_bytes) as f64 * work.passes;
    let (source, joules, basis) = match measured {
        Ok(joules) => (EnergySource::Rapl, joules, meter::BASIS.to_owned()),
        Err(why) => {
            let power = &rates.power;
            let joules = power.joules(work.cpu_seconds, work.seconds, moved);
            let basis = format!(
                "{} W x wall seconds + {} W x CPU seconds + {} nJ x bytes; {why}",
                power.awake_watts,
                power.core_watts,
                power.joules_per_byte * 1e9
            );
            (EnergySource::Model, joules, basis)
        }
    };
    share_out(report, joules, work.packing_seconds);
    let saved_bytes = report.input_file_bytes as f64 - report.output_file_bytes as f64;
    let saving = rates.saving(saved_bytes);
    report.energy = EnergyReport {
        source,
        basis,
        joules,
        kwh: kwh(joules),
        carbon_g_per_kwh: rates.carbon_g_per_kwh,
        co2_grams: rates.co2_grams(joules),
        saved_euros_per_year: saving.euros_per_year(),
        saving,
    };
}

/// Each variable's part of the joules: by the seconds of packing it, and its bytes.
fn share_out(report: &mut PackReport, joules: f64, packing_seconds: &[f64]) {
    let weights: Vec<f64> = report
        .variables
        .iter()
        .enumerate()
        .map(|(i, variable)| {
            let packing = packing_seconds.get(i).copied().unwrap_or(0.0);
            packing + variable.raw_bytes as f64 / MOVING_BYTES_PER_SECOND
        })
        .collect();
    let all: f64 = weights.iter().sum();
    for (variable, weight) in report.variables.iter_mut().zip(weights) {
        variable.joules = if all > 0.0 {
            joules * weight / all
        } else {
            0.0
        };
    }
}
