//! Where samples of a variable are taken: chunks of the output that lie in few chunks of the input.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::ArraySource;
use frazil_plan::{SamplePlan, sample_chunks};
use frazil_types::{ChunkGrid, Selection};

use crate::chunk_values::{append, chunks_of};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::sources::Stored;

/// That much of a variable may be decoded for all pieces of a sample: one part in so many. The input's chunks of one
/// piece may hold far more than it.
const DECODED_SHARE: u64 = 32;

/// A part of a chunk of the output, or some whole chunks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SampleBox {
    /// All that is read, in elements of the variable.
    pub part: Selection,
    /// Extents of one chunk in it.
    chunk: Vec<u64>,
    tried: Tried,
}

/// What is tried of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    All,
    Windows(Windows),
    /// So many of its chunks, spread over it.
    Chunks(usize),
}

/// Parts of a chunk that is read wholly: runs of elements, spread over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Windows {
    count: usize,
    /// Elements of each.
    elements: u64,
}

/// Boxes of values to try filters on: chunks of the output as they will be packed, or, where these are larger than the
/// sample, parts of them; in as few pieces as little decoding allows. All chunks, where the sample is the variable. At
/// most `most_read_bytes` are read at once where less is tried.
pub(crate) fn sample_boxes(
    variable: &DatasetInfo,
    chunk: Option<&[u64]>,
    source: &ArraySource,
    stored: &Stored,
    plan: SamplePlan,
    most_read_bytes: u64,
) -> Vec<SampleBox> {
    let Some(grid) = chunk.and_then(|chunk| ChunkGrid::new(&variable.shape, chunk)) else {
        return Vec::new();
    };
    let holding = ChunkSubset::holding(&grid, source, stored);
    if plan.bytes() >= variable.raw_bytes().unwrap_or(u64::MAX) {
        return holding
            .numbers(&grid)
            .map(|number| whole_box(&grid, number))
            .collect();
    }
    let is_decoded = matches!(&variable.storage,
        DatasetStorage::Chunked { pipeline, .. } if !pipeline.is_empty());
    let element_bytes = variable.element.size_bytes as u64;
    if grid.chunk_elements() > plan.window_bytes as u64 / element_bytes.max(1) {
        let large = LargeChunks {
            grid: &grid,
            source,
            element_bytes,
            plan,
            most_read_bytes: if is_decoded { most_read_bytes } else { 0 },
        };
        let chunks = match is_decoded {
            true => {
                affordable(
                    plan,
                    variable.raw_bytes().unwrap_or(0),
                    large.decoded_bytes(),
                )
                .pieces
            }
            false => plan.pieces,
        };
        return large.boxes(&chosen(&grid, &holding, chunks), is_decoded);
    }
    let plan = match is_decoded && grid.chunk_count() > 0 {
        true => {
            let size = variable.element.size_bytes as u64;
            let middle = box_of(&grid, grid.chunk_count() / 2, source, size, plan);
            let decoded = touched_elements(&middle.part, source.grid.chunk()).saturating_mul(size);
            let fewer = affordable(plan, variable.raw_bytes().unwrap_or(0), decoded);
            let has_few_places = fewer.pieces < plan.pieces || fewer.pieces == 1;
            if has_few_places && decoded <= most_read_bytes {
                let window = fewer.window_bytes as u64 / size.max(1);
                let numbers = chosen(&grid, &holding, fewer.pieces);
                let of_one = |&number: &u64| decoded_box(&grid, number, source, window);
                return numbers.iter().map(of_one).collect();
            }
            fewer
        }
        false => plan,
    };
    spread(variable, &grid, source, &holding, plan)
}

/// As [`sample_boxes`], in as many pieces as planned, whatever has to be decoded for them.
pub(crate) fn spread_boxes(
    variable: &DatasetInfo,
    chunk: Option<&[u64]>,
    source: &ArraySource,
    stored: &Stored,
    plan: SamplePlan,
) -> Vec<SampleBox> {
    let Some(grid) = chunk.and_then(|chunk| ChunkGrid::new(&variable.shape, chunk)) else {
        return Vec::new();
    };
    let holding = ChunkSubset::holding(&grid, source, stored);
    spread(variable, &grid, source, &holding, plan)
}

