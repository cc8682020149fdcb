//! `frazil info`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{CloudCost, FileInfo, Link, Resources, StatedPrecision, VariableInfo};
use serde::Serialize;

use super::batch::{self, Chosen};
use super::{Status, cloud, listed};
use crate::args::{InfoArgs, OutputArgs};
use crate::printer::Printer;
use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};
use frazil::size::human;

/// What is shown of a file.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    info: FileInfo,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    cloud: Option<CloudCost>,
}

/// Shows every file; one that cannot be read does not stop the next.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &InfoArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(OutputArgs {
        json: args.json,
        quiet: false,
    });
    let resources = args.resources(cancel);
    let chosen = batch::choose(&args.inputs.named, &args.inputs.selection, None, printer);
    let work = |one: &Chosen| look(&one.path, args, &resources);
    let (status, _) = listed::each(printer, chosen, cancel, work, |number, shown| {
        let gap = if number == 0 { "" } else { "\n" };
        printer.table(&format!("{gap}{}", page(shown, args)))
    })?;
    if status == Status::Interrupted {
        printer.interrupted(0);
    }
    Ok(status)
}

fn look(path: &Path, args: &InfoArgs, resources: &Resources) -> frazil::Result<Shown> {
    let info = frazil::info(path, args.fill, resources)?;
    let cloud = match args.cloud {
        true => Some(frazil::cloud_cost(path, Link::default())?),
        false => None,
    };
    Ok(Shown { info, cloud })
}

/// All that is said about one file.
fn page(shown: &Shown, args: &InfoArgs) -> String {
    let info = &shown.info;
    let (variables, hidden) = table::shown(&info.variables, args.all_variables, |variable| {
        variable.raw_bytes
    });
    let mut page = format!("{}\n{}\n", heading(info), format_line(info));
    page.push_str(&variable_table(info, &variables, args.fill).render(screen_columns()));
    page.push_str(&table::left_out(hidden));
    if variables
        .iter()
        .any(|variable| variable.unlimited.contains(&true))
    {
        page.push_str("* unlimited\n");
    }
    page.push_str(&format!(
        "readable by: {}\n",
        text::plain(&info.readable_by)
    ));
    page.push_str(&rounded(&info.variables));
    page.push_str(&missing_filters(&info.variables));
    for notice in &info.notices {
        page.push_str(&format!("note: {}\n", text::plain(notice)));
    }
    if let Some(cost) = &shown.cloud {
        page.push_str(&cloud::page(cost, args.all_variables));
    }
    page
}

fn heading(info: &FileInfo) -> String {
    text::shorten(&text::path(&info.path), screen_columns()).into_owned()
}

/// `netCDF-4, superblock 2, 3.4 MiB, 12 variables`.
fn format_line(info: &FileInfo) -> String {
    let superblock = info.superblock;
    let superblock = superblock.map(|version| format!(", superblock {version}"));
    format!(
        "{}{}, {}, {}",
        text::plain(&info.format),
        superblock.unwrap_or_default(),
        human(info.file_bytes),
        text::count(info.variables.len() as u64, "variable")
    )
}

fn variable_table(info: &FileInfo, variables: &[&VariableInfo], fill: bool) -> Table {
    let mut columns = vec![
        Column::words("variable"),
        Column::words("type").optional(),
        Column::extents("shape"),
        Column::extents("chunk"),
        Column::number("chunks").optional(),
        Column::chain("filters"),
        Column::number("raw").optional(),
        Column::number("stored"),
        Column::number("ratio"),
    ];
    if fill {
        columns.push(Column::number("fill"));
    }
    let mut table = Table::new(columns);
    for variable in variables {
        table.row(cells(variable, fill));
    }
    let sum = |bytes: fn(&VariableInfo) -> u64| {
        let add = |sum: u64, variable| sum.saturating_add(bytes(variable));
        info.variables.iter().fold(0, add)
    };
    let (raw, stored) = (sum(|v| v.raw_bytes), sum(|v| v.stored_bytes));
    let mut totals = vec![String::new(); 6];
    totals[0] = "total".into();
    totals.extend([human(raw), human(stored), text::ratio(raw, stored)]);
    totals.extend(fill.then(String::new));
    table.totals(totals);
    table
}

