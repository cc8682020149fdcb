//! Line charts and step charts with axes, as SVG.

use crate::markup::{Element, px};
use crate::number;

/// Size of a chart.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
/// Margins around the plotting area: left, top, right, bottom.
const MARGINS: [f64; 4] = [58.0, 14.0, 14.0, 62.0];
const INK: &str = "#1a1a1a";
const QUIET: &str = "#5f6368";
const GRID: &str = "#e3e5e8";

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Values up to zero stand at the lower end.
    Log,
}

/// One axis.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    title: &'static str,
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis that holds all `values`; those that are not finite are left out, and on a
    /// logarithmic axis those that are not above zero.
    pub(crate) fn over(
        title: &'static str,
        scale: Scale,
        values: impl IntoIterator<Item = f64>,
    ) -> Self {
        let fits = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
        let (low, high) = values
            .into_iter()
            .filter(fits)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let (low, high) = match (low <= high, scale) {
            (false, _) => (0.1, 1.0),
            (true, Scale::Log) => (low * 0.8, high * 1.25),
            (true, Scale::Linear) if low < high => (low, high),
            (true, Scale::Linear) => around(low),
        };
        Self {
            title,
            scale,
            low,
            high,
        }
    }

    /// The place of a value, 0 at the lower end, 1 at the upper; brought in between.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => 0.0,
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        share.clamp(0.0, 1.0)
    }

    /// About so many round values along it.
    pub(crate) fn ticks(&self, wanted: u32) -> Vec<f64> {
        let powers = || number::log_ticks(self.low, self.high, wanted);
        match self.scale {
            Scale::Log if powers().len() >= 2 => powers(),
            Scale::Log | Scale::Linear => number::ticks(self.low, self.high, wanted),
        }
    }
}

/// A range around one value.
fn around(value: f64) -> (f64, f64) {
    let margin = (value.abs() * 0.05).max(f64::MIN_POSITIVE);
    match value == 0.0 {
        true => (-1.0, 1.0),
        false => (value - margin, value + margin),
    }
}

/// One line of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) name: &'static str,
    pub(crate) colour: &'static str,
    /// Line width in pixels.
    pub(crate) width: f64,
    /// Dashed, so that a line below it is seen between its dashes.
    pub(crate) is_dashed: bool,
    /// Points from left to right; NaN breaks the line.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Series {
    /// A line in the way of the series: those of the legend are drawn as those of the chart.
    fn drawn(&self, line: Element) -> Element {
        let line = line.with("stroke-width", self.width);
        match self.is_dashed {
            true => line.with("stroke-dasharray", "5 4"),
            false => line,
        }
    }
}

/// A chart.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// What it shows, for those who cannot see it.
    pub(crate) description: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

impl Chart {
    /// The chart as an `svg` element.
    pub(crate) fn draw(&self) -> Element {
        let mut svg = Element::new("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
            .with("preserveAspectRatio", "xMinYMid")
            .with("role", "img")
            .with("aria-label", &self.description)
            .with("font-size", 11)
            .child(Element::new("title").text(&self.description))
            .children(self.grid());
        svg = svg.children(self.series.iter().map(|series| self.path(series)));
        svg.children(self.frame()).children(self.legend())
    }

    fn grid(&self) -> Vec<Element> {
        let [left, top, right, bottom] = edges();
        let mut parts = Vec::new();
        for tick in self.x.ticks(5) {
            let x = self.at(tick, self.y.low).0;
            parts.push(line((x, top), (x, bottom), GRID));
            parts.push(label((x, bottom + 15.0), "middle", number::short(tick)));
        }
        for tick in self.y.ticks(5) {
            let y = self.at(self.x.low, tick).1;
            parts.push(line((left, y), (right, y), GRID));
            parts.push(label((left - 6.0, y + 3.5), "end", number::short(tick)));
        }
        parts
    }

    fn frame(&self) -> Vec<Element> {
        let [left, top, right, bottom] = edges();
        let middle = (top + bottom) / 2.0;
        let turned = label((14.0, middle), "middle", self.y.title)
            .with("transform", format!("rotate(-90 14 {})", px(middle)));
        vec![
            line((left, bottom), (right, bottom), INK),
            line((left, top), (left, bottom), INK),
            label(
                ((left + right) / 2.0, bottom + 31.0),
                "middle",
                self.x.title,
            ),
            turned,
        ]
    }

    fn legend(&self) -> Vec<Element> {
        let [left, .., bottom] = edges();
        let mut parts = Vec::new();
        for (number, series) in self.series.iter().enumerate() {
            let x = left + 120.0 * number as f64;
            let y = bottom + 50.0;
            let sample = line((x, y - 4.0), (x + 22.0, y - 4.0), series.colour);
            parts.push(series.drawn(sample));
            parts.push(label((x + 28.0, y), "start", series.name));
        }
        parts
    }

    fn path(&self, series: &Series) -> Element {
        let mut path = String::new();
        let mut command = 'M';
        for &(x, y) in &series.points {
            if x.is_nan() || y.is_nan() {
                command = 'M';
                continue;
            }
            let (x, y) = self.at(x, y);
            path.push_str(&format!("{command}{} {}", px(x), px(y)));
            command = 'L';
        }
        let path = Element::new("path")
            .with("d", path)
            .with("fill", "none")
            .with("stroke", series.colour)
            .with("stroke-linejoin", "round");
        series.drawn(path)
    }

    /// Where a point stands in the drawing.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, top, right, bottom] = edges();
        (
            left + self.x.place(x) * (right - left),
            bottom - self.y.place(y) * (bottom - top),
        )
    }
}

