//! Into which boxes a variable is cut to count its pairs.

use frazil_types::{ChunkGrid, Selection};

use frazil_file::sources;

/// Smaller tiles are not worth a task of their own.
const LEAST_BYTES: u64 = 256 << 10;
/// Larger ones do not make anything faster.
const MOST_BYTES: u64 = 8 << 20;
/// Every thread should get so many tiles, where there are as many.
const TILES_PER_THREAD: u64 = 4;

/// Bytes of a tile of a variable of `raw_bytes`, such that every thread can hold several.
pub(super) fn tile_bytes(raw_bytes: u64, memory_bytes: u64, threads: usize) -> u64 {
    let threads = threads.max(1) as u64;
    let fair = raw_bytes / (TILES_PER_THREAD * threads);
    let allowed = (memory_bytes / (8 * threads)).max(64 << 10);
    fair.clamp(LEAST_BYTES, MOST_BYTES).min(allowed)
}

/// Tiles, each of which also looks at the first plane of the next one along an axis.
#[derive(Debug, Clone)]
pub(super) struct Tiles {
    grid: ChunkGrid,
    axis: usize,
}

/// One tile.
#[derive(Debug, Clone)]
pub(super) struct Tile {
    /// Its box, with the next tile's first plane.
    pub(super) part: Selection,
    /// Whether there is a next tile along the axis.
    pub(super) overlaps: bool,
    /// Elements without that plane.
    pub(super) elements: u64,
}

impl Tiles {
    /// Tiles of about `bytes` for arrays with these chunks (`None`: contiguous data), as long as
    /// they can be along the axis, so that few planes are looked at twice. `None` if they are
    /// beyond counting.
    pub(super) fn new(
        shape: &[u64],
        chunk: Option<&[u64]>,
        element_bytes: usize,
        axis: usize,
        bytes: u64,
    ) -> Option<Self> {
        let size = element_bytes as u64;
        let mut tile: Vec<u64> = match chunk {
            None => sources::slab_shape(shape, size, None),
            Some(chunk) => chunk
                .iter()
                .zip(shape)
                .map(|(&c, &n)| c.clamp(1, n.max(1)))
                .collect(),
        };
        let volume = |tile: &[u64]| tile.iter().fold(size, |p, &n| p.saturating_mul(n)).max(1);
        let order = std::iter::once(axis).chain((0..shape.len()).rev());
        for i in order {
            let factor = (bytes / volume(&tile)).max(1);
            tile[i] = tile[i].saturating_mul(factor).min(shape[i].max(1));
        }
        let last = (0..shape.len()).filter(|&i| i != axis).chain([axis]);
        for i in last {
            while tile[i] > 1 && volume(&tile) > bytes {
                tile[i] = tile[i].div_ceil(2);
            }
        }
        let grid = ChunkGrid::new(shape, &tile)?;
        Some(Self { grid, axis })
    }

    pub(super) fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    pub(super) fn count(&self) -> u64 {
        self.grid.chunk_count()
    }

    /// Whether chunks are cut, so that several tiles need the same one.
    pub(super) fn cut_chunks(&self, chunk: &[u64]) -> bool {
        let axes = self.grid.chunk().iter().zip(self.grid.shape()).zip(chunk);
        axes.into_iter()
            .any(|((&tile, &n), &chunk)| tile < n && !tile.is_multiple_of(chunk.max(1)))
    }

    /// The tile of this linear number in the grid.
    pub(super) fn tile_at(&self, linear: u64) -> Tile {
        self.tile_of(&self.grid.indices(linear))
    }

    /// The tile of this number; along the axis, one follows the other.
    pub(super) fn tile(&self, number: u64) -> Tile {
        let along = self.grid.chunks_per_axis()[self.axis].max(1);
        let (mut rest, place) = (number / along, number % along);
        let mut indices = vec![0; self.grid.shape().len()];
        for i in (0..indices.len()).rev() {
            if i == self.axis {
                indices[i] = place;
            } else {
                let n = self.grid.chunks_per_axis()[i].max(1);
                indices[i] = rest % n;
                rest /= n;
            }
        }
        self.tile_of(&indices)
    }

    fn tile_of(&self, indices: &[u64]) -> Tile {
        let mut part = self.grid.valid_box(self.grid.linear(indices));
        let elements = part.elements().unwrap_or(0);
        let overlaps = indices[self.axis] + 1 < self.grid.chunks_per_axis()[self.axis];
        part.count[self.axis] += u64::from(overlaps);
        Tile {
            part,
            overlaps,
            elements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_array_once_and_overlap_along_the_axis() {
        for axis in 0..3 {
            let tiles = Tiles::new(&[50, 70, 30], Some(&[4, 9, 30]), 4, axis, 20_000).unwrap();
            let all: Vec<Tile> = (0..tiles.count()).map(|n| tiles.tile(n)).collect();
            assert_eq!(all.iter().map(|t| t.elements).sum::<u64>(), 50 * 70 * 30);
            for pair in all.windows(2) {
                let end = pair[0].part.start[axis] + pair[0].part.count[axis];
                if pair[0].overlaps {
                    assert_eq!(end, pair[1].part.start[axis] + 1);
                } else {
                    assert_eq!(end, [50, 70, 30][axis]);
                }
            }
        }
    }

    #[test]
    fn tiles_are_long_along_the_axis_and_no_larger_than_requested() {
        let tiles = Tiles::new(&[1000, 200, 300], Some(&[1, 200, 300]), 4, 0, 8 << 20).unwrap();
        assert_eq!(tiles.grid().chunk(), [34, 200, 300]);
        assert!(!tiles.cut_chunks(&[1, 200, 300]));
        let huge = Tiles::new(&[4000, 4000], Some(&[4000, 4000]), 8, 1, 1 << 20).unwrap();
        assert_eq!(huge.grid().chunk(), [32, 4000]);
        assert!(huge.cut_chunks(&[4000, 4000]));
        let contiguous = Tiles::new(&[1 << 30], None, 8, 0, 4 << 20).unwrap();
        assert_eq!(contiguous.grid().chunk(), [1 << 19]);
    }

    #[test]
    fn small_variables_are_shared_out() {
        assert_eq!(tile_bytes(8 << 20, 256 << 20, 4), 512 << 10);
        assert_eq!(tile_bytes(1 << 40, 256 << 20, 4), 8 << 20);
        assert_eq!(tile_bytes(1 << 40, 4 << 20, 4), 128 << 10);
    }
}