/// Boxes spread over the chunks of the output that hold anything.
fn spread(
    variable: &DatasetInfo,
    grid: &ChunkGrid,
    source: &ArraySource,
    holding: &ChunkSubset,
    plan: SamplePlan,
) -> Vec<SampleBox> {
    let size = variable.element.size_bytes as u64;
    let piece = |number| {
        let sample = box_of(grid, number, source, size, plan);
        let has_neighbours = sample.part.count != sample.chunk;
        // Neighbours that are not stored say nothing of those that are.
        match has_neighbours && is_partly_absent(&sample.part, holding, source) {
            true => whole_box(grid, number),
            false => sample,
        }
    };
    chosen(grid, holding, plan.pieces)
        .into_iter()
        .map(piece)
        .collect()
}

/// Up to so many of the chunks that hold anything, spread over them.
pub(crate) fn chosen(grid: &ChunkGrid, holding: &ChunkSubset, wanted: usize) -> Vec<u64> {
    match holding {
        ChunkSubset::All => sample_chunks(grid.chunk_count(), wanted),
        ChunkSubset::Some(numbers) => sample_chunks(numbers.len() as u64, wanted)
            .into_iter()
            .map(|i| numbers[i as usize])
            .collect(),
    }
}

/// Samples of chunks that are larger than a piece of a sample: several pieces of each, since a chunk may
/// not be alike everywhere.
struct LargeChunks<'a> {
    grid: &'a ChunkGrid,
    source: &'a ArraySource,
    element_bytes: u64,
    plan: SamplePlan,
    most_read_bytes: u64,
}

impl LargeChunks<'_> {
    /// What the input's filters undo for one of them.
    fn decoded_bytes(&self) -> u64 {
        let middle = self.grid.valid_box(self.grid.chunk_count() / 2);
        touched_elements(&middle, self.source.grid.chunk()).saturating_mul(self.element_bytes)
    }

    fn boxes(&self, numbers: &[u64], is_decoded: bool) -> Vec<SampleBox> {
        let pieces = self.plan.pieces.div_ceil(numbers.len().max(1));
        let elements = self.plan.window_bytes as u64 / self.element_bytes.max(1);
        let wanted = elements.saturating_mul(pieces as u64);
        let of_one = |&number: &u64| {
            let part = self.grid.valid_box(number);
            if part.elements().is_none_or(|all| all <= wanted) {
                let decoded = decoded_box(self.grid, number, self.source, wanted);
                return vec![match is_decoded && self.fits(&decoded.part) {
                    true => decoded,
                    false => whole_box(self.grid, number),
                }];
            }
            if !is_decoded {
                let piece = |place| cut(part.clone(), elements, place, pieces);
                return (0..pieces).map(piece).collect();
            }
            // What is decoded anyway is read once, and looked at all over.
            let decoded = decoded_part(self.grid, number, self.source);
            let decoded = decoded.map(|part| (part, self.grid.chunk().to_vec()));
            let whole = whole_box(self.grid, number);
            let alone = (whole.part, whole.chunk);
            let mut read = decoded.into_iter().chain([alone]);
            vec![match read.find(|(part, _)| self.fits(part)) {
                Some((part, chunk)) => SampleBox {
                    chunk,
                    part,
                    tried: Tried::Windows(Windows {
                        count: pieces,
                        elements,
                    }),
                },
                None => cut(part, wanted, 0, 1),
            }]
        };
        numbers.iter().flat_map(of_one).collect()
    }

    /// Whether as much may be read at once.
    fn fits(&self, part: &Selection) -> bool {
        let elements = part.elements().unwrap_or(u64::MAX);
        elements.saturating_mul(self.element_bytes) <= self.most_read_bytes
    }
}

/// Whether some chunks of the input in a box are not stored.
fn is_partly_absent(part: &Selection, holding: &ChunkSubset, source: &ArraySource) -> bool {
    let mut touched = source.grid.chunks_in(part).into_iter();
    matches!(holding, ChunkSubset::Some(_)) && touched.any(|number| source.locate(number).is_none())
}

/// A piece of a sample, where a chunk of the output lies: a part of it, or it and whole neighbours.
fn box_of(
    grid: &ChunkGrid,
    index: u64,
    source: &ArraySource,
    element_bytes: u64,
    plan: SamplePlan,
) -> SampleBox {
    let window = plan.window_bytes as u64 / element_bytes.max(1);
    match grid.chunk_elements() <= window {
        true if grid.is_partial_edge(index) => whole_box(grid, index),
        true => grown(grid.valid_box(index), grid, source.grid.chunk(), window),
        false => cut(grid.valid_box(index), window, 0, 1),
    }
}

