//! Damaged chunks give an error or bytes of the right length, never a panic or a large allocation.

use crate::common::{GoldenChunk, Random, golden_chunks};
use frazil_codec::{BoundDecoder, CodecError, Scratch};

/// Rounds of a test; more on request: `FRAZIL_FUZZ=100 cargo test --release --test codec hostile`.
fn rounds(count: usize) -> usize {
    let factor = std::env::var("FRAZIL_FUZZ")
        .ok()
        .and_then(|text| text.parse().ok());
    count * factor.unwrap_or(1)
}

/// Longest chunk that every truncation of is tried.
const SHORT_CHUNK: usize = 700;

fn check(chunk: &GoldenChunk, decoder: &BoundDecoder, stored: &[u8], scratch: &mut Scratch) {
    match decoder.decode(stored, chunk.filter_mask, scratch) {
        Ok(raw) => assert_eq!(raw.len(), chunk.raw.len(), "{}", chunk.name),
        Err(
            CodecError::Corrupt { .. } | CodecError::Checksum { .. } | CodecError::WrongSize { .. },
        ) => {}
        Err(other) => unreachable!("{}: {other}", chunk.name),
    }
}

#[test]
fn truncated_chunks_never_panic() {
    let mut scratch = Scratch::default();
    let mut random = Random(rounds(1) as u64);
    for chunk in golden_chunks() {
        let decoder = chunk.decoder();
        let length = chunk.stored.len();
        let cuts: Vec<usize> = if length <= SHORT_CHUNK {
            (0..length).collect()
        } else {
            (0..100)
                .chain((0..200).map(|_| random.below(length)))
                .collect()
        };
        for cut in cuts {
            check(&chunk, &decoder, &chunk.stored[..cut], &mut scratch);
        }
    }
}

#[test]
fn flipped_bits_never_panic() {
    let mut scratch = Scratch::default();
    let mut random = Random(2);
    for chunk in golden_chunks() {
        let decoder = chunk.decoder();
        for round in 0..rounds(300) {
            let mut stored = chunk.stored.clone();
            // Headers deserve more than their share.
            let reach = if round % 2 == 0 {
                stored.len().min(64)
            } else {
                stored.len()
            };
            for _ in 0..1 + random.below(3) {
                stored[random.below(reach)] ^= 1 << random.below(8);
            }
            check(&chunk, &decoder, &stored, &mut scratch);
        }
    }
}

#[test]
fn overwritten_runs_never_panic() {
    let mut scratch = Scratch::default();
    let mut random = Random(3);
    for chunk in golden_chunks() {
        let decoder = chunk.decoder();
        for _ in 0..rounds(100) {
            let mut stored = chunk.stored.clone();
            let start = random.below(stored.len());
            let end = (start + 1 + random.below(16)).min(stored.len());
            let byte = [0, 0xff, 0x7f, 0x80][random.below(4)];
            stored[start..end].fill(byte);
            check(&chunk, &decoder, &stored, &mut scratch);
        }
    }
}

#[test]
fn noise_never_panics() {
    let mut scratch = Scratch::default();
    let mut random = Random(4);
    for chunk in golden_chunks() {
        let decoder = chunk.decoder();
        for _ in 0..rounds(30) {
            let noise: Vec<u8> = (0..random.below(300))
                .map(|_| random.below(256) as u8)
                .collect();
            check(&chunk, &decoder, &noise, &mut scratch);
        }
    }
}

/// Numbers in client data values come from files as well.
#[test]
fn damaged_client_data_never_panic() {
    let mut scratch = Scratch::default();
    let mut random = Random(5);
    for chunk in golden_chunks() {
        for _ in 0..rounds(60) {
            let mut pipeline = chunk.pipeline.clone();
            let filters = pipeline.0.len();
            let values = &mut pipeline.0[random.below(filters)].cd_values;
            if values.is_empty() {
                continue;
            }
            let at = random.below(values.len());
            values[at] = match random.below(4) {
                0 => values[at] ^ (1 << random.below(32)),
                1 => random.below(70) as u32,
                2 => u32::MAX - random.below(3) as u32,
                _ => {
                    values.truncate(at);
                    continue;
                }
            };
            if let Ok(decoder) = BoundDecoder::bind(&pipeline, chunk.element_bytes, chunk.raw.len())
            {
                check(&chunk, &decoder, &chunk.stored, &mut scratch);
            }
        }
    }
}
