//! Which files a command works on: those that are named, those of directories, those of lists.

use std::path::PathBuf;

use clap::Args;
use globset::{Glob, GlobBuilder};

/// Which files a command works on.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files: netCDF-4, HDF5 or classic netCDF; of a directory, the files in it
    #[arg(value_name = "IN", required_unless_present = "files_from")]
    pub(crate) named: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

/// Which files of directories and lists are meant.
#[derive(Debug, Args)]
pub(crate) struct SelectionArgs {
    /// Of directories, take what lies in nested ones, too; --out-dir keeps the tree
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Take the files of a list, too, one name a line; - is standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) files_from: Option<PathBuf>,
    /// Of directories and lists, take the files that match; with a slash the path below the directory
    /// is meant, else the name [default: *.nc, *.h5 and the like; of lists: all]
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) include: Vec<Glob>,
    /// Of directories and lists, leave out the files that match
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<Glob>,
}

impl InputArgs {
    /// The only input, if nothing else can come of the arguments.
    pub(crate) fn only(&self) -> Option<&PathBuf> {
        match (self.named.as_slice(), &self.selection.files_from) {
            ([only], None) if !only.is_dir() => Some(only),
            _ => None,
        }
    }
}

fn glob(text: &str) -> Result<Glob, String> {
    let built = GlobBuilder::new(text).literal_separator(true).build();
    built.map_err(|error| format!("{text:?} is no pattern: {}", error.kind()))
}
