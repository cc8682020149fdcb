//! The tables of the page: rounded variables, what failed, documented tests, other differences.

use frazil::{ErrorBound, PrecisionReport, StatedPrecision, VerifyReport};

use crate::markup::Element;
use crate::number::{exact, near_one, percent, short};

/// Titles of the table of rounded variables; the result stands behind the first.
const TITLES: [&str; 9] = [
    "variable",
    "result",
    "stated",
    "bound",
    "error / std",
    "max. error, absolute",
    "max. error, relative",
    "SSIM mean (worst)",
    "changed",
];
/// Titles of the table of other measures.
const MORE_TITLES: [&str; 8] = [
    "variable",
    "RMSE",
    "bias",
    "correlation",
    "KS",
    "gradient",
    "spectrum",
    "information",
];

/// All tables that have something to say.
pub(super) fn sections(report: &VerifyReport) -> Vec<Element> {
    let mut sections = vec![variables(&report.precision)];
    sections.extend(failures(&report.precision));
    sections.extend(thresholds(&report.precision));
    sections.extend(differences(report));
    sections.extend(notices(&report.notices));
    sections
}

fn variables(precision: &[PrecisionReport]) -> Element {
    let section = section("Rounded variables");
    if precision.is_empty() {
        let nothing = "The second file marks no variable as rounded.";
        return section.child(Element::new("p").text(nothing));
    }
    let mut changed: Vec<&PrecisionReport> = precision.iter().filter(|one| tells(one)).collect();
    changed.sort_by(|one, other| {
        let fear = |report: &PrecisionReport| (!report.passed, report.concern());
        let ((a, b), (c, d)) = (fear(other), fear(one));
        a.cmp(&c).then(b.total_cmp(&d))
    });
    let same: Vec<&str> = (precision.iter().filter(|one| !tells(one)))
        .map(|one| one.path.as_str())
        .collect();
    let more = Element::new("details")
        .child(Element::new("summary").text("More measures"))
        .child(framed(
            head(&MORE_TITLES, 1),
            changed.iter().map(|one| more_of(one)),
        ));
    let note = "Failed variables come first. The others are sorted by the error in standard \
                deviations or by 1 minus the structural similarity of the worst slice, whichever \
                is larger.";
    let unchanged = (!same.is_empty()).then(|| {
        let text = format!(
            "{} more had nothing to round: {}.",
            same.len(),
            same.join(", ")
        );
        Element::new("p").with("class", "note").text(text)
    });
    let table = (!changed.is_empty()).then(|| {
        let rows = changed.iter().map(|one| variable(one));
        framed(head(&TITLES, 3), rows)
    });
    let is_listed = table.is_some();
    section
        .child(Element::new("p").with("class", "note").text(note))
        .children(table)
        .children(unchanged)
        .children(is_listed.then_some(more))
}

/// Whether there is something to say of a variable.
fn tells(report: &PrecisionReport) -> bool {
    report.changed > 0 || !report.passed
}

/// Titles, of which so many stand over words.
fn head(titles: &[&str], words: usize) -> Element {
    let title = |(place, title): (usize, &&str)| {
        let class = if place < words { "words" } else { "number" };
        Element::new("th")
            .with("scope", "col")
            .with("class", class)
            .text(title)
    };
    Element::new("tr").children(titles.iter().enumerate().map(title))
}

fn cell(class: &str, text: &str) -> Element {
    Element::new("td").with("class", class).text(text)
}

fn numbers(numbers: impl IntoIterator<Item = String>) -> impl Iterator<Item = Element> {
    let number = |number: String| Element::new("td").text(number);
    numbers.into_iter().map(number)
}

fn variable(report: &PrecisionReport) -> Element {
    let share = report.changed as f64 / report.values.max(1) as f64;
    let ssim = report.ssim.map_or_else(
        || "–".into(),
        |(mean, worst)| format!("{} ({})", near_one(mean), near_one(worst)),
    );
    let (row, class, result) = match report.passed {
        true => ("kept", "pass", "pass"),
        false => ("failed", "fail", "FAIL"),
    };
    Element::new("tr")
        .with("class", row)
        .child(cell("name", &report.path))
        .child(cell(&format!("words {class}"), result))
        .child(cell("words", &stated(&report.stated)))
        .children(numbers([
            bound(&report.stated.bound),
            optional(report.error_in_deviations()),
            short(report.max_absolute_error),
            short(report.max_relative_error),
            ssim,
            percent(share),
        ]))
}

fn more_of(report: &PrecisionReport) -> Element {
    let information = report.preserved_information;
    Element::new("tr")
        .child(cell("name", &report.path))
        .children(numbers([
            short(report.rmse),
            short(report.bias),
            near(report.correlation),
            short(report.ks_distance),
            optional(report.gradient_error),
            optional(report.spectral_error),
            information.map_or_else(|| "–".into(), percent),
        ]))
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), short)
}

/// A number near one, if there is one.
pub(super) fn near(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), near_one)
}

/// `bitround, 9 bits`.
fn stated(stated: &StatedPrecision) -> String {
    let algorithm = stated.algorithm.map_or("unknown", |algorithm| {
        algorithm.cf_name().unwrap_or("linear")
    });
    let mut words = vec![algorithm.replace('_', " ")];
    words.extend(stated.significant_bits.map(|bits| format!("{bits} bits")));
    words.extend(
        stated
            .significant_digits
            .map(|digits| format!("{digits} digits")),
    );
    words.extend(
        stated
            .keep_information
            .map(|share| format!("{} information", percent(share))),
    );
    words.join(", ")
}

