//! What a variable falls back on where what was chosen for it comes out larger: its values as they
//! are in the input.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage, OutputStorage};
use frazil_plan::index_bytes;
use frazil_types::{FilterPipeline, StorageLayout};

use super::{CopyPlan, Decisions};
use crate::input_filters::keeps_filters;
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::Result;
use frazil_file::sources::{self, Stored};

/// No variable ends larger than in the input by more than this share of it: one part in so many.
const GROWTH_SHARE: u64 = 200;

/// How a variable is stored in the input, as it may be stored in the output.
pub(crate) struct Fallback {
    /// Its stored bytes are not to be more.
    pub most_bytes: u64,
    /// What it is in the input.
    stored_bytes: u64,
    layout: StorageLayout,
    pipeline: FilterPipeline,
    route: CopyPlan,
}

impl Fallback {
    /// The input's chunks, copied, or its values in one run; `chunk`: the shape that was chosen. `None`
    /// where values cannot stay as they are.
    pub(super) fn of(
        variable: &DatasetInfo,
        chunk: Option<&[u64]>,
        source: usize,
        stored: &Stored,
    ) -> Result<Option<Self>> {
        let index_of =
            |chunk: Option<&[u64]>| chunk.map_or(0, |chunk| index_bytes(&variable.shape, chunk));
        let (layout, pipeline, route, current) = match &variable.storage {
            DatasetStorage::Chunked {
                chunk,
                pipeline,
                raw_partial_edges: false,
            } if keeps_filters(variable) => {
                let tiles = ChunkSubset::stored(stored);
                let route = CopyPlan::CopyChunks { source, tiles };
                let layout = StorageLayout::Chunked {
                    chunk: chunk.clone(),
                };
                (layout, pipeline.clone(), route, Some(chunk.as_slice()))
            }
            DatasetStorage::Contiguous { .. } | DatasetStorage::Compact if !variable.may_grow => {
                let size = variable.element.size_bytes as u64;
                let slab = sources::slab_shape(&variable.shape, size, None);
                let grid = sources::grid(variable, &slab)?;
                let route = CopyPlan::Contiguous { source, grid };
                let pipeline = FilterPipeline::default();
                (StorageLayout::Contiguous, pipeline, route, None)
            }
            _ => return Ok(None),
        };
        let now = variable.stored_bytes.saturating_add(index_of(current));
        let most = now.saturating_add(now / GROWTH_SHARE);
        Ok(Some(Self {
            most_bytes: most.saturating_sub(index_of(chunk)),
            stored_bytes: variable.stored_bytes,
            layout,
            pipeline,
            route,
        }))
    }
}

impl Decisions {
    /// Lets a variable lie as in the input: what was chosen came out larger. If it was to be rounded, it stays
    /// exact, as every bound allows.
    pub(crate) fn fall_back(&mut self, number: usize) {
        let Some(fallback) = self.fallbacks[number].take() else {
            return;
        };
        if let CopyPlan::CopyChunks { source, .. } | CopyPlan::Contiguous { source, .. } =
            &fallback.route
        {
            // Chunks of the input are no longer wanted in the order of others.
            self.sources[*source].tiling = None;
        }
        self.uncertainties[number] = 0.0;
        let plan = &mut self.plans[number];
        let chosen = match plan.pipeline.is_empty() {
            true => "storing it without filters".to_owned(),
            false => plan.pipeline.summary(),
        };
        plan.predicted_bytes = Some(fallback.stored_bytes);
        plan.reason = match plan.quantize.take() {
            None => format!("as in the input: {chosen} makes it larger"),
            Some(_) => {
                self.not_rounded.push(plan.path.clone());
                format!("as in the input: rounding and {chosen} make it larger")
            }
        };
        plan.pipeline = fallback.pipeline.clone();
        plan.layout = fallback.layout;
        plan.deflate_encoder = None;
        plan.copy_raw = matches!(fallback.route, CopyPlan::CopyChunks { .. });
        self.storage[number] = match &plan.layout {
            StorageLayout::Contiguous => OutputStorage::Contiguous,
            StorageLayout::Chunked { chunk } => OutputStorage::Chunked {
                chunk: chunk.clone(),
                pipeline: fallback.pipeline,
            },
        };
        self.routes[number] = fallback.route;
    }
}
