//! The tables of the page: rounded variables, what failed, documented tests, other differences.

use frazil::{ErrorBound, PrecisionReport, StatedPrecision, VerifyReport};

use crate::markup::Element;
use crate::number::{exact, near_one, percent, short};

/// Titles of the table of rounded variables.
const TITLES: [&str; 14] = [
    "variable",
    "stated",
    "bound",
    "changed",
    "max. error, absolute",
    "max. error, relative",
    "RMSE",
    "bias",
    "correlation",
    "KS",
    "gradient",
    "spectrum",
    "SSIM mean (worst)",
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
        let nothing = "The second file states of no variable that it is rounded.";
        return section.child(Element::new("p").text(nothing));
    }
    section.child(table(&TITLES, precision.iter().map(variable)))
}

fn variable(report: &PrecisionReport) -> Row {
    let optional = |value: Option<f64>| value.map_or_else(|| "–".into(), short);
    let share = report.changed as f64 / report.values.max(1) as f64;
    let ssim = report.ssim.map_or_else(
        || "–".into(),
        |(mean, worst)| format!("{} ({})", near_one(mean), near_one(worst)),
    );
    Row {
        words: vec![report.path.clone(), stated(&report.stated)],
        numbers: vec![
            bound(&report.stated.bound),
            percent(share),
            short(report.max_absolute_error),
            short(report.max_relative_error),
            short(report.rmse),
            short(report.bias),
            report.correlation.map_or_else(|| "–".into(), near_one),
            short(report.ks_distance),
            optional(report.gradient_error),
            optional(report.spectral_error),
            ssim,
            report
                .preserved_information
                .map_or_else(|| "–".into(), percent),
        ],
        passed: report.passed,
    }
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
    let rows = precision.iter().map(|variable| tested(variable, &names));
    let note = "Limits from the literature, ldcpy's (Baker et al. 2016); they decide only where \
                that was asked for. Red: beyond the limit.";
    Some(
        section("Documented tests")
            .child(Element::new("p").with("class", "note").text(note))
            .child(framed(head, rows)),
    )
}

/// The tests of one variable, in the order of `names`.
fn tested(variable: &PrecisionReport, names: &[(&str, f64)]) -> Element {
    let cell = |(name, _): &(&str, f64)| {
        let test = variable.thresholds.iter().find(|test| test.name == *name);
        match test {
            None => Element::new("td").text("–"),
            Some(test) if test.passed => Element::new("td").text(exact(test.value)),
            Some(test) => Element::new("td")
                .with("class", "fail")
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

/// One row: words on the left, numbers, and the result.
#[derive(Debug)]
struct Row {
    words: Vec<String>,
    numbers: Vec<String>,
    passed: bool,
}

impl Row {
    fn draw(self) -> Element {
        let word = |(place, word): (usize, String)| {
            let class = if place == 0 { "name" } else { "words" };
            Element::new("td").with("class", class).text(word)
        };
        let numbers = self.numbers.into_iter();
        let (class, result) = match self.passed {
            true => ("pass", "pass"),
            false => ("fail", "FAIL"),
        };
        Element::new("tr")
            .with("class", if self.passed { "kept" } else { "failed" })
            .children(self.words.into_iter().enumerate().map(word))
            .children(numbers.map(|number| Element::new("td").text(number)))
            .child(Element::new("td").with("class", class).text(result))
    }
}

/// A table of rows with two columns of words first and the result last.
fn table(titles: &[&str], rows: impl IntoIterator<Item = Row>) -> Element {
    let title = |(place, title): (usize, &&str)| {
        let class = if place < 2 { "words" } else { "number" };
        Element::new("th")
            .with("scope", "col")
            .with("class", class)
            .text(title)
    };
    let head = Element::new("tr").children(titles.iter().chain([&"result"]).enumerate().map(title));
    framed(head, rows.into_iter().map(Row::draw))
}

/// A table that may be wider than the screen.
fn framed(head: Element, rows: impl Iterator<Item = Element>) -> Element {
    let table = Element::new("table")
        .child(Element::new("thead").child(head))
        .child(Element::new("tbody").children(rows));
    Element::new("div").with("class", "wide").child(table)
}

fn list<'a>(lines: impl Iterator<Item = &'a String>) -> Element {
    Element::new("ul").children(lines.map(|line| Element::new("li").text(line)))
}

fn section(title: &str) -> Element {
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
