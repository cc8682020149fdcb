//! The second pass: all pairs of every variable.

use frazil_container::hdf5::DatasetStorage;
use frazil_pipeline::{ArraySource, Block, Request, Task, TilingHint, WantedTiles};
use frazil_plan::information::{
    Grouping, PairCounter, VariableCounts, origin, recommend, working_bytes,
};
use frazil_types::{DataOrigin, ErrorCode};

use super::Wanted;
use super::axis::{Look, unexpected};
use super::prepare::Work;
use super::tiles::{self, Tile, Tiles};
use super::vertical::vertical_axis;
use crate::information::VariableInformation;
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::run;
use frazil_file::sources::Stored;

/// How one variable is counted.
struct Part {
    counter: PairCounter,
    tiles: Tiles,
    /// The tiles that hold something, in the order that they are counted in.
    holding: ChunkSubset,
    output_bytes: u64,
}

impl Part {
    /// Number of tiles to count.
    fn count(&self) -> u64 {
        match &self.holding {
            ChunkSubset::All => self.tiles.count(),
            ChunkSubset::Some(numbers) => numbers.len() as u64,
        }
    }

    fn tile(&self, number: u64) -> Tile {
        match &self.holding {
            ChunkSubset::All => self.tiles.tile(number),
            ChunkSubset::Some(numbers) => self.tiles.tile_at(numbers[number as usize]),
        }
    }

    /// Values in tiles that hold nothing: they are left out without a look at them.
    fn unwritten(&self) -> u64 {
        let ChunkSubset::Some(numbers) = &self.holding else {
            return 0;
        };
        let shape = self.tiles.grid().shape().iter();
        let all = shape.fold(1_u64, |product, &extent| product.saturating_mul(extent));
        let looked_at = numbers
            .iter()
            .map(|&number| self.tiles.tile_at(number).elements);
        all.saturating_sub(looked_at.sum())
    }
}

/// One tile of one variable.
struct Piece {
    number: usize,
    tile: Tile,
    is_last: bool,
}

/// Counts all pairs of all variables along the axes found, and concludes.
pub(super) fn count(
    work: &Work<'_>,
    (mut sources, stored): (Vec<ArraySource>, &[Stored]),
    looks: &[Look],
    progress: &mut dyn Progress,
) -> Result<Vec<VariableInformation>> {
    let mut parts = Vec::with_capacity(looks.len());
    for (number, (look, source)) in looks.iter().zip(&mut sources).enumerate() {
        parts.push(part(work, number, *look, (source, &stored[number]))?);
    }
    let tasks = parts.iter().enumerate().flat_map(|(number, part)| {
        (0..part.count()).map(move |n| {
            let tile = part.tile(n);
            Task {
                requests: vec![Request::Values {
                    source: number,
                    selection: tile.part.clone(),
                }],
                output_bytes: part.output_bytes,
                meta: Piece {
                    number,
                    tile,
                    is_last: n + 1 == part.count(),
                },
            }
        })
    });
    let mut found = Vec::with_capacity(parts.len());
    let mut counts = VariableCounts::default();
    work.run(
        &sources,
        tasks,
        |piece: &Piece, blocks, _scratch| {
            let [Block::Values(values)] = blocks.as_slice() else {
                return Err(unexpected());
            };
            let counter = &parts[piece.number].counter;
            counter
                .count(values, &piece.tile.part, piece.tile.overlaps)
                .ok_or_else(unexpected)
        },
        |piece, more| {
            counts.merge(&more);
            progress.advance(piece.tile.elements * work.element_bytes(piece.number) as u64);
            if piece.is_last {
                let mut counts = std::mem::take(&mut counts);
                counts.bits.masked += parts[piece.number].unwritten();
                found.push(conclude(work, piece.number, looks[piece.number], &counts));
            }
            Ok(())
        },
    )?;
    Ok(found)
}

fn part(
    work: &Work<'_>,
    number: usize,
    look: Look,
    (source, stored): (&mut ArraySource, &Stored),
) -> Result<Part> {
    let wanted = &work.wanted[number];
    let variable = &work.input.variables()[wanted.variable];
    let element_bytes = work.element_bytes(number);
    let refuse = |cause: &str| {
        Error::new(ErrorCode::Corrupt, cause)
            .in_file(work.input.path())
            .at_variable(&variable.path)
    };
    let chunk = matches!(variable.storage, DatasetStorage::Chunked { .. })
        .then(|| source.grid.chunk().to_vec());
    let bytes = tiles::tile_bytes(
        variable.raw_bytes().unwrap_or(u64::MAX),
        work.resources.memory_bytes,
        run::threads(work.resources),
    );
    let tiles = Tiles::new(
        &variable.shape,
        chunk.as_deref(),
        element_bytes,
        look.axis,
        bytes,
    )
    .ok_or_else(|| refuse("the number of its tiles is beyond counting"))?;
    if tiles.cut_chunks(source.grid.chunk()) {
        source.tiling = Some(TilingHint {
            grid: tiles.grid().clone(),
            wanted: WantedTiles::All,
        });
    }
    let holding = ChunkSubset::holding(tiles.grid(), source, stored);
    let vertical = vertical_axis(work.input, wanted.variable)?;
    let grouping = Grouping::new(&variable.shape, look.axis, vertical);
    let output_bytes = working_bytes(&grouping, element_bytes);
    let counter = PairCounter::new(element_bytes, grouping, &wanted.protected)
        .ok_or_else(|| refuse("elements of another size"))?;
    Ok(Part {
        counter,
        tiles,
        holding,
        output_bytes,
    })
}

/// What is known about a variable before anything was counted.
pub(super) fn blank(input: &Input, wanted: &Wanted) -> VariableInformation {
    let variable = &input.variables()[wanted.variable];
    VariableInformation {
        path: variable.path.clone(),
        element: variable.element.name(),
        shape: variable.shape.clone(),
        axis: None,
        pairs: 0,
        masked: 0,
        information: Vec::new(),
        origin: DataOrigin::TooFew,
        keep_information: wanted.keep_information,
        significant_bits: None,
        preserved_information: None,
        relative_bound: None,
        reason: String::new(),
        votes: Vec::new(),
    }
}

fn conclude(
    work: &Work<'_>,
    number: usize,
    look: Look,
    counts: &VariableCounts,
) -> VariableInformation {
    let wanted = &work.wanted[number];
    let variable = &work.input.variables()[wanted.variable];
    let element_bytes = work.element_bytes(number);
    let origin = origin(counts, element_bytes, look.step, look.repeating);
    let found = recommend(counts, element_bytes, origin, wanted.keep_information);
    let name = variable.dimension_names.get(look.axis).cloned();
    VariableInformation {
        axis: Some((look.axis, name.unwrap_or_default())),
        pairs: counts.whole.pairs,
        masked: counts.bits.masked,
        information: found.information,
        origin,
        significant_bits: found.significant_bits,
        preserved_information: found.preserved_information,
        relative_bound: found
            .significant_bits
            .map(|bits| (-f64::from(bits + 1)).exp2()),
        reason: found.reason,
        votes: found.votes,
        ..blank(work.input, wanted)
    }
}
