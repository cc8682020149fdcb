//! What a task needs, worked out before it is admitted: chunks, buffers, bytes.

use frazil_types::Selection;

use crate::cache::Forecast;
use crate::fetch::working_bytes;
use crate::source::{ArraySource, StoredChunk};
use crate::{PipelineError, Request};

/// Charged per needed chunk: its entries in the tables here.
const CHUNK_NOTE_BYTES: u64 = 256;
/// Charged per task for its own bookkeeping.
const TASK_NOTE_BYTES: u64 = 512;

/// A task up to this size whose chunks nobody else needs goes past the tables.
pub(crate) const SMALL_TASK_BYTES: u64 = 64 << 10;

/// Everything known about a task before it runs.
#[derive(Debug)]
pub(crate) struct Demand {
    /// One per request, in order.
    pub(crate) parts: Vec<PartPlan>,
    /// Chunks to fetch, by source and address.
    pub(crate) needs: Vec<Need>,
    /// Bytes held from admission to delivery.
    pub(crate) charge_bytes: u64,
    /// Bytes that decoding the largest needed chunk takes besides.
    pub(crate) largest_bytes: u64,
}

/// What a request turns into.
#[derive(Debug)]
pub(crate) enum PartPlan {
    Values(ValuesPlan),
    Stored { filter_mask: u32 },
    Absent,
}

/// A box to fill.
#[derive(Debug)]
pub(crate) struct ValuesPlan {
    pub(crate) source: usize,
    pub(crate) selection: Selection,
    pub(crate) bytes: usize,
    /// Some of the box comes from no chunk.
    pub(crate) needs_fill: bool,
    /// The box is exactly one stored chunk, which is handed over as a whole.
    pub(crate) is_one_chunk: bool,
}

/// One chunk that one request needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    pub(crate) source: usize,
    pub(crate) chunk: u64,
    pub(crate) stored: StoredChunk,
    /// Position of the request in the task.
    pub(crate) request: usize,
    /// Decode it, or hand over the stored bytes.
    pub(crate) decode: bool,
    /// It is exactly the box that the request asks for.
    pub(crate) is_whole_box: bool,
    /// The buffer it is read into becomes the result.
    pub(crate) in_place: bool,
    /// Bytes held beyond the task's charge while it is fetched alone and decoded.
    pub(crate) alone_bytes: u64,
    /// Bytes held beyond the task's charge and the merged read it is part of.
    pub(crate) beside_bytes: u64,
    /// What the source's hint says about the chunk.
    pub(crate) forecast: Option<Forecast>,
}

impl Demand {
    /// Works out what `requests` need.
    ///
    /// # Errors
    /// `InvalidRequest` for a request that fits no source; `ChunkTooLarge` if `budget_bytes` can
    /// never hold the task.
    pub(crate) fn new(
        sources: &[ArraySource],
        requests: Vec<Request>,
        output_bytes: u64,
        budget_bytes: u64,
    ) -> Result<Self, PipelineError> {
        let mut demand = Self {
            parts: Vec::with_capacity(requests.len()),
            needs: Vec::new(),
            charge_bytes: output_bytes.saturating_add(TASK_NOTE_BYTES),
            largest_bytes: 0,
        };
        for (number, request) in requests.into_iter().enumerate() {
            let source_index = match &request {
                Request::Values { source, .. } | Request::Stored { source, .. } => *source,
            };
            let source = sources
                .get(source_index)
                .ok_or_else(|| invalid(source_index, "there is no array of this number"))?;
            match request {
                Request::Values { selection, .. } => {
                    demand.add_values(source, (source_index, number), selection, budget_bytes)?;
                }
                Request::Stored { index, .. } => {
                    demand.add_stored(source, (source_index, number), index)?;
                }
            }
            demand.check_size(budget_bytes)?;
        }
        demand.check_size(budget_bytes)?;
        demand
            .needs
            .sort_unstable_by_key(|need| (need.source, need.stored.extent.address, need.chunk));
        Ok(demand)
    }

    /// Whether the task is small and no other task is expected to need its chunks: sharing them
    /// out over workers would cost more than it gains.
    pub(crate) fn is_small_and_private(&self) -> bool {
        let is_private = |need: &Need| match need.forecast {
            Some(forecast) => forecast.total_uses <= 1,
            None => !need.decode || need.is_whole_box,
        };
        self.charge_bytes.saturating_add(self.largest_bytes) <= SMALL_TASK_BYTES
            && self.needs.iter().all(is_private)
    }

    fn check_size(&self, budget_bytes: u64) -> Result<(), PipelineError> {
        let needed_bytes = self.charge_bytes.saturating_add(self.largest_bytes);
        if needed_bytes > budget_bytes {
            return Err(PipelineError::ChunkTooLarge {
                needed_bytes,
                budget_bytes,
            });
        }
        Ok(())
    }

