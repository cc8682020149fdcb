//! `frazil train`.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::ErrorCode;
use frazil_train::{
    Table, evaluate, every_goal, judge_plans, measure_folders, render, render_judgements, train,
};

use super::Status;
use super::pack::check_new;
use crate::args::TrainArgs;
use crate::printer::{Printer, data};
use crate::progress::Meter;

/// Measures or reads a table, grows a tree from it, and prints how good it is.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &TrainArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.print());
    match work(args, cancel, printer) {
        Ok(report) => {
            if !args.print().quiet {
                data(&report)?;
            }
            Ok(Status::Success)
        }
        Err(error) if error.code == ErrorCode::Interrupted => {
            printer.interrupted(0);
            Ok(Status::Interrupted)
        }
        Err(error) => {
            printer.error(&error);
            Ok(Status::Failure)
        }
    }
}

fn work(args: &TrainArgs, cancel: &Arc<AtomicBool>, printer: Printer) -> frazil::Result<String> {
    // Refused before the work of hours, not after it.
    for path in [&args.write_table, &args.output].into_iter().flatten() {
        check_new(path, args.overwrite)?;
    }
    for folder in &args.judge_plans {
        std::fs::read_dir(folder).map_err(|error| frazil::Error::io(&error, "read", folder))?;
    }
    let table = match &args.table {
        Some(path) => Table::read(path)?,
        None => measured(args, cancel, printer)?,
    };
    if let Some(path) = &args.write_table {
        table.write(path)?;
    }
    let of_table = |error: frazil::Error| match &args.table {
        Some(path) => error.in_file(path),
        None => error,
    };
    let tree = train(&table).map_err(of_table)?;
    let mut report = render(&evaluate(&table, every_goal()).map_err(of_table)?);
    if let Some(first) = args.judge_plans.first() {
        let mut meter = Meter::new(printer, first);
        let limits = args.limits(cancel);
        let judged = judge_plans(&table, &args.judge_plans, &limits, &mut meter)?;
        report.push('\n');
        report.push_str(&render_judgements(&judged));
    }
    if let Some(path) = &args.output {
        write(path, &tree)?;
    }
    let head = format!(
        "{} variables of {} datasets; regret in per cent, median / 90th percentile, each dataset \
         judged by what the others show\n\n",
        table.rows.len(),
        table.datasets().len()
    );
    Ok(head + &report)
}

fn measured(args: &TrainArgs, cancel: &Arc<AtomicBool>, printer: Printer) -> frazil::Result<Table> {
    let first = args.folders.first().map_or(Path::new("."), |folder| folder);
    let mut meter = Meter::new(printer, first);
    measure_folders(&args.folders, &args.limits(cancel), &mut meter)
}

fn write(path: &Path, tree: &frazil::FilterTree) -> frazil::Result<()> {
    let text = tree
        .render()
        .map_err(|error| frazil::Error::new(error.code(), error.to_string()))?;
    frazil::write_text(path, &text)
}
