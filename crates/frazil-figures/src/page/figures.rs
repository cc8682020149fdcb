//! Maps, histograms and spectra of the variables with the largest errors.

use frazil::VariableFigures;

use crate::chart::{self, Axis, Chart, Scale, Series};
use crate::colour::{self, Map};
use crate::error::{Error, Result};
use crate::map;
use crate::markup::Element;
use crate::number::short;

/// The section with one part per variable; none where there are no figures.
///
/// # Errors
/// If the data of a variable do not fit together, or a map cannot be encoded.
pub(super) fn section(figures: &[VariableFigures]) -> Result<Option<Element>> {
    if figures.is_empty() {
        return Ok(None);
    }
    let mut section =
        Element::new("section").child(Element::new("h2").text("Pictures, largest errors first"));
    for figure in figures {
        section = section.child(variable(figure)?);
    }
    Ok(Some(section))
}

fn variable(figure: &VariableFigures) -> Result<Element> {
    let (columns, rows) = figure.size;
    for values in [&figure.original, &figure.rounded] {
        if columns.checked_mul(rows) != Some(values.len()) {
            return Err(Error::Size {
                path: figure.path.clone(),
                values: values.len(),
                columns,
                rows,
            });
        }
    }
    let slice = match figure.slice.is_empty() {
        true => String::new(),
        false => format!("Shown: {}. ", figure.slice),
    };
    let missing = match columns.min(rows) {
        0 | 1 => "Gaps: special or missing values.",
        _ => "Grey: special or missing values. The first row is at the bottom.",
    };
    let note = format!("{slice}{missing}");
    let part = Element::new("section")
        .with("class", "keep")
        .child(Element::new("h3").text(&figure.path))
        .child(Element::new("p").with("class", "note").text(note));
    let fields = match columns.min(rows) {
        0 => None,
        1 => Some(lines(figure)),
        _ => Some(maps(figure)?),
    };
    Ok(part.children(fields).child(statistics(figure)))
}

/// Rounded minus original.
fn difference(figure: &VariableFigures) -> Vec<f32> {
    let pairs = figure.original.iter().zip(&figure.rounded);
    pairs
        .map(|(original, rounded)| rounded - original)
        .collect()
}

/// Three maps side by side; original and rounded share their colours.
fn maps(figure: &VariableFigures) -> Result<Element> {
    let both = [figure.original.as_slice(), &figure.rounded].concat();
    let range = map::range(&both);
    let difference = difference(figure);
    let largest = map::range(&difference).map(|(low, high)| {
        let largest = low.abs().max(high.abs());
        (-largest, largest)
    });
    let one = |title, values: &[f32], range, colours| -> Result<Element> {
        one_map(figure, title, values, range, colours)
    };
    Ok(Element::new("div")
        .with("class", "maps")
        .child(one("original", &figure.original, range, Map::Field)?)
        .child(one("rounded", &figure.rounded, range, Map::Field)?)
        .child(one(
            "rounded minus original",
            &difference,
            largest,
            Map::Difference,
        )?))
}

fn one_map(
    figure: &VariableFigures,
    title: &str,
    values: &[f32],
    range: Option<(f32, f32)>,
    colours: Map,
) -> Result<Element> {
    let (columns, rows) = figure.size;
    let says = match range {
        Some((low, high)) => format!("from {} to {}", short(low.into()), short(high.into())),
        None => "without any value".into(),
    };
    let words = format!("Map of {}, {title}, {says}", figure.path);
    let size = (pixels(columns), pixels(rows));
    let uri = map::image(values, size, range.unwrap_or((0.0, 1.0)), colours)?;
    let image = Element::new("img")
        .with("class", "map")
        .with("src", uri)
        .with("alt", words);
    let part = Element::new("figure")
        .child(Element::new("figcaption").text(title))
        .child(image);
    match range {
        Some(range) => Ok(part.children(colour_bar(range, colours)?)),
        None => Ok(part.child(scale(&["no values"]))),
    }
}

/// An extent of an image; figures have at most 512 columns and rows.
fn pixels(extent: usize) -> u32 {
    u32::try_from(extent).unwrap_or(u32::MAX)
}

