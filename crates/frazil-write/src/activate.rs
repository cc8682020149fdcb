//! From a definition to a variable being written: what is fixed when its first value comes, or when
//! a commit must have its dataset.

use std::sync::Arc;

use frazil_codec::BoundEncoder;
use frazil_container::hdf5::{ExistingVariable, OutputStorage};
use frazil_types::{ErrorCode, FilterPipeline, StorageLayout, VariablePlan, filter_id};

use super::checks::completed;
use super::errors::refused;
use super::layout::{Circumstances, Layout, record_bytes};
use super::repeats::Repeats;
use super::requests::Requested;
use super::rounding;
use super::settings::{FilterRequest, LayoutRequest, VariableSettings};
use super::variable::{Origin, Variable};
use super::writer::{Details, VariableStorage, Writer};
use frazil_container::schema::{Fill, VariableId};
use frazil_file::error::{Error, Result};
use frazil_options::plan_text::OTHER_PLAN;

/// Says that filters are those of the plan.
fn of_plan(error: Error) -> Error {
    let cause = format!("filters of the plan: {}", error.cause);
    Error { cause, ..error }.with_cure(OTHER_PLAN)
}

impl Writer {
    /// The variable as it is written; fixed now if it was not.
    pub(super) fn active(&mut self, id: VariableId) -> Result<Arc<Variable>> {
        if let Some(active) = self.details.get(id.0).and_then(|d| d.active.as_ref()) {
            return Ok(Arc::clone(active));
        }
        self.check_variable(id)?;
        self.check_names()?;
        self.activate(id).map_err(|error| {
            let path = self.schema.variable_path(id);
            error.in_file(&self.path).at_variable(&path)
        })
    }

    fn activate(&mut self, id: VariableId) -> Result<Arc<Variable>> {
        let details = &self.details[id.0];
        if let Some(refusal) = &details.refusal {
            return Err(Error::new(ErrorCode::Unsupported, refusal.clone()));
        }
        let Some(element) = self.schema.variables[id.0].element() else {
            return Err(refused("holds strings or sequences, not numbers"));
        };
        let path = self.schema.variable_path(id);
        let settings = details.settings.clone();
        let existing = details.existing.clone();
        let replayed = self.replayed(&path, &settings);
        let requested = self.requested_of(id)?;
        let precision = requested.precision.as_ref();
        let quantize = match (&existing, &replayed) {
            (Some(_), _) => None,
            (None, Some(plan)) if precision.is_none() => {
                let known = (&self.schema, &self.named);
                let planned = plan.quantize.as_ref();
                let planned = planned.filter(|planned| !self.is_kept(planned.forced));
                rounding::replayed(known, id, planned, settings.statement)
            }
            _ => rounding::plan(
                (&self.schema, &self.named),
                id,
                precision,
                settings.statement,
            )?,
        };
        let cooperation = Arc::clone(&self.cooperation);
        if let Some(plan) = &quantize {
            cooperation.state_rounding(self, id, plan)?;
        }
        let model = &self.schema.variables[id.0];
        let variable = Variable::new(Origin {
            id,
            path,
            element,
            fill: model.fill_bytes().unwrap_or_default(),
            has_fill: model.fill != Fill::Nothing,
            dimensions: model.dimensions.iter().map(|id| id.0).collect(),
            limits: self.schema.limits(id),
            layout: self.layout_of(id, &settings, replayed.as_ref())?,
            requests: self.choice_options(&requested),
            quantize,
            repeats: Repeats::new(
                self.repeats_bytes as usize / self.details.len().max(1),
                self.submission.shared().repeats(),
            ),
            buffers: Arc::clone(&self.buffers),
        })?;
        self.fix_filters(&variable, &settings, &requested, replayed.as_ref())?;
        if !variable.is_contiguous {
            self.submission.leave_scratch(variable.chunk_bytes);
        }
        let variable = Arc::new(variable);
        self.details[id.0].active = Some(Arc::clone(&variable));
        if existing.is_some() && !variable.is_contiguous {
            cooperation.locate(self, &variable)?;
        }
        Ok(variable)
    }

    /// Refuses definitions of which the first value would find that they cannot be. Each is looked at
    /// once: programs may end their definitions after every variable.
    pub(super) fn check_definitions(&mut self) -> Result<()> {
        self.begin()?;
        while let Some(&id) = self.unchecked.last() {
            self.check_definition(id).map_err(|error| {
                let path = self.schema.variable_path(id);
                error.in_file(&self.path).at_variable(&path)
            })?;
            self.unchecked.pop();
        }
        Ok(())
    }

