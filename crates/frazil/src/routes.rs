//! What happens to each variable: where its values come from and how they will lie.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use frazil_container::hdf5::{Additions, DatasetInfo, DatasetStorage, OutputStorage};
use frazil_pipeline::{ArraySource, TilingHint, WantedTiles};
use frazil_plan::{ChunkChoice, FilterChoice};
use frazil_types::{
    ChunkGrid, DeflateEncoder, ErrorCode, FilterPipeline, FilterSpec, QuantizePlan, StorageLayout,
    VariablePlan, filter_id,
};

use crate::error::{Error, Result};
use crate::precision::rounding_text;
use crate::precision::rules::PrecisionRule;
use crate::sources::{self, Access, Stored};

/// What happens to one variable's values.
pub(crate) enum Route {
    /// Nothing: there are none, or the definition already says it all.
    Nothing,
    /// libhdf5 copies them.
    Library,
    /// Stored chunks are copied as they are.
    CopyChunks {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// Chunks to copy.
        tiles: Tiles,
    },
    /// Values are gathered into output chunks and encoded.
    Pack {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// The output's chunks.
        grid: ChunkGrid,
        /// Which of them to make.
        tiles: Tiles,
        /// Filters of the output.
        pipeline: FilterPipeline,
        /// Encoder behind a deflate stage.
        deflate_encoder: Option<DeflateEncoder>,
    },
    /// Values are gathered into slabs of one contiguous run.
    Contiguous {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// Slabs, contiguous in the output.
        grid: ChunkGrid,
    },
}

/// Which chunks of a grid are to be made.
#[derive(Debug, Clone)]
pub(crate) enum Tiles {
    /// Every one.
    All,
    /// These linear numbers, ascending.
    Some(Arc<Vec<u64>>),
}

impl Tiles {
    /// The linear numbers, ascending.
    pub(crate) fn numbers(&self, grid: &ChunkGrid) -> Box<dyn Iterator<Item = u64> + Send> {
        match self {
            Self::All => Box::new(0..grid.chunk_count()),
            Self::Some(numbers) => {
                let numbers = Arc::clone(numbers);
                Box::new((0..numbers.len()).map(move |i| numbers[i]))
            }
        }
    }
}

/// Everything decided about one file.
pub(crate) struct Decisions {
    /// Plans in file order.
    pub(crate) plans: Vec<VariablePlan>,
    /// Routes in file order.
    pub(crate) routes: Vec<Route>,
    /// Storage classes for the container, in file order.
    pub(crate) storage: Vec<OutputStorage>,
    /// Sources that routes refer to.
    pub(crate) sources: Vec<ArraySource>,
    /// What the output has beside what it copies.
    pub(crate) additions: Additions,
    /// The decisions about precision as rules.
    pub(crate) precision_rules: Vec<PrecisionRule>,
    /// What the user should know.
    pub(crate) notices: Vec<String>,
    /// By variable: what filters make of samples, where they were compared.
    pub(crate) filters_tried: Vec<Vec<(String, f64)>>,
    /// In a dry run: what one thread would take to encode everything, by the speed of the trials.
    pub(crate) predicted_seconds: f64,
}

/// What was chosen for the values of one variable.
pub(crate) struct Chosen {
    pub(crate) filters: FilterChoice,
    pub(crate) quantize: Option<QuantizePlan>,
}

/// How a variable can be reached, its source by number.
pub(crate) enum Reach {
    Parallel(usize, Stored),
    Undecodable(usize, Stored, Vec<FilterSpec>),
    Library,
    Nothing,
}

impl Decisions {
    pub(crate) fn new() -> Self {
        Self {
            plans: Vec::new(),
            routes: Vec::new(),
            storage: Vec::new(),
            sources: Vec::new(),
            additions: Additions::default(),
            precision_rules: Vec::new(),
            notices: Vec::new(),
            filters_tried: Vec::new(),
            predicted_seconds: 0.0,
        }
    }

