//! Fills a defined output: values and chunks of all variables, in one ordered parallel run.

use std::time::Instant;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::{DatasetInfo, FillStatus, FillTime, Hdf5Output};
use frazil_pipeline::{Block, Request, RunOptions, Task, run_ordered};
use frazil_types::{ChunkGrid, ErrorCode, Selection};

use crate::error::{Error, Result};
use crate::input::{Input, from_container};
use crate::output::PendingOutput;
use crate::placer::Placer;
use crate::precision::{RoundingStats, VariableRounding, final_attributes};
use crate::repack::Job;
use crate::report::Progress;
use crate::routes::{Decisions, Route, Tiles};
use crate::run::RunError;
use crate::{run, sources};

/// Small chunks travel together until they make up this many raw bytes.
const BATCH_BYTES: u64 = 256 << 10;
/// ... or this many chunks.
const BATCH_CHUNKS: usize = 256;

/// What was stored for one variable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stored {
    /// Bytes of its values in the output.
    pub(crate) bytes: u64,
    /// What rounding did to its values.
    pub(crate) rounding: RoundingStats,
    /// Seconds that threads spent on packing its chunks, all together.
    pub(crate) seconds: f64,
}

/// Some neighbouring chunks (or slabs) of one variable.
struct Batch {
    variable: usize,
    tiles: Vec<u64>,
}

/// A chunk ready to be placed.
struct PackedChunk {
    filter_mask: u32,
    bytes: Vec<u8>,
    rounding: RoundingStats,
}

/// `None` where the fill value says it all.
type Packed = Option<PackedChunk>;

/// The chunks of a batch, and the seconds that packing them took.
type PackedBatch = (Vec<Packed>, f64);

/// Makes the output's objects; called once, when the first chunks are ready to be placed.
pub(crate) type Define<'a> = dyn Fn() -> Result<Hdf5Output> + 'a;

/// Fills the output with all values of `source` and returns it with what was stored.
///
/// Workers start at once; the output is defined meanwhile, on this thread.
pub(crate) fn fill(
    source: &Input,
    define: &Define<'_>,
    pending: &PendingOutput,
    decisions: &Decisions,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<(Hdf5Output, Vec<Stored>)> {
    let total = source
        .variables()
        .iter()
        .filter_map(DatasetInfo::raw_bytes)
        .sum();
    progress.stage("pack", total);
    let plans = packings(source, decisions)?;
    let options = RunOptions {
        threads: run::threads(job.resources),
        budget: job.budget,
        cancel: &job.resources.cancel,
    };
    let begin = || Placing::begin(source, define, pending, decisions, job);
    let mut placing: Option<Placing<'_>> = None;
    let outcome = run_ordered(
        &decisions.sources,
        plans.iter().flat_map(Packing::tasks),
        &options,
        |batch: &Batch, blocks, scratch| {
            let variable = &source.variables()[batch.variable];
            let begin = Instant::now();
            plans[batch.variable]
                .pack(batch, blocks, scratch)
                .map(|chunks| (chunks, begin.elapsed().as_secs_f64()))
                .map_err(|e| RunError::Facade(e.at_variable(&variable.path)))
        },
        |batch, (chunks, seconds): PackedBatch| {
            let variable = &source.variables()[batch.variable];
            let plan = &plans[batch.variable];
            let placing = match &mut placing {
                Some(placing) => placing,
                none => none.insert(begin().map_err(RunError::Facade)?),
            };
            placing
                .place(plan, &batch, (chunks, seconds))
                .map_err(|e| RunError::Facade(e.at_variable(&variable.path)))?;
            progress.advance(plan.raw_bytes(&batch));
            Ok(())
        },
    );
    match outcome {
        Ok(_) => placing.map_or_else(begin, Ok)?.finish(decisions),
        Err(RunError::Facade(error)) => Err(error.in_file(source.path())),
        Err(RunError::Pipeline(error)) => {
            let owner = |number| owner_of(number, decisions);
            Err(run::explain(
                error,
                source,
                &decisions.sources,
                owner,
                job.resources,
            ))
        }
    }
}

/// The placing side of a run: the defined output and where chunks go in it.
struct Placing<'a> {
    output: Hdf5Output,
    placer: Placer<'a>,
    /// First addresses of contiguous variables.
    bases: Vec<u64>,
    stored: Vec<Stored>,
}

