//! Chunks that libhdf5 and hdf5plugin stored decode to what libhdf5 reads.

mod common;

use std::collections::BTreeSet;

use common::golden_chunks;
use frazil_codec::{BoundEncoder, Scratch, filters};
use frazil_types::filter_id;

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

/// zlib itself at the same level is what libhdf5 calls: the stored bytes are the same, unless
/// libhdf5 was built with another zlib, so only this crate's own round trip is certain for those.
#[test]
fn golden_chunks_of_encodable_filters_survive_encoding_again() {
    let mut scratch = Scratch::default();
    let mut encoded = 0;
    for chunk in golden_chunks() {
        let (pipeline, bytes) = (&chunk.pipeline, chunk.raw.len());
        let Ok(encoder) = BoundEncoder::bind(pipeline, None, chunk.element_bytes, bytes) else {
            continue;
        };
        let stored = encoder.encode(&chunk.raw, &mut scratch).unwrap();
        assert!(stored.len() <= encoder.encode_bound(), "{}", chunk.name);
        let back = chunk.decoder().decode(&stored, 0, &mut scratch).unwrap();
        assert!(back == chunk.raw, "{}", chunk.name);
        let ids: Vec<i32> = pipeline.0.iter().map(|spec| spec.id).collect();
        if ids == [filter_id::SHUFFLE] || ids == [filter_id::FLETCHER32] {
            assert!(stored == chunk.stored, "{}", chunk.name);
        }
        encoded += 1;
    }
    assert!(encoded > 30, "{encoded}");
}