    /// Takes over a variable's source.
    pub(crate) fn reach(&mut self, access: Access) -> Reach {
        match access {
            Access::Parallel(source, stored) => {
                self.sources.push(source);
                Reach::Parallel(self.sources.len() - 1, stored)
            }
            Access::Undecodable(source, stored, missing) => {
                self.sources.push(source);
                Reach::Undecodable(self.sources.len() - 1, stored, missing)
            }
            Access::Library => Reach::Library,
            Access::Nothing => Reach::Nothing,
        }
    }

    /// Takes the filters away from what is stored like the input or copied by libhdf5.
    pub(crate) fn strip_filters(&mut self, variables: &[DatasetInfo]) {
        for (i, variable) in variables.iter().enumerate() {
            let DatasetStorage::Chunked { chunk, .. } = &variable.storage else {
                continue;
            };
            if variable.is_dimension_only || variable.storage == DatasetStorage::Virtual {
                continue;
            }
            self.plans[i].pipeline = checksum_only(variable);
            match &mut self.storage[i] {
                OutputStorage::Chunked { pipeline, .. } => *pipeline = checksum_only(variable),
                kept @ OutputStorage::Keep => {
                    let pipeline = checksum_only(variable);
                    *kept = OutputStorage::Chunked {
                        chunk: chunk.clone(),
                        pipeline,
                    };
                }
                OutputStorage::Contiguous => {}
            }
        }
    }

    pub(crate) fn add(
        &mut self,
        variable: &DatasetInfo,
        shape: &ChunkChoice,
        reach: Reach,
        chosen: Option<Chosen>,
    ) -> Result<()> {
        if variable.is_dimension_only {
            self.keep(variable, "a dimension without values", Route::Nothing);
            return Ok(());
        }
        match reach {
            Reach::Nothing => {
                self.without_values(variable, shape, chosen.map(|chosen| chosen.filters));
            }
            Reach::Library => self.through_library(variable),
            Reach::Undecodable(source, stored, missing) => {
                self.notices.push(format!(
                    "{}: {}; its chunks are copied as stored ({})",
                    variable.path,
                    sources::missing_filter_text(&missing),
                    frazil_codec::cure_for(missing[0].id)
                ));
                let tiles = record_tiles(&stored);
                self.keep(
                    variable,
                    "kept: undecodable",
                    Route::CopyChunks { source, tiles },
                );
            }
            Reach::Parallel(source, stored) => {
                let chosen = chosen.ok_or_else(|| {
                    Error::new(
                        ErrorCode::Internal,
                        "a readable variable without a filter choice",
                    )
                })?;
                return self.packed(variable, shape, source, &stored, chosen);
            }
        }
        Ok(())
    }

    /// The output is stored like the input.
    fn keep(&mut self, variable: &DatasetInfo, reason: &str, route: Route) {
        let (layout, pipeline) = match &variable.storage {
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => (
                StorageLayout::Chunked {
                    chunk: chunk.clone(),
                },
                pipeline.clone(),
            ),
            _ => (StorageLayout::Contiguous, FilterPipeline::default()),
        };
        let copy_raw = matches!(route, Route::CopyChunks { .. });
        self.push(variable, layout, pipeline, None, copy_raw, reason, route);
        if let Some(last) = self.storage.last_mut() {
            *last = OutputStorage::Keep;
        }
    }

    /// Values that never were: only the definition counts.
    fn without_values(
        &mut self,
        variable: &DatasetInfo,
        shape: &ChunkChoice,
        choice: Option<FilterChoice>,
    ) {
        let compact = !matches!(variable.storage, DatasetStorage::Chunked { .. });
        let chunk = shape
            .chunk
            .clone()
            .filter(|_| !compact || has_unlimited(variable));
        match (chunk, &variable.storage) {
            (Some(chunk), storage) if !variable.is_null => {
                let existing = match storage {
                    DatasetStorage::Chunked { pipeline, .. } => Some(pipeline.clone()),
                    _ => None,
                };
                let pipeline = choice
                    .map(|choice| choice.pipeline)
                    .or_else(|| existing.filter(is_portable))
                    .unwrap_or_default();
                let layout = StorageLayout::Chunked { chunk };
                self.push(
                    variable,
                    layout,
                    pipeline,
                    None,
                    false,
                    "no values yet",
                    Route::Nothing,
                );
            }
            _ => self.keep(variable, "no values", Route::Nothing),
        }
    }

