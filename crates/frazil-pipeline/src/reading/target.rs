//! The caller's memory, written by several threads at once: each cell of a read owns the bytes that
//! its elements go to, and no two cells own the same.

#![expect(
    unsafe_code,
    reason = "parts of one buffer that interleave cannot be handed out as slices"
)]

use std::io;
use std::marker::PhantomData;
use std::ops::Range;

use super::cells::Cells;
use crate::gather::{Axis, collapse, fill_values};

/// Skipping more than this costs less than reading it, from disks.
pub(super) const MAX_SKIP_BYTES: usize = 64 << 10;
/// The same where the system has the file in memory.
pub(super) const MAX_SKIP_IN_MEMORY_BYTES: usize = 8 << 10;
/// Most parts of a chunk that are told apart; the rest of it counts as one.
const MAX_PARTS: usize = 64;
/// What is read at once beside the target, so that it stays in a near cache.
const WINDOW_BYTES: usize = 256 << 10;

/// A loop that is none.
const ONCE: Axis = Axis {
    count: 1,
    from_stride: 0,
    to_stride: 0,
};

/// Byte distance between neighbours along each axis of a row-major buffer.
pub(super) fn byte_strides(counts: &[u64], element_bytes: usize) -> Vec<usize> {
    let mut strides = vec![element_bytes; counts.len()];
    for axis in (1..strides.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(counts[axis] as usize);
    }
    strides
}

/// A read's target, cut into the parts of its cells.
pub(super) struct Target<'a> {
    start: *mut u8,
    bytes: usize,
    cells: &'a Cells,
    element_bytes: usize,
    /// Byte distances in the target.
    to_strides: Vec<usize>,
    /// Byte distances in a decoded chunk.
    from_strides: Vec<usize>,
    chunk_bytes: usize,
    /// Cells handed out so far.
    given: u64,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: a `Target` stands for an exclusive borrow of the memory; cells write disjoint parts of it
// (see `CellTarget`).
unsafe impl Send for Target<'_> {}
// SAFETY: as above; nothing can be written through a shared `Target` itself.
unsafe impl Sync for Target<'_> {}

/// The part of the target that belongs to one cell. There is one of each cell at most
/// ([`Target::next_cell`]).
pub(super) struct CellTarget {
    /// Number of the chunk.
    pub(super) chunk: u64,
    places: Vec<u64>,
}

impl<'a> Target<'a> {
    /// `counts`: those of the selections that `cells` came from; `chunk`: the grid's. `None` if
    /// `memory` does not hold exactly the selected elements.
    pub(super) fn new(
        memory: &'a mut [u8],
        cells: &'a Cells,
        counts: &[u64],
        chunk: &[u64],
        element_bytes: usize,
    ) -> Option<Self> {
        let product = |extents: &[u64]| {
            extents.iter().try_fold(element_bytes, |product, &n| {
                product.checked_mul(usize::try_from(n).ok()?)
            })
        };
        if product(counts)? != memory.len() {
            return None;
        }
        Some(Self {
            start: memory.as_mut_ptr(),
            bytes: memory.len(),
            cells,
            element_bytes,
            to_strides: byte_strides(counts, element_bytes),
            from_strides: byte_strides(chunk, element_bytes),
            chunk_bytes: product(chunk)?,
            given: 0,
            memory: PhantomData,
        })
    }

    /// The next cell; `None` when all were handed out. Each is handed out once.
    pub(super) fn next_cell(&mut self) -> Option<CellTarget> {
        if self.given >= self.cells.count() {
            return None;
        }
        let (chunk, places) = self.cells.locate(self.given);
        self.given += 1;
        Some(CellTarget { chunk, places })
    }

    /// Whether every element of the cell's chunk that lies in the array is wanted.
    pub(super) fn is_whole(&self, cell: &CellTarget) -> bool {
        self.cells.is_whole(&cell.places)
    }

    /// The memory that holds exactly the cell's chunk, if there is such.
    pub(super) fn chunk_slice<'c>(&'c self, cell: &'c mut CellTarget) -> Option<&'c mut [u8]> {
        if !self.cells.is_whole(&cell.places) {
            return None;
        }
        let mut slice = None;
        self.for_each_nest(cell, |_, to, run_bytes, axes| {
            if run_bytes == self.chunk_bytes && axes.is_empty() {
                slice = Some(to);
            }
        });
        let at = slice?;
        debug_assert!(at + self.chunk_bytes <= self.bytes);
        // SAFETY: `for_each_nest` found the range inside the target, which is borrowed for at least
        // `'c`. It belongs to this cell alone: distinct cells differ in a chunk coordinate along
        // some axis, hence in all their places along that axis of the result. The only `CellTarget`
        // of the cell is borrowed exclusively for as long as the slice lives.
        Some(unsafe { std::slice::from_raw_parts_mut(self.start.add(at), self.chunk_bytes) })
    }

    /// Bytes that [`Self::gather`] reads of the cell's chunk from a disk.
    pub(super) fn gathered_bytes(&self, cell: &CellTarget) -> u64 {
        let mut bytes = 0;
        self.for_each_gathered(cell, |_, length| bytes += length as u64);
        bytes
    }

