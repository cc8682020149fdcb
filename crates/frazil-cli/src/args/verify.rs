//! `frazil verify`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use frazil::VerifyOptions;

use super::{OutputArgs, ResourceArgs, named_as};

/// Variables that a report shows pictures of.
const FIGURES: usize = 6;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// One file, the original
    pub(crate) a: PathBuf,
    /// The other file; variables that it states to be rounded are judged by what it states
    pub(crate) b: PathBuf,
    /// Documented tests that rounded variables must pass too
    #[arg(long, value_enum, value_name = "NAME")]
    thresholds: Option<Thresholds>,
    /// Write a page about the rounded variables, with maps, histograms and spectra
    #[arg(long, value_name = "OUT.html", value_parser = named_as::html)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Thresholds {
    /// Those of ldcpy (Baker et al. 2016)
    Ldcpy,
}

impl VerifyArgs {
    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> VerifyOptions {
        VerifyOptions {
            resources: self.resources.resources(cancel),
            thresholds: self
                .thresholds
                .map(|Thresholds::Ldcpy| frazil::Thresholds::Ldcpy),
            figures: if self.report.is_some() { FIGURES } else { 0 },
        }
    }

    /// Whether the documented tests decide.
    pub(crate) fn shows_thresholds(&self) -> bool {
        self.thresholds.is_some()
    }
}
