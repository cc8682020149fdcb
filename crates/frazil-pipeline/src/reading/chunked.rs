//! Reading parts of chunked arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ahead::{Walk, read_ahead};
use super::cells::Cells;
use super::chunk_cache::ChunkKey;
use super::context::ReadContext;
use super::fetching::{Read, read_run};
use super::process::Process;
use super::target::{CellTarget, Target};
use super::wanted::{Keeping, WantedChunk};
use super::workspace::Workspace;
use crate::PipelineError;
use crate::gather::fill_values;
use crate::source::{ArraySource, StoredChunk};
use frazil_types::AxisSelection;

/// Cells looked at before any is fetched: bounds what a read holds beside chunks.
const WINDOW_CELLS: usize = 4096;
/// Chunks of which a read wants less than this part are kept only if they are wanted again: memory
/// that is new to the process costs as much as decoding does. Where such reads follow each other
/// through chunks, one of them decodes them in vain, of at least so many.
const SMALL_PART: u64 = 32;

/// A larger share is never had, and sums of these never overflow, whatever a file's plan says.
const MOST_REQUESTED_BYTES: u64 = 1 << 40;

/// A chunked array to read from, with a number that tells its chunks from those of all others.
#[derive(Debug)]
pub struct ChunkedArray {
    source: ArraySource,
    number: u64,
    chunk_bytes: usize,
    walk: Walk,
    /// Bytes of decoded chunks that are to be kept for it, whatever else is read.
    requested_bytes: u64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What became of the chunks of one array that were wanted in part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Those that were found decoded.
    pub hits: u64,
    /// Those that had to be decoded.
    pub misses: u64,
    /// Bytes of decoded chunks kept now.
    pub kept_bytes: u64,
    /// Bytes that are kept whatever else is read, within the budget of the process.
    pub share_bytes: u64,
}

impl CacheStats {
    /// The part of partly wanted chunks that were found decoded; `None` if there were none.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }
}

impl Drop for ChunkedArray {
    fn drop(&mut self) {
        Process::current().cache.forget(self.number);
    }
}

impl ChunkedArray {
    /// Takes over a source; its `tiling` is not looked at.
    ///
    /// # Errors
    /// `InvalidSource` if its parts do not fit each other.
    pub fn new(source: ArraySource) -> Result<Self, PipelineError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        source.validate(0)?;
        let chunk_bytes = source.chunk_bytes().and_then(|n| usize::try_from(n).ok());
        Ok(Self {
            chunk_bytes: chunk_bytes.ok_or(PipelineError::InvalidSource {
                source_index: 0,
                reason: "chunks of more bytes than can be addressed",
            })?,
            source,
            walk: Walk::default(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            requested_bytes: 0,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        })
    }

    /// The array with a share of the budget: as many decoded chunks as fit into `bytes` are kept,
    /// from the first time that a part of them is wanted, until it wants others itself. Shares of all
    /// arrays take three quarters of the budget at most; where more is requested, all are cut alike.
    #[must_use]
    pub fn with_share(mut self, bytes: u64) -> Self {
        self.requested_bytes = bytes.min(MOST_REQUESTED_BYTES);
        self
    }

