//! Small windows from all over a variable that is stored as it is: by them a prediction knows how its samples differ
//! from the rest.
//!
//! Where the input has filters, the stored bytes of its chunks tell as much, and nothing has to be read for that.

use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::ArraySource;
use frazil_types::ChunkGrid;

use crate::sample_boxes::{SampleBox, chosen, cut_where};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::sources::Stored;

/// Of one window: enough for a fast compressor to tell noise from what is smooth.
const WINDOW_BYTES: u64 = 4 << 10;
const MOST_WINDOWS: u64 = 512;
/// Fewer say less than the samples.
const LEAST_WINDOWS: u64 = 32;
/// All windows together are no more than one byte in so many of the variable,
const SHARE: u64 = 8;
/// and no more is read for them: a window lies in longer runs, of which a variable has so many at most.
const MOST_READ_BYTES: u64 = 64 << 20;
const RUNS: u64 = 4096;

/// Windows of chunks of the output, spread over all of them; none where the variable has filters or is small.
pub(crate) fn sample_windows(
    variable: &DatasetInfo,
    chunk: Option<&[u64]>,
    source: &ArraySource,
    stored: &Stored,
) -> Vec<SampleBox> {
    let raw_bytes = variable.raw_bytes().unwrap_or(0);
    let run_bytes = (raw_bytes / RUNS).max(WINDOW_BYTES);
    let count = (raw_bytes / SHARE / WINDOW_BYTES)
        .min(MOST_READ_BYTES / run_bytes)
        .min(MOST_WINDOWS);
    let grid = chunk.and_then(|chunk| ChunkGrid::new(&variable.shape, chunk));
    let Some(grid) = grid.filter(|_| source.decoder.is_identity() && count >= LEAST_WINDOWS) else {
        return Vec::new();
    };
    let holding = ChunkSubset::holding(&grid, source, stored);
    let elements = WINDOW_BYTES / variable.element.size_bytes.max(1) as u64;
    let chunks = chosen(&grid, &holding, count as usize);
    let of_each = count / (chunks.len() as u64).max(1);
    let numbered = chunks.iter().enumerate().flat_map(|(i, &chunk)| {
        (0..of_each).map(move |window| (chunk, i as u64 * of_each + window))
    });
    numbered
        .map(|(chunk, number)| {
            let part = grid.valid_box(chunk);
            cut_where(part, elements.max(1), |axis, room| {
                scattered(number, axis, room)
            })
        })
        .collect()
}

/// A place from 0 to `room`: those of consecutive numbers fill space evenly in up to three axes (the sequence R3 of
/// Martin Roberts, in units of 2^-32).
fn scattered(number: u64, axis: usize, room: u64) -> u64 {
    const STEPS: [u64; 3] = [3_518_319_154, 2_882_110_345, 2_360_945_575];
    let place = (number + 1).wrapping_mul(STEPS[axis % STEPS.len()]) & 0xFFFF_FFFF;
    // Below `room + 1`, since `place` lies below 2^32.
    ((u128::from(place) * (u128::from(room) + 1)) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_reach_every_part_of_a_chunk() {
        let mut seen = [[0; 4]; 4];
        for number in 0..160 {
            let [x, y] = [0, 1].map(|axis| scattered(number, axis, 399) / 100);
            seen[x as usize][y as usize] += 1;
        }
        let counts = seen.as_flattened();
        assert!(
            counts.iter().all(|count| (7..=13).contains(count)),
            "{seen:?}"
        );
        assert_eq!(scattered(7, 0, 0), 0);
    }
}