/// A chunk as it will be packed, with what sticks out of the array.
fn whole_box(grid: &ChunkGrid, index: u64) -> SampleBox {
    SampleBox {
        part: grid.chunk_box(index),
        chunk: grid.chunk().to_vec(),
        tried: Tried::All,
    }
}

/// The same bytes in fewer pieces, where all that is decoded for those of the plan is too much of the variable.
fn affordable(plan: SamplePlan, raw_bytes: u64, decoded_bytes: u64) -> SamplePlan {
    let most = raw_bytes / DECODED_SHARE / decoded_bytes.max(1);
    let pieces = plan.pieces.min((most as usize).max(1));
    SamplePlan {
        pieces,
        window_bytes: plan.window_bytes * plan.pieces / pieces.max(1),
    }
}

/// Elements of the input's chunks that a box lies in.
fn touched_elements(part: &Selection, stored: &[u64]) -> u64 {
    let axes = part.start.iter().zip(&part.count).zip(stored);
    axes.fold(1, |elements: u64, ((&start, &count), &cell)| {
        let cell = cell.max(1);
        let end = start.saturating_add(count).next_multiple_of(cell);
        elements.saturating_mul(end - start / cell * cell)
    })
}

/// All whole chunks of the output that lie where the input's chunks of one of them lie, which are decoded
/// anyway; as many of them as `window` elements have are tried, from all over it.
fn decoded_box(grid: &ChunkGrid, index: u64, source: &ArraySource, window: u64) -> SampleBox {
    let Some(part) = decoded_part(grid, index, source) else {
        return whole_box(grid, index);
    };
    let chunks = window / grid.chunk_elements().max(1);
    SampleBox {
        part,
        chunk: grid.chunk().to_vec(),
        tried: Tried::Chunks((chunks as usize).max(1)),
    }
}

/// Whole chunks of the output, that of `index` among them, where the input's chunks of that one lie.
/// `None`: it sticks out of the array.
fn decoded_part(grid: &ChunkGrid, index: u64, source: &ArraySource) -> Option<Selection> {
    let mut part = grid.valid_box(index);
    let lengths = grid.shape().iter().zip(grid.chunk());
    let axes = lengths.zip(source.grid.chunk()).enumerate();
    for (axis, ((&length, &chunk), &stored)) in axes {
        let (start, stored) = (part.start[axis], stored.max(1));
        let end = (start + part.count[axis])
            .next_multiple_of(stored)
            .min(length);
        let first = (start / stored * stored).next_multiple_of(chunk).min(start);
        if end - first < chunk {
            return None;
        }
        part.start[axis] = first;
        part.count[axis] = (end - first) / chunk * chunk;
    }
    Some(part)
}

/// A chunk's box, cut along its slow axes to at most `window` elements, or one: from the middle of a part
/// of it, the one with number `place` of `places`.
fn cut(part: Selection, window: u64, place: usize, places: usize) -> SampleBox {
    cut_where(part, window, |_, room| {
        room * (2 * place as u64 + 1) / (2 * places as u64)
    })
}

/// A chunk's box, cut along its slow axes to at most `window` elements, or one; `start`: where it begins in the room
/// that there is along an axis.
pub(crate) fn cut_where(
    mut part: Selection,
    window: u64,
    start: impl Fn(usize, u64) -> u64,
) -> SampleBox {
    let mut elements = part.count.iter().fold(1, |n: u64, &c| n.saturating_mul(c));
    for axis in 0..part.count.len() {
        if elements <= window {
            break;
        }
        let rest = (elements / part.count[axis]).max(1);
        let count = (window / rest).clamp(1, part.count[axis]);
        part.start[axis] += start(axis, part.count[axis] - count);
        part.count[axis] = count;
        elements = rest.saturating_mul(count);
    }
    SampleBox {
        chunk: part.count.clone(),
        part,
        tried: Tried::All,
    }
}

