//! `frazil recover`.

use std::io;

use frazil::{RecoverOutcome, RecoverReport};

use super::{Document, Status};
use crate::args::RecoverArgs;
use crate::printer::Printer;
use crate::text;

/// Recovers every file; one that cannot be does not stop the next.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &RecoverArgs) -> io::Result<Status> {
    let printer = Printer::new(args.print);
    let mut document = Document::new();
    let mut status = Status::Success;
    for file in &args.files {
        match frazil::recover(file) {
            Ok(report) => {
                let line = format!("{}: {}\n", text::path(file), describe(&report));
                printer.table(&line)?;
                document.reports.push(report);
            }
            Err(error) => {
                printer.error(&error);
                document.errors.push(error.into());
                status = Status::Failure;
            }
        }
    }
    printer.json(&document)?;
    Ok(status)
}

/// What was found and done, in one line.
fn describe(report: &RecoverReport) -> String {
    let bytes = |count| format!("{} bytes behind the last commit", count);
    let outcome = match report.outcome {
        RecoverOutcome::Clean if frazil::holds_no_commit(&report.path) => {
            "nothing to recover; nothing was committed"
        }
        RecoverOutcome::Clean => "nothing to recover; the file is at its last commit",
        RecoverOutcome::Discarded if !report.path.exists() => {
            "what a killed writer had begun was removed; there is no file yet"
        }
        RecoverOutcome::Discarded => {
            "an undecided commit was discarded; the file is at the one before"
        }
        RecoverOutcome::Completed => "the last commit was completed",
        RecoverOutcome::TakenBack => {
            "the data of the last commit are gone; the file is at the one before"
        }
    };
    let trailing = match (report.removed_bytes, report.remaining_bytes) {
        (0, 0) => String::new(),
        (0, remaining) => format!(
            "; {} stay, which no reader sees: frazil removes only what its own killed writers left, \
             where it can change the file and no program has it open",
            bytes(remaining)
        ),
        (removed, _) => format!("; {}, which no reader saw, were removed", bytes(removed)),
    };
    format!("{outcome}{trailing}")
}
