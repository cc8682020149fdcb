//! The bare codec loop, timed.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cpu_time::ProcessTime;
use frazil::PackOptions;
use frazil_codec::Scratch;

use crate::error::Error;
use crate::report::Report;
use crate::work::Work;

/// One timed pass over all chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// Wall seconds.
    pub(crate) seconds: f64,
    /// CPU seconds of the process in that time.
    pub(crate) cpu_seconds: f64,
    /// Bytes that `frazil pack` would store for the chunks.
    pub(crate) stored_bytes: u64,
}

/// Reads a file's chunks, then passes over them `repeats` times.
///
/// # Errors
/// If the file cannot be planned, read, decoded or encoded, or nothing of it is to be packed.
pub(crate) fn measure(path: &Path, options: &PackOptions, repeats: usize) -> Result<Report, Error> {
    let work = Work::load(path, options)?;
    if work.chunks.is_empty() {
        let paths: Vec<&str> = work.left_out.iter().map(|one| one.path.as_str()).collect();
        return Err(Error::NoWork(paths.join(", ")));
    }
    let threads = match options.resources.threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        asked => asked,
    };
    let rounds = (0..repeats)
        .map(|_| run_once(&work, threads))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Report::new(path, work, threads, &rounds))
}

/// Passes over all chunks once; results are dropped at once.
///
/// # Errors
/// If a chunk cannot be decoded or encoded.
pub(crate) fn run_once(work: &Work, threads: usize) -> Result<Round, Error> {
    let next = AtomicUsize::new(0);
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let stored_bytes = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| scope.spawn(|| take_chunks(work, &next)))
            .collect();
        let mut stored_bytes = take_chunks(work, &next)?;
        for other in others {
            stored_bytes += other.join().map_err(|_| Error::Panicked)??;
        }
        Ok::<u64, Error>(stored_bytes)
    })?;
    Ok(Round {
        seconds: wall.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        stored_bytes,
    })
}

/// One thread's part: chunk after chunk that no other thread has taken. Returns what would be
/// stored, in bytes.
fn take_chunks(work: &Work, next: &AtomicUsize) -> Result<u64, Error> {
    let mut scratch = Scratch::default();
    let mut stored_bytes = 0;
    while let Some(chunk) = work.chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
        let recoding = &work.recodings[chunk.recoding];
        let stored = recoding
            .apply(chunk, &mut scratch)
            .map_err(Error::codec(&recoding.variable))?;
        stored_bytes += black_box(stored).map_or(0, |bytes| bytes.len() as u64);
    }
    Ok(stored_bytes)
}