fn colour_bar((low, high): (f32, f32), colours: Map) -> Result<[Element; 2]> {
    let bar = Element::new("img")
        .with("class", "bar")
        .with("src", map::bar(colours)?)
        .with("alt", "colour bar");
    let middle = f64::midpoint(low.into(), high.into());
    let numbers = [low.into(), middle, high.into()].map(short);
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    Ok([bar, scale(&numbers)])
}

fn scale(numbers: &[&str]) -> Element {
    let number = |number: &&str| Element::new("span").text(number);
    Element::new("div")
        .with("class", "scale")
        .children(numbers.iter().map(number))
}

/// Variables with one axis: values and differences as lines.
fn lines(figure: &VariableFigures) -> Element {
    let points = |values: &[f32]| -> Vec<(f64, f64)> {
        let value = |(place, &value): (usize, &f32)| (place as f64, value.into());
        values.iter().enumerate().map(value).collect()
    };
    let pair = pair(points(&figure.original), points(&figure.rounded));
    let values = chart_of(
        figure,
        "values",
        ("element shown", Scale::Linear),
        ("value", Scale::Linear),
        pair,
    );
    let difference = vec![Series {
        name: "rounded minus original",
        colour: "#1a1a1a",
        width: 1.0,
        is_dashed: false,
        points: points(&difference(figure)),
    }];
    let errors = chart_of(
        figure,
        "differences",
        ("element shown", Scale::Linear),
        ("difference", Scale::Linear),
        difference,
    );
    side_by_side([("values", values), ("rounded minus original", errors)])
}

/// Histograms and spectra.
fn statistics(figure: &VariableFigures) -> Element {
    let (original, rounded) = &figure.histograms;
    let steps = |counts: &[u64]| chart::steps(counts, figure.histogram_range);
    let histogram = chart_of(
        figure,
        "histograms",
        ("value", Scale::Linear),
        ("values per bin", Scale::Log),
        pair(steps(original), steps(rounded)),
    );
    let power = |spectrum: &[f64]| -> Vec<(f64, f64)> {
        let point = |(place, &power): (usize, &f64)| ((place + 1) as f64, power);
        spectrum.iter().enumerate().map(point).collect()
    };
    let (original, rounded) = &figure.spectra;
    let spectrum = chart_of(
        figure,
        "power spectra",
        ("wavenumber along the last axis", Scale::Log),
        ("power", Scale::Log),
        pair(power(original), power(rounded)),
    );
    side_by_side([("distribution", histogram), ("power spectrum", spectrum)])
}

/// Original as a broad line, rounded as a dashed one over it: both are seen where they agree.
fn pair(original: Vec<(f64, f64)>, rounded: Vec<(f64, f64)>) -> Vec<Series> {
    let series = |name, colour, width, is_dashed, points| Series {
        name,
        colour,
        width,
        is_dashed,
        points,
    };
    vec![
        series("original", colour::ORIGINAL, 3.0, false, original),
        series("rounded", colour::ROUNDED, 1.8, true, rounded),
    ]
}

/// A chart whose axes hold all its points.
fn chart_of(
    figure: &VariableFigures,
    what: &str,
    (x_title, x_scale): (&'static str, Scale),
    (y_title, y_scale): (&'static str, Scale),
    series: Vec<Series>,
) -> Option<Chart> {
    let points = || series.iter().flat_map(|series| &series.points);
    if !points().any(|(x, y)| x.is_finite() && y.is_finite()) {
        return None;
    }
    Some(Chart {
        description: format!("{}: {what}, original and rounded", figure.path),
        x: Axis::over(x_title, x_scale, points().map(|point| point.0)),
        y: Axis::over(y_title, y_scale, points().map(|point| point.1)),
        series,
    })
}

fn side_by_side(charts: [(&str, Option<Chart>); 2]) -> Element {
    let drawn = charts.into_iter().map(|(title, chart)| {
        let part = Element::new("figure").child(Element::new("figcaption").text(title));
        match chart {
            Some(chart) => part.child(chart.draw()),
            None => part.child(Element::new("p").with("class", "note").text("no values")),
        }
    });
    Element::new("div").with("class", "charts").children(drawn)
}
