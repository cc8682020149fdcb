//! How each pair of variables is compared, and the sources that takes.

use frazil_container::classic::NcType;
use frazil_container::hdf5::{DatasetInfo, DatasetStorage, FillStatus};
use frazil_pipeline::ArraySource;
use frazil_types::{ByteOrder, ChunkGrid, ChunkRecord, ErrorCode, ProtectedValues};

use super::datatypes;
use super::elements::{RawComparison, Unequal};
use super::findings::Findings;
use super::lossy::{self, Comparison, Measurement, Promise, SliceTile};
use super::plan::{Pair, has_undefined_fill};
use super::stored::{self, StoredComparison};
use super::tiles::{self, TileLimits, Tiling};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::sources::{self, Access, Stored};
use frazil_precision::integers;
use frazil_precision::protected::protected_values;

/// How one pair is compared.
pub(super) enum Part {
    /// Not at all: values that were never written and are not defined.
    Skip,
    /// Nothing is stored on either side: what counts is the fill value, compared already.
    FillOnly,
    /// In a form that means the same in every file, slab by slab.
    OneByOne,
    /// Chunk by chunk, as stored: nobody here can decode them.
    Stored(StoredComparison),
    /// Tile by tile, in parallel.
    Parallel(Box<TileComparison>),
    /// Tile by tile, as a rounded variable.
    Lossy(Box<Comparison>),
}

impl Part {
    /// The difference in words, if there is one.
    pub(super) fn describe(&self, pair: &Pair, unequal: &Unequal) -> Option<String> {
        match self {
            Self::Skip | Self::FillOnly | Self::Lossy(_) => None,
            Self::Stored(comparison) => comparison.describe(unequal),
            Self::OneByOne | Self::Parallel(_) => unequal.describe(&pair.shape, pair.elements()),
        }
    }
}

/// A pair that is compared in parallel.
pub(super) struct TileComparison {
    /// Positions in the run's sources.
    pub(super) sources: [usize; 2],
    pub(super) tiling: Tiling,
    pub(super) elements: RawComparison,
}

/// One side's source and which of its chunks are stored (`None`: all).
struct Readable {
    source: ArraySource,
    records: Option<Vec<ChunkRecord>>,
}

/// Collects the sources of a run; the second of every two is the second file's.
pub(super) struct Preparation<'a> {
    pub(super) a: &'a Input,
    pub(super) b: &'a Input,
    pub(super) limits: TileLimits,
    pub(super) memory_bytes: u64,
    pub(super) sources: Vec<ArraySource>,
    pub(super) findings: &'a mut Findings,
}

