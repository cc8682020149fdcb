//! One tile of a rounded variable beside its original: all measures in two passes over its slices.

use frazil_types::{ErrorBound, ProtectedValues, Selection};

use super::agreement::Promise;
use super::distribution::Edges;
use super::elements::{FloatKind, SpecialValues, ZeroRule};
use super::errors::{self, Errors, Largest};
use super::gradients::{Gradients, Row};
use super::spectrum::{self, Spectra, Transform};
use frazil_file::sources;
use frazil_precision::ssim::{self, Similarity, SliceSsim};

/// Elements that are looked at together, where rows are shorter.
const BLOCK_ELEMENTS: usize = 4096;
/// Longer rows are looked at in strips of so many columns, each a piece of a spectrum: what is
/// allocated does not grow with the rows.
const STRIP_COLUMNS: usize = spectrum::MAX_LENGTH as usize;
/// Points across a strip that structural similarity is computed for at once.
const SIMILARITY_POINTS: usize = 4096;

/// How the tiles of one variable are measured.
#[derive(Debug)]
pub(crate) struct Measurement {
    pub(super) kind: FloatKind,
    pub(super) bound: ErrorBound,
    pub(super) special: SpecialValues,
    pub(super) zeros: ZeroRule,
    /// Shape of the variable.
    pub(super) shape: Vec<u64>,
    /// How rows are transformed; `None`: they are not.
    pub(super) transform: Option<Transform>,
}

/// What was found in some tiles.
#[derive(Debug, Clone, Default)]
pub(crate) struct TileFindings {
    pub(super) errors: Errors,
    pub(super) gradients: Gradients,
    pub(super) spectra: Spectra,
    pub(super) similarity: Similarity,
}

impl TileFindings {
    /// Adds the next tile; tiles come in their order, so that sums do not depend on threads.
    pub(super) fn merge(&mut self, other: &Self) {
        self.errors.merge(&other.errors);
        self.gradients.merge(&other.gradients);
        self.spectra.merge(&other.spectra);
        self.similarity.merge(&other.similarity);
    }
}

/// Numbers of some rows of both sides, and which of them take no part.
#[derive(Debug, Default)]
struct Block {
    original: Vec<f64>,
    rounded: Vec<f64>,
    /// Special in the original, or not finite any more.
    skip: Vec<bool>,
    any_skip: bool,
    /// Special in the rounded variable.
    turned: Vec<bool>,
    any_turned: bool,
    /// Ordinary values only, where not all are.
    dense: [Vec<f64>; 2],
}

impl Block {
    fn row(&self, from: usize, columns: usize) -> Row<'_> {
        let to = from + columns;
        Row {
            original: &self.original[from..to],
            rounded: &self.rounded[from..to],
            skip: self.any_skip.then(|| &self.skip[from..to]),
        }
    }
}

impl Block {
    /// Marks what is not finite any more: it takes no part.
    fn skip_destroyed(&mut self) {
        if self.any_turned {
            for (skip, y) in self.skip.iter_mut().zip(&self.rounded) {
                *skip |= !y.is_finite();
            }
            self.any_skip = true;
        }
    }
}

/// The last row of the block before.
#[derive(Debug, Default)]
struct LastRow {
    original: Vec<f64>,
    rounded: Vec<f64>,
    skip: Vec<bool>,
    any_skip: bool,
}

impl LastRow {
    fn keep(&mut self, row: Row<'_>) {
        self.original.clear();
        self.original.extend_from_slice(row.original);
        self.rounded.clear();
        self.rounded.extend_from_slice(row.rounded);
        self.skip.clear();
        self.skip.extend_from_slice(row.skip.unwrap_or_default());
        self.any_skip = row.skip.is_some();
    }

    fn row(&self) -> Row<'_> {
        Row {
            original: &self.original,
            rounded: &self.rounded,
            skip: self.any_skip.then_some(self.skip.as_slice()),
        }
    }
}

/// Buffers for one tile.
#[derive(Debug, Default)]
struct Scratch {
    block: Block,
    /// Neighbours on both sides of the border between two strips.
    border: Block,
    last: LastRow,
    spectrum: spectrum::Scratch,
    ssim: SliceSsim,
}

