//! Repeatable random bit patterns (splitmix64), as `golden/quantize.py` makes them.

use super::rounding::Pattern;

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The i-th random number, counted from 1.
pub(crate) fn random(i: u64) -> u64 {
    mix(i.wrapping_mul(GAMMA))
}

/// Any bit patterns: normal numbers, subnormals, infinities, NaN; every sixteenth is one of those
/// that are never touched or lies at the end of the scale.
pub(crate) fn any_patterns<P: Pattern>(seed: u64, count: usize) -> Vec<P> {
    let corners = corner_patterns::<P>();
    let pattern = |i: usize| {
        let number = random(seed.wrapping_mul(1 << 40).wrapping_add(i as u64 + 1));
        match number >> 60 {
            0 => corners[number as usize % corners.len()],
            _ => P::from_random(number),
        }
    };
    (0..count).map(pattern).collect()
}

/// Zeros, subnormals, the ends of the scale, infinities, NaN with payloads, fill values.
pub(crate) fn corner_patterns<P: Pattern>() -> Vec<P> {
    let words: &[u64] = match P::BYTES {
        4 => &[
            0,
            0x8000_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x0080_0001,
            0x00ff_ffff,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f7f_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7f80_0001,
            0xffff_ffff,
            0xc61c_3c00,
            0x7cf0_0000,
            0x3f7f_ffff,
            0x3f80_0000,
        ],
        _ => &[
            0,
            1 << 63,
            1,
            (1 << 63) | 1,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x0010_0000_0000_0001,
            0x7fef_ffff_ffff_ffff,
            0xffef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0xffff_ffff_ffff_ffff,
            0xc0c3_8780_0000_0000,
            0x479e_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x3ff0_0000_0000_0000,
        ],
    };
    words.iter().map(|word| P::from_random(*word)).collect()
}
