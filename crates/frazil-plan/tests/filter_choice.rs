//! Filters chosen by trial on synthetic fields of known character.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use frazil_codec::{BoundEncoder, Scratch};
use frazil_plan::{
    CurrentStorage, FilterChoice, FilterWishes, Goal, PlanError, ShuffleWish, SpeedFloor, Weighing,
    choose_filters, sample_chunks, sample_plan, sample_window,
};
use frazil_types::{
    ByteOrder, DeflateEncoder, ElementClass, ElementType, FilterPipeline, FilterSpec, ReaderLevel,
    filter_id,
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
    let plan = sample_plan(data.len() as u64);
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
    wishes: &FilterWishes,
    current: Option<&CurrentStorage<'_>>,
) -> FilterChoice {
    let samples = samples_of(data, 4);
    let wishes = &FilterWishes {
        chunk_bytes: wishes.chunk_bytes.or(Some(CHUNK_BYTES as u64)),
        ..wishes.clone()
    };
    choose_filters(&samples, FLOAT32, wishes, current, &mut Scratch::default()).unwrap()
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
fn readers_with_plugins_get_zstd() {
    let wishes = FilterWishes {
        reader_level: ReaderLevel::Plugins,
        ..FilterWishes::default()
    };
    let choice = choose(&smooth(1 << 20), &wishes, None);
    assert_eq!(choice.pipeline.0.last().unwrap().id, filter_id::ZSTD);
    assert_eq!(choice.deflate_encoder, None);
    let stated = FilterWishes {
        level: Some(7),
        ..wishes
    };
    let choice = choose(&smooth(1 << 20), &stated, None);
    assert_eq!(choice.pipeline.0.last().unwrap().cd_values, [7]);
}

#[test]
fn a_stated_chain_is_taken_as_it_is() {
    let data = smooth(1 << 18);
    let wishes = FilterWishes {
        chain: Some("lorenzo+shuffle+deflate(6)".parse().unwrap()),
        chunk: vec![64, 1024],
        ..FilterWishes::default()
    };
    let choice = choose(&data, &wishes, None);
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
        keepable: true,
    };
    let kept = choose(&data, &wishes, Some(&current));
    assert!(
        kept.keep_current && kept.pipeline == checked,
        "{}",
        kept.reason
    );
    let other = FilterWishes {
        chain: Some("shuffle+deflate(6)+fletcher32".parse().unwrap()),
        ..wishes
    };
    let changed = choose(&data, &other, Some(&current));
    assert_eq!(changed.pipeline.summary(), "shuffle+deflate(6)+fletcher32");
    // Without data there is nothing to try, and the chain stays.
    let wishes = FilterWishes {
        chunk_bytes: Some(CHUNK_BYTES as u64),
        ..other
    };
    let untried = choose_filters(&[], FLOAT32, &wishes, None, &mut Scratch::default()).unwrap();
    assert_eq!(untried.pipeline.summary(), "shuffle+deflate(6)+fletcher32");
}