    /// Values that only libhdf5 can copy.
    fn through_library(&mut self, variable: &DatasetInfo) {
        match &variable.storage {
            DatasetStorage::Virtual => {
                self.notices.push(format!(
                    "{}: a virtual dataset is kept as a mapping; it needs HDF5 1.10 or newer and \
                     its source files",
                    variable.path
                ));
                self.keep(variable, "kept: virtual", Route::Nothing);
            }
            DatasetStorage::External => {
                self.notices.push(format!(
                    "{}: values in external files are now inside this one",
                    variable.path
                ));
                self.push(
                    variable,
                    StorageLayout::Contiguous,
                    FilterPipeline::default(),
                    None,
                    false,
                    "external values brought inside",
                    Route::Library,
                );
            }
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => {
                let decodable_only_by_plugin = variable.element.is_self_contained();
                let pipeline = if decodable_only_by_plugin {
                    default_pipeline(variable)
                } else {
                    FilterPipeline(
                        pipeline
                            .0
                            .iter()
                            .filter(|f| is_builtin(f.id))
                            .cloned()
                            .collect(),
                    )
                };
                let layout = StorageLayout::Chunked {
                    chunk: chunk.clone(),
                };
                let reason = if decodable_only_by_plugin {
                    "decoded by a plugin"
                } else {
                    "heap data or references: only the layout counts"
                };
                self.push(
                    variable,
                    layout,
                    pipeline,
                    None,
                    false,
                    reason,
                    Route::Library,
                );
            }
            DatasetStorage::Compact | DatasetStorage::Contiguous { .. } => {
                self.keep(
                    variable,
                    "kept: small, heap data or references",
                    Route::Library,
                );
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
        let Chosen {
            filters: choice,
            quantize,
        } = chosen;
        let mut reason = format!("{}; {}", shape.reason, choice.reason);
        if let Some(plan) = &quantize {
            reason = format!("{reason}; {}", rounding_text(&plan.rounding));
        }
        let must_chunk =
            has_unlimited(variable) || is_sparse(variable, &self.sources[source], stored);
        let chunk = match &shape.chunk {
            Some(chunk) if must_chunk || !choice.pipeline.is_empty() || choice.keep_current => {
                Some(chunk)
            }
            _ => None,
        };
        let Some(chunk) = chunk else {
            self.contiguous(variable, source, stored, &reason)?;
            self.quantize_last(quantize);
            return Ok(());
        };
        let layout = StorageLayout::Chunked {
            chunk: chunk.clone(),
        };
        let same = is_stored_as(variable, chunk, &choice.pipeline);
        if same && quantize.is_none() && !self.sources[source].raw_partial_edges {
            let route = Route::CopyChunks {
                source,
                tiles: record_tiles(stored),
            };
            self.push(
                variable,
                layout,
                choice.pipeline,
                None,
                true,
                &reason,
                route,
            );
            return Ok(());
        }
        let grid = sources::grid(variable, chunk)?;
        let tiles = tiles_for(&grid, &self.sources[source], stored);
        self.hint(source, &grid, &tiles);
        let (pipeline, deflate_encoder) = (choice.pipeline.clone(), choice.deflate_encoder);
        let route = Route::Pack {
            source,
            grid,
            tiles,
            pipeline: pipeline.clone(),
            deflate_encoder,
        };
        self.push(
            variable,
            layout,
            pipeline,
            deflate_encoder,
            false,
            &reason,
            route,
        );
        if let (Some(plan), Some(raw)) = (self.plans.last_mut(), variable.raw_bytes()) {
            plan.predicted_bytes = Some((raw as f64 * choice.predicted_ratio) as u64);
        }
        self.quantize_last(quantize);
        Ok(())
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
        self.hint(source, &grid, &Tiles::All);
        let nothing_stored = matches!(stored, Stored::Records(records) if records.is_empty());
        let route = if nothing_stored {
            Route::Nothing
        } else {
            Route::Contiguous { source, grid }
        };
        let (layout, pipeline) = (StorageLayout::Contiguous, FilterPipeline::default());
        self.push(variable, layout, pipeline, None, false, reason, route);
        Ok(())
    }

    /// Sets the precision of the variable that was added last.
    fn quantize_last(&mut self, quantize: Option<QuantizePlan>) {
        if let Some(plan) = self.plans.last_mut() {
            plan.quantize = quantize;
        }
    }

    fn hint(&mut self, source: usize, grid: &ChunkGrid, tiles: &Tiles) {
        let wanted = match tiles {
            Tiles::All => WantedTiles::All,
            Tiles::Some(numbers) => {
                WantedTiles::Some(Arc::new(numbers.iter().copied().collect::<HashSet<_>>()))
            }
        };
        self.sources[source].tiling = Some(TilingHint {
            grid: grid.clone(),
            wanted,
        });
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one row of three parallel tables"
    )]
    fn push(
        &mut self,
        variable: &DatasetInfo,
        layout: StorageLayout,
        pipeline: FilterPipeline,
        deflate_encoder: Option<DeflateEncoder>,
        copy_raw: bool,
        reason: &str,
        route: Route,
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
            deflate_encoder,
            copy_raw,
            predicted_bytes: Some(variable.stored_bytes),
            cache: None,
            reason: reason.to_owned(),
        });
        self.routes.push(route);
    }
}

