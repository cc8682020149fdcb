//! An open file, to be read from any number of threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use frazil_container::hdf5::{Expanded, Source, expand_plain};
use frazil_container::model::{Dimension, FileModel, Variable};
use frazil_container::outside_forks;
use frazil_container::schema::VariableId;
use frazil_pipeline::{CacheStats, PipelineError, ReadContext, fill_values};
use frazil_types::sync::Mutex;
use frazil_types::{
    AxisSelection, ElementClass, ElementType, ErrorCode, FilterSpec, selected_elements,
};

use super::element::{Conversion, converted, fill_inside, handed_out, swap_units};
use super::generation::{FileSnapshot, Reach, ReadPath};
use super::options::ReaderOptions;
use frazil_file::error::{Error, Result};
use frazil_file::pipeline_error::from_pipeline;
use frazil_file::resources::Resources;
use frazil_file::run::{self, room_for};
use frazil_file::sources::{missing_filter_error, missing_filter_text};
use frazil_file::storage_error::from_container;
use frazil_file::through_library;

/// An open file of any kind that frazil reads. Cheap to clone; any number of threads may read at
/// the same time, and wait for nobody but where libhdf5 itself must read.
///
/// Reads work on the calling thread; large ones are shared with helping threads of the process. A
/// file that changed since it was opened is located again; if it changes still, or does not hold the
/// variable any more with the same type, axes and units, reads end with [`ErrorCode::FileChanged`].
/// Parts of two states are never mixed: a file that another program changed a moment ago is read when
/// that is over. A file whose name went to another file is read on as it was.
#[derive(Debug, Clone)]
pub struct Reader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: ReaderOptions,
    threads: usize,
    format: String,
    notices: Vec<String>,
    /// As of opening: what users of the reader go by.
    model: Arc<FileModel>,
    /// Locked outside of forks, by [`Reader::current`] and [`Reader::replace`].
    current: Mutex<Arc<FileSnapshot>>,
    /// Held while the file is looked at again.
    refreshing: Mutex<()>,
}

/// Times that a file is read which changes meanwhile.
const ATTEMPTS: usize = 3;
/// Attributes that say what stored values stand for.
const MEANING: [&str; 7] = [
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
    "units",
    "calendar",
];
/// How long to wait for a moment in which nobody changes the file.
const PATIENCE: Duration = Duration::from_secs(3);

impl Reader {
    /// Opens a file and reads what it holds, but for values.
    ///
    /// # Errors
    /// If the file does not exist, cannot be read, is no netCDF or HDF5 file, or is damaged;
    /// [`ErrorCode::InvalidArgument`] if its chunk cache names a variable that it does not have.
    pub fn open(path: &Path, options: &ReaderOptions) -> Result<Self> {
        frazil_file::error::guarded(path, || {
            let threads = threads(options);
            FileSnapshot::open(path, options, threads)
                .map(|generation| Self::of(generation, options, threads))
        })
    }

    /// Opens a file whose bytes come from `source`, wherever they are; messages call it `name`.
    ///
    /// # Errors
    /// As [`Self::open`], and those of the source.
    pub fn open_source(
        name: &Path,
        source: Arc<dyn Source>,
        options: &ReaderOptions,
    ) -> Result<Self> {
        frazil_file::error::guarded(name, || {
            let threads = threads(options);
            FileSnapshot::open_source(name, source, options, threads)
                .map(|generation| Self::of(generation, options, threads))
        })
    }

