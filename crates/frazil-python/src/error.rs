//! frazil's errors as Python's exceptions.

use std::path::Path;

use frazil::{Error, ErrorCode};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Result of what may fail in frazil or in Python.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why something failed: frazil has a reason, or Python (an interrupt, a callback's exception).
#[derive(Debug)]
pub(crate) enum Failure {
    /// In frazil's words.
    Frazil(Error),
    /// An exception on its way.
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Frazil(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Frazil(error) => Python::attach(|py| exception(py, &error)),
            Failure::Python(error) => error,
        }
    }
}

/// The exception that `frazil.errors` makes of an error.
fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let made = py.import("frazil.errors").and_then(|module| {
        module.getattr("from_parts")?.call1((
            error.code.number(),
            // As text: Python's `Path` takes a slash from `https://`.
            error.file.as_deref().map(Path::as_os_str),
            error.variable.as_deref(),
            error.cause.as_str(),
            error.cure.as_deref(),
        ))
    });
    match made {
        Ok(exception) => PyErr::from_value(exception),
        // Without the package around it there is nothing better.
        Err(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// An argument that cannot be.
pub(crate) fn invalid(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
}