/// A variable's Fletcher-32 stage, if it has one, without the rest of its filters.
pub(crate) fn checksum_only(variable: &DatasetInfo) -> FilterPipeline {
    let DatasetStorage::Chunked { pipeline, .. } = &variable.storage else {
        return FilterPipeline::default();
    };
    let is_checksum = |filter: &&FilterSpec| filter.id == filter_id::FLETCHER32;
    FilterPipeline(pipeline.0.iter().filter(is_checksum).cloned().collect())
}

/// Whether less than half of a variable was ever written: a contiguous copy would spell out fill
/// values, however many the file's shape claims.
fn is_sparse(variable: &DatasetInfo, source: &ArraySource, stored: &Stored) -> bool {
    let Stored::Records(records) = stored else {
        return false;
    };
    let stored_elements = source
        .grid
        .chunk_elements()
        .saturating_mul(records.len() as u64);
    !records.is_empty()
        && variable
            .elements()
            .is_none_or(|all| stored_elements < all / 2)
}

fn has_unlimited(variable: &DatasetInfo) -> bool {
    variable.unlimited.contains(&true)
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

fn is_stored_as(variable: &DatasetInfo, chunk: &[u64], pipeline: &FilterPipeline) -> bool {
    match &variable.storage {
        DatasetStorage::Chunked {
            chunk: current,
            pipeline: filters,
            ..
        } => {
            let ids = |p: &FilterPipeline| -> Vec<(i32, Vec<u32>)> {
                p.0.iter().map(|f| (f.id, f.cd_values.clone())).collect()
            };
            current == chunk && ids(filters) == ids(pipeline)
        }
        _ => false,
    }
}

/// Shuffle and deflate 4, for values that libhdf5 itself encodes.
fn default_pipeline(variable: &DatasetInfo) -> FilterPipeline {
    let size = u32::try_from(variable.element.size_bytes).unwrap_or(1);
    FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![size]),
        FilterSpec::new(filter_id::DEFLATE, vec![4]),
    ])
}

fn record_tiles(stored: &Stored) -> Tiles {
    match stored {
        Stored::All => Tiles::All,
        Stored::Records(records) => Tiles::Some(Arc::new(
            records.iter().map(|record| record.index).collect(),
        )),
    }
}

/// The output chunks that hold anything: all of them, or those that stored chunks overlap.
fn tiles_for(grid: &ChunkGrid, source: &ArraySource, stored: &Stored) -> Tiles {
    let Stored::Records(records) = stored else {
        return Tiles::All;
    };
    if records.len() as u64 == source.grid.chunk_count() {
        return Tiles::All;
    }
    let mut tiles = BTreeSet::new();
    for record in records {
        tiles.extend(grid.chunks_in(&source.grid.valid_box(record.index)));
    }
    Tiles::Some(Arc::new(tiles.into_iter().collect()))
}
