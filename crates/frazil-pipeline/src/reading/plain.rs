//! Reading parts of arrays whose values lie in a file as they are: contiguous HDF5 data and classic
//! variables, records included.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use frazil_types::sync::Mutex;

use super::context::ReadContext;
use super::target::byte_strides;
use crate::fetch::{MAX_GAP_BYTES, MAX_READ_BYTES};
use crate::gather::fill_values;
use crate::source::swap_bytes;
use crate::{ByteSource, PipelineError};
use frazil_types::{AxisRun, AxisSelection, selected_elements};

/// Parts shorter than this are read by one thread.
const BAND_BYTES: usize = 2 << 20;
/// Where bytes take long to come, so much is announced before it is read.
const MOST_ANNOUNCED_BYTES: u64 = 64 << 20;
const MOST_ANNOUNCED_RANGES: usize = 16 << 10;

/// An array whose values lie in a file as they are, at regular distances.
pub struct PlainArray {
    /// Extents along each axis, in elements.
    pub shape: Vec<u64>,
    /// Address of the first element.
    pub address: u64,
    /// From one element to the next along each axis, in bytes; the same number of axes.
    pub stride_bytes: Vec<u64>,
    /// Size of one element.
    pub element_bytes: usize,
    /// Reverse the bytes in each unit of this many bytes.
    pub byte_swap: Option<usize>,
    /// One element of fill value for what lies outside `shape`, in the byte order after swapping; empty: zeros.
    pub fill: Vec<u8>,
    /// The file.
    pub bytes: Arc<dyn ByteSource>,
}

impl std::fmt::Debug for PlainArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PlainArray({:?} at {})", self.shape, self.address)
    }
}

impl PlainArray {
    /// Reads the selected elements into `target`, row-major; the fill value where a selection
    /// reaches out of the array.
    ///
    /// # Errors
    /// Whatever reading fails with; `InvalidRequest` if the selections or the target do not fit.
    pub fn read(
        &self,
        selections: &[AxisSelection],
        target: &mut [u8],
        context: &ReadContext<'_>,
    ) -> Result<(), PipelineError> {
        let elements = selected_elements(selections);
        let bytes = elements.and_then(|n| n.checked_mul(self.element_bytes as u64));
        if selections.len() != self.shape.len()
            || self.stride_bytes.len() != self.shape.len()
            || bytes != Some(target.len() as u64)
        {
            return Err(PipelineError::InvalidRequest {
                source_index: 0,
                reason: "the selection does not fit the array or the target",
            });
        }
        if target.is_empty() {
            return Ok(());
        }
        let runs: Vec<Vec<AxisRun>> = selections
            .iter()
            .zip(&self.shape)
            .map(|(selection, &extent)| selection.runs_below(extent))
            .collect();
        let counts: Vec<u64> = selections.iter().map(AxisSelection::count).collect();
        let found = |runs: &Vec<AxisRun>| runs.iter().map(|run| run.count).sum::<u64>();
        if runs.iter().map(found).ne(counts.iter().copied()) {
            fill_values(target, &self.fill);
        }
        let part = Part { runs, counts };
        if self.bytes.is_far() {
            self.bytes.will_read(&self.wanted(&part));
        }
        self.read_bands(&part, target, context)
    }

