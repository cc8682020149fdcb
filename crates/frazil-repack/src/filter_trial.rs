//! Filters are tried on samples of every readable variable, in parallel.

use std::borrow::Cow;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage, is_storable_chunk};
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, Task};
use frazil_plan::{
    ChunkChoice, CurrentStorage, FilterChoice, FilterOptions, SamplePlan, Whole, choose_filters,
    index_bytes, sample_plan, share,
};
use frazil_types::{
    ErrorCode, FilterConstraints, FilterPipeline, FilterSpec, LayoutProfile, QuantizePlan,
    Selection, VariablePlan, completed, filter_id,
};

use crate::compared::{Compared, compare, encode_with};
use crate::compared_plans::{fair_share, most_sampled_of_each};
use crate::input_filters::{checksum_only, keeps_filters};
use crate::known_sizes::{Encodings, KnownSizes};
use crate::planning::Depth;
use crate::sample_boxes::{SampleBox, sample_boxes};
use crate::sample_run::SampleRun;
use crate::sample_sources::sample_source;
use crate::sample_windows::sample_windows;
use crate::samples::{Parts, Samples, Values, touched_bytes};
use crate::shapes::{AS_PLANNED, planned};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::sources::{AccessPath, Stored, is_sparse};
use frazil_options::filter_options::requests;
use frazil_options::options::PackOptions;
use frazil_options::plan_text::OTHER_PLAN;
use frazil_precision::{VariableRounding, stored_form};

/// Samples of a variable take no more than one byte in so many of the memory that there is.
const MEMORY_SHARE: u64 = 32;

/// That much is sampled of all variables together where only their filters are asked for, and of each at least.
const SAMPLED_OF_RIVALS: u64 = 1 << 20;
const LEAST_OF_RIVAL: u64 = 32 << 10;

/// The outcome of one variable's trial.
pub(crate) struct Tried {
    pub choice: FilterChoice,
    /// In a dry run: what one thread took to encode one raw byte.
    pub(crate) seconds_per_byte: f64,
    /// Where filters are compared: what each makes of the samples.
    pub compared: Vec<Compared>,
    /// What one thread would have taken for trials that other plans had made.
    pub(crate) spared_seconds: f64,
}

/// A trial of filters on samples of all variables of a file.
pub(crate) struct Trial<'a> {
    pub input: &'a Input,
    pub shapes: &'a [ChunkChoice],
    pub reaches: &'a [AccessPath],
    pub sources: &'a [ArraySource],
    /// How values will be rounded: samples are rounded first.
    pub precision: &'a [Option<QuantizePlan>],
    /// What rules demand of the filters.
    pub demands: &'a [FilterConstraints],
    pub options: &'a PackOptions,
    pub(crate) depth: Depth,
    /// What other plans of the file made of samples.
    pub(crate) known: Option<&'a KnownSizes>,
    /// In file order, the variables that this is about, in rivals of their chunk shapes; `None`: all.
    pub(crate) among: Option<&'a [bool]>,
}

