//! What is stored already: checksums, and chunks that stay as they are.

use frazil_codec::Scratch;
use frazil_plan::{
    CurrentStorage, FilterOptions, SelectionCriteria, ShuffleRequest, choose_filters,
};
use frazil_types::{FilterPipeline, FilterSpec, ReaderLevel, filter_id};

use super::{CHUNK_BYTES, FLOAT32, choose, floor, random, samples_of, shuffle_deflate, smooth};

#[test]
fn checksums_come_last_where_there_is_a_place_for_them() {
    let unchunked = FilterOptions {
        checksum: true,
        ..FilterOptions::default()
    };
    let chunked = FilterOptions {
        chunk_bytes: Some(CHUNK_BYTES as u64),
        ..unchunked.clone()
    };
    let filters = |data: &[u8], requests: &FilterOptions| {
        let samples = samples_of(data, 4);
        let choice = choose_filters(&samples, FLOAT32, requests, None, &mut Scratch::default());
        choice.unwrap().pipeline
    };
    let pipeline = filters(&smooth(1 << 20), &unchunked);
    let last = pipeline.0.last().unwrap();
    assert_eq!((last.id, last.flags), (filter_id::FLETCHER32, 0));
    let noise = random(1 << 20);
    assert!(filters(&noise, &unchunked).is_empty());
    assert_eq!(filters(&noise, &chunked).summary(), "fletcher32");
}

#[test]
fn existing_checksums_are_carried_over() {
    let mut pipeline = shuffle_deflate(1);
    pipeline
        .0
        .push(FilterSpec::new(filter_id::FLETCHER32, Vec::new()));
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio: 1.0,
        sampled_ratio: 1.0,
        partly_sampled: None,
        keeps_shape: true,
        is_rounded: false,
        windows: &[],
        keepable: false,
        may_stay: false,
    };
    for (data, level) in [
        (smooth(1 << 20), None),
        (random(1 << 20), None),
        (smooth(1 << 20), Some(0)),
    ] {
        let requests = FilterOptions {
            level,
            ..FilterOptions::default()
        };
        let choice = choose(&data, &requests, Some(&current));
        assert_eq!(choice.pipeline.0.last().unwrap().id, filter_id::FLETCHER32);
    }
}

/// Smooth data stored as shuffle+deflate(1) by zlib, chunks copyable.
fn keeps_current(requests: &FilterOptions, ratio: f64, keepable: bool) -> bool {
    let pipeline = shuffle_deflate(1);
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio,
        sampled_ratio: ratio,
        partly_sampled: None,
        keeps_shape: true,
        is_rounded: false,
        windows: &[],
        keepable,
        may_stay: keepable,
    };
    let choice = choose(&smooth(1 << 20), requests, Some(&current));
    if choice.keep_current {
        assert_eq!((choice.pipeline, choice.predicted_ratio), (pipeline, ratio));
        assert!(
            choice.reason.starts_with("kept: shuffle+deflate(1) at"),
            "{}",
            choice.reason
        );
    }
    choice.keep_current
}

#[test]
fn good_storage_is_copied_and_poor_storage_encoded_again() {
    let requests = FilterOptions::default();
    let fresh = choose(&smooth(1 << 20), &requests, None).predicted_ratio;
    assert!(keeps_current(&requests, fresh, true));
    assert!(keeps_current(&requests, fresh * 1.04, true));
    assert!(!keeps_current(&requests, fresh * 1.10, true));
    assert!(!keeps_current(&requests, fresh, false));
}

#[test]
fn trials_are_compared_with_the_chunks_that_were_sampled() {
    let pipeline = shuffle_deflate(1);
    let data = smooth(1 << 20);
    let requests = FilterOptions::default();
    let fresh = choose(&data, &requests, None).predicted_ratio;
    let kept = |ratio, sampled_ratio| {
        let current = CurrentStorage {
            pipeline: &pipeline,
            ratio,
            sampled_ratio,
            partly_sampled: None,
            keeps_shape: true,
            is_rounded: false,
            windows: &[],
            keepable: true,
            may_stay: true,
        };
        choose(&data, &requests, Some(&current)).keep_current
    };
    assert!(!kept(fresh * 0.5, fresh * 1.10));
    assert!(kept(fresh * 2.0, fresh));
}

#[test]
fn explicit_requests_go_before_keeping() {
    let auto = FilterOptions::default();
    let ratio = 0.01;
    let level = |level| FilterOptions {
        level: Some(level),
        ..auto.clone()
    };
    assert!(keeps_current(&level(1), ratio, true));
    assert!(!keeps_current(&level(6), ratio, true));
    assert!(!keeps_current(&level(0), ratio, true));
    let shuffle = |shuffle| FilterOptions {
        shuffle,
        ..auto.clone()
    };
    assert!(keeps_current(&shuffle(ShuffleRequest::On), ratio, true));
    assert!(!keeps_current(&shuffle(ShuffleRequest::Off), ratio, true));
    let checksum = FilterOptions {
        checksum: true,
        ..auto.clone()
    };
    assert!(!keeps_current(&checksum, ratio, true));
}

#[test]
fn storage_that_asks_for_plugins_is_not_kept_for_any_reader() {
    let pipeline = FilterPipeline(vec![FilterSpec::new(filter_id::ZSTD, vec![3])]);
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio: 0.01,
        sampled_ratio: 0.01,
        partly_sampled: None,
        keeps_shape: true,
        is_rounded: false,
        windows: &[],
        keepable: true,
        may_stay: true,
    };
    let data = smooth(1 << 20);
    assert!(!choose(&data, &FilterOptions::default(), Some(&current)).keep_current);
    let requests = FilterOptions {
        reader_level: ReaderLevel::Plugins,
        ..FilterOptions::default()
    };
    assert!(choose(&data, &requests, Some(&current)).keep_current);
}

#[test]
fn unfiltered_chunks_that_stay_unfiltered_are_copied() {
    let pipeline = FilterPipeline::default();
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio: 1.0,
        sampled_ratio: 1.0,
        partly_sampled: None,
        keeps_shape: true,
        is_rounded: false,
        windows: &[],
        keepable: true,
        may_stay: true,
    };
    let requests = FilterOptions {
        level: Some(4),
        ..FilterOptions::default()
    };
    assert!(choose(&random(1 << 20), &requests, Some(&current)).keep_current);
    assert!(!choose(&smooth(1 << 20), &requests, Some(&current)).keep_current);
}

#[test]
fn what_is_read_too_slowly_is_not_kept() {
    let with_floor = |mb_s| FilterOptions {
        weighing: SelectionCriteria {
            decode_floor: floor(mb_s),
            ..SelectionCriteria::default()
        },
        ..FilterOptions::default()
    };
    let fresh = choose(&smooth(1 << 20), &with_floor(1.0), None).predicted_ratio;
    assert!(keeps_current(&with_floor(1.0), fresh, true));
    // Faster than any deflate.
    assert!(!keeps_current(&with_floor(1e5), fresh, true));
}