/// `9.77e-4 rel`, `0.5 abs`, both, or none.
fn bound(bound: &ErrorBound) -> String {
    let mut parts = Vec::new();
    if let Some(relative) = bound.relative {
        let floor = match bound.finest_absolute > 0.0 {
            true => format!(" (or {} abs)", short(bound.finest_absolute)),
            false => String::new(),
        };
        parts.push(format!("{} rel{floor}", short(relative)));
    }
    parts.extend(
        bound
            .absolute
            .map(|absolute| format!("{} abs", short(absolute))),
    );
    match parts.is_empty() {
        true => "none".into(),
        false => parts.join(", "),
    }
}

fn failures(precision: &[PrecisionReport]) -> Option<Element> {
    let lines: Vec<String> = precision
        .iter()
        .flat_map(|variable| {
            let line = |failure| format!("{}: {failure}", variable.path);
            variable.failures.iter().map(line)
        })
        .collect();
    (!lines.is_empty()).then(|| section("What failed").child(list(lines.iter())))
}

/// One row per variable, one column per documented test; `None` where there are no tests.
fn thresholds(precision: &[PrecisionReport]) -> Option<Element> {
    let mut names: Vec<(&str, f64)> = Vec::new();
    for test in precision.iter().flat_map(|variable| &variable.thresholds) {
        if !names.iter().any(|(name, _)| *name == test.name) {
            names.push((&test.name, test.limit));
        }
    }
    if names.is_empty() {
        return None;
    }
    let title = |(name, limit): &(&str, f64)| {
        Element::new("th")
            .with("scope", "col")
            .text(format!("{name} (limit {})", exact(*limit)))
    };
    let variable_title = Element::new("th")
        .with("scope", "col")
        .with("class", "words");
    let head = Element::new("tr")
        .child(variable_title.text("variable"))
        .children(names.iter().map(title));
    let mut shown: Vec<&PrecisionReport> = precision.iter().filter(|one| tells(one)).collect();
    shown.sort_by(|one, other| other.concern().total_cmp(&one.concern()));
    let decide = decides(precision);
    let rows = shown
        .iter()
        .map(|variable| tested(variable, &names, decide));
    let limits = "Limits from the literature, ldcpy's (Baker et al. 2016).";
    let what = match decide {
        true => "They decide, because --thresholds is stated. Red: beyond the limit.",
        false => {
            "They do not decide, because --thresholds ldcpy is not stated. !: beyond the limit."
        }
    };
    let note = Element::new("p")
        .with("class", "note")
        .text(format!("{limits} {what}"));
    let section = section("Documented tests").child(note);
    let table = framed(head, rows);
    Some(match decide {
        true => section.child(table),
        false => section.child(
            Element::new("details")
                .child(Element::new("summary").text("Show them"))
                .child(table),
        ),
    })
}

/// Whether documented tests have failed anything: they say so where they were asked for.
fn decides(precision: &[PrecisionReport]) -> bool {
    let mut failures = precision.iter().flat_map(|one| &one.failures);
    failures.any(|line| line.starts_with("ldcpy: "))
}

/// The tests of one variable, in the order of `names`.
fn tested(variable: &PrecisionReport, names: &[(&str, f64)], decide: bool) -> Element {
    let cell = |(name, _): &(&str, f64)| {
        let test = variable.thresholds.iter().find(|test| test.name == *name);
        match test {
            None => Element::new("td").text("–"),
            Some(test) if test.passed => Element::new("td").text(exact(test.value)),
            Some(test) => Element::new("td")
                .with("class", if decide { "fail" } else { "beyond" })
                .text(format!("{} !", exact(test.value))),
        }
    };
    Element::new("tr")
        .child(
            Element::new("td")
                .with("class", "name")
                .text(&variable.path),
        )
        .children(names.iter().map(cell))
}

fn differences(report: &VerifyReport) -> Option<Element> {
    let lines: Vec<String> = report
        .differences
        .iter()
        .map(|difference| format!("{}: {}", difference.path, difference.what))
        .collect();
    let section = section("Other differences").child(list(lines.iter()));
    let more = report.difference_count.saturating_sub(lines.len() as u64);
    match (lines.len(), more) {
        (0, 0) => None,
        (_, 0) => Some(section),
        (_, more) => Some(section.child(Element::new("p").text(format!("... and {more} more")))),
    }
}

fn notices(notices: &[String]) -> Option<Element> {
    (!notices.is_empty()).then(|| section("Notes").child(list(notices.iter())))
}

/// A table that may be wider than the screen.
pub(super) fn framed(head: Element, rows: impl Iterator<Item = Element>) -> Element {
    let table = Element::new("table")
        .child(Element::new("thead").child(head))
        .child(Element::new("tbody").children(rows));
    Element::new("div").with("class", "wide").child(table)
}

fn list<'a>(lines: impl Iterator<Item = &'a String>) -> Element {
    Element::new("ul").children(lines.map(|line| Element::new("li").text(line)))
}

pub(super) fn section(title: &str) -> Element {
    Element::new("section").child(Element::new("h2").text(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_read_well() {
        let mut some = ErrorBound::default();
        assert_eq!(bound(&some), "none");
        some.relative = Some(0.5_f64.powi(10));
        assert_eq!(bound(&some), "9.77e-4 rel");
        some.finest_absolute = 0.25;
        some.absolute = Some(2.0);
        assert_eq!(bound(&some), "9.77e-4 rel (or 0.25 abs), 2 abs");
    }
}
