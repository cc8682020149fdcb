//! What a run took of energy, and what its result saves.

use frazil_plan::energy::StorageSaving;
use serde::Serialize;

/// Where a figure of energy comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EnergySource {
    /// Counters of the machine's processors and memory (RAPL).
    Rapl,
    /// A model of CPU seconds, wall seconds and bytes.
    #[default]
    Model,
}

frazil_types::words!(pub EnergySource: Rapl "rapl", Model "model");

/// The energy of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EnergyReport {
    /// Whether it was measured.
    pub source: EnergySource,
    /// How, in one line.
    pub basis: String,
    /// Joules of the run (predicted in a dry run).
    pub joules: f64,
    /// The same in kilowatt-hours.
    pub kwh: f64,
    /// Grams of CO2 a kilowatt-hour, as stated or by default.
    pub carbon_g_per_kwh: f64,
    /// Grams of CO2 of the run.
    pub co2_grams: f64,
    /// What a year of storage costs less than that of the input, in euros.
    pub saved_euros_per_year: f64,
    /// Of what that is made.
    pub saving: StorageSaving,
}
