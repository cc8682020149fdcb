//! The page about a comparison of a rounded file with its original.

mod candidates;
mod figures;
mod metrics;
mod summary;

use frazil::VerifyReport;

use crate::error::Result;
use crate::markup::Element;

/// Writes one self-contained HTML page: the verdict, every rounded variable with its errors, and
/// maps, histograms and spectra of those that the report has figures of. Of several reports on one
/// original, each with the bytes of its other file, these stand side by side before.
///
/// # Errors
/// If a figure's data do not fit together, or a map cannot be encoded.
pub fn verify_html(candidates: &[(VerifyReport, Option<u64>)]) -> Result<String> {
    let mut body = Element::new("body").child(Element::new("h1").text("Precision report"));
    if candidates.len() > 1 {
        body = body.child(candidates::section_of(candidates));
    }
    for (report, _) in candidates {
        let name = report.b.to_string_lossy();
        let heading = (candidates.len() > 1).then(|| Element::new("h2").text(name));
        body = body
            .children(heading)
            .child(header(report))
            .children(summary::sections(report))
            .children(figures::section(&report.figures)?);
    }
    let body = body.child(metrics::glossary()).child(footer());
    let names = candidates
        .iter()
        .map(|(report, _)| report.b.to_string_lossy());
    let title = format!("Precision of {}", names.collect::<Vec<_>>().join(", "));
    let page = Element::new("html")
        .with("lang", "en")
        .child(head(title))
        .child(body);
    Ok(format!("<!DOCTYPE html>\n{page}\n"))
}

fn head(title: String) -> Element {
    // No script, no request to anywhere: said to the browser too.
    let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
    Element::new("head")
        .child(Element::new("meta").with("charset", "utf-8"))
        .child(
            Element::new("meta")
                .with("http-equiv", "Content-Security-Policy")
                .with("content", policy),
        )
        .child(
            Element::new("meta")
                .with("name", "viewport")
                .with("content", "width=device-width, initial-scale=1"),
        )
        .child(Element::new("title").text(title))
        .child(Element::new("style").text(include_str!("page.css")))
}

fn header(report: &VerifyReport) -> Element {
    let (class, verdict) = verdict(report);
    let entry = |name: &str, value: String| {
        [
            Element::new("dt").text(name),
            Element::new("dd").text(value),
        ]
    };
    let compared = format!(
        "{} objects, {} attributes, {} values in {:.1} s",
        report.objects, report.attributes, report.values, report.seconds
    );
    let facts = Element::new("dl")
        .children(entry("Original", report.a.to_string_lossy().into_owned()))
        .children(entry("Rounded", report.b.to_string_lossy().into_owned()))
        .children(entry("Compared", compared));
    Element::new("header")
        .child(
            Element::new("p")
                .with("class", format!("verdict {class}"))
                .text(verdict),
        )
        .child(facts)
}

/// How the comparison ended: a class for its colour, and words.
fn verdict(report: &VerifyReport) -> (&'static str, String) {
    let rounded = report.precision.len();
    let failed = report.precision.iter().filter(|v| !v.passed).count();
    let differences = report.difference_count;
    match (failed, differences) {
        (0, 0) if rounded == 0 => ("pass", "Equal: nothing is rounded, nothing differs.".into()),
        (0, 0) => (
            "pass",
            format!("Passed: all {rounded} rounded variables keep their stated bounds."),
        ),
        (0, _) => ("fail", format!("Failed: {differences} other differences.")),
        (_, 0) => (
            "fail",
            format!("Failed: {failed} of {rounded} rounded variables."),
        ),
        _ => (
            "fail",
            format!(
                "Failed: {failed} of {rounded} rounded variables, and {differences} other \
                 differences."
            ),
        ),
    }
}

fn footer() -> Element {
    Element::new("footer")
        .with("class", "note")
        .text(format!("Made by frazil {}.", env!("CARGO_PKG_VERSION")))
}

#[cfg(test)]
mod tests;