    /// Parts of the file that [`Self::gather`] reads if the cell's chunk begins at `address`, in
    /// order and not overlapping.
    pub(super) fn parts(&self, cell: &CellTarget, address: u64) -> Vec<Range<u64>> {
        let mut parts: Vec<Range<u64>> = Vec::new();
        self.for_each_gathered(cell, |from, length| {
            let start = address.saturating_add(from as u64);
            let end = start.saturating_add(length as u64);
            let is_last = parts.len() == MAX_PARTS;
            match parts.last_mut() {
                Some(last)
                    if is_last || start <= last.end.saturating_add(MAX_SKIP_BYTES as u64) =>
                {
                    last.start = last.start.min(start);
                    last.end = last.end.max(end);
                }
                _ => parts.push(start..end),
            }
        });
        parts
    }

    /// Calls `visit` with position in the chunk and length of what [`Self::gather`] reads at once.
    fn for_each_gathered(&self, cell: &CellTarget, mut visit: impl FnMut(usize, usize)) {
        self.for_each_nest(cell, |from, _, run_bytes, axes| {
            for_each_window(run_bytes, axes, MAX_SKIP_BYTES, |window| {
                visit(from + window.from, window.span_bytes);
            });
        });
    }

    /// Reads what the cell wants of its chunk, which lies somewhere as it is: `read` fills memory
    /// with the chunk's bytes from a position on. What lies not further than `max_skip` bytes apart
    /// is read at once.
    pub(super) fn gather(
        &self,
        cell: &mut CellTarget,
        max_skip: usize,
        buffer: &mut Vec<u8>,
        mut read: impl FnMut(&mut [u8], usize) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut outcome = Ok(());
        self.for_each_nest(cell, |from, to, run_bytes, axes| {
            for_each_window(run_bytes, axes, max_skip, |window| {
                if outcome.is_err() {
                    return;
                }
                let (from, to) = (from + window.from, to + window.to);
                if window.axes.is_empty() {
                    // SAFETY: part of a nest that `for_each_nest` checked; these bytes belong to
                    // this cell alone (see `chunk_slice`), and no other slice of them lives.
                    let run = unsafe {
                        std::slice::from_raw_parts_mut(self.start.add(to), window.span_bytes)
                    };
                    outcome = read(run, from);
                    return;
                }
                if buffer.len() < window.span_bytes {
                    buffer.resize(window.span_bytes, 0);
                }
                let span = &mut buffer[..window.span_bytes];
                outcome = read(span, from);
                // SAFETY: as above; the runs of a window lie within its span, and the buffer is no
                // part of the target.
                unsafe { copy_nest(span.as_ptr(), self.start.add(to), run_bytes, window.axes) };
            });
        });
        outcome
    }

    /// Copies what the cell wants of its chunk. Nothing happens if `decoded` is not a whole chunk.
    pub(super) fn scatter(&self, cell: &mut CellTarget, decoded: &[u8]) {
        if decoded.len() != self.chunk_bytes {
            return;
        }
        self.for_each_nest(cell, |from, to, run_bytes, axes| {
            // SAFETY: `for_each_nest` checked both ends of the nest; the places belong to this cell
            // alone (see `chunk_slice`), and `decoded` is no part of the target, which is borrowed
            // exclusively.
            unsafe {
                copy_nest(
                    decoded.as_ptr().add(from),
                    self.start.add(to),
                    run_bytes,
                    axes,
                );
            };
        });
    }

    /// Fills what belongs to the cell with an element.
    pub(super) fn fill(&self, cell: &mut CellTarget, element: &[u8]) {
        self.for_each_nest(cell, |_, to, run_bytes, axes| {
            for_each_run(axes, |_, offset| {
                // SAFETY: `for_each_nest` checked the nest's end; these bytes belong to this cell
                // alone (see `chunk_slice`), and no other slice of them lives.
                let run = unsafe {
                    std::slice::from_raw_parts_mut(self.start.add(to + offset), run_bytes)
                };
                fill_values(run, element);
            });
        });
    }

    /// Calls `visit` with byte positions in chunk and target, bytes of a run and the loops around
    /// it, for each combination of runs of the cell. All bytes named lie inside chunk and target.
    fn for_each_nest(
        &self,
        cell: &CellTarget,
        mut visit: impl FnMut(usize, usize, usize, &[Axis]),
    ) {
        let rank = cell.places.len();
        let wanted: Vec<_> = (0..rank)
            .map(|axis| self.cells.wanted(axis, cell.places[axis]))
            .collect();
        let mut chosen = vec![0_usize; rank];
        loop {
            let (mut from, mut to) = (0, 0);
            let (mut from_end, mut to_end) = (self.element_bytes, self.element_bytes);
            let mut axes = Vec::with_capacity(rank);
            for axis in 0..rank {
                let run = wanted[axis].as_slice()[chosen[axis]];
                let more = run.count as usize - 1;
                let loops = Axis {
                    count: run.count as usize,
                    from_stride: run.step as usize * self.from_strides[axis],
                    to_stride: self.to_strides[axis],
                };
                from += run.from as usize * self.from_strides[axis];
                to += run.to as usize * self.to_strides[axis];
                from_end += more * loops.from_stride;
                to_end += more * loops.to_stride;
                axes.push(loops);
            }
            // Always so; what is unsafe relies on it.
            if from + from_end <= self.chunk_bytes && to + to_end <= self.bytes {
                let (run_bytes, axes) = collapse(axes, self.element_bytes);
                visit(from, to, run_bytes, &axes);
            }
            let mut axis = rank;
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                chosen[axis] += 1;
                if chosen[axis] < wanted[axis].as_slice().len() {
                    break;
                }
                chosen[axis] = 0;
            }
        }
    }
}

