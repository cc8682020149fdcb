//! Fetching and decoding the chunks that a read wants.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frazil_types::sync::Mutex;

use super::chunked::ChunkedArray;
use super::context::ReadContext;
use super::flights::{Claim, Flight, Ticket};
use super::process::Process;
use super::target::{MAX_SKIP_BYTES, MAX_SKIP_IN_MEMORY_BYTES, Target};
use super::upcoming::{Batch, Parts, Upcoming};
use super::wanted::{Keeping, WantedChunk};
use super::workspace::Workspace;
use crate::fetch::{MAX_READ_BYTES, joined_end};
use crate::{ByteSource, PipelineError};

/// Less than this to decode is not worth waking anybody.
const SHARED_BYTES: u64 = 256 << 10;
/// Bytes that are only copied count as so much less.
const COPYING: u64 = 8;
/// Reads are not cut shorter than this to spread them over threads.
const MIN_SPREAD_BYTES: u64 = 64 << 10;
/// A chunk this long is read on its own.
const LARGE_BYTES: u64 = 1 << 20;
/// A chunk this long that lies as it is is not read whole where a part of it will do.
const PARTED_BYTES: u64 = 64 << 10;

/// Chunks that other reads are decoding.
type Awaited = Mutex<Vec<(WantedChunk, Arc<Flight>)>>;

/// A thread that fetches for itself, as long as it does.
struct Reading<'a> {
    all: &'a AtomicUsize,
    /// Those who did when it began.
    others: usize,
}

impl<'a> Reading<'a> {
    fn begin(all: &'a AtomicUsize) -> Self {
        let others = all.fetch_add(1, Ordering::Relaxed);
        Self { all, others }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One read of one array.
pub(super) struct Read<'a> {
    pub(super) array: &'a ChunkedArray,
    pub(super) target: &'a Target<'a>,
    pub(super) process: &'static Process,
}

impl Read<'_> {
    /// Fetches and decodes all wanted chunks.
    pub(super) fn fetch(
        &self,
        mut wanted: Vec<WantedChunk>,
        context: &ReadContext<'_>,
    ) -> Result<(), PipelineError> {
        while !wanted.is_empty() {
            let awaited = self.fetch_own(wanted, context)?;
            wanted = Vec::new();
            for (mut chunk, flight) in awaited {
                if let Some(decoded) = flight.wait(context)? {
                    self.array.count_hit(self.process);
                    self.target.scatter(&mut chunk.cell, &decoded);
                } else {
                    wanted.push(chunk);
                }
            }
        }
        Ok(())
    }

    /// Fetches and decodes wanted chunks, but for those that other reads are decoding.
    fn fetch_own(
        &self,
        wanted: Vec<WantedChunk>,
        context: &ReadContext<'_>,
    ) -> Result<Vec<(WantedChunk, Arc<Flight>)>, PipelineError> {
        let work = wanted.iter().map(|chunk| self.work(chunk));
        let reading = Reading::begin(&self.process.reading);
        let threads = if work.fold(0, u64::saturating_add) < SHARED_BYTES {
            1
        } else {
            // Where others read too, there are as many threads at work without helpers.
            context.threads.saturating_sub(reading.others).max(1)
        };
        let batches = self.form_batches(wanted, threads);
        let threads = threads.min(batches.len());
        let is_far = self.array.source().bytes.is_far();
        let upcoming = Mutex::new(Upcoming::new(batches, is_far));
        let awaited = Awaited::default();
        context.share(threads, &|stop| {
            self.process.workspaces.with(|workspace| {
                while !stop.is_due()? {
                    let bytes = &self.array.source().bytes;
                    let mut next = upcoming.lock();
                    let Some((batch, announced)) = next.take(|batch| self.parts(batch)) else {
                        break;
                    };
                    if is_far {
                        // Others take what is announced here only once it is asked for: else they ask, too.
                        bytes.will_read(&announced.concat());
                    }
                    drop(next);
                    if !is_far {
                        announced.iter().for_each(|parts| bytes.will_read(parts));
                    }
                    self.batch(batch, &upcoming, &awaited, workspace)?;
                }
                Ok(())
            })
        })?;
        Ok(awaited.into_inner())
    }

