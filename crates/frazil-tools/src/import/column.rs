//! What the cells of a column are: counted and measured in a first pass, stored in a second.

use std::collections::HashSet;

use frazil_container::classic::AttributeValue;
use frazil_types::ErrorCode;

use super::records::Row;
use crate::new_file::NumberType;
use frazil_file::error::{Error, Result};

/// One cell, understood.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Missing,
    Integer(i64),
    /// Written as an integer, but beyond 64 bits.
    HugeInteger(f64),
    Float(f64),
}

/// How cells are to be understood.
#[derive(Debug, Clone)]
pub(super) struct CellRules {
    missing: HashSet<String>,
    float32: bool,
    is_matrix: bool,
}

impl CellRules {
    /// Empty cells and the texts of `missing` stand for missing values; floating-point columns
    /// become `float32` if requested.
    pub(super) fn new(missing: &[String], float32: bool) -> Self {
        let missing = missing.iter().map(|text| text.trim().to_owned()).collect();
        Self {
            missing,
            float32,
            is_matrix: false,
        }
    }

    /// The same for the cells of a matrix, which has no columns with names.
    pub(super) fn of_matrix(self) -> Self {
        Self {
            is_matrix: true,
            ..self
        }
    }

    fn understand(&self, row: Row<'_>, column: usize, name: &str) -> Result<Cell> {
        let text = row.cell(column)?;
        if text.is_empty() || self.missing.contains(text) {
            return Ok(Cell::Missing);
        }
        if let Ok(integer) = text.parse() {
            return Ok(Cell::Integer(integer));
        }
        let Ok(float) = text.parse::<f64>() else {
            return Err(self.not_a_number(text, row, column, name));
        };
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let infinity_is_meant = digits.starts_with(['i', 'I']);
        let (number, is_infinite) = match self.float32 {
            true => (NumberType::Float32, (float as f32).is_infinite()),
            false => (NumberType::Float64, float.is_infinite()),
        };
        if is_infinite && !infinity_is_meant {
            return Err(out_of_range(text, row, column, name, number));
        }
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Cell::HugeInteger(float));
        }
        Ok(Cell::Float(float))
    }

    fn not_a_number(&self, text: &str, row: Row<'_>, column: usize, name: &str) -> Error {
        let shown = shortened(text);
        let missing = format!("if the text means a missing value, add --missing {shown:?}");
        let cure = match delimiter_within(text) {
            _ if text.contains(',') => "numbers need a decimal point, not a comma".to_owned(),
            Some(delimiter) => format!("it is several numbers: add --delimiter {delimiter}"),
            None if self.is_matrix => {
                format!("{missing}; if the first line has the names of columns, leave out --matrix")
            }
            None => format!("{missing}; to leave the column out, add --skip {name}"),
        };
        let cause = format!(
            "line {}, column {}: `{shown}` is not a number",
            row.line(),
            column + 1
        );
        let error = Error::new(ErrorCode::InvalidArgument, cause);
        error.at_variable(name).with_cure(cure)
    }
}

/// What separates the numbers in a cell, as `--delimiter` takes it, if it holds several.
fn delimiter_within(text: &str) -> Option<&'static str> {
    let are_numbers = |delimiter: &char| {
        let mut parts = text.split(*delimiter);
        text.contains(*delimiter) && parts.all(|part| part.trim().parse::<f64>().is_ok())
    };
    let named = [(';', "';'"), ('\t', "tab"), ('|', "'|'"), (' ', "' '")];
    let found = named
        .into_iter()
        .find(|(delimiter, _)| are_numbers(delimiter));
    found.map(|(_, name)| name)
}

/// What the first pass learns about a column.
#[derive(Debug, Clone)]
pub(super) struct Survey {
    /// Variable name, for errors.
    name: String,
    pub(super) values: u64,
    pub(super) missing: u64,
    all_integers: bool,
    integers: Option<(i64, i64)>,
    floats: Option<(f64, f64)>,
    /// Where an integer beyond 64 bits is: line and text.
    huge: Option<(u64, String)>,
    last: Option<f64>,
    rises: bool,
    falls: bool,
}