impl Trial<'_> {
    /// Tries filters on samples of every readable variable, in parallel.
    pub(crate) fn try_filters(&self, budget: &MemoryBudget) -> Result<Vec<Option<Tried>>> {
        let tasks = self.tasks()?;
        let sources = self.sources_of(&tasks);
        let mut choices: Vec<Option<Tried>> = self.reaches.iter().map(|_| None).collect();
        self.on_values(budget).run(
            &sources,
            tasks,
            |samples: &Samples| samples.variable,
            |samples, blocks, scratch| self.try_one(samples, blocks, scratch),
            |samples, tried| choices[samples.variable] = Some(tried),
        )?;
        if self.depth != Depth::Foretell {
            self.confirm(&mut choices, budget)?;
        }
        self.replay(&mut choices)?;
        Ok(choices)
    }

    /// Runs over values of the input.
    pub(crate) fn on_values<'b>(&'b self, budget: &'b MemoryBudget) -> SampleRun<'b> {
        SampleRun {
            input: self.input,
            reaches: self.reaches,
            resources: &self.options.resources,
            budget,
        }
    }

    /// What the samples of all tasks are read from, in the order of all sources.
    fn sources_of(&self, tasks: &[Task<Samples>]) -> Vec<ArraySource> {
        let mut parts: Vec<Vec<&Selection>> = vec![Vec::new(); self.sources.len()];
        for request in tasks.iter().flat_map(|task| &task.requests) {
            if let Request::Values { source, selection } = request {
                parts[*source].push(selection);
            }
        }
        let sources = self.sources.iter().zip(&parts);
        sources
            .map(|(source, parts)| sample_source(source, parts))
            .collect()
    }

    /// Whether somebody wants to know beforehand what comes out, and it is samples that tell.
    fn is_foretold(&self) -> bool {
        !self.is_foretold_rival() && (self.options.dry_run || self.depth != Depth::Decide)
    }

    /// Whether samples only choose filters: what they say of sizes is not used.
    fn is_foretold_rival(&self) -> bool {
        self.among.is_some() && self.depth == Depth::Foretell
    }

    /// Filters as a plan states them.
    fn replay(&self, choices: &mut [Option<Tried>]) -> Result<()> {
        for (i, variable) in self.input.variables().iter().enumerate() {
            let plan = self.planned(i, variable);
            let (Some(plan), AccessPath::Parallel(..)) = (plan, &self.reaches[i]) else {
                continue;
            };
            let chunk = self.shapes[i].chunk.as_deref();
            let choice = as_planned(plan, &self.stored_form(i), chunk);
            let choice = choice
                .map_err(|error| error.in_file(self.input.path()).at_variable(&variable.path))?;
            choices[i] = Some(Tried {
                choice,
                seconds_per_byte: 0.0,
                compared: Vec::new(),
                spared_seconds: 0.0,
            });
        }
        Ok(())
    }

    /// A variable as it will be stored.
    pub(crate) fn stored_form(&self, number: usize) -> Cow<'_, DatasetInfo> {
        stored_form(
            &self.input.variables()[number],
            self.precision[number].as_ref(),
        )
    }

    /// What a plan that is replayed says of a variable, unless a rule says other.
    fn planned(&self, number: usize, variable: &DatasetInfo) -> Option<&VariablePlan> {
        planned(self.options, variable).filter(|_| self.demands[number].is_empty())
    }

    /// The source of a variable that threads read, if this is about it.
    pub(crate) fn reach_of(&self, number: usize) -> Option<(usize, &Stored)> {
        match &self.reaches[number] {
            AccessPath::Parallel(source, stored)
                if self.among.is_none_or(|among| among[number]) =>
            {
                Some((*source, stored))
            }
            _ => None,
        }
    }

    /// Raw bytes of all variables.
    pub(crate) fn file_bytes(&self) -> u64 {
        let all = self.input.variables().iter();
        all.fold(0, |sum: u64, one| {
            sum.saturating_add(one.raw_bytes().unwrap_or(0))
        })
    }

    /// How much may be sampled of each variable.
    fn most_sampled(&self, file_bytes: u64) -> u64 {
        if self.is_foretold_rival() {
            let wanted = self.sampled([file_bytes, u64::MAX]);
            return fair_share(wanted, SAMPLED_OF_RIVALS).max(LEAST_OF_RIVAL);
        }
        if self.known.is_none() {
            return u64::MAX;
        }
        most_sampled_of_each(self.sampled([file_bytes, u64::MAX]))
    }

    /// How much is sampled of each variable whose filters are tried.
    fn sampled(&self, limits: [u64; 2]) -> impl Iterator<Item = u64> {
        let variables = self.input.variables().iter().enumerate();
        let tried = variables.filter(|(number, _)| self.reach_of(*number).is_some());
        tried.map(move |(number, variable)| self.sample_plan(number, variable, limits).bytes())
    }

    /// How many times more than is sampled would be, too, if nothing were compared.
    pub(crate) fn times_not_sampled(&self) -> f64 {
        let file_bytes = self.file_bytes();
        let sum = |most| {
            let bytes = self.sampled([file_bytes, most]);
            bytes.fold(0, u64::saturating_add) as f64
        };
        match sum(self.most_sampled(file_bytes)) {
            0.0 => 0.0,
            sampled => sum(u64::MAX) / sampled - 1.0,
        }
    }

    /// How much of a variable is looked at.
    fn sample_plan(
        &self,
        number: usize,
        variable: &DatasetInfo,
        [file_bytes, most_sampled]: [u64; 2],
    ) -> SamplePlan {
        let raw_bytes = variable.raw_bytes().unwrap_or(0);
        let chunk = self.shapes[number].chunk.as_deref().unwrap_or_default();
        let chunk_bytes = bytes_of(chunk, variable);
        let most = self.options.resources.memory_bytes / MEMORY_SHARE;
        let plan = sample_plan(raw_bytes, chunk_bytes, file_bytes, self.options.goal);
        let plan = plan.at_most(most_sampled, raw_bytes, chunk_bytes);
        SamplePlan {
            window_bytes: plan
                .window_bytes
                .min((most as usize / plan.pieces.max(1)).max(4096)),
            ..plan
        }
    }

    fn tasks(&self) -> Result<Vec<Task<Samples>>> {
        let mut tasks = Vec::new();
        let file_bytes = self.file_bytes();
        let most_sampled = self.most_sampled(file_bytes);
        for variable in 0..self.reaches.len() {
            let Some((source, stored)) = self.reach_of(variable) else {
                continue;
            };
            let info = &self.input.variables()[variable];
            if self.planned(variable, info).is_some() {
                continue;
            }
            let chunk = self.shapes[variable].chunk.as_deref();
            let plan = self.sample_plan(variable, info, [file_bytes, most_sampled]);
            // What is read beside what is tried takes an eighth of the memory at most.
            let most_read = self.options.resources.memory_bytes / 8;
            let source_of = &self.sources[source];
            let boxes = sample_boxes(info, chunk, source_of, stored, plan, most_read);
            // What packs has no use for a better prediction.
            let is_seen = plan.bytes() >= info.raw_bytes().unwrap_or(0);
            let windows = match self.is_foretold() && !is_seen {
                true => sample_windows(info, chunk, source_of, stored),
                false => Vec::new(),
            };
            let request = |sample: &SampleBox| Request::Values {
                source,
                selection: sample.part.clone(),
            };
            let requests = boxes.iter().chain(&windows).map(request).collect();
            let sampled = boxes
                .iter()
                .chain(&windows)
                .map(SampleBox::elements)
                .fold(0, u64::saturating_add);
            let sampled_bytes = sampled.saturating_mul(info.element.size_bytes as u64);
            let plan = self.precision[variable].as_ref();
            let rounding = plan
                .map(|plan| VariableRounding::bind(plan, info.element, &info.shape))
                .transpose()?;
            // Values in chunks' order, what they become on the way, and as they are encoded; before rounding, too.
            let copies = if rounding.is_some() { 5 } else { 4 };
            tasks.push(Task {
                meta: Samples {
                    variable,
                    boxes,
                    windows,
                    rounding,
                },
                requests,
                output_bytes: sampled_bytes.saturating_mul(copies),
            });
        }
        Ok(tasks)
    }

    /// How a variable is stored now; `chunk`: the shape of its chunks as they will be.
    fn current_storage<'w>(
        &'w self,
        samples: &Samples,
        chunk: Option<&[u64]>,
        values: &'w Values,
    ) -> Option<CurrentStorage<'w>> {
        let variable = &self.input.variables()[samples.variable];
        let DatasetStorage::Chunked {
            chunk: current,
            pipeline,
            raw_partial_edges,
        } = &variable.storage
        else {
            return self.in_one_run(samples, &values.windows);
        };
        let raw_bytes = variable.raw_bytes().unwrap_or(u64::MAX).max(1);
        let ratio = variable.stored_bytes as f64 / raw_bytes as f64;
        let keepable = chunk == Some(current.as_slice())
            && !raw_partial_edges
            && keeps_filters(variable)
            && samples.rounding.is_none();
        let touched = self.touched(samples);
        Some(CurrentStorage {
            pipeline,
            ratio,
            sampled_ratio: touched.map_or(ratio, |[stored, raw]| stored as f64 / raw as f64),
            partly_sampled: touched
                .filter(|&[_, raw]| samples.tried_bytes(variable) < raw)
                .filter(|_| samples.rounding.is_none() || values.before_rounding.is_some())
                .map(|_| values.as_stored().samples.as_slice()),
            is_rounded: samples.rounding.is_some(),
            windows: &values.windows,
            keeps_shape: chunk == Some(current.as_slice()),
            keepable,
            may_stay: self.may_stay(samples),
        })
    }

    /// Stored and raw bytes of the input's chunks that samples lie in.
    fn touched(&self, samples: &Samples) -> Option<[u64; 2]> {
        match &self.reaches[samples.variable] {
            AccessPath::Parallel(source, _) => {
                touched_bytes(&self.sources[*source], &samples.boxes)
            }
            _ => None,
        }
    }

    /// What the input's filters keep of the whole chunks beside samples: of all that lies in the same chunks of
    /// the input, unless they are a part of it.
    fn share_of_chunks(
        &self,
        samples: &Samples,
        values: &Values,
        now: &CurrentStorage<'_>,
        encodings: &mut Encodings<'_>,
    ) -> f64 {
        let parts = values.as_stored();
        let touched = self.touched(samples);
        let is_part = touched.is_some_and(|[_, raw]| parts.chunk_bytes() < raw);
        if !is_part || now.pipeline.is_empty() {
            return now.sampled_ratio;
        }
        let variable = &self.input.variables()[samples.variable];
        let size = variable.element.size_bytes;
        let encoded = encode_with(&parts.chunks, now.pipeline, None, size, encodings);
        let found = encoded.and_then(|encoded| share(&encoded.sizes));
        found.map_or(now.sampled_ratio, |found| found * samples.padding(variable))
    }

    /// How a variable is stored that lies in one run.
    fn in_one_run<'w>(
        &self,
        samples: &Samples,
        windows: &'w [Vec<u8>],
    ) -> Option<CurrentStorage<'w>> {
        static NO_FILTERS: FilterPipeline = FilterPipeline(Vec::new());
        let storage = &self.input.variables()[samples.variable].storage;
        let is_run = matches!(
            storage,
            DatasetStorage::Contiguous { .. } | DatasetStorage::Compact
        );
        is_run.then(|| CurrentStorage {
            pipeline: &NO_FILTERS,
            ratio: 1.0,
            sampled_ratio: 1.0,
            partly_sampled: None,
            is_rounded: samples.rounding.is_some(),
            windows,
            keeps_shape: false,
            keepable: false,
            may_stay: self.may_stay(samples),
        })
    }

    /// Whether nothing that was asked needs another chunk shape than the variable has, or chunks at all, or
    /// values of another type. Rounded values need not be: exact ones keep every bound.
    fn may_stay(&self, samples: &Samples) -> bool {
        let options = self.options;
        let precision = self.precision[samples.variable].as_ref();
        let variable = &self.input.variables()[samples.variable];
        let is_storable = match &variable.storage {
            DatasetStorage::Chunked { chunk, .. } => {
                is_storable_chunk(chunk, variable.element.size_bytes)
            }
            _ => true,
        };
        is_storable
            && options.allow_larger != Some(true)
            && options.level != Some(0)
            && !self.shapes[samples.variable].is_stated
            && !options.chunk_goal.is_stated()
            && options.layout_profile() == LayoutProfile::Standard
            && precision.is_none_or(|plan| plan.packing().is_none())
            && keeps_filters(variable)
    }

    /// Whether a variable has chunks also without filters.
    fn needs_chunks(&self, number: usize) -> bool {
        let variable = &self.input.variables()[number];
        let is_sparse = match &self.reaches[number] {
            AccessPath::Parallel(source, stored) => {
                is_sparse(variable, &self.sources[*source], stored)
            }
            _ => false,
        };
        is_sparse || variable.may_grow || self.shapes[number].is_stated
    }

    /// What the index of a variable's chunks takes where it could do without chunks.
    fn spare_index_bytes(&self, number: usize) -> u64 {
        let variable = &self.input.variables()[number];
        match &self.shapes[number].chunk {
            Some(chunk) if !self.needs_chunks(number) => index_bytes(&variable.shape, chunk),
            _ => 0,
        }
    }

    fn try_one(
        &self,
        samples: &Samples,
        blocks: Vec<Block>,
        scratch: &mut Scratch,
    ) -> Result<Tried> {
        let variable = &*self.stored_form(samples.variable);
        let chunk = self.shapes[samples.variable].chunk.as_deref();
        let size = variable.element.size_bytes;
        let values = samples.values(blocks, size, self.is_foretold())?;
        let encodings = &mut Encodings::new(scratch, self.known);
        let demand = &self.demands[samples.variable];
        let padding = samples.padding(variable);
        let requests = FilterOptions {
            raw_bytes: variable.raw_bytes(),
            padding,
            share_of_none: match self.needs_chunks(samples.variable) {
                true => padding,
                false => 1.0,
            },
            index_bytes: self.spare_index_bytes(samples.variable),
            ..requests(self.options, demand, variable, chunk)
        };
        let current = self.current_storage(samples, chunk, &values);
        let mut choice = choose_filters(
            &values.parts.samples,
            variable.element,
            &requests,
            current.as_ref(),
            encodings,
        )
        .map_err(|error| Error::new(error.code(), error.to_string()))?;
        if self.is_foretold() {
            let of_chunks = current
                .filter(|_| !values.parts.chunks.is_empty())
                .map(|now| self.share_of_chunks(samples, &values, &now, encodings));
            foretell_whole_chunks(&mut choice, &values.parts, of_chunks, variable, encodings);
        }
        let values = &values.parts.samples;
        let seconds_per_byte = match self.options.dry_run && !choice.keep_current {
            true => time_encoding(values, &choice, variable, encodings),
            false => 0.0,
        };
        let compared = match self.depth {
            Depth::Compare => compare(values, variable, &choice, &requests, encodings),
            Depth::Foretell | Depth::Decide => Vec::new(),
        };
        Ok(Tried {
            choice,
            seconds_per_byte,
            compared,
            spared_seconds: encodings.spared_seconds(),
        })
    }
}

