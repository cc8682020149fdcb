//! `frazil calibrate`.

use std::path::PathBuf;

use clap::Args;
use frazil::{CalibrateOptions, SpeedDemand};

use super::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Write the constants to this file instead of the user's cache
    #[arg(short, long, value_name = "FILE.json")]
    pub(crate) output: Option<PathBuf>,
    /// Measure the machine's own storage: write 128 MiB into this folder and read them again
    /// [default: measure the page cache]
    #[arg(long, value_name = "DIR")]
    local: Option<PathBuf>,
    /// Measure the parallel file system in this folder, likewise [default: not measured]
    #[arg(long, value_name = "DIR")]
    shared: Option<PathBuf>,
    /// Speed of the network, for example 25Gbit/s or 3GB/s [default: the fastest link, according to the system]
    #[arg(long, value_name = "SPEED", value_parser = number, allow_hyphen_values = true)]
    network: Option<SpeedDemand>,
    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

impl CalibrateArgs {
    /// The facade's options.
    pub(crate) fn options(&self) -> CalibrateOptions {
        CalibrateOptions {
            local: self.local.clone(),
            shared: self.shared.clone(),
            network: self.network,
        }
    }
}

/// A speed in bytes or bits: words are what is to be found out.
fn number(text: &str) -> Result<SpeedDemand, String> {
    let speed: SpeedDemand = text.parse()?;
    match speed.words() {
        Some(_) => Err(format!(
            "{text:?} is not a speed in numbers, such as 25Gbit/s or 3GB/s"
        )),
        None => Ok(speed),
    }
}