impl Survey {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            values: 0,
            missing: 0,
            all_integers: true,
            integers: None,
            floats: None,
            huge: None,
            last: None,
            rises: true,
            falls: true,
        }
    }

    /// Looks at one more cell.
    pub(super) fn add(&mut self, row: Row<'_>, column: usize, rules: &CellRules) -> Result<()> {
        let value = match rules.understand(row, column, &self.name)? {
            Cell::Missing => {
                self.missing += 1;
                return Ok(());
            }
            Cell::Integer(integer) => {
                let (least, largest) = self.integers.unwrap_or((integer, integer));
                self.integers = Some((least.min(integer), largest.max(integer)));
                integer as f64
            }
            Cell::HugeInteger(float) => {
                let text = row.cell(column)?;
                self.huge
                    .get_or_insert_with(|| (row.line(), text.to_owned()));
                float
            }
            Cell::Float(float) => {
                self.all_integers = false;
                float
            }
        };
        self.values += 1;
        if !value.is_nan() {
            let (least, largest) = self.floats.unwrap_or((value, value));
            self.floats = Some((least.min(value), largest.max(value)));
        }
        if let Some(last) = self.last.replace(value) {
            self.rises &= value > last;
            self.falls &= value < last;
        }
        Ok(())
    }

    /// Whether values only rise or only fall.
    pub(super) fn is_monotonic(&self) -> bool {
        self.rises || self.falls
    }

    /// The type and the fill value that hold everything seen.
    pub(super) fn conclude(&self, rules: &CellRules) -> Result<ColumnType> {
        let is_integer = self.all_integers && self.values > 0;
        match (&self.huge, self.integers) {
            (Some((line, text)), _) if is_integer => Err(Error::new(
                ErrorCode::InvalidArgument,
                format!("line {line}: `{text}` is out of the range of int64"),
            )
            .at_variable(&self.name)
            .with_cure("write it with a decimal point, so that the column becomes float64")),
            (None, Some((least, largest))) if is_integer => self.integer_type(least, largest),
            _ => Ok(self.float_type(rules)),
        }
    }

    fn integer_type(&self, least: i64, largest: i64) -> Result<ColumnType> {
        let within = |value: i64| (least..=largest).contains(&value);
        let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
        if within(low - 1) || within(high + 1) || least < low || largest > high {
            const DEFAULT: i64 = -9_223_372_036_854_775_806;
            let fill = [DEFAULT, i64::MIN, i64::MAX];
            return self.typed(NumberType::Int64, DEFAULT, &fill, within);
        }
        const DEFAULT: i64 = -2_147_483_647;
        let fill = [DEFAULT, low, high];
        match self.typed(NumberType::Int32, DEFAULT, &fill, within) {
            Ok(found) => Ok(found),
            // Values from end to end: the wider type has room for a fill value.
            Err(_) => self.typed(NumberType::Int64, i64::MIN, &[i64::MIN], within),
        }
    }

    /// An integer type with the first fill value that is no value.
    fn typed(
        &self,
        number: NumberType,
        default: i64,
        candidates: &[i64],
        within: impl Fn(i64) -> bool,
    ) -> Result<ColumnType> {
        let needs_fill = self.missing > 0 || within(default);
        let fill = candidates.iter().copied().find(|&value| !within(value));
        match (needs_fill, fill) {
            (false, _) => Ok(ColumnType::integer(number, None)),
            (true, Some(fill)) => Ok(ColumnType::integer(number, Some(fill))),
            (true, None) => Err(Error::new(
                ErrorCode::Unsupported,
                "the values use the whole range of the type, so none is left for missing cells",
            )
            .at_variable(&self.name)),
        }
    }

    fn float_type(&self, rules: &CellRules) -> ColumnType {
        let (number, default) = match rules.float32 {
            true => (NumberType::Float32, f64::from(9.969_21e36_f32)),
            false => (NumberType::Float64, 9.969_209_968_386_869e36),
        };
        let within = |value: f64| {
            self.floats
                .is_some_and(|(least, largest)| (least..=largest).contains(&value))
        };
        let needs_fill = self.missing > 0 || within(default);
        // Where values reach that far, NaN is left.
        let fill = match within(default) {
            true => f64::NAN,
            false => default,
        };
        ColumnType {
            number,
            fill: needs_fill.then_some(Fill::Float(fill)),
        }
    }
}

/// The value that stands for missing ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fill {
    Integer(i64),
    Float(f64),
}

/// How a column is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnType {
    pub(super) number: NumberType,
    /// `_FillValue`, where the column needs one.
    pub(super) fill: Option<Fill>,
}

impl ColumnType {
    fn integer(number: NumberType, fill: Option<i64>) -> Self {
        Self {
            number,
            fill: fill.map(Fill::Integer),
        }
    }

    /// Appends a cell as it is stored.
    pub(super) fn append(
        self,
        row: Row<'_>,
        (column, name): (usize, &str),
        rules: &CellRules,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let cell = match (rules.understand(row, column, name)?, self.fill) {
            (Cell::Missing, Some(Fill::Integer(fill))) => Cell::Integer(fill),
            (Cell::Missing, Some(Fill::Float(fill))) => Cell::Float(fill),
            (cell, _) => cell,
        };
        match (self.number, cell) {
            (NumberType::Int32, Cell::Integer(value)) => {
                let value = i32::try_from(value).map_err(|_| changed())?;
                bytes.extend(value.to_le_bytes());
            }
            (NumberType::Int64, Cell::Integer(value)) => bytes.extend(value.to_le_bytes()),
            (NumberType::Float32 | NumberType::Float64, Cell::Integer(value)) => {
                self.number.append(&[value as f64], bytes);
            }
            (
                NumberType::Float32 | NumberType::Float64,
                Cell::Float(value) | Cell::HugeInteger(value),
            ) => self.number.append(&[value], bytes),
            _ => return Err(changed()),
        }
        Ok(())
    }

    /// `_FillValue`, where the column needs one.
    pub(super) fn fill_attribute(self) -> Option<AttributeValue> {
        Some(match (self.number, self.fill?) {
            // Found within the type.
            (NumberType::Int32, Fill::Integer(fill)) => AttributeValue::Int(vec![fill as i32]),
            (_, Fill::Integer(fill)) => AttributeValue::Int64(vec![fill]),
            (number, Fill::Float(fill)) => number.attribute(fill),
        })
    }
}

/// The second pass sees other cells than the first.
pub(super) fn changed() -> Error {
    Error::new(ErrorCode::FileChanged, "changed while it was being read")
        .with_cure("import it again when no program writes to it")
}

fn out_of_range(text: &str, row: Row<'_>, column: usize, name: &str, number: NumberType) -> Error {
    Error::new(
        ErrorCode::InvalidArgument,
        format!(
            "line {}, column {}: `{}` is out of the range of {}",
            row.line(),
            column + 1,
            shortened(text),
            number.name()
        ),
    )
    .at_variable(name)
}

/// The begin of a text, enough to find it again.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
