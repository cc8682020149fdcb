//! The information analysis against xbitinfo, against the obvious loop, and on data that would fool
//! it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use frazil_plan::information::{
    Grouping, LEAST_GROUP_PAIRS, PairCounter, PairCounts, Recommendation, VariableCounts,
    bits_to_keep, integer_step, mantissa_bits, mutual_information, ordinary_values, origin,
    preserved_information, recommend, repeating_values, without_tail,
};
use frazil_types::{ChunkGrid, DataOrigin, ProtectedValues, Selection};
use proptest::prelude::*;

const NOTHING: ProtectedValues = ProtectedValues {
    values: Vec::new(),
    ranges: Vec::new(),
    valid: None,
};

/// All of an array, in one box.
fn whole(values: &[u8], shape: &[u64], size: usize, grouping: Grouping) -> VariableCounts {
    PairCounter::new(size, grouping, &NOTHING)
        .unwrap()
        .count(values, &Selection::whole(shape), false)
        .unwrap()
}

/// The box of an array's bytes.
fn cut(values: &[u8], shape: &[u64], size: usize, part: &Selection) -> Vec<u8> {
    let grid = ChunkGrid::new(&part.count, &vec![1; shape.len()]).unwrap();
    let mut bytes = Vec::new();
    for number in 0..grid.chunk_count() {
        let at = grid.offset(number);
        let linear = (0..shape.len()).fold(0, |n, i| n * shape[i] + part.start[i] + at[i]);
        let first = linear as usize * size;
        bytes.extend_from_slice(&values[first..first + size]);
    }
    bytes
}

/// What the definition says, pair by pair.
fn naive(values: &[u32], shape: &[u64], axis: usize, masked: impl Fn(f32) -> bool) -> PairCounts {
    let stride = shape[axis + 1..].iter().product::<u64>() as usize;
    let extent = shape[axis] as usize;
    let mut counts = PairCounts {
        pairs: 0,
        both: vec![0; 32],
        first: vec![0; 32],
        second: vec![0; 32],
    };
    let form = |word: u32| {
        let exponent = ((word >> 23) & 0xff) as i32 - 127;
        let sign = if exponent < 0 { 1 << 30 } else { 0 };
        (word & 0x807f_ffff) | sign | (exponent.unsigned_abs() << 23)
    };
    for i in 0..values.len() {
        if i / stride % extent + 1 == extent {
            continue;
        }
        let pair = [values[i], values[i + stride]];
        if pair.iter().any(|&word| masked(f32::from_bits(word))) {
            continue;
        }
        counts.pairs += 1;
        for bit in 0..32 {
            let [a, b] = pair.map(|word| u64::from((form(word) >> (31 - bit)) & 1));
            counts.both[bit] += a & b;
            counts.first[bit] += a;
            counts.second[bit] += b;
        }
    }
    counts
}

