//! How many files are worked on one after the other or at a time, and what is noted of them.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};

/// How many files are worked on, and what is noted of them.
#[derive(Debug, Default, Args)]
pub(crate) struct BatchArgs {
    /// Number of files to work on at a time; they share --threads and --memory [default: of nine files or
    /// more, as many small ones as there are threads; others one by one]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Print one JSON object per line when a file is finished
    #[arg(long, conflicts_with = "json")]
    pub(crate) json_lines: bool,
    /// Append one line for each finished file to this file
    #[arg(long, value_name = "FILE", value_parser = log)]
    pub(crate) log: Option<PathBuf>,
}

/// What is done about the results of a run.
#[derive(Debug, Default, Args)]
pub(crate) struct ResultArgs {
    /// Continue a run that was stopped: skip inputs whose result is in --out-dir, complete and not older than
    /// the input
    #[arg(long)]
    pub(crate) skip_existing: bool,
    /// Copy these properties of each input to its result
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub(crate) preserve: Vec<Preserved>,
    /// Write the checksums of all results to DIR/SHA256SUMS, for `sha256sum -c`
    #[arg(long, value_name = "WHICH")]
    pub(crate) manifest: Option<Checksum>,
}

impl ResultArgs {
    /// What clap cannot check: it takes no requirement seriously that another flag excludes.
    pub(super) fn check(&self, out_dir: Option<&Path>) -> Result<(), (ErrorKind, String)> {
        let needing = [
            ("--skip-existing", self.skip_existing),
            ("--manifest", self.manifest.is_some()),
        ];
        match needing
            .iter()
            .find(|(_, is_stated)| *is_stated && out_dir.is_none())
        {
            Some((flag, _)) => {
                let message = format!("{flag} needs a directory of results: add --out-dir DIR");
                Err((ErrorKind::MissingRequiredArgument, message))
            }
            None => Ok(()),
        }
    }
}

/// What results take over from their inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preserved {
    /// Modification time
    Mtime,
    /// Permissions
    Mode,
}

/// Checksums of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checksum {
    /// SHA-256
    Sha256,
}

/// No machine has use for more files at a time.
const MOST_JOBS: usize = 4096;

fn jobs(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| (1..=MOST_JOBS).contains(number));
    number.ok_or_else(|| format!("it must be a number of files from 1 to {MOST_JOBS}"))
}

/// What is added to must be no data file by a slip.
fn log(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let extension = path
        .extension()
        .map(|end| end.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("nc" | "nc3" | "nc4" | "cdf" | "h5" | "hdf5" | "he5" | "hdf") => {
            Err("it is named as a data file: name a text, as run.log".to_owned())
        }
        _ => Ok(path.into()),
    }
}
