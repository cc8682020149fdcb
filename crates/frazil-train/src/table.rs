//! The table of measurements: one row for each variable, in CSV.

use std::path::Path;

use frazil::{Error, ErrorCode, Result, SampleShares};
use frazil_plan::{CandidateFilters, FEATURE_NAMES, Features, candidates};

/// Columns before the features.
const HEAD: [&str; 5] = ["dataset", "file", "variable", "element", "raw_bytes"];
/// What the column of a trial's share adds to the name of its candidate.
const TRIAL: &str = " trial";

/// One variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is left out with: files of one origin.
    pub dataset: String,
    /// Its file, relative to the folder.
    pub file: String,
    /// Absolute path in the file.
    pub variable: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// What its samples say.
    pub features: Features,
    /// What each candidate makes of it, in the order of [`frazil_plan::candidates`].
    pub shares: Vec<SampleShares>,
}

/// What every candidate makes of some variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// One row for each variable.
    pub rows: Vec<Row>,
}

/// Digits behind the point in a table.
const FEATURE_PLACES: usize = 5;
const SHARE_PLACES: usize = 4;

impl Row {
    /// As a table keeps it: what is learned from it is the same before and after writing.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let round = |value: f64, places| short(value, places).parse().unwrap_or(value);
        let features = self
            .features
            .values()
            .map(|value| round(value, FEATURE_PLACES));
        self.features = Features::from_values(features);
        for shares in &mut self.shares {
            shares.trial = round(shares.trial, SHARE_PLACES);
            shares.whole = round(shares.whole, SHARE_PLACES);
        }
        self
    }
}

impl Table {
    /// Reads a table that [`Table::write`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is no such table: it says which line and column.
    pub fn read(path: &Path) -> Result<Self> {
        let mut reader = csv::Reader::from_path(path).map_err(|error| from_csv(error, path))?;
        let header = reader.headers().map_err(|error| from_csv(error, path))?;
        let columns = Columns::find(header).map_err(|cause| refuse(cause).in_file(path))?;
        let mut rows = Vec::new();
        for (i, record) in reader.records().enumerate() {
            let record = record.map_err(|error| from_csv(error, path))?;
            let row = columns.row(&record).map_err(|column| {
                refuse(format!(
                    "line {}: {column:?} is no number that can be",
                    i + 2
                ))
                .in_file(path)
            })?;
            rows.push(row);
        }
        Ok(Self { rows })
    }

    /// The table as CSV, for [`Table::read`]: features in 5 digits behind the point, shares in 4.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names: Vec<&str> = candidates().iter().map(CandidateFilters::name).collect();
        let mut header: Vec<String> = HEAD
            .iter()
            .chain(&FEATURE_NAMES)
            .map(ToString::to_string)
            .collect();
        for name in names {
            header.push(format!("{name}{TRIAL}"));
            header.push(name.to_owned());
        }
        writer
            .write_record(&header)
            .map_err(|error| from_csv(error, path))?;
        for row in &self.rows {
            let mut record = vec![
                row.dataset.clone(),
                row.file.clone(),
                row.variable.clone(),
                row.element.clone(),
                row.raw_bytes.to_string(),
            ];
            record.extend(
                row.features
                    .values()
                    .iter()
                    .map(|value| short(*value, FEATURE_PLACES)),
            );
            for shares in &row.shares {
                record.push(short(shares.trial, SHARE_PLACES));
                record.push(short(shares.whole, SHARE_PLACES));
            }
            writer
                .write_record(&record)
                .map_err(|error| from_csv(error, path))?;
        }
        let failed = |cause: String| Error::new(ErrorCode::Internal, cause).in_file(path);
        let bytes = writer
            .into_inner()
            .map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
        frazil::write_text(path, &text)
    }

    /// Names of the datasets, each once, in the order of the rows.
    #[must_use]
    pub fn datasets(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !found.contains(&row.dataset.as_str()) {
                found.push(&row.dataset);
            }
        }
        found
    }
}