#[test]
fn information_is_that_of_xbitinfo() {
    let content = include_bytes!("../data/information.bin");
    let text = include_str!("../data/information.json");
    let expected: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut at = 0;
    for field in expected["fields"].as_array().unwrap() {
        let name = field["name"].as_str().unwrap();
        let size = field["bytes"].as_u64().unwrap() as usize;
        let shape: Vec<u64> = serde_json::from_value(field["shape"].clone()).unwrap();
        let bytes = shape.iter().product::<u64>() as usize * size;
        let values = &content[at..at + bytes];
        at += bytes;
        for axis in 0..shape.len() {
            let variable = whole(values, &shape, size, Grouping::none(axis));
            let ours = mutual_information(&variable.whole);
            let theirs: Vec<f64> =
                serde_json::from_value(field["information"][axis].clone()).unwrap();
            assert_eq!(ours.len(), theirs.len());
            for (bit, (our, their)) in ours.iter().zip(&theirs).enumerate() {
                // numpy's assert_allclose, which xbitinfo's tests use: 1e-7 of the value.
                assert!(
                    (our - their).abs() <= 1e-7 * their.abs() + 1e-15,
                    "{name} axis {axis} bit {bit}: {our} is not {their}"
                );
            }
            let mantissa = mantissa_bits(size);
            // xbitinfo counts bits before the mantissa as negative ones.
            let kept = field["keepbits"][axis].as_i64().unwrap().max(0) as u32;
            assert_eq!(
                bits_to_keep(&without_tail(ours), mantissa, 0.99),
                Some(kept),
                "{name} axis {axis}"
            );
            let found = recommend(&variable, size, DataOrigin::Continuous, 0.99);
            assert_eq!(
                found.significant_bits,
                Some(kept.max(1)),
                "{name} axis {axis}"
            );
        }
    }
    assert_eq!(at, content.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Boxes of any shape, with gaps, masks, levels and samples, count as the whole array does.
    #[test]
    fn counts_do_not_depend_on_how_the_array_is_cut(
        shape in proptest::collection::vec(1_u64..14, 1..5),
        tile in proptest::collection::vec(1_u64..9, 4),
        axis in 0_usize..4,
        vertical in proptest::option::of(0_usize..4),
        seed in any::<u32>(),
    ) {
        let axis = axis % shape.len();
        let vertical = vertical.map(|v| v % shape.len());
        let elements = shape.iter().product::<u64>() as usize;
        let mut state = seed | 1;
        let values: Vec<u32> = (0..elements).map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            // Some fill values, some NaN (exponent all ones), many ordinary ones.
            if state.is_multiple_of(7) { 7.5_f32.to_bits() } else { state }
        }).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|word| word.to_le_bytes()).collect();
        let protected = ProtectedValues { values: vec![7.5], ..NOTHING };
        let masked = |x: f32| !x.is_finite() || x == 7.5;
        let expected = naive(&values, &shape, axis, masked);

        let grouping = Grouping::new(&shape, axis, vertical);
        let counter = PairCounter::new(4, grouping.clone(), &protected).unwrap();
        let at_once = counter.count(&bytes, &Selection::whole(&shape), false).unwrap();
        prop_assert_eq!(&at_once.whole, &expected);
        let left_out = values.iter().filter(|word| masked(f32::from_bits(**word))).count() as u64;
        prop_assert_eq!(at_once.bits.masked, left_out);

        let grid = ChunkGrid::new(&shape, &tile[..shape.len()]).unwrap();
        let mut merged = VariableCounts::default();
        for number in (0..grid.chunk_count()).rev() {
            let mut part = grid.valid_box(number);
            let overlaps = part.start[axis] + part.count[axis] < shape[axis];
            part.count[axis] += u64::from(overlaps);
            let values = cut(&bytes, &shape, 4, &part);
            merged.merge(&counter.count(&values, &part, overlaps).unwrap());
        }
        prop_assert_eq!(merged.bits.masked, left_out);
        prop_assert_eq!(merged.bits.any, at_once.bits.any);
        prop_assert_eq!((&merged.whole, &merged.levels, &merged.samples),
            (&at_once.whole, &at_once.levels, &at_once.samples));
        for (groups, bands) in [(&merged.levels, grouping.levels), (&merged.samples, grouping.samples)] {
            prop_assert_eq!(groups.len(), bands.map_or(0, |bands| bands.count));
            if bands.is_some() {
                let mut sum = PairCounts::default();
                groups.iter().for_each(|group| sum.merge(group));
                prop_assert_eq!(&sum, &expected);
            }
        }
    }
}

#[test]
fn long_rows_and_thick_planes_are_cut_without_loss() {
    for shape in [
        vec![70_001],
        vec![3, 40_000],
        vec![40_000, 3],
        vec![5, 9000, 2],
    ] {
        let elements = shape.iter().product::<u64>() as u32;
        let values: Vec<u32> = (0..elements)
            .map(|i| (i.wrapping_mul(2_654_435_761)) >> 2)
            .collect();
        let bytes: Vec<u8> = values.iter().flat_map(|word| word.to_le_bytes()).collect();
        for axis in 0..shape.len() {
            let counts = whole(&bytes, &shape, 4, Grouping::none(axis));
            assert_eq!(
                counts.whole,
                naive(&values, &shape, axis, |_| false),
                "{shape:?} {axis}"
            );
            assert_eq!(counts.bits.masked, 0);
        }
    }
}

#[test]
fn a_box_of_another_size_is_refused() {
    let counter = PairCounter::new(4, Grouping::none(0), &NOTHING).unwrap();
    assert!(
        counter
            .count(&[0; 12], &Selection::whole(&[4]), false)
            .is_none()
    );
    assert!(PairCounter::new(2, Grouping::none(0), &NOTHING).is_none());
}

/// A smooth field with noise: 240 rows of 200 values from 270 to 310.
fn field() -> Vec<f32> {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    (0..48_000)
        .map(|i| {
            let (y, x) = (f64::from(i / 200), f64::from(i % 200));
            (290.0 + 20.0 * (x / 17.0).sin() * (y / 11.0).cos() + 0.1 * noise()) as f32
        })
        .collect()
}