    /// The parts of the file that a batch reads.
    fn parts(&self, batch: &Batch) -> Parts {
        let (start, end) = batch.span;
        match batch.members.as_slice() {
            [one] if self.is_parted(one) => self.target.parts(&one.cell, start),
            _ => std::iter::once(start..end).collect(),
        }
    }

    /// What a chunk costs, in bytes to decode.
    fn work(&self, chunk: &WantedChunk) -> u64 {
        match self.is_parted(chunk) {
            true => self.target.gathered_bytes(&chunk.cell) / COPYING,
            false => self.array.chunk_bytes() as u64,
        }
    }

    /// Whether only the wanted parts of a chunk are read.
    fn is_parted(&self, chunk: &WantedChunk) -> bool {
        chunk.stored.extent.segment_bytes >= PARTED_BYTES
            && (self.array).lies_as_it_is(chunk.cell.chunk, &chunk.stored)
    }

    /// Groups chunks that lie next to each other, so that every thread may get a group.
    fn form_batches(&self, mut wanted: Vec<WantedChunk>, threads: usize) -> Vec<Batch> {
        wanted.sort_unstable_by_key(|wanted| wanted.stored.extent.address);
        let stored = |wanted: &WantedChunk| wanted.stored.extent.segment_bytes;
        let total = wanted.iter().map(stored).fold(0, u64::saturating_add);
        let limit = (total / (4 * threads as u64)).clamp(MIN_SPREAD_BYTES, MAX_READ_BYTES);
        let mut batches: Vec<Batch> = Vec::new();
        let mut may_join = false;
        for chunk in wanted {
            let extent = chunk.stored.extent;
            let is_single = extent.segment_bytes >= LARGE_BYTES || self.is_parted(&chunk);
            let joined = batches.last().and_then(|batch| {
                (may_join && !is_single).then(|| joined_end(batch.span, &extent, limit))?
            });
            may_join = !is_single;
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

    fn batch(
        &self,
        batch: Batch,
        upcoming: &Mutex<Upcoming>,
        awaited: &Awaited,
        workspace: &mut Workspace,
    ) -> Result<(), PipelineError> {
        let mut members = batch.members;
        let bytes = self.array.source().bytes.as_ref();
        if let [one] = members.as_mut_slice()
            && self.is_parted(one)
        {
            return self.read_parts(one, bytes, workspace);
        }
        let mut members = self.claim(members, awaited);
        let Some(first) = members.first().map(|(member, _)| member.cell.chunk) else {
            return Ok(());
        };
        let (start, end) = batch.span;
        let mut stored = std::mem::take(&mut workspace.stored);
        let outcome = read_run(bytes, start, end, &mut stored);
        let outcome = outcome.map_err(|error| failed_reading(first, error));
        let outcome = outcome.and_then(|()| {
            self.process.counts.fetched(end - start);
            let follower = upcoming.lock().follower(|batch| self.parts(batch));
            if let Some(parts) = follower {
                bytes.will_read(&parts);
            }
            members.drain(..).try_for_each(|(mut member, ticket)| {
                let extent = &member.stored.extent;
                let from = (extent.address - start) as usize;
                let part = &stored[from..from + extent.segment_bytes as usize];
                self.unpack(&mut member, ticket, part, workspace)
            })
        });
        workspace.stored = stored;
        outcome
    }

    /// Takes chunks in hand that may be kept, unless another read has done so.
    fn claim(
        &self,
        members: Vec<WantedChunk>,
        awaited: &Awaited,
    ) -> Vec<(WantedChunk, Option<Ticket<'static>>)> {
        let process = self.process;
        let mut own = Vec::with_capacity(members.len());
        for mut member in members {
            if member.keeping == Keeping::Nothing {
                own.push((member, None));
                continue;
            }
            let key = self.array.key(member.cell.chunk);
            let ticket = match process.flights.begin(key) {
                Claim::Mine(ticket) => ticket,
                Claim::Theirs(flight) => {
                    awaited.lock().push((member, flight));
                    continue;
                }
            };
            // It may have come down since this read looked for it.
            if let Some(chunk) = process.cache.get(key) {
                self.array.count_hit(process);
                self.target.scatter(&mut member.cell, &chunk);
                ticket.land(|| chunk);
                continue;
            }
            self.array.count_miss(process);
            own.push((member, Some(ticket)));
        }
        own
    }

    /// Reads what is wanted of a chunk that lies in the file as it is.
    fn read_parts(
        &self,
        wanted: &mut WantedChunk,
        bytes: &dyn ByteSource,
        workspace: &mut Workspace,
    ) -> Result<(), PipelineError> {
        let (source, number) = (self.array.source(), wanted.cell.chunk);
        let address = wanted.stored.extent.address;
        let read = |part: &mut [u8], at: usize| {
            bytes.read_exact_at(part, address.saturating_add(at as u64))?;
            source.swap(part);
            self.process.counts.fetched(part.len() as u64);
            Ok(())
        };
        let parts = self.target.parts(&wanted.cell, address);
        let max_skip = match bytes.is_at_hand(&parts) {
            true => MAX_SKIP_IN_MEMORY_BYTES,
            false => MAX_SKIP_BYTES,
        };
        let outcome = (self.target).gather(&mut wanted.cell, max_skip, &mut workspace.stored, read);
        outcome.map_err(|error| failed_reading(number, error))
    }

    /// Decodes one chunk and gathers what is wanted of it.
    fn unpack(
        &self,
        wanted: &mut WantedChunk,
        ticket: Option<Ticket<'_>>,
        stored: &[u8],
        workspace: &mut Workspace,
    ) -> Result<(), PipelineError> {
        let (array, target) = (self.array, self.target);
        let (source, length) = (array.source(), array.chunk_bytes());
        let number = wanted.cell.chunk;
        let mask = wanted.stored.filter_mask;
        self.process.counts.decoded(length);
        let failed = |error| PipelineError::Decode {
            source_index: 0,
            chunk: number,
            error,
        };
        let Workspace {
            scratch, decoded, ..
        } = workspace;
        if let Some(slice) = target.chunk_slice(&mut wanted.cell) {
            let outcome = source.decode_into(number, stored, mask, slice, scratch);
            outcome.map_err(failed)?;
            if let Some(ticket) = ticket {
                ticket.land(|| Arc::new(slice.to_vec()));
            }
            return Ok(());
        }
        // What is kept has no room to spare.
        let fits = match wanted.keeping {
            Keeping::Chunk => decoded.capacity() == length && decoded.len() == length,
            _ => decoded.len() >= length,
        };
        if !fits {
            *decoded = vec![0; length];
        }
        let outcome = source.decode_into(number, stored, mask, &mut decoded[..length], scratch);
        outcome.map_err(failed)?;
        target.scatter(&mut wanted.cell, &decoded[..length]);
        let Some(ticket) = ticket else {
            return Ok(());
        };
        if wanted.keeping == Keeping::Chunk {
            let chunk = Arc::new(std::mem::take(decoded));
            let spare = array.keep(number, Arc::clone(&chunk), self.process);
            *decoded = spare.unwrap_or_default();
            ticket.land(|| chunk);
        } else {
            ticket.land(|| {
                let mut chunk = std::mem::take(decoded);
                chunk.truncate(length);
                chunk.shrink_to_fit();
                let chunk = Arc::new(chunk);
                array.keep(number, Arc::clone(&chunk), self.process);
                chunk
            });
        }
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

/// Reads `[start, end)` to the front of a buffer, which grows if it must.
pub(super) fn read_run(
    bytes: &dyn ByteSource,
    start: u64,
    end: u64,
    buffer: &mut Vec<u8>,
) -> std::io::Result<()> {
    let length = usize::try_from(end - start).map_err(|_| std::io::ErrorKind::InvalidData)?;
    if buffer.len() < length {
        // Not moved: what it holds means nothing. Some more, since the next chunk may be longer.
        *buffer = vec![0; length.saturating_add(length / 4)];
    }
    bytes.read_exact_at(&mut buffer[..length], start)
}
