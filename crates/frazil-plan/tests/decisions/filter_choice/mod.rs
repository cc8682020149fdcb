//! Filters chosen on synthetic fields of known character.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod by_trial;
mod requests;
mod storage;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_plan::{
    CurrentStorage, FilterChoice, FilterOptions, Goal, SpeedFloor, choose_filters, sample_chunks,
    sample_plan, sample_window,
};
use frazil_types::{
    ByteOrder, DeflateEncoder, ElementClass, ElementType, FilterPipeline, FilterSpec, filter_id,
};

const CHUNK_BYTES: usize = 256 << 10;

const FLOAT32: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};

/// Deterministic noise: xorshift64*.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Uniform in [-1, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn waves(index: usize) -> f64 {
    let x = index as f64;
    250.0 + 40.0 * (x / 9000.0).sin() + 5.0 * (x / 310.0).cos()
}

/// Model output: smooth with a little noise, full mantissas.
fn smooth(elements: usize) -> Vec<u8> {
    let mut noise = Noise(1);
    (0..elements)
        .flat_map(|i| ((waves(i) + 0.05 * noise.unit()) as f32).to_le_bytes())
        .collect()
}

/// Reanalysis unpacked from 16-bit integers: few distinct values, busy mantissas.
fn unpacked(elements: usize) -> Vec<u8> {
    let mut noise = Noise(2);
    (0..elements)
        .flat_map(|i| {
            let packed = ((waves(i) - 250.0) * 20.0 + 6.0 * noise.unit()).round() as i16;
            (f32::from(packed) * 0.001_831_1 + 251.37).to_le_bytes()
        })
        .collect()
}

fn random(bytes: usize) -> Vec<u8> {
    let mut noise = Noise(3);
    (0..bytes).map(|_| (noise.next() >> 56) as u8).collect()
}

/// Samples as a caller takes them.
fn samples_of(data: &[u8], element_bytes: usize) -> Vec<Vec<u8>> {
    let bytes = data.len() as u64;
    let plan = sample_plan(bytes, CHUNK_BYTES as u64, bytes, Goal::Balanced);
    let chunks: Vec<&[u8]> = data.chunks(CHUNK_BYTES).collect();
    sample_chunks(chunks.len() as u64, plan.pieces)
        .into_iter()
        .map(|index| {
            let chunk = chunks[usize::try_from(index).unwrap()];
            chunk[sample_window(chunk.len(), element_bytes, plan.window_bytes)].to_vec()
        })
        .collect()
}

fn choose(
    data: &[u8],
    requests: &FilterOptions,
    current: Option<&CurrentStorage<'_>>,
) -> FilterChoice {
    let samples = samples_of(data, 4);
    let requests = &FilterOptions {
        chunk_bytes: requests.chunk_bytes.or(Some(CHUNK_BYTES as u64)),
        ..requests.clone()
    };
    choose_filters(
        &samples,
        FLOAT32,
        requests,
        current,
        &mut Scratch::default(),
    )
    .unwrap()
}

/// Stored bytes of all the data under a choice.
fn stored_bytes(
    data: &[u8],
    pipeline: &FilterPipeline,
    encoder: Option<DeflateEncoder>,
    element_bytes: usize,
) -> usize {
    let mut scratch = Scratch::default();
    data.chunks(CHUNK_BYTES)
        .map(|chunk| {
            let bound = BoundEncoder::bind(pipeline, encoder, element_bytes, chunk.len()).unwrap();
            bound.encode(chunk, &mut scratch).unwrap().len()
        })
        .sum()
}

fn shuffle_deflate(level: u32) -> FilterPipeline {
    FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![4]),
        FilterSpec::new(filter_id::DEFLATE, vec![level]),
    ])
}

fn floor(mb_s: f64) -> Option<SpeedFloor> {
    Some(SpeedFloor {
        mb_s,
        origin: "from rules".to_owned(),
    })
}