/// Left, top, right and bottom edge of the plotting area.
fn edges() -> [f64; 4] {
    let [left, top, right, bottom] = MARGINS;
    [left, top, WIDTH - right, HEIGHT - bottom]
}

fn line(from: (f64, f64), to: (f64, f64), colour: &str) -> Element {
    Element::new("line")
        .with("x1", px(from.0))
        .with("y1", px(from.1))
        .with("x2", px(to.0))
        .with("y2", px(to.1))
        .with("stroke", colour)
}

fn label(at: (f64, f64), anchor: &str, words: impl std::fmt::Display) -> Element {
    Element::new("text")
        .with("x", px(at.0))
        .with("y", px(at.1))
        .with("text-anchor", anchor)
        .with("fill", QUIET)
        .text(words)
}

/// The outline of a histogram with equal bins from `low` to `high`.
pub(crate) fn steps(counts: &[u64], (low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let width = (high - low) / counts.len().max(1) as f64;
    let edge = |number: usize| low + width * number as f64;
    let tops = counts.iter().enumerate().flat_map(|(bin, &count)| {
        let count = count as f64;
        [(edge(bin), count), (edge(bin + 1), count)]
    });
    tops.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, scale: Scale) -> Chart {
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let series = Series {
            name: "original",
            colour: "#000000",
            width: 1.0,
            is_dashed: false,
            points,
        };
        Chart {
            description: "a <chart>".into(),
            x: Axis::over("x", scale, xs),
            y: Axis::over("y", scale, ys),
            series: vec![series],
        }
    }

    fn path(chart: &Chart) -> String {
        let svg = chart.draw().to_string();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let path = document
            .descendants()
            .find(|n| n.has_tag_name("path"))
            .unwrap();
        path.attribute("d").unwrap().to_owned()
    }

    #[test]
    fn a_line_runs_from_corner_to_corner() {
        let line = path(&chart(vec![(0.0, 10.0), (5.0, 20.0)], Scale::Linear));
        assert_eq!(line, "M58 188L446 14");
    }

    #[test]
    fn nan_breaks_a_line() {
        let points = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 1.0)];
        assert_eq!(path(&chart(points, Scale::Linear)).matches('M').count(), 2);
    }

    #[test]
    fn nothing_and_one_value_are_drawn_too() {
        for points in [vec![], vec![(1.0, 0.0)], vec![(f64::NAN, f64::INFINITY)]] {
            for scale in [Scale::Linear, Scale::Log] {
                let svg = chart(points.clone(), scale).draw().to_string();
                assert!(roxmltree::Document::parse(&svg).is_ok());
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn zero_stands_at_the_foot_of_a_logarithmic_axis() {
        let axis = Axis::over("y", Scale::Log, [0.0, 1.0, 100.0]);
        assert_eq!(axis.place(0.0), 0.0);
        assert!(axis.place(1.0) > 0.0 && axis.place(100.0) < 1.0);
    }

    #[test]
    fn a_histogram_has_flat_tops() {
        let expected = [(0.0, 3.0), (1.0, 3.0), (1.0, 0.0), (2.0, 0.0)];
        assert_eq!(steps(&[3, 0], (0.0, 2.0)), expected);
        assert!(steps(&[], (0.0, 1.0)).is_empty());
    }
}
