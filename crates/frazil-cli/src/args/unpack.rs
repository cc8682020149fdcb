//! `frazil unpack`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::{Destination, UnpackFormat, UnpackOptions};

use super::declared::word;
use super::{OutputArgs, ResourceArgs, TargetArgs};

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Files to unpack
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[arg(long, value_parser = word::<UnpackFormat>("format"))]
    format: Option<UnpackFormat>,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show every variable, however many
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

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> UnpackOptions {
        UnpackOptions {
            format: self.format.unwrap_or_default(),
            overwrite: self.target.overwrite,
            verify: self.target.verify,
            resources: self.resources.resources(cancel),
        }
    }
}