    fn of(generation: FileSnapshot, options: &ReaderOptions, threads: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                path: generation.path().to_owned(),
                options: options.clone(),
                threads,
                format: generation.format.clone(),
                notices: generation.notices.clone(),
                model: Arc::clone(&generation.model),
                current: Mutex::new(Arc::new(generation)),
                refreshing: Mutex::new(()),
            }),
        }
    }

    /// The path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// The name users know the format by: `netCDF-4`, `netCDF-4 classic model`, `HDF5`, or that of
    /// a classic format.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.shared.format
    }

    /// What a user should know who relies on what is read: that a commit was left unfinished.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.shared.notices
    }

    /// What the file held when it was opened.
    #[must_use]
    pub fn model(&self) -> &FileModel {
        &self.shared.model
    }

    /// The elements that [`Self::read`] gives of a variable: numbers in this machine's byte order,
    /// everything else as it lies in the file, floats that fit no `double` too. Of class
    /// [`ElementClass::Indirect`]: elements that only [`Self::read_expanded`] gives.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if there is no such variable.
    pub fn element(&self, id: VariableId) -> Result<ElementType> {
        Ok(handed_out(self.variable(id)?).0)
    }

    /// One element, as [`Self::read`] gives it, of what was never written; none of indirect ones.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if there is no such variable.
    pub fn fill_value(&self, id: VariableId) -> Result<Vec<u8>> {
        let variable = self.variable(id)?;
        match handed_out(variable).0.class {
            ElementClass::Indirect => Ok(Vec::new()),
            _ => Ok(fill_inside(variable)),
        }
    }

    /// What became of those chunks of a variable that reads wanted in part, since the file was opened,
    /// or changed; `None` if it was not read yet, or is not in chunks that frazil decodes.
    #[must_use]
    pub fn cache_stats(&self, id: VariableId) -> Option<CacheStats> {
        let generation = self.current();
        let number = self.number_in(&generation, id).ok()?;
        generation.cache_stats(number)
    }

    fn variable(&self, id: VariableId) -> Result<&Variable> {
        self.model().variables.get(id.0).ok_or_else(|| {
            let cause = format!("there is no variable number {}", id.0);
            Error::new(ErrorCode::InvalidArgument, cause).in_file(self.path())
        })
    }

    /// Reads the selected elements of a variable into `target`, row-major, one axis for each
    /// selection. Selections must lie inside the variable's shape ([`FileModel::shape`]); where its
    /// dataset is shorter than that, elements hold the fill value.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if the selections or the target's length do not fit, or
    /// elements are indirect; [`ErrorCode::Corrupt`] and [`ErrorCode::MissingFilter`] name the
    /// chunk; [`ErrorCode::FileChanged`]; [`ErrorCode::Interrupted`]; [`ErrorCode::Io`].
    pub fn read(
        &self,
        id: VariableId,
        selections: &[AxisSelection],
        target: &mut [u8],
    ) -> Result<()> {
        let element = self.element(id)?;
        if element.class == ElementClass::Indirect {
            let cause = "its elements have no fixed size: read them expanded";
            return Err(self.invalid(id, cause.to_owned()));
        }
        let elements = self.check(id, selections)?;
        let bytes = elements.checked_mul(element.size_bytes as u64);
        if bytes != Some(target.len() as u64) {
            let cause = format!(
                "{elements} elements of {} bytes do not fit into {} bytes",
                element.size_bytes,
                target.len()
            );
            return Err(self.invalid(id, cause));
        }
        if target.is_empty() {
            return Ok(());
        }
        self.with_generation(id, |generation, number| {
            self.read_from(generation, number, selections, target)
        })
    }

    /// Reads elements of any type in a form that means the same in every file: numbers
    /// little-endian, compounds without padding, texts and variable-length data behind their length
    /// (`u64`, little-endian; texts: bytes, else: elements), references as the path they lead to.
    /// A null dataspace gives none.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_expanded(&self, id: VariableId, selections: &[AxisSelection]) -> Result<Expanded> {
        let elements = self.check(id, selections)?;
        if elements == 0 || self.variable(id)?.dataset.is_null {
            return Ok(Expanded::default());
        }
        self.with_generation(id, |generation, number| {
            let variable = &generation.model.variables[number];
            let reach = generation.reach(number)?;
            let failed = |error| from_container(error, self.path());
            let is_indirect = handed_out(variable).1 == Conversion::Expansion;
            match &reach.path {
                ReadPath::Elsewhere(values) => return values.expanded(selections),
                ReadPath::Library if is_indirect => {
                    let (input, dataset) = (generation.input()?, &variable.dataset);
                    let datatype = &variable.datatype;
                    return through_library::read_expanded(&input, dataset, datatype, selections)
                        .map_err(failed);
                }
                _ => {}
            }
            let mut stored = room_for(elements, reach.element_bytes())?;
            self.fetch(generation, (variable, &reach), selections, &mut stored)?;
            swap_units(&mut stored, reach.byte_swap);
            let expanded = match is_indirect {
                true => {
                    let repeats = selections.iter().map(AxisSelection::most_repeats);
                    let repeats = repeats.fold(1, u64::saturating_mul);
                    let input = generation.input()?;
                    input.expand(&reach.datatype, &stored, repeats)
                }
                false => expand_plain(&reach.datatype, &stored),
            };
            expanded.map_err(failed)
        })
    }

    /// Number of selected elements, if the selections fit the variable.
    fn check(&self, id: VariableId, selections: &[AxisSelection]) -> Result<u64> {
        self.variable(id)?;
        let shape = self.model().shape(id);
        if selections.len() != shape.len() {
            let cause = format!("{} selections for {} axes", selections.len(), shape.len());
            return Err(self.invalid(id, cause));
        }
        for (axis, (selection, &extent)) in selections.iter().zip(&shape).enumerate() {
            if !selection.is_inside(extent) {
                let cause =
                    format!("the selection along axis {axis} reaches out of its {extent} elements");
                return Err(self.invalid(id, cause));
            }
        }
        let elements = selected_elements(selections);
        elements.ok_or_else(|| self.invalid(id, "too many elements".to_owned()))
    }

    fn invalid(&self, id: VariableId, cause: String) -> Error {
        Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(self.path())
            .at_variable(&self.model().variable_path(id))
    }

    /// Runs `read` on the file as it is now: again if it changed meanwhile, and not while it is
    /// changing.
    pub(super) fn with_generation<R>(
        &self,
        id: VariableId,
        mut read: impl FnMut(&FileSnapshot, usize) -> Result<R>,
    ) -> Result<R> {
        let outcome = frazil_file::error::guarded(self.path(), || {
            for attempt in 1..=ATTEMPTS {
                let generation = self.settled()?;
                let number = self.number_in(&generation, id);
                let outcome = number.and_then(|number| read(&generation, number));
                let is_interrupted = |error: &Error| error.code == ErrorCode::Interrupted;
                let is_over = outcome.as_ref().is_err_and(is_interrupted)
                    || generation.is_current()?
                    || (outcome.is_ok() && generation.may_grow());
                if is_over {
                    return outcome;
                }
                if attempt < ATTEMPTS {
                    self.refresh(&generation)?;
                }
            }
            Err(changed("it changed while it was being read"))
        });
        outcome.map_err(|error| {
            let path = self.model().variable_path(id);
            error.in_file(self.path()).at_variable(&path)
        })
    }

    /// The file as it is now. One that changed a moment ago is looked at again when the change is no
    /// news any more: what comes later is then certain to be seen.
    fn settled(&self) -> Result<Arc<FileSnapshot>> {
        let begun = Instant::now();
        loop {
            let generation = self.current();
            let Some(rest) = generation.settles_in() else {
                return Ok(generation);
            };
            if begun.elapsed() > PATIENCE {
                return Err(changed("another program keeps changing it"));
            }
            std::thread::sleep(rest);
            // Whatever its state says now: what it holds was found while the file changed.
            self.refresh(&generation)?;
        }
    }

    /// Looks at the file again, unless another thread has done so.
    fn refresh(&self, stale: &Arc<FileSnapshot>) -> Result<()> {
        // Else it is looked at twice, and no harm: in a child process the thread that holds this may
        // be no more.
        let _one_at_a_time = self.shared.refreshing.try_lock_for(PATIENCE);
        if !Arc::ptr_eq(&self.current(), stale) {
            return Ok(());
        }
        if !stale.has_its_name() {
            return Err(changed("another file has its name now"));
        }
        let Shared {
            options, threads, ..
        } = &*self.shared;
        self.replace(FileSnapshot::open(self.path(), options, *threads)?);
        Ok(())
    }

    /// The file as it was found last.
    pub(super) fn current(&self) -> Arc<FileSnapshot> {
        outside_forks(|| Arc::clone(&self.shared.current.lock()))
    }

    fn replace(&self, generation: FileSnapshot) {
        let found = Arc::new(generation);
        let stale = outside_forks(|| std::mem::replace(&mut *self.shared.current.lock(), found));
        // Closing waits for libhdf5's lock.
        drop(stale);
    }

    /// The number of a variable in a generation: the first one, or a later one that still has it.
    fn number_in(&self, generation: &FileSnapshot, id: VariableId) -> Result<usize> {
        if Arc::ptr_eq(&generation.model, &self.shared.model) {
            return Ok(id.0);
        }
        let gone = || changed("it changed, and no longer has the same variable");
        let path = self.model().variable_path(id);
        let now = generation.model.variable(&path).ok_or_else(gone)?;
        let (then, there) = (self.variable(id)?, &generation.model.variables[now.0]);
        let (shape_then, shape_now) = (self.model().shape(id), generation.model.shape(now));
        let is_the_same = then.datatype == there.datatype
            && has_the_same_meaning((self.model(), then), (&generation.model, there))
            && shape_then.len() == shape_now.len()
            && shape_then
                .iter()
                .zip(&shape_now)
                .all(|(then, now)| then <= now);
        is_the_same.then_some(now.0).ok_or_else(gone)
    }

    fn read_from(
        &self,
        generation: &FileSnapshot,
        number: usize,
        selections: &[AxisSelection],
        target: &mut [u8],
    ) -> Result<()> {
        let variable = &generation.model.variables[number];
        let reach = generation.reach_for(number, selections)?;
        let conversion = handed_out(variable).1;
        if conversion != Conversion::Number {
            self.fetch(generation, (variable, &reach), selections, target)?;
            if conversion == Conversion::Texts {
                variable.datatype.clear_behind_texts(target);
            }
            return Ok(());
        }
        let elements = selected_elements(selections).unwrap_or(u64::MAX);
        let mut stored = room_for(elements, reach.element_bytes())?;
        self.fetch(generation, (variable, &reach), selections, &mut stored)?;
        converted(variable, &stored, target);
        Ok(())
    }

    /// Elements as [`Reach`] says that they are.
    fn fetch(
        &self,
        generation: &FileSnapshot,
        (variable, reach): (&Variable, &Reach),
        selections: &[AxisSelection],
        target: &mut [u8],
    ) -> Result<()> {
        let options = &self.shared.options;
        let context = ReadContext {
            threads: self.shared.threads,
            cancel: &options.cancel,
        };
        match &reach.path {
            ReadPath::Chunked(array, missing) => {
                let outcome = array.read(selections, &reach.outside, target, &context);
                outcome.map_err(|error| {
                    let offset = |chunk| array.source().grid.offset(chunk);
                    match error.code() {
                        ErrorCode::MissingFilter => lacks_filter(&error, missing, offset),
                        _ => from_pipeline(error, |_, chunk| {
                            format!("the chunk at {:?}", offset(chunk))
                        }),
                    }
                })
            }
            ReadPath::Plain(array) => {
                let outcome = array.read(selections, target, &context);
                outcome.map_err(|error| from_pipeline(error, |_, _| "its values".to_owned()))
            }
            ReadPath::Nothing => {
                let is_empty = variable.dataset.shape.contains(&0);
                let fill = if is_empty {
                    &reach.outside
                } else {
                    &reach.fill
                };
                fill_values(target, fill);
                Ok(())
            }
            ReadPath::Elsewhere(_) => {
                let cause = "values of other files as they lie in this one";
                Err(Error::new(ErrorCode::Internal, cause))
            }
            ReadPath::Library => {
                // In the order of the file until it is read.
                fill_values(target, &reach.outside);
                swap_units(target, reach.byte_swap);
                let (input, dataset) = (generation.input()?, &variable.dataset);
                through_library::read(&input, dataset, selections, target)
                    .map_err(|error| from_container(error, self.path()))?;
                swap_units(target, reach.byte_swap);
                Ok(())
            }
        }
    }
}

