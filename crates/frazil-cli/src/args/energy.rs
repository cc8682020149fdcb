//! What energy costs, and whether it is shown.

use clap::Args;
use frazil::EnergyRates;

/// What is shown of energy.
#[derive(Debug, Args)]
pub(crate) struct EnergyArgs {
    /// Show the energy of each variable, and the savings of a year of storage; see docs/energy.md
    #[arg(long)]
    pub(crate) energy: bool,
    #[arg(long, value_name = "GRAMS", value_parser = grams, allow_negative_numbers = true)]
    carbon_intensity: Option<f64>,
}

/// A number that is not negative.
fn grams(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(grams) if grams.is_finite() && grams >= 0.0 => Ok(grams),
        _ => Err("not a number of grams, 0 or more".to_owned()),
    }
}

impl EnergyArgs {
    /// The facade's rates.
    pub(super) fn rates(&self) -> EnergyRates {
        let rates = EnergyRates::default();
        EnergyRates {
            carbon_g_per_kwh: self.carbon_intensity.unwrap_or(rates.carbon_g_per_kwh),
            ..rates
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_are_not_negative() {
        assert_eq!(grams("41.5"), Ok(41.5));
        for text in ["-1", "inf", "NaN", "many"] {
            assert!(grams(text).is_err(), "{text}");
        }
    }
}
