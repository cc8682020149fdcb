//! What the encoder makes, the decoder undoes, for filters in any order.

use frazil_codec::{BoundDecoder, BoundEncoder, CodecError, Scratch};
use frazil_types::{DeflateEncoder, FilterPipeline, FilterSpec, filter_id};
use proptest::prelude::*;

fn bitshuffle() -> impl Strategy<Value = FilterSpec> {
    let element = prop_oneof![Just(1_u32), Just(2), Just(3), Just(4), Just(8)];
    let block = prop_oneof![Just(0_u32), Just(8), Just(64), Just(1024)];
    let inner = prop_oneof![Just(vec![]), Just(vec![0]), Just(vec![2]), Just(vec![3, 5])];
    (element, block, inner).prop_map(|(element, block, inner): (u32, u32, Vec<u32>)| {
        let values = [&[0, 4, element, block], &inner[..]].concat();
        FilterSpec::new(filter_id::BITSHUFFLE, values)
    })
}

fn blosc() -> impl Strategy<Value = FilterSpec> {
    let inner = 0_u32..=5;
    (1_u32..20, 0_u32..=9, 0_u32..3, inner).prop_map(|(element, level, shuffle, inner)| {
        let values = vec![2, 2, element, 0, level, shuffle, inner];
        FilterSpec::new(filter_id::BLOSC, values)
    })
}

fn szip() -> impl Strategy<Value = FilterSpec> {
    let options = prop_oneof![Just(128_u32 | 32), Just(128 | 4), Just(128 | 32 | 16)];
    let bits = prop_oneof![Just(8_u32), Just(16), Just(32), Just(64)];
    (options, 1_u32..=16, bits, 0_u32..100).prop_map(|(options, half, bits, more)| {
        let values = vec![options, 2 * half, bits, 2 * half + more];
        FilterSpec::new(filter_id::SZIP, values)
    })
}

fn pcodec() -> impl Strategy<Value = FilterSpec> {
    let kind = prop_oneof![1_u32..=8, 10_u32..=11];
    (kind, 0_u32..2, 0_u32..=9).prop_map(|(kind, order, level)| {
        FilterSpec::new(filter_id::PCODEC, vec![1, kind, order, level])
    })
}

fn mafisc() -> impl Strategy<Value = FilterSpec> {
    (0_u32..2, 0_u32..2, 1_u32..9).prop_map(|(float, little, elements)| {
        let values = vec![0, 0x667A_0001, 4, float, little, 1, elements];
        FilterSpec::new(filter_id::MAFISC, values)
    })
}

fn by_chunk() -> impl Strategy<Value = FilterSpec> {
    let kind = prop_oneof![
        Just((0_u32, 3_u32)),
        Just((5, 4)),
        Just((2, 8)),
        Just((8, 2))
    ];
    (kind, 0_u32..2, 0_u32..3, 0_u32..900).prop_map(|((kind, bytes), order, goal, elements)| {
        let values = vec![1, kind, order, bytes, goal, 0, 1, elements];
        FilterSpec::new(filter_id::FRAZIL, values)
    })
}

fn filter() -> impl Strategy<Value = FilterSpec> {
    prop_oneof![
        bitshuffle(),
        blosc(),
        szip(),
        pcodec(),
        mafisc(),
        by_chunk(),
        (1_u32..=9).prop_map(|level| FilterSpec::new(filter_id::BZIP2, vec![level])),
        (0_u32..5000).prop_map(|block| FilterSpec::new(filter_id::LZ4, vec![block])),
        (0_u32..4, 1_u32..9).prop_map(|(flags, elements)| {
            FilterSpec::new(filter_id::DELTA, vec![1, 2, flags, 1, 1, elements])
        }),
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

/// Chunks from noise to runs, often of whole numbers.
fn chunk() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..3000);
    (any::<u8>(), any::<bool>(), bytes).prop_map(|(mask, whole, mut bytes)| {
        bytes.iter_mut().for_each(|byte| *byte &= mask);
        bytes.truncate(if whole { bytes.len() & !7 } else { bytes.len() });
        bytes
    })
}

proptest! {
    /// Whole chunks under one filter: none of these is refused.
    #[test]
    fn chunks_come_back_from_every_filter_alone(
        filter in prop_oneof![bitshuffle(), blosc(), szip(), pcodec(), by_chunk()],
        cells in prop::collection::vec(any::<[u8; 24]>(), 0..400),
        mask in any::<u8>(),
    ) {
        let raw: Vec<u8> = cells.concat().iter().map(|byte| byte & mask).collect();
        let pipeline = FilterPipeline(vec![filter]);
        let mut scratch = Scratch::default();
        let encoder = BoundEncoder::bind(&pipeline, None, 1, raw.len()).unwrap();
        let stored = encoder.encode(&raw, &mut scratch).unwrap();
        prop_assert!(stored.len() <= encoder.encode_bound());
        prop_assert_eq!(encoder.encode(&raw, &mut scratch).unwrap(), stored.clone());
        let decoder = BoundDecoder::bind(&pipeline, 1, raw.len()).unwrap();
        prop_assert_eq!(decoder.decode(&stored, 0, &mut scratch).unwrap(), raw);
    }

    #[test]
    fn chunks_come_back(
        filters in prop::collection::vec(filter(), 0..6),
        deflate in encoder(),
        raw in chunk(),
    ) {
        let pipeline = FilterPipeline(filters);
        let mut scratch = Scratch::default();
        // Some filters take whole elements only; what comes out of another may be anything.
        let encoder = match BoundEncoder::bind(&pipeline, deflate, 1, raw.len()) {
            Err(CodecError::InvalidParameters { .. }) => return Ok(()),
            encoder => encoder.unwrap(),
        };
        let stored = match encoder.encode(&raw, &mut scratch) {
            Err(CodecError::InvalidParameters { .. }) => return Ok(()),
            stored => stored.unwrap(),
        };
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

/// Lines of 80 pixels in blocks of 32 are coded as 96 pixels, which grows what does not shrink.
#[test]
fn what_szip_lets_grow_is_decoded_behind_other_filters() {
    let szip = FilterSpec::new(filter_id::SZIP, vec![128 | 4, 32, 8, 80]);
    let deflate = FilterSpec::new(filter_id::DEFLATE, vec![1]);
    let pipeline = FilterPipeline(vec![szip, deflate]);
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    });
    let raw: Vec<u8> = noise.take(1_600_000).collect();
    let mut scratch = Scratch::default();
    let encoder = BoundEncoder::bind(&pipeline, None, 1, raw.len()).unwrap();
    let decoder = BoundDecoder::bind(&pipeline, 1, raw.len()).unwrap();
    let stored = encoder.encode(&raw, &mut scratch).unwrap();
    assert!(decoder.decode(&stored, 0, &mut scratch).unwrap() == raw);
}