/// A chunk's box with whole neighbours, at most `window` elements: first those that lie in the same chunks of
/// the input, of `stored` elements, which are decoded anyway; then those behind it along the first axis.
fn grown(mut part: Selection, grid: &ChunkGrid, stored: &[u64], window: u64) -> SampleBox {
    let shape = grid.shape();
    let chunk = part.count.clone();
    let mut wanted = window / part.elements().unwrap_or(u64::MAX).max(1);
    for axis in (0..chunk.len()).rev() {
        let (start, extent) = (part.start[axis], chunk[axis]);
        let (end, cell) = (start + extent, stored[axis].max(1));
        // What sticks out of the array has no neighbours of its extent.
        if wanted > 1 && extent == grid.chunk()[axis] {
            let before = (start % cell) / extent;
            let after = (end.next_multiple_of(cell).min(shape[axis]) - end) / extent;
            let taken = wanted.min(1 + before + after);
            part.start[axis] -= (taken - 1).saturating_sub(after) * extent;
            part.count[axis] = taken * extent;
            wanted /= taken;
        }
    }
    if let (Some(count), Some(start)) = (part.count.first_mut(), part.start.first()) {
        // Whole chunks only.
        let most = (shape[0] - start) / *count;
        *count = count.saturating_mul(wanted.clamp(1, most.max(1)));
    }
    SampleBox {
        part,
        chunk,
        tried: Tried::All,
    }
}

impl SampleBox {
    /// Elements of the box that lie inside an array of this shape.
    pub(crate) fn inside(&self, shape: &[u64]) -> u64 {
        let axes = self.part.start.iter().zip(&self.part.count).zip(shape);
        axes.fold(1, |n: u64, ((&start, &count), &length)| {
            n.saturating_mul(count.min(length.saturating_sub(start)))
        })
    }

    /// Elements that are tried.
    pub(crate) fn elements(&self) -> u64 {
        let all = self.part.elements().unwrap_or(u64::MAX);
        match self.tried {
            Tried::All => all,
            Tried::Windows(windows) => windows.elements.saturating_mul(windows.count as u64),
            Tried::Chunks(count) => {
                let of_one = self.chunk.iter().fold(1, |n: u64, &c| n.saturating_mul(c));
                of_one.saturating_mul(count as u64).min(all)
            }
        }
    }

    /// Windows of the values in chunks' order: whole rows of the fastest axis where one holds some.
    fn in_windows(&self, values: &[u8], windows: Windows, element_bytes: usize) -> Vec<Vec<u8>> {
        let wanted = (windows.elements as usize).saturating_mul(element_bytes);
        let row = (self.chunk.last().map_or(1, |&n| n as usize)).saturating_mul(element_bytes);
        let unit = if row <= wanted { row } else { element_bytes }.max(1);
        let length = (wanted / unit * unit).clamp(unit, values.len().max(unit));
        let room = values.len().saturating_sub(length);
        let window = |place: usize| {
            let start = room * (2 * place + 1) / (2 * windows.count) / unit * unit;
            values[start..(start + length).min(values.len())].to_vec()
        };
        (0..windows.count).map(window).collect()
    }

    /// Some whole chunks of the output, where only parts of what is read are tried; else none.
    pub(crate) fn whole_chunks(&self, values: &[u8], element_bytes: usize) -> Vec<Vec<u8>> {
        const MOST: usize = 4;
        let extents = &self.part.count;
        let is_in_part = self.tried != Tried::All;
        let grid = ChunkGrid::new(extents, &self.chunk).filter(|_| is_in_part);
        let chunks = grid.iter().flat_map(|grid| {
            let numbers = sample_chunks(grid.chunk_count(), MOST);
            numbers.into_iter().map(|number| grid.valid_box(number))
        });
        chunks
            .map(|part| {
                let mut chunk = Vec::new();
                append(&mut chunk, values, extents, &part, element_bytes);
                chunk
            })
            .collect()
    }

    /// Values of the box, row by row, as the output's chunks will have them: each chunk by itself.
    pub(crate) fn in_chunks(&self, values: Vec<u8>, element_bytes: usize) -> Vec<Vec<u8>> {
        match self.tried {
            Tried::All => {}
            Tried::Windows(windows) => {
                let ordered = self.in_order(values, element_bytes);
                return self.in_windows(&ordered, windows, element_bytes);
            }
            Tried::Chunks(count) => {
                let all = chunks_of(&values, &self.part.count, &self.chunk, element_bytes);
                let numbers = sample_chunks(all.len() as u64, count);
                let chosen = numbers
                    .into_iter()
                    .filter_map(|number| all.get(number as usize));
                return chosen.cloned().collect();
            }
        }
        let elements = self.chunk.iter().fold(1, |n: u64, &c| n.saturating_mul(c));
        let bytes = (elements as usize).saturating_mul(element_bytes).max(1);
        if values.len() <= bytes {
            return vec![values];
        }
        let ordered = self.in_order(values, element_bytes);
        ordered.chunks_exact(bytes).map(<[u8]>::to_vec).collect()
    }

