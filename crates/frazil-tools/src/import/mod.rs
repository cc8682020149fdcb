//! `import`: delimited text to netCDF-4.
//!
//! The text is read twice: first to count and to find the types, then to store. Neither pass holds
//! more than a block of rows.

mod column;
mod header;
mod matrix;
mod records;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Instant;

use frazil_container::classic::{AttributeValue, ClassicAttribute};
use frazil_types::ErrorCode;
use serde::Serialize;

use crate::new_file::{Limits, Written, WrittenVariable};
use column::CellRules;
use frazil_file::error::{Error, Result, guarded};
use frazil_file::naming::Before;
use frazil_file::output;
use frazil_file::pending::PendingOutput;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;
use matrix::Grid;
use records::Records;
use table::Table;

/// Which columns become variables, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The first row names the columns.
    pub header: bool,
    /// This column is the coordinate variable of the rows, and names their dimension.
    pub coordinate: Option<String>,
    /// Columns that are left out.
    pub skip: Vec<String>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            header: true,
            coordinate: None,
            skip: Vec::new(),
        }
    }
}

/// A file that is one matrix, without a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// Rows and columns that the file must have; `None`: as it has.
    pub shape: Option<(u64, u64)>,
    /// Name of the variable.
    pub name: String,
}

/// What the rows of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportLayout {
    /// Columns of different quantities: one variable each.
    Table(Columns),
    /// One quantity: one variable of two dimensions.
    Matrix(Matrix),
}

/// How to import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// What the rows are.
    pub layout: ImportLayout,
    /// Character between two cells, ASCII.
    pub delimiter: u8,
    /// Texts that stand for missing values, beside empty cells.
    pub missing: Vec<String>,
    /// Store floating-point columns as `float32`.
    pub float32: bool,
    /// Replace an existing output file.
    pub overwrite: bool,
    /// Limits.
    pub resources: Resources,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            layout: ImportLayout::Table(Columns::default()),
            delimiter: b',',
            missing: Vec::new(),
            float32: false,
            overwrite: false,
            resources: Resources::default(),
        }
    }
}

/// What was imported.
#[derive(Debug, Clone, Serialize)]
pub struct ImportReport {
    /// The text file.
    #[serde(serialize_with = "frazil_file::wording::lossy")]
    pub input: PathBuf,
    /// The new file.
    #[serde(serialize_with = "frazil_file::wording::lossy")]
    pub output: PathBuf,
    /// Rows of the text, without the header.
    pub rows: u64,
    /// Columns of the text that were imported.
    pub columns: u64,
    /// Per variable, in file order.
    pub variables: Vec<WrittenVariable>,
    /// Size of the text file in bytes.
    pub input_file_bytes: u64,
    /// Sum of the variables' uncompressed bytes.
    pub raw_bytes: u64,
    /// Size of the new file in bytes.
    pub output_file_bytes: u64,
    /// Wall seconds.
    pub seconds: f64,
    /// Threads used for packing.
    pub threads: usize,
    /// What the user should know, one line each.
    pub notices: Vec<String>,
}

