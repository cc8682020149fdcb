//! What is stated of a choice of filters beside its goal.

use std::path::{Path, PathBuf};

use clap::Args;
use frazil::{Calibration, SelectionCriteria, SpeedDemand, SpeedFloor, Transfer, Weights};

/// Where a floor comes from, as reasons say it.
const AS_ASKED: &str = "as asked";

/// What is stated of a choice of filters beside its goal.
#[derive(Debug, Args)]
pub(super) struct WeighingArgs {
    #[arg(long, value_name = "size=1,write=0.5,...", value_parser = weights)]
    #[arg(conflicts_with_all = ["level", "filters", "goal"])]
    weights: Option<Weights>,
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["level", "filters"])]
    min_write_speed: Option<SpeedDemand>,
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["level", "filters"])]
    min_read_speed: Option<SpeedDemand>,
    #[arg(long, value_name = "SHARE", value_parser = tolerance, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["level", "filters"])]
    ratio_tolerance: Option<f64>,
    #[arg(long, value_name = "TREE.json", conflicts_with_all = ["level", "filters"])]
    tree: Option<PathBuf>,
}

impl WeighingArgs {
    /// The facade's options, without what a file says.
    pub(super) fn weighing(&self, calibration: &Calibration) -> SelectionCriteria {
        let floor = |speed: &Option<SpeedDemand>, transfer| {
            let speed = speed.as_ref()?;
            Some(SpeedFloor::of(speed, transfer, calibration, AS_ASKED))
        };
        SelectionCriteria {
            weights: self.weights,
            encode_floor: floor(&self.min_write_speed, Transfer::Writing),
            decode_floor: floor(&self.min_read_speed, Transfer::Reading),
            ratio_tolerance: self.ratio_tolerance,
            tree: None,
        }
    }

    /// The file of the tree.
    pub(super) fn tree(&self) -> Option<&Path> {
        self.tree.as_deref()
    }
}

fn weights(text: &str) -> Result<Weights, String> {
    text.parse()
        .map_err(|error: frazil::PlanError| error.to_string())
}

/// `3%`, `0.03`: a share from 0 to below 1.
fn tolerance(text: &str) -> Result<f64, String> {
    let (number, factor) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 0.01),
        None => (text.trim(), 1.0),
    };
    let share = number.parse().map(|number: f64| number * factor);
    match share {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "{text:?} is not a share from 0 to below 1, such as 3% or 0.03"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_shares_below_1() {
        assert_eq!(tolerance("3%"), Ok(0.03));
        assert_eq!(tolerance("0.5 %"), Ok(0.005));
        assert_eq!(tolerance("0.03"), Ok(0.03));
        assert_eq!(tolerance("0"), Ok(0.0));
        for wrong in ["1", "100%", "-1%", "nan", "few", "", "3%%"] {
            assert!(tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
