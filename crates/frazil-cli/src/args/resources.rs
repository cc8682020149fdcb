//! The limits of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use super::declared::number;
use crate::size;

/// Limits of a run.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number("threads", 0..=Resources::MOST_THREADS))]
    threads: Option<usize>,
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    #[arg(value_parser = size::parse_memory)]
    memory: Option<u64>,
}

impl ResourceArgs {
    pub(super) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        Resources {
            threads: self.threads.unwrap_or(0),
            memory_bytes: self.memory.unwrap_or(Resources::DEFAULT_MEMORY_BYTES),
            cancel: Arc::clone(cancel),
        }
    }
}