/// Without zeros at its end.
fn short(value: f64, places: usize) -> String {
    // A share is never 0: what shrinks below the last place keeps one there.
    let least = 0.1_f64.powi(places as i32);
    let value = if value > 0.0 { value.max(least) } else { value };
    let text = format!("{value:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn refuse(cause: String) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
        .with_cure("measure again: frazil train FOLDER --write-table FILE.csv")
}

fn from_csv(error: csv::Error, path: &Path) -> Error {
    let cause = format!("this is not a table of measurements: {error}");
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::io(&error, "read", path),
        _ => refuse(cause).in_file(path),
    }
}

/// Where each value is in a record.
struct Columns {
    head: Vec<usize>,
    features: Vec<usize>,
    /// Of each candidate: trial, whole.
    shares: Vec<(usize, usize)>,
    names: Vec<String>,
}

impl Columns {
    fn find(header: &csv::StringRecord) -> std::result::Result<Self, String> {
        let place = |name: &str| {
            let found = header.iter().position(|column| column == name);
            found.ok_or_else(|| format!("the table has no column {name:?}"))
        };
        let mut shares = Vec::new();
        for candidate in candidates() {
            let name = candidate.name();
            shares.push((place(&format!("{name}{TRIAL}"))?, place(name)?));
        }
        Ok(Self {
            head: HEAD
                .into_iter()
                .map(place)
                .collect::<std::result::Result<_, _>>()?,
            features: FEATURE_NAMES
                .into_iter()
                .map(place)
                .collect::<std::result::Result<_, _>>()?,
            shares,
            names: header.iter().map(str::to_owned).collect(),
        })
    }

    /// The row of a record, or the name of the column that has no good value.
    fn row(&self, record: &csv::StringRecord) -> std::result::Result<Row, &str> {
        let text = |place: usize| record.get(place).unwrap_or("");
        let number = |place: usize| {
            let value: Option<f64> = text(place).parse().ok();
            let value = value.filter(|value| value.is_finite());
            value.ok_or(self.names[place].as_str())
        };
        let share = |place: usize| {
            let value = number(place)?;
            if value > 0.0 {
                Ok(value)
            } else {
                Err(self.names[place].as_str())
            }
        };
        let mut features = [0.0; FEATURE_NAMES.len()];
        for (value, &place) in features.iter_mut().zip(&self.features) {
            *value = number(place)?;
        }
        let mut shares = Vec::with_capacity(self.shares.len());
        for &(trial, whole) in &self.shares {
            shares.push(SampleShares {
                trial: share(trial)?,
                whole: share(whole)?,
            });
        }
        let head = |i: usize| text(self.head[i]).to_owned();
        Ok(Row {
            dataset: head(0),
            file: head(1),
            variable: head(2),
            element: head(3),
            raw_bytes: text(self.head[4]).parse().map_err(|_| HEAD[4])?,
            features: Features::from_values(features),
            shares,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_survives_its_text() {
        let shares = |i: usize| SampleShares {
            trial: 0.5,
            whole: (i + 1) as f64 / 128.0,
        };
        let row = Row {
            dataset: "ocean, deep".into(),
            file: "a.nc".into(),
            variable: "/\"t\"".into(),
            element: "float32".into(),
            raw_bytes: 1 << 40,
            features: Features::from_values([0.25; FEATURE_NAMES.len()]),
            shares: (0..candidates().len()).map(shares).collect(),
        };
        let table = Table { rows: vec![row] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        table.write(&path).unwrap();
        let again = Table::read(&path).unwrap();
        let (left, right) = (&again.rows[0], &table.rows[0]);
        assert_eq!(left.dataset, right.dataset);
        assert_eq!(left.variable, right.variable);
        assert_eq!(left.features, right.features);
        for (left, right) in left.shares.iter().zip(&right.shares) {
            assert!((left.whole - right.whole).abs() < 1e-4);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("raw_bytes", "size")).unwrap();
        let error = Table::read(&path).unwrap_err();
        assert!(error.cause.contains("raw_bytes"), "{}", error.cause);
        std::fs::write(&path, text.replace("0.25", "much")).unwrap();
        let error = Table::read(&path).unwrap_err();
        assert!(error.cause.contains("line 2"), "{}", error.cause);
    }
}
