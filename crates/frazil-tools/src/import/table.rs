//! A table: every column becomes a variable over the rows.

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable,
};
use frazil_plan::{Goal, sample_plan};
use frazil_types::ErrorCode;

use super::column::{CellRules, ColumnType, Survey, changed};
use super::header::{Heading, headings, numbered};
use super::records::{Records, Row};
use super::{Columns, Source, text};
use crate::new_file::{Layout, Limits, NewFile, NumberType, Tile, Written, chunk_shape};
use frazil_file::error::{Error, Result};
use frazil_file::pending::PendingOutput;
use frazil_file::progress::Progress;
use frazil_file::resources::not_enough_memory;

/// Name of the dimension where no column is its coordinate.
const ROWS: &str = "row";

/// Fewer rows per chunk than this would cost more than they hold.
const LEAST_CHUNK_ROWS: u64 = 64;

/// A table after the first pass.
pub(super) struct Table {
    columns: Vec<Column>,
    pub(super) rows: u64,
    dimension: String,
    pub(super) notices: Vec<String>,
}

/// One column that becomes a variable.
struct Column {
    /// Position in the file.
    position: usize,
    heading: Heading,
    kind: ColumnType,
}

impl Table {
    /// The first pass: names, counts and types.
    pub(super) fn survey(
        source: &Source<'_>,
        requests: &Columns,
        rules: &CellRules,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let mut records = source.records()?;
        let (chosen, mut surveys, mut rows) = begin(&mut records, source, requests, rules)?;
        let mut position = 0;
        while let Some(row) = records.next()? {
            look_at(row, &chosen, &mut surveys, rules)?;
            rows += 1;
            source.check_cancel(rows)?;
            source.advance(&records, &mut position, progress);
        }
        if rows == 0 {
            return Err(Error::new(
                ErrorCode::InvalidArgument,
                "has names of columns but no rows",
            ));
        }
        let (dimension, mut notices) = coordinate(&chosen, &surveys, requests)?;
        for (_, heading) in &chosen {
            if heading.name != heading.title {
                notices.push(format!(
                    "column `{}` becomes the variable `{}`",
                    heading.title, heading.name
                ));
            }
        }
        let column = |((position, heading), survey): ((usize, Heading), Survey)| {
            let kind = survey.conclude(rules)?;
            Ok(Column {
                position,
                heading,
                kind,
            })
        };
        Ok(Self {
            columns: chosen
                .into_iter()
                .zip(surveys)
                .map(column)
                .collect::<Result<_>>()?,
            rows,
            dimension,
            notices,
        })
    }

    /// Number of variables.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The second pass: reads blocks of rows and writes each as one chunk of every variable.
    pub(super) fn write(
        &self,
        source: &Source<'_>,
        has_header: bool,
        (pending, limits): (PendingOutput, &Limits<'_>),
        rules: &CellRules,
        progress: &mut dyn Progress,
    ) -> Result<Written> {
        let block_rows = self.block_rows(limits)?;
        let mut records = source.records()?;
        if has_header {
            records.next()?;
        }
        let mut file = None;
        let mut pending = Some(pending);
        let mut done = 0;
        while done < self.rows {
            let wanted = block_rows.min(self.rows - done);
            let block = self.read_block(source, &mut records, wanted, rules)?;
            if let Some(pending) = pending.take() {
                file = Some(self.define(source, pending, &block, block_rows)?);
            }
            if let Some(file) = &mut file {
                self.write_block(file, &block, done / block_rows, limits, progress)?;
            }
            done += wanted;
        }
        if records.next()?.is_some() {
            return Err(changed());
        }
        file.ok_or_else(changed)?.finish()
    }

    /// Rows that are read and written at a time: a chunk of each column.
    fn block_rows(&self, limits: &Limits<'_>) -> Result<u64> {
        let row_bytes: u64 = self
            .numbers()
            .map(|number| number.size_bytes() as u64)
            .sum();
        // All columns have the chunks that doubles would have.
        let wanted = chunk_shape(&[self.rows], NumberType::Float64)
            .and_then(|chunk| chunk.first().copied())
            .unwrap_or(self.rows);
        // A quarter for the block; the rest for chunks being encoded.
        let budget = limits.resources.memory_bytes / 4;
        let most = budget / row_bytes.max(1);
        if most < LEAST_CHUNK_ROWS.min(self.rows) {
            let needed = row_bytes.saturating_mul(LEAST_CHUNK_ROWS * 4);
            return Err(not_enough_memory(needed, limits.resources.memory_bytes));
        }
        Ok(wanted.min(most))
    }

    fn numbers(&self) -> impl Iterator<Item = NumberType> + '_ {
        self.columns.iter().map(|column| column.kind.number)
    }

