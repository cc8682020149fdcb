//! `frazil plan`.

mod compare;
mod tables;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{ComparedWay, EncodingStyle, ErrorCode, PlanReport, render_encoding, render_plan};

use super::pack::{add_files, check_new, policy};
use super::{Document, Status, page};
use crate::args::PlanArgs;
use crate::printer::{Printer, data, json_data};
use crate::progress::Meter;

/// What was found about a file.
enum Found {
    Plan(PlanReport),
    Ways(Vec<ComparedWay>),
}

/// Plans one file, prints the decisions and their grounds, and writes the plan where it is wanted.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &PlanArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.output());
    let mut outputs = [
        args.plan_file(),
        args.precision.write().map(PathBuf::as_path),
    ]
    .into_iter()
    .flatten();
    let asked = frazil::check_input_name(&args.file)
        .and_then(|()| outputs.try_for_each(|path| check_new(path, args.overwrite)))
        .and_then(|()| page::check(args.plot.as_deref()));
    if let Err(error) = asked {
        printer.error(&error);
        return Ok(Status::Trouble);
    }
    let mut meter = Meter::new(printer, &args.file);
    let found = frazil::calibration_in_use(args.how.calibration()).and_then(|calibration| {
        let policy = policy(&args.precision)?;
        let mut options = args.options(&policy.defaults, cancel);
        options.chunk_goal.calibration = calibration;
        add_files(&mut options, policy, &args.how)?;
        match args.compare {
            true => frazil::compare_plans(&args.file, &options, &mut meter).map(Found::Ways),
            false => frazil::explain_plan(&args.file, &options, &mut meter).map(Found::Plan),
        }
    });
    let report = match found {
        Ok(Found::Ways(ways)) => {
            drop(meter);
            let written = rows(&ways).and_then(|text| put(args, &text));
            printer.table(&compare::table(&ways))?;
            return Ok(written.map_or_else(|error| failed(printer, &error), |()| Status::Success));
        }
        Ok(Found::Plan(report)) => {
            meter.rest_of(&report.notices);
            report
        }
        Err(error) => {
            drop(meter);
            return Ok(failed(printer, &error));
        }
    };
    let rules = args.precision.write();
    let written = render_plan(&report.plan)
        .and_then(|text| put(args, &text))
        .and_then(|()| {
            rules.map_or(Ok(()), |path| {
                frazil::write_precision(path, &report.precision)
            })
        });
    let shown = match args.style() {
        Some(style) => in_words_of(style, &report, printer),
        None => Ok(tables::of(&report, args.all_variables)),
    };
    match written.and(shown) {
        Ok(text) if args.style().is_some() => data(&text)?,
        Ok(text) => printer.table(&text)?,
        Err(error) => return Ok(failed(printer, &error)),
    }
    match args.plot.as_deref() {
        Some(path) if !draw(printer, path, &report) => Ok(Status::Failure),
        _ => Ok(Status::Success),
    }
}

/// The plan for another writer, and notes on what that writer cannot do.
fn in_words_of(
    style: EncodingStyle,
    report: &PlanReport,
    printer: Printer,
) -> frazil::Result<String> {
    let found = render_encoding(report, style)?;
    let writer = style.writer();
    if !found.exact.is_empty() {
        let names = found.exact.join(", ");
        printer.note(&format!(
            "{writer} has no such rounding; exact would stay: {names}"
        ));
    }
    if !found.left_out.is_empty() {
        let names = found.left_out.join(", ");
        printer.note(&format!("{writer} cannot name here, left out: {names}"));
    }
    Ok(found.text)
}

/// Draws what was compared; whether that could be written.
fn draw(printer: Printer, path: &Path, report: &PlanReport) -> bool {
    let is_page = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    let text = match is_page {
        true => frazil_figures::plan_html(report),
        false => frazil_figures::plan_svg(report),
    };
    page::write(printer, path, &text)
}

/// Says why there is no plan; how the program ends.
fn failed(printer: Printer, error: &frazil::Error) -> Status {
    if error.code == frazil::ErrorCode::Interrupted {
        printer.interrupted(0);
        return Status::Interrupted;
    }
    printer.error(error);
    Status::Failure
}

/// The rows of the table as a JSON document.
fn rows(ways: &[ComparedWay]) -> frazil::Result<String> {
    let mut document = Document::new();
    document.reports.extend(ways);
    serde_json::to_string_pretty(&document)
        .map_err(|error| frazil::Error::new(ErrorCode::Internal, error.to_string()))
}

/// Writes or prints a JSON document, where that is asked for.
fn put(args: &PlanArgs, text: &str) -> frazil::Result<()> {
    let text = format!("{text}\n");
    if args.prints_plan() {
        let printed = json_data(&text);
        return printed.map_err(|error| frazil::Error::new(ErrorCode::Io, error.to_string()));
    }
    let file = args.plan_file();
    file.map_or(Ok(()), |path| frazil::write_text(path, &text))
}
