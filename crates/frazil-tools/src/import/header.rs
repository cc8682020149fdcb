//! Names and units of columns, from a header row.

use frazil_types::ErrorCode;

use super::records::Row;
use frazil_file::error::{Error, Result};

/// What a header says about one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// As written, without the unit.
    pub(super) title: String,
    /// A valid netCDF name made of it.
    pub(super) name: String,
    /// Unit in brackets behind the title.
    pub(super) units: Option<String>,
}

/// Headings of a header row.
pub(super) fn headings(row: Row<'_>) -> Result<Vec<Heading>> {
    let mut headings: Vec<Heading> = Vec::with_capacity(row.width());
    let mut numbers = 0;
    for column in 0..row.width() {
        let text = row.cell(column)?;
        numbers += usize::from(text.parse::<f64>().is_ok());
        headings.push(heading(text, column));
    }
    if numbers == headings.len() {
        return Err(Error::new(
            ErrorCode::InvalidArgument,
            format!(
                "line {}: numbers where names of columns are expected",
                row.line()
            ),
        )
        .with_cure("add --no-header if the file has none, or --matrix for one 2-D variable"));
    }
    refuse_duplicates(&headings)?;
    Ok(headings)
}

/// Headings of a file without a header row.
pub(super) fn numbered(columns: usize) -> Vec<Heading> {
    (0..columns).map(|column| heading("", column)).collect()
}

fn heading(text: &str, column: usize) -> Heading {
    let (title, units) = split_units(text);
    let title = match title.is_empty() {
        true => format!("column_{}", column + 1),
        false => title.to_owned(),
    };
    Heading {
        name: valid_name(&title),
        units: units.map(str::to_owned),
        title,
    }
}

/// `name [unit]` or `name (unit)`, taken apart.
fn split_units(text: &str) -> (&str, Option<&str>) {
    let text = text.trim();
    for (open, close) in [('[', ']'), ('(', ')')] {
        let inner = text
            .strip_suffix(close)
            .and_then(|rest| rest.rsplit_once(open));
        if let Some((title, units)) = inner
            && !title.trim().is_empty()
        {
            return (title.trim(), Some(units.trim()));
        }
    }
    (text, None)
}

/// A name that netCDF takes and CF recommends: letters, digits and underscores, no digit first.
/// Letters of all scripts are kept.
fn valid_name(title: &str) -> String {
    let good = |c: char| match c.is_alphanumeric() || c == '_' {
        true => c,
        false => '_',
    };
    let mut name: String = title.chars().map(good).collect();
    if name.starts_with(|first: char| first.is_numeric()) {
        name.insert(0, '_');
    }
    name
}

fn refuse_duplicates(headings: &[Heading]) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for (column, heading) in headings.iter().enumerate() {
        if let Some(first) = seen.insert(&heading.name, column) {
            return Err(Error::new(
                ErrorCode::InvalidArgument,
                format!(
                    "columns {} and {} are both named `{}`",
                    first + 1,
                    column + 1,
                    heading.name
                ),
            )
            .with_cure("rename one of them in the header, or use --no-header on the rows alone"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_a_name_in_brackets() {
        assert_eq!(split_units("wind [m s-1]"), ("wind", Some("m s-1")));
        assert_eq!(split_units(" T (K) "), ("T", Some("K")));
        assert_eq!(
            split_units("flux(net) [W m-2]"),
            ("flux(net)", Some("W m-2"))
        );
        assert_eq!(split_units("plain"), ("plain", None));
        assert_eq!(split_units("[K]"), ("[K]", None));
    }

    #[test]
    fn names_are_made_valid() {
        assert_eq!(valid_name("wind speed/10m"), "wind_speed_10m");
        assert_eq!(valid_name("2t"), "_2t");
        assert_eq!(valid_name("größe"), "größe");
        assert_eq!(heading("", 4).name, "column_5");
    }
}