impl<'a> Placing<'a> {
    /// Defines the output and copies what only libhdf5 can copy.
    fn begin(
        source: &Input,
        define: &Define<'_>,
        pending: &'a PendingOutput,
        decisions: &Decisions,
        job: &Job<'_>,
    ) -> Result<Self> {
        let output = define()?;
        let stored = copy_through_library(source, &output, pending, decisions, job)?;
        let bases = contiguous_bases(source, &output, pending, decisions)?;
        let placer = Placer::new(pending.file(), pending.path());
        Ok(Self {
            output,
            placer,
            bases,
            stored,
        })
    }

    /// Places a batch and counts what was stored.
    fn place(
        &mut self,
        plan: &Packing<'_>,
        batch: &Batch,
        (chunks, seconds): PackedBatch,
    ) -> Result<()> {
        self.stored[plan.dataset].seconds += seconds;
        for (&tile, packed) in batch.tiles.iter().zip(chunks) {
            let Some(packed) = packed else {
                continue;
            };
            let bytes = &packed.bytes;
            let stored = &mut self.stored[plan.dataset];
            stored.bytes += bytes.len() as u64;
            stored.rounding.merge(&packed.rounding);
            match &plan.step {
                Step::Copy { grid, .. } | Step::Encode { grid, .. } => {
                    let offset = grid.offset(tile);
                    self.placer.chunk(
                        &self.output,
                        plan.dataset,
                        &offset,
                        packed.filter_mask,
                        bytes,
                    )?;
                }
                Step::Plain { grid, .. } => {
                    let base = self.bases[plan.dataset];
                    self.placer
                        .write(plan.slab_address(grid, tile, base)?, bytes)?;
                }
                Step::None => {}
            }
        }
        Ok(())
    }

    /// Writes what had to wait for the last chunk.
    fn finish(mut self, decisions: &Decisions) -> Result<(Hdf5Output, Vec<Stored>)> {
        self.placer.flush()?;
        for (dataset, (plan, stored)) in decisions.plans.iter().zip(&self.stored).enumerate() {
            let Some(quantize) = &plan.quantize else {
                continue;
            };
            for attribute in final_attributes(quantize, &stored.rounding) {
                self.output
                    .set_attribute(dataset, &attribute)
                    .map_err(|error| {
                        from_container(error, self.placer.path()).at_variable(&plan.path)
                    })?;
            }
        }
        Ok((self.output, self.stored))
    }
}

fn owner_of(source: usize, decisions: &Decisions) -> Option<usize> {
    decisions.routes.iter().position(|route| match route {
        Route::Pack { source: number, .. }
        | Route::CopyChunks { source: number, .. }
        | Route::Contiguous { source: number, .. } => *number == source,
        Route::Nothing | Route::Library => false,
    })
}

/// Copies what only libhdf5 can copy, on this thread.
fn copy_through_library(
    source: &Input,
    output: &Hdf5Output,
    pending: &PendingOutput,
    decisions: &Decisions,
    job: &Job<'_>,
) -> Result<Vec<Stored>> {
    let mut stored = vec![Stored::default(); decisions.routes.len()];
    let Some(hdf5) = source.hdf5() else {
        return Ok(stored);
    };
    for (i, route) in decisions.routes.iter().enumerate() {
        if !matches!(route, Route::Library) {
            continue;
        }
        run::check_cancel(job.resources).map_err(|error| error.in_file(source.path()))?;
        let wrap = |error| from_container(error, pending.path());
        output
            .copy_values(hdf5, i)
            .map_err(|error| wrap(error).at_variable(&source.variables()[i].path))?;
        stored[i].bytes = output.stored_bytes(i).map_err(wrap)?;
    }
    Ok(stored)
}

/// Allocates all contiguous variables; their first addresses.
fn contiguous_bases(
    source: &Input,
    output: &Hdf5Output,
    pending: &PendingOutput,
    decisions: &Decisions,
) -> Result<Vec<u64>> {
    let mut bases = vec![0; decisions.routes.len()];
    for (i, route) in decisions.routes.iter().enumerate() {
        if matches!(route, Route::Contiguous { .. }) {
            let variable = &source.variables()[i];
            let bytes = variable.raw_bytes().unwrap_or(0);
            bases[i] = output.place_contiguous(i, bytes).map_err(|error| {
                from_container(error, pending.path()).at_variable(&variable.path)
            })?;
        }
    }
    Ok(bases)
}

/// How the chunks of one variable are made and placed.
struct Packing<'a> {
    dataset: usize,
    variable: &'a DatasetInfo,
    /// How values are rounded first.
    rounding: Option<VariableRounding>,
    step: Step,
}

