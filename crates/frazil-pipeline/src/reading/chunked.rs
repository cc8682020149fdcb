//! Reading parts of chunked arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::ahead::{Walk, read_ahead};
use super::cells::Cells;
use super::chunk_cache::ChunkKey;
use super::context::ReadContext;
use super::process::Process;
use super::target::{CellTarget, Target};
use super::workspace::Workspace;
use crate::fetch::{MAX_READ_BYTES, joined_end};
use crate::gather::fill_values;
use crate::source::{ArraySource, StoredChunk};
use crate::{ByteSource, PipelineError};
use frazil_types::AxisSelection;

/// Cells looked at before any is fetched: bounds what a read holds beside chunks.
const WINDOW_CELLS: usize = 4096;
/// Less than this to decode is not worth waking anybody.
const SHARED_BYTES: u64 = 256 << 10;
/// Reads are not cut shorter than this to spread them over threads.
const MIN_SPREAD_BYTES: u64 = 64 << 10;
/// A chunk this long is read on its own.
const LARGE_BYTES: u64 = 1 << 20;

/// A chunked array to read from, with a number that tells its chunks from those of all others.
#[derive(Debug)]
pub struct ChunkedArray {
    source: ArraySource,
    number: u64,
    chunk_bytes: usize,
    walk: Walk,
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
        })
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
                self.settle(&target, cell, process, &mut wanted);
            }
            let read = Read {
                array: self,
                target: &target,
                process,
            };
            read.fetch(wanted, context)?;
        }
    }

    /// Answers a cell at once if it can be; else it is wanted.
    fn settle(
        &self,
        target: &Target<'_>,
        mut cell: CellTarget,
        process: &Process,
        wanted: &mut Vec<WantedChunk>,
    ) {
        let Some(stored) = self.source.locate(cell.chunk) else {
            target.fill(&mut cell, &self.source.fill);
            return;
        };
        let is_whole = target.is_whole(&cell);
        if is_whole && self.walk.has_begun() {
            // It was read ahead, if anything, and has done its service.
            if let Some(chunk) = process.cache.take(self.key(cell.chunk)) {
                process.counts.hits.fetch_add(1, Ordering::Relaxed);
                target.scatter(&mut cell, &chunk);
                return;
            }
        }
        let keep = !is_whole && process.cache.would_keep(self.chunk_bytes);
        if keep {
            if let Some(chunk) = process.cache.get(self.key(cell.chunk)) {
                process.counts.hits.fetch_add(1, Ordering::Relaxed);
                target.scatter(&mut cell, &chunk);
                return;
            }
            process.counts.misses.fetch_add(1, Ordering::Relaxed);
        }
        wanted.push(WantedChunk { cell, stored, keep });
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
                process.counts.decoded(end - start, self.chunk_bytes);
                decoded
            })
        })
    }
}

/// A stored chunk and where its elements go.
struct WantedChunk {
    cell: CellTarget,
    stored: StoredChunk,
    /// Whether the decoded chunk is kept for later reads.
    keep: bool,
}

/// Neighbouring chunks that are read together and decoded by one thread.
struct Batch {
    members: Vec<WantedChunk>,
    span: (u64, u64),
}

/// One read of one array.
struct Read<'a> {
    array: &'a ChunkedArray,
    target: &'a Target<'a>,
    process: &'static Process,
}

