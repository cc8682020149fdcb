//! Which files a command works on: those that are named, those of directories, those of lists.

use std::path::PathBuf;

use clap::Args;
use globset::{Glob, GlobBuilder};

/// Which files a command works on.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// netCDF-4, HDF5 or classic netCDF files, or directories of such files
    #[arg(value_name = "IN", required_unless_present = "files_from")]
    pub(crate) named: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

/// Which files of directories and lists are meant.
#[derive(Debug, Args)]
pub(crate) struct SelectionArgs {
    /// Also take the files in nested directories; --out-dir gets the same tree
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Also take the files that a list names, one per line or with NULs between them, as of `find -print0`; - is
    /// standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) files_from: Option<PathBuf>,
    /// Take files of directories and lists that match; a glob with a slash is compared with the path
    /// below the directory, others with the name [default: *.nc, *.h5 and the like; all files of lists]
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) include: Vec<Glob>,
    /// Leave out files of directories and lists that match
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
    built.map_err(|error| format!("{text:?} is not a valid pattern: {}", error.kind()))
}
