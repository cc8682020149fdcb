//! Several roundings of one original side by side.

use std::collections::BTreeMap;

use frazil::size::human;
use frazil::{PrecisionReport, VerifyReport};

use super::summary::{framed, near, section};
use crate::markup::Element;
use crate::number::short;

/// A table of the candidates, and one of their variables with the error and the similarity of each.
pub(super) fn section_of(candidates: &[(VerifyReport, Option<u64>)]) -> Element {
    section("Candidates")
        .child(framed(
            head([
                "candidate",
                "bytes",
                "result",
                "of most concern",
                "error / std",
                "SSIM",
            ]),
            candidates.iter().map(candidate),
        ))
        .child(Element::new("h3").text("Error in standard deviations (SSIM of the worst slice)"))
        .child(variables(candidates))
}

fn head<T: AsRef<str>>(titles: impl IntoIterator<Item = T>) -> Element {
    let title = |(place, title): (usize, T)| {
        let class = if place == 0 { "words" } else { "number" };
        Element::new("th")
            .with("scope", "col")
            .with("class", class)
            .text(title.as_ref())
    };
    Element::new("tr").children(titles.into_iter().enumerate().map(title))
}

fn name(words: &str) -> Element {
    Element::new("td").with("class", "name").text(words)
}

fn candidate((report, bytes): &(VerifyReport, Option<u64>)) -> Element {
    let most = |a: &&PrecisionReport, b: &&PrecisionReport| a.concern().total_cmp(&b.concern());
    let worst = report.precision.iter().max_by(most);
    let (class, result) = match report.is_equal() {
        true => ("pass", "pass"),
        false => ("fail", "FAIL"),
    };
    let error = worst.and_then(PrecisionReport::error_in_deviations);
    let cells = [
        bytes.map_or_else(|| "–".to_owned(), human),
        result.to_owned(),
        worst.map_or("–", |worst| &worst.path).to_owned(),
        error.map_or_else(|| "–".to_owned(), short),
        near(worst.and_then(|worst| worst.ssim).map(|(_, least)| least)),
    ];
    let cell = |(place, text): (usize, String)| match place {
        1 => Element::new("td").with("class", class).text(text),
        _ => Element::new("td").text(text),
    };
    Element::new("tr")
        .child(name(&report.b.to_string_lossy()))
        .children(cells.into_iter().enumerate().map(cell))
}

/// Variables that any candidate changes, those of the most concern first.
fn variables(candidates: &[(VerifyReport, Option<u64>)]) -> Element {
    let mut concern: BTreeMap<&str, f64> = BTreeMap::new();
    let all = candidates.iter().flat_map(|(report, _)| &report.precision);
    for one in all.filter(|one| one.changed > 0) {
        let most = concern.entry(&one.path).or_insert(0.0);
        *most = most.max(one.concern());
    }
    let mut paths: Vec<(&str, f64)> = concern.into_iter().collect();
    paths.sort_by(|one, other| other.1.total_cmp(&one.1));
    let names = candidates
        .iter()
        .map(|(report, _)| report.b.to_string_lossy().into_owned());
    let titles = std::iter::once("variable".to_owned()).chain(names);
    let row = |(path, _): (&str, f64)| {
        let cell = |(report, _): &(VerifyReport, Option<u64>)| {
            let found = report.precision.iter().find(|one| one.path == path);
            Element::new("td").text(found.map_or_else(|| "exact".to_owned(), of_variable))
        };
        let cells = candidates.iter().map(cell);
        Element::new("tr").child(name(path)).children(cells)
    };
    framed(head(titles), paths.into_iter().map(row))
}

fn of_variable(report: &PrecisionReport) -> String {
    let error = report.error_in_deviations();
    let error = error.map_or_else(|| "–".to_owned(), short);
    match report.ssim {
        Some((_, worst)) => format!("{error} ({})", near(Some(worst))),
        None => error,
    }
}
