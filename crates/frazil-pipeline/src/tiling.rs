//! How often a source chunk will be asked for, and when next.

use std::collections::HashSet;
use std::sync::Arc;

use frazil_types::{ChunkGrid, Selection};

/// Which tiles of a [`TilingHint`] will be asked for.
#[derive(Debug, Clone)]
pub enum WantedTiles {
    /// Every one, once.
    All,
    /// These linear tile numbers, once each.
    Some(Arc<HashSet<u64>>),
}

/// A promise about the tasks to come: their `Values` requests are the tiles of a grid.
///
/// From it follows how many requests will need a source chunk, hence how long its decoded form is
/// worth keeping. A promise that is not kept costs time (chunks decoded again, or kept until they
/// are evicted), never correctness.
#[derive(Debug, Clone)]
pub struct TilingHint {
    /// Destination chunk grid, over the shape of the source.
    pub grid: ChunkGrid,
    /// Which of its chunks will be asked for.
    pub wanted: WantedTiles,
}

impl TilingHint {
    /// Number of wanted tiles that overlap `part`, a box inside the array.
    #[must_use]
    pub fn uses(&self, part: &Selection) -> u64 {
        let Some(ranges) = self.grid.touched(part) else {
            return 0;
        };
        let cells = ranges.iter().fold(1, |cells: u64, &(first, last)| {
            cells.saturating_mul(last - first + 1)
        });
        match &self.wanted {
            WantedTiles::All => cells,
            WantedTiles::Some(tiles) if (tiles.len() as u64) < cells => {
                let inside = |tile: &&u64| {
                    let at = self.grid.indices(**tile);
                    at.iter()
                        .zip(&ranges)
                        .all(|(i, (first, last))| (first..=last).contains(&i))
                };
                tiles.iter().filter(inside).count() as u64
            }
            WantedTiles::Some(tiles) => {
                let cells = self.grid.chunks_in(part);
                cells.iter().filter(|tile| tiles.contains(tile)).count() as u64
            }
        }
    }

    /// The tile after that of `current` that overlaps `part`, if tiles are asked for in row-major
    /// order; `u64::MAX` if there is none.
    pub(crate) fn next_use(&self, part: &Selection, current: &Selection) -> u64 {
        let (Some(ranges), Some(at)) = (self.grid.touched(part), self.grid.touched(current)) else {
            return u64::MAX;
        };
        let mut cursor: Vec<u64> = at.iter().map(|&(first, _)| first).collect();
        for axis in (0..cursor.len()).rev() {
            if cursor[axis] < ranges[axis].1 {
                cursor[axis] += 1;
                return self.grid.linear(&cursor);
            }
            cursor[axis] = ranges[axis].0;
        }
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(wanted: WantedTiles) -> TilingHint {
        TilingHint {
            grid: ChunkGrid::new(&[10, 10], &[4, 3]).unwrap(),
            wanted,
        }
    }

    #[test]
    fn uses_count_the_tiles_that_overlap() {
        let all = hint(WantedTiles::All);
        assert_eq!(all.uses(&Selection::new(&[0, 0], &[4, 3])), 1);
        assert_eq!(all.uses(&Selection::new(&[3, 2], &[2, 5])), 2 * 3);
        assert_eq!(all.uses(&Selection::new(&[0, 0], &[10, 10])), 3 * 4);
    }

    #[test]
    fn uses_of_a_subset_count_its_members_only() {
        // Tiles of the 3 x 4 grid; the part overlaps tiles (0..=1, 0..=2).
        let few = hint(WantedTiles::Some(Arc::new(HashSet::from([1, 6, 11]))));
        assert_eq!(few.uses(&Selection::new(&[3, 2], &[2, 5])), 2);
        let many = hint(WantedTiles::Some(Arc::new((1..12).collect())));
        assert_eq!(many.uses(&Selection::new(&[3, 2], &[2, 5])), 5);
    }

    #[test]
    fn the_next_use_is_the_next_overlapping_tile_in_row_major_order() {
        let all = hint(WantedTiles::All);
        let straddling = Selection::new(&[3, 2], &[2, 2]);
        assert_eq!(
            all.next_use(&straddling, &Selection::new(&[0, 0], &[4, 3])),
            1
        );
        assert_eq!(
            all.next_use(&straddling, &Selection::new(&[0, 3], &[4, 3])),
            4
        );
        assert_eq!(
            all.next_use(&straddling, &Selection::new(&[4, 0], &[4, 3])),
            5
        );
        assert_eq!(
            all.next_use(&straddling, &Selection::new(&[4, 3], &[4, 3])),
            u64::MAX
        );
    }
}
