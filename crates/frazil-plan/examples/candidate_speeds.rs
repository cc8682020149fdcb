//! What one core encodes and decodes with each candidate, on a smooth float32 field of 256 KiB:
//! what the constants of `candidates.rs` should say.
//!
//! `cargo run --release -p frazil-plan --example candidate_speeds`

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for people who change constants"
)]

use std::time::{Duration, Instant};

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_plan::candidates;
use frazil_types::{ByteOrder, ElementClass, ElementType};

const SHAPE: [u64; 3] = [4, 64, 256];
const ELEMENT: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};
/// Least time of a measurement.
const LEAST: Duration = Duration::from_millis(400);

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

fn main() {
    let raw = field();
    let megabytes = raw.len() as f64 / 1e6;
    let mut scratch = Scratch::default();
    println!(
        "{:28} {:>8} {:>12} {:>12}",
        "", "share", "encode MB/s", "decode MB/s"
    );
    for candidate in candidates() {
        let (chain, deflate) = candidate.chain().unwrap();
        let pipeline = chain.resolve(ELEMENT, &SHAPE);
        let encoder = BoundEncoder::bind(&pipeline, deflate, 4, raw.len()).unwrap();
        let decoder = BoundDecoder::bind(&pipeline, 4, raw.len()).unwrap();
        let stored = encoder.encode(&raw, &mut scratch).unwrap();
        let encoding = seconds(|| drop(encoder.encode(&raw, &mut scratch)));
        let decoding = seconds(|| drop(decoder.decode(&stored, 0, &mut scratch)));
        println!(
            "{:28} {:8.3} {:12.0} {:12.0}",
            candidate.name(),
            stored.len() as f64 / raw.len() as f64,
            megabytes / encoding,
            megabytes / decoding
        );
    }
}
