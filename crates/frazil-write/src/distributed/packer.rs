//! Packs boxes of whole chunks, in a process that does not have the file.

use std::sync::Arc;

use frazil_codec::Scratch;
use frazil_pipeline::MemoryBudget;
use frazil_types::repeated_element;

use super::super::buffer::Buffer;
use super::super::buffers::Buffers;
use super::super::checks::check_bytes;
use super::super::errors::refused;
use super::super::layout::Layout;
use super::super::pack::{Content, Place, named, pack};
use super::super::repeats::Repeats;
use super::super::slab::{Piece, Slab, check_slab};
use super::super::variable::{ChosenFilters, Filters, Origin, Variable, samples};
use super::{ChunkPlan, FilterPlan, PackedBox, PackedEntry, PackedSummary};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_precision::RoundingStats;

/// Packed chunks that are remembered, in case that equal ones come.
const REPEATS_BYTES: usize = 8 << 20;
/// Buffers that are kept for the next chunks.
const BUFFERS_BYTES: usize = 8 << 20;
/// What filters may add to values that do not get smaller: this share of a chunk, and these bytes.
const ROOM_SHARE: u64 = 8;
const ROOM_BYTES: u64 = 1 << 10;
/// No unlimited axis gets longer.
const LONGEST_AXIS: u64 = 1 << 60;

/// Packs chunks of one variable as the writer would. Any number of threads may use it at once; each
/// packs on its own.
pub struct ChunkPacker {
    variable: Arc<Variable>,
    filters: Option<Filters>,
}

impl std::fmt::Debug for ChunkPacker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkPacker")
            .field("variable", &self.variable.path)
            .finish_non_exhaustive()
    }
}

impl ChunkPacker {
    /// A packer with the filters of `choice`, else with those that the plan has; where they are open
    /// it can try and choose, but not pack.
    ///
    /// # Errors
    /// If the plan contradicts itself, or a filter cannot be written.
    pub fn new(plan: &ChunkPlan, choice: Option<&ChosenFilters>) -> Result<Self> {
        Self::bound(plan, choice).map_err(|error| error.at_variable(&plan.path))
    }

    fn bound(plan: &ChunkPlan, choice: Option<&ChosenFilters>) -> Result<Self> {
        let repeats = Arc::new(MemoryBudget::new(REPEATS_BYTES as u64));
        let variable = Variable::new(Origin {
            id: VariableId(0),
            path: plan.path.clone(),
            element: plan.element,
            fill: plan.fill.clone(),
            has_fill: plan.has_fill,
            dimensions: Vec::new(),
            limits: plan.limits.clone(),
            layout: layout(plan)?,
            requests: plan.requests.clone(),
            quantize: plan.quantize.clone(),
            repeats: Repeats::new(REPEATS_BYTES, &repeats),
            buffers: Arc::new(Buffers::new(BUFFERS_BYTES)),
        })?;
        if let FilterPlan::OpenEncoder(pipeline) = &plan.filters {
            variable.exactly(pipeline, None)?;
        }
        let known = match &plan.filters {
            FilterPlan::Chosen(known) => Some(known),
            FilterPlan::Open | FilterPlan::OpenEncoder(_) => None,
        };
        let choice = choice.or(known).cloned();
        let filters = choice.map(|choice| variable.adopted(choice)).transpose()?;
        Ok(Self {
            variable: Arc::new(variable),
            filters,
        })
    }

    /// Samples of the first chunk in a box whose values are not one value over and over: what
    /// [`Self::choose`] needs; `None`: there is no such chunk. Arguments as of [`Self::pack`].
    ///
    /// # Errors
    /// As [`Self::pack`].
    pub fn samples(
        &self,
        start: &[u64],
        count: &[u64],
        bytes: &[u8],
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let size = self.variable.element_bytes();
        let mut found = None;
        self.each_chunk(start, count, bytes, |_, values| {
            let is_telling = repeated_element(&values, size).is_none();
            if is_telling {
                found = Some(samples(&values, size));
            }
            Ok(!is_telling)
        })?;
        Ok(found)
    }

