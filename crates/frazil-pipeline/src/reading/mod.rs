//! Reading parts of arrays straight into a caller's memory: fetch, unpack, gather.
//!
//! A read works on the calling thread; where there is enough to do, it invites helping threads of
//! the process. Any number of threads may read at the same time: they share the helpers, the
//! chunks that were decoded and may be wanted again, and the budget for those. They wait for each
//! other for the moment of looking something up, and for a chunk that another decodes just then.

mod ahead;
mod cells;
mod chunk_cache;
mod chunked;
mod context;
mod fetching;
mod flights;
mod plain;
mod pool;
mod process;
mod sharing;
mod target;
#[cfg(test)]
mod tests;
mod upcoming;
mod wanted;
mod workspace;

pub use chunked::{CacheStats, ChunkedArray};
pub use context::ReadContext;
pub use plain::PlainArray;
pub use process::{ReadStats, read_stats, set_read_budget};
