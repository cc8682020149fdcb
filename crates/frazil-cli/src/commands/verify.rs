//! `frazil verify`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{ErrorCode, VerifyReport};

use super::{Document, Status};
use crate::args::VerifyArgs;
use crate::printer::Printer;
use crate::progress::Meter;
use crate::size::human;
use crate::text;

/// Compares two files.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &VerifyArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.output);
    let mut meter = Meter::new(printer, &args.b);
    let options = frazil::VerifyOptions {
        resources: args.resources(cancel),
        ..frazil::VerifyOptions::default()
    };
    let result = frazil::verify(&args.a, &args.b, &options, &mut meter);
    conclude(printer, meter, result)
}

/// Shows the result; equal, different and incomparable are three exit codes.
fn conclude(
    printer: Printer,
    meter: Meter,
    result: frazil::Result<VerifyReport>,
) -> io::Result<Status> {
    let mut document = Document::new();
    let status = match result {
        Ok(report) => {
            meter.rest_of(&report.notices);
            printer.table(&verdict(&report))?;
            let equal = report.is_equal();
            document.reports.push(report);
            if equal {
                Status::Success
            } else {
                Status::Failure
            }
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

/// One line if equal, else the first differences.
fn verdict(report: &VerifyReport) -> String {
    let compared = format!(
        "{}, {}, {} ({}) in {:.2} s",
        text::count(report.objects, "object"),
        text::count(report.attributes, "attribute"),
        text::count(report.values, "value"),
        human(report.value_bytes),
        report.seconds
    );
    if report.is_equal() {
        return format!("equal: {compared}\n");
    }
    let differences = text::count(report.difference_count, "difference");
    let mut verdict = format!("different: {differences} among {compared}\n");
    for difference in &report.differences {
        let (path, what) = (text::plain(&difference.path), text::plain(&difference.what));
        verdict.push_str(&format!("  {path}: {what}\n"));
    }
    let listed = report.differences.len() as u64;
    match report.difference_count.saturating_sub(listed) {
        0 => {}
        more => verdict.push_str(&format!("... and {more} more\n")),
    }
    verdict
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use frazil::Difference;

    use super::*;
    use crate::args::OutputArgs;

    fn report(difference_count: u64) -> VerifyReport {
        VerifyReport {
            precision: Vec::new(),
            figures: Vec::new(),
            a: "a.nc".into(),
            b: "b.nc".into(),
            objects: 12,
            attributes: 40,
            values: 1_000_000,
            value_bytes: 4_000_000,
            differences: (0..difference_count.min(2))
                .map(|number| Difference {
                    path: format!("/v{number}"),
                    what: "[3, 4]: 1.5 and 1.25".into(),
                })
                .collect(),
            difference_count,
            notices: Vec::new(),
            seconds: 0.25,
        }
    }

    #[test]
    fn equal_takes_one_line() {
        let expected = "equal: 12 objects, 40 attributes, 1000000 values (3.8 MiB) in 0.25 s\n";
        assert_eq!(verdict(&report(0)), expected);
    }

    #[test]
    fn the_first_differences_are_listed() {
        let expected = "\
different: 5 differences among 12 objects, 40 attributes, 1000000 values (3.8 MiB) in 0.25 s
  /v0: [3, 4]: 1.5 and 1.25
  /v1: [3, 4]: 1.5 and 1.25
... and 3 more
";
        assert_eq!(verdict(&report(5)), expected);
    }

    #[test]
    fn each_outcome_has_its_status() {
        let status = |result| {
            let printer = Printer::new(OutputArgs {
                json: false,
                quiet: true,
            });
            conclude(printer, Meter::new(printer, Path::new("b.nc")), result).unwrap()
        };
        let error = |code| Err(frazil::Error::new(code, "cause"));
        assert_eq!(status(Ok(report(0))), Status::Success);
        assert_eq!(status(Ok(report(1))), Status::Failure);
        assert_eq!(status(error(ErrorCode::NotFound)), Status::Trouble);
        assert_eq!(status(error(ErrorCode::Interrupted)), Status::Interrupted);
    }
}
