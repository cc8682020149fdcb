//! Limits of an operation: threads, memory, and when to stop.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
                "threads is {threads}; it must be a number of threads from 0 (one for \
                 each core) to {most}"
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
pub fn not_enough_memory(needed_bytes: u64, allowed_bytes: u64) -> Error {
    Error::new(
        ErrorCode::MemoryBudget,
        format!(
            "one piece of work needs {} MiB of memory; {} MiB are allowed",
            needed_bytes.div_ceil(1 << 20),
            allowed_bytes >> 20
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

/// How long the number of cores is kept, in milliseconds. Linux answers from several files of the cgroup: for a
/// program that opens many small files, that would be a quarter of their time.
const CORES_KEPT_MS: u64 = 1000;

/// Cores that this process may use. It may be pinned to others while it runs.
///
/// What is kept is one number, not a lock around two: a process that is forked while another thread
/// holds a lock would wait for it for ever.
fn available_cores() -> usize {
    /// When they were counted, in milliseconds, and in the lowest 16 bits how many there were.
    static KEPT: AtomicU64 = AtomicU64::new(0);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ms = since_epoch.map_or(0, |time| time.as_millis() as u64);
    let kept = KEPT.load(Ordering::Relaxed);
    // The clock may be set back.
    if kept > 0 && now_ms.abs_diff(kept >> 16) < CORES_KEPT_MS {
        return (kept & 0xFFFF) as usize;
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let cores = cores.min(Resources::MOST_THREADS);
    KEPT.store(now_ms << 16 | cores as u64, Ordering::Relaxed);
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
