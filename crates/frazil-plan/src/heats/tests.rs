use frazil_codec::Scratch;
use frazil_types::{ByteOrder, ElementClass, ElementType};

use super::*;
use crate::candidates::candidate;
use crate::goal::Goal;
use crate::score::Score;

const FLOAT32: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};
const NAMES: [&str; 5] = [
    "lz4",
    "shuffle+zstd(1)",
    "shuffle+zstd(3)",
    "shuffle+zstd(9)",
    "shuffle+bzip2(9)",
];

/// From 0 to 1, without anything that a compressor could find.
fn noise(i: usize) -> f32 {
    let mixed = (i as u32).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
    (mixed ^ (mixed >> 16)) as f32 / u32::MAX as f32
}

/// A wave with some noise; numbered samples differ.
fn sample(number: usize, bytes: usize) -> Vec<u8> {
    let value = |i: usize| {
        let x = (number * 7919 + i) as f32;
        250.0 + 40.0 * (x / 900.0).sin() + noise(number * 7919 + i) * 0.04
    };
    (0..bytes / 4)
        .flat_map(|i| value(i).to_le_bytes())
        .collect()
}

fn shortlist(names: &[&str]) -> Vec<&'static CandidateFilters> {
    names.iter().filter_map(|name| candidate(name)).collect()
}

fn rules(first: FirstHeat, seconds: Option<f64>) -> Rules {
    Rules {
        first,
        tolerance: 0.0,
        seconds,
    }
}

fn outcome(samples: &[Vec<u8>], first: FirstHeat) -> Outcome {
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(samples, FLOAT32, &[16, 2048], &mut scratch);
    let shortlist = shortlist(&NAMES);
    let score = Score::of(Goal::Size);
    let rules = rules(first, None);
    run(&mut trial, &shortlist, rules, |one, share| {
        score.cost(one, share)
    })
    .unwrap()
}

fn best(outcome: &Outcome) -> (&str, u64) {
    let of = |one: &Tried| (one.candidate.name(), one.chosen.bytes);
    outcome
        .finalists
        .iter()
        .map(of)
        .min_by_key(|one| one.1)
        .unwrap()
}

#[test]
fn only_the_best_are_tried_on_all_samples() {
    let samples: Vec<_> = (0..4).map(|number| sample(number, 128 << 10)).collect();
    let all = outcome(&samples, FirstHeat::None);
    let few = outcome(&samples, FirstHeat::Sample);
    assert_eq!(all.finalists.len(), NAMES.len());
    assert!((1..=3).contains(&few.finalists.len()));
    assert_eq!(best(&few), best(&all));
    // What was dropped is told with a share near that on all samples.
    let names = |outcome: &Outcome| -> Vec<String> {
        outcome
            .tried
            .iter()
            .map(|one| one.filters.clone())
            .collect()
    };
    assert_eq!(names(&few), names(&all));
    for (estimate, exact) in few.tried.iter().zip(&all.tried) {
        assert!(
            (estimate.share / exact.share - 1.0).abs() < 0.1,
            "{estimate:?} {exact:?}"
        );
    }
}

#[test]
fn where_one_sample_decides_nothing_all_are_tried_on_all() {
    let small: Vec<_> = (0..4).map(|number| sample(number, 16 << 10)).collect();
    let finalists = |samples: &[Vec<u8>], first| outcome(samples, first).finalists.len();
    assert_eq!(finalists(&small, FirstHeat::Sample), NAMES.len());
    assert_eq!(finalists(&small, FirstHeat::Part), NAMES.len());
    let one = [sample(0, 256 << 10), Vec::new()];
    assert_eq!(finalists(&one, FirstHeat::Sample), NAMES.len());
}

#[test]
fn a_part_of_a_sample_decides_where_filters_are_slow() {
    let samples = [sample(0, 128 << 10)];
    let all = outcome(&samples, FirstHeat::None);
    let few = outcome(&samples, FirstHeat::Part);
    assert!(few.finalists.len() < NAMES.len());
    // What is taken does about as well as the best on the whole sample, which serves bzip2 best.
    let (taken, _) = best(&few);
    let of_taken = all
        .finalists
        .iter()
        .find(|one| one.candidate.name() == taken);
    let bytes = of_taken.unwrap().chosen.bytes as f64;
    assert!(
        bytes <= best(&all).1 as f64 * 1.15,
        "{taken} {bytes} {:?}",
        best(&all)
    );
    assert_eq!(few.tried.len(), all.tried.len());
}

