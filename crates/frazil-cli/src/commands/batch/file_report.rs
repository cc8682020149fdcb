//! What runs over many files ask of the report on one.

use std::path::Path;

use frazil::{PackReport, VerifyReport};
use serde::Serialize;

use super::super::summary::{self, Others, Shown};
use super::super::{Status, verify};
use crate::text;

/// The report on one file of many.
pub(crate) trait FileReport: Serialize + Send + Sized {
    /// How the command ends where the work on a file could not be done.
    const UNDONE: Status;
    /// What is said of the files that have a fault: "3 files of 20 ...".
    const FAULTY: &'static str;

    /// What came of the file, in one word.
    fn word(&self) -> &'static str;
    /// Why the command fails although the work on `input` was done.
    fn fault(&self, input: &Path) -> Option<String>;
    /// Whether there is a new file.
    fn has_result(&self) -> bool;
    /// What the user should know.
    fn notices(&self) -> &[String];
    /// All of it; of one of several files, with the name of its input.
    fn table(&self, shown: Shown, one_of_several: Option<&Path>) -> String;
    /// One line of it, with the name of its input.
    fn line(&self, input: &Path) -> String;
    /// What a log says of it behind the name of the input, a tab before each column.
    fn log_columns(&self) -> String;
    /// Wall seconds.
    fn seconds(&self) -> f64;
    /// Gives back the memory of what only [`FileReport::table`] shows.
    fn forget_details(&mut self);
    /// The line below several files, which took so many seconds together.
    fn summary(reports: &[Self], others: Others, seconds: f64) -> String;
}

impl FileReport for PackReport {
    const UNDONE: Status = Status::Failure;
    const FAULTY: &'static str = "failed";

    fn word(&self) -> &'static str {
        match (self.dry_run, self.kept_input) {
            (true, _) => "planned",
            (false, true) => "kept",
            (false, false) => "done",
        }
    }

    fn fault(&self, _: &Path) -> Option<String> {
        None
    }

    fn has_result(&self) -> bool {
        !self.dry_run
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }

    fn table(&self, shown: Shown, _: Option<&Path>) -> String {
        summary::of_file(self, shown)
    }

    fn line(&self, _: &Path) -> String {
        summary::line_of(self)
    }

    fn log_columns(&self) -> String {
        let output = self.output.as_deref().map_or_else(String::new, text::path);
        let (before, after) = (self.input_file_bytes, self.output_file_bytes);
        format!("\t{output}\t{before}\t{after}\t{:.3}", self.seconds)
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn forget_details(&mut self) {
        self.variables = Vec::new();
        self.precision = Vec::new();
        self.notices = Vec::new();
    }

    fn summary(reports: &[Self], others: Others, seconds: f64) -> String {
        summary::of_all(reports, others, seconds)
    }
}

impl FileReport for VerifyReport {
    const UNDONE: Status = Status::Trouble;
    const FAULTY: &'static str = "differ or could not be compared";

    fn word(&self) -> &'static str {
        match (self.is_equal(), self.precision.is_empty()) {
            (false, _) => "different",
            (true, true) => "equal",
            (true, false) => "rounded",
        }
    }

    fn fault(&self, input: &Path) -> Option<String> {
        (!self.is_equal()).then(|| verify::line_of(self, input).trim_end().to_owned())
    }

    fn has_result(&self) -> bool {
        false
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }

    fn table(&self, shown: Shown, one_of_several: Option<&Path>) -> String {
        verify::of_pair(self, shown, one_of_several)
    }

    fn line(&self, input: &Path) -> String {
        verify::line_of(self, input)
    }

    fn log_columns(&self) -> String {
        let differences = self.difference_count;
        format!(
            "\t{}\t{differences}\t{:.3}",
            text::path(&self.b),
            self.seconds
        )
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn forget_details(&mut self) {
        self.differences = Vec::new();
        self.notices = Vec::new();
        // Whether they passed is asked in the end.
        self.figures = Vec::new();
    }

    fn summary(reports: &[Self], others: Others, seconds: f64) -> String {
        verify::of_all(reports, others.failed, seconds)
    }
}