    fn charge(&mut self, bytes: u64) {
        self.charge_bytes = self.charge_bytes.saturating_add(bytes);
    }

    fn add_need(&mut self, need: Need) {
        self.largest_bytes = self.largest_bytes.max(need.alone_bytes);
        self.needs.push(need);
    }

    fn add_values(
        &mut self,
        source: &ArraySource,
        (source_index, request): (usize, usize),
        selection: Selection,
        budget_bytes: u64,
    ) -> Result<(), PipelineError> {
        let ndims = source.grid.shape().len();
        if selection.start.len() != ndims || selection.count.len() != ndims {
            return Err(invalid(source_index, "the box has another number of axes"));
        }
        let box_bytes = selection
            .elements()
            .and_then(|elements| elements.checked_mul(source.element_bytes as u64))
            .unwrap_or(u64::MAX);
        let notes = source
            .chunks_touching_bound(&selection)
            .saturating_mul(CHUNK_NOTE_BYTES);
        self.charge(box_bytes.saturating_add(notes));
        // Nothing is listed before it is known that the list fits.
        self.check_size(budget_bytes)?;

        let one_chunk = source
            .grid
            .index_of_offset(&selection.start)
            .filter(|&index| {
                selection.count == source.grid.chunk() && !source.grid.is_partial_edge(index)
            });
        let chunks = source.chunks_touching(&selection);
        for &(chunk, stored) in &chunks {
            let need = values_need(source, chunk, stored, &selection, one_chunk.is_some());
            self.add_need(Need {
                source: source_index,
                request,
                ..need
            });
        }
        let is_covered = chunks.len() as u64 == source.cells_touched(&selection)
            && selection
                .intersect(&Selection::whole(source.grid.shape()))
                .as_ref()
                == Some(&selection);
        self.parts.push(PartPlan::Values(ValuesPlan {
            source: source_index,
            bytes: usize::try_from(box_bytes).unwrap_or(usize::MAX),
            needs_fill: !is_covered,
            is_one_chunk: one_chunk.is_some() && !chunks.is_empty(),
            selection,
        }));
        Ok(())
    }

    fn add_stored(
        &mut self,
        source: &ArraySource,
        (source_index, request): (usize, usize),
        chunk: u64,
    ) -> Result<(), PipelineError> {
        if chunk >= source.grid.chunk_count() {
            return Err(invalid(
                source_index,
                "the grid has no chunk of this number",
            ));
        }
        let Some(stored) = source.locate(chunk) else {
            self.parts.push(PartPlan::Absent);
            return Ok(());
        };
        let stored_bytes = stored.extent.total_bytes().unwrap_or(u64::MAX);
        let reading_bytes = working_bytes(&stored.extent).unwrap_or(u64::MAX);
        self.charge(stored_bytes.saturating_add(CHUNK_NOTE_BYTES));
        self.add_need(Need {
            source: source_index,
            chunk,
            stored,
            request,
            decode: false,
            is_whole_box: false,
            in_place: true,
            alone_bytes: reading_bytes - stored_bytes.min(reading_bytes),
            beside_bytes: 0,
            forecast: None,
        });
        self.parts.push(PartPlan::Stored {
            filter_mask: stored.filter_mask,
        });
        Ok(())
    }
}

/// A chunk that a box needs; the caller sets the two positions.
fn values_need(
    source: &ArraySource,
    chunk: u64,
    stored: StoredChunk,
    selection: &Selection,
    is_whole_box: bool,
) -> Need {
    let in_place = source.becomes_in_place(chunk, &stored);
    // A chunk handed over as a whole lives in the task's own charge.
    let beside_bytes = if is_whole_box {
        0
    } else {
        source.chunk_bytes().unwrap_or(u64::MAX)
    };
    let decoded_bytes = if in_place { 0 } else { beside_bytes };
    let reading_bytes = working_bytes(&stored.extent).unwrap_or(u64::MAX);
    let forecast = source.tiling.as_ref().map(|hint| {
        let valid = source.grid.valid_box(chunk);
        Forecast {
            total_uses: hint.uses(&valid),
            next_use: hint.next_use(&valid, selection),
        }
    });
    Need {
        source: 0,
        chunk,
        stored,
        request: 0,
        decode: true,
        is_whole_box,
        in_place,
        alone_bytes: reading_bytes.saturating_add(decoded_bytes),
        beside_bytes,
        forecast,
    }
}

fn invalid(source_index: usize, reason: &'static str) -> PipelineError {
    PipelineError::InvalidRequest {
        source_index,
        reason,
    }
}
