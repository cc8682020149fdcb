//! What `synth` and `import` share: one new file, its table and its end.

use std::io;
use std::path::Path;

use frazil::{Progress, WrittenVariable};
use serde::Serialize;

use super::{Document, Status};
use crate::args::OutputArgs;
use crate::printer::Printer;
use crate::progress::Meter;
use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};
use frazil::size::human;

/// A new file as the closing table shows it.
pub(super) struct NewFile<'a> {
    pub(super) output: &'a Path,
    pub(super) variables: &'a [WrittenVariable],
    pub(super) raw_bytes: u64,
    pub(super) file_bytes: u64,
    pub(super) seconds: f64,
    pub(super) notices: &'a [String],
}

/// Does `work` on one file and shows its report, or what went wrong; `asked`: whether it can be done at all, by
/// what was asked for.
///
/// # Errors
/// Standard output's.
pub(super) fn one<R: Serialize>(
    print: OutputArgs,
    all_variables: bool,
    path: &Path,
    asked: frazil::Result<()>,
    work: impl FnOnce(&mut dyn Progress) -> frazil::Result<R>,
    view: impl for<'a> Fn(&'a R) -> NewFile<'a>,
) -> io::Result<Status> {
    let printer = Printer::new(print);
    let mut document = Document::new();
    if let Err(error) = asked {
        document.fail(printer, error);
        printer.json(&document)?;
        return Ok(Status::Trouble);
    }
    let mut meter = Meter::new(printer, path);
    let status = match work(&mut meter) {
        Ok(report) => {
            let file = view(&report);
            meter.rest_of(file.notices);
            printer.table(&summary(&file, all_variables))?;
            document.reports.push(report);
            Status::Success
        }
        Err(error) => {
            drop(meter);
            document.fail(printer, error)
        }
    };
    printer.json(&document)?;
    Ok(status)
}

/// Variables and totals of the new file.
fn summary(file: &NewFile<'_>, all_variables: bool) -> String {
    let (variables, hidden) =
        table::shown(file.variables, all_variables, |variable| variable.raw_bytes);
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::words("type"),
        Column::extents("shape"),
        Column::extents("chunk"),
        Column::chain("filters"),
        Column::number("raw"),
        Column::number("stored"),
        Column::number("ratio"),
    ]);
    for variable in variables {
        let chunk = variable.chunk.as_deref();
        table.row(vec![
            variable.path.clone(),
            variable.element.clone(),
            text::shape(&variable.shape),
            chunk.map_or_else(|| "contiguous".into(), text::shape),
            variable.filters.clone(),
            human(variable.raw_bytes),
            human(variable.stored_bytes),
            text::ratio(variable.raw_bytes, variable.stored_bytes),
        ]);
    }
    let closing = format!(
        "{} of values in a file of {}, {:.1} s",
        human(file.raw_bytes),
        human(file.file_bytes),
        file.seconds
    );
    format!(
        "{}\n{}{}\n{}",
        text::shorten(&text::path(file.output), screen_columns()),
        table.render(screen_columns()),
        table::left_out(hidden),
        text::wrapped(&closing, "", screen_columns())
    )
}
