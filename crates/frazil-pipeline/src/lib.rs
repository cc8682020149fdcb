//! Many chunks in parallel, in bounded memory, in order.
//!
//! In: tasks, and sources of stored bytes. Out: what the caller's work makes of them, in order.
//!
//! A run takes [`Task`]s. Each asks for values or stored chunks of [`ArraySource`]s; once these are
//! fetched, unpacked and gathered, the caller's `work` runs on a worker thread, and the caller's
//! `deliver` gets the results on the calling thread in the order of the tasks. The same tasks give
//! the same results in the same order with any number of threads and any sufficient budget.
//!
//! This crate knows no files, no libhdf5 and no plan: bytes come from a [`ByteSource`], addresses
//! from a [`ChunkIndex`].
//!
//! # How a run goes
//! Workers ask the scheduler what to do, in this order: run a task whose requests are all answered;
//! fetch and decode a batch of chunks that admitted tasks need; admit the next task. A decoded
//! chunk is copied at once to every admitted task that asked for it, whichever worker decoded it.
//! It is kept beyond that only if the source's [`TilingHint`] says that later tasks need it, and
//! only in memory that nobody else wants: it is evicted, the one needed last first, when tasks
//! cannot be admitted. Small tasks that share no chunks are done by the worker that admits them,
//! a few at a time.
//!
//! # Memory
//! A task is charged when it is admitted, and only then: for its `output_bytes`, the boxes and
//! stored chunks it asked for, and its bookkeeping. The charge goes back when the result is
//! delivered. Fetching and decoding draw on a *reserve* that holds at least the largest single
//! chunk of every admitted task. Kept chunks are charged on their own. Not counted are the
//! decoders' [`Scratch`](frazil_codec::Scratch) buffers (one per worker).
//!
//! # Why a run cannot deadlock
//! 1. No thread ever sleeps while it holds something another one needs: workers sleep only when
//!    they have no job, and memory is only ever asked for, not waited for.
//! 2. If a task is in flight, some thread can go on. Its missing chunks are either being decoded by
//!    a worker, or in a batch; a batch can be claimed unless another worker draws on the reserve,
//!    and then that worker goes on. With no chunk missing it is in the ready list, being worked on,
//!    or finished. The oldest finished task is delivered by the calling thread, which waits for
//!    nothing else. None of this needs more memory than was charged before.
//! 3. If no task is in flight, the next one is admitted: kept chunks are evicted, the reserve is
//!    given back, and then this run holds nothing at all. A task that is larger than the whole
//!    budget is refused ([`PipelineError::ChunkTooLarge`]). If other runs hold the budget, 2. holds
//!    for one of them, and this run asks again every few milliseconds.
//! 4. Whatever makes a new job possible (an admission, an answer, a batch done, memory given back,
//!    a failure) happens under the scheduler's lock and wakes sleepers before the lock is released.

mod admission;
mod assembly;
mod background;
mod batch;
mod budget;
mod cache;
mod demand;
mod error;
mod executor;
mod fetch;
mod gather;
mod parallel;
mod reading;
mod request;
mod scheduler;
mod source;
mod stats;
mod stored_chunks;
mod threads;
mod tiling;
mod unpack;

pub use background::{Background, Pool};
pub use budget::{Charge, Lease, MemoryBudget};
pub use error::PipelineError;
pub use executor::{RunOptions, run_ordered};
pub use gather::fill_values;
pub use parallel::map_ordered;
pub use reading::{
    CacheStats, ChunkedArray, PlainArray, ReadContext, ReadStats, read_stats, set_read_budget,
};
pub use request::{Block, Request, Task, Values};
pub use source::{ArraySource, ByteSource, ChunkDecoder, ChunkFormula, ChunkIndex, StoredChunk};
pub use stats::RunStats;
pub use stored_chunks::StoredChunks;
pub use tiling::{TilingHint, WantedTiles};
