//! What trials decide without further requests.

use frazil_codec::{BoundEncoder, Scratch};
use frazil_plan::{
    CandidateFilters, FilterOptions, Goal, Score, candidate, candidates, choose_filters,
};
use frazil_types::{ByteOrder, DeflateEncoder, ElementClass, ElementType, ReaderLevel, filter_id};

use super::{FLOAT32, choose, random, shuffle_deflate, smooth, stored_bytes, unpacked};

#[test]
fn smooth_floats_are_shuffled() {
    let data = smooth(2 << 20);
    let choice = choose(&data, &FilterOptions::default(), None);
    assert!(
        choice.pipeline.contains(filter_id::SHUFFLE),
        "{}",
        choice.reason
    );
    assert!(choice.pipeline.contains(filter_id::DEFLATE));
    assert_eq!(choice.pipeline.0[0].cd_values, [4]);
    assert!(choice.reason.contains("for balanced"), "{}", choice.reason);
    assert!(matches!(
        choice.deflate_encoder,
        Some(DeflateEncoder::Libdeflate(_))
    ));
    assert!(!choice.keep_current);
}

#[test]
fn floats_unpacked_from_short_integers_are_not_shuffled() {
    let choice = choose(&unpacked(2 << 20), &FilterOptions::default(), None);
    assert!(
        !choice.pipeline.contains(filter_id::SHUFFLE),
        "{}",
        choice.reason
    );
    assert!(choice.pipeline.contains(filter_id::DEFLATE));
    assert!(choice.reason.contains("for balanced"), "{}", choice.reason);
}

#[test]
fn incompressible_data_are_stored_as_they_are() {
    let data = random(4 << 20);
    for level in [None, Some(4)] {
        let requests = FilterOptions {
            level,
            ..FilterOptions::default()
        };
        let choice = choose(&data, &requests, None);
        assert!(choice.pipeline.is_empty());
        assert_eq!(
            (choice.deflate_encoder, choice.predicted_ratio),
            (None, 1.0)
        );
        assert!(
            choice.reason.starts_with("unfiltered: "),
            "{}",
            choice.reason
        );
    }
}

#[test]
fn the_sample_predicts_the_whole() {
    for data in [smooth(2 << 20), unpacked(2 << 20)] {
        let choice = choose(&data, &FilterOptions::default(), None);
        let stored = stored_bytes(&data, &choice.pipeline, choice.deflate_encoder, 4);
        let ratio = stored as f64 / data.len() as f64;
        let error = (choice.predicted_ratio / ratio - 1.0).abs();
        assert!(
            error < 0.05,
            "predicted {}, got {ratio}",
            choice.predicted_ratio
        );
    }
}

#[test]
fn a_stated_level_keeps_zlibs_size_on_the_whole_data() {
    for data in [smooth(1 << 20), unpacked(1 << 20)] {
        for level in [1, 4, 6, 9] {
            let requests = FilterOptions {
                level: Some(level),
                ..FilterOptions::default()
            };
            let choice = choose(&data, &requests, None);
            let deflate = choice
                .pipeline
                .0
                .iter()
                .find(|stage| stage.id == filter_id::DEFLATE);
            assert_eq!(deflate.unwrap().cd_values, [level], "the level in the file");
            let zlib = DeflateEncoder::Zlib(level.cast_signed());
            let promised = stored_bytes(&data, &choice.pipeline, Some(zlib), 4);
            let stored = stored_bytes(&data, &choice.pipeline, choice.deflate_encoder, 4);
            assert!(
                stored as f64 <= promised as f64 * 1.005,
                "level {level}: {:?} gives {stored}, zlib {promised}",
                choice.deflate_encoder
            );
        }
    }
}

#[test]
fn a_slower_level_must_earn_the_time_that_it_takes() {
    let score = Score::of(Goal::Balanced);
    for data in [smooth(1 << 20), unpacked(1 << 20)] {
        // One sample that is the whole, so that the rule itself can be checked.
        let samples = vec![data];
        let requests = FilterOptions::default();
        let choice =
            choose_filters(&samples, FLOAT32, &requests, None, &mut Scratch::default()).unwrap();
        let cost = |one: &CandidateFilters| {
            let pipeline = one.chain().resolve(FLOAT32, &[]);
            let length = samples[0].len();
            let bound = BoundEncoder::bind(&pipeline, one.encoder(), 4, length).unwrap();
            let packed = bound.encode(&samples[0], &mut Scratch::default()).unwrap();
            score.cost(one, packed.len() as f64 / length as f64)
        };
        let chosen = candidate(&choice.pipeline.summary()).unwrap();
        let least = candidates()
            .iter()
            .filter(|one| one.readers == ReaderLevel::Any)
            .map(cost)
            .fold(f64::INFINITY, f64::min);
        assert!(cost(chosen) <= least * 1.001, "{}", choice.reason);
    }
}

