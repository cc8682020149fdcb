//! `frazil synth`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::SynthReport;

use super::Status;
use super::written::{self, NewFile};
use crate::args::SynthArgs;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::text::screen_columns;

/// Writes test fields, or shows what there is.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &SynthArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let Some(output) = args.output.as_deref().filter(|_| !args.list) else {
        return list(args);
    };
    let options = args.options(cancel);
    let work = |progress: &mut dyn frazil::Progress| frazil::synth(output, &options, progress);
    let asked = frazil::check_output_name(output).and_then(|()| frazil::check_synth(&options));
    written::one(args.print, args.all_variables, output, asked, work, view)
}

/// The named patterns.
fn list(args: &SynthArgs) -> io::Result<Status> {
    let printer = Printer::new(args.print);
    let patterns = frazil::synth_patterns();
    let mut table = Table::new(vec![
        Column::words("pattern"),
        Column::words("definition"),
        Column::number("min"),
        Column::number("max"),
    ]);
    for pattern in &patterns {
        table.row(vec![
            pattern.name.to_owned(),
            pattern.definition.to_owned(),
            pattern.min.to_string(),
            pattern.max.to_string(),
        ]);
    }
    printer.table(&table.render(screen_columns()))?;
    printer.json(&patterns)?;
    Ok(Status::Success)
}

/// What the closing table shows of a report.
fn view(report: &SynthReport) -> NewFile<'_> {
    NewFile {
        output: &report.output,
        variables: &report.variables,
        raw_bytes: report.raw_bytes,
        file_bytes: report.output_file_bytes,
        seconds: report.seconds,
        notices: &report.notices,
    }
}