/// Writes the numbers of a delimited text file to a new netCDF-4 file.
///
/// Empty cells are missing values; lines that begin with `#` and blank lines are skipped.
///
/// # Errors
/// Names line and column of a cell that is no number and the line of a row of another length; no
/// output is left.
pub fn import(
    input: &Path,
    output: &Path,
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<ImportReport> {
    guarded(input, || {
        let start = Instant::now();
        let before = check(input, output, options)?;
        let pending = PendingOutput::create(output, before)?;
        let source = Source {
            input,
            output,
            options,
            file_bytes: file_bytes(input)?,
        };
        let imported =
            read_and_write(&source, pending, progress).map_err(|error| error.in_file(input))?;
        let Imported {
            rows,
            columns,
            written,
            mut notices,
        } = imported;
        notices.extend(written.notices);
        Ok(ImportReport {
            input: input.to_owned(),
            output: output.to_owned(),
            rows,
            columns,
            raw_bytes: written.variables.iter().map(|v| v.raw_bytes).sum(),
            variables: written.variables,
            input_file_bytes: source.file_bytes,
            output_file_bytes: written.file_bytes,
            seconds: start.elapsed().as_secs_f64(),
            threads: run::threads(&options.resources),
            notices,
        })
    })
}

/// What both passes gave.
struct Imported {
    rows: u64,
    columns: u64,
    written: Written,
    notices: Vec<String>,
}

fn read_and_write(
    source: &Source<'_>,
    pending: PendingOutput,
    progress: &mut dyn Progress,
) -> Result<Imported> {
    let options = source.options;
    let limits = Limits::new(&options.resources);
    let rules = CellRules::new(&options.missing, options.float32);
    progress.stage("read", source.file_bytes);
    match &options.layout {
        ImportLayout::Table(requests) => {
            let table = Table::survey(source, requests, &rules, progress)?;
            progress.stage("write", 0);
            let target = (pending, &limits);
            let written = table.write(source, requests.header, target, &rules, progress)?;
            Ok(Imported {
                rows: table.rows,
                columns: table.width() as u64,
                written,
                notices: table.notices,
            })
        }
        ImportLayout::Matrix(requests) => {
            let rules = rules.of_matrix();
            let grid = Grid::survey(source, requests, &rules, progress)?;
            progress.stage("write", 0);
            let written = grid.write(source, pending, &limits, &rules, progress)?;
            Ok(Imported {
                rows: grid.rows,
                columns: grid.columns,
                written,
                notices: Vec::new(),
            })
        }
    }
}

/// Checks what is asked for; says what lies at the output.
fn check(input: &Path, output: &Path, options: &ImportOptions) -> Result<Before> {
    let wrong = |cause: &str| Error::new(ErrorCode::InvalidArgument, cause);
    if !options.delimiter.is_ascii() || b"\"#\r\n\0".contains(&options.delimiter) {
        return Err(wrong("this character cannot be a delimiter").in_file(input));
    }
    if let ImportLayout::Matrix(matrix) = &options.layout
        && (matrix.name.is_empty() || matrix.name.contains(['/', '\0']))
    {
        return Err(wrong("a variable's name may not be empty or hold a slash").in_file(input));
    }
    let same = |a: std::io::Result<PathBuf>, b: std::io::Result<PathBuf>| matches!((a, b), (Ok(a), Ok(b)) if a == b);
    if same(input.canonicalize(), output.canonicalize()) {
        return Err(wrong("input and output are one file").in_file(input));
    }
    output::check_new(output, options.overwrite)
}

fn file_bytes(input: &Path) -> Result<u64> {
    let metadata = input
        .metadata()
        .map_err(|error| Error::io(&error, "open", input))?;
    Ok(metadata.len())
}

/// The text file and what it is to become.
struct Source<'a> {
    input: &'a Path,
    output: &'a Path,
    options: &'a ImportOptions,
    file_bytes: u64,
}

impl Source<'_> {
    fn records(&self) -> Result<Records> {
        Records::open(self.input, self.options.delimiter)
    }

    /// Looks at the user's request to stop now and then.
    fn check_cancel(&self, row: u64) -> Result<()> {
        match row.is_multiple_of(1024) {
            true => run::check_cancel(&self.options.resources),
            false => Ok(()),
        }
    }

    /// Tells how far reading is, now and then.
    fn advance(&self, records: &Records, position: &mut u64, progress: &mut dyn Progress) {
        const STEP_BYTES: u64 = 1 << 20;
        let now = records.position_bytes();
        if now >= *position + STEP_BYTES {
            progress.advance(now - *position);
            *position = now;
        }
    }

    fn empty(&self) -> Error {
        Error::new(ErrorCode::InvalidArgument, "holds no rows").in_file(self.input)
    }

    /// Attributes of the new file.
    fn attributes(&self) -> Vec<ClassicAttribute> {
        let name = self.input.file_name().unwrap_or(self.input.as_os_str());
        vec![
            text("Conventions", "CF-1.12"),
            text(
                "source",
                &format!("frazil import of {}", name.to_string_lossy()),
            ),
        ]
    }
}

/// A text attribute.
fn text(name: &str, value: &str) -> ClassicAttribute {
    ClassicAttribute {
        name: name.to_owned(),
        value: AttributeValue::Char(value.as_bytes().to_vec()),
    }
}
