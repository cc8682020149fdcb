//! Ranks as threads against arrays in memory.

mod append;
mod blocks;
mod failures;
mod fields;
mod io_ranks;
mod leases;
mod script;
mod shared_memory;

use std::path::Path;
use std::time::Duration;

use super::LocalComm;
use crate::error::Result;
use crate::write::{Writer, WriterOptions};

/// Runs `body` on so many ranks at once, each with its number and its comm; what they return, by
/// rank.
fn together<T: Send>(size: usize, body: impl Fn(usize, LocalComm) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let ranks = LocalComm::group(size).into_iter().enumerate();
        let body = &body;
        let ranks: Vec<_> = ranks
            .map(|(rank, comm)| scope.spawn(move || body(rank, comm)))
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn create(path: &Path, comm: LocalComm, options: &WriterOptions) -> Result<Writer> {
    Writer::create_parallel(path, Box::new(comm), options)
}

/// As [`options`], with bytes that may depend on the ranks.
fn following(memory_bytes: u64, threads: usize) -> WriterOptions {
    WriterOptions {
        follow_ranks: true,
        ..options(memory_bytes, threads)
    }
}

/// Options with so much memory and a wait that a test can afford.
fn options(memory_bytes: u64, threads: usize) -> WriterOptions {
    WriterOptions {
        longest_wait: Some(Duration::from_secs(20)),
        ..crate::write::tests::script::options(memory_bytes, threads)
    }
}
