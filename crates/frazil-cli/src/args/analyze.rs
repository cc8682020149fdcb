//! `frazil analyze`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::AnalyzeOptions;

use super::{OutputArgs, ResourceArgs, named_as, precision};

#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    /// File to analyze
    pub(crate) file: PathBuf,
    /// Analyze only variables whose path or name matches one of these globs
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    variables: Vec<String>,
    /// Share of the information that the recommended bits keep, for example 0.99 or 99%
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "0.99",
        allow_hyphen_values = true
    )]
    #[arg(value_parser = precision::share_of_information)]
    keep_information: f64,
    /// Draw the information in each bit
    #[arg(long, value_name = "OUT.svg", value_parser = named_as::svg)]
    pub(crate) figure: Option<PathBuf>,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl AnalyzeArgs {
    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> AnalyzeOptions {
        AnalyzeOptions {
            keep_information: self.keep_information,
            variables: self.variables.clone(),
            resources: self.resources.resources(cancel),
        }
    }
}
