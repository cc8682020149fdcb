//! The lock that keeps others from writing a file, held while a new one is written beside it.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use frazil::{Error, ErrorCode};
use pyo3::prelude::*;

use crate::error::Outcome;

/// Keeps other processes from writing the file of a name, until it is released.
#[pyclass(frozen, module = "frazil._frazil")]
pub(crate) struct NameLock {
    target: PathBuf,
    /// Who took it: to a fork of the process it does not belong.
    process: u32,
    held: Mutex<Option<frazil::NameLock>>,
}

#[pymethods]
impl NameLock {
    /// Takes the lock, and removes what a killed writer of the file left.
    #[staticmethod]
    fn take(target: PathBuf) -> Outcome<Self> {
        let held = Mutex::new(Some(frazil::NameLock::take(&target)?));
        let process = std::process::id();
        Ok(Self {
            target,
            process,
            held,
        })
    }

    /// Makes an empty file beside the target; the next writer removes it if this process is killed.
    fn make_temporary(&self) -> Outcome<PathBuf> {
        let mut held = self.locked();
        let released = || Error::new(ErrorCode::InvalidArgument, "its lock was released");
        let lock = held.as_mut().ok_or_else(released)?;
        Ok(lock.make_temporary(&self.target)?)
    }

    /// Lets others write the file.
    fn release(&self) {
        let held = self.locked().take();
        if self.process != std::process::id() {
            // Its file must stay.
            std::mem::forget(held);
        }
    }
}

impl NameLock {
    fn locked(&self) -> MutexGuard<'_, Option<frazil::NameLock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for NameLock {
    fn drop(&mut self) {
        self.release();
    }
}
