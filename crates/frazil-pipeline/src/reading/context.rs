//! What a read may use, and when it stops.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::PipelineError;

/// What a read may use, and when it stops.
#[derive(Debug, Clone, Copy)]
pub struct ReadContext<'a> {
    /// Threads that may work on the read, the calling one included; at least 1.
    pub threads: usize,
    /// Set to stop: the read ends at the next chunk with [`PipelineError::Interrupted`].
    pub cancel: &'a AtomicBool,
}

impl ReadContext<'_> {
    /// Whether to go on.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(PipelineError::Interrupted);
        }
        Ok(())
    }
}