fn analyse(values: &[f32], protected: &ProtectedValues) -> (DataOrigin, Recommendation) {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let shape = [values.len() as u64 / 200, 200];
    let counts = PairCounter::new(4, Grouping::new(&shape, 1, None), protected)
        .unwrap()
        .count(&bytes, &Selection::whole(&shape), false)
        .unwrap();
    let sample = ordinary_values(&bytes, 4, protected);
    let step = integer_step(&sample, 4);
    let origin = origin(&counts, 4, step, repeating_values(&sample));
    (origin, recommend(&counts, 4, origin, 0.99))
}

fn with_bits(values: &[f32], change: impl Fn(usize, u32) -> u32) -> Vec<f32> {
    let changed = |(i, x): (usize, &f32)| f32::from_bits(change(i, x.to_bits()));
    values.iter().enumerate().map(changed).collect()
}

#[test]
fn continuous_data_keep_the_bits_above_the_noise() {
    let (origin, found) = analyse(&field(), &NOTHING);
    assert_eq!(origin, DataOrigin::Continuous);
    // The noise of 0.1 is some 2^-11 of the values; neighbours differ by more than that.
    let bits = found.significant_bits.unwrap();
    assert!((5..=11).contains(&bits), "{found:?}");
    assert!(found.preserved_information.unwrap() > 0.99);
    assert!(preserved_information(&found.votes, 23, bits - 1).unwrap() <= 0.99);
    assert_eq!(preserved_information(&found.votes, 23, 23), Some(1.0));
}

#[test]
fn one_group_with_more_information_raises_the_bits() {
    // Half of the rows have a hundredth of the noise: their trailing bits are real.
    let mut values = field();
    for (i, value) in values.iter_mut().enumerate().skip(24_000) {
        let (y, x) = ((i / 200) as f64, (i % 200) as f64);
        *value = (290.0 + 20.0 * (x / 1700.0).sin() * (y / 11.0).cos()) as f32;
    }
    let (_, mixed) = analyse(&values, &NOTHING);
    let (_, plain) = analyse(&field(), &NOTHING);
    assert!(
        mixed.votes.len() > 1,
        "no group has {LEAST_GROUP_PAIRS} pairs"
    );
    assert!(mixed.significant_bits.unwrap() > plain.significant_bits.unwrap());
    let bits = mixed.significant_bits.unwrap();
    let shares = mixed
        .votes
        .iter()
        .map(|vote| frazil_plan::information::share_kept(vote, 23, bits));
    assert!(shares.flatten().all(|share| share > 0.99));
}

#[test]
fn rounded_data_are_recognised() {
    let rounded = |bits: u32| {
        let drop = 23 - bits;
        with_bits(&field(), |_, x| {
            (x + (1 << (drop - 1))) & (u32::MAX << drop)
        })
    };
    let (origin, found) = analyse(&rounded(12), &NOTHING);
    assert_eq!(
        origin,
        DataOrigin::Rounded {
            significant_bits: 12
        }
    );
    assert!(found.significant_bits.unwrap() < 12);
    let (origin, found) = analyse(&rounded(4), &NOTHING);
    assert_eq!(
        origin,
        DataOrigin::Rounded {
            significant_bits: 4
        }
    );
    assert_eq!(found.significant_bits, None);
    assert!(found.reason.contains("already rounded to 4 bits"));
}

#[test]
fn granular_rounding_is_recognised_by_its_most_precise_values() {
    // One bit more for values below 290, as decimal digits ask for.
    let values = with_bits(&field(), |_, x| {
        let drop = if f32::from_bits(x) < 290.0 { 12 } else { 13 };
        (x + (1 << (drop - 1))) & (u32::MAX << drop)
    });
    let (origin, _) = analyse(&values, &NOTHING);
    assert_eq!(
        origin,
        DataOrigin::Rounded {
            significant_bits: 11
        }
    );
}

#[test]
fn groomed_data_are_recognised() {
    let groomed = |bits: u32| {
        let tail = u32::MAX >> (9 + bits);
        with_bits(
            &field(),
            |i, x| if i % 2 == 0 { x & !tail } else { x | tail },
        )
    };
    let (origin, found) = analyse(&groomed(14), &NOTHING);
    assert_eq!(
        origin,
        DataOrigin::Groomed {
            significant_bits: 14
        }
    );
    // The alternation itself is no information.
    let (_, plain) = analyse(&field(), &NOTHING);
    assert_eq!(found.significant_bits, plain.significant_bits);
    let (origin, found) = analyse(&groomed(4), &NOTHING);
    assert_eq!(
        origin,
        DataOrigin::Groomed {
            significant_bits: 4
        }
    );
    assert_eq!(found.significant_bits, None);
}

