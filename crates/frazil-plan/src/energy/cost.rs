//! Carbon and money: of joules, and of bytes that are kept for a year.

use serde::{Deserialize, Serialize};

use super::PowerModel;

/// Joules of a kilowatt-hour.
pub const JOULES_PER_KWH: f64 = 3.6e6;
/// Bytes of a petabyte.
const PB: f64 = 1e15;
/// Hours of a year.
const HOURS: f64 = 8760.0;

/// Kilowatt-hours of `joules`.
#[must_use]
pub fn kwh(joules: f64) -> f64 {
    joules / JOULES_PER_KWH
}

/// What storage of some size takes in a year. The defaults are the figures of the German Climate
/// Computing Center in Alforov et al. 2018, "Towards green scientific data compression through
/// high-level I/O interfaces" (SBAC-PAD): 3 kW and 100 000 euros for a petabyte of disks, and
/// maintenance of 15 % of that. They do not say how long disks serve: five years are assumed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageCost {
    /// Watts that a petabyte draws all year.
    pub watts_per_pb: f64,
    /// Euros to buy a petabyte.
    pub euros_per_pb: f64,
    /// Share of the price that maintenance costs each year.
    pub maintenance_share: f64,
    /// Years after which it is bought again.
    pub service_years: f64,
}

impl Default for StorageCost {
    fn default() -> Self {
        Self {
            watts_per_pb: 3000.0,
            euros_per_pb: 100_000.0,
            maintenance_share: 0.15,
            service_years: 5.0,
        }
    }
}

/// What energy and storage cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EnergyRates {
    /// Joules where nothing measures them.
    pub power: PowerModel,
    /// Grams of CO2 a kilowatt-hour. The default is the world's electricity of 2023 (Ember, "Global
    /// Electricity Review 2024"); a site's own figure is better.
    pub carbon_g_per_kwh: f64,
    /// Euros a kilowatt-hour. The default is that of Alforov et al. 2018.
    pub euros_per_kwh: f64,
    /// What is kept.
    pub storage: StorageCost,
}

impl Default for EnergyRates {
    fn default() -> Self {
        Self {
            power: PowerModel::default(),
            carbon_g_per_kwh: 480.0,
            euros_per_kwh: 0.14,
            storage: StorageCost::default(),
        }
    }
}

/// What fewer bytes on disk save in a year; negative where there are more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageSaving {
    /// Bytes that need not be kept.
    pub bytes: f64,
    /// Kilowatt-hours a year.
    pub kwh_per_year: f64,
    /// Grams of CO2 a year.
    pub co2_grams_per_year: f64,
    /// Euros a year for electricity.
    pub electricity_euros_per_year: f64,
    /// Euros a year for maintenance.
    pub maintenance_euros_per_year: f64,
    /// Euros a year for disks, their price over the years that they serve.
    pub disks_euros_per_year: f64,
}

impl StorageSaving {
    /// All euros a year.
    #[must_use]
    pub fn euros_per_year(&self) -> f64 {
        self.electricity_euros_per_year
            + self.maintenance_euros_per_year
            + self.disks_euros_per_year
    }
}

impl EnergyRates {
    /// What a year without `bytes` saves.
    #[must_use]
    pub fn saving(&self, bytes: f64) -> StorageSaving {
        let petabytes = bytes / PB;
        let kwh = petabytes * self.storage.watts_per_pb / 1000.0 * HOURS;
        let price = petabytes * self.storage.euros_per_pb;
        StorageSaving {
            bytes,
            kwh_per_year: kwh,
            co2_grams_per_year: kwh * self.carbon_g_per_kwh,
            electricity_euros_per_year: kwh * self.euros_per_kwh,
            maintenance_euros_per_year: price * self.storage.maintenance_share,
            disks_euros_per_year: price / self.storage.service_years,
        }
    }

    /// Grams of CO2 of `joules`.
    #[must_use]
    pub fn co2_grams(&self, joules: f64) -> f64 {
        kwh(joules) * self.carbon_g_per_kwh
    }

    /// Whether every rate can be: finite, not negative, a time of service.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let storage = &self.storage;
        let rates = [
            self.carbon_g_per_kwh,
            self.euros_per_kwh,
            storage.watts_per_pb,
            storage.euros_per_pb,
            storage.maintenance_share,
            storage.service_years,
        ];
        self.power.is_sound()
            && rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0)
            && storage.service_years > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_petabyte_costs_what_the_paper_says() {
        let saving = EnergyRates::default().saving(1e15);
        // "annual electricity costs of 3,680 euros" for each petabyte.
        assert!((saving.electricity_euros_per_year - 3680.0).abs() < 1.0);
        assert!((saving.maintenance_euros_per_year - 15_000.0).abs() < 1e-6);
        assert!((saving.disks_euros_per_year - 20_000.0).abs() < 1e-6);
        assert!((saving.kwh_per_year - 26_280.0).abs() < 1e-6);
        let euros = saving.euros_per_year();
        assert!((euros - 38_679.2).abs() < 1e-6, "{euros}");
    }

    #[test]
    fn what_grows_costs_more() {
        assert!(EnergyRates::default().saving(-1e12).euros_per_year() < 0.0);
    }

    #[test]
    fn a_kilowatt_hour_emits_its_intensity() {
        let rates = EnergyRates {
            carbon_g_per_kwh: 50.0,
            ..EnergyRates::default()
        };
        assert!((rates.co2_grams(7.2e6) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn rates_that_cannot_be_are_not_sound() {
        assert!(EnergyRates::default().is_sound());
        let mut odd = EnergyRates::default();
        odd.storage.service_years = 0.0;
        assert!(!odd.is_sound());
        odd = EnergyRates {
            carbon_g_per_kwh: -1.0,
            ..EnergyRates::default()
        };
        assert!(!odd.is_sound());
    }
}
