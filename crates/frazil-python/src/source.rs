//! Python's file objects as sources of bytes. `frazil/far.py` makes one kind of them all.

use std::io;
use std::ops::Range;

use frazil::{Arrival, ErrorCode, Source, SourceError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The begin of a file that is asked for at once.
const HEAD_BYTES: u64 = 256 << 10;
const BLOCK_BYTES: u64 = 16 << 10;

/// An object that gives ranges of a file.
pub(crate) struct PythonFile {
    object: Py<PyAny>,
    length: u64,
    /// Whether many ranges come sooner than one after the other.
    gives_many: bool,
}

impl PythonFile {
    /// Takes over an object with `size`, `gives_many` and `read_ranges`.
    pub(crate) fn new(object: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            length: object.getattr("size")?.extract()?,
            gives_many: object.getattr("gives_many")?.extract()?,
            object: object.unbind(),
        })
    }

    fn ask(&self, py: Python<'_>, ranges: &[Range<u64>]) -> PyResult<Vec<Vec<u8>>> {
        let pairs: Vec<(u64, u64)> = ranges.iter().map(|one| (one.start, one.end)).collect();
        let given = self.object.bind(py).call_method1("read_ranges", (pairs,))?;
        let given = given.try_iter()?;
        given
            .map(|one| Ok(one?.cast::<PyBytes>()?.as_bytes().to_vec()))
            .collect()
    }
}

impl Source for PythonFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |cause: String| SourceError::new(ErrorCode::Io, cause);
        // Nothing can be asked for while Python ends.
        let asked =
            Python::try_attach(|py| self.ask(py, ranges).map_err(|error| error.to_string()));
        let given = asked.ok_or_else(|| failed("Python is ending".to_owned()))?;
        let given = given.map_err(|said| failed(format!("the file object says: {said}")))?;
        let lengths = ranges.iter().map(|range| range.end - range.start);
        if given.iter().map(|one| one.len() as u64).ne(lengths) {
            let cause = "the file object gives other numbers of bytes than it is asked for";
            return Err(failed(cause.to_owned()).into());
        }
        Ok(given)
    }

    fn block_bytes(&self) -> u64 {
        BLOCK_BYTES
    }

    fn head_bytes(&self) -> u64 {
        HEAD_BYTES
    }

    fn is_far(&self) -> bool {
        true
    }

    /// Python's lock. Who waits for libhdf5's may hold it.
    fn needs_no_lock(&self) -> bool {
        false
    }

    /// One call for all ranges: what gives many at once fetches them side by side.
    fn begin(&self, ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
        if !self.gives_many {
            return Vec::new();
        }
        let Ok(given) = self.read_ranges(ranges) else {
            // Reading says what is wrong.
            return Vec::new();
        };
        let ranges = ranges.iter().cloned();
        let arrival = |bytes: Vec<u8>| -> Arrival { Box::new(move || Ok(bytes)) };
        ranges.zip(given.into_iter().map(arrival)).collect()
    }
}
