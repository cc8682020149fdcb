//! The writer. `frazil/writer.py` makes it fit for numpy.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frazil::schema::{AttributeOwner, DimensionId, GroupId, Schema, VariableId};
use frazil::{DimensionLength, ErrorCode, PackedSummary, WriterOptions};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::json;

use crate::attributes::Value;
use crate::error::{Outcome, invalid};
use crate::options::{self, parse};
use crate::settings::{Settings, type_number, value_type};

/// Start, count and stride (`None`: 1) along each axis.
type Slab = (Vec<u64>, Vec<u64>, Option<Vec<u64>>);

/// A netCDF-4 file being written. Any thread may use it; they take turns.
///
/// In a child process after a fork there are no threads to pack, and the file is the parent's: the
/// child's copy refuses all work, and does nothing when it goes.
#[pyclass(frozen, module = "frazil._frazil")]
pub(crate) struct Writer {
    // Boxed: it holds what is aligned to lines of the cache, and Python's objects are not.
    writer: Mutex<Option<Box<frazil::Writer>>>,
    cancel: Arc<AtomicBool>,
    /// The process that opened the file.
    process: u32,
}

impl Writer {
    /// Does something with the writer, without Python's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut frazil::Writer) -> frazil::Result<T> + Send,
    ) -> Outcome<T> {
        py.detach(|| match self.lock()?.as_mut() {
            Some(writer) => Ok(work(writer)?),
            None => Err(closed().into()),
        })
    }

    fn new(writer: frazil::Writer, cancel: Arc<AtomicBool>) -> Self {
        Self {
            writer: Mutex::new(Some(Box::new(writer))),
            cancel,
            process: std::process::id(),
        }
    }

    fn is_foreign(&self) -> bool {
        self.process != std::process::id()
    }

    /// The writer; not in another process, where a thread that is no more may hold the lock.
    fn lock(&self) -> frazil::Result<MutexGuard<'_, Option<Box<frazil::Writer>>>> {
        if self.is_foreign() {
            return Err(invalid(
                "the parent process is writing the file, and this process is its fork",
            ));
        }
        // What panicked has left a writer that says so itself.
        Ok(self.writer.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.is_foreign() {
            let writer = self.writer.get_mut();
            std::mem::forget(writer.unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

fn closed() -> frazil::Error {
    invalid("the writer is closed")
}

/// Options as the package hands them over, for the file at `path`.
fn writer_options(
    text: &str,
    cancel: &Arc<AtomicBool>,
    path: &Path,
) -> frazil::Result<WriterOptions> {
    let options = parse::<options::Write>(text).and_then(|asked| asked.options(cancel));
    options.map_err(|error| error.in_file(path))
}

fn ids(dimensions: Vec<usize>) -> Vec<DimensionId> {
    dimensions.into_iter().map(DimensionId).collect()
}

/// The variable's attributes if one is given, else the group's.
fn owner(group: usize, variable: Option<usize>) -> AttributeOwner {
    match variable {
        Some(variable) => AttributeOwner::Variable(VariableId(variable)),
        None => AttributeOwner::Group(GroupId(group)),
    }
}

#[pymethods]
impl Writer {
    #[staticmethod]
    fn create(py: Python<'_>, path: PathBuf, options: &str) -> Outcome<Self> {
        let cancel = Arc::new(AtomicBool::new(false));
        let options = writer_options(options, &cancel, &path)?;
        let writer = py.detach(|| frazil::Writer::create(&path, &options))?;
        Ok(Self::new(writer, cancel))
    }

    #[staticmethod]
    fn append(py: Python<'_>, path: PathBuf, options: &str) -> Outcome<Self> {
        let cancel = Arc::new(AtomicBool::new(false));
        let options = writer_options(options, &cancel, &path)?;
        let writer = py.detach(|| frazil::Writer::append(&path, &options))?;
        Ok(Self::new(writer, cancel))
    }

    // --- definitions ---

    fn add_group(&self, py: Python<'_>, parent: usize, name: &str) -> Outcome<usize> {
        self.with(py, |writer| Ok(writer.add_group(GroupId(parent), name)?.0))
    }

    /// `length` of an unlimited dimension: the length expected, if known.
    fn add_dimension(
        &self,
        py: Python<'_>,
        group: usize,
        name: &str,
        length: Option<u64>,
        is_unlimited: bool,
    ) -> Outcome<usize> {
        let length = match (is_unlimited, length) {
            (true, expected) => DimensionLength::Unlimited { expected },
            (false, Some(length)) => DimensionLength::Fixed(length),
            (false, None) => return Err(invalid("a fixed dimension has a length").into()),
        };
        self.with(py, |writer| {
            Ok(writer.add_dimension(GroupId(group), name, length)?.0)
        })
    }

    fn add_variable(
        &self,
        group: usize,
        name: &str,
        type_number: u32,
        dimensions: Vec<usize>,
        settings: &str,
    ) -> Outcome<usize> {
        let value_type = value_type(type_number)?;
        let settings = parse::<Settings>(settings)?.into_settings(name, value_type)?;
        let dimensions = ids(dimensions);
        let mut writer = self.lock()?;
        let writer = writer.as_mut().ok_or_else(closed)?;
        let id = writer.add_variable(GroupId(group), name, value_type, &dimensions, settings)?;
        Ok(id.0)
    }

    /// What the rules of the options state for a variable of a path, as JSON: precision, and what its
    /// filters must be like; an empty object where they state nothing of it.
    fn requests(&self, py: Python<'_>, path: &str) -> Outcome<String> {
        self.with(py, |writer| {
            let (request, demand) = writer.requests(path)?;
            text(&json!({"precision": request, "filters": demand}))
        })
    }

    fn put_attribute(
        &self,
        py: Python<'_>,
        group: usize,
        variable: Option<usize>,
        name: &str,
        value: Value<'_>,
    ) -> Outcome<()> {
        let value = value.into_schema()?;
        self.with(py, |writer| {
            writer.put_attribute(owner(group, variable), name, value)
        })
    }

    fn delete_attribute(
        &self,
        py: Python<'_>,
        group: usize,
        variable: Option<usize>,
        name: &str,
    ) -> Outcome<()> {
        self.with(py, |writer| {
            writer.delete_attribute(owner(group, variable), name)
        })
    }

    /// Groups, dimensions and variables as JSON.
    fn schema(&self, py: Python<'_>) -> Outcome<String> {
        self.with(py, |writer| Ok(schema_json(writer.schema())))
    }

    // --- values ---

    /// `values`: the bytes of the values, row-major, little-endian. Returns how many chunks were
    /// under way before, and for how many seconds it had to wait for memory.
    fn put(
        &self,
        py: Python<'_>,
        variable: usize,
        slab: Slab,
        values: PyReadonlyArray1<'_, u8>,
    ) -> Outcome<(u64, f64)> {
        let (start, count, stride) = slab;
        let bytes = values.as_slice().map_err(PyErr::from)?;
        self.with(py, |writer| {
            let (under_way, stalled) = writer.backlog();
            writer.put(
                VariableId(variable),
                &start,
                &count,
                stride.as_deref(),
                bytes,
            )?;
            let stalled = writer.backlog().1.saturating_sub(stalled);
            Ok((under_way, stalled.as_secs_f64()))
        })
    }

    /// Leaves memory to those who make the values.
    fn leave_memory(&self, py: Python<'_>, bytes: u64) -> Outcome<()> {
        self.with(py, |writer| {
            writer.leave_memory(bytes);
            Ok(())
        })
    }

    fn put_strings(
        &self,
        py: Python<'_>,
        variable: usize,
        slab: Slab,
        values: Vec<String>,
    ) -> Outcome<()> {
        let (start, count, stride) = slab;
        self.with(py, |writer| {
            writer.put_strings(
                VariableId(variable),
                &start,
                &count,
                stride.as_deref(),
                &values.into_iter().map(Into::into).collect::<Vec<_>>(),
            )
        })
    }

    fn read<'py>(
        &self,
        py: Python<'py>,
        variable: usize,
        slab: Slab,
    ) -> Outcome<Bound<'py, PyArray1<u8>>> {
        let (start, count, stride) = slab;
        let bytes = self.with(py, |writer| {
            writer.read(VariableId(variable), &start, &count, stride.as_deref())
        })?;
        Ok(PyArray1::from_vec(py, bytes))
    }

    fn read_strings(&self, py: Python<'_>, variable: usize, slab: Slab) -> Outcome<Vec<String>> {
        let (start, count, stride) = slab;
        self.with(py, |writer| {
            let texts =
                writer.read_strings(VariableId(variable), &start, &count, stride.as_deref())?;
            // As netCDF4 gives one that is not there.
            let texts = texts.into_iter().map(Option::unwrap_or_default);
            Ok(texts.map(|text| text.to_string()).collect())
        })
    }

    // --- chunks packed by other processes ---

    /// What they must know, as JSON; `None`: values must be put here.
    fn chunk_plan(&self, py: Python<'_>, variable: usize) -> Outcome<Option<String>> {
        self.with(py, |writer| {
            let plan = writer.chunk_plan(VariableId(variable))?;
            plan.as_ref().map(text).transpose()
        })
    }

    /// Address of space that is given to nothing else.
    fn set_aside(&self, py: Python<'_>, bytes: u64) -> Outcome<u64> {
        self.with(py, |writer| writer.set_aside(bytes))
    }

    /// Enters chunks that were written to `address`; `summary` as the packer gave it.
    fn enter_chunks(
        &self,
        py: Python<'_>,
        variable: usize,
        region: (Vec<u64>, Vec<u64>),
        address: u64,
        summary: &str,
    ) -> Outcome<()> {
        let (start, count) = region;
        let summary = parse::<PackedSummary>(summary)?;
        self.with(py, |writer| {
            writer.enter_chunks(VariableId(variable), &start, &count, address, &summary)
        })
    }

    // --- commits ---

    fn sync(&self, py: Python<'_>) -> Outcome<()> {
        self.with(py, frazil::Writer::sync)
    }

    /// What was decided so far, as JSON.
    fn plan(&self, py: Python<'_>) -> Outcome<String> {
        self.with(py, |writer| text(&writer.plan()?))
    }

    /// What was done so far, as JSON.
    fn report(&self, py: Python<'_>) -> Outcome<String> {
        self.with(py, |writer| text(&writer.report()?))
    }

    /// The report, as JSON; `None`: it was closed before.
    fn close(&self, py: Python<'_>) -> Outcome<Option<String>> {
        py.detach(|| match self.lock()?.take() {
            Some(writer) => Ok(Some(text(&writer.close()?)?)),
            None => Ok(None),
        })
    }

    /// Gives up what was put since the last commit.
    fn abandon(&self, py: Python<'_>) {
        self.cancel.store(true, Ordering::Relaxed);
        py.detach(|| drop(self.lock().map(|mut writer| writer.take())));
    }

    #[getter]
    fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().map_or(true, |writer| writer.is_none()))
    }
}

fn text(report: &impl serde::Serialize) -> frazil::Result<String> {
    serde_json::to_string(report)
        .map_err(|error| frazil::Error::new(ErrorCode::Internal, error.to_string()))
}

fn schema_json(schema: &Schema) -> String {
    let groups = schema
        .groups
        .iter()
        .map(|group| json!({"name": group.name, "parent": group.parent.map(|id| id.0)}));
    let dimensions = schema.dimensions.iter().map(|dimension| {
        json!({
            "name": dimension.name,
            "group": dimension.group.0,
            "length": dimension.length,
            "is_unlimited": dimension.is_unlimited,
        })
    });
    let variables = schema.variables.iter().map(|variable| {
        json!({
            "name": variable.name,
            "group": variable.group.0,
            "type": type_number(variable.value_type),
            "dimensions": variable.dimensions.iter().map(|id| id.0).collect::<Vec<_>>(),
            "attributes": variable.attributes.iter().map(|a| &a.name).collect::<Vec<_>>(),
        })
    });
    json!({
        "groups": groups.collect::<Vec<_>>(),
        "dimensions": dimensions.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
    })
    .to_string()
}
