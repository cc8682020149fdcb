//! Plain-text tables that fit the screen and need no colour.
//!
//! Where a table is too wide, notes take more lines first. Then words lose their middle, chains of
//! filters take more lines, and extents lose their middle. Then columns that tell least are left out, and at last
//! words and extents become as short as they can.

use crate::abbreviations::Abbreviations;
use crate::text;

/// Space between two columns.
const GAP: &str = "  ";
/// What a shrinking column keeps, in screen columns, as long as columns can be left out.
const EASY_WIDTH: usize = 12;
/// What it keeps when none can be.
const LEAST_WIDTH: usize = 6;
/// A column that takes more lines keeps its longest part whole, up to this width.
const MOST_OF_PART: usize = 24;

/// Which side of a column its cells lean on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// When a column gives room to a table that is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shrinks {
    First,
    /// Its cells take more lines, which end behind this character.
    Wraps(char),
    Last,
    Never,
}

/// One column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: String,
    side: Side,
    shrinks: Shrinks,
    is_optional: bool,
}

impl Column {
    /// Words, left-aligned; shortened in the middle where the table is too wide.
    pub(crate) fn words(title: &str) -> Self {
        Self {
            title: title.into(),
            side: Side::Left,
            shrinks: Shrinks::First,
            is_optional: false,
        }
    }

    /// Filters, `shuffle+deflate(1)`: where the table is too wide, they take more lines.
    pub(crate) fn chain(title: &str) -> Self {
        Self {
            shrinks: Shrinks::Wraps('+'),
            ..Self::words(title)
        }
    }

    /// Sentences, which take more lines where the table is too wide.
    pub(crate) fn prose(title: &str) -> Self {
        Self {
            shrinks: Shrinks::Wraps(' '),
            ..Self::words(title)
        }
    }

    /// Numbers, right-aligned and never shortened.
    pub(crate) fn number(title: &str) -> Self {
        Self {
            title: title.into(),
            side: Side::Right,
            shrinks: Shrinks::Never,
            is_optional: false,
        }
    }

    /// Extents, right-aligned; shortened only where shortening the words is not enough.
    pub(crate) fn extents(title: &str) -> Self {
        Self {
            side: Side::Right,
            shrinks: Shrinks::Last,
            ..Self::words(title)
        }
    }

    /// Behind which character lines of its cells end.
    fn break_behind(&self) -> Option<char> {
        match self.shrinks {
            Shrinks::Wraps(end) => Some(end),
            _ => None,
        }
    }

    /// The same column, left out where the table is too wide: the last such column first.
    pub(crate) fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }
}