    /// What became of chunks that were wanted in part, since the array was made.
    #[must_use]
    pub fn cache_stats(&self) -> CacheStats {
        let cache = &Process::current().cache;
        CacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            kept_bytes: cache.held_bytes(self.number),
            share_bytes: cache.share(self.requested_bytes),
        }
    }

    /// Counts a chunk that was found decoded.
    pub(super) fn count_hit(&self, process: &Process) {
        process.counts.hits.fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a chunk that must be decoded.
    pub(super) fn count_miss(&self, process: &Process) {
        process.counts.misses.fetch_add(1, Ordering::Relaxed);
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a decoded chunk if it can be; memory that became free for it is the caller's.
    pub(super) fn keep(
        &self,
        chunk: u64,
        decoded: Arc<Vec<u8>>,
        process: &Process,
    ) -> Option<Vec<u8>> {
        let key = self.key(chunk);
        process.cache.put(key, decoded, self.requested_bytes)
    }

    /// The array.
    #[must_use]
    pub fn source(&self) -> &ArraySource {
        &self.source
    }

    /// Reads the selected elements into `target`, row-major; the fill value for chunks that are not
    /// stored, `outside` where a selection reaches out of the array.
    ///
    /// # Errors
    /// Whatever reading or decoding fails with; `InvalidRequest` if the selections or the target do
    /// not fit.
    pub fn read(
        self: &Arc<Self>,
        selections: &[AxisSelection],
        outside: &[u8],
        target: &mut [u8],
        context: &ReadContext<'_>,
    ) -> Result<(), PipelineError> {
        let unfit = || PipelineError::InvalidRequest {
            source_index: 0,
            reason: "the selection does not fit the array or the target",
        };
        let grid = &self.source.grid;
        let cells = Cells::new(grid, selections).ok_or_else(unfit)?;
        if cells.reaches_out {
            fill_values(target, outside);
        }
        let counts: Vec<u64> = selections.iter().map(AxisSelection::count).collect();
        let element_bytes = self.source.element_bytes;
        let mut target =
            Target::new(target, &cells, &counts, grid.chunk(), element_bytes).ok_or_else(unfit)?;
        let process = Process::current();
        let elements = counts.iter().fold(1, |all: u64, &n| all.saturating_mul(n));
        let touched = cells.count().saturating_mul(grid.chunk_elements());
        let is_small = elements < touched / SMALL_PART;
        loop {
            context.check()?;
            let mut wanted = Vec::new();
            for _ in 0..WINDOW_CELLS {
                let Some(cell) = target.next_cell() else {
                    let read = Read {
                        array: self,
                        target: &target,
                        process,
                    };
                    read.fetch(wanted, context)?;
                    read_ahead(self, selections, context.threads, process);
                    return Ok(());
                };
                self.settle(&target, cell, process, is_small, &mut wanted);
            }
            let read = Read {
                array: self,
                target: &target,
                process,
            };
            read.fetch(wanted, context)?;
        }
    }

    /// Answers a cell of a read, which `is_small` or not, at once if it can be; else it is wanted.
    fn settle(
        &self,
        target: &Target<'_>,
        mut cell: CellTarget,
        process: &Process,
        is_small: bool,
        wanted: &mut Vec<WantedChunk>,
    ) {
        let Some(stored) = self.source.locate(cell.chunk) else {
            target.fill(&mut cell, &self.source.fill);
            return;
        };
        let is_whole = target.is_whole(&cell);
        if self.lies_as_it_is(cell.chunk, &stored) {
            let keeping = Keeping::Nothing;
            wanted.push(WantedChunk {
                cell,
                stored,
                keeping,
            });
            return;
        }
        let key = self.key(cell.chunk);
        let found = if is_whole {
            // It was read ahead, if anything, and has done its service.
            let may_be_there = self.walk.has_begun();
            may_be_there.then(|| process.cache.take(key)).flatten()
        } else {
            process.cache.get(key)
        };
        if let Some(chunk) = found {
            self.count_hit(process);
            target.scatter(&mut cell, &chunk);
            return;
        }
        let may_be_awaited = !is_whole || self.walk.has_begun();
        let would_keep = || {
            let cache = &process.cache;
            cache.would_keep(self.chunk_bytes, self.requested_bytes)
        };
        let has_share = self.requested_bytes > 0;
        let keeping = if !may_be_awaited || !would_keep() {
            Keeping::Nothing
        } else if is_whole {
            Keeping::IfAwaited
        } else if !is_small || has_share || process.cache.was_wanted(key) {
            Keeping::Chunk
        } else {
            Keeping::IfAwaited
        };
        wanted.push(WantedChunk {
            cell,
            stored,
            keeping,
        });
    }

    /// Whether a chunk's values lie in the file as they are.
    pub(super) fn lies_as_it_is(&self, chunk: u64, stored: &StoredChunk) -> bool {
        self.source.is_stored_raw(chunk)
            && stored.extent.segment_bytes == self.chunk_bytes as u64
            && stored.extent.segments == 1
    }

    pub(super) fn key(&self, chunk: u64) -> ChunkKey {
        (self.number, chunk)
    }

    pub(super) fn walk(&self) -> &Walk {
        &self.walk
    }

    pub(super) fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// One stored chunk, decoded; `None` if there is none or it cannot be.
    pub(super) fn decode_one(&self, chunk: u64, process: &Process) -> Option<Vec<u8>> {
        let stored = self.source.locate(chunk)?;
        let (start, end) = (stored.extent.address, stored.extent.end()?);
        process.workspaces.with(|workspace| {
            let Workspace {
                scratch,
                stored: buffer,
                ..
            } = workspace;
            read_run(self.source.bytes.as_ref(), start, end, buffer).ok()?;
            let bytes = &buffer[..(end - start) as usize];
            let mut decoded = vec![0; self.chunk_bytes];
            let mask = stored.filter_mask;
            let outcome = self
                .source
                .decode_into(chunk, bytes, mask, &mut decoded, scratch);
            outcome.ok().map(|()| {
                process.counts.fetched(end - start);
                process.counts.decoded(self.chunk_bytes);
                decoded
            })
        })
    }
}