    /// Values of the next rows, column by column.
    fn read_block(
        &self,
        source: &Source<'_>,
        records: &mut Records,
        rows: u64,
        rules: &CellRules,
    ) -> Result<Vec<Vec<u8>>> {
        let mut block: Vec<Vec<u8>> = vec![Vec::new(); self.columns.len()];
        for number in 0..rows {
            let row = records.next()?.ok_or_else(changed)?;
            for (column, bytes) in self.columns.iter().zip(&mut block) {
                let place = (column.position, column.heading.name.as_str());
                column.kind.append(row, place, rules, bytes)?;
            }
            source.check_cancel(number)?;
        }
        Ok(block)
    }

    fn define(
        &self,
        source: &Source<'_>,
        pending: PendingOutput,
        block: &[Vec<u8>],
        block_rows: u64,
    ) -> Result<NewFile> {
        let is_one_block = block_rows >= self.rows;
        let mut layouts = Vec::with_capacity(block.len());
        for (bytes, number) in block.iter().zip(self.numbers()) {
            let small = chunk_shape(&[self.rows], NumberType::Float64).is_none();
            let chunk = (!(is_one_block && small)).then(|| vec![block_rows]);
            let raw_bytes = self.rows.saturating_mul(number.size_bytes() as u64);
            layouts.push(Layout::by_trial(
                chunk,
                number,
                &[sample(bytes, raw_bytes)],
            )?);
        }
        let numbers: Vec<NumberType> = self.numbers().collect();
        NewFile::define(
            pending,
            source.output,
            &self.model(source),
            &numbers,
            &layouts,
        )
    }

    fn model(&self, source: &Source<'_>) -> ClassicModel {
        let variable = |column: &Column| ClassicVariable {
            name: column.heading.name.clone(),
            dimensions: vec![0],
            attributes: attributes(&column.heading, column.kind),
            nc_type: column.kind.number.nc_type(),
        };
        ClassicModel {
            dimensions: vec![ClassicDimension {
                name: self.dimension.clone(),
                length: self.rows,
                is_record: false,
            }],
            attributes: source.attributes(),
            variables: self.columns.iter().map(variable).collect(),
        }
    }

    fn write_block(
        &self,
        file: &mut NewFile,
        block: &[Vec<u8>],
        number: u64,
        limits: &Limits<'_>,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let tiles = (0..block.len()).map(|variable| Tile { variable, number });
        let chunk_rows = file.grid(0).chunk_elements();
        let values = |tile: Tile| {
            let mut bytes = block[tile.variable].clone();
            let size = self.columns[tile.variable].kind.number.size_bytes();
            // Only the last block may be shorter than a chunk; both fit the memory budget.
            bytes.resize(chunk_rows as usize * size, 0);
            Ok(bytes)
        };
        file.write(tiles, 0, values, limits, progress)
    }
}

/// Reads the header, or the first row where there is none: columns wanted, what is known of them,
/// rows looked at.
#[expect(
    clippy::type_complexity,
    reason = "three things that are taken apart at once"
)]
fn begin(
    records: &mut Records,
    source: &Source<'_>,
    requests: &Columns,
    rules: &CellRules,
) -> Result<(Vec<(usize, Heading)>, Vec<Survey>, u64)> {
    let Some(first) = records.next()? else {
        return Err(source.empty());
    };
    let all = match requests.header {
        true => headings(first)?,
        false => numbered(first.width()),
    };
    let chosen = chosen(all, requests)?;
    let mut surveys: Vec<Survey> = chosen.iter().map(|(_, h)| Survey::new(&h.name)).collect();
    let mut rows = 0;
    if !requests.header {
        look_at(first, &chosen, &mut surveys, rules)?;
        rows = 1;
    }
    Ok((chosen, surveys, rows))
}