    /// Chooses a variable's filters by trial on samples; without any, some that do for most values.
    /// Nothing is tried where nothing is open.
    ///
    /// # Errors
    /// If a sample cannot be rounded or encoded.
    pub fn choose(plan: &ChunkPlan, samples: Vec<Vec<u8>>) -> Result<ChosenFilters> {
        if let FilterPlan::Chosen(known) = &plan.filters {
            return Ok(known.clone());
        }
        let packer = Self::new(plan, None)?;
        let variable = &*packer.variable;
        let filters = variable
            .rounded(samples)
            .and_then(|samples| match &plan.filters {
                FilterPlan::OpenEncoder(asked) if samples.is_empty() => {
                    variable.exactly(asked, None)
                }
                _ => variable.choose(&samples, &mut Scratch::default()),
            })
            .map_err(|error| error.at_variable(&plan.path))?;
        Ok((&filters).into())
    }

    /// Packs the box of `count` elements along each axis from `start`. It begins at chunk borders and
    /// ends at chunk borders or where the variable ends. `bytes` are its values, row-major,
    /// little-endian.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if the box does not
    /// fit the variable or its chunks; if values cannot be rounded as promised, or not encoded.
    pub fn pack(&self, start: &[u64], count: &[u64], bytes: &[u8]) -> Result<PackedBox> {
        let mut packed = Vec::new();
        let summary = self.pack_each(start, count, bytes, |chunk| {
            packed.extend_from_slice(chunk);
            true
        })?;
        let bytes = packed;
        Ok(PackedBox { bytes, summary })
    }

    /// Packs a box into memory of the caller's, from its beginning: the first
    /// [`PackedSummary::bytes`] of `room` are what [`Self::pack`] would return. `None`: there is too
    /// little room, and what it holds is of no use. Other arguments as of [`Self::pack`].
    ///
    /// # Errors
    /// As [`Self::pack`].
    pub fn pack_into(
        &self,
        start: &[u64],
        count: &[u64],
        bytes: &[u8],
        room: &mut [u8],
    ) -> Result<Option<PackedSummary>> {
        let (mut end, mut has_room) = (0, true);
        let summary = self.pack_each(start, count, bytes, |chunk| {
            let place = room.get_mut(end..end + chunk.len());
            has_room = place.is_some();
            if let Some(place) = place {
                place.copy_from_slice(chunk);
                end += chunk.len();
            }
            has_room
        })?;
        Ok(has_room.then_some(summary))
    }

    /// Bytes of room that packing a box of `count` elements can be expected to do with: no filter is
    /// known to need more.
    #[must_use]
    pub fn expected_room(&self, count: &[u64]) -> u64 {
        let extents = count.iter().zip(&self.variable.chunk);
        let chunks = extents.fold(1, |product: u64, (&count, &extent)| {
            product.saturating_mul(count.div_ceil(extent))
        });
        let bytes = self.variable.chunk_bytes as u64;
        chunks.saturating_mul(bytes + bytes / ROOM_SHARE + ROOM_BYTES)
    }

