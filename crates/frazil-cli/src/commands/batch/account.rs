//! What came of each file, told as it is finished and summed up in the end.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frazil::{Error, ErrorCode, PackReport, Progress, Result, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::super::summary::{self, Shown};
use super::super::{Document, ErrorRecord, Status};
use super::log::Log;
use super::manifest::{self, Manifest};
use super::preserve::{is_done, preserve};
use super::{Chosen, lanes};
use crate::args::{BatchArgs, OutputArgs, Preserved};
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
pub(crate) enum Outcome {
    /// There is a result.
    Done(Box<PackReport>),
    /// Its result was there already.
    Skipped,
    /// There is none.
    Failed(Error),
}

impl Outcome {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Done(report) if report.dry_run => "planned",
            Self::Done(report) if report.kept_input => "kept",
            Self::Done(_) => "done",
            Self::Skipped => "skipped",
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
struct Line<'a> {
    outcome: &'static str,
    input: String,
    report: Option<&'a PackReport>,
    error: Option<ErrorRecord>,
}

/// What was asked for beside the work itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requests<'a> {
    pub(crate) batch: &'a BatchArgs,
    pub(crate) output: OutputArgs,
    pub(crate) shown: Shown,
    /// The folder of all results, if there is one.
    pub(crate) out_dir: Option<&'a Path>,
}

impl Requests<'_> {
    /// Whether a file's result is there already.
    pub(crate) fn is_done(&self, chosen: &Chosen) -> bool {
        let target = self.out_dir.map(|folder| chosen.target(folder));
        self.batch.skip_existing && target.is_some_and(|target| is_done(&chosen.path, &target))
    }

    /// Runs the work on a file, and gives the result what is asked for of the input.
    ///
    /// # Errors
    /// Those of the work; those of the system.
    pub(crate) fn preserving(
        &self,
        input: &Path,
        work: impl FnOnce() -> Result<PackReport>,
    ) -> Result<PackReport> {
        let wanted: &[Preserved] = &self.batch.preserve;
        // As it is before it may be replaced. Work on it says what is wrong with it.
        let before = input.metadata();
        let report = work()?;
        if let (Some(output), Ok(before), false) = (&report.output, before, report.dry_run) {
            preserve(wanted, &before, output)?;
        }
        Ok(report)
    }
}

/// The account of a run.
pub(crate) struct Account<'a> {
    requests: Requests<'a>,
    printer: Printer,
    is_many: bool,
    began: Instant,
    files: usize,
    finished: usize,
    bar: ProgressBar,
    document: Document<PackReport>,
    skipped: usize,
    failures: Vec<String>,
    is_interrupted: bool,
    log: Option<Log>,
    manifest: Option<Manifest>,
    /// Results that the manifest lacks still, by their paths below the folder.
    unsummed: BTreeSet<PathBuf>,
}

