//! What `pack` and `unpack` share: one input after the other, a failing one does not stop the
//! next.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use frazil::{ErrorCode, PackReport, Progress};

use super::{Document, Status, summary};
use crate::args::OutputArgs;
use crate::printer::Printer;
use crate::progress::Meter;

/// What to go through and how to show it.
#[derive(Debug)]
pub(super) struct Transform<'a> {
    pub(super) inputs: &'a [PathBuf],
    pub(super) output: OutputArgs,
    pub(super) all_variables: bool,
    /// Whether the energy of each variable is shown.
    pub(super) energy: bool,
    pub(super) cancel: &'a AtomicBool,
}

/// Does `work` on each input, shows its report, and says how it all ended.
///
/// # Errors
/// Standard output's.
pub(super) fn each(
    transform: &Transform<'_>,
    mut work: impl FnMut(&Path, &mut dyn Progress) -> frazil::Result<PackReport>,
) -> io::Result<Status> {
    let printer = Printer::new(transform.output);
    let mut document = Document::new();
    let mut status = Status::Success;
    for input in transform.inputs {
        if transform.cancel.load(Ordering::Relaxed) {
            status = Status::Interrupted;
            break;
        }
        let mut meter = Meter::new(printer, input);
        match work(input, &mut meter) {
            Ok(report) => {
                meter.rest_of(&report.notices);
                let shown = summary::Shown {
                    all_variables: transform.all_variables,
                    energy: transform.energy,
                };
                printer.table(&summary::of_file(&report, shown))?;
                document.reports.push(report);
            }
            Err(error) => {
                drop(meter);
                let interrupted = error.code == ErrorCode::Interrupted;
                if !interrupted {
                    printer.error(&error);
                }
                document.errors.push(error.into());
                if interrupted {
                    status = Status::Interrupted;
                    break;
                }
                status = Status::Failure;
            }
        }
    }
    if transform.inputs.len() > 1 {
        printer.table(&summary::of_all(&document.reports))?;
    }
    printer.json(&document)?;
    if status == Status::Interrupted {
        printer.interrupted(document.reports.len());
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use frazil::Error;

    use super::*;
    use crate::commands::summary::tests::report;

    /// The status after all inputs, and the inputs worked on.
    fn outcome(
        cancel: &AtomicBool,
        mut work: impl FnMut(&Path) -> frazil::Result<PackReport>,
    ) -> (Status, usize) {
        let inputs = ["a.nc".into(), "b.nc".into(), "c.nc".into()];
        let transform = Transform {
            inputs: &inputs,
            output: OutputArgs {
                json: false,
                quiet: true,
            },
            all_variables: false,
            energy: false,
            cancel,
        };
        let mut calls = 0;
        let status = each(&transform, |input, progress| {
            calls += 1;
            progress.stage("pack", 10);
            progress.advance(10);
            work(input)
        });
        (status.unwrap(), calls)
    }

    #[test]
    fn a_failing_input_does_not_stop_the_next() {
        let never = AtomicBool::new(false);
        let all_well = outcome(&never, |_| Ok(report(2)));
        assert_eq!(all_well, (Status::Success, 3));
        let first_fails = outcome(&never, |input| match input == Path::new("a.nc") {
            true => Err(Error::new(ErrorCode::Corrupt, "truncated")),
            false => Ok(report(2)),
        });
        assert_eq!(first_fails, (Status::Failure, 3));
    }

    #[test]
    fn an_interrupt_stops_everything() {
        let never = AtomicBool::new(false);
        let within = outcome(&never, |_| {
            Err(Error::new(ErrorCode::Interrupted, "stopped"))
        });
        assert_eq!(within, (Status::Interrupted, 1));
        let cancel = AtomicBool::new(false);
        let between = outcome(&cancel, |_| {
            cancel.store(true, Ordering::Relaxed);
            Ok(report(1))
        });
        assert_eq!(between, (Status::Interrupted, 1));
    }
}