#[test]
fn slow_levels_of_what_is_far_are_not_tried() {
    let samples = [sample(0, 16 << 10)];
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(&samples, FLOAT32, &[16, 2048], &mut scratch);
    let shortlist = shortlist(&["shuffle+zstd(3)", "zstd(22)", "shuffle+zstd(22)"]);
    let rules = rules(FirstHeat::Sample, None);
    let found = run(&mut trial, &shortlist, rules, |_, share| share).unwrap();
    let went_on: Vec<&str> = found
        .finalists
        .iter()
        .map(|one| one.candidate.name())
        .collect();
    assert_eq!(went_on, ["shuffle+zstd(3)", "shuffle+zstd(22)"]);
    // The slowest of the fast levels speaks for the one that was not tried.
    let fast = candidate("zstd(9)").unwrap();
    let bytes = trial.bytes_with(fast, &samples[0]).unwrap();
    assert_eq!(found.tried[1].share, bytes as f64 / (16 << 10) as f64);
}

#[test]
fn what_is_much_slower_and_no_better_goes_no_further() {
    let mut scratch = Scratch::default();
    let samples = [sample(0, 4 << 10)];
    let trial = Trial::new(&samples, FLOAT32, &[16, 2048], &mut scratch);
    let named = [("mafisc(4)", 0.400), ("lorenzo+shuffle+zstd(15)", 0.403)];
    let shortlist = shortlist(&named.map(|one| one.0));
    let mut found = entries(&trial, &shortlist);
    for (entry, (_, share)) in found.iter_mut().zip(named) {
        entry.share = share;
    }
    let goes_on = |tolerance| finalists(&found, &[true, true], tolerance, |one| one.share);
    assert_eq!(goes_on(0.0), [true, true]);
    assert_eq!(goes_on(0.01), [false, true]);
}

#[test]
fn a_fast_compressor_stands_in_where_nothing_is_compared() {
    let samples = [sample(0, 4 << 10)];
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(&samples, FLOAT32, &[16, 2048], &mut scratch);
    let shortlist = shortlist(&["mafisc(4)", "lz4"]);
    let rules = rules(FirstHeat::StandIn, None);
    let found = run(&mut trial, &shortlist, rules, |_, share| share).unwrap();
    let mut bytes = |name: &str| {
        let fast = candidate(name).unwrap();
        trial.bytes_with(fast, &samples[0]).unwrap()
    };
    // What it leaves tells that filters pay: differences are not tried, though they leave less.
    let (alone, behind_differences) = (bytes("shuffle+zstd(1)"), bytes("lorenzo+shuffle+zstd(1)"));
    assert!(behind_differences < alone);
    assert_eq!(best(&found), ("mafisc(4)", alone));
    assert_eq!(found.tried.len(), 1);
}

#[test]
fn differences_are_tried_where_the_compressor_alone_tells_little() {
    // Ever the same step: nothing comes again but the differences.
    let ramp: Vec<u8> = (0..2048_u32)
        .flat_map(|i| i.wrapping_mul(0x0101_0407).to_le_bytes())
        .collect();
    let samples = [ramp];
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(&samples, FLOAT32, &[16, 128], &mut scratch);
    let shortlist = shortlist(&["pcodec(4)", "shuffle+zstd(3)"]);
    let rules = rules(FirstHeat::StandIn, None);
    let found = run(&mut trial, &shortlist, rules, |_, share| share).unwrap();
    // Next to nothing is left: only filters like the stand-in are known to make use of that.
    let (name, bytes) = best(&found);
    assert_eq!(name, "shuffle+zstd(3)");
    assert!(bytes < 8192 / 20, "{bytes}");
}

#[test]
fn the_first_heat_is_on_what_varies() {
    let mut samples = vec![vec![0; 128 << 10]; 4];
    samples[2] = sample(2, 128 << 10);
    let mut scratch = Scratch::default();
    let trial = Trial::new(&samples, FLOAT32, &[], &mut scratch);
    let heat = heat_of(&trial, FirstHeat::Sample).unwrap();
    assert_eq!((heat.sample, heat.bytes), (2, 0..128 << 10));
    let heat = heat_of(&trial, FirstHeat::Part).unwrap();
    assert_eq!((heat.sample, heat.bytes), (2, 48 << 10..80 << 10));
}

