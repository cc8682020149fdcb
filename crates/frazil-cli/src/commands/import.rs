//! `frazil import`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::ImportReport;

use super::Status;
use super::written::{self, NewFile};
use crate::args::ImportArgs;

/// Imports one file of delimited text.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &ImportArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let options = args.options(cancel);
    let work = |progress: &mut dyn frazil::Progress| {
        frazil::import(&args.input, &args.output, &options, progress)
    };
    let asked = frazil::check_output_name(&args.output);
    let print = (args.print, args.all_variables);
    written::one(print.0, print.1, &args.input, asked, work, view)
}

/// What the closing table shows of a report.
fn view(report: &ImportReport) -> NewFile<'_> {
    NewFile {
        output: &report.output,
        variables: &report.variables,
        raw_bytes: report.raw_bytes,
        file_bytes: report.output_file_bytes,
        seconds: report.seconds,
        notices: &report.notices,
    }
}
