//! `frazil plan`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use frazil::{Defaults, EncodingStyle, PackOptions};

use super::pack::DecisionArgs;
use super::{OutputArgs, PrecisionArgs, ResourceArgs, named_as};

/// Stands for standard output.
const STDOUT: &str = "-";

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// netCDF-4, HDF5 or classic netCDF file to plan for
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) how: DecisionArgs,
    #[command(flatten)]
    pub(crate) precision: PrecisionArgs,
    /// Write the plan to a file, which you can edit and use with `frazil pack --plan`; with --compare, the
    /// rows of the table. Without a file, print the plan and nothing else
    #[arg(long, value_name = "PLAN.json", num_args = 0..=1, default_missing_value = STDOUT)]
    json: Option<PathBuf>,
    /// Print only the plan, in the notation of another writer
    #[arg(long, value_enum)]
    encoding: Option<Style>,
    /// Instead of a plan, print the results of each goal (except energy) and reader level, exact and
    /// rounded
    #[arg(long, conflicts_with_all = ["encoding", "plot", "goal", "readable_by"])]
    pub(crate) compare: bool,
    /// Draw ratio against speed of the filters tried, and read times of the chunk shapes compared
    #[arg(long, value_name = "OUT.svg|html", value_parser = named_as::svg_or_html)]
    pub(crate) plot: Option<PathBuf>,
    /// Replace existing files of --json and --write-precision
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    resources: ResourceArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Style {
    /// Dictionary for xarray's to_netcdf(encoding=...)
    Xarray,
    /// Commands of NCO's ncks
    Nco,
    /// Command of nccopy
    Nccopy,
    /// Calls of Fortran's nf90_def_var
    Nf90,
}

impl PlanArgs {
    /// What clap cannot check.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        self.precision.check(true)?;
        self.how.check(&self.precision)?;
        if self.prints_plan() && self.encoding.is_some() {
            let message = "--json and --encoding would both print; name a file: --json PLAN.json";
            return Err((ErrorKind::ArgumentConflict, message.into()));
        }
        match &self.json {
            Some(path) if *path == self.file => {
                let message = "--json would replace the input".into();
                Err((ErrorKind::ArgumentConflict, message))
            }
            _ => Ok(()),
        }
    }

    /// The file that the plan goes to.
    pub(crate) fn plan_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|_| !self.prints_plan())
    }

    /// Whether the plan is printed, and nothing else.
    pub(crate) fn prints_plan(&self) -> bool {
        self.json.as_deref() == Some(Path::new(STDOUT))
    }

    /// In whose words it is printed.
    pub(crate) fn style(&self) -> Option<EncodingStyle> {
        self.encoding.map(|style| match style {
            Style::Xarray => EncodingStyle::Xarray,
            Style::Nco => EncodingStyle::Nco,
            Style::Nccopy => EncodingStyle::Nccopy,
            Style::Nf90 => EncodingStyle::Nf90,
        })
    }

    /// What is printed beside a plan that goes to standard output.
    pub(crate) fn output(&self) -> OutputArgs {
        OutputArgs {
            json: false,
            quiet: self.quiet || self.prints_plan(),
        }
    }

    /// The facade's options, without what files say but for these defaults.
    pub(crate) fn options(&self, defaults: &Defaults, cancel: &Arc<AtomicBool>) -> PackOptions {
        PackOptions {
            precision: self.precision.options(),
            resources: self.resources.resources(cancel),
            ..self.how.options(defaults)
        }
    }
}