#[test]
fn goals_choose_among_what_readers_know() {
    let data = smooth(1 << 20);
    let share = |goal, reader_level| {
        let wishes = FilterWishes {
            goal,
            reader_level,
            chunk: vec![64, 1024],
            ..FilterWishes::default()
        };
        let choice = choose(&data, &wishes, None);
        assert!(
            choice.pipeline.reader_level() <= reader_level,
            "{}",
            choice.reason
        );
        assert!(!choice.pipeline.is_empty(), "{goal} {}", choice.reason);
        choice.predicted_ratio
    };
    // `archive` takes what is faster and as small but for a hundredth.
    let equal = 1.0 / 0.99;
    for readers in [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil] {
        let [balanced, size, speed, archive, energy] = Goal::ALL.map(|goal| share(goal, readers));
        assert!(
            archive <= size * equal && size <= balanced * 1.01,
            "{archive} {size} {balanced}"
        );
        assert!(speed < 1.0 && energy < 1.0);
    }
    let smallest = |readers| share(Goal::Archive, readers);
    assert!(smallest(ReaderLevel::Plugins) <= smallest(ReaderLevel::Any) * equal);
    assert!(smallest(ReaderLevel::Frazil) <= smallest(ReaderLevel::Plugins) * equal);
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
fn shuffle_wishes_are_obeyed() {
    let wish = |shuffle| FilterWishes {
        shuffle,
        ..FilterWishes::default()
    };
    let off = choose(&smooth(1 << 20), &wish(ShuffleWish::Off), None);
    assert!(!off.pipeline.contains(filter_id::SHUFFLE));
    let on = choose(&unpacked(1 << 20), &wish(ShuffleWish::On), None);
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
        &wish(ShuffleWish::On),
        None,
        &mut Scratch::default(),
    );
    assert!(!single.unwrap().pipeline.contains(filter_id::SHUFFLE));
}

