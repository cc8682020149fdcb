//! Fills a defined output: values and chunks of all variables, in one ordered parallel run.
//!
//! Threads make chunks of values ([`packing`]); the calling thread puts them where they belong
//! ([`placing`]).

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

/// Enters every chunk that might be stored into the index, one byte each: for measuring metadata.
pub(crate) fn place_without_bytes(output: &Hdf5Output, decisions: &Decisions) -> Result<()> {
    for (dataset, route) in decisions.routes.iter().enumerate() {
        let (grid, tiles): (&ChunkGrid, &ChunkSubset) = match route {
            CopyPlan::Pack { grid, tiles, .. } => (grid, tiles),
            CopyPlan::CopyChunks { source, tiles } => (&decisions.sources[*source].grid, tiles),
            CopyPlan::Nothing | CopyPlan::Library | CopyPlan::Contiguous { .. } => continue,
        };
        for tile in tiles.numbers(grid) {
            output
                .place_chunk(dataset, &grid.offset(tile), 0, 1)
                .map_err(|error| Error::new(error.code(), error.to_string()))?;
        }
    }
    Ok(())
}
