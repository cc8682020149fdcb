//! What the encoder makes, the decoder undoes, for filters in any order.

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_types::{DeflateEncoder, FilterPipeline, FilterSpec, filter_id};
use proptest::prelude::*;

fn filter() -> impl Strategy<Value = FilterSpec> {
    prop_oneof![
        (0_u32..=9).prop_map(|level| FilterSpec::new(filter_id::DEFLATE, vec![level])),
        (1_u32..20).prop_map(|bytes| FilterSpec::new(filter_id::SHUFFLE, vec![bytes])),
        Just(FilterSpec::new(filter_id::SHUFFLE, vec![8])),
        Just(FilterSpec::new(filter_id::FLETCHER32, vec![])),
        (-3_i32..12)
            .prop_map(|level| { FilterSpec::new(filter_id::ZSTD, vec![level.cast_unsigned()]) }),
    ]
}

fn encoder() -> impl Strategy<Value = Option<DeflateEncoder>> {
    prop_oneof![
        Just(None),
        (1..=12).prop_map(|level| Some(DeflateEncoder::Libdeflate(level))),
        (0..=9).prop_map(|level| Some(DeflateEncoder::Zlib(level))),
    ]
}

/// Chunks from noise to runs.
fn chunk() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), prop::collection::vec(any::<u8>(), 0..3000)).prop_map(|(mask, mut bytes)| {
        bytes.iter_mut().for_each(|byte| *byte &= mask);
        bytes
    })
}

proptest! {
    #[test]
    fn chunks_come_back(
        filters in prop::collection::vec(filter(), 0..6),
        deflate in encoder(),
        raw in chunk(),
    ) {
        let pipeline = FilterPipeline(filters);
        let mut scratch = Scratch::default();
        let encoder = BoundEncoder::bind(&pipeline, deflate, 1, raw.len()).unwrap();
        let stored = encoder.encode(&raw, &mut scratch).unwrap();
        prop_assert!(stored.len() <= encoder.encode_bound());
        prop_assert_eq!(encoder.encode(&raw, &mut scratch).unwrap(), stored.clone());
        let decoder = BoundDecoder::bind(&pipeline, 1, raw.len()).unwrap();
        let back = decoder.decode(&stored, 0, &mut scratch).unwrap();
        prop_assert_eq!(back, raw);
    }
}

#[test]
fn a_shuffle_without_values_takes_the_element_size() {
    let raw: Vec<u8> = (0..80).collect();
    let mut scratch = Scratch::default();
    let mut encode = |values: Vec<u32>| {
        let pipeline = FilterPipeline(vec![FilterSpec::new(filter_id::SHUFFLE, values)]);
        let encoder = BoundEncoder::bind(&pipeline, None, 8, raw.len()).unwrap();
        encoder.encode(&raw, &mut scratch).unwrap()
    };
    assert_eq!(encode(vec![]), encode(vec![8]));
}

#[test]
fn levels_that_do_not_exist_are_refused() {
    let pipeline = FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![4])]);
    for deflate in [
        DeflateEncoder::Libdeflate(13),
        DeflateEncoder::Libdeflate(-1),
        DeflateEncoder::Zlib(10),
        DeflateEncoder::Zlib(-1),
    ] {
        assert!(BoundEncoder::bind(&pipeline, Some(deflate), 4, 8).is_err());
    }
}

#[test]
fn bound_pipelines_are_shared_and_scratch_moves_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn movable<T: Send>() {}
    shared::<BoundDecoder>();
    shared::<BoundEncoder>();
    movable::<Scratch>();
}
