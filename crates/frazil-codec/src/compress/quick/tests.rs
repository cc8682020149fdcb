//! Streams must decode, whatever went in, and be small where that is easy.

use proptest::prelude::*;

use super::*;
use crate::buffer::OutputSize;
use crate::compress::deflate::{Deflate, adler32};

fn encoded(quick: &mut Quick, raw: &[u8]) -> Vec<u8> {
    let mut stored = Vec::new();
    quick.encode(raw, adler32(raw), &mut stored);
    stored
}

fn check(quick: &mut Quick, raw: &[u8]) -> usize {
    let stored = encoded(quick, raw);
    assert!(
        stored.len() <= encode_bound(raw.len()),
        "{} bytes",
        raw.len()
    );
    let mut back = Vec::new();
    let size = OutputSize::Exact(raw.len());
    Deflate::default().decode(&stored, &mut back, size).unwrap();
    assert!(back == raw, "{} bytes by libdeflate", raw.len());
    // A second decoder, which shares nothing with the first.
    let back = miniz_oxide::inflate::decompress_to_vec_zlib(&stored).unwrap();
    assert!(back == raw, "{} bytes by miniz", raw.len());
    stored.len()
}

/// Pseudorandom bytes.
fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..bytes).map(step).collect()
}

#[test]
fn lengths_around_borders_come_back() {
    let mut quick = Quick::default();
    let noise = noise(LARGEST_BLOCK_BYTES + 100, 7);
    let mut lengths: Vec<usize> = (0..40).chain(250..270).collect();
    for border in [SECTION_BYTES, 65_535, LARGEST_BLOCK_BYTES] {
        lengths.extend(border - 9..border + 9);
    }
    for bytes in lengths {
        check(&mut quick, &vec![0; bytes]);
        check(&mut quick, &noise[..bytes]);
        let few: Vec<u8> = noise[..bytes].iter().map(|byte| byte & 3).collect();
        check(&mut quick, &few);
    }
}

#[test]
fn what_is_easy_gets_small() {
    let mut quick = Quick::default();
    let raw = noise(1 << 20, 3);
    assert!(check(&mut quick, &raw) < raw.len() + raw.len() / 1000);
    assert!(check(&mut quick, &vec![9; 1 << 20]) < 2000);
    let two_bits: Vec<u8> = raw.iter().map(|byte| byte & 3).collect();
    // Codes of exactly two bits leave no place for runs; a fifth more.
    assert!(check(&mut quick, &two_bits) < (1 << 18) * 6 / 5);
    let repeated: Vec<u8> = raw[..20_000]
        .iter()
        .copied()
        .cycle()
        .take(1 << 20)
        .collect();
    assert!(check(&mut quick, &repeated) < 50_000);
    let text: Vec<u8> = (0..40_000)
        .flat_map(|i| format!("{i}, ").into_bytes())
        .collect();
    assert!(check(&mut quick, &text) < text.len() / 2);
}

#[test]
fn the_same_bytes_come_out_whatever_came_before() {
    let mut used = Quick::default();
    for seed in 1..8 {
        let bytes = 30_000 * seed as usize;
        let raw: Vec<u8> = noise(bytes, seed).iter().map(|byte| byte & 0x13).collect();
        assert!(encoded(&mut used, &raw) == encoded(&mut Quick::default(), &raw));
    }
}

#[test]
fn places_are_forgotten_before_their_numbers_run_out() {
    let mut quick = Quick::default();
    let raw: Vec<u8> = noise(50_000, 5).iter().map(|byte| byte & 7).collect();
    let expected = encoded(&mut Quick::default(), &raw);
    quick.matcher.begin(u32::MAX as usize - 120_000);
    for _ in 0..5 {
        assert!(encoded(&mut quick, &raw) == expected);
    }
}

proptest! {
    #[test]
    fn mixtures_come_back(
        parts in prop::collection::vec((0_u8..6, 1_usize..40_000, any::<u64>()), 1..6)
    ) {
        let mut raw = Vec::new();
        for (kind, bytes, seed) in parts {
            let noise = noise(bytes, seed);
            match kind {
                0 => raw.resize(raw.len() + bytes, seed as u8),
                1 => raw.extend(noise),
                2 => raw.extend(noise.iter().map(|byte| byte & 7)),
                3 => raw.extend(noise.iter().map(|byte| if *byte < 250 { 0 } else { *byte })),
                4 => raw.extend(noise.iter().take(500).copied().cycle().take(bytes)),
                _ => {
                    let from = raw.len().saturating_sub(32_768);
                    let again: Vec<u8> = raw[from..].iter().take(bytes).copied().collect();
                    raw.extend(again);
                }
            }
        }
        check(&mut Quick::default(), &raw);
    }
}
