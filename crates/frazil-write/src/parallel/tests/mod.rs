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
use std::time::{Duration, Instant};

use frazil_types::sync::{Condvar, Mutex};

use super::LocalComm;
use crate::{Writer, WriterOptions};
use frazil_file::error::Result;

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

/// Where ranks wait for each other: as [`std::sync::Barrier`], but whoever waits in vain, because
/// another rank has failed, fails too.
struct Barrier {
    ranks: usize,
    /// Ranks that have come, ever.
    come: Mutex<usize>,
    comes: Condvar,
}

impl Barrier {
    /// Far longer than any test takes, also on a busy machine.
    const LONGEST_WAIT: Duration = Duration::from_secs(120);

    fn new(ranks: usize) -> Self {
        Self {
            ranks,
            come: Mutex::new(0),
            comes: Condvar::new(),
        }
    }

    fn wait(&self) {
        let end = Instant::now() + Self::LONGEST_WAIT;
        let mut come = self.come.lock();
        *come += 1;
        let all = come.next_multiple_of(self.ranks);
        self.comes.notify_all();
        while *come < all {
            let is_late = self.comes.wait_until(&mut come, end);
            assert!(!is_late, "another rank did not come");
        }
    }
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
        ..crate::tests::script::options(memory_bytes, threads)
    }
}
