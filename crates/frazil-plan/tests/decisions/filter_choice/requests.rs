//! What is requested goes before what trials would take.

use frazil_codec::Scratch;
use frazil_plan::{
    CurrentStorage, FilterOptions, Goal, PlanError, SelectionCriteria, ShuffleRequest,
    choose_filters,
};
use frazil_types::{
    ByteOrder, DeflateEncoder, ElementClass, ElementType, FilterPipeline, FilterSpec, ReaderLevel,
    filter_id,
};

use super::{CHUNK_BYTES, FLOAT32, choose, floor, smooth, unpacked};

#[test]
fn readers_with_plugins_get_other_filters() {
    let requests = FilterOptions {
        reader_level: ReaderLevel::Plugins,
        ..FilterOptions::default()
    };
    let choice = choose(&smooth(1 << 20), &requests, None);
    assert_eq!(choice.pipeline.reader_level(), ReaderLevel::Plugins);
    assert_eq!(choice.deflate_encoder, None);
    let stated = FilterOptions {
        level: Some(7),
        ..requests
    };
    let choice = choose(&smooth(1 << 20), &stated, None);
    assert_eq!(choice.pipeline.0.last().unwrap().cd_values, [7]);
}

#[test]
fn a_stated_chain_is_taken_as_it_is() {
    let data = smooth(1 << 18);
    let requests = FilterOptions {
        chain: Some("lorenzo+shuffle+deflate(6)".parse().unwrap()),
        chunk: vec![64, 1024],
        ..FilterOptions::default()
    };
    let choice = choose(&data, &requests, None);
    let ids: Vec<i32> = choice.pipeline.0.iter().map(|stage| stage.id).collect();
    assert_eq!(
        ids,
        [filter_id::DELTA, filter_id::SHUFFLE, filter_id::DEFLATE]
    );
    assert_eq!(choice.pipeline.0[0].cd_values, [1, 4, 2, 3, 2, 64, 1024]);
    assert_eq!(choice.deflate_encoder, Some(DeflateEncoder::Libdeflate(6)));
    assert!(choice.predicted_ratio < 1.0, "{}", choice.reason);

    // What is stored so already is kept; a checksum is carried over and stated only once.
    let checked = FilterPipeline(
        [
            &choice.pipeline.0[..],
            &[FilterSpec::new(filter_id::FLETCHER32, vec![])],
        ]
        .concat(),
    );
    let current = CurrentStorage {
        pipeline: &checked,
        ratio: choice.predicted_ratio,
        sampled_ratio: choice.predicted_ratio,
        partly_sampled: None,
        keeps_shape: true,
        is_rounded: false,
        windows: &[],
        keepable: true,
        may_stay: true,
    };
    let kept = choose(&data, &requests, Some(&current));
    assert!(
        kept.keep_current && kept.pipeline == checked,
        "{}",
        kept.reason
    );
    let other = FilterOptions {
        chain: Some("shuffle+deflate(6)+fletcher32".parse().unwrap()),
        ..requests
    };
    let changed = choose(&data, &other, Some(&current));
    assert_eq!(changed.pipeline.summary(), "shuffle+deflate(6)+fletcher32");
    // Without data there is nothing to try, and the chain stays.
    let requests = FilterOptions {
        chunk_bytes: Some(CHUNK_BYTES as u64),
        ..other
    };
    let untried = choose_filters(&[], FLOAT32, &requests, None, &mut Scratch::default()).unwrap();
    assert_eq!(untried.pipeline.summary(), "shuffle+deflate(6)+fletcher32");
}

#[test]
fn goals_choose_among_what_readers_know() {
    let data = smooth(1 << 20);
    let share = |goal, reader_level| {
        let requests = FilterOptions {
            goal,
            reader_level,
            chunk: vec![64, 1024],
            ..FilterOptions::default()
        };
        let choice = choose(&data, &requests, None);
        assert!(
            choice.pipeline.reader_level() <= reader_level,
            "{}",
            choice.reason
        );
        assert!(!choice.pipeline.is_empty(), "{goal} {}", choice.reason);
        choice.predicted_ratio
    };
    // `archive` takes what is faster and as small but for two thousandths.
    let equal = 1.0 / 0.998;
    let [any, plugins, frazil] =
        [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil].map(|readers| {
            let [balanced, size, speed, archive, energy] =
                Goal::ALL.map(|goal| share(goal, readers));
            assert!(
                archive <= size * equal && size <= balanced * 1.01,
                "{archive} {size} {balanced}"
            );
            assert!(speed < 1.0 && energy < 1.0);
            archive
        });
    assert!(plugins <= any * equal && frazil <= plugins * equal);
}