    /// Cuts the part into bands that lie one behind the other in the target.
    fn read_bands(
        &self,
        part: &Part,
        target: &mut [u8],
        context: &ReadContext<'_>,
    ) -> Result<(), PipelineError> {
        let threads = context.threads.min(target.len() / BAND_BYTES).max(1);
        let axis = part.counts.iter().position(|&count| count > 1);
        let (Some(axis), true) = (axis, threads > 1) else {
            context.check()?;
            return self.read_band(part, target).map_err(failed);
        };
        let row_bytes = target.len() / part.counts[axis] as usize;
        // More bands than threads: they do not all begin at once.
        let rows = (part.counts[axis] as usize).div_ceil(threads * 4).max(1);
        let bands: Vec<(Part, &mut [u8])> = target
            .chunks_mut(rows * row_bytes)
            .enumerate()
            .map(|(i, slice)| (part.band(axis, (i * rows) as u64, rows as u64), slice))
            .collect();
        let bands = Mutex::new(bands.into_iter());
        context.share(threads, &|stop| {
            while !stop.is_due()? {
                let Some((part, slice)) = bands.lock().next() else {
                    break;
                };
                self.read_band(&part, slice).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Reads a part on this thread.
    fn read_band(&self, part: &Part, target: &mut [u8]) -> io::Result<()> {
        let mut window = Window {
            array: self,
            target,
            pieces: Vec::new(),
            buffer: Vec::new(),
        };
        self.for_each_piece(part, |piece| window.push(piece).map(|()| true))?;
        window.flush()
    }

    /// What of the file a part needs, in order; of very much the beginning.
    fn wanted(&self, part: &Part) -> Vec<Range<u64>> {
        let mut wanted: Vec<Range<u64>> = Vec::new();
        let mut bytes = 0_u64;
        let outcome = self.for_each_piece(part, |piece| {
            let end = piece.from.saturating_add(piece.bytes as u64);
            bytes = bytes.saturating_add(piece.bytes as u64);
            match wanted.last_mut() {
                Some(last) if last.end == piece.from => last.end = end,
                _ => wanted.push(piece.from..end),
            }
            Ok(bytes < MOST_ANNOUNCED_BYTES && wanted.len() < MOST_ANNOUNCED_RANGES)
        });
        // Reading says what is wrong.
        outcome.map_or_else(|_| Vec::new(), |()| wanted)
    }

    /// Goes through the pieces of a part in order, as long as `visit` wants more.
    fn for_each_piece(
        &self,
        part: &Part,
        mut visit: impl FnMut(Piece) -> io::Result<bool>,
    ) -> io::Result<()> {
        if part.runs.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let targets = byte_strides(&part.counts, self.element_bytes);
        let (piece_bytes, outer) = self.solid(part);
        let mut cursor = Cursor::new(&part.runs[..outer]);
        loop {
            let (mut from, mut to) = (self.address, 0_usize);
            for axis in 0..part.runs.len() {
                // Axes inside a solid piece begin with their only run.
                let (at, place) = match cursor.at(axis) {
                    Some(at) => at,
                    None => (part.runs[axis][0].from, part.runs[axis][0].to),
                };
                from = add(from, at, self.stride_bytes[axis])?;
                to += place as usize * targets[axis];
            }
            let piece = Piece {
                from,
                to,
                bytes: piece_bytes,
            };
            if !visit(piece)? || !cursor.advance() {
                return Ok(());
            }
        }
    }

    /// The longest pieces that are solid in the file and in the target: their bytes, and the number
    /// of axes around them.
    fn solid(&self, part: &Part) -> (usize, usize) {
        let mut bytes = self.element_bytes;
        let mut outer = part.runs.len();
        while outer > 0 {
            let axis = outer - 1;
            let [run] = part.runs[axis].as_slice() else {
                break;
            };
            let is_dense = run.count == 1 || (run.step == 1 && self.steps(axis, bytes));
            if !is_dense || run.count != part.counts[axis] {
                break;
            }
            bytes *= run.count as usize;
            outer = axis;
        }
        (bytes, outer)
    }

    fn steps(&self, axis: usize, bytes: usize) -> bool {
        self.stride_bytes[axis] == bytes as u64
    }
}

/// Runs along each axis, and the counts of the result's axes.
struct Part {
    runs: Vec<Vec<AxisRun>>,
    counts: Vec<u64>,
}

impl Part {
    /// The places from `first` on of one axis, `rows` of them at most.
    fn band(&self, axis: usize, first: u64, rows: u64) -> Self {
        let end = (first + rows).min(self.counts[axis]);
        let cut = |run: &AxisRun| {
            let (from, to) = (run.to.max(first), (run.to + run.count).min(end));
            (from < to).then(|| AxisRun {
                from: run.from + (from - run.to) * run.step,
                step: run.step,
                to: from - first,
                count: to - from,
            })
        };
        let mut runs = self.runs.clone();
        runs[axis] = self.runs[axis].iter().filter_map(cut).collect();
        let mut counts = self.counts.clone();
        counts[axis] = end - first;
        Self { runs, counts }
    }
}

/// Goes through all combinations of elements of the outer axes, the last axis fastest.
struct Cursor<'a> {
    axes: &'a [Vec<AxisRun>],
    /// AxisRun and element in it, of each axis.
    at: Vec<(usize, u64)>,
}

impl<'a> Cursor<'a> {
    fn new(axes: &'a [Vec<AxisRun>]) -> Self {
        Self {
            axes,
            at: vec![(0, 0); axes.len()],
        }
    }

    /// Element and place along an axis.
    fn at(&self, axis: usize) -> Option<(u64, u64)> {
        let &(run, i) = self.at.get(axis)?;
        let run = self.axes[axis].get(run)?;
        Some((run.from + i * run.step, run.to + i))
    }

    fn advance(&mut self) -> bool {
        for axis in (0..self.axes.len()).rev() {
            let (run, i) = &mut self.at[axis];
            *i += 1;
            if *i < self.axes[axis][*run].count {
                return true;
            }
            (*run, *i) = (*run + 1, 0);
            if *run < self.axes[axis].len() {
                return true;
            }
            *run = 0;
        }
        false
    }
}

/// Bytes that lie in one run in the file and in the target.
#[derive(Clone, Copy)]
struct Piece {
    from: u64,
    to: usize,
    bytes: usize,
}

/// Pieces that are read together, gaps included.
struct Window<'a> {
    array: &'a PlainArray,
    target: &'a mut [u8],
    pieces: Vec<Piece>,
    buffer: Vec<u8>,
}

impl Window<'_> {
    fn push(&mut self, piece: Piece) -> io::Result<()> {
        if let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) {
            let end = last.from + last.bytes as u64;
            let joins = piece.from >= end
                && piece.from - end <= MAX_GAP_BYTES
                && piece.from - first.from + piece.bytes as u64 <= MAX_READ_BYTES / 4;
            if !joins {
                self.flush()?;
            }
        }
        self.pieces.push(piece);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let (Some(&first), Some(last)) = (self.pieces.first(), self.pieces.last()) else {
            return Ok(());
        };
        let source = &self.array.bytes;
        if self.pieces.len() == 1 {
            let target = &mut self.target[first.to..first.to + first.bytes];
            source.read_exact_at(target, first.from)?;
            swap(self.array, target);
        } else {
            let span = (last.from - first.from) as usize + last.bytes;
            self.buffer.resize(span, 0);
            source.read_exact_at(&mut self.buffer, first.from)?;
            for piece in &self.pieces {
                let target = &mut self.target[piece.to..piece.to + piece.bytes];
                let at = (piece.from - first.from) as usize;
                target.copy_from_slice(&self.buffer[at..at + piece.bytes]);
                swap(self.array, target);
            }
        }
        self.pieces.clear();
        Ok(())
    }
}

fn swap(array: &PlainArray, bytes: &mut [u8]) {
    if let Some(unit) = array.byte_swap.filter(|&unit| unit > 1) {
        swap_bytes(bytes, unit);
    }
}

fn add(address: u64, index: u64, stride: u64) -> io::Result<u64> {
    let step = index.checked_mul(stride);
    step.and_then(|step| address.checked_add(step))
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn failed(error: io::Error) -> PipelineError {
    PipelineError::Io {
        source_index: 0,
        chunk: 0,
        error,
    }
}
