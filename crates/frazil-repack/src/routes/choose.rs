//! Chooses the route of a variable, and enters it with its plan.

use std::collections::HashSet;
use std::sync::Arc;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage, OutputStorage};
use frazil_pipeline::{TilingHint, WantedTiles};
use frazil_plan::{ChunkChoice, FilterChoice};
use frazil_types::{
    ChunkGrid, ErrorCode, FilterPipeline, FilterSpec, QuantizePlan, StorageLayout, VariablePlan,
    filter_id,
};

use super::{Chosen, CopyPlan, Decisions, Fallback};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::sources::{self, AccessPath, Stored, is_sparse};
use frazil_precision::rounding_text;

impl Decisions {
    /// Decides how a variable will lie, and what happens to its values.
    pub(crate) fn add(
        &mut self,
        variable: &DatasetInfo,
        shape: &ChunkChoice,
        reach: AccessPath,
        chosen: Option<Chosen>,
    ) -> Result<()> {
        if variable.is_dimension_only {
            self.placeholder(variable);
            return Ok(());
        }
        if variable.storage == DatasetStorage::Virtual {
            // Its mapping counts, also where its sources have nothing yet.
            self.through_library(variable, shape);
            return Ok(());
        }
        match reach {
            AccessPath::Nothing => {
                self.without_values(variable, shape, chosen.map(|chosen| chosen.filters));
            }
            AccessPath::Library => self.through_library(variable, shape),
            AccessPath::Undecodable(source, stored, missing) => {
                self.undecodable(variable, source, &stored, &missing);
            }
            AccessPath::Parallel(source, stored) => {
                let chosen = chosen.ok_or_else(|| {
                    Error::new(
                        ErrorCode::Internal,
                        "a readable variable without a filter choice",
                    )
                })?;
                self.packed(variable, shape, source, &stored, chosen)?;
            }
        }
        Ok(())
    }

    /// The output is stored like the input.
    fn keep(&mut self, variable: &DatasetInfo, reason: &str, route: CopyPlan) {
        let (layout, pipeline) = match &variable.storage {
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => (chunked(chunk), pipeline.clone()),
            _ => (StorageLayout::Contiguous, FilterPipeline::default()),
        };
        self.push(variable, layout, pipeline, reason, route);
        if let Some(last) = self.storage.last_mut() {
            *last = OutputStorage::Keep;
        }
    }

    /// A netCDF dimension without a variable. netCDF never reads what its dataset holds, but other
    /// programs may: leftover bytes are kept where they are few.
    fn placeholder(&mut self, variable: &DatasetInfo) {
        const FEW_BYTES: u64 = 1 << 20;
        let is_few = variable.raw_bytes().is_some_and(|bytes| bytes <= FEW_BYTES);
        let can_be_copied = match &variable.storage {
            DatasetStorage::Compact | DatasetStorage::Contiguous { .. } => is_few,
            DatasetStorage::Chunked { pipeline, .. } => is_few && is_portable(pipeline),
            DatasetStorage::External | DatasetStorage::Virtual => false,
        };
        let route = match (variable.stored_bytes, can_be_copied) {
            (0, _) => CopyPlan::Nothing,
            (_, true) => CopyPlan::Library,
            (_, false) => {
                self.notices.push(format!(
                    "{}: this dimension without a variable holds bytes that netCDF never reads; \
                     they are left out",
                    variable.path
                ));
                CopyPlan::Nothing
            }
        };
        self.keep(variable, "a dimension without values", route);
    }

