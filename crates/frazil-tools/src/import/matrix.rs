//! A matrix: the whole file becomes one variable of two dimensions.

use frazil_container::classic::{
    ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable,
};
use frazil_types::{ChunkGrid, ErrorCode};

use super::column::{CellRules, ColumnType, Survey, changed};
use super::records::Records;
use super::table::sample;
use super::{Matrix, Source};
use crate::new_file::{Layout, Limits, NewFile, Tile, Written, chunk_shape};
use frazil_file::error::{Error, Result};
use frazil_file::pending::PendingOutput;
use frazil_file::progress::Progress;
use frazil_file::resources::not_enough_memory;

/// Names of the dimensions.
const DIMENSIONS: [&str; 2] = ["row", "column"];

/// A matrix after the first pass.
pub(super) struct Grid {
    pub(super) rows: u64,
    pub(super) columns: u64,
    name: String,
    kind: ColumnType,
}

impl Grid {
    /// The first pass: extents and type.
    pub(super) fn survey(
        source: &Source<'_>,
        requests: &Matrix,
        rules: &CellRules,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let mut records = source.records()?;
        let mut survey = Survey::new(&requests.name);
        let (mut rows, mut columns, mut position) = (0, 0, 0);
        while let Some(row) = records.next()? {
            columns = row.width();
            for column in 0..columns {
                survey.add(row, column, rules)?;
            }
            rows += 1;
            source.check_cancel(rows)?;
            source.advance(&records, &mut position, progress);
        }
        if rows == 0 {
            return Err(source.empty());
        }
        let columns = columns as u64;
        if let Some(expected) = requests.shape.filter(|&shape| shape != (rows, columns)) {
            return Err(Error::new(
                ErrorCode::InvalidArgument,
                format!(
                    "has {rows} rows of {columns} cells, not {} rows of {}",
                    expected.0, expected.1
                ),
            ));
        }
        Ok(Self {
            rows,
            columns,
            name: requests.name.clone(),
            kind: survey.conclude(rules)?,
        })
    }

    /// The second pass: reads bands of rows and writes the chunks in each.
    pub(super) fn write(
        &self,
        source: &Source<'_>,
        pending: PendingOutput,
        limits: &Limits<'_>,
        rules: &CellRules,
        progress: &mut dyn Progress,
    ) -> Result<Written> {
        let chunk = self.chunk(limits)?;
        let band_rows = chunk.as_ref().map_or(self.rows, |chunk| chunk[0]);
        let mut records = source.records()?;
        let mut band = self.read_band(source, &mut records, band_rows, rules)?;
        let mut file = self.define(source, pending, chunk, &band)?;
        let mut done = 0;
        loop {
            self.write_band(&mut file, &band, done / band_rows, limits, progress)?;
            done += band_rows.min(self.rows - done);
            if done >= self.rows {
                break;
            }
            let rows = band_rows.min(self.rows - done);
            band = self.read_band(source, &mut records, rows, rules)?;
        }
        if records.next()?.is_some() {
            return Err(changed());
        }
        file.finish()
    }

    /// The chunk shape: a band of rows as high as a chunk must fit into memory.
    fn chunk(&self, limits: &Limits<'_>) -> Result<Option<Vec<u64>>> {
        let row_bytes = self
            .columns
            .saturating_mul(self.kind.number.size_bytes() as u64);
        let most = limits.resources.memory_bytes / 4 / row_bytes.max(1);
        if most == 0 {
            return Err(not_enough_memory(
                row_bytes.saturating_mul(4),
                limits.resources.memory_bytes,
            ));
        }
        let chunk = chunk_shape(&[self.rows, self.columns], self.kind.number);
        Ok(chunk.map(|chunk| vec![chunk[0].min(most), chunk[1]]))
    }

    /// Values of the next rows, row-major.
    fn read_band(
        &self,
        source: &Source<'_>,
        records: &mut Records,
        rows: u64,
        rules: &CellRules,
    ) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for number in 0..rows.min(self.rows) {
            let row = records.next()?.ok_or_else(changed)?;
            if row.width() as u64 != self.columns {
                return Err(changed());
            }
            for column in 0..row.width() {
                self.kind
                    .append(row, (column, &self.name), rules, &mut bytes)?;
            }
            source.check_cancel(number)?;
        }
        Ok(bytes)
    }

    fn define(
        &self,
        source: &Source<'_>,
        pending: PendingOutput,
        chunk: Option<Vec<u64>>,
        band: &[u8],
    ) -> Result<NewFile> {
        let number = self.kind.number;
        let cells = self.rows.saturating_mul(self.columns);
        let raw_bytes = cells.saturating_mul(number.size_bytes() as u64);
        let layout = Layout::by_trial(chunk, number, &[sample(band, raw_bytes)])?;
        NewFile::define(
            pending,
            source.output,
            &self.model(source),
            &[number],
            &[layout],
        )
    }

    fn model(&self, source: &Source<'_>) -> ClassicModel {
        let extents = [self.rows, self.columns];
        let dimension = |(name, length): (&str, u64)| ClassicDimension {
            name: name.to_owned(),
            length,
            is_record: false,
        };
        let fill = self.kind.fill_attribute().map(|value| ClassicAttribute {
            name: "_FillValue".to_owned(),
            value,
        });
        ClassicModel {
            dimensions: DIMENSIONS.into_iter().zip(extents).map(dimension).collect(),
            attributes: source.attributes(),
            variables: vec![ClassicVariable {
                name: self.name.clone(),
                dimensions: vec![0, 1],
                attributes: fill.into_iter().collect(),
                nc_type: self.kind.number.nc_type(),
            }],
        }
    }

    fn write_band(
        &self,
        file: &mut NewFile,
        band: &[u8],
        number: u64,
        limits: &Limits<'_>,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let grid = file.grid(0).clone();
        let across = grid.chunks_per_axis()[1];
        let tiles = (0..across).map(|column| Tile {
            variable: 0,
            number: number * across + column,
        });
        let values = |tile: Tile| Ok(self.cut(&grid, band, tile.number));
        file.write(tiles, 0, values, limits, progress)
    }

    /// One chunk out of a band, padded with zeros.
    fn cut(&self, grid: &ChunkGrid, band: &[u8], number: u64) -> Vec<u8> {
        let size = self.kind.number.size_bytes();
        // A band and its chunks fit the memory budget.
        let (width, height) = (grid.chunk()[1] as usize, grid.chunk()[0] as usize);
        let row_bytes = self.columns as usize * size;
        let first = grid.offset(number)[1] as usize * size;
        let valid = grid.valid_box(number).count[1] as usize * size;
        let mut bytes = Vec::with_capacity(width * height * size);
        for row in band.chunks_exact(row_bytes).take(height) {
            let begin = bytes.len();
            bytes.extend_from_slice(&row[first..first + valid]);
            bytes.resize(begin + width * size, 0);
        }
        bytes.resize(width * height * size, 0);
        bytes
    }
}
