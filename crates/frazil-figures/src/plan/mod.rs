//! What a plan was chosen from: ratio against speed of filters, and read times of chunk shapes.

mod reads;
mod tradeoff;

use frazil::{CodecSpeed, FilterCandidate, PlanReport, VariableDecision};

use crate::drawing::{INK, QUIET, rectangle, text};
use crate::markup::{Element, px, shorten};
use tradeoff::Spot;

/// Width of a panel, and the space between two.
const PANEL: f64 = 380.0;
const GAP: f64 = 24.0;
/// Left and right margin of the drawing.
const MARGIN: f64 = 24.0;
/// Height of the title, and of what stands over a variable's panels.
const TITLE_HEIGHT: f64 = 72.0;
const HEADING_HEIGHT: f64 = 46.0;
/// Space between two variables.
const ROW_GAP: f64 = 34.0;
/// Variables that are drawn, the largest ones.
const MOST_VARIABLES: usize = 12;
/// Colours that all eyes tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// Draws, for each of the largest variables, the ratio of the filters that were compared against
/// the speed of writing and of reading, and the times of reads by chunk shape, as an SVG document.
#[must_use]
pub fn plan_svg(report: &PlanReport) -> String {
    drawing(report).to_string()
}

/// The panels of [`plan_svg`] in a self-contained HTML page, with the reason of each decision.
#[must_use]
pub fn plan_html(report: &PlanReport) -> String {
    let title = format!("Plan for {}", report.input.to_string_lossy());
    // No script, no request to anywhere: said to the browser too.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let meta = |name, content: &str| {
        Element::new("meta")
            .with("http-equiv", name)
            .with("content", content)
    };
    let head = Element::new("head")
        .child(Element::new("meta").with("charset", "utf-8"))
        .child(meta("Content-Security-Policy", policy))
        .child(
            Element::new("meta")
                .with("name", "viewport")
                .with("content", "width=device-width, initial-scale=1"),
        )
        .child(Element::new("title").text(&title))
        .child(Element::new("style").text(include_str!("../page/page.css")));
    let (shown, hidden) = shown(report);
    let body = Element::new("body")
        .child(Element::new("h1").text(&title))
        .children(shown.iter().map(|variable| part(variable)))
        .children(remark(shown.len(), hidden).map(|text| Element::new("p").text(text)))
        .children(reasons(report, &shown));
    let page = Element::new("html")
        .with("lang", "en")
        .child(head)
        .child(body);
    format!("<!DOCTYPE html>\n{page}\n")
}

/// One variable of the page: what was decided and why, and its panels.
fn part(variable: &VariableDecision) -> Element {
    let note = |text: &str| Element::new("p").with("class", "note").text(text);
    let figures = charts(variable).into_iter().map(|chart| {
        let svg = Element::new("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {} {}", px(PANEL), px(chart.height)))
            .with("role", "img")
            .with("aria-label", format!("{}: {}", variable.path, chart.title))
            .child((chart.draw)((0.0, 0.0)));
        Element::new("figure").child(svg)
    });
    Element::new("section")
        .with("class", "keep")
        .child(Element::new("h3").text(&variable.path))
        .child(note(&facts(variable)))
        .child(note(&variable.reason))
        .child(
            Element::new("div")
                .with("class", "panels")
                .children(figures),
        )
}

/// Why, of the variables that are not drawn.
fn reasons(report: &PlanReport, drawn: &[&VariableDecision]) -> Option<Element> {
    let is_drawn = |one: &VariableDecision| drawn.iter().any(|drawn| drawn.path == one.path);
    let entries: Vec<Element> = (report.variables.iter().filter(|one| !is_drawn(one)))
        .flat_map(|variable| {
            [
                Element::new("dt").text(&variable.path),
                Element::new("dd").text(&variable.reason),
            ]
        })
        .collect();
    (!entries.is_empty()).then(|| {
        Element::new("section")
            .child(Element::new("h2").text("The others"))
            .child(Element::new("dl").children(entries))
    })
}

fn remark(shown: usize, hidden: usize) -> Option<String> {
    match (shown, hidden) {
        (0, _) => Some("no variable had filters or chunk shapes to compare".to_owned()),
        (_, 0) => None,
        (_, hidden) => Some(format!("not shown: {hidden} smaller variables")),
    }
}