/// A horizontal slice of a tile: raw elements of both sides, row by row.
struct Slice<'a> {
    original: &'a [u8],
    rounded: &'a [u8],
    rows: usize,
    columns: usize,
    /// Row-major number in the variable of the first element, and from one row to the next.
    first: u64,
    row_step: u64,
}

/// Some columns of a slice; where not all of them, rows are looked at one by one.
#[derive(Debug, Clone, Copy)]
struct Strip {
    from: usize,
    columns: usize,
}

/// The columns of a slice in strips of at most `most`.
fn strips(columns: usize, most: usize) -> impl Iterator<Item = Strip> {
    (0..columns).step_by(most).map(move |from| Strip {
        from,
        columns: most.min(columns - from),
    })
}

impl Measurement {
    /// For a variable of `shape` that is cut into boxes of `tile`.
    pub(crate) fn new(
        promise: &Promise,
        protected: &ProtectedValues,
        shape: &[u64],
        tile: &[u64],
    ) -> Self {
        let columns = tile.last().copied().unwrap_or(1);
        Self {
            kind: promise.kind,
            bound: promise.stated.bound,
            special: SpecialValues::new(protected, promise.kind),
            zeros: match promise.packing {
                Some(_) => ZeroRule::Bound,
                None => ZeroRule::of(promise.stated.algorithm),
            },
            shape: shape.to_vec(),
            transform: Transform::new(columns),
        }
    }

    /// Bytes that [`Measurement::look`] allocates for a tile of this shape, roughly.
    pub(crate) fn scratch_bytes(&self, tile: &[u64], edges: usize) -> u64 {
        let (rows, columns) = slice_size(tile);
        let block = columns.clamp(BLOCK_ELEMENTS, STRIP_COLUMNS) as u64;
        let spectra = self
            .transform
            .as_ref()
            .map_or(0, |t| 8 * t.wavenumbers() as u64);
        let windows = match ssim::is_defined(rows, columns) {
            true => ssim::window_bytes(columns.min(SIMILARITY_POINTS + ssim::BORDERS)),
            false => 0,
        };
        60 * block + 2 * windows + 16 * spectra + 4 * edges as u64
    }

    /// Measures the box `part`, whose raw little-endian elements are given; values that rounding
    /// moved are counted in `counters`.
    pub(super) fn look(
        &self,
        part: &Selection,
        original: &[u8],
        rounded: &[u8],
        (edges, counters): (&Edges, &mut [i32]),
    ) -> TileFindings {
        let mut findings = TileFindings::default();
        let mut scratch = Scratch::default();
        let (rows, columns) = slice_size(&part.count);
        let slice_bytes = rows
            .saturating_mul(columns)
            .saturating_mul(self.kind.bytes())
            .max(1);
        let sides = original
            .chunks_exact(slice_bytes)
            .zip(rounded.chunks_exact(slice_bytes));
        for (number, (original, rounded)) in sides.enumerate() {
            let slice = Slice {
                original,
                rounded,
                rows,
                columns,
                first: self.first_element(part, number),
                row_step: self.row_step(),
            };
            let mut here = Errors::default();
            let mut count = |x, y| edges.count(x, y, counters);
            self.add_slice(&slice, &mut here, &mut findings, &mut scratch, &mut count);
            if ssim::is_defined(rows, columns) {
                let similarity = self.similarity(&slice, &here, &mut scratch);
                if let Some(similarity) = similarity {
                    findings.similarity.add(similarity);
                }
            }
            findings.errors.merge(&here);
        }
        findings
    }

    /// Row-major number, in the variable, of the first element of a slice.
    fn first_element(&self, part: &Selection, slice: usize) -> u64 {
        let leading = part.count.len().saturating_sub(2);
        let mut at = part.start.clone();
        let mut rest = slice as u64;
        for axis in (0..leading).rev() {
            let extent = part.count[axis].max(1);
            at[axis] += rest % extent;
            rest /= extent;
        }
        sources::linear(&self.shape, &at).unwrap_or(u64::MAX)
    }

    /// Elements of the variable from one row to the next.
    fn row_step(&self) -> u64 {
        match self.shape.as_slice() {
            [.., _, columns] => *columns,
            _ => 0,
        }
    }

