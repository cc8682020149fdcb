//! Chunks of a variable that are read to be encoded for a comparison.

use frazil_pipeline::{Request, Task};
use frazil_types::ChunkGrid;

/// Small chunks travel together until they make up this many raw bytes.
const BATCH_BYTES: u64 = 256 << 10;

/// Tasks that read chunks of a grid, by number, as they will be packed: with what sticks out of the array. `meta` gets
/// the chunks of one task, in whose order its blocks come.
pub(crate) fn chunk_batches<M>(
    source: usize,
    (grid, element_bytes): (&ChunkGrid, usize),
    chunks: &[u64],
    meta: impl Fn(Vec<u64>) -> M,
) -> Vec<Task<M>> {
    let elements = grid.chunk_elements();
    let chunk_bytes = elements.saturating_mul(element_bytes as u64).max(1);
    let task = |chunks: &[u64]| Task {
        requests: (chunks.iter())
            .map(|&number| Request::Values {
                source,
                selection: grid.chunk_box(number),
            })
            .collect(),
        output_bytes: chunk_bytes.saturating_mul(2 * chunks.len() as u64),
        meta: meta(chunks.to_vec()),
    };
    let together = (BATCH_BYTES / chunk_bytes).max(1) as usize;
    chunks.chunks(together).map(task).collect()
}
