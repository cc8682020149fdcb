//! Into which boxes rounded variables are cut: whole horizontal slices where they fit.
//!
//! Tiles depend on the memory allowed, not on the number of threads, since sums over tiles do.

use super::super::tiles::{self, TileLimits};

/// Tiles are at least this large, if slices and memory allow.
const WANTED_BYTES: u64 = 4 << 20;
/// No tile is smaller than this.
const LEAST_BYTES: u64 = 64 << 10;

/// A tile shape and whether its slices are whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SliceTile {
    pub shape: Vec<u64>,
    pub is_whole: bool,
}

/// The tile shape for a variable of `shape` with these chunks on both sides (`None`: contiguous).
pub(crate) fn tile_shape(
    shape: &[u64],
    chunks: [Option<&[u64]>; 2],
    element_bytes: u64,
    memory_bytes: u64,
) -> SliceTile {
    let most = (memory_bytes / 8).max(LEAST_BYTES);
    let wanted = WANTED_BYTES.min(memory_bytes / 32).max(LEAST_BYTES);
    let rank = shape.len();
    let leading = rank.saturating_sub(2);
    let mut tile: Vec<u64> = shape.iter().map(|&n| n.max(1)).collect();
    tile[..leading].fill(1);
    let slice_bytes = bytes_of(&tile, element_bytes);
    if rank < 2 || slice_bytes > most || is_scattered(shape, chunks, slice_bytes, memory_bytes) {
        let max_bytes = if rank < 2 {
            (wanted / 8).max(LEAST_BYTES)
        } else {
            most.min(4 * wanted)
        };
        let shape_of_parts =
            tiles::tile_shape(shape, chunks, element_bytes, TileLimits { max_bytes });
        let is_whole = rank < 2 || shape_of_parts[leading..] == shape[leading..];
        return SliceTile {
            shape: shape_of_parts,
            is_whole,
        };
    }
    for axis in (0..leading).rev() {
        let step = chunk_extent(chunks, axis).min(shape[axis].max(1));
        let bytes = bytes_of(&tile, element_bytes);
        let fitting = (most / bytes).max(1);
        if step > fitting {
            tile[axis] = fitting.min(step);
            break;
        }
        let steps = (wanted / bytes / step).max(1);
        tile[axis] = step.saturating_mul(steps).min(shape[axis].max(1));
        if tile[axis] < shape[axis] {
            break;
        }
    }
    SliceTile {
        shape: tile,
        is_whole: true,
    }
}

/// Whether the chunks that one slice touches are too much to keep in memory: each of them would be
/// decoded again for every slice.
fn is_scattered(
    shape: &[u64],
    chunks: [Option<&[u64]>; 2],
    slice_bytes: u64,
    memory_bytes: u64,
) -> bool {
    let leading = shape.len().saturating_sub(2);
    let together = |chunk: &&[u64]| {
        let steps = chunk.iter().zip(shape).take(leading);
        steps.fold(slice_bytes, |bytes, (&step, &n)| {
            bytes.saturating_mul(step.clamp(1, n.max(1)))
        })
    };
    let touched: u64 = chunks
        .iter()
        .flatten()
        .map(together)
        .fold(0, u64::saturating_add);
    touched > memory_bytes / 2
}

/// The larger chunk extent along an axis.
fn chunk_extent(chunks: [Option<&[u64]>; 2], axis: usize) -> u64 {
    let extents = chunks.iter().flatten().map(|chunk| chunk[axis].max(1));
    extents.max().unwrap_or(1)
}

fn bytes_of(tile: &[u64], element_bytes: u64) -> u64 {
    tile.iter()
        .fold(element_bytes, |product, &n| product.saturating_mul(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: u64 = 256 << 20;

    #[test]
    fn tiles_hold_whole_slices() {
        let tile = tile_shape(
            &[100, 50, 180, 360],
            [Some(&[1, 50, 60, 90]), None],
            4,
            MEMORY,
        );
        assert!(tile.is_whole);
        assert_eq!(tile.shape[2..], [180, 360]);
        assert!(tile.shape[1] > 1, "{tile:?}");
        assert_eq!(
            tile_shape(&[], [None, None], 4, MEMORY).shape,
            Vec::<u64>::new()
        );
        let line = tile_shape(&[1 << 30], [None, Some(&[1 << 20])], 8, MEMORY);
        assert!(
            line.is_whole && line.shape[0] * 8 <= WANTED_BYTES,
            "{line:?}"
        );
    }

    #[test]
    fn what_does_not_fit_is_cut_into_parts() {
        for (shape, chunk) in [
            ([10, 20_000, 20_000], [1, 1000, 1000]),
            ([8000, 1000, 1000], [8000, 10, 10]),
        ] {
            let tile = tile_shape(&shape, [Some(&chunk), Some(&chunk)], 4, MEMORY);
            assert!(!tile.is_whole, "{tile:?}");
            assert!(bytes_of(&tile.shape, 4) <= MEMORY / 8);
        }
    }

    #[test]
    fn a_tile_holds_whole_chunks_where_they_fit() {
        let chunk = [12_u64, 100, 100];
        let tile = tile_shape(&[120, 200, 400], [Some(&chunk), Some(&chunk)], 4, MEMORY);
        assert_eq!(tile.shape[0] % 12, 0, "{tile:?}");
    }
}
