//! Fills a defined output: values and chunks of all variables, in one ordered parallel run.
//!
//! Threads make chunks of values ([`packing`]); the calling thread puts them where they belong
//! ([`placing`]).

mod in_part;
mod packing;
mod placing;

use std::time::Instant;

use frazil_container::hdf5::{DatasetInfo, Hdf5Output};
use frazil_types::ChunkGrid;

use crate::job::Job;
use crate::routes::{CopyPlan, Decisions};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::pending::PendingOutput;
use frazil_file::progress::Progress;
use frazil_file::run::InputRun;
use frazil_precision::RoundingStats;
pub(crate) use in_part::pack_in_part;
pub(crate) use packing::may_omit_fill;
use packing::{Batch, PackedBatch, Packing, packings};
use placing::Placing;

/// What was stored for one variable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stored {
    /// Bytes of its values in the output.
    pub bytes: u64,
    /// What rounding did to its values.
    pub rounding: RoundingStats,
    /// Seconds that threads spent on packing its chunks, all together.
    pub seconds: f64,
}

/// What filling came to.
pub(crate) enum Filled {
    /// The output, with what was stored of each variable.
    Whole(Hdf5Output, Vec<Stored>),
    /// These variables came out larger than they may: nothing is written.
    Overgrown(Vec<usize>),
}

/// Makes the output's objects; called once, when the first chunks are ready to be placed.
pub(crate) type Define<'a> = dyn Fn() -> Result<Hdf5Output> + 'a;

/// Fills the output with all values of `source`, unless a variable comes out larger than it may.
///
/// Workers start at once; the output is defined meanwhile, on this thread.
pub(crate) fn fill(
    source: &Input,
    define: &Define<'_>,
    pending: &PendingOutput,
    decisions: &Decisions,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<Filled> {
    let total = source
        .variables()
        .iter()
        .filter_map(DatasetInfo::raw_bytes)
        .sum();
    progress.stage("pack", total);
    let plans = packings(source, decisions)?;
    let begin = || Placing::begin(source, define, pending, decisions, job);
    let mut placing: Option<Placing<'_>> = None;
    let run = InputRun {
        input: source,
        sources: &decisions.sources,
        resources: job.resources,
        budget: job.budget,
    };
    run.run(
        plans.iter().flat_map(Packing::tasks),
        |number| owner_of(number, decisions),
        |batch: &Batch, blocks, scratch| {
            let variable = &source.variables()[batch.variable];
            let begin = Instant::now();
            plans[batch.variable]
                .pack(batch, blocks, scratch)
                .map(|chunks| (chunks, begin.elapsed().as_secs_f64()))
                .map_err(|error| error.at_variable(&variable.path))
        },
        |batch, (chunks, seconds): PackedBatch| {
            let variable = &source.variables()[batch.variable];
            let plan = &plans[batch.variable];
            let placing = match &mut placing {
                Some(placing) => placing,
                none => none.insert(begin()?),
            };
            placing
                .place(plan, &batch, (chunks, seconds))
                .map_err(|error| error.at_variable(&variable.path))?;
            progress.advance(plan.raw_bytes(&batch));
            Ok(())
        },
    )?;
    placing.map_or_else(begin, Ok)?.finish(decisions)
}

fn owner_of(source: usize, decisions: &Decisions) -> Option<usize> {
    decisions.routes.iter().position(|route| match route {
        CopyPlan::Pack { source: number, .. }
        | CopyPlan::CopyChunks { source: number, .. }
        | CopyPlan::Contiguous { source: number, .. } => *number == source,
        CopyPlan::Nothing | CopyPlan::Library => false,
    })
}

/// What values take in a file that is measured, and where they end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Placed {
    pub bytes: u64,
    pub end: u64,
}

impl Placed {
    fn add(&mut self, address: u64, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.end = self.end.max(address.saturating_add(bytes));
    }
}

