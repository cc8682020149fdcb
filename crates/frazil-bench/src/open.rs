//! `open`: how often threads open files and list what is in them, while others do the same.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use cpu_time::ProcessTime;
use frazil::{Reader, ReaderOptions};
use serde::Serialize;

use crate::error::Error;

/// What one number of threads did.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    threads: usize,
    /// Files opened, over all rounds.
    opened: usize,
    /// Variables and attributes that they have.
    objects: usize,
    seconds: f64,
    /// Processor time over all threads.
    cpu_seconds: f64,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct OpenReport {
    files: usize,
    rows: Vec<Row>,
}

impl OpenReport {
    pub(crate) fn json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    pub(crate) fn text(&self) -> String {
        let line = |row: &Row| {
            let speed = row.opened as f64 / row.seconds;
            format!(
                "{:4} threads {:8} opened {:9.4} s {:9.4} CPU-s {speed:8.0} files/s\n",
                row.threads, row.opened, row.seconds, row.cpu_seconds
            )
        };
        self.rows.iter().map(line).collect()
    }
}

/// Opens every file `rounds` times with each number of threads. Each opening is on its own: nothing
/// is kept from an earlier one.
pub(crate) fn measure(
    files: &[PathBuf],
    threads: &[usize],
    rounds: usize,
) -> Result<OpenReport, Error> {
    let rows = threads.iter().map(|&count| row(files, count, rounds));
    Ok(OpenReport {
        files: files.len(),
        rows: rows.collect::<Result<_, Error>>()?,
    })
}

fn row(files: &[PathBuf], threads: usize, rounds: usize) -> Result<Row, Error> {
    let (begin, cpu) = (Instant::now(), ProcessTime::now());
    let next = AtomicUsize::new(0);
    let opened = files.len() * rounds;
    // Threads take the next file from one counter, and count what they see.
    let work = || -> Result<usize, Error> {
        let mut objects = 0;
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= opened {
                return Ok(objects);
            }
            objects += count(&files[place % files.len()])?;
        }
    };
    let objects = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let counts = workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| Error::Panicked)?);
        counts.sum::<Result<usize, Error>>()
    })?;
    Ok(Row {
        threads,
        opened,
        objects,
        seconds: begin.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
    })
}

fn count(path: &Path) -> Result<usize, Error> {
    let reader = Reader::open(path, &ReaderOptions::default())?;
    let model = reader.model();
    let attributes = model.variables.iter().map(|one| one.attributes.len());
    Ok(model.variables.len() + attributes.sum::<usize>())
}