/// Runs of a nest of loops that are read together, gaps included.
struct Window<'a> {
    /// Position of the first byte, relative to the nest's.
    from: usize,
    /// Place of the first byte in the target, relative to the nest's.
    to: usize,
    span_bytes: usize,
    /// The loops; none: a single run.
    axes: &'a [Axis],
}

/// Cuts a nest of loops into windows, where runs not further than `max_skip` bytes apart join.
fn for_each_window(
    run_bytes: usize,
    axes: &[Axis],
    max_skip: usize,
    mut visit: impl FnMut(Window<'_>),
) {
    let joins = |axis: &Axis, span: usize| axis.from_stride.saturating_sub(span) <= max_skip;
    let whole = |axis: &Axis, span: usize| span + (axis.count - 1) * axis.from_stride;
    let (mut outer, mut span) = (axes.len(), run_bytes);
    while let Some(axis) = axes[..outer].last()
        && joins(axis, span)
        && whole(axis, span) <= WINDOW_BYTES
    {
        span = whole(axis, span);
        outer -= 1;
    }
    // Of the next axis, as much as fits.
    let (split, around) = match axes[..outer].split_last() {
        Some((axis, around)) => (*axis, around),
        None => (ONCE, &axes[..0]),
    };
    let at_once = if joins(&split, span) {
        (WINDOW_BYTES / split.from_stride.max(1)).clamp(1, split.count)
    } else {
        1
    };
    let mut inner = vec![split];
    inner.extend_from_slice(&axes[outer..]);
    for_each_run(around, |from, to| {
        for first in (0..split.count).step_by(at_once) {
            inner[0].count = at_once.min(split.count - first);
            visit(Window {
                from: from + first * split.from_stride,
                to: to + first * split.to_stride,
                span_bytes: whole(&inner[0], span),
                axes: if inner[0].count > 1 {
                    &inner
                } else {
                    &inner[1..]
                },
            });
        }
    });
}

/// Calls `visit` with the byte offsets of every run of a nest of loops.
fn for_each_run(axes: &[Axis], mut visit: impl FnMut(usize, usize)) {
    let mut cursor = vec![0_usize; axes.len()];
    let (mut from, mut to) = (0, 0);
    loop {
        visit(from, to);
        let mut level = axes.len();
        loop {
            if level == 0 {
                return;
            }
            level -= 1;
            let axis = axes[level];
            cursor[level] += 1;
            if cursor[level] < axis.count {
                from += axis.from_stride;
                to += axis.to_stride;
                break;
            }
            cursor[level] = 0;
            from -= axis.from_stride * (axis.count - 1);
            to -= axis.to_stride * (axis.count - 1);
        }
    }
}

/// Copies every run of a nest of loops.
///
/// # Safety
/// All runs must lie in readable memory behind `from` and in writable memory behind `to`, which
/// nobody else reads or writes meanwhile; the two must not overlap.
unsafe fn copy_nest(from: *const u8, to: *mut u8, run_bytes: usize, axes: &[Axis]) {
    let (inner, outer) = match axes.split_last() {
        Some((inner, outer)) => (*inner, outer),
        None => (ONCE, axes),
    };
    for_each_run(outer, |from_at, to_at| {
        // SAFETY: the caller's promise, for one line of runs.
        unsafe {
            let (from, to) = (from.add(from_at), to.add(to_at));
            match run_bytes {
                1 => copy_line::<1>(from, to, inner),
                2 => copy_line::<2>(from, to, inner),
                4 => copy_line::<4>(from, to, inner),
                8 => copy_line::<8>(from, to, inner),
                12 => copy_line::<12>(from, to, inner),
                16 => copy_line::<16>(from, to, inner),
                _ => {
                    for i in 0..inner.count {
                        let from = from.add(i * inner.from_stride);
                        to.add(i * inner.to_stride)
                            .copy_from_nonoverlapping(from, run_bytes);
                    }
                }
            }
        }
    });
}

/// Copies a line of runs of `N` bytes.
///
/// # Safety
/// As [`copy_nest`].
unsafe fn copy_line<const N: usize>(from: *const u8, to: *mut u8, axis: Axis) {
    for i in 0..axis.count {
        // SAFETY: the caller's promise; arrays of bytes need no alignment.
        unsafe {
            let run = from.add(i * axis.from_stride).cast::<[u8; N]>().read();
            to.add(i * axis.to_stride).cast::<[u8; N]>().write(run);
        }
    }
}