/// Threads that may work on one read.
fn threads(options: &ReaderOptions) -> usize {
    run::threads(&Resources {
        threads: options.threads,
        ..Resources::default()
    })
}

/// Whether a variable still has the axes and the meaning of its values: what was asked for goes by them.
fn has_the_same_meaning(then: (&FileModel, &Variable), now: (&FileModel, &Variable)) -> bool {
    let axes = |(model, variable): (&FileModel, &Variable)| -> Vec<Option<String>> {
        let dimensions = variable.dimensions.iter();
        let dimensions = dimensions.map(|id| model.dimensions.get(id.0));
        let name = |one: &Dimension| (!one.is_phony).then(|| one.name.clone());
        dimensions.map(|one| one.and_then(name)).collect()
    };
    let alike = |name: &&str| then.1.attribute(name) == now.1.attribute(name);
    axes(then) == axes(now) && MEANING.iter().all(alike)
}

fn changed(cause: &str) -> Error {
    Error::new(ErrorCode::FileChanged, cause).with_cure("open the file again")
}

/// The error for a chunk that nobody here can decode.
fn lacks_filter(
    error: &PipelineError,
    missing: &[FilterSpec],
    offset: impl Fn(u64) -> Vec<u64>,
) -> Error {
    let mut explained = missing_filter_error(missing);
    if let PipelineError::Decode { chunk, .. } = error {
        let text = missing_filter_text(missing);
        explained.cause = format!("the chunk at {:?}: {text}", offset(*chunk));
    }
    explained
}