fn cells(variable: &VariableInfo, fill: bool) -> Vec<String> {
    let chunk = variable.chunk.as_deref();
    let mut cells = vec![
        variable.path.clone(),
        variable.element.clone(),
        shape(variable),
        chunk.map_or_else(|| variable.layout.clone(), text::shape),
        variable
            .chunk_count
            .map_or_else(|| "-".into(), |count| count.to_string()),
        match variable.filters.is_empty() {
            true => "none".into(),
            false => variable.filters.clone(),
        },
        human(variable.raw_bytes),
        human(variable.stored_bytes),
        text::ratio(variable.raw_bytes, variable.stored_bytes),
    ];
    if fill {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        cells.push(variable.fill_fraction.map_or_else(|| "-".into(), percent));
    }
    cells
}

/// The shape, unlimited axes marked: `8760*x180x360`.
fn shape(variable: &VariableInfo) -> String {
    if !variable.unlimited.contains(&true) {
        return text::shape(&variable.shape);
    }
    let unlimited = variable.unlimited.iter().chain(std::iter::repeat(&false));
    let axes: Vec<String> = variable
        .shape
        .iter()
        .zip(unlimited)
        .map(|(extent, unlimited)| format!("{extent}{}", if *unlimited { "*" } else { "" }))
        .collect();
    axes.join("x")
}

/// Names in one line that lists variables.
const LISTED_VARIABLES: usize = 5;

/// `/T, /U and 3 more`.
fn listed(paths: &[&str]) -> String {
    let shown: Vec<&str> = paths.iter().take(LISTED_VARIABLES).copied().collect();
    match paths.len().saturating_sub(LISTED_VARIABLES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// One line for each rounding that the file states.
fn rounded(variables: &[VariableInfo]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for variable in variables {
        let Some(stated) = &variable.precision else {
            continue;
        };
        let how = statement(stated);
        match groups.iter_mut().find(|(known, _)| *known == how) {
            Some((_, paths)) => paths.push(&variable.path),
            None => groups.push((how, vec![&variable.path])),
        }
    }
    let line = |(how, paths): &(String, Vec<&str>)| {
        format!("rounded: {how}: {}\n", text::plain(&listed(paths)))
    };
    groups.iter().map(line).collect()
}

/// `bitround, 7 bits, errors up to 3.9e-3 of the value`.
fn statement(stated: &StatedPrecision) -> String {
    let algorithm = stated.algorithm.map(|algorithm| match algorithm.cf_name() {
        Some(name) => name.to_owned(),
        None => "linear".to_owned(),
    });
    let bits = stated.significant_bits.map(|bits| format!("{bits} bits"));
    let digits = stated
        .significant_digits
        .map(|digits| format!("{digits} digits"));
    let bound = &stated.bound;
    let relative = bound
        .relative
        .map(|share| format!("errors up to {share:.1e} of the value"));
    let absolute = bound
        .absolute
        .map(|error| format!("errors up to {error:.1e}"));
    let parts = [algorithm, bits, digits, relative, absolute];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// One line and its cure for each filter that this build cannot decode.
fn missing_filters(variables: &[VariableInfo]) -> String {
    let mut users: BTreeMap<(i32, &str), Vec<&str>> = BTreeMap::new();
    for variable in variables {
        for (id, name) in &variable.missing_filters {
            users.entry((*id, name)).or_default().push(&variable.path);
        }
    }
    let mut lines = String::new();
    for ((id, name), paths) in users {
        let name = if name.is_empty() { "unnamed" } else { name };
        let line = format!("missing filter {id} ({name}): {}", listed(&paths));
        lines.push_str(&text::plain(&line));
        lines.push_str(&format!(
            "\n  hint: put the plugin for filter {id} into a directory on HDF5_PLUGIN_PATH\n"
        ));
    }
    lines
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
