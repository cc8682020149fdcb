//! State of the process that all threads share, and that a forked child can use.

use std::sync::{Mutex, PoisonError};

/// A value of the process. No fork falls into work on it: a child would find its lock taken for ever.
pub(crate) struct Global<T>(Mutex<T>);

impl<T> Global<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Works on the value. The work must be short, and must not use another one of these.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        frazil::outside_forks(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