    /// Values that never were: only the definition counts.
    fn without_values(
        &mut self,
        variable: &DatasetInfo,
        shape: &ChunkChoice,
        choice: Option<FilterChoice>,
    ) {
        let existing = match &variable.storage {
            DatasetStorage::Chunked { pipeline, .. } => Some(pipeline),
            _ => None,
        };
        let may_chunk = existing.is_some() || variable.may_grow;
        if let (
            false,
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            },
        ) = (variable.element.is_self_contained(), &variable.storage)
        {
            let (layout, pipeline) = (chunked(chunk), portable(pipeline));
            self.push(
                variable,
                layout,
                pipeline,
                "no values yet",
                CopyPlan::Nothing,
            );
            return;
        }
        match &shape.chunk {
            Some(chunk) if may_chunk && !variable.is_null => {
                let pipeline = choice
                    .map(|choice| choice.pipeline)
                    .or_else(|| existing.filter(|one| is_portable(one)).cloned())
                    .unwrap_or_default();
                let reason = "no values yet";
                self.push(
                    variable,
                    chunked(chunk),
                    pipeline,
                    reason,
                    CopyPlan::Nothing,
                );
            }
            _ => self.keep(variable, "no values", CopyPlan::Nothing),
        }
    }

    /// Values under filters that nobody here decodes.
    fn undecodable(
        &mut self,
        variable: &DatasetInfo,
        source: usize,
        stored: &Stored,
        missing: &[FilterSpec],
    ) {
        self.notices.push(format!(
            "{}: {}; its chunks are copied as stored ({})",
            variable.path,
            sources::missing_filter_text(missing),
            frazil_codec::cure_for(missing[0].id)
        ));
        let tiles = ChunkSubset::stored(stored);
        let route = CopyPlan::CopyChunks { source, tiles };
        self.keep(variable, "kept: undecodable", route);
    }

    /// Values that only libhdf5 can copy.
    fn through_library(&mut self, variable: &DatasetInfo, shape: &ChunkChoice) {
        match &variable.storage {
            DatasetStorage::Virtual => {
                self.notices.push(format!(
                    "{}: a virtual dataset is kept as a mapping; it needs HDF5 1.10 or newer and \
                     its source files",
                    variable.path
                ));
                self.keep(variable, "kept: virtual", CopyPlan::Nothing);
            }
            DatasetStorage::External => {
                self.notices.push(format!(
                    "{}: values in external files are now inside this one",
                    variable.path
                ));
                let layout = match &shape.chunk {
                    Some(chunk) if variable.may_grow => chunked(chunk),
                    _ => StorageLayout::Contiguous,
                };
                let reason = "external values brought inside";
                self.push(
                    variable,
                    layout,
                    FilterPipeline::default(),
                    reason,
                    CopyPlan::Library,
                );
            }
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => {
                let (pipeline, reason) = match variable.element.is_self_contained() {
                    true => (default_pipeline(variable), "decoded by a plugin"),
                    false => (
                        portable(pipeline),
                        "heap data or references: only the layout counts",
                    ),
                };
                self.push(
                    variable,
                    chunked(chunk),
                    pipeline,
                    reason,
                    CopyPlan::Library,
                );
            }
            DatasetStorage::Compact | DatasetStorage::Contiguous { .. } => {
                let reason = "kept: small, heap data or references";
                self.keep(variable, reason, CopyPlan::Library);
            }
        }
    }

    /// Values that we gather and encode, or whose chunks we copy.
    fn packed(
        &mut self,
        variable: &DatasetInfo,
        shape: &ChunkChoice,
        source: usize,
        stored: &Stored,
        chosen: Chosen,
    ) -> Result<()> {
        let reason = reason_of(shape, &chosen);
        let may_stay = chosen.filters.may_stay;
        let must_chunk = variable.may_grow || is_sparse(variable, &self.sources[source], stored);
        let least_share = chosen.filters.least_ratio;
        let Chosen { filters, quantize } = chosen;
        let may_chunk =
            must_chunk || shape.is_stated || !filters.pipeline.is_empty() || filters.keep_current;
        let Some(chunk) = shape.chunk.as_ref().filter(|_| may_chunk) else {
            self.contiguous(variable, source, stored, &reason)?;
            self.quantize_last(quantize);
            if may_stay {
                self.stay_if_smaller(variable, source, stored)?;
            }
            return Ok(());
        };
        // The same filters may be made with more effort than the input's were.
        let is_copied = filters.keep_current || filters.deflate_encoder.is_none();
        let is_same = is_copied && is_stored_as(variable, chunk, &filters.pipeline);
        if is_same && quantize.is_none() && !self.sources[source].raw_partial_edges {
            let tiles = ChunkSubset::stored(stored);
            let route = CopyPlan::CopyChunks { source, tiles };
            self.push(variable, chunked(chunk), filters.pipeline, &reason, route);
            return Ok(());
        }
        let route = self.encoding(variable, chunk, source, stored, &filters)?;
        self.push(variable, chunked(chunk), filters.pipeline, &reason, route);
        if let Some(last) = self.uncertainties.last_mut() {
            *last = filters.uncertainty;
        }
        if let (Some(plan), Some(raw)) = (self.plans.last_mut(), variable.raw_bytes()) {
            plan.predicted_bytes = Some((raw as f64 * filters.predicted_ratio) as u64);
        }
        self.quantize_last(quantize);
        if may_stay && let Some(last) = self.fallbacks.last_mut() {
            *last = Fallback::of(variable, Some(chunk), source, stored)?;
            self.stay_if_larger(variable, least_share);
        }
        Ok(())
    }

    /// Lets the last variable lie as in the input where it is to get larger in any case.
    fn stay_if_larger(&mut self, variable: &DatasetInfo, least_share: f64) {
        let least_bytes = least_share * variable.raw_bytes().unwrap_or(0) as f64;
        let number = self.fallbacks.len() - 1;
        let most_bytes = self.fallbacks[number].as_ref().map(|one| one.most_bytes);
        if most_bytes.is_some_and(|most| least_bytes > most as f64) {
            self.fall_back(number);
        }
    }

    /// Lets a variable that was to lie in one run lie as in the input, where that takes less.
    fn stay_if_smaller(
        &mut self,
        variable: &DatasetInfo,
        source: usize,
        stored: &Stored,
    ) -> Result<()> {
        let fallback = Fallback::of(variable, None, source, stored)?;
        let raw_bytes = variable.raw_bytes().unwrap_or(u64::MAX);
        let number = self.fallbacks.len() - 1;
        if fallback
            .as_ref()
            .is_some_and(|one| raw_bytes > one.most_bytes)
        {
            self.fallbacks[number] = fallback;
            self.fall_back(number);
        }
        Ok(())
    }

    /// The route of values that we gather and encode.
    fn encoding(
        &mut self,
        variable: &DatasetInfo,
        chunk: &[u64],
        source: usize,
        stored: &Stored,
        choice: &FilterChoice,
    ) -> Result<CopyPlan> {
        let grid = sources::grid(variable, chunk)?;
        let tiles = ChunkSubset::holding(&grid, &self.sources[source], stored);
        self.hint(source, &grid, &tiles);
        Ok(CopyPlan::Pack {
            source,
            grid,
            tiles,
            pipeline: choice.pipeline.clone(),
            deflate_encoder: choice.deflate_encoder,
        })
    }

    /// Values that lie in one run.
    fn contiguous(
        &mut self,
        variable: &DatasetInfo,
        source: usize,
        stored: &Stored,
        reason: &str,
    ) -> Result<()> {
        let slab = sources::slab_shape(&variable.shape, variable.element.size_bytes as u64, None);
        let grid = sources::grid(variable, &slab)?;
        self.hint(source, &grid, &ChunkSubset::All);
        let nothing_stored = matches!(stored, Stored::Records(records) if records.is_empty());
        let route = if nothing_stored {
            CopyPlan::Nothing
        } else {
            CopyPlan::Contiguous { source, grid }
        };
        let is_nothing = matches!(route, CopyPlan::Nothing);
        let (layout, pipeline) = (StorageLayout::Contiguous, FilterPipeline::default());
        self.push(variable, layout, pipeline, reason, route);
        if let Some(plan) = self.plans.last_mut().filter(|_| !is_nothing) {
            plan.predicted_bytes = variable.raw_bytes();
        }
        Ok(())
    }

    /// Sets the precision of the variable that was added last.
    fn quantize_last(&mut self, quantize: Option<QuantizePlan>) {
        if let Some(plan) = self.plans.last_mut() {
            plan.quantize = quantize;
        }
    }

    fn hint(&mut self, source: usize, grid: &ChunkGrid, tiles: &ChunkSubset) {
        let wanted = match tiles {
            ChunkSubset::All => WantedTiles::All,
            ChunkSubset::Some(numbers) => {
                WantedTiles::Some(Arc::new(numbers.iter().copied().collect::<HashSet<_>>()))
            }
        };
        self.sources[source].tiling = Some(TilingHint {
            grid: grid.clone(),
            wanted,
        });
    }

    /// Enters a variable: one row of three parallel tables.
    fn push(
        &mut self,
        variable: &DatasetInfo,
        layout: StorageLayout,
        pipeline: FilterPipeline,
        reason: &str,
        route: CopyPlan,
    ) {
        self.storage.push(match &layout {
            StorageLayout::Contiguous => OutputStorage::Contiguous,
            StorageLayout::Chunked { chunk } => OutputStorage::Chunked {
                chunk: chunk.clone(),
                pipeline: pipeline.clone(),
            },
        });
        self.plans.push(VariablePlan {
            path: variable.path.clone(),
            layout,
            quantize: None,
            pipeline,
            deflate_encoder: match &route {
                CopyPlan::Pack {
                    deflate_encoder, ..
                } => *deflate_encoder,
                _ => None,
            },
            copy_raw: matches!(route, CopyPlan::CopyChunks { .. }),
            predicted_bytes: Some(variable.stored_bytes),
            cache: None,
            reason: reason.to_owned(),
        });
        self.routes.push(route);
        self.fallbacks.push(None);
        self.uncertainties.push(0.0);
    }
}

