//! What one core takes to encode pieces of 4 to 256 KiB of a smooth float32 field with each candidate, and to decode
//! the largest: what the constants of `candidates.rs` should say. Speeds are those of 256 KiB; what small pieces take
//! beside their bytes are set-ups.
//!
//! `cargo run --release -p frazil-plan --example candidate_speeds`; a word behind ` -- ` leaves those that have it in their
//! name.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for people who change constants"
)]

use std::time::{Duration, Instant};

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_plan::{candidates, sample_shape, zlib_candidates};
use frazil_types::{ByteOrder, ElementClass, ElementType};

const SHAPE: [u64; 3] = [4, 64, 256];
const ELEMENT: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};
/// Least time of a measurement.
const LEAST: Duration = Duration::from_millis(100);

/// Waves with a little noise, as model output has them.
fn field() -> Vec<u8> {
    let mut state = 1_u32;
    let mut values = Vec::new();
    for index in 0..SHAPE.iter().product() {
        let (x, y) = (index % SHAPE[2], index / SHAPE[2] % SHAPE[1]);
        let time = index / (SHAPE[1] * SHAPE[2]);
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let noise = (state >> 8) as f32 / 16_777_216.0;
        let wave = (x as f32 / 40.0 + time as f32 / 3.0).sin() * (y as f32 / 25.0).cos();
        values.extend((280.0 + 15.0 * wave + 0.02 * noise).to_le_bytes());
    }
    values
}

/// Seconds of one call, the least of several rounds.
fn seconds(mut body: impl FnMut()) -> f64 {
    let (mut least, start) = (f64::INFINITY, Instant::now());
    while start.elapsed() < LEAST {
        let round = Instant::now();
        body();
        least = least.min(round.elapsed().as_secs_f64());
    }
    least
}

/// Whole rows of the field: what small samples are.
const ROWS: [u64; 4] = [4, 16, 64, 256];

fn main() {
    let all = field();
    let mut scratch = Scratch::default();
    println!(
        "{:28} {:>8} {:>12} {:>40}",
        "", "share", "decode MB/s", "encode microseconds of 4, 16, 64, 256 KiB"
    );
    let word = std::env::args().nth(1).unwrap_or_default();
    let all_candidates = candidates().iter().chain(zlib_candidates());
    for candidate in all_candidates.filter(|one| one.name().contains(&word)) {
        let mut encoding = Vec::new();
        let (mut share, mut decoding) = (0.0, 0.0);
        for rows in ROWS {
            let bytes = (rows * SHAPE[2] * 4) as usize;
            let raw = &all[..bytes];
            let shape = sample_shape(rows * SHAPE[2], &SHAPE);
            let pipeline = candidate.chain().resolve(ELEMENT, &shape);
            let encoder = BoundEncoder::bind(&pipeline, candidate.encoder(), 4, raw.len()).unwrap();
            let decoder = BoundDecoder::bind(&pipeline, 4, raw.len()).unwrap();
            let stored = encoder.encode(raw, &mut scratch).unwrap();
            encoding.push(1e6 * seconds(|| drop(encoder.encode(raw, &mut scratch))));
            let megabytes = raw.len() as f64 / 1e6;
            decoding = megabytes / seconds(|| drop(decoder.decode(&stored, 0, &mut scratch)));
            share = stored.len() as f64 / raw.len() as f64;
        }
        println!(
            "{:28} {share:8.3} {decoding:12.0} {:9.1} {:9.1} {:9.1} {:9.1}",
            candidate.name(),
            encoding[0],
            encoding[1],
            encoding[2],
            encoding[3],
        );
    }
}
