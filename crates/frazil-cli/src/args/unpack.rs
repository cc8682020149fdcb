//! `frazil unpack`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use clap::error::ErrorKind;
use frazil::{Destination, UnpackFormat, UnpackOptions};

use super::declared::word;
use super::{BatchArgs, InputArgs, OutputArgs, ResourceArgs, ResultArgs, TargetArgs};

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[arg(long, value_parser = word::<UnpackFormat>("format"))]
    format: Option<UnpackFormat>,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl UnpackArgs {
    /// Where the results go; [`super::parse`] lets no arguments through that leave it open.
    pub(crate) fn destination(&self) -> Option<Destination> {
        self.target.destination()
    }

    /// What clap cannot check.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        self.results.check(self.target.out_dir())?;
        self.target.check(&self.inputs, true)
    }

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> UnpackOptions {
        UnpackOptions {
            format: self.format.unwrap_or_default(),
            overwrite: self.target.overwrite,
            verify: self.target.verify,
            history: None,
            resources: self.resources.resources(cancel),
        }
    }
}
