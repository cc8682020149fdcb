//! AVX2 kernels of the byte shuffle for elements of 2, 4 and 8 bytes.
//!
//! Each step moves 32 elements. Within a vector, AVX2 unpacks its two 16-byte lanes separately, so
//! a last permutation puts the lanes in order.

#![expect(
    unsafe_code,
    reason = "vector intrinsics; every pointer stays inside the slices given"
)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::Direction;

/// Elements per step: one vector of each plane.
const STEP: usize = 32;

/// Transforms as many first elements as fill whole steps; returns how many were done.
///
/// `data` and `target` have the same length, a multiple of `element_bytes`.
pub(super) fn transform(
    direction: Direction,
    element_bytes: usize,
    data: &[u8],
    target: &mut [MaybeUninit<u8>],
) -> usize {
    if data.len() != target.len() || !std::arch::is_x86_feature_detected!("avx2") {
        return 0;
    }
    let (from, to) = (data.as_ptr(), target.as_mut_ptr().cast::<u8>());
    let elements = data.len() / element_bytes.max(1);
    // SAFETY: AVX2 is present; both pointers are valid for `elements * S` bytes, where S is the
    // element size of the kernel chosen, and do not overlap (one is borrowed mutably).
    unsafe {
        match (direction, element_bytes) {
            (Direction::Shuffle, 2) => shuffle2(from, to, elements),
            (Direction::Shuffle, 4) => shuffle4(from, to, elements),
            (Direction::Shuffle, 8) => shuffle8(from, to, elements),
            (Direction::Unshuffle, 2) => unshuffle2(from, to, elements),
            (Direction::Unshuffle, 4) => unshuffle4(from, to, elements),
            (Direction::Unshuffle, 8) => unshuffle8(from, to, elements),
            _ => return 0,
        }
    }
    elements - elements % STEP
}

/// # Safety
/// AVX2, and 32 readable bytes at `from`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load(from: *const u8) -> __m256i {
    // SAFETY: the caller vouches for 32 bytes; unaligned loads are allowed.
    unsafe { _mm256_loadu_si256(from.cast()) }
}

/// # Safety
/// AVX2, and 32 writable bytes at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store(to: *mut u8, vector: __m256i) {
    // SAFETY: the caller vouches for 32 bytes; unaligned stores are allowed.
    unsafe { _mm256_storeu_si256(to.cast(), vector) }
}

/// The same 16 byte indices for both lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn both_lanes(indices: [i8; 16]) -> __m256i {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = indices;
    _mm256_setr_epi8(
        a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a, b, c, d, e, f, g, h, i, j, k, l, m, n,
        o, p,
    )
}

/// # Safety
/// AVX2; `from` and `to` valid for `2 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn shuffle2(from: *const u8, to: *mut u8, elements: usize) {
    let split = both_lanes([0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]);
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 64 bytes are readable at 2 * i and 32 writable at i in
        // each of both planes.
        unsafe {
            let a = _mm256_shuffle_epi8(load(from.add(2 * i)), split);
            let b = _mm256_shuffle_epi8(load(from.add(2 * i + 32)), split);
            let low = _mm256_unpacklo_epi64(a, b);
            let high = _mm256_unpackhi_epi64(a, b);
            store(to.add(i), _mm256_permute4x64_epi64::<0b11_01_10_00>(low));
            store(
                to.add(elements + i),
                _mm256_permute4x64_epi64::<0b11_01_10_00>(high),
            );
        }
    }
}

/// # Safety
/// AVX2; `from` and `to` valid for `4 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn shuffle4(from: *const u8, to: *mut u8, elements: usize) {
    let split = both_lanes([0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 128 bytes are readable at 4 * i and 32 writable at i in
        // each of the four planes.
        unsafe {
            let mut v = [_mm256_setzero_si256(); 4];
            for (j, vector) in v.iter_mut().enumerate() {
                *vector = _mm256_shuffle_epi8(load(from.add(4 * i + 32 * j)), split);
            }
            let low01 = _mm256_unpacklo_epi32(v[0], v[1]);
            let low23 = _mm256_unpacklo_epi32(v[2], v[3]);
            let high01 = _mm256_unpackhi_epi32(v[0], v[1]);
            let high23 = _mm256_unpackhi_epi32(v[2], v[3]);
            let planes = [
                _mm256_unpacklo_epi64(low01, low23),
                _mm256_unpackhi_epi64(low01, low23),
                _mm256_unpacklo_epi64(high01, high23),
                _mm256_unpackhi_epi64(high01, high23),
            ];
            for (k, plane) in planes.into_iter().enumerate() {
                let sorted = _mm256_permutevar8x32_epi32(plane, order);
                store(to.add(k * elements + i), sorted);
            }
        }
    }
}

/// # Safety
/// AVX2; `from` and `to` valid for `8 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn shuffle8(from: *const u8, to: *mut u8, elements: usize) {
    let split = both_lanes([0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]);
    let weave = both_lanes([0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]);
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 256 bytes are readable at 8 * i and 32 writable at i in
        // each of the eight planes.
        unsafe {
            let mut v = [_mm256_setzero_si256(); 8];
            for (j, vector) in v.iter_mut().enumerate() {
                *vector = _mm256_shuffle_epi8(load(from.add(8 * i + 32 * j)), split);
            }
            for (k, plane) in transpose_words(v).into_iter().enumerate() {
                let lanes = _mm256_permute4x64_epi64::<0b11_01_10_00>(plane);
                store(to.add(k * elements + i), _mm256_shuffle_epi8(lanes, weave));
            }
        }
    }
}

