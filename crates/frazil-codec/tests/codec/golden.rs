//! Chunks that libhdf5 and hdf5plugin stored decode to what libhdf5 reads.

use std::collections::BTreeSet;

use crate::common::golden_chunks;
use frazil_codec::{BoundEncoder, Scratch, filters};
use frazil_types::{FilterSpec, filter_id};

#[test]
fn every_golden_chunk_decodes_to_its_raw_bytes() {
    let mut scratch = Scratch::default();
    let mut wrong = Vec::new();
    for chunk in golden_chunks() {
        match chunk.decode(&mut scratch) {
            Ok(raw) if raw == chunk.raw => {}
            Ok(_) => wrong.push(format!("{}: other bytes", chunk.name)),
            Err(error) => wrong.push(format!("{}: {error}", chunk.name)),
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_golden_chunks_cover_every_filter_that_stores_something_of_its_own() {
    let covered: BTreeSet<i32> = golden_chunks()
        .iter()
        .flat_map(|chunk| {
            let applied = |(i, _): &(usize, _)| chunk.filter_mask & (1 << i) == 0;
            let specs = chunk.pipeline.0.iter().enumerate();
            specs
                .filter(applied)
                .map(|(_, spec)| spec.id)
                .collect::<Vec<_>>()
        })
        .collect();
    // Quantizing filters store what they are given.
    let identities = [
        filter_id::BITGROOM,
        filter_id::GRANULAR_BITROUND,
        filter_id::BITROUND,
    ];
    for filter in filters().iter().filter(|filter| filter.can_decode) {
        let expected = !identities.contains(&filter.id);
        assert_eq!(covered.contains(&filter.id), expected, "{}", filter.name);
    }
}

#[test]
fn chunks_with_skipped_filters_are_among_them() {
    let masked = golden_chunks()
        .iter()
        .filter(|chunk| chunk.filter_mask != 0)
        .count();
    assert!(masked >= 2, "{masked}");
}

/// Filters whose stored form has no freedom give the very bytes that libhdf5 and the registered
/// plugins stored; compressors choose their own matches, so that only the round trip is certain.
#[test]
fn golden_chunks_of_encodable_filters_survive_encoding_again() {
    let mut scratch = Scratch::default();
    let (mut encoded, mut same) = (0, 0);
    for chunk in golden_chunks() {
        let (pipeline, bytes) = (&chunk.pipeline, chunk.raw.len());
        let Ok(encoder) = BoundEncoder::bind(pipeline, None, chunk.element_bytes, bytes) else {
            continue;
        };
        let stored = encoder.encode(&chunk.raw, &mut scratch).unwrap();
        assert!(stored.len() <= encoder.encode_bound(), "{}", chunk.name);
        let back = chunk.decoder().decode(&stored, 0, &mut scratch).unwrap();
        assert!(back == chunk.raw, "{}", chunk.name);
        let of_one_form = [
            filter_id::SHUFFLE,
            filter_id::FLETCHER32,
            filter_id::SZIP,
            filter_id::DELTA,
        ];
        let ids: Vec<i32> = pipeline.0.iter().map(|spec| spec.id).collect();
        let is_plain_bitshuffle = |spec: &FilterSpec| {
            spec.id == filter_id::BITSHUFFLE && matches!(spec.cd_values.get(4), None | Some(0))
        };
        if chunk.filter_mask == 0
            && pipeline
                .0
                .iter()
                .all(|spec| of_one_form.contains(&spec.id) || is_plain_bitshuffle(spec))
        {
            assert!(stored == chunk.stored, "{}: {ids:?}", chunk.name);
            same += 1;
        }
        encoded += 1;
    }
    assert!(encoded > 60 && same > 20, "{encoded} {same}");
}
