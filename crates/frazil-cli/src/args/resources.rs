//! The limits of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::Resources;

use crate::size;

/// Limits of a run.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    /// Threads; 0 means one per available core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=4096))]
    threads: u16,
    /// Memory for chunk buffers, for example 512MiB [default: 256MiB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    #[arg(value_parser = size::parse_memory)]
    memory: Option<u64>,
}

impl ResourceArgs {
    pub(super) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        Resources {
            threads: self.threads.into(),
            memory_bytes: self.memory.unwrap_or(Resources::DEFAULT_MEMORY_BYTES),
            cancel: Arc::clone(cancel),
        }
    }
}
