//! Plain-text tables that fit the screen and need no colour.

use crate::text;

/// Space between two columns.
const GAP: &str = "  ";
/// What a shrinking column keeps, in screen columns.
const LEAST_WIDTH: usize = 12;

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
    Last,
    Never,
}

/// One column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: String,
    side: Side,
    shrinks: Shrinks,
}

impl Column {
    /// Words, left-aligned; shortened in the middle where the table is too wide.
    pub(crate) fn words(title: &str) -> Self {
        Self {
            title: title.into(),
            side: Side::Left,
            shrinks: Shrinks::First,
        }
    }

    /// Numbers, right-aligned and never shortened.
    pub(crate) fn number(title: &str) -> Self {
        Self {
            title: title.into(),
            side: Side::Right,
            shrinks: Shrinks::Never,
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
        let widths = self.widths(limit);
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.clone()).collect();
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        let mut text = String::new();
        self.line(&mut text, &titles, &widths);
        self.line(&mut text, &rule, &widths);
        for row in &self.rows {
            self.line(&mut text, row, &widths);
        }
        if let Some(totals) = &self.totals {
            self.line(&mut text, &rule, &widths);
            self.line(&mut text, totals, &widths);
        }
        text
    }

    /// Width of each column: what its cells need, less what the screen does not have.
    fn widths(&self, limit: usize) -> Vec<usize> {
        let rows = || self.rows.iter().chain(&self.totals);
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = rows().filter_map(|row| row.get(column));
                cells
                    .map(|cell| text::columns(cell))
                    .chain([text::columns(&self.columns[column].title)])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > limit {
            let widest = |turn| {
                (0..widths.len())
                    .filter(|&at| self.columns[at].shrinks == turn && widths[at] > LEAST_WIDTH)
                    .max_by_key(|&at| widths[at])
            };
            let widest = widest(Shrinks::First).or_else(|| widest(Shrinks::Last));
            let Some(widest) = widest else { break };
            widths[widest] -= 1;
        }
        widths
    }

    fn line(&self, text: &mut String, cells: &[String], widths: &[usize]) {
        let start = text.len();
        for ((column, cell), &width) in self.columns.iter().zip(cells).zip(widths) {
            if text.len() > start {
                text.push_str(GAP);
            }
            let cell = text::shorten(cell, width);
            let padding = " ".repeat(width - text::columns(&cell));
            match column.side {
                Side::Left => text.extend([cell.as_ref(), &padding]),
                Side::Right => text.extend([padding.as_str(), &cell]),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
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
