//! `frazil analyze`.

mod tables;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Document, Status, page};
use crate::args::AnalyzeArgs;
use crate::printer::Printer;
use crate::progress::Meter;

/// Analyses one file.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &AnalyzeArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.output);
    let mut document = Document::new();
    let asked = frazil::check_input_name(&args.file);
    if let Err(error) = asked.and_then(|()| page::check(args.figure.as_deref())) {
        document.fail(printer, error);
        printer.json(&document)?;
        return Ok(Status::Trouble);
    }
    let mut meter = Meter::new(printer, &args.file);
    let status = match frazil::analyze(&args.file, &args.options(cancel), &mut meter) {
        Ok(report) => {
            meter.rest_of(&report.notices);
            printer.table(&tables::of(&report, args.all_variables))?;
            let drawn = args.figure.as_deref().is_none_or(|path| {
                page::write(printer, path, &frazil_figures::analysis_svg(&report))
            });
            document.reports.push(report);
            match drawn {
                true => Status::Success,
                false => Status::Failure,
            }
        }
        Err(error) => {
            drop(meter);
            document.fail(printer, error)
        }
    };
    printer.json(&document)?;
    Ok(status)
}
