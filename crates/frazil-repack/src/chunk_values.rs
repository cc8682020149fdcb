//! Values of an array, put into the order of its chunks.

use frazil_types::{ChunkGrid, Selection};

/// Values of an array of these extents, chunk by chunk; those at its ends may be smaller.
pub(crate) fn chunks_of(
    values: &[u8],
    extents: &[u64],
    chunk: &[u64],
    element_bytes: usize,
) -> Vec<Vec<u8>> {
    let Some(grid) = ChunkGrid::new(extents, chunk) else {
        return Vec::new();
    };
    let numbers = 0..grid.chunk_count();
    let boxes = numbers.map(|index| grid.valid_box(index));
    boxes
        .map(|part| {
            let mut piece = Vec::new();
            append(&mut piece, values, extents, &part, element_bytes);
            piece
        })
        .collect()
}

/// Appends a part of an array of these extents, row by row.
pub(crate) fn append(
    to: &mut Vec<u8>,
    values: &[u8],
    extents: &[u64],
    part: &Selection,
    element_bytes: usize,
) {
    let last = extents.len() - 1;
    let run = part.count[last] as usize * element_bytes;
    let mut rows = part.count.clone();
    rows[last] = 1;
    let Some(rows) = ChunkGrid::new(&rows, &vec![1; rows.len()]) else {
        return;
    };
    for row in (0..rows.chunk_count()).map(|row| rows.offset(row)) {
        let place = (0..extents.len()).fold(0, |place, axis| {
            place * extents[axis] + part.start[axis] + row[axis]
        });
        let begin = place as usize * element_bytes;
        to.extend_from_slice(&values[begin..begin + run]);
    }
}