#[test]
fn of_small_variables_in_large_files_only_a_part_is_tried() {
    let samples = [sample(0, 64 << 10)];
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(&samples, FLOAT32, &[64, 256], &mut scratch);
    let shortlist = shortlist(&["shuffle+zstd(3)", "shuffle+zstd(9)", "lz4"]);
    let of_bytes = |bytes| seconds_of(bytes, shortlist.iter().copied());
    let mut tried = |seconds| {
        let rules = rules(FirstHeat::Sample, Some(seconds));
        run(&mut trial, &shortlist, rules, |_, share| share)
            .unwrap()
            .tried
    };
    let all = tried(of_bytes(64 << 10));
    let part = tried(of_bytes(24 << 10));
    assert_eq!(part.len(), all.len());
    assert!(
        all.iter().zip(&part).all(|(all, part)| {
            all.share != part.share && (part.share / all.share - 1.0).abs() < 0.1
        }),
        "{all:?} {part:?}"
    );
    // What takes longest is left out, so that the rest is tried on more.
    let names = |tried: &[TriedChain]| -> Vec<String> {
        tried.iter().map(|one| one.filters.clone()).collect()
    };
    assert_eq!(
        names(&tried(of_bytes(12 << 10))),
        ["shuffle+zstd(3)", "lz4"]
    );
    // Less would decide nothing.
    assert_eq!(names(&tried(5e-6)), ["shuffle+zstd(3)"]);
}

#[test]
fn what_is_slow_and_the_likeliest_is_not_left_out() {
    let samples = [sample(0, 16 << 10)];
    let mut scratch = Scratch::default();
    let trial = Trial::new(&samples, FLOAT32, &[16, 256], &mut scratch);
    let left = |names: &[&str], seconds| {
        let mut found = entries(&trial, &shortlist(names));
        leave_out(&mut found, seconds);
        let names = found.iter().map(|one| one.candidate.name());
        names.collect::<Vec<&str>>()
    };
    let slow = ["mafisc(4)", "pcodec(12)", "shuffle+zstd(3)"];
    assert_eq!(left(&slow, 1.0), slow);
    let mafisc = candidate("mafisc(4)").unwrap().seconds_of(16 << 10);
    assert_eq!(left(&slow, mafisc + 1e-4), ["mafisc(4)", "shuffle+zstd(3)"]);
    // Nothing can be tried beside it: it stands alone in the end, but all are told.
    assert_eq!(left(&slow, 1e-6), slow);
    let fast = ["lorenzo+shuffle+zstd(15)", "lz4", "shuffle+zstd(3)"];
    assert_eq!(left(&fast, 1e-4), ["lz4", "shuffle+zstd(3)"]);
}

#[test]
fn slow_levels_that_cannot_be_worth_it_are_not_tried_where_time_is_short() {
    let samples = [sample(0, 16 << 10)];
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(&samples, FLOAT32, &[16, 256], &mut scratch);
    let shortlist = shortlist(&["shuffle+zstd(9)", "shuffle+zstd(22)"]);
    // What takes ten times as long is not worth a few percent.
    let rank = |one: &CandidateFilters, share| share + 10.0 / one.encode_mb_s;
    let mut went_on = |seconds| {
        let rules = rules(FirstHeat::Sample, seconds);
        run(&mut trial, &shortlist, rules, rank)
            .unwrap()
            .finalists
            .len()
    };
    assert_eq!(went_on(None), 2);
    assert_eq!(went_on(Some(60.0)), 1);
}

/// Samples of maps that hardly change from one to the next: a part is one map, and differences along time are not in it.
#[test]
fn a_part_is_not_believed_where_it_lacks_an_axis() {
    let value = |i: usize| 250.0 + noise(i % 8192) + noise(i / 8192 + 77) * 1e-5;
    let maps = (0..4 * 8192).flat_map(|i| value(i).to_le_bytes());
    let samples = [maps.collect::<Vec<u8>>()];
    let outcome = |first| {
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(&samples, FLOAT32, &[16, 64, 128], &mut scratch);
        let named = shortlist(&["pcodec(8)", "delta+shuffle+zstd(9)"]);
        run(&mut trial, &named, rules(first, None), |_, share| share).unwrap()
    };
    let (all, few) = (outcome(FirstHeat::None), outcome(FirstHeat::Part));
    assert_eq!(best(&few).0, best(&all).0);
}