    /// Calls `take` with each packed chunk, as long as it says `true`.
    fn pack_each(
        &self,
        start: &[u64],
        count: &[u64],
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<PackedSummary> {
        let filters = self.filters.as_ref().ok_or_else(|| {
            refused("its filters are not chosen yet").at_variable(&self.variable.path)
        })?;
        let mut scratch = Scratch::default();
        let mut chunks = Vec::new();
        let mut rounding = RoundingStats::default();
        self.each_chunk(start, count, bytes, |place, values| {
            let content = Content::of(&self.variable, values);
            let mut entry = PackedEntry {
                offset: place.offset.to_vec(),
                bytes: 0,
                is_reused: false,
            };
            let mut is_taken = true;
            if !content.is_omissible(&self.variable) {
                let done = pack(&place, filters, content, &mut scratch);
                let done = done.map_err(|error| named(error, &place))?;
                is_taken = take(&done.bytes);
                rounding.merge(&done.rounding);
                entry.bytes = done.bytes.len() as u64;
                entry.is_reused = done.is_reused;
            }
            chunks.push(entry);
            Ok(is_taken)
        })?;
        Ok(PackedSummary {
            filters: filters.into(),
            chunks,
            rounding: rounding.into(),
        })
    }

    /// Calls `work` with each chunk of a box, as it is stored, as long as it says `true`.
    fn each_chunk(
        &self,
        start: &[u64],
        count: &[u64],
        bytes: &[u8],
        mut work: impl FnMut(Place, Buffer) -> Result<bool>,
    ) -> Result<()> {
        let variable = &*self.variable;
        let slab = Slab::new(start, count, None);
        check_whole(variable, &slab)
            .and_then(|elements| check_bytes(elements, variable.element_bytes(), bytes.len()))
            .map_err(|error| error.at_variable(&variable.path))?;
        if bytes.is_empty() {
            return Ok(());
        }
        let bytes = variable.in_stored_order(bytes);
        for piece in slab.pieces(&variable.chunk) {
            let place = Place {
                variable: Arc::clone(&self.variable),
                offset: piece.offset(&variable.chunk),
                shape: Vec::new(),
            };
            let values = gathered(variable, &piece, &slab, &bytes);
            if !work(place, values)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The layout that a plan states, which may come from anywhere.
fn layout(plan: &ChunkPlan) -> Result<Layout> {
    let size = plan.element.size_bytes as u64;
    let is_consistent = plan.limits.len() == plan.chunk.len()
        && !plan.chunk.contains(&0)
        && plan.fill.len() as u64 == size;
    let bytes = plan
        .chunk
        .iter()
        .try_fold(size, |product, &n| product.checked_mul(n))
        .filter(|&bytes| is_consistent && bytes > 0 && bytes <= frazil_plan::MAX_CHUNK_BYTES)
        .and_then(|bytes| usize::try_from(bytes).ok());
    Ok(Layout {
        chunk: plan.chunk.clone(),
        chunk_bytes: bytes.ok_or_else(|| refused("the plan of its chunks contradicts itself"))?,
        is_contiguous: false,
    })
}

/// Refuses a box that is not of whole chunks; its elements.
pub(super) fn check_whole(variable: &Variable, slab: &Slab<'_>) -> Result<Option<u64>> {
    let longest = |axis: usize| variable.limits[axis].unwrap_or(LONGEST_AXIS);
    let elements = check_slab(slab, variable.chunk.len(), longest)?;
    if slab.count.contains(&0) {
        return Ok(elements);
    }
    for (axis, &extent) in variable.chunk.iter().enumerate() {
        let end = slab.end(axis);
        let ends_well =
            end.is_multiple_of(extent) || variable.limits[axis].is_none_or(|limit| end == limit);
        if !slab.start[axis].is_multiple_of(extent) || !ends_well {
            return Err(refused(format!(
                "elements {}..{end} of axis {axis} are no whole chunks of {extent}",
                slab.start[axis]
            )));
        }
    }
    Ok(elements)
}

/// A chunk's values, with fill values where nobody puts any.
fn gathered(variable: &Variable, piece: &Piece, slab: &Slab<'_>, bytes: &[u8]) -> Buffer {
    let size = variable.element_bytes();
    let elements = variable.chunk_bytes / size;
    if piece.elements() == elements as u64 {
        let mut values = variable.buffers.take(variable.chunk_bytes);
        piece.for_each_run(slab, &variable.chunk, |run| {
            let from = run.from * size;
            values.extend(&bytes[from..from + run.elements * size]);
        });
        return values;
    }
    let mut values = variable.buffers.filled(&variable.fill, elements);
    piece.for_each_run(slab, &variable.chunk, |run| {
        let (from, to, length) = (run.from * size, run.to * size, run.elements * size);
        values[to..to + length].copy_from_slice(&bytes[from..from + length]);
    });
    values
}
