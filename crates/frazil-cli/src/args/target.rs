//! Where the results of `pack` and `unpack` go.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use frazil::Destination;

use super::InputArgs;

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Write the result of one input to this file, in a folder that exists
    #[arg(short, long, value_name = "OUT", group = "destination")]
    output: Option<PathBuf>,
    /// Write each result into this directory, which is made if it is missing, under the name of its input;
    /// inputs from directories and lists keep their tree
    #[arg(long, value_name = "DIR", group = "destination")]
    out_dir: Option<PathBuf>,
    /// Replace each input by its result, once the result is verified
    #[arg(long, group = "destination")]
    in_place: bool,
    #[arg(long, requires = "in_place", conflicts_with_all = ["output", "out_dir"])]
    break_hard_links: bool,
    #[arg(long)]
    pub(super) overwrite: bool,
    #[arg(long)]
    pub(super) verify: bool,
    #[arg(long)]
    pub(crate) history: bool,
}

impl TargetArgs {
    /// The destination asked for, if any.
    pub(super) fn destination(&self) -> Option<Destination> {
        let in_place = || Destination::InPlace {
            break_hard_links: self.break_hard_links,
        };
        None.or_else(|| self.output.clone().map(Destination::File))
            .or_else(|| self.out_dir.clone().map(Destination::Directory))
            .or_else(|| self.in_place.then(in_place))
    }

    /// The directory of all results, if there is one.
    pub(crate) fn out_dir(&self) -> Option<&Path> {
        self.out_dir.as_deref()
    }

    /// Checks the name of the result, if one is stated.
    ///
    /// # Errors
    /// If no file can have it.
    pub(crate) fn check_output(&self) -> frazil::Result<()> {
        self.output
            .as_deref()
            .map_or(Ok(()), frazil::check_output_name)
    }

    /// What clap cannot check: one file for one input.
    pub(super) fn check(
        &self,
        inputs: &InputArgs,
        needed: bool,
    ) -> Result<(), (ErrorKind, String)> {
        if self.output.is_some() && inputs.only().is_none() {
            let message = "-o names one file; use --out-dir DIR for several inputs".into();
            return Err((ErrorKind::ArgumentConflict, message));
        }
        if needed && self.destination().is_none() {
            // As `cp` has it.
            let meant = match inputs.named.as_slice() {
                [_, output] if !output.exists() => {
                    format!("; do you mean -o {}?", output.display())
                }
                _ => String::new(),
            };
            let message =
                format!("name a place for the result: -o OUT, --out-dir DIR or --in-place{meant}");
            return Err((ErrorKind::MissingRequiredArgument, message));
        }
        Ok(())
    }
}
