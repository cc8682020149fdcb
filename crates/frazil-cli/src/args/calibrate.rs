//! `frazil calibrate`.

use std::path::PathBuf;

use clap::Args;

use super::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Write the constants to this file in place of the user's cache
    #[arg(short, long, value_name = "FILE.json")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) print: OutputArgs,
}
