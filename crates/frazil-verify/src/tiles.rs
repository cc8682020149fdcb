//! Into which boxes two arrays of one shape are cut to compare them.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use frazil_pipeline::{TilingHint, WantedTiles};
use frazil_types::{ChunkGrid, ChunkRecord};

use frazil_file::sources;

/// Smaller tiles are not worth a task of their own.
const MIN_TILE_BYTES: u64 = 256 << 10;
/// Larger tiles do not make anything faster.
const MAX_TILE_BYTES: u64 = 16 << 20;
/// More tiles than this are not listed: all tiles are visited instead.
const MAX_LISTED_TILES: u64 = 1 << 22;

/// What limits the size of tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileLimits {
    pub(super) max_bytes: u64,
}

impl TileLimits {
    /// So small that every thread can hold both sides of several tiles.
    pub(super) fn new(memory_bytes: u64, threads: usize) -> Self {
        let share = memory_bytes / (8 * threads.max(1) as u64);
        Self {
            max_bytes: share.clamp(64 << 10, MAX_TILE_BYTES),
        }
    }
}

/// The tiles of a pair of variables, and which of them have to be looked at.
#[derive(Debug, Clone)]
pub(super) struct Tiling {
    pub(super) grid: ChunkGrid,
    /// Linear numbers in ascending order; `None`: all.
    wanted: Option<Arc<Vec<u64>>>,
}

impl Tiling {
    /// Tiles to look at when only these chunks of these grids are stored (`None`: everything is).
    pub(super) fn new(grid: ChunkGrid, stored: [(&ChunkGrid, Option<&[ChunkRecord]>); 2]) -> Self {
        let wanted = listed(&grid, &stored).map(Arc::new);
        Self { grid, wanted }
    }

    /// The promise to the pipeline that the tiles make.
    pub(super) fn hint(&self) -> TilingHint {
        let wanted = match &self.wanted {
            None => WantedTiles::All,
            Some(list) => {
                WantedTiles::Some(Arc::new(list.iter().copied().collect::<HashSet<u64>>()))
            }
        };
        TilingHint {
            grid: self.grid.clone(),
            wanted,
        }
    }

    /// Numbers of up to `most` tiles to look at, evenly spread.
    pub(super) fn spread(&self, most: u64) -> Vec<u64> {
        let all = match &self.wanted {
            None => self.grid.chunk_count(),
            Some(list) => list.len() as u64,
        };
        let number = |i: u64| match &self.wanted {
            None => i,
            Some(list) => list[i as usize],
        };
        let count = most.min(all);
        let pick = |k: u64| u128::from(all) * (2 * u128::from(k) + 1) / (2 * u128::from(count));
        (0..count).map(|k| number(pick(k) as u64)).collect()
    }

    /// Numbers of the tiles to look at, ascending.
    pub(super) fn numbers(&self) -> Box<dyn Iterator<Item = u64> + Send> {
        match &self.wanted {
            None => Box::new(0..self.grid.chunk_count()),
            Some(list) => {
                let list = Arc::clone(list);
                Box::new((0..list.len()).map(move |i| list[i]))
            }
        }
    }
}

/// Tiles touched by stored chunks; `None` if that is all of them, or too many to list.
fn listed(
    grid: &ChunkGrid,
    stored: &[(&ChunkGrid, Option<&[ChunkRecord]>); 2],
) -> Option<Vec<u64>> {
    let mut bound = 0_u64;
    for (chunks, records) in stored {
        for record in records.as_ref()?.iter() {
            let ranges = grid.touched(&chunks.valid_box(record.index))?;
            let cells = ranges.iter().fold(1_u64, |cells, &(first, last)| {
                cells.saturating_mul(last - first + 1)
            });
            bound = bound.saturating_add(cells);
            if bound > MAX_LISTED_TILES {
                return None;
            }
        }
    }
    let mut tiles = BTreeSet::new();
    for (chunks, records) in stored {
        for record in records.as_ref()?.iter() {
            tiles.extend(grid.chunks_in(&chunks.valid_box(record.index)));
        }
    }
    Some(tiles.into_iter().collect())
}

