//! What `verify` says of two files, in words.

use frazil::VerifyReport;

use super::rounded;
use crate::text;
use frazil::size::human;

/// One line if equal; else the rounded variables and the first differences.
pub(super) fn of(report: &VerifyReport, thresholds: bool) -> String {
    let mut verdict = headline(report);
    verdict.push_str(&rounded::table(&report.precision));
    if thresholds {
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
            "equal but for rounding within what is stated of {}: {compared}\n",
            text::count(rounded, "variable")
        ),
        (0, ..) => format!("failed: {failed} of {rounded} rounded variables; {compared}\n"),
        (differences, ..) => {
            let differences = text::count(differences, "difference");
            format!("different: {differences} among {compared}\n")
        }
    }
}