/// Rows of cells under titles, with an optional last row of totals.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    totals: Option<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(mut columns: Vec<Column>) -> Self {
        for column in &mut columns {
            column.title = text::plain(&column.title).into_owned();
        }
        Self {
            columns,
            rows: Vec::new(),
            totals: None,
        }
    }

    /// Adds a row; control characters in its cells are made harmless.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(harmless(cells));
    }

    /// Sets the row below the last line.
    pub(crate) fn totals(&mut self, cells: Vec<String>) {
        self.totals = Some(harmless(cells));
    }

    /// The table as lines of at most `limit` columns (more only if its numbers alone need more).
    pub(crate) fn render(&self, limit: usize) -> String {
        let places = self.layout(limit);
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.clone()).collect();
        let mut rule = vec![String::new(); self.columns.len()];
        for &(at, width) in &places {
            rule[at] = "-".repeat(width);
        }
        let mut text = String::new();
        self.line(&mut text, &titles, &places);
        self.line(&mut text, &rule, &places);
        for row in self.abbreviated(&places) {
            for line in self.wrapped(row, &places) {
                self.line(&mut text, &line, &places);
            }
        }
        if let Some(totals) = &self.totals {
            self.line(&mut text, &rule, &places);
            self.line(&mut text, totals, &places);
        }
        text
    }

    /// The rows, with words that fit their columns and differ where the words do.
    fn abbreviated(&self, places: &[(usize, usize)]) -> Vec<Vec<String>> {
        let mut rows = self.rows.clone();
        let words = |&&(at, _): &&(usize, usize)| self.columns[at].break_behind().is_none();
        for &(at, width) in places.iter().filter(words) {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let short = Abbreviations::of(cells.map(String::as_str), width);
            for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)) {
                *cell = short.form(cell).to_owned();
            }
        }
        rows
    }

    /// The lines of a row: one, unless a cell takes more.
    fn wrapped(&self, row: Vec<String>, places: &[(usize, usize)]) -> Vec<Vec<String>> {
        let mut lines = vec![row];
        for &(at, width) in places {
            let Some(end) = self.columns[at].break_behind() else {
                continue;
            };
            let cell = lines[0].get(at).map(|cell| broken(cell, end, width));
            for (number, part) in cell.into_iter().flatten().enumerate() {
                if number == lines.len() {
                    lines.push(vec![String::new(); self.columns.len()]);
                }
                lines[number][at] = part;
            }
        }
        lines
    }

    /// The columns that are shown, with their widths.
    fn layout(&self, limit: usize) -> Vec<(usize, usize)> {
        let rows = || self.rows.iter().chain(&self.totals);
        let mut places: Vec<(usize, usize)> = (0..self.columns.len())
            .map(|column| {
                let cells = rows().filter_map(|row| row.get(column));
                let width = cells
                    .map(|cell| text::columns(cell))
                    .chain([text::columns(&self.columns[column].title)])
                    .max();
                (column, width.unwrap_or(0))
            })
            .collect();
        loop {
            let mut shrunk = places.clone();
            if self.shrink(&mut shrunk, limit, EASY_WIDTH) {
                return shrunk;
            }
            let optional = |&(at, _): &(usize, usize)| self.columns[at].is_optional;
            let Some(last) = places.iter().rposition(optional) else {
                self.shrink(&mut shrunk, limit, LEAST_WIDTH);
                return shrunk;
            };
            places.remove(last);
        }
    }

    /// Makes the widest columns narrower, down to `least`; whether that is enough.
    fn shrink(&self, places: &mut [(usize, usize)], limit: usize, least: usize) -> bool {
        let gaps = GAP.len() * places.len().saturating_sub(1);
        let floors: Vec<usize> = (places.iter())
            .map(|&(at, _)| self.floor(at).max(least))
            .collect();
        while places.iter().map(|&(_, width)| width).sum::<usize>() + gaps > limit {
            let widest = |is_turn: fn(Shrinks) -> bool| {
                (0..places.len())
                    .filter(|&place| {
                        let (at, width) = places[place];
                        is_turn(self.columns[at].shrinks) && width > floors[place]
                    })
                    .max_by_key(|&place| places[place].1)
            };
            let widest = widest(|it| it == Shrinks::Wraps(' '))
                .or_else(|| widest(|it| it == Shrinks::First))
                .or_else(|| widest(|it| matches!(it, Shrinks::Wraps(_))))
                .or_else(|| widest(|it| it == Shrinks::Last));
            let Some(widest) = widest else { return false };
            places[widest].1 -= 1;
        }
        true
    }

    /// Columns that a column needs where its cells take more lines.
    fn floor(&self, at: usize) -> usize {
        let Some(end) = self.columns[at].break_behind() else {
            return 0;
        };
        let cells = self.rows.iter().filter_map(|row| row.get(at));
        let parts = cells.flat_map(|cell| cell.split_inclusive(end));
        let longest = parts.map(|part| text::columns(part.trim_end())).max();
        longest.unwrap_or(0).min(MOST_OF_PART)
    }

    fn line(&self, text: &mut String, cells: &[String], places: &[(usize, usize)]) {
        let start = text.len();
        for &(at, width) in places {
            let Some(cell) = cells.get(at) else { continue };
            if text.len() > start {
                text.push_str(GAP);
            }
            let cell = text::shorten(cell, width);
            let padding = " ".repeat(width - text::columns(&cell));
            match self.columns[at].side {
                Side::Left => text.extend([cell.as_ref(), &padding]),
                Side::Right => text.extend([padding.as_str(), &cell]),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
}

/// The parts of a cell as lines that fit, as far as one part does.
fn broken(cell: &str, end: char, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in cell.split_inclusive(end) {
        let line = lines.last_mut().filter(|line| {
            line.is_empty() || text::columns(line) + text::columns(part.trim_end()) <= width
        });
        match line {
            Some(line) => line.push_str(part),
            None => lines.push(part.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn harmless(cells: Vec<String>) -> Vec<String> {
    let harmless = |cell: String| text::plain(&cell).into_owned();
    cells.into_iter().map(harmless).collect()
}

/// More items than this are not all shown.
const SHOWN_ALL: usize = 40;
/// How many are shown of more.
const SHOWN_OF_MORE: usize = 30;

/// The items to show, in their order, and how many are left out: of more than 40 only the 30 with
/// the most bytes are shown, unless `all`.
pub(crate) fn shown<T>(items: &[T], all: bool, bytes: impl Fn(&T) -> u64) -> (Vec<&T>, usize) {
    if all || items.len() <= SHOWN_ALL {
        return (items.iter().collect(), 0);
    }
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by_key(|&place| std::cmp::Reverse(bytes(&items[place])));
    places.truncate(SHOWN_OF_MORE);
    places.sort_unstable();
    let largest = places.iter().map(|&place| &items[place]).collect();
    (largest, items.len() - SHOWN_OF_MORE)
}

/// The line under a table that leaves variables out; nothing where none is left out.
pub(crate) fn left_out(variables: usize) -> String {
    if variables == 0 {
        return String::new();
    }
    let variables = text::count(variables as u64, "more variable");
    format!("... and {variables} (--json or --all-variables shows all)\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(cells: &[&str]) -> Vec<String> {
        cells.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(vec![Column::words("variable"), Column::number("raw")]);
        table.row(cells(&["/tas", "3.4 MiB"]));
        table.row(cells(&["/time_bounds", "96 B"]));
        table.totals(cells(&["total", "3.4 MiB"]));
        let expected = "\
variable          raw
------------  -------
/tas          3.4 MiB
/time_bounds     96 B
------------  -------
total         3.4 MiB
";
        assert_eq!(table.render(100), expected);
    }

    #[test]
    fn a_wide_table_loses_the_middle_of_its_words_not_of_its_numbers() {
        let mut table = Table::new(vec![
            Column::words("variable"),
            Column::extents("shape"),
            Column::number("raw"),
        ]);
        table.row(cells(&[
            "/model/ocean/a_very_long_name",
            "365x75x1080x1440",
            "158.4 GiB",
        ]));
        let expected = "\
variable                shape        raw
------------  ---------------  ---------
/mode…g_name  365x75x…80x1440  158.4 GiB
";
        let text = table.render(40);
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| text::columns(line) <= 40));
    }

    #[test]
    fn a_narrow_screen_leaves_out_what_tells_least() {
        let mut table = Table::new(vec![
            Column::words("variable"),
            Column::words("type").optional(),
            Column::number("chunks").optional(),
            Column::number("raw"),
        ]);
        table.row(cells(&["/ocean/temperature", "float32", "64", "158.4 GiB"]));
        let first = |limit| table.render(limit).lines().next().unwrap_or("").to_owned();
        assert_eq!(
            first(usize::MAX),
            "variable            type     chunks        raw"
        );
        assert_eq!(first(38), "variable            type           raw");
        assert_eq!(first(23), "variable            raw");
        for limit in 20..60 {
            let text = table.render(limit);
            assert!(
                text.lines().all(|line| text::columns(line) <= limit),
                "{text}"
            );
        }
    }

    #[test]
    fn names_of_filters_stay_whole() {
        let mut table = Table::new(vec![
            Column::words("variable"),
            Column::chain("filters"),
            Column::number("raw"),
        ]);
        table.row(cells(&[
            "/ocean/sea_surface_temperature",
            "bitround(7)+shuffle+deflate(1)",
            "158.4 GiB",
        ]));
        table.row(cells(&["/time", "deflate(1)", "96 B"]));
        let expected = "\
variable      filters                     raw
------------  --------------------  ---------
/ocea…rature  bitround(7)+shuffle+  158.4 GiB
              deflate(1)
/time         deflate(1)                 96 B
";
        assert_eq!(table.render(45), expected);
        for limit in 36..80 {
            let text = table.render(limit);
            for part in ["bitround(7)", "shuffle", "deflate(1)"] {
                assert!(text.contains(part), "{text}");
            }
            assert!(text.lines().all(|line| text::columns(line) <= limit));
        }
    }

    #[test]
    fn notes_take_more_lines() {
        let mut table = Table::new(vec![Column::words("name"), Column::prose("note")]);
        table.row(cells(&["zstd", "readers need a plugin for it"]));
        let expected = "\
name  note
----  ---------------
zstd  readers need a
      plugin for it
";
        assert_eq!(table.render(21), expected);
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let mut table = Table::new(vec![Column::words("variable")]);
        table.row(cells(&["\u{1b}]0;title\u{7}"]));
        assert!(!table.render(100).contains('\u{1b}'));
    }

    #[test]
    fn only_the_largest_of_many_are_shown_in_file_order() {
        let sizes: Vec<u64> = (0..41).collect();
        let (largest, hidden) = shown(&sizes, false, |&bytes| bytes);
        let expected: Vec<u64> = (11..41).collect();
        assert_eq!(largest.into_iter().copied().collect::<Vec<_>>(), expected);
        assert_eq!(hidden, 11);
        assert_eq!(shown(&sizes, true, |&bytes| bytes).1, 0);
        assert_eq!(shown(&sizes[..40], false, |&bytes| bytes).1, 0);
        assert_eq!(left_out(0), "");
        assert!(left_out(11).starts_with("... and 11 more variables"));
    }
}