fn look_at(
    row: Row<'_>,
    chosen: &[(usize, Heading)],
    surveys: &mut [Survey],
    rules: &CellRules,
) -> Result<()> {
    for ((position, _), survey) in chosen.iter().zip(surveys) {
        survey.add(row, *position, rules)?;
    }
    Ok(())
}

/// The columns that are not to be left out.
fn chosen(all: Vec<Heading>, requests: &Columns) -> Result<Vec<(usize, Heading)>> {
    let named = |heading: &Heading, name: &str| heading.name == name || heading.title == name;
    for name in requests.skip.iter().chain(&requests.coordinate) {
        if !all.iter().any(|heading| named(heading, name)) {
            let known: Vec<&str> = all.iter().take(20).map(|h| h.title.as_str()).collect();
            return Err(Error::new(
                ErrorCode::InvalidArgument,
                format!("has no column `{name}`"),
            )
            .with_cure(format!("its columns are: {}", known.join(", "))));
        }
    }
    let skipped = |heading: &Heading| requests.skip.iter().any(|name| named(heading, name));
    let chosen: Vec<(usize, Heading)> = (all.into_iter().enumerate())
        .filter(|(_, heading)| !skipped(heading))
        .collect();
    if chosen.is_empty() {
        return Err(Error::new(ErrorCode::InvalidArgument, "no column is left"));
    }
    Ok(chosen)
}

/// The name of the rows' dimension, and what is to be said about its coordinate.
fn coordinate(
    chosen: &[(usize, Heading)],
    surveys: &[Survey],
    requests: &Columns,
) -> Result<(String, Vec<String>)> {
    let name = requests.coordinate.as_deref().unwrap_or(ROWS);
    let found = chosen
        .iter()
        .position(|(_, heading)| heading.name == name || heading.title == name);
    let Some(found) = found else {
        return match requests.coordinate {
            None => Ok((ROWS.to_owned(), Vec::new())),
            Some(_) => Err(Error::new(
                ErrorCode::InvalidArgument,
                format!("column `{name}` cannot be both the coordinate and left out"),
            )),
        };
    };
    let (heading, survey) = (&chosen[found].1, &surveys[found]);
    if survey.missing > 0 {
        return Err(Error::new(
            ErrorCode::InvalidArgument,
            format!(
                "{} cells are missing, but a coordinate needs all of them",
                survey.missing
            ),
        )
        .at_variable(&heading.name)
        .with_cure("choose another column as coordinate, or leave these rows out"));
    }
    let mut notices = Vec::new();
    if !survey.is_monotonic() {
        notices.push(format!(
            "the coordinate `{}` is not strictly monotonic, as CF requires",
            heading.name
        ));
    }
    Ok((heading.name.clone(), notices))
}

/// `_FillValue`, the name as it was written, and the unit.
fn attributes(heading: &Heading, kind: ColumnType) -> Vec<ClassicAttribute> {
    let mut attributes = Vec::new();
    if let Some(value) = kind.fill_attribute() {
        attributes.push(ClassicAttribute {
            name: "_FillValue".to_owned(),
            value,
        });
    }
    if heading.title != heading.name {
        attributes.push(text("long_name", &heading.title));
    }
    if let Some(units) = &heading.units {
        attributes.push(ClassicAttribute {
            name: "units".to_owned(),
            value: AttributeValue::Char(units.as_bytes().to_vec()),
        });
    }
    attributes
}

/// The middle of a column's first block, as much as trials want of `raw_bytes`.
pub(super) fn sample(bytes: &[u8], raw_bytes: u64) -> Vec<u8> {
    let plan = sample_plan(raw_bytes, bytes.len() as u64, raw_bytes, Goal::Balanced);
    let wanted = (plan.bytes() as usize).min(bytes.len());
    let start = (bytes.len() - wanted) / 2 / 8 * 8;
    bytes[start..start + wanted / 8 * 8].to_vec()
}
