//! `frazil train`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use super::{OutputArgs, ResourceArgs};

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// Folders of netCDF and HDF5 files; each folder that contains files is a dataset
    #[arg(
        value_name = "DIR",
        required_unless_present = "table",
        conflicts_with = "table"
    )]
    pub(crate) folders: Vec<PathBuf>,
    /// Learn from a table of measurements instead
    #[arg(long, value_name = "TABLE.csv")]
    pub(crate) table: Option<PathBuf>,
    /// Write the measurements to a table
    #[arg(long, value_name = "TABLE.csv", conflicts_with = "table")]
    pub(crate) write_table: Option<PathBuf>,
    /// Also judge plans: plan the files of these folders, from which the table was measured, with trees grown
    /// without their datasets
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(crate) judge_plans: Vec<PathBuf>,
    /// Write the tree to this file, for --tree
    #[arg(short, long, value_name = "TREE.json")]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    resources: ResourceArgs,
}

impl TrainArgs {
    /// What is printed.
    pub(crate) fn print(&self) -> OutputArgs {
        OutputArgs {
            json: false,
            quiet: self.quiet,
        }
    }

    pub(crate) fn limits(&self, cancel: &Arc<AtomicBool>) -> Resources {
        self.resources.resources(cancel)
    }
}