#[test]
fn a_wider_reader_level_and_a_dearer_goal_are_never_larger() {
    for data in [smooth(1 << 16), unpacked(1 << 16)] {
        let samples = vec![data];
        let share = |goal, reader_level| {
            let requests = FilterOptions {
                goal,
                reader_level,
                chunk: vec![64, 1024],
                ..FilterOptions::default()
            };
            let choice =
                choose_filters(&samples, FLOAT32, &requests, None, &mut Scratch::default());
            choice.unwrap().predicted_ratio / 1.002
        };
        let level = |level| {
            let requests = FilterOptions {
                level: Some(level),
                ..FilterOptions::default()
            };
            let choice =
                choose_filters(&samples, FLOAT32, &requests, None, &mut Scratch::default());
            choice.unwrap().predicted_ratio
        };
        let all = [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil];
        let sizes = all.map(|readers| share(Goal::Size, readers));
        let archives = all.map(|readers| share(Goal::Archive, readers));
        for shares in [sizes, archives] {
            assert!(
                shares.is_sorted_by(|any, wider| wider / 1.002 <= *any),
                "{shares:?}"
            );
        }
        for (archive, size) in archives.iter().zip(&sizes) {
            assert!(archive / 1.002 <= *size, "{archives:?} {sizes:?}");
        }
        for fixed in [1, 4, 6].map(level) {
            // Where zlib itself is smaller than libdeflate, a stated level takes that.
            assert!(sizes[0] <= fixed * 1.007, "{sizes:?} {fixed}");
        }
        assert!(archives[0] <= level(9) * 1.007, "{archives:?}");
    }
}

#[test]
fn what_shrinks_is_filtered_however_slow_filters_are_beside_none() {
    // Of four bytes one is the same everywhere.
    let mut data = random(1 << 20);
    data.chunks_exact_mut(4).for_each(|element| element[3] = 64);
    for goal in [Goal::Balanced, Goal::Size, Goal::Archive] {
        let requests = FilterOptions {
            goal,
            ..FilterOptions::default()
        };
        let choice = choose(&data, &requests, None);
        assert!(!choice.pipeline.is_empty(), "{}", choice.reason);
        assert!(choice.predicted_ratio < 0.8, "{}", choice.reason);
    }
}

#[test]
fn no_filters_are_taken_that_save_less_than_their_index_takes() {
    let data = smooth(2000);
    let requests = |index_bytes| FilterOptions {
        raw_bytes: Some(8000),
        index_bytes,
        ..FilterOptions::default()
    };
    assert!(!choose(&data, &requests(0), None).pipeline.is_empty());
    let choice = choose(&data, &requests(8000), None);
    assert!(choice.pipeline.is_empty(), "{}", choice.reason);
    assert!(choice.reason.contains("index"), "{}", choice.reason);
}

#[test]
fn what_does_not_shrink_is_not_filtered_for_any_goal() {
    for goal in Goal::ALL {
        let requests = FilterOptions {
            goal,
            reader_level: ReaderLevel::Frazil,
            chunk: vec![64, 1024],
            ..FilterOptions::default()
        };
        let choice = choose(&random(1 << 20), &requests, None);
        assert!(choice.pipeline.is_empty(), "{goal}: {}", choice.reason);
    }
}

#[test]
fn without_data_the_default_is_taken() {
    let choice = choose(&[], &FilterOptions::default(), None);
    assert_eq!(choice.pipeline, shuffle_deflate(4));
    assert_eq!(choice.deflate_encoder, Some(DeflateEncoder::Libdeflate(4)));
    assert_eq!(choice.reason, "shuffle+deflate(4): no data to try");
}

#[test]
fn references_are_left_alone() {
    let vlen = ElementType {
        class: ElementClass::Indirect,
        size_bytes: 16,
        order: ByteOrder::None,
    };
    let samples = vec![vec![0; 64 << 10]];
    let requests = FilterOptions::default();
    let choice = choose_filters(&samples, vlen, &requests, None, &mut Scratch::default());
    assert!(choice.unwrap().pipeline.is_empty());
}
