//! Chunk-grid geometry: which chunk holds which elements.

use std::ops::Range;

use crate::{AxisSelection, Selection};

/// Axes of a dataset at most (`H5S_MAX_RANK`).
pub const MAX_RANK: usize = 32;

/// An array's shape cut into equal chunks; chunks at the upper edges stick out and are padded.
///
/// Chunks are numbered row-major over the grid. Scalars have one chunk of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkGrid {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    chunks_per_axis: Vec<u64>,
}

impl ChunkGrid {
    /// A grid over `shape` (elements) with chunks of `chunk` (elements, none of them 0).
    ///
    /// Returns `None` if the lengths differ, a chunk extent is 0, or a count overflows `u64`.
    #[must_use]
    pub fn new(shape: &[u64], chunk: &[u64]) -> Option<Self> {
        if shape.len() != chunk.len() || chunk.contains(&0) {
            return None;
        }
        let chunks_per_axis: Vec<u64> = shape
            .iter()
            .zip(chunk)
            .map(|(&extent, &step)| extent.div_ceil(step))
            .collect();
        chunks_per_axis
            .iter()
            .try_fold(1_u64, |product, &n| product.checked_mul(n))?;
        chunk
            .iter()
            .try_fold(1_u64, |product, &n| product.checked_mul(n))?;
        Some(Self {
            shape: shape.to_vec(),
            chunk: chunk.to_vec(),
            chunks_per_axis,
        })
    }

    /// The array's shape in elements.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The chunk shape in elements.
    #[must_use]
    pub fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// Number of chunks along each axis.
    #[must_use]
    pub fn chunks_per_axis(&self) -> &[u64] {
        &self.chunks_per_axis
    }

