//! `frazil recover`.

use std::path::PathBuf;

use clap::Args;

use super::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// Files whose writer was killed
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) print: OutputArgs,
}
