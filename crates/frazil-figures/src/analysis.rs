//! The information in each bit position of each variable, after figure 2 of Klöwer et al. 2021
//! (doi:10.1038/s43588-021-00156-2).

mod panel;

use frazil::{AnalyzeReport, DataOrigin, VariableInformation};

use crate::colour::{self, Map};
use crate::drawing::{INK, QUIET, centred, line, rectangle, text};
use crate::markup::{Element, px, shorten};
use crate::number;
use panel::Panel;

/// Width of the drawing.
const WIDTH: f64 = 1000.0;
/// Left margin, and where rows have their bits.
const MARGIN: f64 = 24.0;
/// Height of the title.
const TITLE_HEIGHT: f64 = 76.0;
/// Height of the legend.
const LEGEND_HEIGHT: f64 = 70.0;
/// Space between two panels.
const PANEL_GAP: f64 = 26.0;
/// No information at all.
const NONE: &str = "#ececec";
/// The line that marks the recommended bits.
const MARK: &str = "#d1232a";

/// Draws variables over bit positions as an SVG document: the darker, the more information; a line
/// marks the recommended bits.
#[must_use]
pub fn analysis_svg(report: &AnalyzeReport) -> String {
    let (shown, hidden): (Vec<_>, Vec<_>) = report.variables.iter().partition(|v| tells(v));
    let panels = panels(&shown);
    let mut top = TITLE_HEIGHT;
    let mut drawings = Vec::new();
    for panel in &panels {
        drawings.push(panel.draw(top));
        top += panel.height() + PANEL_GAP;
    }
    if let Some(remark) = remark(shown.len(), hidden.len()) {
        drawings.push(text(MARGIN, top, remark, QUIET, 12.0));
        top += 28.0;
    }
    let height = top + LEGEND_HEIGHT;
    Element::new("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format!("0 0 {} {}", px(WIDTH), px(height)))
        .with("width", px(WIDTH))
        .with("height", px(height))
        .with("role", "img")
        .with("aria-label", description(report))
        .with("font-family", "system-ui, Helvetica, Arial, sans-serif")
        .child(Element::new("title").text(description(report)))
        .child(defs())
        .child(rectangle((0.0, 0.0), (WIDTH, height), "#ffffff"))
        .children(title(report))
        .children(drawings)
        .children(legend(report, top))
        .to_string()
}

/// Whether a variable has bits to show: constants and those with hardly any values have not.
fn tells(variable: &VariableInformation) -> bool {
    !matches!(variable.origin, DataOrigin::Constant | DataOrigin::TooFew)
}

/// What is said of variables that are not shown.
fn remark(shown: usize, hidden: usize) -> Option<String> {
    match (shown, hidden) {
        (0, 0) => Some("no floating-point variables".into()),
        (_, 0) => None,
        _ => Some(format!(
            "not shown: {hidden} that are constant or have too few values"
        )),
    }
}

/// One panel for each size of element, the smallest first.
fn panels<'a>(variables: &[&'a VariableInformation]) -> Vec<Panel<'a>> {
    let mut sizes: Vec<usize> = variables.iter().map(|v| v.information.len()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let of_size = |&size: &usize| {
        let rows = variables.iter().filter(|v| v.information.len() == size);
        Panel::new(size, rows.copied().collect())
    };
    sizes.iter().map(of_size).collect()
}

/// What the picture shows, for those who cannot see it.
fn description(report: &AnalyzeReport) -> String {
    format!(
        "Bitwise real information of {} variables of {}",
        report.variables.len(),
        report.path.to_string_lossy()
    )
}

fn title(report: &AnalyzeReport) -> [Element; 2] {
    let file = shorten(&report.path.to_string_lossy(), 110);
    [
        text(MARGIN, 34.0, "Bitwise real information", INK, 20.0).with("font-weight", 600),
        text(MARGIN, 55.0, file, QUIET, 13.0),
    ]
}

/// The colours of the legend's bar.
fn defs() -> Element {
    let stop = |number: u32| {
        let share = f64::from(number) / 10.0;
        Element::new("stop")
            .with("offset", format!("{}%", 10 * number))
            .with("stop-color", colour::hex(Map::Information.colour(share)))
    };
    let gradient = Element::new("linearGradient")
        .with("id", "information")
        .children((0..=10).map(stop));
    Element::new("defs").child(gradient)
}

/// What the colours and the line mean.
fn legend(report: &AnalyzeReport, top: f64) -> Vec<Element> {
    let (bar, width) = (MARGIN + 70.0, 240.0);
    let mut parts = vec![
        rectangle((MARGIN, top), (18.0, 12.0), NONE),
        text(MARGIN + 24.0, top + 10.5, "none", QUIET, 12.0),
        rectangle((bar, top), (width, 12.0), "url(#information)"),
    ];
    for tick in number::ticks(0.0, 1.0, 4) {
        let x = bar + tick * width;
        parts.push(line((x, top + 12.0), (x, top + 16.0), QUIET, 1.0));
        parts.push(centred(x, top + 29.0, number::short(tick)));
    }
    let caption = "bits of information in one bit";
    parts.push(centred(bar + width / 2.0, top + 46.0, caption));
    let x = bar + width + 60.0;
    parts.push(line((x, top - 3.0), (x, top + 15.0), MARK, 2.5));
    let keep = report.variables.first().map(|v| v.keep_information);
    let meaning = match keep {
        Some(share) => format!(
            "bits left of the line keep {} of the information",
            number::percent(share)
        ),
        None => "bits left of the line are recommended".into(),
    };
    parts.push(text(x + 10.0, top + 10.5, meaning, QUIET, 12.0));
    parts
}

#[cfg(test)]
mod tests;