fn chunked(chunk: &[u64]) -> StorageLayout {
    StorageLayout::Chunked {
        chunk: chunk.to_vec(),
    }
}

/// Why a variable will lie as it will.
fn reason_of(shape: &ChunkChoice, chosen: &Chosen) -> String {
    let reason = format!("{}; {}", shape.reason, chosen.filters.reason);
    match &chosen.quantize {
        Some(plan) => format!("{reason}; {}", rounding_text(plan)),
        None => reason,
    }
}

fn is_builtin(id: i32) -> bool {
    [
        filter_id::DEFLATE,
        filter_id::SHUFFLE,
        filter_id::FLETCHER32,
    ]
    .contains(&id)
}

fn is_portable(pipeline: &FilterPipeline) -> bool {
    pipeline.0.iter().all(|filter| is_builtin(filter.id))
}

/// Filters for heap data and references, which libhdf5 encodes: the built-in ones of the input; deflate
/// in place of another compressor.
fn portable(pipeline: &FilterPipeline) -> FilterPipeline {
    let builtin = pipeline.0.iter().filter(|filter| is_builtin(filter.id));
    let mut kept = FilterPipeline(builtin.cloned().collect());
    if !is_portable(pipeline) && !kept.contains(filter_id::DEFLATE) {
        let before_checksum = kept.position(filter_id::FLETCHER32).unwrap_or(kept.0.len());
        let deflate = FilterSpec::new(filter_id::DEFLATE, vec![4]);
        kept.0.insert(before_checksum, deflate);
    }
    kept
}

fn is_stored_as(variable: &DatasetInfo, chunk: &[u64], pipeline: &FilterPipeline) -> bool {
    let DatasetStorage::Chunked {
        chunk: current,
        pipeline: filters,
        ..
    } = &variable.storage
    else {
        return false;
    };
    let filters = filters.0.iter().map(|one| (one.id, &one.cd_values));
    let wanted = pipeline.0.iter().map(|one| (one.id, &one.cd_values));
    current == chunk && filters.eq(wanted)
}

/// Shuffle and deflate 4, for values that libhdf5 itself encodes.
fn default_pipeline(variable: &DatasetInfo) -> FilterPipeline {
    let size = u32::try_from(variable.element.size_bytes).unwrap_or(1);
    FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![size]),
        FilterSpec::new(filter_id::DEFLATE, vec![4]),
    ])
}