impl Preparation<'_> {
    /// Decides how a pair is compared, and enters its sources.
    pub(super) fn prepare(&mut self, pair: &Pair) -> Result<Part> {
        let (info_a, info_b) = (pair.info_a(self.a), pair.info_b(self.b));
        let leading = |info: &DatasetInfo| match &info.storage {
            DatasetStorage::Chunked { chunk, .. } => chunk.first().copied(),
            _ => None,
        };
        let access_a = sources::access(self.a, pair.a.variable, leading(info_b))?;
        let access_b = sources::access(self.b, pair.b.variable, leading(info_a))?;
        if self.is_undefined(pair, [&access_a, &access_b]) {
            return Ok(Part::Skip);
        }
        match (access_a, access_b) {
            (
                Access::Undecodable(source_a, Stored::Records(records_a), missing),
                Access::Undecodable(source_b, Stored::Records(records_b), _),
            ) if stored::is_comparable(info_a, info_b) => {
                self.findings.notice(format!(
                    "{}: compared as stored, chunk by chunk ({})",
                    pair.path,
                    sources::missing_filter_text(&missing)
                ));
                let grid = source_a.grid.clone();
                let numbers = self.enter(source_a, source_b);
                Ok(Part::Stored(StoredComparison::new(
                    numbers, grid, &records_a, &records_b,
                )))
            }
            (Access::Undecodable(_, _, missing), _) => Err(sources::missing_filter_error(&missing)
                .in_file(self.a.path())
                .at_variable(&info_a.path)),
            (_, Access::Undecodable(_, _, missing)) => Err(sources::missing_filter_error(&missing)
                .in_file(self.b.path())
                .at_variable(&info_b.path)),
            (Access::Library | Access::Indirect(..) | Access::Elsewhere(_), _)
            | (_, Access::Library | Access::Indirect(..) | Access::Elsewhere(_)) => {
                self.one_by_one(pair)
            }
            (Access::Nothing, Access::Nothing) => Ok(Part::FillOnly),
            (access_a, access_b) => {
                let a = readable(self.a, info_a, access_a)?;
                let b = readable(self.b, info_b, access_b)?;
                match &pair.promise {
                    None => self
                        .parallel(pair, a, b)
                        .map(|comparison| Part::Parallel(Box::new(comparison))),
                    Some(promise) => self.lossy(pair, promise, a, b),
                }
            }
        }
    }

    fn enter(&mut self, a: ArraySource, b: ArraySource) -> [usize; 2] {
        self.sources.extend([a, b]);
        [self.sources.len() - 2, self.sources.len() - 1]
    }

    /// Whether the values of one side were never written and are not defined.
    fn is_undefined(&mut self, pair: &Pair, accesses: [&Access; 2]) -> bool {
        let infos = [
            (pair.info_a(self.a), "first"),
            (pair.info_b(self.b), "second"),
        ];
        for (access, (info, which)) in accesses.into_iter().zip(infos) {
            if matches!(access, Access::Nothing) && has_undefined_fill(info) {
                self.findings.notice(format!(
                    "{}: values were never written in the {which} file and have no fill value; \
                     not compared",
                    pair.path
                ));
                return true;
            }
        }
        false
    }

    fn one_by_one(&mut self, pair: &Pair) -> Result<Part> {
        if pair.info_a(self.a).shape == pair.shape && pair.info_b(self.b).shape == pair.shape {
            let Some(promise) = &pair.promise else {
                return Ok(Part::OneByOne);
            };
            let tile = self.slice_tile(pair, [None, None]);
            let grid = self.tile_grid(pair, &tile.shape)?;
            return Ok(Part::Lossy(Box::new(Comparison {
                sources: None,
                measurement: self.measurement(pair, promise, &tile)?,
                tiling: Tiling::new(grid, [(&self.tile_grid(pair, &tile.shape)?, None); 2]),
            })));
        }
        self.findings.notice(format!(
            "{}: shorter than its unlimited dimension, and not of plain numbers; values are not \
             compared",
            pair.path
        ));
        Ok(Part::Skip)
    }

    fn parallel(
        &mut self,
        pair: &Pair,
        mut a: Readable,
        mut b: Readable,
    ) -> Result<TileComparison> {
        let (mut type_a, mut type_b) = (pair.a.datatype.clone(), pair.b.datatype.clone());
        pad_as_netcdf(&mut a, pair.info_a(self.a), pair);
        pad_as_netcdf(&mut b, pair.info_b(self.b), pair);
        if type_a.number_order() != type_b.number_order() {
            for (side, datatype) in [(&mut a, &mut type_a), (&mut b, &mut type_b)] {
                if datatype.number_order() == Some(ByteOrder::Big) {
                    side.source.byte_swap = Some(side.source.element_bytes);
                    side.source.fill.reverse();
                    *datatype = datatypes::little_endian(datatype.clone());
                }
            }
        }
        let tiling = self.tiling(pair, &mut a, &mut b)?;
        for side in [&mut a, &mut b] {
            if side.source.grid.shape() == pair.shape {
                side.source.tiling = Some(tiling.hint());
            }
        }
        Ok(TileComparison {
            sources: self.enter(a.source, b.source),
            tiling,
            elements: RawComparison::new(type_a, type_b),
        })
    }

    fn tiling(&mut self, pair: &Pair, a: &mut Readable, b: &mut Readable) -> Result<Tiling> {
        let (info_a, info_b) = (pair.info_a(self.a), pair.info_b(self.b));
        let element_bytes = a.source.element_bytes as u64;
        let [chunk_a, chunk_b] = self.chunks(pair, a, b);
        let undefined = has_undefined_fill(info_a) || has_undefined_fill(info_b);
        let tile = if undefined && chunk_a == chunk_b && keep_common(a, b) {
            self.findings.notice(format!(
                "{}: some chunks were written in one file only and there is no fill value; these \
                 are not compared",
                pair.path
            ));
            a.source.grid.chunk().to_vec()
        } else {
            let chunks = [chunk_a.as_deref(), chunk_b.as_deref()];
            tiles::tile_shape(&pair.shape, chunks, element_bytes, self.limits)
        };
        Ok(Tiling::new(self.tile_grid(pair, &tile)?, stored(a, b)))
    }

    fn tile_grid(&self, pair: &Pair, tile: &[u64]) -> Result<ChunkGrid> {
        ChunkGrid::new(&pair.shape, tile).ok_or_else(|| {
            Error::new(
                ErrorCode::Corrupt,
                "the number of chunks is beyond counting",
            )
            .in_file(self.a.path())
            .at_variable(&pair.info_a(self.a).path)
        })
    }

    /// The comparison of a rounded variable with its original.
    fn lossy(
        &mut self,
        pair: &Pair,
        promise: &Promise,
        mut a: Readable,
        mut b: Readable,
    ) -> Result<Part> {
        for (side, info, datatype) in [
            (&mut a, pair.info_a(self.a), &pair.a.datatype),
            (&mut b, pair.info_b(self.b), &pair.b.datatype),
        ] {
            pad_as_netcdf(side, info, pair);
            if datatype.number_order() == Some(ByteOrder::Big) {
                side.source.byte_swap = Some(side.source.element_bytes);
                side.source.fill.reverse();
            }
        }
        let chunks = self.chunks(pair, &a, &b);
        let (info_a, info_b) = (pair.info_a(self.a), pair.info_b(self.b));
        if (has_undefined_fill(info_a) || has_undefined_fill(info_b)) && chunks[0] == chunks[1] {
            keep_common(&mut a, &mut b);
        }
        let tile = self.slice_tile(pair, chunks.each_ref().map(Option::as_deref));
        let tiling = Tiling::new(self.tile_grid(pair, &tile.shape)?, stored(&a, &b));
        for side in [&mut a, &mut b] {
            if side.source.grid.shape() == pair.shape {
                side.source.tiling = Some(tiling.hint());
            }
        }
        Ok(Part::Lossy(Box::new(Comparison {
            measurement: self.measurement(pair, promise, &tile)?,
            sources: Some([a.source, b.source]),
            tiling,
        })))
    }

    fn slice_tile(&mut self, pair: &Pair, chunks: [Option<&[u64]>; 2]) -> SliceTile {
        let element_bytes = pair.a.datatype.size_bytes as u64;
        let tile = lossy::tile_shape(&pair.shape, chunks, element_bytes, self.memory_bytes);
        if !tile.is_whole {
            self.findings.notice(format!(
                "{}: horizontal slices do not fit into the memory allowed; structural similarity, \
                 gradients and spectra are those of parts of {:?}",
                pair.path, tile.shape
            ));
        }
        tile
    }

    fn measurement(&self, pair: &Pair, promise: &Promise, tile: &SliceTile) -> Result<Measurement> {
        let protected = match promise.packing {
            None => protected_values(self.a, pair.a.variable, None)?,
            // Codes stand for these; all else is data, within the bound like any other.
            Some(_) => ProtectedValues {
                values: integers::no_data(&self.a.attributes(Some(pair.a.variable))?),
                ..ProtectedValues::default()
            },
        };
        Ok(Measurement::new(
            promise,
            &protected,
            &pair.shape,
            &tile.shape,
        ))
    }

    /// Chunk shapes of both sides; `None` where values are contiguous.
    fn chunks(&self, pair: &Pair, a: &Readable, b: &Readable) -> [Option<Vec<u64>>; 2] {
        let infos = [pair.info_a(self.a), pair.info_b(self.b)];
        let chunk = |(info, side): (&DatasetInfo, &Readable)| {
            matches!(info.storage, DatasetStorage::Chunked { .. })
                .then(|| side.source.grid.chunk().to_vec())
        };
        [chunk((infos[0], a)), chunk((infos[1], b))]
    }
}