enum Step {
    /// Nothing to do in the parallel run.
    None,
    /// Copy stored chunks.
    Copy {
        source: usize,
        grid: ChunkGrid,
        tiles: Tiles,
    },
    /// Encode values into chunks.
    Encode {
        source: usize,
        grid: ChunkGrid,
        tiles: Tiles,
        encoder: BoundEncoder,
        omit_fill: bool,
    },
    /// Values without filters, one slab after the other.
    Plain { source: usize, grid: ChunkGrid },
}

fn packings<'a>(source: &'a Input, decisions: &Decisions) -> Result<Vec<Packing<'a>>> {
    let mut packings = Vec::with_capacity(decisions.routes.len());
    for (dataset, route) in decisions.routes.iter().enumerate() {
        let variable = &source.variables()[dataset];
        let step = match route {
            Route::Nothing | Route::Library => Step::None,
            Route::CopyChunks { source, tiles } => Step::Copy {
                source: *source,
                grid: decisions.sources[*source].grid.clone(),
                tiles: tiles.clone(),
            },
            Route::Contiguous { source, grid } => Step::Plain {
                source: *source,
                grid: grid.clone(),
            },
            Route::Pack {
                source,
                grid,
                tiles,
                pipeline,
                deflate_encoder,
            } => {
                let element_bytes = variable.element.size_bytes;
                let chunk_bytes = usize::try_from(grid.chunk_elements())
                    .ok()
                    .and_then(|elements| elements.checked_mul(element_bytes))
                    .ok_or_else(|| Error::new(ErrorCode::Unsupported, "chunks too large"))?;
                let encoder =
                    BoundEncoder::bind(pipeline, *deflate_encoder, element_bytes, chunk_bytes)
                        .map_err(|error| {
                            Error::new(error.code(), error.to_string()).at_variable(&variable.path)
                        })?;
                Step::Encode {
                    source: *source,
                    grid: grid.clone(),
                    tiles: tiles.clone(),
                    encoder,
                    omit_fill: may_omit_fill(variable),
                }
            }
        };
        let rounding = decisions.plans[dataset]
            .quantize
            .as_ref()
            .map(|plan| VariableRounding::bind(plan, variable.element, &variable.shape))
            .transpose()?;
        packings.push(Packing {
            dataset,
            variable,
            rounding,
            step,
        });
    }
    Ok(packings)
}

/// A chunk of nothing but fill need not be stored where readers give the fill value for it. Some
/// readers that do not use libhdf5 give zeros whatever the fill value is: only zeros are left out.
fn may_omit_fill(variable: &DatasetInfo) -> bool {
    variable.fill_time != FillTime::Never
        && variable.fill_status != FillStatus::Undefined
        && variable.fill.iter().all(|&byte| byte == 0)
}