/// Corrects a prediction by what the chosen filters make of a whole chunk beside windows of it, where samples are
/// such windows: the larger what is encoded at once, the better some filters are. `of_chunks`: what the input's filters
/// keep of these chunks; `None`: there are none.
fn foretell_whole_chunks(
    choice: &mut FilterChoice,
    values: &Parts,
    of_chunks: Option<f64>,
    variable: &DatasetInfo,
    encodings: &mut Encodings<'_>,
) {
    let Some(of_chunks) = of_chunks else {
        return;
    };
    let mut share_of = |values: &[Vec<u8>]| {
        let (pipeline, encoder) = (&choice.pipeline, choice.deflate_encoder);
        let size = variable.element.size_bytes;
        share(&encode_with(values, pipeline, encoder, size, encodings)?.sizes)
    };
    if let (Some(all), Some(windows)) = (share_of(&values.chunks), share_of(&values.samples)) {
        choice.foretell_in_whole_chunks(all / windows, of_chunks);
    }
}

/// The filters of a plan, if they can be written; an existing checksum stays.
fn as_planned(
    plan: &VariablePlan,
    variable: &DatasetInfo,
    chunk: Option<&[u64]>,
) -> Result<FilterChoice> {
    let mut pipeline = plan.pipeline.clone();
    let checksum = checksum_only(variable);
    if chunk.is_some() && !pipeline.contains(filter_id::FLETCHER32) {
        pipeline.0.extend(checksum.0);
    }
    // The plan may be of a variable with other elements or chunks.
    let unlike = |spec: FilterSpec| {
        let (name, element) = (spec.display_name(), variable.element.name());
        let chunk = chunk.unwrap_or_default();
        let what =
            format!("filters of the plan: {name} fits no chunks of shape {chunk:?} of {element}");
        Error::new(ErrorCode::InvalidArgument, what).with_cure(OTHER_PLAN)
    };
    pipeline = completed(&pipeline, variable.element, chunk.unwrap_or_default()).map_err(unlike)?;
    let size = variable.element.size_bytes;
    let elements = chunk.map_or(0, |chunk| chunk.iter().product::<u64>());
    let bytes = usize::try_from(elements).unwrap_or(0).saturating_mul(size);
    BoundEncoder::bind(&pipeline, plan.deflate_encoder, size, bytes).map_err(|error| {
        Error::new(error.code(), format!("filters of the plan: {error}")).with_cure(OTHER_PLAN)
    })?;
    let raw_bytes = variable.raw_bytes().unwrap_or(0).max(1) as f64;
    let predicted = plan.predicted_bytes.map(|bytes| bytes as f64 / raw_bytes);
    Ok(FilterChoice {
        reason: format!("{} {AS_PLANNED}", pipeline.summary()),
        pipeline,
        deflate_encoder: plan.deflate_encoder,
        predicted_ratio: predicted.unwrap_or(1.0),
        uncertainty: 0.0,
        least_ratio: predicted.unwrap_or(1.0),
        sampled: None,
        whole: Whole::default(),
        keepable: None,
        finalists: Vec::new(),
        ratio_tolerance: 0.0,
        // Chunks without filters stay chunks.
        keep_current: chunk.is_some(),
        may_stay: false,
        tried: Vec::new(),
    })
}

fn bytes_of(chunk: &[u64], variable: &DatasetInfo) -> u64 {
    let size = variable.element.size_bytes as u64;
    chunk.iter().fold(size, |n, &c| n.saturating_mul(c))
}

/// Seconds per raw byte that the chosen filters take on the samples, for predictions only.
fn time_encoding(
    samples: &[Vec<u8>],
    choice: &FilterChoice,
    variable: &DatasetInfo,
    encodings: &mut Encodings<'_>,
) -> f64 {
    let (pipeline, encoder) = (&choice.pipeline, choice.deflate_encoder);
    let size = variable.element.size_bytes;
    let encoded = encode_with(samples, pipeline, encoder, size, encodings);
    encoded.map_or(0.0, |encoded| encoded.seconds_per_byte())
}
