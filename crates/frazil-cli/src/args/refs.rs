//! `frazil refs`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use frazil::size::parse_size;

use super::{InputArgs, OutputArgs};

#[derive(Debug, Args)]
pub(crate) struct RefsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write the references of one input to this file: JSON, or a folder named *.parquet (needs the Python package)
    #[arg(short, long, value_name = "OUT", group = "destination")]
    pub(crate) output: Option<PathBuf>,
    /// Write the references of each input into this directory, under its name and .json
    #[arg(long, value_name = "DIR", group = "destination")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Replace existing references
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Refer to the files under this prefix (https://host/folder/, s3://bucket/), not at their place now
    #[arg(long, value_name = "URL")]
    pub(crate) url_prefix: Option<String>,
    /// Write the URL once, as a template: shorter, but VirtualiZarr cannot read it
    #[arg(long)]
    pub(crate) template: bool,
    /// Copy chunks of fewer bytes into the references; 0: none
    #[arg(long, value_name = "SIZE", default_value = "500", value_parser = parse_size)]
    pub(crate) inline_threshold: u64,
    /// Cut contiguous values into pieces of at most this size; 0: do not cut
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = parse_size)]
    pub(crate) split: u64,
    #[command(flatten)]
    pub(crate) report: OutputArgs,
}

impl RefsArgs {
    /// What clap cannot check: one file for one input.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        if self.output.is_some() && self.inputs.only().is_none() {
            let message =
                "-o names one file; use --out-dir DIR for several inputs, and VirtualiZarr to \
                           combine them"
                    .into();
            return Err((ErrorKind::ArgumentConflict, message));
        }
        if self.output.is_none() && self.out_dir.is_none() {
            let message = "name a place for the references: -o OUT or --out-dir DIR".into();
            return Err((ErrorKind::MissingRequiredArgument, message));
        }
        Ok(())
    }

    /// Where readers will find an input whose result is in `folder` below that of all results.
    pub(crate) fn url(&self, input: &Path, folder: &Path) -> Option<String> {
        let prefix = self.url_prefix.as_ref()?;
        let below = folder.join(input.file_name().unwrap_or_default());
        let slash = if prefix.ends_with('/') { "" } else { "/" };
        Some(format!("{prefix}{slash}{}", below.to_string_lossy()))
    }
}
