//! What is kept of results in the folder of all of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frazil::Result;

use super::Chosen;
use super::finished::Finished;
use super::manifest::{self, Manifest};
use crate::args::ResultArgs;

/// A manifest and an index of finished inputs, as far as they are asked for.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    folder: &'a Path,
    manifest: Option<Manifest>,
    /// Results that the manifest lacks still, by their paths below the folder.
    unsummed: BTreeSet<PathBuf>,
    finished: Option<&'a Finished>,
}

impl<'a> Results<'a> {
    /// # Errors
    /// If there is a manifest that cannot be read.
    pub(crate) fn open(
        folder: &'a Path,
        args: &ResultArgs,
        finished: Option<&'a Finished>,
    ) -> Result<Self> {
        Ok(Self {
            folder,
            manifest: args.manifest.map(|_| Manifest::open(folder)).transpose()?,
            unsummed: BTreeSet::new(),
            finished,
        })
    }

    /// Notes a result.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub(super) fn add(&mut self, chosen: &Chosen) -> Result<()> {
        let below = chosen.target(Path::new(""));
        let noted = match self.finished {
            Some(finished) => finished.add(&chosen.path, &below),
            None => Ok(()),
        };
        if self.manifest.is_some() {
            self.unsummed.insert(below);
        }
        noted
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// If a result cannot be read, or the manifest be written.
    pub(super) fn close(&mut self) -> Result<()> {
        let Some(manifest) = &mut self.manifest else {
            return Ok(());
        };
        for below in &self.unsummed {
            let checksum = manifest::checksum(&self.folder.join(below))?;
            manifest.add(below, &checksum);
        }
        match self.unsummed.is_empty() {
            true => Ok(()),
            false => manifest.write(),
        }
    }
}
