//! What is stated of a choice of filters beside its goal.

use std::path::{Path, PathBuf};

use clap::Args;
use frazil::{Weighing, Weights};

/// What is stated of a choice of filters beside its goal.
#[derive(Debug, Args)]
pub(super) struct WeighingArgs {
    /// How much stored bytes, time to write, time to read and joules count, in place of a goal; only
    /// proportions matter, and what is not named does not count
    #[arg(long, value_name = "size=1,write=0.5,...", value_parser = weights)]
    #[arg(conflicts_with_all = ["level", "filters", "goal"])]
    weights: Option<Weights>,
    /// Only filters that one core encodes as fast as that, for example 400MB/s
    #[arg(long, value_name = "SPEED", value_parser = speed, conflicts_with_all = ["level", "filters"])]
    min_write_speed: Option<f64>,
    /// Decision tree that names the filters to try, as `frazil train` writes it [default: frazil's own]
    #[arg(long, value_name = "TREE.json", conflicts_with_all = ["level", "filters"])]
    tree: Option<PathBuf>,
}

impl WeighingArgs {
    /// The facade's options, without what a file says.
    pub(super) fn weighing(&self, goal_is_stated: bool) -> Weighing {
        Weighing {
            is_stated: goal_is_stated || self.tree.is_some(),
            weights: self.weights,
            least_encode_mb_s: self.min_write_speed,
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

/// `400MB/s`, `1.5GB/s`, `200MiB/s`: in MB/s.
fn speed(text: &str) -> Result<f64, String> {
    let refuse = || format!("{text:?} is no speed, as 400MB/s, 1.5GB/s or 200MiB/s are");
    let bare = text.trim().strip_suffix("/s").ok_or_else(refuse)?;
    let units = [
        ("KiB", 1.024e-3),
        ("MiB", 1.048_576),
        ("GiB", 1_073.741_824),
        ("kB", 1e-3),
        ("KB", 1e-3),
        ("MB", 1.0),
        ("GB", 1e3),
    ];
    let found = units
        .iter()
        .find_map(|(unit, factor)| Some((bare.strip_suffix(unit)?, factor)));
    let (number, factor) = found.ok_or_else(refuse)?;
    let number: f64 = number.trim().parse().map_err(|_| refuse())?;
    match number.is_finite() && number > 0.0 {
        true => Ok(number * factor),
        false => Err(refuse()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_units() {
        assert_eq!(speed("400MB/s"), Ok(400.0));
        assert_eq!(speed("1.5 GB/s"), Ok(1500.0));
        assert_eq!(speed("1MiB/s"), Ok(1.048_576));
        for wrong in ["400", "400MB", "MB/s", "-1MB/s", "infMB/s", ""] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
