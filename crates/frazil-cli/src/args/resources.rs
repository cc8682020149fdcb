//! The limits of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use crate::size;

/// Limits of a run.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=4096))]
    threads: Option<u16>,
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    #[arg(value_parser = size::parse_memory)]
    memory: Option<u64>,
}

impl ResourceArgs {
    pub(super) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        Resources {
            threads: self.threads.map_or(0, usize::from),
            memory_bytes: self.memory.unwrap_or(Resources::DEFAULT_MEMORY_BYTES),
            cancel: Arc::clone(cancel),
        }
    }
}