    /// Number of chunks in the whole grid (allocated or not).
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        self.chunks_per_axis.iter().product()
    }

    /// Elements in one whole chunk.
    #[must_use]
    pub fn chunk_elements(&self) -> u64 {
        self.chunk.iter().product()
    }

    /// Grid coordinates of chunk `index`.
    #[must_use]
    pub fn indices(&self, index: u64) -> Vec<u64> {
        let mut rest = index;
        let mut indices = vec![0; self.chunk.len()];
        for axis in (0..self.chunk.len()).rev() {
            let n = self.chunks_per_axis[axis].max(1);
            indices[axis] = rest % n;
            rest /= n;
        }
        indices
    }

    /// Linear number of the chunk at grid coordinates `indices`.
    #[must_use]
    pub fn linear(&self, indices: &[u64]) -> u64 {
        indices
            .iter()
            .zip(&self.chunks_per_axis)
            .fold(0, |sum, (&i, &n)| sum * n + i)
    }

    /// Linear number of the chunk that begins at element `offset`; `None` if no chunk begins there.
    #[must_use]
    pub fn index_of_offset(&self, offset: &[u64]) -> Option<u64> {
        if offset.len() != self.chunk.len() {
            return None;
        }
        let mut index = 0;
        for axis in 0..offset.len() {
            let i = offset[axis] / self.chunk[axis];
            if !offset[axis].is_multiple_of(self.chunk[axis]) || i >= self.chunks_per_axis[axis] {
                return None;
            }
            index = index * self.chunks_per_axis[axis] + i;
        }
        Some(index)
    }

    /// Chunks from the first to the last that a selection touches, and all numbers between; `None` if it touches none.
    #[must_use]
    pub fn span(&self, selections: &[AxisSelection]) -> Option<Range<u64>> {
        let (mut first, mut last) = (0, 0);
        for (axis, selection) in selections.iter().enumerate().take(self.chunk.len()) {
            let (from, to) = selection.span()?;
            if from >= self.shape[axis] {
                return None;
            }
            let to = to.min(self.shape[axis] - 1);
            first = first * self.chunks_per_axis[axis] + from / self.chunk[axis];
            last = last * self.chunks_per_axis[axis] + to / self.chunk[axis];
        }
        Some(first..last + 1)
    }

    /// First element of chunk `index`.
    #[must_use]
    pub fn offset(&self, index: u64) -> Vec<u64> {
        self.indices(index)
            .iter()
            .zip(&self.chunk)
            .map(|(&i, &step)| i * step)
            .collect()
    }

    /// The whole box of chunk `index`, padding included: it may reach past the array's shape.
    #[must_use]
    pub fn chunk_box(&self, index: u64) -> Selection {
        Selection {
            start: self.offset(index),
            count: self.chunk.clone(),
        }
    }

    /// The part of chunk `index` that lies inside the array.
    #[must_use]
    pub fn valid_box(&self, index: u64) -> Selection {
        let start = self.offset(index);
        let count = (0..start.len())
            .map(|axis| self.chunk[axis].min(self.shape[axis].saturating_sub(start[axis])))
            .collect();
        Selection { start, count }
    }

    /// Whether chunk `index` sticks out of the array.
    #[must_use]
    pub fn is_partial_edge(&self, index: u64) -> bool {
        self.valid_box(index).count != self.chunk
    }

    /// First and last (inclusive) grid coordinate touched by a box along each axis; `None` if the
    /// box is empty or lies outside the array.
    #[must_use]
    pub fn touched(&self, selection: &Selection) -> Option<Vec<(u64, u64)>> {
        let inside = selection.intersect(&Selection::whole(&self.shape))?;
        Some(
            (0..self.chunk.len())
                .map(|axis| {
                    let first = inside.start[axis] / self.chunk[axis];
                    let last = (inside.start[axis] + inside.count[axis] - 1) / self.chunk[axis];
                    (first, last)
                })
                .collect(),
        )
    }

    /// Linear numbers of all chunks a box touches, in row-major order.
    #[must_use]
    pub fn chunks_in(&self, selection: &Selection) -> Vec<u64> {
        let Some(ranges) = self.touched(selection) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut cursor: Vec<u64> = ranges.iter().map(|&(first, _)| first).collect();
        loop {
            found.push(self.linear(&cursor));
            let mut axis = cursor.len();
            loop {
                if axis == 0 {
                    return found;
                }
                axis -= 1;
                if cursor[axis] < ranges[axis].1 {
                    cursor[axis] += 1;
                    break;
                }
                cursor[axis] = ranges[axis].0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_of_a_selection_holds_every_chunk_that_it_touches() {
        let grid = ChunkGrid::new(&[10, 7], &[2, 3]).unwrap();
        let map = [AxisSelection::dense(5, 1), AxisSelection::all(7)];
        assert_eq!(grid.span(&map), Some(6..9));
        let lists = [AxisSelection::List(vec![9, 2]), AxisSelection::dense(3, 1)];
        assert_eq!(grid.span(&lists), Some(4..14));
        let beyond = [AxisSelection::dense(10, 2), AxisSelection::all(7)];
        assert_eq!(grid.span(&beyond), None);
        let partly = [AxisSelection::dense(8, 9), AxisSelection::dense(0, 1)];
        assert_eq!(grid.span(&partly), Some(12..13));
    }

    #[test]
    fn edge_chunks_are_clipped_to_the_array() {
        let grid = ChunkGrid::new(&[5, 7], &[2, 4]).unwrap();
        assert_eq!(grid.chunks_per_axis(), [3, 2]);
        assert_eq!(grid.valid_box(5).count, [1, 3]);
        assert!(grid.is_partial_edge(5) && !grid.is_partial_edge(0));
        assert_eq!(grid.index_of_offset(&[4, 4]), Some(5));
        assert_eq!(grid.index_of_offset(&[1, 0]), None);
    }

    #[test]
    fn a_box_touches_the_chunks_it_overlaps() {
        let grid = ChunkGrid::new(&[6, 6], &[2, 3]).unwrap();
        let middle = Selection {
            start: vec![1, 2],
            count: vec![3, 2],
        };
        assert_eq!(grid.chunks_in(&middle), [0, 1, 2, 3]);
        let outside = Selection {
            start: vec![6, 0],
            count: vec![1, 1],
        };
        assert!(grid.chunks_in(&outside).is_empty());
    }

    #[test]
    fn a_scalar_has_one_chunk() {
        let grid = ChunkGrid::new(&[], &[]).unwrap();
        assert_eq!(grid.chunk_count(), 1);
        assert_eq!(grid.chunks_in(&Selection::whole(&[])), [0]);
    }

    #[test]
    fn counts_that_overflow_are_refused() {
        assert!(ChunkGrid::new(&[u64::MAX, u64::MAX], &[1, 1]).is_none());
        assert!(ChunkGrid::new(&[4], &[0]).is_none());
    }
}