    /// As [`Self::in_chunks`], one chunk after the other.
    pub(crate) fn in_order(&self, values: Vec<u8>, element_bytes: usize) -> Vec<u8> {
        let count = &self.part.count;
        let Some(grid) = ChunkGrid::new(count, &self.chunk) else {
            return values;
        };
        if count.iter().skip(1).eq(self.chunk.iter().skip(1)) {
            return values;
        }
        let mut ordered = Vec::with_capacity(values.len());
        for chunk in (0..grid.chunk_count()).map(|index| grid.valid_box(index)) {
            append(&mut ordered, &values, count, &chunk, element_bytes);
        }
        ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> ChunkGrid {
        ChunkGrid::new(&[1560, 128, 256], &[4, 16, 43]).unwrap()
    }

    fn chunk_at(at: [u64; 3]) -> Selection {
        grid().valid_box(grid().linear(&at))
    }

    const CHUNK: u64 = 4 * 16 * 43;

    #[test]
    fn neighbours_come_from_the_same_chunks_of_the_input() {
        let maps = [1, 128, 256];
        let found = grown(chunk_at([7, 3, 4]), &grid(), &maps, 12 * CHUNK);
        // Five whole chunks in a row, the last of which has no room behind it; two rows of them.
        assert_eq!(found.part.start, [28, 48, 0]);
        assert_eq!(found.part.count, [4, 32, 5 * 43]);
        let series = [1560, 8, 8];
        let found = grown(chunk_at([7, 3, 4]), &grid(), &series, 12 * CHUNK);
        assert_eq!(found.part.start, [28, 48, 4 * 43]);
        assert_eq!(found.part.count, [48, 16, 43]);
    }

    #[test]
    fn a_chunk_at_an_edge_keeps_its_extent_there() {
        let found = grown(chunk_at([389, 7, 5]), &grid(), &[1, 128, 43], 12 * CHUNK);
        assert_eq!(found.part.start, [1556, 0, 215]);
        assert_eq!(found.part.count, [4, 128, 41]);
    }

    #[test]
    fn large_chunks_are_cut_in_their_middle() {
        let whole = Selection::whole(&[10, 100, 100]);
        let found = cut(whole.clone(), 2500, 0, 1);
        assert_eq!(found.part.start, [4, 37, 0]);
        assert_eq!(found.part.count, [1, 25, 100]);
        assert_eq!(found.in_chunks(vec![7; 2500], 1), [vec![7; 2500]]);
        assert_eq!(cut(whole.clone(), 0, 0, 1).part.count, [1, 1, 1]);
        let starts = [0, 1].map(|place| cut(whole.clone(), 2500, place, 2).part.start);
        assert_eq!(starts, [[2, 18, 0], [6, 56, 0]]);
    }

    #[test]
    fn chunks_that_are_decoded_anyway_are_tried_from_all_over() {
        let sample = SampleBox {
            part: Selection::whole(&[4, 6]),
            chunk: vec![2, 2],
            tried: Tried::Chunks(2),
        };
        let found = sample.in_chunks((0..24).collect(), 1);
        assert_eq!(found, [vec![2, 3, 8, 9], vec![14, 15, 20, 21]]);
        assert_eq!(sample.elements(), 8);
    }

    #[test]
    fn windows_of_a_chunk_are_whole_rows_spread_over_it() {
        let windows = Windows {
            count: 2,
            elements: 7,
        };
        let sample = SampleBox {
            part: Selection::whole(&[10, 3]),
            chunk: vec![10, 3],
            tried: Tried::Windows(windows),
        };
        let values: Vec<u8> = (0..30).collect();
        let found = sample.in_chunks(values, 1);
        assert_eq!(found, [(6..12).collect::<Vec<u8>>(), (18..24).collect()]);
        assert_eq!(sample.elements(), 14);
    }

    #[test]
    fn values_come_chunk_by_chunk() {
        let sample = SampleBox {
            part: Selection {
                start: vec![5, 6, 7],
                count: vec![3, 2, 4],
            },
            chunk: vec![2, 1, 2],
            tried: Tried::All,
        };
        let values: Vec<u8> = (0..24).collect();
        let wanted = [
            0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
        ];
        assert_eq!(sample.in_order(values.clone(), 1), wanted);
        // What is not a whole chunk says nothing.
        let chunks = sample.in_chunks(values, 1);
        assert_eq!(chunks[..2], [wanted[..4].to_vec(), wanted[4..8].to_vec()]);
    }
}
