//! `frazil verify`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use frazil::VerifyOptions;

use super::{BatchArgs, Checksum, OutputArgs, ResourceArgs, SelectionArgs, named_as};

/// Variables that a report shows pictures of.
const FIGURES: usize = 6;
/// ... at most, where they are named.
const MOST_FIGURES: usize = 50;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// An original and one or more other files of it, or originals and the directory of their results. If the
    /// other file says that a variable is rounded, its values must keep the stated bound
    #[arg(value_name = "A B", required_unless_present = "out_dir")]
    named: Vec<PathBuf>,
    /// Compare originals with the results that `pack --out-dir DIR` wrote into this directory
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    /// Also compare each result with its checksum in DIR/SHA256SUMS
    #[arg(long, value_name = "WHICH")]
    pub(crate) manifest: Option<Checksum>,
    /// Compare only variables, with their types, shapes and values, and the attributes that values are unpacked
    /// by; of other differences only the number is shown
    #[arg(long)]
    values_only: bool,
    /// Published tests that rounded variables must also pass
    #[arg(long, value_enum, value_name = "NAME")]
    thresholds: Option<Thresholds>,
    /// Write a page about the rounded variables, with maps, histograms and spectra; several files of one
    /// original stand side by side
    #[arg(long, value_name = "OUT.html", value_parser = named_as::html)]
    pub(crate) report: Option<PathBuf>,
    /// Show pictures of these variables on the page: globs that match paths or names [default: the variables
    /// with the largest errors]
    #[arg(
        long,
        value_name = "GLOB,...",
        value_delimiter = ',',
        requires = "report"
    )]
    variables: Vec<String>,
    #[command(flatten)]
    resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Thresholds {
    /// The tests of ldcpy (Baker et al. 2016)
    Ldcpy,
}

/// What is compared.
pub(crate) enum Comparison<'a> {
    /// A file with one that was made of it, or with several.
    Files(&'a Path, &'a [PathBuf]),
    /// Files, and those of a list, with what lies below a directory.
    Trees(&'a [PathBuf], &'a Path),
}

impl VerifyArgs {
    /// What is compared; [`super::parse`] lets no arguments through that leave it open.
    pub(crate) fn comparison(&self) -> Comparison<'_> {
        match (&self.out_dir, self.named.as_slice()) {
            (Some(folder), named) => Comparison::Trees(named, folder),
            (None, [originals @ .., folder]) if folder.is_dir() || originals.is_empty() => {
                Comparison::Trees(originals, folder)
            }
            (None, [original, others @ ..]) => Comparison::Files(original, others),
            (None, []) => Comparison::Trees(&[], Path::new("")),
        }
    }

    /// What clap cannot check.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        let missing = |message: &str| Err((ErrorKind::MissingRequiredArgument, message.to_owned()));
        let conflict = |message: &str| Err((ErrorKind::ArgumentConflict, message.to_owned()));
        match self.comparison() {
            Comparison::Files(a, others) if a.is_dir() || others.iter().any(|one| one.is_dir()) => {
                conflict("files and directories do not go together: name files, or two directories")
            }
            Comparison::Files(..) if self.selection.files_from.is_some() => {
                missing("the files of a list have their results in a directory: add --out-dir DIR")
            }
            Comparison::Files(..) if self.manifest.is_some() => {
                missing("--manifest needs a directory of results: add --out-dir DIR")
            }
            Comparison::Files(..) => Ok(()),
            Comparison::Trees([], _) if self.selection.files_from.is_none() => {
                missing("name <A>, the original, and <B>, its result: two files or two directories")
            }
            Comparison::Trees(..) if self.report.is_some() => {
                conflict("--report needs one original: name <A> and <B>")
            }
            Comparison::Trees(..) => Ok(()),
        }
    }

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> VerifyOptions {
        VerifyOptions {
            resources: self.resources.resources(cancel),
            thresholds: self
                .thresholds
                .map(|Thresholds::Ldcpy| frazil::Thresholds::Ldcpy),
            values_only: self.values_only,
            figures: match (&self.report, self.variables.is_empty()) {
                (None, _) => 0,
                (Some(_), true) => FIGURES,
                (Some(_), false) => MOST_FIGURES,
            },
            pictured: self.variables.clone(),
        }
    }

    /// Whether the documented tests decide.
    pub(crate) fn shows_thresholds(&self) -> bool {
        self.thresholds.is_some()
    }
}
