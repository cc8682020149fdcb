//! How values of a variable become chunks that are ready to be placed.

use std::borrow::Cow;
use std::sync::Arc;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage, FillStatus, FillTime};
use frazil_pipeline::{ArraySource, Block, ChunkDecoder, Request, Task};
use frazil_types::{ChunkGrid, DeflateEncoder, ErrorCode, FilterPipeline, Selection, is_all};

use crate::routes::{CopyPlan, Decisions};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::sources;
use frazil_precision::{RoundingStats, VariableRounding, stored_form};

/// Small chunks travel together until they make up this many raw bytes.
const BATCH_BYTES: u64 = 256 << 10;
/// ... or this many chunks.
const BATCH_CHUNKS: usize = 256;

/// Some neighbouring chunks (or slabs) of one variable.
pub(super) struct Batch {
    pub(super) variable: usize,
    pub(super) tiles: Vec<u64>,
}

/// A chunk ready to be placed.
pub(super) struct PackedChunk {
    pub(super) filter_mask: u32,
    pub(super) bytes: Vec<u8>,
    pub(super) rounding: RoundingStats,
}

impl PackedChunk {
    /// A chunk that went through all of its filters.
    fn whole(bytes: Vec<u8>, rounding: RoundingStats) -> Self {
        Self {
            filter_mask: 0,
            bytes,
            rounding,
        }
    }
}

/// `None` where the fill value says it all.
pub(super) type Packed = Option<PackedChunk>;

/// The chunks of a batch, and the seconds that packing them took.
pub(super) type PackedBatch = (Vec<Packed>, f64);

/// How the chunks of one variable are made and placed.
pub(super) struct Packing<'a> {
    pub(super) dataset: usize,
    /// As it will be stored.
    variable: Cow<'a, DatasetInfo>,
    /// How values are rounded first.
    rounding: Option<VariableRounding>,
    pub(super) step: Step,
}

pub(super) enum Step {
    /// Nothing to do in the parallel run.
    None,
    /// Copy stored chunks.
    Copy {
        source: usize,
        grid: ChunkGrid,
        tiles: ChunkSubset,
        /// Decodes them to see whether they are sound, if they have filters.
        check: Option<CopyCheck>,
    },
    /// Encode values into chunks.
    Encode {
        source: usize,
        grid: ChunkGrid,
        tiles: ChunkSubset,
        encoder: BoundEncoder,
        omit_fill: bool,
    },
    /// Values without filters, one slab after the other.
    Plain { source: usize, grid: ChunkGrid },
}

/// What is to be done for each variable, in file order.
pub(super) fn packings<'a>(source: &'a Input, decisions: &Decisions) -> Result<Vec<Packing<'a>>> {
    let variables = source.variables().iter().take(decisions.routes.len());
    variables
        .enumerate()
        .map(|(dataset, variable)| Packing::of(dataset, variable, decisions))
        .collect()
}

impl Step {
    fn of(route: &CopyPlan, variable: &DatasetInfo, decisions: &Decisions) -> Result<Self> {
        Ok(match route {
            CopyPlan::Nothing | CopyPlan::Library => Self::None,
            CopyPlan::CopyChunks { source, tiles } => Self::Copy {
                source: *source,
                grid: decisions.sources[*source].grid.clone(),
                tiles: tiles.clone(),
                check: CopyCheck::of(variable, &decisions.sources[*source]),
            },
            CopyPlan::Contiguous { source, grid } => Self::Plain {
                source: *source,
                grid: grid.clone(),
            },
            CopyPlan::Pack {
                source,
                grid,
                tiles,
                pipeline,
                deflate_encoder,
            } => Self::Encode {
                source: *source,
                grid: grid.clone(),
                tiles: tiles.clone(),
                encoder: encoder_for(variable, grid, pipeline, *deflate_encoder)?,
                omit_fill: may_omit_fill(variable),
            },
        })
    }
}

fn encoder_for(
    variable: &DatasetInfo,
    grid: &ChunkGrid,
    pipeline: &FilterPipeline,
    deflate_encoder: Option<DeflateEncoder>,
) -> Result<BoundEncoder> {
    let element_bytes = variable.element.size_bytes;
    let chunk_bytes = usize::try_from(grid.chunk_elements())
        .ok()
        .and_then(|elements| elements.checked_mul(element_bytes))
        .ok_or_else(|| Error::new(ErrorCode::Unsupported, "chunks too large"))?;
    BoundEncoder::bind(pipeline, deflate_encoder, element_bytes, chunk_bytes)
        .map_err(|error| Error::new(error.code(), error.to_string()).at_variable(&variable.path))
}

/// A chunk of nothing but fill need not be stored where readers give the fill value for it. Some
/// readers that do not use libhdf5 give zeros whatever the fill value is: only zeros are left out.
pub(crate) fn may_omit_fill(variable: &DatasetInfo) -> bool {
    variable.fill_time != FillTime::Never
        && variable.fill_status != FillStatus::Undefined
        && variable.fill.iter().all(|&byte| byte == 0)
}