/// The tile shape for arrays with these chunk shapes (`None`: contiguous data, cut anywhere).
pub(super) fn tile_shape(
    shape: &[u64],
    chunks: [Option<&[u64]>; 2],
    element_bytes: u64,
    limits: TileLimits,
) -> Vec<u64> {
    let mut tile = match chunks {
        [None, None] => sources::slab_shape(shape, element_bytes, None),
        [Some(chunk), None] | [None, Some(chunk)] => clip(chunk, shape),
        [Some(a), Some(b)] => common_tile(
            &clip(a, shape),
            &clip(b, shape),
            shape,
            element_bytes,
            limits,
        ),
    };
    let wanted = MIN_TILE_BYTES.min(limits.max_bytes);
    for axis in (0..tile.len()).rev() {
        let bytes = bytes_of(&tile, element_bytes).max(1);
        if bytes >= wanted {
            break;
        }
        let factor = wanted.div_ceil(bytes).min(limits.max_bytes / bytes);
        tile[axis] = tile[axis].saturating_mul(factor).min(shape[axis].max(1));
    }
    for axis in 0..tile.len() {
        while tile[axis] > 1 && bytes_of(&tile, element_bytes) > limits.max_bytes {
            tile[axis] = tile[axis].div_ceil(2);
        }
    }
    tile
}

fn clip(chunk: &[u64], shape: &[u64]) -> Vec<u64> {
    chunk
        .iter()
        .zip(shape)
        .map(|(&step, &extent)| step.clamp(1, extent.max(1)))
        .collect()
}

fn bytes_of(tile: &[u64], element_bytes: u64) -> u64 {
    tile.iter()
        .fold(element_bytes, |product, &n| product.saturating_mul(n))
}

/// A tile of whole chunks of both sides where it can be had, else of the side with larger chunks.
fn common_tile(
    a: &[u64],
    b: &[u64],
    shape: &[u64],
    element_bytes: u64,
    limits: TileLimits,
) -> Vec<u64> {
    let larger_first = bytes_of(a, element_bytes) >= bytes_of(b, element_bytes);
    let (mut tile, other) = if larger_first {
        (a.to_vec(), b)
    } else {
        (b.to_vec(), a)
    };
    for axis in (0..tile.len()).rev() {
        let before = tile[axis];
        tile[axis] = common_multiple(before, other[axis]).min(shape[axis].max(1));
        if bytes_of(&tile, element_bytes) > limits.max_bytes {
            tile[axis] = before;
        }
    }
    tile
}

fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TileLimits = TileLimits { max_bytes: 8 << 20 };

    fn record(index: u64) -> ChunkRecord {
        ChunkRecord {
            index,
            filter_mask: 0,
            address: 0,
            stored_bytes: 1,
        }
    }

    #[test]
    fn tiles_hold_whole_chunks_of_both_sides() {
        let tile = tile_shape(
            &[100, 600, 600],
            [Some(&[4, 60, 60]), Some(&[6, 90, 40])],
            8,
            LIMITS,
        );
        for chunk in [[4, 60, 60], [6, 90, 40]] {
            assert!(tile.iter().zip(chunk).all(|(t, c)| t % c == 0), "{tile:?}");
        }
        assert!(bytes_of(&tile, 8) <= LIMITS.max_bytes);
    }

    #[test]
    fn small_chunks_are_taken_together_and_large_ones_cut() {
        let tile = tile_shape(&[1000, 1000], [Some(&[10, 10]), None], 4, LIMITS);
        assert!(
            bytes_of(&tile, 4) >= MIN_TILE_BYTES && tile[1] == 1000,
            "{tile:?}"
        );
        let tile = tile_shape(
            &[1 << 12, 1 << 12],
            [Some(&[1 << 12, 1 << 12]), None],
            4,
            LIMITS,
        );
        assert_eq!(bytes_of(&tile, 4), LIMITS.max_bytes);
        assert_eq!(tile_shape(&[], [None, None], 4, LIMITS), Vec::<u64>::new());
    }

    #[test]
    fn only_tiles_with_stored_chunks_are_visited() {
        let chunks = ChunkGrid::new(&[100, 100], &[10, 10]).unwrap();
        let tiles = ChunkGrid::new(&[100, 100], &[20, 100]).unwrap();
        let (some, none) = ([record(25), record(33)], []);
        let stored = [
            (&chunks, Some(some.as_slice())),
            (&chunks, Some(none.as_slice())),
        ];
        let tiling = Tiling::new(tiles.clone(), stored);
        assert_eq!(tiling.numbers().collect::<Vec<_>>(), [1]);
        let stored = [(&chunks, Some(some.as_slice())), (&tiles, None)];
        let tiling = Tiling::new(tiles.clone(), stored);
        assert_eq!(tiling.numbers().count(), 5);
    }
}