#[test]
fn level_zero_means_no_filters_and_absurd_levels_are_refused() {
    let level = |level, reader_level| FilterWishes {
        level: Some(level),
        reader_level,
        ..FilterWishes::default()
    };
    let choice = choose(&smooth(1 << 18), &level(0, ReaderLevel::Any), None);
    assert!(choice.pipeline.is_empty());
    for wishes in [level(10, ReaderLevel::Any), level(23, ReaderLevel::Plugins)] {
        let error = choose_filters(&[], FLOAT32, &wishes, None, &mut Scratch::default());
        let error = error.unwrap_err();
        assert!(matches!(error, PlanError::Level { .. }));
        assert_eq!(error.code(), frazil_types::ErrorCode::InvalidArgument);
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

#[test]
fn checksums_come_last_where_there_is_a_place_for_them() {
    let unchunked = FilterWishes {
        checksum: true,
        ..FilterWishes::default()
    };
    let chunked = FilterWishes {
        chunk_bytes: Some(CHUNK_BYTES as u64),
        ..unchunked.clone()
    };
    let filters = |data: &[u8], wishes: &FilterWishes| {
        let samples = samples_of(data, 4);
        let choice = choose_filters(&samples, FLOAT32, wishes, None, &mut Scratch::default());
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
        keepable: false,
    };
    for (data, level) in [
        (smooth(1 << 20), None),
        (random(1 << 20), None),
        (smooth(1 << 20), Some(0)),
    ] {
        let wishes = FilterWishes {
            level,
            ..FilterWishes::default()
        };
        let choice = choose(&data, &wishes, Some(&current));
        assert_eq!(choice.pipeline.0.last().unwrap().id, filter_id::FLETCHER32);
    }
}

/// Smooth data stored as shuffle+deflate(1) by zlib, chunks copyable.
fn keeps_current(wishes: &FilterWishes, ratio: f64, keepable: bool) -> bool {
    let pipeline = shuffle_deflate(1);
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio,
        keepable,
    };
    let choice = choose(&smooth(1 << 20), wishes, Some(&current));
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
    let wishes = FilterWishes::default();
    let fresh = choose(&smooth(1 << 20), &wishes, None).predicted_ratio;
    assert!(keeps_current(&wishes, fresh, true));
    assert!(keeps_current(&wishes, fresh * 1.04, true));
    assert!(!keeps_current(&wishes, fresh * 1.10, true));
    assert!(!keeps_current(&wishes, fresh, false));
}

#[test]
fn explicit_wishes_go_before_keeping() {
    let auto = FilterWishes::default();
    let ratio = 0.01;
    let level = |level| FilterWishes {
        level: Some(level),
        ..auto.clone()
    };
    assert!(keeps_current(&level(1), ratio, true));
    assert!(!keeps_current(&level(6), ratio, true));
    assert!(!keeps_current(&level(0), ratio, true));
    let shuffle = |shuffle| FilterWishes {
        shuffle,
        ..auto.clone()
    };
    assert!(keeps_current(&shuffle(ShuffleWish::On), ratio, true));
    assert!(!keeps_current(&shuffle(ShuffleWish::Off), ratio, true));
    let checksum = FilterWishes {
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
        keepable: true,
    };
    let data = smooth(1 << 20);
    assert!(!choose(&data, &FilterWishes::default(), Some(&current)).keep_current);
    let wishes = FilterWishes {
        reader_level: ReaderLevel::Plugins,
        ..FilterWishes::default()
    };
    assert!(choose(&data, &wishes, Some(&current)).keep_current);
}

#[test]
fn unfiltered_chunks_that_stay_unfiltered_are_copied() {
    let pipeline = FilterPipeline::default();
    let current = CurrentStorage {
        pipeline: &pipeline,
        ratio: 1.0,
        keepable: true,
    };
    let wishes = FilterWishes {
        level: Some(4),
        ..FilterWishes::default()
    };
    assert!(choose(&random(1 << 20), &wishes, Some(&current)).keep_current);
    assert!(!choose(&smooth(1 << 20), &wishes, Some(&current)).keep_current);
}

fn floor(mb_s: f64) -> Option<SpeedFloor> {
    Some(SpeedFloor {
        mb_s,
        origin: "from wishes".to_owned(),
    })
}

#[test]
fn floors_and_tolerances_decide_and_are_told() {
    let wishes = |weighing| FilterWishes {
        reader_level: ReaderLevel::Plugins,
        goal: Goal::Archive,
        weighing,
        ..FilterWishes::default()
    };
    let data = smooth(1 << 20);
    let exact = choose(&data, &wishes(Weighing::default()), None);
    let near = Weighing {
        ratio_tolerance: Some(0.3),
        decode_floor: floor(100.0),
        ..Weighing::default()
    };
    let near = choose(&data, &wishes(near), None);
    assert_ne!(near.pipeline, exact.pipeline);
    assert!(near.predicted_ratio <= exact.predicted_ratio / 0.7 * 1.001);
    for part in ["read floor of 100 MB/s from wishes", "within 30 %"] {
        assert!(near.reason.contains(part), "{}", near.reason);
    }
    let impossible = Weighing {
        encode_floor: floor(1e6),
        ..Weighing::default()
    };
    let none = choose(&data, &wishes(impossible), None);
    assert!(none.pipeline.is_empty());
    assert!(
        none.reason.contains("no filters are so fast"),
        "{}",
        none.reason
    );
    // Nothing is gained that is worth more than the tolerance.
    let generous = Weighing {
        ratio_tolerance: Some(0.99),
        ..Weighing::default()
    };
    let none = choose(&data, &wishes(generous), None);
    assert!(none.pipeline.is_empty(), "{}", none.reason);
    assert!(none.reason.contains("within 99 %"), "{}", none.reason);
}

#[test]
fn what_is_read_too_slowly_is_not_kept() {
    let with_floor = |mb_s| FilterWishes {
        weighing: Weighing {
            decode_floor: floor(mb_s),
            ..Weighing::default()
        },
        ..FilterWishes::default()
    };
    let fresh = choose(&smooth(1 << 20), &with_floor(1.0), None).predicted_ratio;
    assert!(keeps_current(&with_floor(1.0), fresh, true));
    // Faster than any deflate.
    assert!(!keeps_current(&with_floor(1e5), fresh, true));
}

#[test]
fn a_chain_says_who_wants_it() {
    let wishes = FilterWishes {
        chain: "shuffle+deflate(1)".parse().ok(),
        chain_origin: "from wishes",
        ..FilterWishes::default()
    };
    let choice = choose(&smooth(1 << 18), &wishes, None);
    assert!(
        choice.reason.starts_with("shuffle+deflate(1): from wishes"),
        "{}",
        choice.reason
    );
}