impl<'a> Packing<'a> {
    fn of(dataset: usize, variable: &'a DatasetInfo, decisions: &Decisions) -> Result<Self> {
        let plan = decisions.plans[dataset].quantize.as_ref();
        let stored_form = stored_form(variable, plan);
        let step = Step::of(&decisions.routes[dataset], &stored_form, decisions)?;
        let rounding = plan
            .map(|plan| VariableRounding::bind(plan, variable.element, &variable.shape))
            .transpose()?;
        Ok(Self {
            dataset,
            variable: stored_form,
            rounding,
            step,
        })
    }
}

impl Packing<'_> {
    /// The tasks of this variable, small chunks together.
    pub(super) fn tasks(&self) -> Box<dyn Iterator<Item = Task<Batch>> + Send + '_> {
        let (source, grid, tiles, chunk_output_bytes) = match &self.step {
            Step::None => return Box::new(std::iter::empty()),
            Step::Copy {
                source,
                grid,
                tiles,
                check,
            } => {
                let decoded = check.as_ref().map_or(0, CopyCheck::chunk_bytes);
                (*source, grid, tiles.clone(), decoded)
            }
            Step::Encode {
                source,
                grid,
                tiles,
                encoder,
                ..
            } => (*source, grid, tiles.clone(), encoder.encode_bound() as u64),
            Step::Plain { source, grid } => (*source, grid, ChunkSubset::All, 0),
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
    pub(super) fn raw_bytes(&self, batch: &Batch) -> u64 {
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
    pub(super) fn pack(
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
            (Step::Copy { check, .. }, Block::Stored { bytes, filter_mask }) => {
                if let Some(check) = check {
                    check.look(tile, &bytes, filter_mask, scratch)?;
                }
                Ok(Some(PackedChunk {
                    filter_mask,
                    bytes,
                    rounding: RoundingStats::default(),
                }))
            }
            (Step::Plain { grid, .. }, Block::Values(values)) => {
                let rounded = self.round(&values, &grid.valid_box(tile))?;
                let (bytes, rounding) =
                    rounded.unwrap_or_else(|| (values.into_vec(), RoundingStats::default()));
                Ok(Some(PackedChunk::whole(bytes, rounding)))
            }
            (Step::Encode { omit_fill, .. }, Block::Values(values))
                if *omit_fill && is_all(&values, &self.variable.fill) =>
            {
                Ok(None)
            }
            (Step::Encode { grid, encoder, .. }, Block::Values(values)) => {
                let rounded = self.round(&values, &grid.chunk_box(tile))?;
                let (ready, rounding) = match &rounded {
                    Some((bytes, stats)) => (bytes.as_slice(), *stats),
                    None => (&*values, RoundingStats::default()),
                };
                let bytes = encoder
                    .encode(ready, scratch)
                    .map_err(|error| Error::new(error.code(), error.to_string()))?;
                Ok(Some(PackedChunk::whole(bytes, rounding)))
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

    pub(super) fn slab_address(&self, grid: &ChunkGrid, tile: u64, base: u64) -> Result<u64> {
        let first = sources::linear(grid.shape(), &grid.offset(tile));
        first
            .and_then(|first| first.checked_mul(self.variable.element.size_bytes as u64))
            .and_then(|bytes| bytes.checked_add(base))
            .ok_or_else(|| Error::new(ErrorCode::Internal, "a slab address overflows"))
    }
}

/// Decodes stored chunks that are copied as they are: a damaged one is the input's fault, and must not
/// become the output's.
pub(super) struct CopyCheck {
    decoder: Arc<dyn ChunkDecoder>,
    grid: ChunkGrid,
    chunk_bytes: u64,
    /// Chunks that stick out of the array have no filters.
    raw_partial_edges: bool,
}

impl CopyCheck {
    /// `None`: bytes without filters say nothing of damage.
    fn of(variable: &DatasetInfo, source: &ArraySource) -> Option<Self> {
        let DatasetStorage::Chunked { pipeline, .. } = &variable.storage else {
            return None;
        };
        (!pipeline.is_empty()).then(|| Self {
            decoder: Arc::clone(&source.decoder),
            grid: source.grid.clone(),
            chunk_bytes: (source.grid.chunk_elements()).saturating_mul(source.element_bytes as u64),
            raw_partial_edges: source.raw_partial_edges,
        })
    }

    const fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    fn look(&self, tile: u64, bytes: &[u8], mask: u32, scratch: &mut Scratch) -> Result<()> {
        if self.raw_partial_edges && self.grid.valid_box(tile) != self.grid.chunk_box(tile) {
            return Ok(());
        }
        match self.decoder.decode_start(bytes, mask, scratch) {
            Ok(_) => Ok(()),
            // What nobody here can undo is copied unseen.
            Err(error) if error.code() == ErrorCode::MissingFilter => Ok(()),
            Err(error) => {
                let place = self.grid.offset(tile);
                let cause = format!("chunk at {place:?}: {error}");
                Err(Error::new(error.code(), cause)
                    .with_cure("the file is damaged; copy it again from its source"))
            }
        }
    }
}
