//! What `verify` says of two files, in words.

use std::path::Path;

use frazil::VerifyReport;

use super::rounded;
use crate::commands::summary::Shown;
use crate::text;
use frazil::size::human;

/// One line if equal; else the rounded variables and the first differences. Of one of several pairs, with a name.
pub(in crate::commands) fn of_pair(
    report: &VerifyReport,
    shown: Shown,
    one_of_several: Option<&Path>,
) -> String {
    let is_too_long = |line: &str| text::columns(line.trim_end()) > text::screen_columns();
    let mut verdict = headline(report);
    if is_too_long(&verdict) {
        // What was compared, in a line of its own.
        verdict = verdict.replacen(": ", ":\n  ", 1);
    }
    if let Some(name) = one_of_several.map(text::path) {
        let line = format!("{name}: {verdict}");
        verdict = match line.lines().any(is_too_long) {
            true => format!("{name}:\n  {verdict}"),
            false => line,
        };
    }
    verdict.push_str(&rounded::table(&report.precision));
    if shown.thresholds {
        verdict.push_str(&rounded::thresholds(&report.precision));
    }
    verdict.push_str(&rounded::failures(&report.precision));
    if report.difference_count > 0 && !report.precision.is_empty() {
        verdict.push_str("\ndifferences:\n");
    }
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

fn headline(report: &VerifyReport) -> String {
    let compared = format!(
        "{}, {}, {} ({}) in {:.2} s",
        text::count(report.objects, "object"),
        text::count(report.attributes, "attribute"),
        text::count(report.values, "value"),
        human(report.value_bytes),
        report.seconds
    );
    let rounded = report.precision.len() as u64;
    let failed = report.precision.iter().filter(|v| !v.passed).count();
    match (report.difference_count, rounded, failed) {
        (0, 0, _) => format!("equal: {compared}\n"),
        (0, _, 0) => format!(
            "equal, except for rounding within the stated bounds of {}: {compared}\n",
            text::count(rounded, "variable")
        ),
        (0, ..) => format!("failed: {failed} of {rounded} rounded variables; {compared}\n"),
        (differences, ..) => {
            let differences = text::count(differences, "difference");
            format!("different: {differences} among {compared}\n")
        }
    }
}

/// Two files of many in one line, `name` being what tells them from the others.
pub(in crate::commands) fn line_of(report: &VerifyReport, name: &Path) -> String {
    let first = report.differences.first().map_or_else(String::new, |one| {
        let (path, what) = (text::plain(&one.path), text::plain(&one.what));
        format!("; {path}: {what}")
    });
    let of_rounded = || {
        let failed = report.precision.iter().find(|variable| !variable.passed)?;
        let what = failed.failures.first()?;
        Some(format!(
            "; {}: {}",
            text::plain(&failed.path),
            text::plain(what)
        ))
    };
    let why = match first.is_empty() {
        true => of_rounded().unwrap_or_default(),
        false => first,
    };
    format!(
        "{}: {}{why}\n",
        text::path(name),
        headline(report).trim_end()
    )
}

/// The line below several pairs, which took so many seconds together, `failed` not being among the reports.
pub(in crate::commands) fn of_all(reports: &[VerifyReport], failed: usize, seconds: f64) -> String {
    let count =
        |is_meant: fn(&VerifyReport) -> bool| reports.iter().filter(|one| is_meant(one)).count();
    let equal = count(|one| one.is_equal() && one.precision.is_empty());
    let rounded = count(|one| one.is_equal() && !one.precision.is_empty());
    let different = count(|one| !one.is_equal());
    let rounded = match rounded {
        0 => String::new(),
        _ => format!(", {rounded} equal except for rounding within their stated bounds"),
    };
    let bytes = reports
        .iter()
        .fold(0, |sum: u64, one| sum.saturating_add(one.value_bytes));
    let failed_words = match failed {
        0 => String::new(),
        _ => format!(", {failed} not compared"),
    };
    let files = text::count((reports.len() + failed) as u64, "file");
    format!(
        "\n{files}: {equal} equal{rounded}, {different} different{failed_words}; {} of values, {seconds:.2} s\n",
        human(bytes)
    )
}
