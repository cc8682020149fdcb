//! `frazil info`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use super::{InputArgs, ResourceArgs};

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Also read the data and show the share of fill values
    #[arg(long)]
    pub(crate) fill: bool,
    /// Count the requests, rounds and bytes that reads would need in an object store
    #[arg(long)]
    pub(crate) cloud: bool,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    resources: ResourceArgs,
}

impl InfoArgs {
    /// The facade's limits.
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        self.resources.resources(cancel)
    }
}
