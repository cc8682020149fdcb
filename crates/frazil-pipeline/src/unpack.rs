//! Fetching and decoding as plain functions: no locks, no waiting.

use frazil_codec::Scratch;

use crate::PipelineError;
use crate::assembly::Assembly;
use crate::batch::{Batch, form_batches};
use crate::demand::Need;
use crate::fetch::Fetcher;
use crate::source::{ArraySource, StoredBytes};
use crate::stats::RunStats;

/// The stored bytes of a batch's members.
pub(crate) struct Fetched {
    /// One member's bytes, or a run that holds all members' bytes.
    run: Vec<u8>,
    run_start: u64,
    is_single: bool,
}

impl Fetched {
    /// Reads a batch; what was read is counted in `stats`.
    pub(crate) fn read(
        sources: &[ArraySource],
        batch: &Batch,
        fetched_bytes: &mut u64,
    ) -> Result<Self, PipelineError> {
        let Need {
            source,
            chunk,
            stored,
            ..
        } = &batch.members[0];
        let mut fetcher = Fetcher::new(sources[*source].bytes.as_ref());
        let is_single = batch.members.len() == 1;
        let read = if is_single {
            fetcher.read_extent(&stored.extent)
        } else {
            fetcher.read_run(batch.span.0, batch.span.1)
        };
        *fetched_bytes += fetcher.fetched_bytes;
        let run = read.map_err(|error| PipelineError::Io {
            source_index: *source,
            chunk: *chunk,
            error,
        })?;
        Ok(Self {
            run,
            run_start: batch.span.0,
            is_single,
        })
    }

    /// The bytes of one member; to be asked for once.
    pub(crate) fn member(&mut self, need: &Need) -> StoredBytes<'_> {
        if self.is_single {
            return StoredBytes::Owned(std::mem::take(&mut self.run));
        }
        let extent = &need.stored.extent;
        // Merged members are one segment each and lie inside the run.
        let from = (extent.address - self.run_start) as usize;
        StoredBytes::Borrowed(&self.run[from..from + extent.segment_bytes as usize])
    }
}

/// Decodes one chunk.
pub(crate) fn decode(
    sources: &[ArraySource],
    need: &Need,
    stored: StoredBytes<'_>,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, PipelineError> {
    sources[need.source]
        .decode(need.chunk, stored, need.stored.filter_mask, scratch)
        .map_err(|error| PipelineError::Decode {
            source_index: need.source,
            chunk: need.chunk,
            error,
        })
}

/// Answers all requests of a task that shares no chunk with another one.
pub(crate) fn answer_alone(
    sources: &[ArraySource],
    needs: Vec<Need>,
    assembly: &Assembly,
    scratch: &mut Scratch,
    stats: &mut RunStats,
) -> Result<(), PipelineError> {
    for batch in form_batches(0, needs, 1) {
        let mut fetched = Fetched::read(sources, &batch, &mut stats.fetched_bytes)?;
        for need in &batch.members {
            let stored = fetched.member(need);
            if need.decode {
                let decoded = decode(sources, need, stored, scratch)?;
                stats.chunks_decoded += 1;
                stats.decoded_bytes += decoded.len() as u64;
                assembly.add_owned(sources, need.request, need.chunk, decoded);
            } else {
                assembly.add_stored(need.request, stored.into_vec());
            }
        }
    }
    Ok(())
}
