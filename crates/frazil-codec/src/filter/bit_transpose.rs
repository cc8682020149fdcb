//! Bit transpose, as in bitshuffle (filter 32008) and Blosc.
//!
//! Of n elements (a multiple of 8), bit b of byte k of all elements forms row 8k + b of n/8 bytes,
//! the first element in the lowest bit. It takes three steps that each run at memory speed: elements
//! are shuffled into byte planes, every 8 bytes of a plane are transposed as an 8x8 bit matrix, and
//! the resulting cells are shuffled into eight rows. Undoing it takes the same steps backwards.

use super::shuffle::{Direction, transform_slice};
use crate::simd::Simd;

/// Elements are transposed in groups of this many.
pub(crate) const GROUP: usize = 8;

/// Transposes the bits of `data` (whole groups of elements) into `out` of the same length.
///
/// `work` is memory to work in.
pub(crate) fn transpose(
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    out: &mut [u8],
    work: &mut Vec<u8>,
) {
    let elements = data.len() / element_bytes.max(1);
    if elements == 0 {
        return;
    }
    work.resize(work.len().max(data.len()), 0);
    let planes = &mut work[..data.len()];
    transform_slice(Direction::Shuffle, simd, element_bytes, data, planes);
    transpose_cells(simd, planes);
    let rows = out.chunks_exact_mut(elements);
    for (rows, plane) in rows.zip(planes.chunks_exact(elements)) {
        transform_slice(Direction::Shuffle, simd, GROUP, plane, rows);
    }
}

/// Undoes the bit transpose of `data` (whole groups of elements) into `out` of the same length.
///
/// `work` is memory to work in.
pub(crate) fn untranspose(
    simd: Simd,
    element_bytes: usize,
    data: &[u8],
    out: &mut [u8],
    work: &mut Vec<u8>,
) {
    let elements = data.len() / element_bytes.max(1);
    if elements == 0 {
        return;
    }
    work.resize(work.len().max(data.len()), 0);
    let planes = &mut work[..data.len()];
    let rows = data.chunks_exact(elements);
    for (rows, plane) in rows.zip(planes.chunks_exact_mut(elements)) {
        transform_slice(Direction::Unshuffle, simd, GROUP, rows, plane);
    }
    transpose_cells(simd, planes);
    transform_slice(Direction::Unshuffle, simd, element_bytes, planes, out);
}

/// Transposes every 8 bytes as a bit matrix.
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls the same code compiled for AVX2")
)]
fn transpose_cells(simd: Simd, cells: &mut [u8]) {
    match simd {
        Simd::Portable => transpose_cells_here(cells),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Simd::Avx2` is made only where AVX2 was detected.
        Simd::Avx2 => unsafe { transpose_cells_avx2(cells) },
    }
}

/// # Safety
/// AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn transpose_cells_avx2(cells: &mut [u8]) {
    transpose_cells_here(cells);
}

#[inline(always)]
fn transpose_cells_here(cells: &mut [u8]) {
    for cell in cells.as_chunks_mut::<GROUP>().0 {
        *cell = transpose8(u64::from_le_bytes(*cell)).to_le_bytes();
    }
}

/// Transposes an 8x8 bit matrix: bit j of byte i becomes bit i of byte j. (H. S. Warren, Hacker's
/// Delight, section 7-3.)
#[inline(always)]
fn transpose8(mut x: u64) -> u64 {
    let mut swap = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= swap ^ (swap << 7);
    swap = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= swap ^ (swap << 14);
    swap = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ swap ^ (swap << 28)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, bit by bit.
    fn by_definition(element_bytes: usize, data: &[u8]) -> Vec<u8> {
        let elements = data.len() / element_bytes;
        let mut rows = vec![0; data.len()];
        for i in 0..elements {
            for bit in 0..8 * element_bytes {
                let value = data[i * element_bytes + bit / 8] >> (bit % 8) & 1;
                rows[bit * (elements / 8) + i / 8] |= value << (i % 8);
            }
        }
        rows
    }

    proptest! {
        #[test]
        fn every_instruction_set_transposes_and_undoes_it(
            element_bytes in 1_usize..20,
            groups in 0_usize..80,
            seed in any::<u64>(),
        ) {
            let mut state = seed;
            let data: Vec<u8> = (0..element_bytes * groups * 8)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            let rows = by_definition(element_bytes, &data);
            let mut work = Vec::new();
            for simd in Simd::available() {
                let mut back = vec![0; data.len()];
                transpose(simd, element_bytes, &data, &mut back, &mut work);
                prop_assert_eq!(&back, &rows);
                untranspose(simd, element_bytes, &rows, &mut back, &mut work);
                prop_assert_eq!(&back, &data);
            }
        }
    }
}