    fn check_definition(&self, id: VariableId) -> Result<()> {
        let details = &self.details[id.0];
        if details.active.is_some() || details.is_in_file {
            return Ok(());
        }
        let requested = self.requested_of(id)?;
        let statement = details.settings.statement;
        rounding::plan(
            (&self.schema, &self.named),
            id,
            requested.precision.as_ref(),
            statement,
        )
        .map(drop)
    }

    /// What another run decided for a variable that asks for nothing.
    pub(super) fn replayed(&self, path: &str, settings: &VariableSettings) -> Option<VariablePlan> {
        let asks_nothing =
            settings.layout == LayoutRequest::Ours && settings.filters == FilterRequest::Ours;
        let plan = self.planned(path).filter(|_| asks_nothing);
        plan.cloned()
    }

    /// What the plan that is replayed says of a variable.
    pub(super) fn planned(&self, path: &str) -> Option<&VariablePlan> {
        let plan = self.options.plan.as_ref()?;
        plan.variables.get(*self.planned_places.get(path)?)
    }

    /// Counts the record of a variable that was added.
    pub(super) fn count_record(&mut self, id: VariableId) {
        let bytes = record_bytes(&self.schema, &self.expected, id);
        self.records_bytes = self.records_bytes.saturating_add(bytes);
    }

    /// Filters that are known without any trial.
    fn fix_filters(
        &mut self,
        variable: &Variable,
        settings: &VariableSettings,
        requested: &Requested,
        replayed: Option<&VariablePlan>,
    ) -> Result<()> {
        if variable.is_contiguous {
            return Ok(());
        }
        let asks_nothing = requested.demand.is_empty();
        let filters = match (
            &self.details[variable.id.0].existing,
            &settings.filters,
            replayed,
        ) {
            (Some(OutputStorage::Chunked { pipeline, .. }), ..) => {
                variable.exactly(pipeline, None)?
            }
            (_, FilterRequest::Exactly(pipeline), _) => {
                let pipeline = completed(pipeline, variable.element, &variable.chunk)?;
                variable.exactly(&pipeline, None)?
            }
            (_, _, Some(plan)) if asks_nothing => {
                completed(&plan.pipeline, variable.element, &variable.chunk)
                    .and_then(|pipeline| variable.exactly(&pipeline, plan.deflate_encoder))
                    .map_err(of_plan)?
            }
            _ if variable.is_tiny() && requested.demand.filters.is_none() => variable.unpacked()?,
            _ => match &requested.chain {
                Some(chain) => {
                    let pipeline = chain.resolve(variable.element, &variable.chunk);
                    variable.exactly(&pipeline, None)?
                }
                // Coordinates are small.
                None if asks_nothing && self.schema.coordinate_of(variable.id).is_some() => {
                    variable.untried()?
                }
                None => return Ok(()),
            },
        };
        self.cooperation
            .fix_filters(&mut self.submission, variable, filters);
        Ok(())
    }

    /// What holds for a variable; nothing for one of an existing file, which has what it has.
    fn requested_of(&self, id: VariableId) -> Result<Requested> {
        let details = &self.details[id.0];
        let existing = details.existing.as_ref().map(|_| VariableSettings {
            filters: FilterRequest::Exactly(FilterPipeline::default()),
            ..details.settings.clone()
        });
        let settings = existing.as_ref().unwrap_or(&details.settings);
        self.requested(&self.schema.variable_path(id), settings)
    }