    /// Everything but similarity, strip by strip.
    fn add_slice(
        &self,
        slice: &Slice<'_>,
        here: &mut Errors,
        findings: &mut TileFindings,
        scratch: &mut Scratch,
        count: &mut impl FnMut(f64, f64),
    ) {
        for strip in strips(slice.columns, STRIP_COLUMNS) {
            self.add_strip((slice, strip), here, findings, scratch, count);
        }
    }

    /// A strip, block by block.
    fn add_strip(
        &self,
        (slice, strip): (&Slice<'_>, Strip),
        here: &mut Errors,
        findings: &mut TileFindings,
        scratch: &mut Scratch,
        count: &mut impl FnMut(f64, f64),
    ) {
        let rows_together = match strip.columns == slice.columns {
            true => (BLOCK_ELEMENTS / slice.columns).max(1),
            false => 1,
        };
        let mut row = 0;
        while row < slice.rows {
            let rows = rows_together.min(slice.rows - row);
            let at = slice.offset(strip, row);
            self.load(slice, at, rows * strip.columns, &mut scratch.block);
            self.add_specials(slice, at, &scratch.block, here);
            self.add_zeros(slice, at, &scratch.block, here);
            self.add_errors(slice, at, &mut scratch.block, here);
            self.add_rows(row == 0, strip.columns, findings, scratch);
            if strip.from > 0 {
                self.load(slice, at - 1, 2, &mut scratch.border);
                scratch.border.skip_destroyed();
                findings.gradients.add_along(scratch.border.row(0, 2));
            }
            let block = &scratch.block;
            for (i, (&x, &y)) in block.original.iter().zip(&block.rounded).enumerate() {
                if x.to_bits() != y.to_bits() && !block.skip[i] {
                    count(x, y);
                }
            }
            row += rows;
        }
    }

    /// Takes `count` elements of a slice from element `from` on.
    fn load(&self, slice: &Slice<'_>, from: usize, count: usize, block: &mut Block) {
        let bytes = self.kind.bytes();
        let range = from * bytes..(from + count) * bytes;
        self.kind
            .decode(&slice.original[range.clone()], &mut block.original);
        self.kind.decode(&slice.rounded[range], &mut block.rounded);
        block.any_skip = self.special.mark(&block.original, &mut block.skip);
        block.any_turned = self.special.mark(&block.rounded, &mut block.turned);
    }

    /// Compares special values bit by bit, and values that became special.
    fn add_specials(&self, slice: &Slice<'_>, offset: usize, block: &Block, here: &mut Errors) {
        if !block.any_skip && !block.any_turned {
            return;
        }
        let bytes = self.kind.bytes();
        for i in 0..block.skip.len() {
            let at = (offset + i) * bytes..(offset + i + 1) * bytes;
            let is_changed = slice.original[at.clone()] != slice.rounded[at];
            match (block.skip[i], block.turned[i]) {
                (true, _) => {
                    here.special += 1;
                    if is_changed {
                        here.special_changed += 1;
                        let element = slice.element(offset + i);
                        here.first_special = errors::earlier(here.first_special, Some(element));
                    }
                }
                (false, true) => here.lost += 1,
                (false, false) => {}
            }
        }
    }

    /// Looks for ordinary zeros that rounding must not have made of what they are. They take part in all
    /// measures: many fields are zero almost everywhere.
    fn add_zeros(&self, slice: &Slice<'_>, offset: usize, block: &Block, here: &mut Errors) {
        let pairs = block.original.iter().zip(&block.rounded).enumerate();
        for (i, (&x, &y)) in pairs {
            let is_ordinary = || !block.skip[i] && !block.turned[i];
            if self.zeros.is_broken(self.kind, x, y) && is_ordinary() {
                here.zeros_changed += 1;
                let element = slice.element(offset + i);
                here.first_zero = errors::earlier(here.first_zero, Some(element));
            }
        }
    }

    /// Errors of single values; leaves values that are not finite any more marked in `skip`.
    fn add_errors(&self, slice: &Slice<'_>, offset: usize, block: &mut Block, here: &mut Errors) {
        if block.any_turned {
            for i in 0..block.skip.len() {
                if !block.skip[i] && !block.rounded[i].is_finite() {
                    here.add_destroyed(&self.bound);
                    let element = slice.element(offset + i);
                    let score = f64::INFINITY;
                    here.note_largest(Some(Largest { score, element }));
                    block.skip[i] = true;
                    block.any_skip = true;
                }
            }
        }
        let (original, rounded) = if block.any_skip {
            let sides = [&block.original, &block.rounded];
            for (dense, side) in block.dense.iter_mut().zip(sides) {
                dense.clear();
                let kept = side.iter().zip(&block.skip).filter(|(_, skip)| !**skip);
                dense.extend(kept.map(|(x, _)| *x));
            }
            (block.dense[0].as_slice(), block.dense[1].as_slice())
        } else {
            (block.original.as_slice(), block.rounded.as_slice())
        };
        here.add(original, rounded, &self.bound);
        let largest = errors::largest_score(original, rounded, &self.bound);
        let known = here.largest.map_or(0.0, |largest| largest.score);
        if largest > known {
            let is_it = |i: &usize| {
                !block.skip[*i]
                    && errors::score(block.original[*i], block.rounded[*i], &self.bound) == largest
            };
            if let Some(i) = (0..block.skip.len()).find(is_it) {
                here.note_largest(Some(Largest {
                    score: largest,
                    element: slice.element(offset + i),
                }));
            }
        }
    }

    /// Gradients and spectra of a block's rows.
    fn add_rows(
        &self,
        is_first: bool,
        columns: usize,
        findings: &mut TileFindings,
        scratch: &mut Scratch,
    ) {
        let block = &scratch.block;
        let count = block.original.len() / columns.max(1);
        for number in 0..count {
            let row = block.row(number * columns, columns);
            findings.gradients.add_along(row);
            if number > 0 {
                let above = block.row((number - 1) * columns, columns);
                findings.gradients.add_between(above, row);
            } else if !is_first {
                findings.gradients.add_between(scratch.last.row(), row);
            }
            if let Some(transform) = &self.transform
                && !row.skip.is_some_and(|skip| skip.contains(&true))
            {
                let (spectra, with) = (&mut findings.spectra, &mut scratch.spectrum);
                transform.add(row.original, row.rounded, spectra, with);
            }
        }
        if count > 0 {
            let last = block.row((count - 1) * columns, columns);
            scratch.last.keep(last);
        }
    }

    /// The structural similarity of a slice whose errors are known.
    fn similarity(&self, slice: &Slice<'_>, here: &Errors, scratch: &mut Scratch) -> Option<f64> {
        let [[low_a, high_a], [low_b, high_b]] = here.ranges;
        let (low, high) = (low_a.min(low_b), high_a.max(high_b));
        if low > high {
            return None;
        }
        scratch.ssim.begin(low, high);
        let points = slice.columns - ssim::BORDERS;
        for strip in strips(points, SIMILARITY_POINTS) {
            let columns = strip.columns + ssim::BORDERS;
            scratch.ssim.begin_strip(columns);
            for row in 0..slice.rows {
                let at = slice.offset(strip, row);
                self.load(slice, at, columns, &mut scratch.block);
                scratch.block.skip_destroyed();
                let row = scratch.block.row(0, columns);
                scratch.ssim.add_row(row.original, row.rounded, row.skip);
            }
        }
        scratch.ssim.finish()
    }
}

impl Slice<'_> {
    /// The number in the slice of the first element of a strip's row.
    fn offset(&self, strip: Strip, row: usize) -> usize {
        row * self.columns + strip.from
    }

    /// The row-major number in the variable of element `i` of the slice.
    fn element(&self, i: usize) -> u64 {
        let columns = self.columns.max(1);
        let row = self.row_step.saturating_mul((i / columns) as u64);
        self.first
            .saturating_add(row)
            .saturating_add((i % columns) as u64)
    }
}

/// Rows and columns of a box's slices.
pub(super) fn slice_size(count: &[u64]) -> (usize, usize) {
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    match count {
        [] => (1, 1),
        [columns] => (1, size(*columns)),
        [.., rows, columns] => (size(*rows), size(*columns)),
    }
}