impl Packing<'_> {
    /// The tasks of this variable, small chunks together.
    fn tasks(&self) -> Box<dyn Iterator<Item = Task<Batch>> + Send + '_> {
        let (source, grid, tiles, chunk_output_bytes) = match &self.step {
            Step::None => return Box::new(std::iter::empty()),
            Step::Copy {
                source,
                grid,
                tiles,
            } => (*source, grid, tiles.clone(), 0),
            Step::Encode {
                source,
                grid,
                tiles,
                encoder,
                ..
            } => (*source, grid, tiles.clone(), encoder.encode_bound() as u64),
            Step::Plain { source, grid } => (*source, grid, Tiles::All, 0),
        };
        let chunk_bytes = grid
            .chunk_elements()
            .saturating_mul(self.variable.element.size_bytes as u64)
            .max(1);
        let rounded_bytes = self.rounding.as_ref().map_or(0, |_| chunk_bytes);
        let chunk_output_bytes = rounded_bytes.saturating_add(chunk_output_bytes);
        let per_batch = (BATCH_BYTES / chunk_bytes).clamp(1, BATCH_CHUNKS as u64) as usize;
        let mut numbers = tiles.numbers(grid);
        Box::new(std::iter::from_fn(move || {
            let tiles: Vec<u64> = numbers.by_ref().take(per_batch).collect();
            if tiles.is_empty() {
                return None;
            }
            let requests = tiles
                .iter()
                .map(|&tile| self.request(source, grid, tile))
                .collect();
            let output_bytes = chunk_output_bytes.saturating_mul(tiles.len() as u64);
            let meta = Batch {
                variable: self.dataset,
                tiles,
            };
            Some(Task {
                meta,
                requests,
                output_bytes,
            })
        }))
    }

    fn request(&self, source: usize, grid: &ChunkGrid, tile: u64) -> Request {
        match &self.step {
            Step::Copy { .. } => Request::Stored {
                source,
                index: tile,
            },
            Step::Plain { .. } => Request::Values {
                source,
                selection: grid.valid_box(tile),
            },
            Step::None | Step::Encode { .. } => Request::Values {
                source,
                selection: grid.chunk_box(tile),
            },
        }
    }

    /// Raw bytes that a batch stands for, for the progress bar.
    fn raw_bytes(&self, batch: &Batch) -> u64 {
        let grid = match &self.step {
            Step::None => return 0,
            Step::Copy { grid, .. } | Step::Encode { grid, .. } | Step::Plain { grid, .. } => grid,
        };
        let elements: u64 = batch
            .tiles
            .iter()
            .filter_map(|&tile| grid.valid_box(tile).elements())
            .sum();
        elements.saturating_mul(self.variable.element.size_bytes as u64)
    }

    /// Makes chunks ready to be placed.
    fn pack(
        &self,
        batch: &Batch,
        blocks: Vec<Block>,
        scratch: &mut Scratch,
    ) -> Result<Vec<Packed>> {
        let tiles = batch.tiles.iter();
        tiles
            .zip(blocks)
            .map(|(&tile, block)| self.pack_one(tile, block, scratch))
            .collect()
    }

    fn pack_one(&self, tile: u64, block: Block, scratch: &mut Scratch) -> Result<Packed> {
        match (&self.step, block) {
            (Step::Copy { .. }, Block::Stored { bytes, filter_mask }) => Ok(Some(PackedChunk {
                filter_mask,
                bytes,
                rounding: RoundingStats::default(),
            })),
            (Step::Plain { grid, .. }, Block::Values(values)) => {
                let part = grid.valid_box(tile);
                let (bytes, rounding) = match self.round(&values, &part)? {
                    Some(rounded) => rounded,
                    None => (values.into_vec(), RoundingStats::default()),
                };
                Ok(Some(PackedChunk {
                    filter_mask: 0,
                    bytes,
                    rounding,
                }))
            }
            (
                Step::Encode {
                    grid,
                    encoder,
                    omit_fill,
                    ..
                },
                Block::Values(values),
            ) => {
                if *omit_fill && is_all(&values, &self.variable.fill) {
                    return Ok(None);
                }
                let rounded = self.round(&values, &grid.chunk_box(tile))?;
                let (ready, rounding) = match &rounded {
                    Some((bytes, stats)) => (bytes.as_slice(), *stats),
                    None => (&*values, RoundingStats::default()),
                };
                let bytes = encoder
                    .encode(ready, scratch)
                    .map_err(|error| Error::new(error.code(), error.to_string()))?;
                Ok(Some(PackedChunk {
                    filter_mask: 0,
                    bytes,
                    rounding,
                }))
            }
            (_, Block::Absent) => Ok(None),
            _ => Err(Error::new(
                ErrorCode::Internal,
                "an answer to another question",
            )),
        }
    }

    /// Rounds the values of a box, if they are to be rounded.
    fn round(&self, values: &[u8], part: &Selection) -> Result<Option<(Vec<u8>, RoundingStats)>> {
        let rounding = self.rounding.as_ref();
        rounding
            .map(|rounding| rounding.round(values, part))
            .transpose()
    }

    fn slab_address(&self, grid: &ChunkGrid, tile: u64, base: u64) -> Result<u64> {
        let first = sources::linear(grid.shape(), &grid.offset(tile));
        first
            .and_then(|first| first.checked_mul(self.variable.element.size_bytes as u64))
            .and_then(|bytes| bytes.checked_add(base))
            .ok_or_else(|| Error::new(ErrorCode::Internal, "a slab address overflows"))
    }
}

/// Whether bytes are one element over and over.
fn is_all(bytes: &[u8], element: &[u8]) -> bool {
    let size = element.len();
    size > 0
        && bytes.len() >= size
        && bytes[..size] == *element
        && bytes[..bytes.len() - size] == bytes[size..]
}

/// Enters every chunk that might be stored into the index, one byte each: for measuring metadata.
pub(crate) fn place_without_bytes(output: &Hdf5Output, decisions: &Decisions) -> Result<()> {
    for (dataset, route) in decisions.routes.iter().enumerate() {
        let (grid, tiles): (&ChunkGrid, &Tiles) = match route {
            Route::Pack { grid, tiles, .. } => (grid, tiles),
            Route::CopyChunks { source, tiles } => (&decisions.sources[*source].grid, tiles),
            Route::Nothing | Route::Library | Route::Contiguous { .. } => continue,
        };
        for tile in tiles.numbers(grid) {
            output
                .place_chunk(dataset, &grid.offset(tile), 0, 1)
                .map_err(|error| Error::new(error.code(), error.to_string()))?;
        }
    }
    Ok(())
}