/// Transposes, in each lane, eight vectors of eight 16-bit words.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose_words(v: [__m256i; 8]) -> [__m256i; 8] {
    let pairs: [[__m256i; 2]; 4] = std::array::from_fn(|j| {
        [
            _mm256_unpacklo_epi16(v[2 * j], v[2 * j + 1]),
            _mm256_unpackhi_epi16(v[2 * j], v[2 * j + 1]),
        ]
    });
    let mut planes = [_mm256_setzero_si256(); 8];
    for half in 0..2 {
        let low01 = _mm256_unpacklo_epi32(pairs[0][half], pairs[1][half]);
        let high01 = _mm256_unpackhi_epi32(pairs[0][half], pairs[1][half]);
        let low23 = _mm256_unpacklo_epi32(pairs[2][half], pairs[3][half]);
        let high23 = _mm256_unpackhi_epi32(pairs[2][half], pairs[3][half]);
        planes[4 * half] = _mm256_unpacklo_epi64(low01, low23);
        planes[4 * half + 1] = _mm256_unpackhi_epi64(low01, low23);
        planes[4 * half + 2] = _mm256_unpacklo_epi64(high01, high23);
        planes[4 * half + 3] = _mm256_unpackhi_epi64(high01, high23);
    }
    planes
}

/// Stores vectors whose low lanes hold the first 16 elements in order and high lanes the rest.
///
/// # Safety
/// AVX2, and `32 * N` writable bytes at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store_lanes<const N: usize>(to: *mut u8, v: [__m256i; N]) {
    for j in 0..N / 2 {
        let low = _mm256_permute2x128_si256::<0x20>(v[2 * j], v[2 * j + 1]);
        let high = _mm256_permute2x128_si256::<0x31>(v[2 * j], v[2 * j + 1]);
        // SAFETY: j < N / 2, so both stores end within 32 * N bytes.
        unsafe {
            store(to.add(32 * j), low);
            store(to.add(16 * N + 32 * j), high);
        }
    }
}

/// # Safety
/// AVX2; `from` and `to` valid for `2 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn unshuffle2(from: *const u8, to: *mut u8, elements: usize) {
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 32 bytes are readable at i in each plane and 64 writable
        // at 2 * i.
        unsafe {
            let p0 = load(from.add(i));
            let p1 = load(from.add(elements + i));
            let cells = [_mm256_unpacklo_epi8(p0, p1), _mm256_unpackhi_epi8(p0, p1)];
            store_lanes(to.add(2 * i), cells);
        }
    }
}

/// # Safety
/// AVX2; `from` and `to` valid for `4 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn unshuffle4(from: *const u8, to: *mut u8, elements: usize) {
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 32 bytes are readable at i in each plane and 128 writable
        // at 4 * i.
        unsafe {
            let mut p = [_mm256_setzero_si256(); 4];
            for (k, plane) in p.iter_mut().enumerate() {
                *plane = load(from.add(k * elements + i));
            }
            let low01 = _mm256_unpacklo_epi8(p[0], p[1]);
            let high01 = _mm256_unpackhi_epi8(p[0], p[1]);
            let low23 = _mm256_unpacklo_epi8(p[2], p[3]);
            let high23 = _mm256_unpackhi_epi8(p[2], p[3]);
            let cells = [
                _mm256_unpacklo_epi16(low01, low23),
                _mm256_unpackhi_epi16(low01, low23),
                _mm256_unpacklo_epi16(high01, high23),
                _mm256_unpackhi_epi16(high01, high23),
            ];
            store_lanes(to.add(4 * i), cells);
        }
    }
}

/// # Safety
/// AVX2; `from` and `to` valid for `8 * elements` bytes, not overlapping.
#[target_feature(enable = "avx2")]
unsafe fn unshuffle8(from: *const u8, to: *mut u8, elements: usize) {
    for i in (0..elements - elements % STEP).step_by(STEP) {
        // SAFETY: i + 32 <= elements, so 32 bytes are readable at i in each plane and 256 writable
        // at 8 * i.
        unsafe {
            let mut p = [_mm256_setzero_si256(); 8];
            for (k, plane) in p.iter_mut().enumerate() {
                *plane = load(from.add(k * elements + i));
            }
            store_lanes(to.add(8 * i), weave_bytes(p));
        }
    }
}

/// Turns, in each lane, eight planes of 16 bytes into 16 cells of eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn weave_bytes(p: [__m256i; 8]) -> [__m256i; 8] {
    let pairs: [[__m256i; 2]; 4] = std::array::from_fn(|j| {
        [
            _mm256_unpacklo_epi8(p[2 * j], p[2 * j + 1]),
            _mm256_unpackhi_epi8(p[2 * j], p[2 * j + 1]),
        ]
    });
    let mut cells = [_mm256_setzero_si256(); 8];
    for half in 0..2 {
        let low03 = _mm256_unpacklo_epi16(pairs[0][half], pairs[1][half]);
        let high03 = _mm256_unpackhi_epi16(pairs[0][half], pairs[1][half]);
        let low47 = _mm256_unpacklo_epi16(pairs[2][half], pairs[3][half]);
        let high47 = _mm256_unpackhi_epi16(pairs[2][half], pairs[3][half]);
        cells[4 * half] = _mm256_unpacklo_epi32(low03, low47);
        cells[4 * half + 1] = _mm256_unpackhi_epi32(low03, low47);
        cells[4 * half + 2] = _mm256_unpacklo_epi32(high03, high47);
        cells[4 * half + 3] = _mm256_unpackhi_epi32(high03, high47);
    }
    cells
}