#[test]
fn dear_filters_are_not_tried_where_next_to_nothing_is_left() {
    let outcome = |samples: &[Vec<u8>]| {
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(samples, FLOAT32, &[16, 2048], &mut scratch);
        let named = shortlist(&["shuffle+zstd(3)", "mafisc(4)"]);
        run(
            &mut trial,
            &named,
            rules(FirstHeat::None, None),
            |_, share| share,
        )
        .unwrap()
    };
    let names = |outcome: &Outcome| -> Vec<String> {
        let tried = outcome.tried.iter();
        tried.map(|one| one.filters.clone()).collect()
    };
    let varied = outcome(&[sample(0, 32 << 10)]);
    assert_eq!(names(&varied), ["shuffle+zstd(3)", "mafisc"]);
    let fill = outcome(&[vec![0; 32 << 10]]);
    assert_eq!(names(&fill), ["shuffle+zstd(3)"]);
    assert_eq!(fill.finalists.len(), 1);
}

/// Shares of filters on a sample by name, with what may be hoped for; whether each goes on, and its share afterwards.
fn settled(
    named: &[(&str, f64, Option<f64>)],
    samples: &[Vec<u8>],
    seconds: Option<f64>,
) -> Vec<(bool, f64)> {
    let mut scratch = Scratch::default();
    let mut trial = Trial::new(samples, FLOAT32, &[16, 2048], &mut scratch);
    let names: Vec<&str> = named.iter().map(|one| one.0).collect();
    let mut entries = entries(&trial, &shortlist(&names));
    for (entry, &(_, share, hope)) in entries.iter_mut().zip(named) {
        (entry.share, entry.hope) = (share, hope);
    }
    let is_tried = vec![true; named.len()];
    let by_share = |_: &CandidateFilters, share| share;
    let goes_on = settle(&mut trial, &mut entries, &is_tried, seconds, by_share).unwrap();
    let shares = entries.iter().map(|one| one.share);
    goes_on.into_iter().zip(shares).collect()
}

#[test]
fn what_may_be_better_on_all_samples_is_tried_there() {
    let samples = [sample(0, 4096)];
    let goes = |slow_hope, fast_hope| {
        let named = [
            ("shuffle+zstd(3)", 0.01, None),
            ("mafisc(4)", 0.02, Some(slow_hope)),
            ("zstd(3)", 0.02, Some(fast_hope)),
        ];
        let found = settled(&named, &samples, None);
        assert!(found[0].0);
        (found[1].0, found[2].0)
    };
    // What is slow must promise something.
    assert_eq!(goes(0.0097, 0.0099), (true, true));
    assert_eq!(goes(0.0099, 0.0101), (false, false));
}

#[test]
fn nothing_is_taken_for_what_it_made_of_a_part_while_there_is_time() {
    let samples = [sample(0, 4096)];
    let named = [
        ("shuffle+zstd(3)", 0.9, None),
        ("pcodec(4)", 0.001, Some(0.001)),
    ];
    let found = settled(&named, &samples, None);
    assert!(found[1].0 && found[1].1 > 0.1, "{found:?}");
    let hurried = settled(&named, &samples, Some(0.0));
    assert_eq!(hurried[1], (true, 0.001));
}

#[test]
fn the_highest_level_of_zstd_gives_way_where_it_makes_nothing_smaller() {
    let names = |bytes: Vec<u8>, named: &[&str], tolerance| -> Vec<String> {
        let samples = [bytes];
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(&samples, FLOAT32, &[16, 2048], &mut scratch);
        let rules = Rules {
            tolerance,
            ..rules(FirstHeat::None, None)
        };
        let outcome = run(&mut trial, &shortlist(named), rules, |_, share| share).unwrap();
        let finalists = outcome.finalists.iter();
        finalists
            .map(|one| one.candidate.name().to_owned())
            .collect()
    };
    let wave = || sample(0, 32 << 10);
    let both = ["shuffle+zstd(3)", "shuffle+zstd(22)"];
    let lowered = ["shuffle+zstd(3)", "shuffle+zstd(19)"];
    assert_eq!(names(wave(), &both, 0.005), lowered);
    assert_eq!(names(wave(), &both, 0.0), both);
    // Where next to nothing is left, it may be much.
    assert_eq!(names(vec![0; 32 << 10], &both, 0.005), both);
    let all = ["shuffle+zstd(3)", "shuffle+zstd(19)", "shuffle+zstd(22)"];
    assert_eq!(names(wave(), &all, 0.005), lowered);
}
