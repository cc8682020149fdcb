//! `frazil verify`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use super::{OutputArgs, ResourceArgs};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// One file
    pub(crate) a: PathBuf,
    /// The other file
    pub(crate) b: PathBuf,
    #[command(flatten)]
    resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl VerifyArgs {
    /// The facade's limits.
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        self.resources.resources(cancel)
    }
}
