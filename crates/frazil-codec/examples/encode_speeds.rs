//! What one core encodes and decodes with each filter, on smooth float32 fields of 256 KiB: where the
//! constants of frazil-plan's goals come from.
//!
//! `cargo run --release -p frazil-codec --example encode_speeds`

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for people who change constants"
)]

use std::time::{Duration, Instant};

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_types::{ByteOrder, DeflateEncoder, ElementClass, ElementType, FilterChain, filter_id};

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
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0
    };
    let mut values = Vec::new();
    for time in 0..SHAPE[0] {
        for y in 0..SHAPE[1] {
            for x in 0..SHAPE[2] {
                let (time, y, x) = (time as f32, y as f32, x as f32);
                let wave = (x / 40.0 + time / 3.0).sin() * (y / 25.0).cos();
                values.push(280.0 + 15.0 * wave + 0.02 * noise());
            }
        }
    }
    values.into_iter().flat_map(f32::to_le_bytes).collect()
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
    let mut scratch = Scratch::default();
    let zstd = |chain: &str| -> Vec<String> {
        let levels = [1, 3, 9, 15, 19, 22];
        levels
            .iter()
            .map(|level| format!("{chain}({level})"))
            .collect()
    };
    let mut chains: Vec<String> = vec!["lz4".into(), "shuffle+lz4".into(), "bitshuffle+lz4".into()];
    chains.extend(zstd("zstd"));
    chains.extend(zstd("shuffle+zstd"));
    chains.extend(zstd("bitshuffle+zstd"));
    chains.extend(zstd("delta+shuffle+zstd"));
    chains.extend(zstd("lorenzo+shuffle+zstd"));
    chains.extend([4, 8, 12].map(|level| format!("pcodec({level})")));
    chains.extend(["blosc(lz4)", "blosc(zstd)", "szip"].map(str::to_owned));
    let mut lines: Vec<(String, FilterChain, Option<DeflateEncoder>)> = Vec::new();
    for level in [1, 4, 6, 9, 12] {
        for before in ["", "shuffle+"] {
            let chain = format!("{before}deflate({})", level.min(9));
            let encoder = DeflateEncoder::Libdeflate(level);
            lines.push((
                format!("{before}libdeflate {level}"),
                chain.parse().unwrap(),
                Some(encoder),
            ));
        }
    }
    lines.extend(chains.into_iter().map(|text| {
        let chain = text.parse().unwrap();
        (text, chain, None)
    }));
    println!(
        "{:28} {:>8} {:>12} {:>12}",
        "", "share", "encode MB/s", "decode MB/s"
    );
    for (name, chain, deflate) in lines {
        let pipeline = chain.resolve(ELEMENT, &SHAPE);
        let deflate = deflate.filter(|_| pipeline.contains(filter_id::DEFLATE));
        let encoder = BoundEncoder::bind(&pipeline, deflate, 4, raw.len()).unwrap();
        let decoder = BoundDecoder::bind(&pipeline, 4, raw.len()).unwrap();
        let stored = encoder.encode(&raw, &mut scratch).unwrap();
        let encoding = seconds(|| drop(encoder.encode(&raw, &mut scratch)));
        let decoding = seconds(|| drop(decoder.decode(&stored, 0, &mut scratch)));
        let megabytes = raw.len() as f64 / 1e6;
        println!(
            "{name:28} {:8.3} {:12.0} {:12.0}",
            stored.len() as f64 / raw.len() as f64,
            megabytes / encoding,
            megabytes / decoding
        );
    }
}
