//! A plan with its grounds, variable by variable.

use std::fmt::Write as _;

use frazil::{ChunkCandidate, FilterCandidate, PlanReport, VariableDecision};

use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};
use frazil::size::human;

/// What the mark before a ratio means.
const GIVEN_UP: &str =
    "~ Given up after a part of the samples, whose ratio does not compare with that of all.";

/// All variables that are shown, the largest if there are many.
pub(super) fn of(report: &PlanReport, all_variables: bool) -> String {
    let path = text::path(&report.input);
    let mut page = format!("{}\n", text::shorten(&path, screen_columns()));
    let (shown, hidden) = table::shown(&report.variables, all_variables, |variable| {
        variable.raw_bytes
    });
    for variable in shown {
        page.push('\n');
        page.push_str(&one(variable));
    }
    page.push_str(&table::left_out(hidden));
    let count = text::count(report.variables.len() as u64, "variable");
    // Writing to a String cannot fail.
    let _ = writeln!(page, "\n{count}, planned in {:.2} s", report.seconds);
    page
}

fn one(variable: &VariableDecision) -> String {
    let mut page = String::new();
    let heading = format!(
        "{}  {}  {}  {}",
        variable.path,
        variable.element,
        axes(variable),
        human(variable.raw_bytes)
    );
    let _ = writeln!(page, "{}", text::plain(&heading));
    let chunks = match &variable.chunk {
        None => "contiguous".to_owned(),
        Some(chunk) => format!("chunks {}", text::shape(chunk)),
    };
    let filters = match variable.filters.as_str() {
        "" | "none" => "no filters",
        filters => filters,
    };
    let ratio = text::ratio(variable.raw_bytes, variable.predicted_bytes);
    let filters = text::plain(filters);
    let _ = write!(page, "  {chunks}, {filters}, ratio {ratio}");
    if let Some(cache) = variable.cache {
        let (bytes, slots) = (human(cache.bytes), cache.slots);
        let _ = write!(page, "; readers' chunk cache {bytes}, {slots} slots");
    }
    page.push('\n');
    let reason = text::plain(&variable.reason);
    page.push_str(&text::wrapped(&reason, "  ", screen_columns()));
    if let [first, ..] = variable.chunk_candidates.as_slice() {
        let table = shapes(&variable.chunk_candidates, first).render(screen_columns() - 2);
        page.push_str(&indented(&table));
    }
    if !variable.filter_candidates.is_empty() {
        page.push_str(&indented(
            &filters_of(&variable.filter_candidates).render(screen_columns() - 2),
        ));
        if variable.filter_candidates.iter().any(is_given_up) {
            page.push_str(&text::wrapped(GIVEN_UP, "  ", screen_columns()));
        }
    }
    page
}

fn indented(table: &str) -> String {
    table.lines().map(|line| format!("  {line}\n")).collect()
}

/// `time 1560 x lat 128 x lon 256`; what an axis is stands behind its name where they differ.
fn axes(variable: &VariableDecision) -> String {
    if variable.shape.is_empty() {
        return "scalar".into();
    }
    let axes = variable.shape.iter().enumerate().map(|(axis, length)| {
        let role = variable.axes.get(axis).map_or("other", String::as_str);
        match variable.dimensions.get(axis).map(String::as_str) {
            None | Some("") => format!("{length} ({role})"),
            Some(name) if name == role || role == "other" => format!("{name} {length}"),
            Some(name) => format!("{name} ({role}) {length}"),
        }
    });
    axes.collect::<Vec<_>>().join(" x ")
}

fn shapes(candidates: &[ChunkCandidate], first: &ChunkCandidate) -> Table {
    let mut columns = vec![
        Column::words("chunk shape"),
        Column::extents("elements"),
        Column::number("size"),
    ];
    let are_tried = candidates.iter().any(|one| one.quick_ratio.is_some());
    if are_tried {
        columns.push(Column::number("quick ratio"));
    }
    for read in &first.reads {
        columns.push(Column::number(&format!("{}: ms", read.read)));
        columns.push(Column::number("chunks").optional());
        columns.push(Column::number("x best").optional());
    }
    let mut table = Table::new(columns);
    for candidate in candidates {
        let mut cells = vec![
            candidate.name.clone(),
            text::shape(&candidate.chunk),
            human(candidate.chunk_bytes),
        ];
        if are_tried {
            let ratio = candidate.quick_ratio;
            cells.push(ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")));
        }
        for read in &candidate.reads {
            cells.push(milliseconds(read.seconds));
            cells.push(format!("{:.0}", read.chunks));
            cells.push(format!("{:.2}", read.times_best));
        }
        table.row(cells);
    }
    table
}

/// Three digits.
fn milliseconds(seconds: f64) -> String {
    let value = seconds * 1e3;
    let places = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.places$}")
}

