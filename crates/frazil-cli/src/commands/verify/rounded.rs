//! Tables of rounded variables.

use frazil::{PrecisionReport, StatedPrecision};

use crate::commands::bounds::{bound, exact, near_one, number};
use crate::table::{Column, Table};
use crate::text::{self, screen_columns};

/// Variables, what is stated of them, and how far they are from it; nothing where none is rounded.
pub(super) fn table(variables: &[PrecisionReport]) -> String {
    if variables.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::words("stated"),
        Column::extents("bound"),
        Column::number("max abs"),
        Column::number("max rel"),
        Column::number("RMSE").optional(),
        Column::number("correl.").optional(),
        Column::number("KS").optional(),
        Column::number("SSIM"),
        Column::number("result"),
    ]);
    for variable in variables {
        table.row(vec![
            variable.path.clone(),
            stated(&variable.stated),
            bound(&variable.stated.bound),
            number(variable.max_absolute_error),
            number(variable.max_relative_error),
            number(variable.rmse),
            near_one(variable.correlation),
            number(variable.ks_distance),
            near_one(variable.ssim.map(|(mean, _)| mean)),
            result(variable.passed),
        ]);
    }
    table.render(screen_columns())
}

/// `bitround(9)`; only what counts is known of foreign files.
fn stated(stated: &StatedPrecision) -> String {
    let algorithm = match stated.algorithm {
        Some(algorithm) => algorithm.cf_name().unwrap_or("linear"),
        None => "bound",
    };
    match stated.significant_bits.or(stated.significant_digits) {
        Some(count) => format!("{algorithm}({count})"),
        None => algorithm.into(),
    }
}

fn result(passed: bool) -> String {
    if passed { "pass" } else { "FAIL" }.into()
}

/// Documented tests that failed, and how many passed.
pub(super) fn thresholds(variables: &[PrecisionReport]) -> String {
    let tests = || {
        variables
            .iter()
            .flat_map(|variable| variable.thresholds.iter().map(move |test| (variable, test)))
    };
    let total = tests().count() as u64;
    if total == 0 {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::words("test failed"),
        Column::number("found"),
        Column::number("limit"),
    ]);
    let mut failed = 0;
    for (variable, test) in tests().filter(|(_, test)| !test.passed) {
        failed += 1;
        table.row(vec![
            variable.path.clone(),
            test.name.clone(),
            exact(test.value),
            exact(test.limit),
        ]);
    }
    let passed = format!(
        "{} of {} passed\n",
        total - failed,
        text::count(total, "documented test")
    );
    match failed {
        0 => format!("\n{passed}"),
        _ => format!("\n{}{passed}", table.render(screen_columns())),
    }
}

/// What failed, one line each.
pub(super) fn failures(variables: &[PrecisionReport]) -> String {
    let lines: String = variables
        .iter()
        .flat_map(|variable| {
            let path = text::plain(&variable.path);
            let line = move |what: &String| format!("  {path}: {}\n", text::plain(what));
            variable.failures.iter().map(line)
        })
        .collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nfailures:\n{lines}"),
    }
}
