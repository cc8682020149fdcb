//! The writer: begun, ended, and what it is made of.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

#[cfg(test)]
use frazil_codec::BoundEncoder;
use frazil_container::hdf5::{ExistingFile, LiveOutput, OutputStorage};
use frazil_types::FilterPipeline;
use frazil_types::sync::Mutex;

use super::alone::Alone;
use super::background::PackQueue;
use super::begin::{self, Places};
use super::borders::Borders;
use super::buffers::Buffers;
use super::cooperation::{Call, Cooperation};
use super::cores::workers;
use super::options::{WriterOptions, WriterReport, WriterVariable};
use super::settings::VariableSettings;
use super::shared::Division;
use super::sink::Placing;
use super::store::Store;
use super::variable::Variable;
use frazil_container::schema::{Schema, VariableId};
use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_file::name_lock::NameLock;
use frazil_options::options::check_readers;
use frazil_precision::refusals::Named;
use frazil_precision::rules::Matcher;
use frazil_precision::stated::StatedPrecision;

/// A netCDF-4 file being written by a running program.
///
/// Errors of the background work come back at the next call, and at every call after that; the
/// file then is, and stays, at its last commit. Errors of the arguments of a call concern that call
/// only. Dropped without [`Self::close`], the file is left at its last commit; a new file without
/// any is removed.
pub struct Writer {
    // Ended first.
    pub(super) submission: PackQueue,
    pub(super) store: Store,
    pub(super) path: PathBuf,
    pub(super) schema: Schema,
    /// The variables that attributes of others name.
    pub(super) named: Named,
    /// By dimension: the length that an unlimited one is expected to get.
    pub(super) expected: Vec<Option<u64>>,
    /// By variable.
    pub(super) details: Vec<Details>,
    /// Bytes of one record of all variables together.
    pub(super) records_bytes: u64,
    /// Where the plan that is replayed speaks of a variable, by path.
    pub(super) planned_places: HashMap<String, usize>,
    /// Variables whose definitions nobody has looked at together since they were made or changed.
    pub(super) unchecked: Vec<VariableId>,
    /// Whether the variables that rules name were looked for.
    pub(super) names_are_checked: bool,
    /// Whether variables may have dimensions of groups that are not above them.
    pub(super) allows_any_dimension: bool,
    pub(super) options: WriterOptions,
    /// For chunks; packed ones that may serve again have their own.
    pub(super) memory_bytes: u64,
    pub(super) repeats_bytes: u64,
    pub(super) buffers: Arc<Buffers>,
    pub(super) raw_bytes: u64,
    /// Bytes put since the last commit.
    pub(super) uncommitted_bytes: u64,
    /// Records between the first two commits, once chunks were found incomplete by one.
    pub(super) records_per_commit: Option<u64>,
    pub(super) is_new: bool,
    /// With whom the file is written.
    pub(super) cooperation: Arc<dyn Cooperation>,
    _lock: Option<NameLock>,
    /// The process that began the file.
    process: u32,
}

/// What a writer knows of a variable beside the schema.
pub(super) struct Details {
    pub(super) settings: VariableSettings,
    /// Fixed from its first value on.
    pub(super) active: Option<Arc<Variable>>,
    /// Whether the file says how it is rounded, if it is; used where several ranks write.
    pub(super) is_stated: bool,
    /// What the program's attributes said of an earlier rounding.
    pub(super) earlier: Option<StatedPrecision>,
    /// Whether that was looked for.
    pub(super) has_looked_earlier: bool,
    /// Whether its dataset is in the file.
    pub(super) is_in_file: bool,
    /// Of a variable of an existing file: how it is stored there.
    pub(super) existing: Option<OutputStorage>,
    /// The largest error of rounding by call that the placer knows of.
    pub(super) largest_error: Option<f64>,
    /// Why its values cannot be written.
    pub(super) refusal: Option<String>,
    /// What went wrong with its values, and hinders no other variable.
    pub(super) failure: Option<Error>,
    /// Where this rank's puts begin and end; used where several ranks write.
    pub(super) borders: Borders,
    /// Where those of all ranks do, as far as its chunk shape goes by that.
    pub(super) agreed_borders: Option<Borders>,
}