#[test]
fn unpacked_integers_are_recognised() {
    let packed = |scale: f32, offset: f32| -> Vec<f32> {
        field()
            .iter()
            .map(|x| ((x - offset) / scale).round() * scale + offset)
            .collect()
    };
    let (origin, found) = analyse(&packed(0.0014, 288.3), &NOTHING);
    let DataOrigin::UnpackedIntegers { step } = origin else {
        panic!("{origin:?}");
    };
    assert!((step - 0.0014).abs() < 1e-6, "{step}");
    assert_eq!(
        (found.significant_bits, found.preserved_information),
        (None, None)
    );
    let (origin, _) = analyse(&packed(0.01, 0.0), &NOTHING);
    assert!(
        matches!(origin, DataOrigin::UnpackedIntegers { .. }),
        "{origin:?}"
    );
    let counts: Vec<f32> = field().iter().map(|x| (x - 265.0).floor()).collect();
    let (origin, _) = analyse(&counts, &NOTHING);
    assert_eq!(origin, DataOrigin::UnpackedIntegers { step: 1.0 });
}

#[test]
fn clipped_data_are_continuous() {
    let values: Vec<f32> = field()
        .iter()
        .map(|x| ((x - 300.0) * 1.37).max(0.0) * x)
        .collect();
    let (origin, found) = analyse(&values, &NOTHING);
    assert_eq!(origin, DataOrigin::Continuous);
    assert!(found.significant_bits.is_some(), "{found:?}");
}

#[test]
fn differences_of_large_numbers_are_not_integers() {
    // All of them are multiples of 2^-15, the distance of numbers near 300.
    let values: Vec<f32> = field().iter().map(|x| (x - 290.0) / 16.0).collect();
    let (origin, found) = analyse(&values, &NOTHING);
    assert!(
        !matches!(origin, DataOrigin::UnpackedIntegers { .. }),
        "{origin:?}"
    );
    assert!(found.significant_bits.is_some(), "{found:?}");
}

#[test]
fn a_profile_repeated_in_time_is_left_alone() {
    let profile: Vec<f32> = field()[..200].to_vec();
    let repeated = profile.repeat(40);
    let (origin, found) = analyse(&repeated, &NOTHING);
    assert!(
        matches!(origin, DataOrigin::Repeating { distinct } if distinct <= 200),
        "{origin:?}"
    );
    assert_eq!(found.significant_bits, None);
    // Rain: zero nearly everywhere, and anything elsewhere.
    let rain: Vec<f32> = field()
        .iter()
        .enumerate()
        .map(|(i, x)| if i % 20 == 0 { *x } else { 0.0 })
        .collect();
    assert_ne!(
        std::mem::discriminant(&analyse(&rain, &NOTHING).0),
        std::mem::discriminant(&DataOrigin::Repeating { distinct: 0 })
    );
}

#[test]
fn constant_masked_and_tiny_data_are_left_alone() {
    let (origin, found) = analyse(&[3.25; 4000], &NOTHING);
    assert_eq!(
        (origin, found.significant_bits),
        (DataOrigin::Constant, None)
    );
    let masked = ProtectedValues {
        values: vec![3.25],
        ..NOTHING
    };
    let (origin, _) = analyse(&[3.25; 4000], &masked);
    assert_eq!(origin, DataOrigin::Constant);
    let (origin, _) = analyse(&field()[..600], &NOTHING);
    assert_eq!(origin, DataOrigin::TooFew);
    // A checkerboard of data and fill has no pairs at all.
    let holes: Vec<f32> = field()
        .iter()
        .enumerate()
        .map(|(i, x)| if i % 2 == 0 { *x } else { 3.25 })
        .collect();
    let (origin, found) = analyse(&holes, &masked);
    assert_eq!((origin, found.significant_bits), (DataOrigin::TooFew, None));
}

#[test]
fn noise_holds_no_information() {
    let mut state = 9_u32;
    let values: Vec<f32> = (0..200_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(0x3f80_0000 | (state.rotate_left(13).wrapping_mul(0x9e37_79b1) >> 9))
        })
        .collect();
    let (origin, found) = analyse(&values, &NOTHING);
    assert_eq!(origin, DataOrigin::Continuous);
    assert!(
        found.information.iter().sum::<f64>() < 0.01,
        "{:?}",
        found.information
    );
}
