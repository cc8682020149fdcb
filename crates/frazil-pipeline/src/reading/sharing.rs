//! One read on several threads.

use std::sync::atomic::{AtomicBool, Ordering};

use frazil_types::sync::Mutex;

use super::context::ReadContext;
use super::process::Process;
use crate::PipelineError;

impl ReadContext<'_> {
    /// Runs `work` on up to `threads` threads at once, this one included. `work` takes piece after
    /// piece until none is left; it is told to stop when another thread has failed.
    pub(super) fn share(
        &self,
        threads: usize,
        work: &(dyn Fn(&Stop<'_>) -> Result<(), PipelineError> + Sync),
    ) -> Result<(), PipelineError> {
        let failed = AtomicBool::new(false);
        let stop = Stop {
            cancel: self.cancel,
            failed: &failed,
        };
        if threads <= 1 {
            return work(&stop);
        }
        let failure = Mutex::new(None);
        Process::current().pool.share(threads - 1, &|| {
            if let Err(error) = work(&stop) {
                failed.store(true, Ordering::Relaxed);
                failure.lock().get_or_insert(error);
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

/// Why a thread should not take another piece.
pub(super) struct Stop<'a> {
    cancel: &'a AtomicBool,
    failed: &'a AtomicBool,
}

impl Stop<'_> {
    /// Whether another thread has failed; an error if the user has interrupted.
    pub(super) fn is_due(&self) -> Result<bool, PipelineError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(PipelineError::Interrupted);
        }
        Ok(self.failed.load(Ordering::Relaxed))
    }
}
