//! Whole arrays cut into chunks.

use frazil_types::ChunkGrid;

/// One axis of a copy: `count` steps of these byte distances.
#[derive(Clone, Copy)]
struct Axis {
    count: usize,
    from_stride: usize,
    to_stride: usize,
}

/// Chunk `index` of an array whose `values` are all there, row-major; what sticks out of the array
/// is `fill`, one element.
pub(crate) fn cut(values: &[u8], grid: &ChunkGrid, index: u64, fill: &[u8]) -> Vec<u8> {
    let valid = grid.valid_box(index);
    let mut chunk = fill.repeat(grid.chunk_elements() as usize);
    let (mut from_stride, mut to_stride, mut from_start) = (fill.len(), fill.len(), 0);
    let mut axes = Vec::with_capacity(valid.count.len());
    for axis in (0..valid.count.len()).rev() {
        let count = valid.count[axis] as usize;
        axes.push(Axis {
            count,
            from_stride,
            to_stride,
        });
        from_start += valid.start[axis] as usize * from_stride;
        from_stride *= grid.shape()[axis] as usize;
        to_stride *= grid.chunk()[axis] as usize;
    }
    axes.reverse();
    copy_box(&values[from_start..], &mut chunk, &axes, fill.len());
    chunk
}

/// Copies a box of elements, slowest axis first.
fn copy_box(from: &[u8], to: &mut [u8], axes: &[Axis], element_bytes: usize) {
    match axes {
        [] => to[..element_bytes].copy_from_slice(&from[..element_bytes]),
        [line] => {
            let bytes = line.count * element_bytes;
            to[..bytes].copy_from_slice(&from[..bytes]);
        }
        [axis, inner @ ..] => {
            for step in 0..axis.count {
                let (from, to) = (
                    &from[step * axis.from_stride..],
                    &mut to[step * axis.to_stride..],
                );
                copy_box(from, to, inner, element_bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_their_part_of_the_array_and_fill_beyond_it() {
        let grid = ChunkGrid::new(&[2, 3, 5], &[1, 2, 3]).unwrap();
        let values: Vec<u8> = (0..30_u16).flat_map(u16::to_be_bytes).collect();
        let elements = |index| -> Vec<u8> {
            let chunk = cut(&values, &grid, index, &[0, 99]);
            assert_eq!(chunk.len(), 12);
            chunk.into_iter().skip(1).step_by(2).collect()
        };
        assert_eq!(elements(0), [0, 1, 2, 5, 6, 7]);
        assert_eq!(elements(3), [13, 14, 99, 99, 99, 99]);
        assert_eq!(elements(5), [18, 19, 99, 23, 24, 99]);
    }

    #[test]
    fn a_scalar_is_one_chunk() {
        let grid = ChunkGrid::new(&[], &[]).unwrap();
        assert_eq!(cut(&[1, 2], &grid, 0, &[0, 0]), [1, 2]);
    }
}