/// What is shown of filters beside their ratio, where a calibration has measured them.
type Measured = (&'static str, fn(&FilterCandidate) -> Option<String>);

const MEASURED: [Measured; 3] = [
    ("write MB/s", |one| {
        one.speed
            .map(|speed| megabytes(speed.encode_bytes_per_second))
    }),
    ("read MB/s", |one| {
        one.speed
            .map(|speed| megabytes(speed.decode_bytes_per_second))
    }),
    ("write J/GB", |one| {
        one.joules_per_gb.map(|joules| format!("{joules:.1}"))
    }),
];

/// Whether the ratio is that of a part of the samples.
fn is_given_up(candidate: &FilterCandidate) -> bool {
    candidate.range.is_none()
}

fn megabytes(bytes: f64) -> String {
    format!("{:.0}", bytes / 1e6)
}

/// The filters tried; without columns for what no calibration has measured.
fn filters_of(candidates: &[FilterCandidate]) -> Table {
    let none = || "-".to_owned();
    let is_known = |(_, cell): &&Measured| candidates.iter().any(|one| cell(one).is_some());
    let measured: Vec<&Measured> = MEASURED.iter().filter(is_known).collect();
    let mut columns = vec![
        Column::chain("filters tried"),
        Column::number("ratio"),
        Column::number("90 % range").optional(),
    ];
    let more = measured.iter().map(|(title, _)| Column::number(title));
    columns.extend(more.map(Column::optional));
    let mut table = Table::new(columns);
    for candidate in candidates {
        let mark = if is_given_up(candidate) { "~" } else { "" };
        let mut cells = vec![
            candidate.filters.clone(),
            format!("{mark}{:.3}", candidate.ratio),
            candidate.range.map_or_else(none, range_of),
        ];
        let more = measured.iter();
        cells.extend(more.map(|(_, cell)| cell(candidate).unwrap_or_else(none)));
        table.row(cells);
    }
    table
}

/// From the least ratio to the most, if there is a most.
fn range_of([least, most]: [f64; 2]) -> String {
    match most.is_finite() {
        true => format!("{least:.3} to {most:.3}"),
        false => format!("{least:.3} and more"),
    }
}

#[cfg(test)]
mod tests {
    use frazil::ReadCandidate;

    use super::*;

    #[test]
    fn a_decision_shows_its_grounds() {
        let variable = VariableDecision {
            path: "/pr".to_owned(),
            element: "float32".to_owned(),
            dimensions: ["time", "y"].map(str::to_owned).to_vec(),
            axes: ["time", "lat"].map(str::to_owned).to_vec(),
            shape: vec![100, 50],
            raw_bytes: 20_000,
            chunk: Some(vec![10, 50]),
            filters: "deflate(1)".to_owned(),
            predicted_bytes: 10_000,
            reason: "because".to_owned(),
            chunk_candidates: vec![ChunkCandidate {
                name: "chosen".to_owned(),
                chunk: vec![10, 50],
                quick_ratio: None,
                chunk_bytes: 2000,
                reads: vec![ReadCandidate {
                    read: "series".to_owned(),
                    chunks: 10.0,
                    bytes: 20_000.0,
                    seconds: 0.00123,
                    times_best: 1.5,
                }],
            }],
            filter_candidates: vec![candidate("deflate(1)", Some([1.5, 2.5]))],
            ..VariableDecision::default()
        };
        let page = one(&variable);
        for part in [
            "/pr  float32  time 100 x y (lat) 50  19.5 KiB",
            "chunks 10x50, deflate(1), ratio 2.00",
            "  because",
            "series: ms",
            "1.23",
            "1.50",
            "2.000  1.500 to 2.500",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    fn candidate(filters: &str, range: Option<[f64; 2]>) -> FilterCandidate {
        FilterCandidate {
            filters: filters.to_owned(),
            ratio: 2.0,
            range,
            speed: None,
            joules_per_gb: None,
        }
    }

    #[test]
    fn what_was_given_up_does_not_look_comparable() {
        let mut variable = VariableDecision {
            filter_candidates: vec![candidate("deflate(1)", Some([1.5, 2.5]))],
            ..VariableDecision::default()
        };
        assert!(!one(&variable).contains('~'));
        variable
            .filter_candidates
            .push(candidate("deflate(4)", None));
        let page = one(&variable);
        assert!(
            page.contains("~2.000") && page.contains("~ Given up"),
            "{page}"
        );
    }

    #[test]
    fn columns_are_shown_where_something_was_measured() {
        let mut candidates = vec![candidate("deflate(1)", None), candidate("deflate(4)", None)];
        let has_speeds = |candidates: &[FilterCandidate]| {
            let page = filters_of(candidates).render(80);
            assert_eq!(page.contains("read MB/s"), page.contains("write MB/s"));
            page.contains("write MB/s")
        };
        assert!(!has_speeds(&candidates));
        candidates[1].speed = Some(frazil::CodecSpeed {
            encode_bytes_per_second: 1e8,
            decode_bytes_per_second: 1e9,
        });
        assert!(has_speeds(&candidates));
    }

    #[test]
    fn milliseconds_have_three_digits() {
        let shown = [0.000_45, 0.0123, 0.5].map(milliseconds);
        assert_eq!(shown, ["0.450", "12.3", "500"]);
    }
}
