//! The reader. `frazil/file.py` makes groups, variables and numpy's arrays of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil::schema::VariableId;
use frazil::{AxisSelection, Checksums, ChunkCachePolicy, ReaderOptions, StorageOptions};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::error::{Outcome, invalid};
use crate::job::run;
use crate::model;
use crate::options::{self, parse};
use crate::source::PythonFile;

/// Reads of more bytes can be interrupted by Ctrl-C; smaller ones are over before anybody waits.
const LONG_BYTES: usize = 256 << 20;

/// Elements wanted along one axis.
#[derive(FromPyObject)]
enum Axis<'py> {
    /// Start, count and stride.
    #[pyo3(transparent)]
    Range((u64, u64, u64)),
    /// Any elements in any order.
    #[pyo3(transparent)]
    List(PyReadonlyArray1<'py, u64>),
}

fn selections(axes: &[Axis<'_>]) -> Outcome<Vec<AxisSelection>> {
    let mut all = Vec::with_capacity(axes.len());
    for axis in axes {
        all.push(match axis {
            Axis::Range((start, count, stride)) => AxisSelection::Range {
                start: *start,
                count: *count,
                stride: *stride,
            },
            Axis::List(list) => AxisSelection::List(list.as_slice().map_err(PyErr::from)?.to_vec()),
        });
    }
    Ok(all)
}

/// An open file. Any number of threads may read from it at the same time.
#[pyclass(frozen, module = "frazil._frazil")]
pub(crate) struct Reader {
    reader: frazil::Reader,
    cancel: Arc<AtomicBool>,
}

#[pymethods]
impl Reader {
    /// `chunk_cache`: what is kept of variables whatever else is read; as the file's own plan says if
    /// left out. `storage`: for access to a file on another machine. `object`: gives the bytes of the file, in
    /// place of what `path` leads to.
    #[staticmethod]
    #[pyo3(signature = (path, threads, skip_checksums, chunk_cache=None, storage=None, object=None))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        threads: usize,
        skip_checksums: bool,
        chunk_cache: Option<&str>,
        storage: Option<StorageOptions>,
        object: Option<Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let chunk_cache = match chunk_cache {
            Some(stated) => parse::<options::ChunkCache>(stated)?.policy()?,
            None => ChunkCachePolicy::default(),
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let options = ReaderOptions {
            threads,
            checksums: match skip_checksums {
                true => Checksums::Skip,
                false => Checksums::Verify,
            },
            chunk_cache,
            storage: storage.unwrap_or_default(),
            cancel: Arc::clone(&cancel),
        };
        let source = object
            .map(PythonFile::new)
            .transpose()
            .map_err(PyErr::from)?;
        let reader = py.detach(|| match source {
            Some(source) => frazil::Reader::open_source(&path, Arc::new(source), &options),
            None => frazil::Reader::open(&path, &options),
        })?;
        Ok(Self { reader, cancel })
    }

    #[getter]
    fn notices(&self) -> Vec<String> {
        self.reader.notices().to_vec()
    }

    #[getter]
    fn format(&self) -> &str {
        self.reader.format()
    }

    /// What the file holds: groups, dimensions and variables.
    fn model<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        Ok(model::describe(py, &self.reader)?)
    }

    /// What became of those chunks of a variable that reads wanted in part; `None`: it was not read, or is
    /// not in chunks.
    fn cache_stats<'py>(
        &self,
        py: Python<'py>,
        variable: usize,
    ) -> Outcome<Option<Bound<'py, PyDict>>> {
        let Some(stats) = self.reader.cache_stats(VariableId(variable)) else {
            return Ok(None);
        };
        let all = PyDict::new(py);
        all.set_item("hits", stats.hits)?;
        all.set_item("misses", stats.misses)?;
        all.set_item("hit_rate", stats.hit_rate())?;
        all.set_item("kept_bytes", stats.kept_bytes)?;
        all.set_item("share_bytes", stats.share_bytes)?;
        Ok(Some(all))
    }

    /// Reads elements of a fixed size into `target`, a flat array of their bytes.
    fn read(
        &self,
        py: Python<'_>,
        variable: usize,
        axes: Vec<Axis<'_>>,
        mut target: PyReadwriteArray1<'_, u8>,
    ) -> Outcome<()> {
        let selections = selections(&axes)?;
        let target = target.as_slice_mut().map_err(PyErr::from)?;
        let id = VariableId(variable);
        if target.len() < LONG_BYTES {
            return Ok(py.detach(|| self.reader.read(id, &selections, target))?);
        }
        let outcome = run(py, None, &self.cancel, |_| {
            self.reader.read(id, &selections, target)
        });
        self.cancel.store(false, Ordering::Relaxed);
        outcome
    }

    /// Reads elements of any type, all of them in one string of bytes that their type explains.
    fn read_expanded<'py>(
        &self,
        py: Python<'py>,
        variable: usize,
        axes: Vec<Axis<'_>>,
    ) -> Outcome<Bound<'py, PyBytes>> {
        let selections = selections(&axes)?;
        let id = VariableId(variable);
        let found = py.detach(|| self.reader.read_expanded(id, &selections))?;
        Ok(PyBytes::new(py, found.bytes()))
    }

    /// Reads texts of any length, as bytes.
    fn read_texts<'py>(
        &self,
        py: Python<'py>,
        variable: usize,
        axes: Vec<Axis<'_>>,
    ) -> Outcome<Bound<'py, PyList>> {
        let selections = selections(&axes)?;
        let id = VariableId(variable);
        let found = py.detach(|| self.reader.read_expanded(id, &selections))?;
        let texts = PyList::empty(py);
        for i in 0..found.len() {
            // Behind the length.
            let text = found.element(i).get(8..);
            let text = text.ok_or_else(|| invalid("its elements are no texts"))?;
            texts.append(PyBytes::new(py, text))?;
        }
        Ok(texts)
    }
}

/// What reading did in this process so far, and what it holds.
#[pyfunction]
pub(crate) fn read_stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let stats = frazil::read_stats();
    let all = PyDict::new(py);
    all.set_item("hits", stats.hits)?;
    all.set_item("misses", stats.misses)?;
    all.set_item("hit_rate", stats.hit_rate())?;
    all.set_item("ahead", stats.ahead)?;
    all.set_item("chunks_decoded", stats.chunks_decoded)?;
    all.set_item("decoded_bytes", stats.decoded_bytes)?;
    all.set_item("fetched_bytes", stats.fetched_bytes)?;
    all.set_item("kept_bytes", stats.kept_bytes)?;
    all.set_item("budget_bytes", stats.budget_bytes)?;
    Ok(all)
}

/// Sets how many bytes of decoded chunks may be kept for later reads.
#[pyfunction]
pub(crate) fn set_read_budget(py: Python<'_>, count: u64) {
    py.detach(|| frazil::set_read_budget(count));
}