impl Details {
    pub(super) fn new(settings: VariableSettings) -> Self {
        Self {
            settings,
            active: None,
            is_stated: false,
            earlier: None,
            has_looked_earlier: false,
            is_in_file: false,
            existing: None,
            largest_error: None,
            refusal: None,
            failure: None,
            borders: Borders::default(),
            agreed_borders: None,
        }
    }
}

/// How a variable lies in the file, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableStorage {
    /// Chunk shape in elements; `None`: contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters; `None`: not decided yet.
    pub filters: Option<FilterPipeline>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Begins a new, empty file. It can be read from the first [`Self::sync`] on.
    ///
    /// # Errors
    /// If the file cannot be made, or is there and is not to be replaced.
    pub fn create(path: &Path, options: &WriterOptions) -> Result<Self> {
        // Before there is a file.
        check(path, options)?;
        let (output, lock) = begin::create(path, options, Places::Any)?;
        let begun = Self::start(path, output, None, options, lock);
        begun.inspect_err(|_| {
            // Best effort: it is empty.
            let _ = std::fs::remove_file(path);
        })
    }

    /// Opens an existing netCDF-4 file to go on writing it; a commit that was left half-done is
    /// recovered first.
    ///
    /// # Errors
    /// If the file cannot be opened or recovered, is being written, or is no netCDF-4 file.
    pub fn append(path: &Path, options: &WriterOptions) -> Result<Self> {
        Self::append_as(path, options, begin::Types::Hidden)
    }

    /// As [`Self::append`], with what is of types that programs have defined: [`Self::append`] leaves that as it is
    /// and does not show it.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_with_types(path: &Path, options: &WriterOptions) -> Result<Self> {
        Self::append_as(path, options, begin::Types::Shown)
    }

    fn append_as(path: &Path, options: &WriterOptions, types: begin::Types) -> Result<Self> {
        let (output, existing, lock) = begin::open(path, types)?;
        check(path, options)?;
        Self::start(path, output, Some(existing), options, lock)
    }

    /// Takes over what is known of an existing file.
    fn take_existing(&mut self, existing: ExistingFile) {
        self.schema = existing.schema;
        self.expected = vec![None; self.schema.dimensions.len()];
        for variable in &self.schema.variables {
            self.named.add(&Attributes::of_schema(&variable.attributes));
        }
        for (number, variable) in existing.variables.into_iter().enumerate() {
            self.add_existing(VariableId(number), variable);
        }
    }

    fn start(
        path: &Path,
        output: LiveOutput,
        existing: Option<ExistingFile>,
        options: &WriterOptions,
        lock: NameLock,
    ) -> Result<Self> {
        let alone = Alone::new(path, output, existing.as_ref(), options)?;
        let is_new = existing.is_none();
        let sink = alone.sink();
        let mut writer = Self::with(path, (sink, Arc::new(alone)), existing, options, Some(lock));
        writer.is_new = is_new;
        Ok(writer)
    }

    /// A writer of a file that is new or existed, into this sink and together with these. The options
    /// were looked at.
    pub(super) fn with(
        path: &Path,
        (sink, cooperation): (Arc<Mutex<Placing>>, Arc<dyn Cooperation>),
        existing: Option<ExistingFile>,
        options: &WriterOptions,
        lock: Option<NameLock>,
    ) -> Self {
        let division = Division::of(options.resources.memory_bytes);
        let store = Store::new(path);
        let threads = (workers(options), &options.cores);
        let submission = PackQueue::start(sink, threads, (division, &store), &options.resources);
        let mut writer = Self {
            buffers: Arc::clone(submission.shared().buffers()),
            submission,
            store,
            path: path.to_owned(),
            named: Named::default(),
            schema: Schema::default(),
            expected: Vec::new(),
            details: Vec::new(),
            records_bytes: 0,
            planned_places: places_of(options),
            unchecked: Vec::new(),
            allows_any_dimension: false,
            names_are_checked: options.rules_are_shared,
            options: options.clone(),
            memory_bytes: division.memory_bytes,
            repeats_bytes: division.repeats_bytes,
            raw_bytes: 0,
            uncommitted_bytes: 0,
            records_per_commit: options.records_per_sync,
            is_new: false,
            cooperation,
            _lock: lock,
            process: std::process::id(),
        };
        if let Some(existing) = existing {
            writer.take_existing(existing);
        }
        writer
    }

    /// The file's name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All objects defined so far, with the lengths of unlimited dimensions as of the last put.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The first error of the work so far, if there was one.
    pub(super) fn begin(&self) -> Result<()> {
        self.submission.check()
    }

    /// Commits everything and closes the file.
    ///
    /// # Errors
    /// The first error of the work; the file then is at its last commit. What only concerns one
    /// variable keeps no other out of the file: it is said when all others are committed.
    pub fn close(mut self) -> Result<WriterReport> {
        let began = Instant::now();
        let outcome = self.call(Call::Close);
        self.submission.stalled += began.elapsed();
        outcome?;
        self.check_variables()?;
        self.report()
    }

    /// The first error that concerns one variable only, of a file that is committed without its values.
    pub(super) fn check_variables(&self) -> Result<()> {
        let own = self
            .details
            .iter()
            .find_map(|details| details.failure.clone());
        let packed = || self.submission.placing().sink.failure_of_one();
        let Some(mut error) = own.or_else(packed) else {
            return Ok(());
        };
        error.cause += "; all other variables are in the file";
        Err(error.in_file(&self.path))
    }

    /// Adds an error of a call to those that last, of its variable or of the file.
    pub(super) fn fail_at(&mut self, id: VariableId, error: Error) -> Error {
        if !self.cooperation.survives(error.code) {
            return self.submission.fail(error);
        }
        let error = error.in_file(&self.path);
        let failure = &mut self.details[id.0].failure;
        failure.get_or_insert(error).clone()
    }

    /// Gives up what was put since the last commit and closes the file; a new file without any
    /// commit is removed.
    pub fn abandon(self) {
        drop(self);
    }

    /// The file, if this writer has it to itself; else an error with this cause.
    pub(super) fn alone(&self, cause: &str) -> Result<Alone> {
        let alone = self.cooperation.alone(cause);
        alone.map_err(|error| error.in_file(&self.path))
    }

    /// Whether other ranks write the same file.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        self.cooperation.is_parallel()
    }

    /// Whether this rank packs and writes for others ([`WriterOptions::io_ranks`]).
    #[must_use]
    pub fn is_io_rank(&self) -> bool {
        self.cooperation.is_io_rank()
    }

    /// How far the background threads are behind: chunks that were handed to them and are not in
    /// the file yet, and how long puts have waited for memory so far.
    #[must_use]
    pub fn backlog(&self) -> (u64, std::time::Duration) {
        (self.submission.under_way(), self.submission.stalled)
    }

    /// Leaves so many bytes of the memory allowed to the caller, half of it at most, from now on.
    pub fn leave_memory(&mut self, bytes: u64) {
        self.submission.leave_memory(bytes);
    }

    /// What was done so far.
    ///
    /// # Errors
    /// The first error of the work so far.
    pub fn report(&self) -> Result<WriterReport> {
        let placing = self.submission.placing();
        let (counts, held_spilled) = (placing.sink.counts(), placing.sink.spilled_bytes());
        drop(placing);
        let stalled_seconds = self.submission.stalled.as_secs_f64();
        let busy_seconds = self.submission.busy().as_secs_f64();
        let variables = (0..self.details.len()).map(|number| self.report_of(VariableId(number)));
        let mut report = WriterReport {
            stalled_seconds,
            hidden_seconds: (busy_seconds - stalled_seconds).max(0.0),
            raw_bytes: self.raw_bytes,
            stored_bytes: counts.stored_bytes,
            ratio: 1.0,
            written_bytes: counts.written_bytes,
            spilled_bytes: self.store.spilled_bytes() + held_spilled,
            commits: counts.commits,
            chunks: counts.chunks,
            chunks_reused: counts.reused,
            chunks_omitted: self.submission.omitted,
            kept_exact: self.kept_exact(),
            variables: variables.collect::<Result<_>>()?,
        };
        self.cooperation.complete_report(&mut report);
        if report.stored_bytes > 0 {
            report.ratio = report.raw_bytes as f64 / report.stored_bytes as f64;
        }
        Ok(report)
    }

    fn report_of(&self, id: VariableId) -> Result<WriterVariable> {
        let storage = self.storage(id)?;
        Ok(WriterVariable {
            path: self.schema.variable_path(id),
            shape: self.schema.shape(id),
            chunk: storage.chunk,
            filters: storage
                .filters
                .map_or_else(|| "not decided".to_owned(), |filters| filters.summary()),
        })
    }

    /// How a variable lies in the file; before its first values, as it would now.
    ///
    /// # Errors
    /// If there is no such variable, or its filters could not be chosen.
    pub fn storage(&self, id: VariableId) -> Result<VariableStorage> {
        self.check_variable(id)?;
        let details = &self.details[id.0];
        let known = |storage: &OutputStorage| match storage {
            OutputStorage::Chunked { chunk, pipeline } => VariableStorage {
                chunk: Some(chunk.clone()),
                filters: Some(pipeline.clone()),
            },
            OutputStorage::Contiguous | OutputStorage::Keep => VariableStorage {
                chunk: None,
                filters: Some(FilterPipeline::default()),
            },
        };
        if let Some(existing) = &details.existing {
            return Ok(known(existing));
        }
        let Some(variable) = &details.active else {
            return Ok(self.expected_storage(id));
        };
        if variable.is_contiguous {
            return Ok(known(&OutputStorage::Contiguous));
        }
        // Whoever asks for filters that are being chosen gets them.
        self.submission.filters(id.0).transpose()?;
        Ok(VariableStorage {
            chunk: Some(variable.chunk.clone()),
            filters: variable.stored_filters().cloned(),
        })
    }
}

