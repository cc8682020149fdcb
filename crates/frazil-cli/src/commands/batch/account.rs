//! What came of each file, told as it is finished and summed up in the end.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use frazil::{Error, ErrorCode, Progress, Result, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::super::summary::{Others, Shown};
use super::super::{Document, ErrorRecord, Status};
use super::log::Log;
use super::results::Results;
use super::told::Told;
use super::{Chosen, FileReport, lanes};
use crate::args::{BatchArgs, OutputArgs};
use crate::printer::Printer;
use crate::progress::Meter;
use crate::text;

/// The line below those of finished files.
const LINE: &str =
    "{prefix}, {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
/// How often it is drawn while nothing is finished.
const TICK: Duration = Duration::from_millis(500);

/// What came of a file.
#[derive(Debug)]
pub(crate) enum Outcome<R> {
    /// The work on it was done.
    Done(Box<R>),
    /// Its result was there already.
    Skipped,
    /// Another run is at it.
    MadeElsewhere,
    /// It was not.
    Failed(Error),
}

impl<R: FileReport> Outcome<R> {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Done(report) => report.word(),
            Self::Skipped | Self::MadeElsewhere => "skipped",
            Self::Failed(_) => "failed",
        }
    }

    /// Whether it failed for want of memory alone.
    pub(super) fn needs_more_memory(&self) -> bool {
        matches!(self, Self::Failed(error) if error.code == ErrorCode::MemoryBudget)
    }
}

/// A finished file, as one line of JSON.
#[derive(Serialize)]
struct Line<'a, R> {
    outcome: &'static str,
    input: String,
    /// The bytes of a name that is not UTF-8, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_hex: Option<String>,
    report: Option<&'a R>,
    error: Option<ErrorRecord>,
}

fn hex_where_not_text(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_bytes();
    let digits = bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    path.to_str().is_none().then_some(digits)
}

/// What was asked for beside the work itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requests<'a> {
    pub(crate) batch: &'a BatchArgs,
    pub(crate) output: OutputArgs,
    pub(crate) shown: Shown,
}

/// The account of a run.
pub(crate) struct Account<'a, R> {
    requests: Requests<'a>,
    printer: Printer,
    is_many: bool,
    began: Instant,
    files: usize,
    finished: usize,
    bar: ProgressBar,
    document: Document<R>,
    others: Others,
    /// Why the command fails, one line each.
    faults: Vec<String>,
    /// How the command ends.
    status: Status,
    is_interrupted: bool,
    log: Option<Log>,
    /// What is kept of results beside them.
    results: Option<Results<'a>>,
    /// Notices of many files.
    told: Told,
}

impl<'a, R: FileReport> Account<'a, R> {
    /// An account of these files.
    ///
    /// # Errors
    /// If the log cannot be opened.
    pub(crate) fn open(
        requests: Requests<'a>,
        chosen: &[Chosen],
        results: Option<Results<'a>>,
    ) -> Result<Self> {
        let output = OutputArgs {
            json: requests.output.json || requests.batch.json_lines,
            ..requests.output
        };
        let printer = Printer::new(output);
        let is_many = lanes::are_many(chosen.len()) || requests.batch.jobs.is_some();
        Ok(Self {
            requests,
            printer,
            is_many,
            began: Instant::now(),
            files: chosen.len(),
            finished: 0,
            bar: match is_many && printer.shows_tables() && io::stderr().is_terminal() {
                true => line(chosen),
                false => ProgressBar::hidden(),
            },
            document: Document::new(),
            others: Others::default(),
            faults: Vec::new(),
            status: Status::Success,
            is_interrupted: false,
            log: requests.batch.log.as_deref().map(Log::open).transpose()?,
            results,
            told: Told::default(),
        })
    }

    /// Does work on one file with all that there is, and shows its progress where it is one of few.
    pub(super) fn watched(
        &self,
        chosen: &Chosen,
        work: impl FnOnce(&mut dyn Progress) -> Outcome<R>,
    ) -> Outcome<R> {
        if self.is_many {
            return work(&mut Silent);
        }
        let mut meter = Meter::new(self.printer, &chosen.path);
        let outcome = work(&mut meter);
        if let Outcome::Done(report) = &outcome {
            meter.rest_of(report.notices());
        }
        outcome
    }

    /// Tells what came of a file.
    ///
    /// # Errors
    /// Standard output's.
    pub(super) fn finished(&mut self, chosen: &Chosen, outcome: Outcome<R>) -> io::Result<()> {
        let outcome = match outcome {
            Outcome::Failed(error) if error.code == ErrorCode::Interrupted => {
                self.is_interrupted = true;
                self.document.errors.push(error.into());
                return Ok(());
            }
            outcome => outcome,
        };
        self.finished += 1;
        if let Some(Err(error)) = self.log.as_mut().map(|log| log.add(&chosen.path, &outcome)) {
            // The work goes on: its results are worth more than its log.
            self.log = None;
            self.note_trouble(error);
        }
        let has_result = match &outcome {
            Outcome::Done(report) => report.has_result(),
            Outcome::Skipped => true,
            Outcome::MadeElsewhere | Outcome::Failed(_) => false,
        };
        let results = self.results.as_mut().filter(|_| has_result);
        if let Some(Err(error)) = results.map(|results| results.add(chosen)) {
            self.note_trouble(error);
        }
        let notices = self.new_notices(&outcome);
        let told = self.bar.suspend(|| self.tell(chosen, &outcome, &notices));
        let bytes = chosen.path.metadata().map_or(0, |found| found.len());
        self.bar
            .set_prefix(format!("{}/{}", self.finished, self.files));
        self.bar.inc(bytes);
        self.keep(chosen, outcome);
        told
    }

