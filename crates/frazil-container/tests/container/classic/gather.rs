//! Values read back through slabs.

use frazil_container::classic::ClassicFile;
use frazil_types::Selection;

/// Swaps between native and big-endian elements.
pub(crate) fn swap_native_and_big(bytes: &[u8], size: usize) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        return bytes.to_vec();
    }
    bytes
        .chunks_exact(size)
        .flat_map(|element| element.iter().rev())
        .copied()
        .collect()
}

/// All values of a variable as stored, gathered slab by slab from the file's bytes. Checks what
/// [`Slabs::extent`](frazil_container::classic::Slabs::extent) promises on the way.
pub(crate) fn gather(
    file: &ClassicFile,
    contents: &[u8],
    position: usize,
    target_bytes: u64,
    preferred_leading: Option<u64>,
) -> Vec<u8> {
    let location = &file.locations()[position];
    let size = location.element().size_bytes;
    let slabs = location.slabs(target_bytes, preferred_leading).unwrap();
    let grid = slabs.grid();
    assert_eq!(grid.shape(), location.shape());
    let mut gathered = vec![0; location.data_bytes().unwrap() as usize];
    let mut covered = 0;
    for index in 0..grid.chunk_count() {
        let extent = slabs.extent(index).unwrap();
        let inside: Selection = grid.valid_box(index);
        let bytes = extent.total_bytes().unwrap();
        assert_eq!(bytes, inside.elements().unwrap() * size as u64);
        if !grid.is_partial_edge(index) {
            assert_eq!(bytes, grid.chunk_elements() * size as u64);
        }
        let before = inside
            .start
            .iter()
            .zip(grid.shape())
            .fold(0, |sum, (&at, &n)| sum * n + at);
        let mut to = before as usize * size;
        for segment in 0..extent.segments {
            let from = (extent.address + segment * extent.stride_bytes) as usize;
            let length = extent.segment_bytes as usize;
            gathered[to..to + length].copy_from_slice(&contents[from..from + length]);
            to += length;
        }
        covered += bytes;
    }
    assert_eq!(slabs.extent(grid.chunk_count()), None);
    assert_eq!(covered, gathered.len() as u64);
    gathered
}