    fn circumstances(&self, id: VariableId, is_plain: bool) -> Circumstances<'_> {
        Circumstances {
            is_plain,
            schema: &self.schema,
            expected: &self.expected,
            memory_bytes: self.memory_bytes,
            records_bytes: self.records_bytes,
            records_per_commit: self.records_per_commit,
            borders: self.details[id.0].agreed_borders.as_ref(),
            chunk_goal: &self.options.chunk_goal,
        }
    }

    /// Whether it is known that a variable's chunks are not compressed.
    fn is_plain(&self, id: VariableId, filters: &FilterRequest, requested: &Requested) -> bool {
        let compresses = |pipeline: &FilterPipeline| {
            let only_aids = [filter_id::SHUFFLE, filter_id::FLETCHER32];
            (pipeline.0.iter()).any(|filter| !only_aids.contains(&filter.id))
        };
        match (filters, &requested.chain) {
            (FilterRequest::Exactly(pipeline), _) => !compresses(pipeline),
            (FilterRequest::Ours, Some(chain)) => {
                let element = self.schema.variables[id.0].element();
                element.is_some_and(|element| {
                    let whole = vec![1; self.schema.variables[id.0].dimensions.len()];
                    !compresses(&chain.resolve(element, &whole))
                })
            }
            (FilterRequest::Ours, None) => false,
        }
    }

    pub(super) fn layout_of(
        &self,
        id: VariableId,
        settings: &VariableSettings,
        replayed: Option<&VariablePlan>,
    ) -> Result<Layout> {
        let request = match (&self.details[id.0].existing, replayed) {
            (Some(OutputStorage::Chunked { chunk, .. }), _) => {
                LayoutRequest::Chunked(chunk.clone())
            }
            (Some(_), _) => LayoutRequest::Contiguous,
            (None, Some(plan)) => match &plan.layout {
                StorageLayout::Chunked { chunk } => LayoutRequest::Chunked(chunk.clone()),
                StorageLayout::Contiguous => LayoutRequest::Contiguous,
            },
            (None, None) => settings.layout.clone(),
        };
        let requested = self.requested_of(id)?;
        let is_plain = self.is_plain(id, &settings.filters, &requested);
        let circumstances = self.circumstances(id, is_plain);
        let mut layout = circumstances.layout(id, &request)?;
        if self.details[id.0].existing.is_none() && settings.layout == LayoutRequest::Ours {
            layout = circumstances.with_extents(id, layout, &self.options.rules)?;
        }
        let is_filtered = match &settings.filters {
            FilterRequest::Exactly(pipeline) => !pipeline.is_empty(),
            // Its own, not those of rules, which concern what is in chunks.
            FilterRequest::Ours => settings.demand.filters.is_some() && !is_plain,
        };
        if layout.is_contiguous && is_filtered && !layout.chunk.is_empty() {
            // Filters need chunks, if only one.
            return circumstances.layout(id, &LayoutRequest::Chunked(layout.chunk));
        }
        Ok(layout)
    }

    /// How a variable would lie if its first value came now.
    pub(super) fn expected_storage(&self, id: VariableId) -> VariableStorage {
        let settings = &self.details[id.0].settings;
        let replayed = self.replayed(&self.schema.variable_path(id), settings);
        let layout = self.layout_of(id, settings, replayed.as_ref()).ok();
        let chunk = layout.filter(|layout| !layout.is_contiguous);
        let requested = self.requested_of(id).ok();
        let asks_nothing = requested.is_none_or(|requested| requested.demand.is_empty());
        let filters = match (&settings.filters, replayed) {
            (FilterRequest::Exactly(pipeline), _) => Some(pipeline.clone()),
            (FilterRequest::Ours, Some(plan)) if asks_nothing => {
                let element = self.schema.variables[id.0].element();
                let of_chunk = element.zip(chunk.as_ref());
                of_chunk.and_then(|(element, layout)| {
                    completed(&plan.pipeline, element, &layout.chunk).ok()
                })
            }
            (FilterRequest::Ours, _) if chunk.is_none() => Some(FilterPipeline::default()),
            (FilterRequest::Ours, _) => None,
        };
        VariableStorage {
            chunk: chunk.map(|layout| layout.chunk),
            filters,
        }
    }

    // --- existing files ---

    /// Refuses a variable of an existing file into which no values can be put, for its storage, its filters
    /// or the size of its chunks.
    ///
    /// # Errors
    /// The one that the first put would have.
    pub fn check_existing(&self, id: VariableId) -> Result<()> {
        self.check_variable(id)?;
        let details = &self.details[id.0];
        if let Some(refusal) = &details.refusal {
            return Err(Error::new(ErrorCode::Unsupported, refusal.clone()));
        }
        let Some(element) = self.schema.variables[id.0].element() else {
            return Ok(());
        };
        let layout = self.layout_of(id, &details.settings, None)?;
        let Some(OutputStorage::Chunked { pipeline, .. }) = &details.existing else {
            return Ok(());
        };
        let bound = BoundEncoder::bind(pipeline, None, element.size_bytes, layout.chunk_bytes);
        bound.map_err(|error| Error::new(error.code(), error.to_string()))?;
        Ok(())
    }

    /// Takes over what is known of a variable of an existing file.
    pub(super) fn add_existing(&mut self, id: VariableId, found: ExistingVariable) {
        self.count_record(id);
        let variable = &self.schema.variables[id.0];
        self.submission.add_variable();
        let settings = VariableSettings {
            fill: variable.fill.clone(),
            is_big_endian: variable.is_big_endian,
            ..VariableSettings::default()
        };
        self.details.push(Details {
            is_stated: true,
            is_in_file: true,
            existing: Some(found.storage),
            refusal: found.refusal,
            ..Details::new(settings)
        });
    }
}
