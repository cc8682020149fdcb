//! `frazil verify`.

mod rounded;
mod verdict;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{ErrorCode, VerifyReport};

use super::{Document, Status, page};
use crate::args::VerifyArgs;
use crate::printer::Printer;
use crate::progress::Meter;

/// Compares two files.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &VerifyArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.output);
    let mut meter = Meter::new(printer, &args.b);
    let result = page::check(args.report.as_deref())
        .and_then(|()| frazil::verify(&args.a, &args.b, &args.options(cancel), &mut meter));
    conclude(args, printer, meter, result)
}

/// Shows the result; equal, different and incomparable are three exit codes.
fn conclude(
    args: &VerifyArgs,
    printer: Printer,
    meter: Meter,
    result: frazil::Result<VerifyReport>,
) -> io::Result<Status> {
    let mut document = Document::new();
    let status = match result {
        Ok(report) => {
            meter.rest_of(&report.notices);
            printer.table(&verdict::of(&report, args.shows_thresholds()))?;
            let status = match report.is_equal() {
                true => Status::Success,
                false => Status::Failure,
            };
            // Different stays different where the page cannot be written.
            let written = args.report.as_deref().map_or(status, |path| {
                match write_page(printer, path, &report) {
                    true => status,
                    false => status.or_trouble(),
                }
            });
            document.reports.push(report);
            written
        }
        Err(error) => {
            drop(meter);
            let interrupted = error.code == ErrorCode::Interrupted;
            if !interrupted {
                printer.error(&error);
            }
            document.errors.push(error.into());
            if interrupted {
                Status::Interrupted
            } else {
                Status::Trouble
            }
        }
    };
    printer.json(&document)?;
    if status == Status::Interrupted {
        printer.interrupted(0);
    }
    Ok(status)
}

/// Writes the page, or says why it cannot be written.
fn write_page(printer: Printer, path: &Path, report: &VerifyReport) -> bool {
    match frazil_figures::verify_html(report) {
        Ok(text) => page::write(printer, path, &text),
        Err(error) => {
            printer.trouble(&error.to_string());
            false
        }
    }
}

#[cfg(test)]
mod tests;