impl Read<'_> {
    /// Fetches and decodes all wanted chunks.
    fn fetch(
        &self,
        wanted: Vec<WantedChunk>,
        context: &ReadContext<'_>,
    ) -> Result<(), PipelineError> {
        let bytes = (wanted.len() as u64).saturating_mul(self.array.chunk_bytes as u64);
        let threads = if bytes < SHARED_BYTES {
            1
        } else {
            context.threads.max(1)
        };
        let batches = form_batches(wanted, threads);
        let threads = threads.min(batches.len());
        let batches = Mutex::new(batches.into_iter());
        context.share(threads, &|stop| {
            self.process.workspaces.with(|workspace| {
                while !stop.is_due()? {
                    let Some(batch) = batches.lock().next() else {
                        break;
                    };
                    self.batch(batch, workspace)?;
                }
                Ok(())
            })
        })
    }

    fn batch(&self, batch: Batch, workspace: &mut Workspace) -> Result<(), PipelineError> {
        let mut members = batch.members;
        let bytes = self.array.source.bytes.as_ref();
        if let [one] = members.as_mut_slice()
            && self.read_in_place(one, bytes)?
        {
            return Ok(());
        }
        let (start, end) = batch.span;
        let mut stored = std::mem::take(&mut workspace.stored);
        let outcome = read_run(bytes, start, end, &mut stored);
        let first = members.first().map_or(0, |member| member.cell.chunk);
        let outcome = outcome.map_err(|error| failed_reading(first, error));
        let outcome = outcome.and_then(|()| {
            self.process.counts.fetched(end - start);
            members.iter_mut().try_for_each(|member| {
                let extent = &member.stored.extent;
                let from = (extent.address - start) as usize;
                let part = &stored[from..from + extent.segment_bytes as usize];
                self.unpack(member, part, workspace)
            })
        });
        workspace.stored = stored;
        outcome
    }

    /// Reads a chunk that is stored as it is straight to where it belongs; false if it is not such.
    fn read_in_place(
        &self,
        wanted: &mut WantedChunk,
        bytes: &dyn ByteSource,
    ) -> Result<bool, PipelineError> {
        let (source, number) = (&self.array.source, wanted.cell.chunk);
        let extent = wanted.stored.extent;
        if !source.is_stored_raw(number) || extent.segment_bytes != self.array.chunk_bytes as u64 {
            return Ok(false);
        }
        let Some(slice) = self.target.chunk_slice(&mut wanted.cell) else {
            return Ok(false);
        };
        bytes
            .read_exact_at(slice, extent.address)
            .map_err(|error| failed_reading(number, error))?;
        source.swap(slice);
        self.process.counts.fetched(extent.segment_bytes);
        Ok(true)
    }

    /// Decodes one chunk and gathers what is wanted of it.
    fn unpack(
        &self,
        wanted: &mut WantedChunk,
        stored: &[u8],
        workspace: &mut Workspace,
    ) -> Result<(), PipelineError> {
        let array = self.array;
        let number = wanted.cell.chunk;
        let mask = wanted.stored.filter_mask;
        let counts = &self.process.counts;
        counts.chunks_decoded.fetch_add(1, Ordering::Relaxed);
        let decoded_bytes = array.chunk_bytes as u64;
        counts
            .decoded_bytes
            .fetch_add(decoded_bytes, Ordering::Relaxed);
        let failed = |error| PipelineError::Decode {
            source_index: 0,
            chunk: number,
            error,
        };
        let Workspace {
            scratch, decoded, ..
        } = workspace;
        if let Some(slice) = self.target.chunk_slice(&mut wanted.cell) {
            let outcome = array
                .source
                .decode_into(number, stored, mask, slice, scratch);
            return outcome.map_err(failed);
        }
        if wanted.keep {
            let mut chunk = vec![0; array.chunk_bytes];
            let outcome = array
                .source
                .decode_into(number, stored, mask, &mut chunk, scratch);
            outcome.map_err(failed)?;
            self.target.scatter(&mut wanted.cell, &chunk);
            self.process.cache.put(array.key(number), Arc::new(chunk));
            return Ok(());
        }
        if decoded.len() < array.chunk_bytes {
            decoded.resize(array.chunk_bytes, 0);
        }
        let decoded = &mut decoded[..array.chunk_bytes];
        let outcome = array
            .source
            .decode_into(number, stored, mask, decoded, scratch);
        outcome.map_err(failed)?;
        self.target.scatter(&mut wanted.cell, decoded);
        Ok(())
    }
}

fn failed_reading(chunk: u64, error: std::io::Error) -> PipelineError {
    PipelineError::Io {
        source_index: 0,
        chunk,
        error,
    }
}

fn read_run(
    bytes: &dyn ByteSource,
    start: u64,
    end: u64,
    buffer: &mut Vec<u8>,
) -> std::io::Result<()> {
    let length = usize::try_from(end - start).map_err(|_| std::io::ErrorKind::InvalidData)?;
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    bytes.read_exact_at(&mut buffer[..length], start)
}

/// Groups chunks that lie next to each other, so that every thread may get a group.
fn form_batches(mut wanted: Vec<WantedChunk>, threads: usize) -> Vec<Batch> {
    wanted.sort_unstable_by_key(|wanted| wanted.stored.extent.address);
    let stored = |wanted: &WantedChunk| wanted.stored.extent.segment_bytes;
    let total = wanted.iter().map(stored).fold(0, u64::saturating_add);
    let limit = (total / (4 * threads as u64)).clamp(MIN_SPREAD_BYTES, MAX_READ_BYTES);
    let mut batches: Vec<Batch> = Vec::new();
    for chunk in wanted {
        let extent = chunk.stored.extent;
        let joined = batches.last().and_then(|batch| {
            let is_large = extent.segment_bytes >= LARGE_BYTES;
            (!is_large).then(|| joined_end(batch.span, &extent, limit))?
        });
        match (joined, batches.last_mut()) {
            (Some(end), Some(batch)) => {
                batch.span.1 = end;
                batch.members.push(chunk);
            }
            _ => batches.push(Batch {
                span: (extent.address, extent.end().unwrap_or(u64::MAX)),
                members: vec![chunk],
            }),
        }
    }
    batches
}