/// The chunks of both sides, and which of them are stored.
fn stored<'r>(a: &'r Readable, b: &'r Readable) -> [(&'r ChunkGrid, Option<&'r [ChunkRecord]>); 2] {
    [a, b].map(|side| (&side.source.grid, side.records.as_deref()))
}

/// Drops chunks that only one side has; whether there were any. Both sides have one chunk shape.
fn keep_common(a: &mut Readable, b: &mut Readable) -> bool {
    let (Some(first), Some(second)) = (&mut a.records, &mut b.records) else {
        return false;
    };
    let before = first.len() + second.len();
    first.retain(|record| b.source.locate(record.index).is_some());
    second.retain(|record| a.source.locate(record.index).is_some());
    first.len() + second.len() != before
}

fn readable(input: &Input, info: &DatasetInfo, access: Access) -> Result<Readable> {
    match access {
        Access::Parallel(source, Stored::All) | Access::Apart(source) => Ok(Readable {
            source,
            records: None,
        }),
        Access::Parallel(source, Stored::Records(records)) => Ok(Readable {
            source,
            records: Some(records),
        }),
        Access::Nothing => Ok(Readable {
            source: sources::unwritten(input, info)
                .map_err(|error| error.in_file(input.path()).at_variable(&info.path))?,
            records: Some(Vec::new()),
        }),
        Access::Library | Access::Indirect(..) | Access::Elsewhere(_) | Access::Undecodable(..) => {
            Err(Error::new(
                ErrorCode::Internal,
                "a source that cannot be read in parallel",
            ))
        }
    }
}

/// Beyond a variable's end, netCDF readers see its fill value, or the default of its type.
fn pad_as_netcdf(side: &mut Readable, info: &DatasetInfo, pair: &Pair) {
    if side.source.grid.shape() == pair.shape || info.fill_status == FillStatus::User {
        return;
    }
    if let Some(nc_type) = NcType::of(&pair.a.datatype) {
        let mut fill = nc_type.default_fill().to_be_bytes();
        if info.element.order != ByteOrder::Big {
            fill.reverse();
        }
        side.source.fill = fill;
    }
}