fn drawing(report: &PlanReport) -> Element {
    let (shown, hidden) = shown(report);
    let width = 2.0 * MARGIN + 3.0 * PANEL + 2.0 * GAP;
    let mut top = TITLE_HEIGHT;
    let mut parts = Vec::new();
    for variable in &shown {
        parts.extend(heading(variable, top));
        let (drawn, height) = panels(variable, top + HEADING_HEIGHT);
        parts.extend(drawn);
        top += HEADING_HEIGHT + height + ROW_GAP;
    }
    if let Some(remark) = remark(shown.len(), hidden) {
        parts.push(text(MARGIN, top + 4.0, remark, QUIET, 12.0));
        top += 24.0;
    }
    let file = report.input.to_string_lossy();
    let description = format!("What was compared in a plan for {file}");
    Element::new("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format!("0 0 {} {}", px(width), px(top)))
        .with("width", px(width))
        .with("height", px(top))
        .with("role", "img")
        .with("aria-label", &description)
        .with("font-family", "system-ui, Helvetica, Arial, sans-serif")
        .child(Element::new("title").text(&description))
        .child(rectangle((0.0, 0.0), (width, top), "#ffffff"))
        .child(text(MARGIN, 34.0, "Plan", INK, 20.0).with("font-weight", 600))
        .child(text(MARGIN, 55.0, shorten(&file, 150), QUIET, 13.0))
        .children(parts)
}

/// The largest variables of which something was compared, and how many more there are.
fn shown(report: &PlanReport) -> (Vec<&VariableDecision>, usize) {
    let tells = |variable: &&VariableDecision| {
        !(variable.filter_candidates.is_empty() && variable.chunk_candidates.is_empty())
    };
    let mut found: Vec<&VariableDecision> = report.variables.iter().filter(tells).collect();
    found.sort_by_key(|variable| std::cmp::Reverse(variable.raw_bytes));
    let hidden = found.len().saturating_sub(MOST_VARIABLES);
    found.truncate(MOST_VARIABLES);
    (found, hidden)
}

fn heading(variable: &VariableDecision, top: f64) -> [Element; 2] {
    let facts = facts(variable);
    [
        text(MARGIN, top + 8.0, shorten(&variable.path, 100), INK, 15.0).with("font-weight", 600),
        text(MARGIN, top + 26.0, shorten(&facts, 160), QUIET, 12.0),
    ]
}

/// `float32 12x90x180: chunks 1x90x180, deflate(1)`.
fn facts(variable: &VariableDecision) -> String {
    let chunk = variable.chunk.as_deref().map_or_else(
        || "contiguous".to_owned(),
        |c| format!("chunks {}", extents(c)),
    );
    let filters = match variable.filters.as_str() {
        "" => "no filters",
        filters => filters,
    };
    format!(
        "{} {}: {chunk}, {filters}",
        variable.element,
        extents(&variable.shape)
    )
}

/// One panel of a variable.
struct Panel<'a> {
    title: &'static str,
    height: f64,
    draw: Box<dyn Fn((f64, f64)) -> Element + 'a>,
}

/// The panels of a variable.
fn charts(variable: &VariableDecision) -> Vec<Panel<'_>> {
    let filters = &variable.filter_candidates;
    let write = spots(filters, |speed| speed.encode_bytes_per_second);
    let read = spots(filters, |speed| speed.decode_bytes_per_second);
    let mut panels: Vec<Panel<'_>> = Vec::new();
    if write.is_empty() && !filters.is_empty() {
        panels.push(Panel {
            title: "ratios",
            height: tradeoff::bars_height(filters.len()),
            draw: Box::new(move |at| tradeoff::ratios(at, filters)),
        });
    } else if !write.is_empty() {
        for (speed, spots) in [("written, MB/s", write), ("read, MB/s", read)] {
            panels.push(Panel {
                title: speed,
                height: tradeoff::height(&spots),
                draw: Box::new(move |at| tradeoff::draw(at, speed, &spots)),
            });
        }
    }
    let shapes = &variable.chunk_candidates;
    if !shapes.is_empty() {
        panels.push(Panel {
            title: "reads by chunk shape",
            height: reads::height(shapes),
            draw: Box::new(move |at| reads::draw(at, shapes)),
        });
    }
    panels
}

/// The panels of a variable side by side, and the height of the highest.
fn panels(variable: &VariableDecision, top: f64) -> (Vec<Element>, f64) {
    let charts = charts(variable);
    let height = charts.iter().map(|chart| chart.height).fold(0.0, f64::max);
    let place = |number: usize| (MARGIN + number as f64 * (PANEL + GAP), top);
    let drawn = charts.iter().enumerate();
    let drawn = drawn.map(|(number, chart)| (chart.draw)(place(number)));
    (drawn.collect(), height)
}

/// Filters whose speed is known; the first candidate is the chosen one.
fn spots(candidates: &[FilterCandidate], rate: fn(&CodecSpeed) -> f64) -> Vec<Spot<'_>> {
    let spot = |(place, candidate): (usize, &'_ FilterCandidate)| -> Option<(usize, f64)> {
        candidate.speed.as_ref().map(|speed| (place, rate(speed)))
    };
    let known = candidates.iter().enumerate().filter_map(spot);
    known
        .map(|(place, speed)| Spot {
            filters: &candidates[place].filters,
            megabytes_per_second: speed / 1e6,
            ratio: candidates[place].ratio,
            is_chosen: place == 0,
        })
        .collect()
}

/// `10x128x256`; `scalar` for no axes.
fn extents(shape: &[u64]) -> String {
    match shape {
        [] => "scalar".to_owned(),
        shape => shape
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join("x"),
    }
}

#[cfg(test)]
mod tests;