/// Enters every chunk that might be stored into the index, one byte each: for measuring metadata alone.
pub(crate) fn place_without_bytes(output: &Hdf5Output, decisions: &Decisions) -> Result<()> {
    place_chunks(output, decisions, |_, _| 1).map(drop)
}

/// Gives all values the places that they are to have, with as many bytes as are foretold: what lies between them is
/// lost to metadata as it will be.
pub(crate) fn place_as_foretold(
    source: &Input,
    output: &Hdf5Output,
    decisions: &Decisions,
) -> Result<Placed> {
    let of_one: Vec<u64> = (0..decisions.routes.len())
        .map(|dataset| bytes_of_chunk(decisions, dataset))
        .collect();
    let bases = placing::contiguous_bases(source, output, source.path(), decisions)?;
    let mut places = vec![0_u64; of_one.len()];
    let mut placed = place_chunks(output, decisions, |dataset, tile| {
        places[dataset] += 1;
        if !is_stored(stored_share(decisions, dataset), places[dataset]) {
            return 0;
        }
        let stored = match &decisions.routes[dataset] {
            CopyPlan::CopyChunks { source, .. } => decisions.sources[*source].locate(tile),
            _ => None,
        };
        let stored = stored.and_then(|chunk| chunk.extent.total_bytes());
        stored.unwrap_or(of_one[dataset])
    })?;
    for (i, base) in bases.into_iter().enumerate() {
        if let Some(bytes) = placing::run_bytes(source, decisions, i) {
            placed.add(base, bytes);
        }
    }
    Ok(placed)
}

/// What one chunk of a variable is to take.
fn bytes_of_chunk(decisions: &Decisions, dataset: usize) -> u64 {
    let chunks = chunks_of(&decisions.routes[dataset], decisions);
    let count = chunks.map_or(0, |(grid, tiles)| tiles.numbers(grid).count() as u64);
    let foretold = decisions.plans[dataset].predicted_bytes.unwrap_or(0);
    let stored = (count as f64 * stored_share(decisions, dataset)).round() as u64;
    (foretold / stored.max(1)).max(1)
}

/// The share of a variable's chunks that are to be stored: the rest are fill values.
fn stored_share(decisions: &Decisions, dataset: usize) -> f64 {
    let told = decisions.told.get(dataset);
    told.copied().unwrap_or_default().stored_share
}

/// Whether the chunk of this number, counted from 1, is stored where this share of all is, evenly spread.
fn is_stored(share: f64, number: u64) -> bool {
    let stored = |number: u64| (number as f64 * share).round();
    stored(number) > stored(number - 1)
}

fn chunks_of<'a>(
    route: &'a CopyPlan,
    decisions: &'a Decisions,
) -> Option<(&'a ChunkGrid, &'a ChunkSubset)> {
    match route {
        CopyPlan::Pack { grid, tiles, .. } => Some((grid, tiles)),
        CopyPlan::CopyChunks { source, tiles } => Some((&decisions.sources[*source].grid, tiles)),
        CopyPlan::Nothing | CopyPlan::Library | CopyPlan::Contiguous { .. } => None,
    }
}

/// Places every chunk that might be stored; `bytes`: what one of a variable takes, 0 if it is not stored.
fn place_chunks(
    output: &Hdf5Output,
    decisions: &Decisions,
    mut bytes: impl FnMut(usize, u64) -> u64,
) -> Result<Placed> {
    let mut placed = Placed::default();
    for (dataset, route) in decisions.routes.iter().enumerate() {
        let Some((grid, tiles)) = chunks_of(route, decisions) else {
            continue;
        };
        for tile in tiles.numbers(grid) {
            let bytes = bytes(dataset, tile);
            if bytes == 0 {
                continue;
            }
            let address = output
                .place_chunk(dataset, &grid.offset(tile), 0, bytes as usize)
                .map_err(|error| Error::new(error.code(), error.to_string()))?;
            placed.add(address, bytes);
        }
    }
    Ok(placed)
}