    /// Tells an error that belongs to no file, and has the command fail.
    fn note_trouble(&mut self, error: Error) {
        self.printer.error(&error);
        self.faults.push(error.to_string());
        self.status = self.status.or(R::UNDONE);
        self.document.errors.push(error.into());
    }

    /// What no file before has been told with, of many.
    fn new_notices(&mut self, outcome: &Outcome<R>) -> Vec<String> {
        match outcome {
            Outcome::Done(report) if self.is_many => {
                let notices = report.notices().iter();
                let new = notices.filter(|notice| self.told.is_new(notice));
                new.cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    fn tell(&self, chosen: &Chosen, outcome: &Outcome<R>, notices: &[String]) -> io::Result<()> {
        if self.requests.batch.json_lines {
            self.printer.json_line(&Line {
                outcome: outcome.word(),
                input: frazil::without_secrets(&chosen.path.to_string_lossy()).into_owned(),
                input_hex: hex_where_not_text(&chosen.path),
                report: match outcome {
                    Outcome::Done(report) => Some(&**report),
                    _ => None,
                },
                error: match outcome {
                    Outcome::Failed(error) => Some(error.clone().into()),
                    _ => None,
                },
            })?;
        }
        match outcome {
            Outcome::Done(report) if self.is_many => {
                for notice in notices {
                    let name = text::path(&chosen.path);
                    self.printer.note(&format!("{name}: {notice}"));
                }
                self.printer.table(&report.line(&chosen.path))
            }
            Outcome::Done(report) => {
                let name = (self.files > 1).then_some(chosen.path.as_path());
                let table = report.table(self.requests.shown, name);
                self.printer.table(&table)
            }
            Outcome::Skipped | Outcome::MadeElsewhere if self.is_many => Ok(()),
            Outcome::Skipped => {
                self.tell_skipped(chosen, "its result already exists");
                Ok(())
            }
            Outcome::MadeElsewhere => {
                self.tell_skipped(chosen, "another run is writing its result");
                Ok(())
            }
            Outcome::Failed(error) => {
                self.printer.error(error);
                Ok(())
            }
        }
    }

    fn tell_skipped(&self, chosen: &Chosen, why: &str) {
        let name = text::path(&chosen.path);
        self.printer.note(&format!("{name}: {why}"));
    }

    /// Keeps what the end needs of an outcome.
    fn keep(&mut self, chosen: &Chosen, outcome: Outcome<R>) {
        match outcome {
            Outcome::Done(mut report) => {
                if let Some(fault) = report.fault(&chosen.path) {
                    self.faults.push(fault);
                    self.status = Status::Failure;
                }
                if !self.requests.output.json {
                    // Of each of a million files.
                    report.forget_details();
                }
                self.document.reports.push(*report);
            }
            Outcome::Skipped | Outcome::MadeElsewhere => self.others.skipped += 1,
            Outcome::Failed(error) => {
                self.others.failed += 1;
                self.faults.push(error.to_string());
                self.status = self.status.or(R::UNDONE);
                self.document.errors.push(error.into());
            }
        }
    }

    /// Sums up; how the command ends.
    ///
    /// # Errors
    /// Standard output's.
    pub(crate) fn close(mut self, is_cancelled: bool) -> io::Result<Status> {
        self.bar.finish_and_clear();
        let failed = self.faults.len();
        let closed = self.results.as_mut().map(Results::close);
        if let Some(Err(error)) = closed {
            self.note_trouble(error);
        }
        for line in self.told.lines() {
            self.printer.note(&line);
        }
        if self.files > 1 {
            let seconds = match self.is_many {
                true => self.began.elapsed().as_secs_f64(),
                false => self.document.reports.iter().map(FileReport::seconds).sum(),
            };
            let reports = &self.document.reports;
            self.printer
                .table(&R::summary(reports, self.others, seconds))?;
        }
        if self.files > 1 && failed > 0 {
            let failed = text::count(failed as u64, "file");
            self.printer
                .trouble(&format!("{failed} of {} {}:", self.files, R::FAULTY));
            self.faults
                .iter()
                .for_each(|line| self.printer.trouble(line));
        }
        if self.requests.output.json {
            self.printer.json(&self.document)?;
        }
        let is_interrupted = self.is_interrupted || (is_cancelled && self.finished < self.files);
        if is_interrupted {
            self.printer.interrupted(self.document.reports.len());
            return Ok(Status::Interrupted);
        }
        Ok(self.status)
    }
}

/// The line of progress for many files.
fn line(chosen: &[Chosen]) -> ProgressBar {
    let sizes = chosen
        .iter()
        .map(|one| one.path.metadata().map_or(0, |found| found.len()));
    let total = sizes.fold(0, u64::saturating_add);
    let style = ProgressStyle::with_template(LINE);
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix(format!("0/{}", chosen.len()));
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_understood() {
        assert!(ProgressStyle::with_template(LINE).is_ok());
    }
}