/// Where the plan that is replayed speaks of a variable first, by path.
fn places_of(options: &WriterOptions) -> HashMap<String, usize> {
    let plans = options.plan.iter().flat_map(|plan| &plan.variables);
    let mut places = HashMap::new();
    for (place, plan) in plans.enumerate() {
        places.entry(plan.path.clone()).or_insert(place);
    }
    places
}

/// Refuses options that cannot be honoured for any variable.
pub(super) fn check(path: &Path, options: &WriterOptions) -> Result<()> {
    check_readers(options.filters.as_ref(), options.readable_by)
        .and_then(|()| Matcher::new(&options.rules).map(drop))
        .map_err(|error| error.in_file(path))
}

impl Drop for Writer {
    fn drop(&mut self) {
        // A child after a fork drops what its parent is writing.
        let is_own = self.process == std::process::id();
        if is_own && self.is_new && !self.submission.has_commit() {
            // Best effort: nobody can read it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
impl Writer {
    /// Lets the `writes`-th write of packed bytes from now, and all after it, fail.
    pub(super) fn fail_after(&self, writes: i64) {
        let mut placing = self.submission.placing();
        let file = placing.sink.data_file().unwrap();
        file.target
            .writes_left
            .store(writes, std::sync::atomic::Ordering::Relaxed);
    }

    /// Has noted what is done to the file.
    pub(super) fn note_order(&self, order: super::data_file::Order) {
        self.submission
            .placing()
            .sink
            .data_file()
            .unwrap()
            .target
            .order = Some(order);
    }

    /// Lets a variable's filters refuse every chunk from now on.
    pub(super) fn break_filters(&mut self, id: VariableId) {
        let variable = self.active(id).unwrap();
        let mut filters = self.submission.filters(id.0).unwrap().unwrap().clone();
        let (size, other_bytes) = (variable.element_bytes(), 2 * variable.chunk_bytes);
        let encoder = BoundEncoder::bind(&filters.pipeline, filters.deflate, size, other_bytes);
        filters.encoder = encoder.unwrap();
        self.submission.fix(id.0, filters, true);
    }
}
