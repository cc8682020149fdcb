//! What trials decide without further wishes.

use frazil_codec::{BoundEncoder, Scratch};
use frazil_plan::{FilterWishes, Goal, choose_filters};
use frazil_types::{ByteOrder, DeflateEncoder, ElementClass, ElementType, ReaderLevel, filter_id};

use super::{FLOAT32, choose, random, shuffle_deflate, smooth, stored_bytes, unpacked};

#[test]
fn smooth_floats_are_shuffled() {
    let data = smooth(2 << 20);
    let choice = choose(&data, &FilterWishes::default(), None);
    assert!(
        choice.pipeline.contains(filter_id::SHUFFLE),
        "{}",
        choice.reason
    );
    assert!(choice.pipeline.contains(filter_id::DEFLATE));
    assert_eq!(choice.pipeline.0[0].cd_values, [4]);
    assert!(
        choice.reason.contains("smaller with shuffle"),
        "{}",
        choice.reason
    );
    assert!(matches!(
        choice.deflate_encoder,
        Some(DeflateEncoder::Libdeflate(_))
    ));
    assert!(!choice.keep_current);
}

#[test]
fn floats_unpacked_from_short_integers_are_not_shuffled() {
    let choice = choose(&unpacked(2 << 20), &FilterWishes::default(), None);
    assert!(
        !choice.pipeline.contains(filter_id::SHUFFLE),
        "{}",
        choice.reason
    );
    assert!(choice.pipeline.contains(filter_id::DEFLATE));
    assert!(
        choice.reason.contains("smaller without shuffle"),
        "{}",
        choice.reason
    );
}

#[test]
fn incompressible_data_are_stored_as_they_are() {
    let data = random(4 << 20);
    for level in [None, Some(4)] {
        let wishes = FilterWishes {
            level,
            ..FilterWishes::default()
        };
        let choice = choose(&data, &wishes, None);
        assert!(choice.pipeline.is_empty());
        assert_eq!(
            (choice.deflate_encoder, choice.predicted_ratio),
            (None, 1.0)
        );
        assert!(
            choice.reason.starts_with("unfiltered: does not shrink"),
            "{}",
            choice.reason
        );
    }
}

#[test]
fn the_sample_predicts_the_whole() {
    for data in [smooth(2 << 20), unpacked(2 << 20)] {
        let choice = choose(&data, &FilterWishes::default(), None);
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
            let wishes = FilterWishes {
                level: Some(level),
                ..FilterWishes::default()
            };
            let choice = choose(&data, &wishes, None);
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
fn a_chosen_level_is_the_lowest_that_is_nearly_the_best() {
    let mut levels = Vec::new();
    for data in [smooth(1 << 20), unpacked(1 << 20)] {
        // One sample that is the whole, so that the rule itself can be checked.
        let samples = vec![data];
        let wishes = FilterWishes::default();
        let choice =
            choose_filters(&samples, FLOAT32, &wishes, None, &mut Scratch::default()).unwrap();
        let Some(DeflateEncoder::Libdeflate(level)) = choice.deflate_encoder else {
            panic!("{}", choice.reason);
        };
        let size = |level| {
            let encoder = Some(DeflateEncoder::Libdeflate(level));
            let bound = BoundEncoder::bind(&choice.pipeline, encoder, 4, samples[0].len()).unwrap();
            bound
                .encode(&samples[0], &mut Scratch::default())
                .unwrap()
                .len() as f64
        };
        let best = size(1).min(size(4)).min(size(6));
        assert!(size(level) <= best * 1.03, "level {level}");
        for lower in [1, 4].into_iter().filter(|&lower| lower < level) {
            assert!(size(lower) > best * 1.03, "level {lower} would have done");
        }
        let deflate = choice.pipeline.position(filter_id::DEFLATE).unwrap();
        assert_eq!(
            choice.pipeline.0[deflate].cd_values,
            [level.cast_unsigned()]
        );
        levels.push(level);
    }
    assert_ne!(levels[0], levels[1], "both outcomes are covered");
}

#[test]
fn what_does_not_shrink_is_not_filtered_for_any_goal() {
    for goal in Goal::ALL {
        let wishes = FilterWishes {
            goal,
            reader_level: ReaderLevel::Frazil,
            chunk: vec![64, 1024],
            ..FilterWishes::default()
        };
        let choice = choose(&random(1 << 20), &wishes, None);
        assert!(choice.pipeline.is_empty(), "{goal}: {}", choice.reason);
    }
}

#[test]
fn without_data_the_default_is_taken() {
    let choice = choose(&[], &FilterWishes::default(), None);
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
    let wishes = FilterWishes::default();
    let choice = choose_filters(&samples, vlen, &wishes, None, &mut Scratch::default());
    assert!(choice.unwrap().pipeline.is_empty());
}
