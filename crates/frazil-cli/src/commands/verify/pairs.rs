//! Which files are compared with which.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use frazil::{Error, ErrorCode, Result};

use crate::args::{Comparison, VerifyArgs};
use crate::commands::batch::{self, Chosen, Manifest};
use crate::printer::Printer;
use crate::text;

/// Files, and where that is which each is compared with.
pub(super) struct Pairs<'a> {
    chosen: Vec<Chosen>,
    others: Others<'a>,
    /// Checksums of the others.
    manifest: Option<Manifest>,
    /// Files among the others that have no original.
    extra: Vec<PathBuf>,
}

enum Others<'a> {
    /// The original of all that are chosen.
    Original(&'a Path),
    /// Those are originals, and their results are in the tree that `pack` makes below this folder.
    Below(&'a Path),
}

impl<'a> Pairs<'a> {
    /// The pairs that arguments name.
    ///
    /// # Errors
    /// If a directory, a list or the manifest cannot be read or is missing, or there are no files.
    pub(super) fn of(args: &'a VerifyArgs, printer: Printer) -> Result<Self> {
        match args.comparison() {
            Comparison::Files(original, others) => Ok(Self {
                chosen: others.iter().map(|other| Chosen::named(other)).collect(),
                others: Others::Original(original),
                manifest: None,
                extra: Vec::new(),
            }),
            Comparison::Trees(named, folder) => {
                let originals = batch::choose(named, &args.selection, Some(folder), printer)?;
                let manifest = (args.manifest)
                    .map(|_| Manifest::open_existing(folder))
                    .transpose()?;
                let extra = match named {
                    [root] if root.is_dir() => extra(&originals, args, folder),
                    _ => Vec::new(),
                };
                Ok(Self {
                    chosen: originals,
                    others: Others::Below(folder),
                    manifest,
                    extra,
                })
            }
        }
    }

    pub(super) fn chosen(&self) -> &[Chosen] {
        &self.chosen
    }

    /// The original, and the other file.
    ///
    /// # Errors
    /// If a directory could not be listed; if the manifest knows another content of the other file.
    pub(super) fn files(&self, chosen: &Chosen) -> Result<(PathBuf, PathBuf)> {
        if let Some(error) = &chosen.unlisted {
            return Err(error.clone());
        }
        let folder = match self.others {
            Others::Original(path) => return Ok((path.to_owned(), chosen.path.clone())),
            Others::Below(folder) => folder,
        };
        let other = chosen.target(folder);
        // A result that is not there has no checksum either; whoever compares it says that it is missing.
        let is_there = other.symlink_metadata().is_ok();
        if let Some(manifest) = self.manifest.as_ref().filter(|_| is_there) {
            let noted = manifest.noted(&chosen.target(Path::new("")));
            check(&other, noted)?;
        }
        Ok((chosen.path.clone(), other))
    }

    /// Says that there are files of which no original is known.
    pub(super) fn tell_extra(&self, printer: Printer) {
        if let (Some(first), Others::Below(folder)) = (self.extra.first(), &self.others) {
            let files = text::count(self.extra.len() as u64, "file");
            let (folder, first) = (text::path(folder), text::path(first));
            printer.note(&format!(
                "{files} in {folder} without an original: {first} ..."
            ));
        }
    }
}

/// Files of the other tree that have no original.
fn extra(originals: &[Chosen], args: &VerifyArgs, folder: &Path) -> Vec<PathBuf> {
    let expected: HashSet<PathBuf> = originals.iter().map(|one| one.target(folder)).collect();
    // A folder without any files says so where the first is looked for.
    let found = batch::results(folder, &args.selection).unwrap_or_default();
    let paths = found.into_iter().map(|one| one.path);
    paths.filter(|path| !expected.contains(path)).collect()
}

/// Compares a file with its checksum in the manifest.
fn check(path: &Path, noted: Option<String>) -> Result<()> {
    let Some(noted) = noted else {
        let cause = "SHA256SUMS has no checksum of it";
        return Err(Error::new(ErrorCode::NotFound, cause)
            .in_file(path)
            .with_cure("write the results with --manifest sha256, or verify without it"));
    };
    match batch::checksum(path)? == noted {
        true => Ok(()),
        false => {
            let cause = "its checksum differs from the one in SHA256SUMS";
            Err(Error::new(ErrorCode::Corrupt, cause)
                .in_file(path)
                .with_cure("make it again from its original"))
        }
    }
}
