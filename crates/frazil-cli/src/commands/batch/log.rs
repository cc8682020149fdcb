//! The log of a run: one line for each finished file, in columns between tabs.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use frazil::{Error, Result};

use super::{FileReport, Outcome};
use crate::text;

/// A file that lines are added to.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn open(path: &Path) -> Result<Self> {
        frazil::check_text_output(path)?;
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| Error::io(&error, "open", path))?;
        let path = path.to_owned();
        Ok(Self { path, file })
    }

    /// Adds a line: seconds since 1970, the outcome, the input, and what a report says; of what failed, why.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn add<R: FileReport>(&mut self, input: &Path, outcome: &Outcome<R>) -> Result<()> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let rest = match outcome {
            Outcome::Done(report) => report.log_columns(),
            Outcome::Skipped | Outcome::MadeElsewhere => String::new(),
            Outcome::Failed(error) => format!("\t{}", text::plain(&error.cause)),
        };
        let line = format!(
            "{:.3}\t{}\t{}{rest}\n",
            now.as_secs_f64(),
            outcome.word(),
            text::path(input)
        );
        let added = self.file.write_all(line.as_bytes());
        added.map_err(|error| Error::io(&error, "write", &self.path))
    }
}
