//! Limits of an operation: threads, memory, and when to stop.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use frazil_pipeline::MemoryBudget;
use frazil_types::ErrorCode;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Limits and switches shared by all operations.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Resources {
    /// Packing threads; 0 means one per available core.
    pub threads: usize,
    /// Bytes the process may hold in chunk buffers.
    pub memory_bytes: u64,
    /// Set to stop: work ends at the next chunk with `ErrorCode::Interrupted`.
    #[serde(skip)]
    pub cancel: Arc<AtomicBool>,
}

impl Resources {
    /// Default memory budget: modest enough for a shared login node.
    pub const DEFAULT_MEMORY_BYTES: u64 = 256 << 20;
    /// No machine has use for more threads.
    pub const MOST_THREADS: usize = 4096;
    /// With less memory not one chunk of a usual size can be gathered.
    pub const LEAST_MEMORY_BYTES: u64 = 1 << 20;
    /// No machine has more memory.
    pub const MOST_MEMORY_BYTES: u64 = 1 << 50;

    /// Refuses what nobody can mean.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] with the limits.
    pub fn check(&self) -> Result<()> {
        let (threads, bytes) = (self.threads, self.memory_bytes);
        let refuse = |cause: String| Err(Error::new(ErrorCode::InvalidArgument, cause));
        if threads > Self::MOST_THREADS {
            let most = Self::MOST_THREADS;
            return refuse(format!(
                "threads is {threads}; it must be a number from 0 (one for each core) to {most}"
            ));
        }
        let (least, most) = (Self::LEAST_MEMORY_BYTES, Self::MOST_MEMORY_BYTES);
        if !(least..=most).contains(&bytes) {
            return refuse(format!(
                "memory is {bytes} bytes; it must be from {least} (1 MiB) to {most}"
            ));
        }
        Ok(())
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self {
            threads: 0,
            memory_bytes: Self::DEFAULT_MEMORY_BYTES,
            cancel: Arc::new(AtomicBool::new(false)),
        }
    }
}

/// Resources of a run, kept beside the decisions that used them.
pub fn budget(resources: &Resources) -> MemoryBudget {
    MemoryBudget::new(resources.memory_bytes)
}

/// The error of a piece of work that is larger than the memory budget.
pub fn not_enough_memory(needed_bytes: u64, resources: &Resources) -> Error {
    Error::new(
        ErrorCode::MemoryBudget,
        format!(
            "one piece of work needs {} MiB of memory; {} MiB are allowed",
            needed_bytes.div_ceil(1 << 20),
            resources.memory_bytes >> 20
        ),
    )
    .with_cure("raise --memory")
}

/// Packing threads: as asked, else one per available core.
pub fn threads(resources: &Resources) -> usize {
    if resources.threads > 0 {
        return resources.threads;
    }
    available_cores()
}

/// How long the number of cores is kept. Linux answers from several files of the cgroup: for a program that opens many
/// small files, that would be a quarter of their time.
const CORES_KEPT: Duration = Duration::from_secs(1);

/// Cores that this process may use. It may be pinned to others while it runs.
fn available_cores() -> usize {
    static KEPT: Mutex<Option<(Instant, usize)>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((asked, cores)) = *kept
        && asked.elapsed() < CORES_KEPT
    {
        return cores;
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    *kept = Some((Instant::now(), cores));
    cores
}

/// Memory for elements as they lie in a file: a shape may say any number.
///
/// # Errors
/// [`ErrorCode::MemoryBudget`] if there is not as much.
pub fn room_for(elements: u64, element_bytes: usize) -> Result<Vec<u8>> {
    let bytes = usize::try_from(elements).ok();
    let bytes = bytes.and_then(|elements| elements.checked_mul(element_bytes));
    let has_room = |bytes: &usize| Vec::<u8>::new().try_reserve_exact(*bytes).is_ok();
    match bytes.filter(has_room) {
        Some(bytes) => Ok(vec![0; bytes]),
        None => {
            let cause = format!("{elements} elements do not fit into memory");
            Err(Error::new(ErrorCode::MemoryBudget, cause).with_cure("read a part of the variable"))
        }
    }
}