#[test]
fn shuffle_requests_are_obeyed() {
    let request = |shuffle| FilterOptions {
        shuffle,
        ..FilterOptions::default()
    };
    let off = choose(&smooth(1 << 20), &request(ShuffleRequest::Off), None);
    assert!(!off.pipeline.contains(filter_id::SHUFFLE));
    let on = choose(&unpacked(1 << 20), &request(ShuffleRequest::On), None);
    assert!(on.pipeline.contains(filter_id::SHUFFLE));
    let bytes = ElementType {
        class: ElementClass::UnsignedInteger,
        size_bytes: 1,
        order: ByteOrder::None,
    };
    let samples = vec![vec![7; 5000]];
    let single = choose_filters(
        &samples,
        bytes,
        &request(ShuffleRequest::On),
        None,
        &mut Scratch::default(),
    );
    assert!(!single.unwrap().pipeline.contains(filter_id::SHUFFLE));
}

#[test]
fn level_zero_means_no_filters_and_absurd_levels_are_refused() {
    let level = |level, reader_level| FilterOptions {
        level: Some(level),
        reader_level,
        ..FilterOptions::default()
    };
    let choice = choose(&smooth(1 << 18), &level(0, ReaderLevel::Any), None);
    assert!(choice.pipeline.is_empty());
    for requests in [level(10, ReaderLevel::Any), level(23, ReaderLevel::Plugins)] {
        let error = choose_filters(&[], FLOAT32, &requests, None, &mut Scratch::default());
        let error = error.unwrap_err();
        assert!(matches!(error, PlanError::Level { .. }));
        assert_eq!(error.code(), frazil_types::ErrorCode::InvalidArgument);
    }
}

#[test]
fn floors_and_tolerances_decide_and_are_told() {
    let requests = |weighing| FilterOptions {
        reader_level: ReaderLevel::Plugins,
        goal: Goal::Archive,
        weighing,
        ..FilterOptions::default()
    };
    let data = smooth(1 << 20);
    let exact = choose(&data, &requests(SelectionCriteria::default()), None);
    let near = SelectionCriteria {
        ratio_tolerance: Some(0.3),
        decode_floor: floor(100.0),
        ..SelectionCriteria::default()
    };
    let near = choose(&data, &requests(near), None);
    assert_ne!(near.pipeline, exact.pipeline);
    assert!(near.predicted_ratio <= exact.predicted_ratio / 0.7 * 1.001);
    for part in ["read floor of 100 MB/s from rules", "within 30 %"] {
        assert!(near.reason.contains(part), "{}", near.reason);
    }
    let impossible = SelectionCriteria {
        encode_floor: floor(1e6),
        ..SelectionCriteria::default()
    };
    let none = choose(&data, &requests(impossible), None);
    assert!(none.pipeline.is_empty());
    assert!(
        none.reason.contains("no filters are that fast"),
        "{}",
        none.reason
    );
    // Nothing is gained that is worth more than the tolerance.
    let generous = SelectionCriteria {
        ratio_tolerance: Some(0.99),
        ..SelectionCriteria::default()
    };
    let none = choose(&data, &requests(generous), None);
    assert!(none.pipeline.is_empty(), "{}", none.reason);
    assert!(none.reason.contains("within 99 %"), "{}", none.reason);
}

#[test]
fn a_chain_says_who_wants_it() {
    let requests = FilterOptions {
        chain: "shuffle+deflate(1)".parse().ok(),
        chain_origin: "from rules",
        ..FilterOptions::default()
    };
    let choice = choose(&smooth(1 << 18), &requests, None);
    assert!(
        choice.reason.starts_with("shuffle+deflate(1): from rules"),
        "{}",
        choice.reason
    );
}
