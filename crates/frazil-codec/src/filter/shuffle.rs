//! Byte shuffle (filter 2): byte k of every element forms plane k.
//!
//! Source: `H5Zshuffle.c`. Bytes left over after the last whole element follow unshuffled; elements
//! of one byte and single elements stay as they are.

use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::buffer::fill_uninit;
use crate::simd::Simd;

/// Elements of uncommon sizes moved at a time, so that a block of them stays in the nearest cache.
const BLOCK_ELEMENTS: usize = 256;

/// Direction of the transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Elements to planes.
    Shuffle,
    /// Planes to elements.
    Unshuffle,
}

/// Replaces the content of `out` by `data` transformed; `out` gets the length of `data`.
#[expect(unsafe_code, reason = "fills a fresh buffer without zeroing it first")]
pub(crate) fn transform(
    direction: Direction,
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    out: &mut Vec<u8>,
) {
    let fill = |target: &mut [MaybeUninit<u8>]| {
        transform_into(direction, simd, element_bytes, data, target);
        Ok::<usize, std::convert::Infallible>(data.len())
    };
    // SAFETY: `transform_into` initialises every byte of `target`, which is as long as `data`.
    let Ok(()) = unsafe { fill_uninit(out, data.len(), fill) };
}

/// Overwrites `target` by `data` transformed; both have the same length.
#[expect(
    unsafe_code,
    reason = "views initialised bytes as possibly uninitialised ones"
)]
pub(crate) fn transform_slice(
    direction: Direction,
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    target: &mut [u8],
) {
    let pointer = target.as_mut_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: same memory, same layout; `transform_into` only ever writes initialised bytes to it.
    let target = unsafe { std::slice::from_raw_parts_mut(pointer, target.len()) };
    transform_into(direction, simd, element_bytes, data, target);
}

/// Writes `data` transformed to `target`, every byte of it.
///
/// Both have the same length; bytes past it are left alone.
fn transform_into(
    direction: Direction,
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    target: &mut [MaybeUninit<u8>],
) {
    let target = &mut target[..data.len()];
    let elements = data.len().checked_div(element_bytes).unwrap_or(0);
    if element_bytes <= 1 || elements <= 1 {
        copy(data, target);
        return;
    }
    let whole = elements * element_bytes;
    copy(&data[whole..], &mut target[whole..]);
    let (data, target) = (&data[..whole], &mut target[..whole]);
    let done = vectors(direction, simd, element_bytes, data, target);
    let rest = done..elements;
    match (direction, element_bytes) {
        (Direction::Shuffle, 2) => shuffle_sized::<2>(data, target, rest),
        (Direction::Shuffle, 4) => shuffle_sized::<4>(data, target, rest),
        (Direction::Shuffle, 8) => shuffle_sized::<8>(data, target, rest),
        (Direction::Shuffle, _) => shuffle_any(element_bytes, data, target, rest),
        (Direction::Unshuffle, 2) => unshuffle_sized::<2>(data, target, rest),
        (Direction::Unshuffle, 4) => unshuffle_sized::<4>(data, target, rest),
        (Direction::Unshuffle, 8) => unshuffle_sized::<8>(data, target, rest),
        (Direction::Unshuffle, _) => unshuffle_any(element_bytes, data, target, rest),
    }
}

/// Lets a vector kernel do the first elements; returns how many it did.
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "only x86-64 has kernels of its own")
)]
fn vectors(
    direction: Direction,
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    target: &mut [MaybeUninit<u8>],
) -> usize {
    match simd {
        Simd::Portable => 0,
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => avx2::transform(direction, element_bytes, data, target),
    }
}

fn copy(data: &[u8], target: &mut [MaybeUninit<u8>]) {
    for (to, &byte) in target.iter_mut().zip(data) {
        to.write(byte);
    }
}

type Range = std::ops::Range<usize>;

fn shuffle_sized<const S: usize>(data: &[u8], target: &mut [MaybeUninit<u8>], range: Range) {
    let elements = data.len() / S;
    let (cells, _) = data.as_chunks::<S>();
    for (k, plane) in target.chunks_exact_mut(elements).enumerate() {
        let moved = plane[range.clone()].iter_mut().zip(&cells[range.clone()]);
        for (byte, cell) in moved {
            byte.write(cell[k]);
        }
    }
}

fn unshuffle_sized<const S: usize>(data: &[u8], target: &mut [MaybeUninit<u8>], range: Range) {
    let elements = data.len() / S;
    let planes: [&[u8]; S] =
        std::array::from_fn(|k| &data[k * elements + range.start..k * elements + range.end]);
    let (cells, _) = target.as_chunks_mut::<S>();
    for (i, cell) in cells[range].iter_mut().enumerate() {
        for k in 0..S {
            cell[k].write(planes[k][i]);
        }
    }
}

fn shuffle_any(element_bytes: usize, data: &[u8], target: &mut [MaybeUninit<u8>], range: Range) {
    let elements = data.len() / element_bytes;
    for start in range.clone().step_by(BLOCK_ELEMENTS) {
        let end = range.end.min(start + BLOCK_ELEMENTS);
        for k in 0..element_bytes {
            for i in start..end {
                target[k * elements + i].write(data[i * element_bytes + k]);
            }
        }
    }
}

fn unshuffle_any(element_bytes: usize, data: &[u8], target: &mut [MaybeUninit<u8>], range: Range) {
    let elements = data.len() / element_bytes;
    for start in range.clone().step_by(BLOCK_ELEMENTS) {
        let end = range.end.min(start + BLOCK_ELEMENTS);
        for k in 0..element_bytes {
            for i in start..end {
                target[i * element_bytes + k].write(data[k * elements + i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(direction: Direction, simd: Simd, element_bytes: usize, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        transform(direction, simd, element_bytes, data, &mut out);
        out
    }

    #[test]
    fn planes_and_leftover_are_where_hdf5_puts_them() {
        let data: Vec<u8> = (0..10).collect();
        let planes = run(Direction::Shuffle, Simd::Portable, 4, &data);
        assert_eq!(planes, [0, 4, 1, 5, 2, 6, 3, 7, 8, 9]);
        assert_eq!(run(Direction::Shuffle, Simd::Portable, 8, &data), data);
        assert_eq!(run(Direction::Shuffle, Simd::Portable, 1, &data), data);
        assert_eq!(run(Direction::Shuffle, Simd::Portable, 0, &data), data);
    }

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same_bytes(
            element_bytes in prop_oneof![Just(2_usize), Just(4), Just(8), 1_usize..40],
            data in proptest::collection::vec(any::<u8>(), 0..5000),
        ) {
            let planes = run(Direction::Shuffle, Simd::Portable, element_bytes, &data);
            for simd in Simd::available() {
                prop_assert_eq!(&run(Direction::Shuffle, simd, element_bytes, &data), &planes);
                prop_assert_eq!(&run(Direction::Unshuffle, simd, element_bytes, &planes), &data);
            }
        }
    }
}