impl<'a> Account<'a> {
    /// An account of these files.
    ///
    /// # Errors
    /// If the log or the manifest cannot be opened.
    pub(crate) fn open(requests: Requests<'a>, chosen: &[Chosen]) -> Result<Self> {
        let output = OutputArgs {
            json: requests.output.json || requests.batch.json_lines,
            ..requests.output
        };
        let printer = Printer::new(output);
        let is_many = lanes::are_many(chosen.len()) || requests.batch.jobs.is_some();
        let manifest = requests.batch.manifest.and(requests.out_dir);
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
            skipped: 0,
            failures: Vec::new(),
            is_interrupted: false,
            log: requests.batch.log.as_deref().map(Log::open).transpose()?,
            manifest: manifest.map(Manifest::open).transpose()?,
            unsummed: BTreeSet::new(),
        })
    }

    /// Does work on one file with all that there is, and shows its progress where it is one of few.
    pub(super) fn watched(
        &self,
        chosen: &Chosen,
        work: impl FnOnce(&mut dyn Progress) -> Outcome,
    ) -> Outcome {
        if self.is_many {
            return work(&mut Silent);
        }
        let mut meter = Meter::new(self.printer, &chosen.path);
        let outcome = work(&mut meter);
        if let Outcome::Done(report) = &outcome {
            meter.rest_of(&report.notices);
        }
        outcome
    }

    /// Tells what came of a file.
    ///
    /// # Errors
    /// Standard output's.
    pub(super) fn finished(&mut self, chosen: &Chosen, outcome: Outcome) -> io::Result<()> {
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
        self.note_result(chosen, &outcome);
        let told = self.bar.suspend(|| self.tell(chosen, &outcome));
        let bytes = chosen.path.metadata().map_or(0, |found| found.len());
        self.bar
            .set_prefix(format!("{}/{}", self.finished, self.files));
        self.bar.inc(bytes);
        self.keep(outcome);
        told
    }

    /// Tells an error that belongs to no file, and has the command fail.
    fn note_trouble(&mut self, error: Error) {
        self.printer.error(&error);
        self.failures.push(error.to_string());
        self.document.errors.push(error.into());
    }

    /// Remembers a result for the manifest.
    fn note_result(&mut self, chosen: &Chosen, outcome: &Outcome) {
        let is_there = match outcome {
            Outcome::Done(report) => !report.dry_run,
            Outcome::Skipped => true,
            Outcome::Failed(_) => false,
        };
        if is_there && self.manifest.is_some() {
            self.unsummed.insert(chosen.target(Path::new("")));
        }
    }

    fn tell(&self, chosen: &Chosen, outcome: &Outcome) -> io::Result<()> {
        if self.requests.batch.json_lines {
            self.printer.json_line(&Line {
                outcome: outcome.word(),
                input: frazil::without_secrets(&chosen.path.to_string_lossy()).into_owned(),
                report: match outcome {
                    Outcome::Done(report) => Some(report),
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
                for notice in &report.notices {
                    let name = text::path(&chosen.path);
                    self.printer.note(&format!("{name}: {notice}"));
                }
                self.printer.table(&summary::line_of(report))
            }
            Outcome::Done(report) => self
                .printer
                .table(&summary::of_file(report, self.requests.shown)),
            Outcome::Skipped if self.is_many => Ok(()),
            Outcome::Skipped => {
                let name = text::path(&chosen.path);
                self.printer
                    .note(&format!("{name}: its result is there already"));
                Ok(())
            }
            Outcome::Failed(error) => {
                self.printer.error(error);
                Ok(())
            }
        }
    }

    /// Keeps what the end needs of an outcome.
    fn keep(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done(mut report) => {
                if !self.requests.output.json {
                    // Of each of a million files.
                    report.variables = Vec::new();
                    report.precision = Vec::new();
                    report.notices = Vec::new();
                }
                self.document.reports.push(*report);
            }
            Outcome::Skipped => self.skipped += 1,
            Outcome::Failed(error) => {
                self.failures.push(error.to_string());
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
        let failed = self.failures.len();
        if let Err(error) = self.write_manifest() {
            self.note_trouble(error);
        }
        if self.files > 1 {
            let seconds = match self.is_many {
                true => self.began.elapsed().as_secs_f64(),
                false => self
                    .document
                    .reports
                    .iter()
                    .map(|report| report.seconds)
                    .sum(),
            };
            let reports = &self.document.reports;
            self.printer
                .table(&summary::of_all(reports, self.skipped, seconds))?;
        }
        if self.is_many && failed > 0 {
            let failed = text::count(failed as u64, "file");
            self.printer
                .trouble(&format!("{failed} of {} failed:", self.files));
            self.failures
                .iter()
                .for_each(|line| self.printer.trouble(line));
        }
        if self.requests.output.json {
            self.printer.json(&self.document)?;
        }
        let is_interrupted = self.is_interrupted || (is_cancelled && self.finished < self.files);
        Ok(match (is_interrupted, self.failures.is_empty()) {
            (true, _) => {
                self.printer.interrupted(self.document.reports.len());
                Status::Interrupted
            }
            (false, true) => Status::Success,
            (false, false) => Status::Failure,
        })
    }

    fn write_manifest(&mut self) -> Result<()> {
        let (Some(manifest), Some(folder)) = (&mut self.manifest, self.requests.out_dir) else {
            return Ok(());
        };
        for below in &self.unsummed {
            let checksum = manifest::checksum(&folder.join(below))?;
            manifest.add(below, &checksum);
        }
        match self.unsummed.is_empty() {
            true => Ok(()),
            false => manifest.write(),
        }
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
