//! Chunk shapes for stated reads: what must hold for all of them, and how good they are.

use std::time::Instant;

use frazil_plan::{
    AxisRole, ExistingShape, GoalInput, MOST_CHUNKS, ReadChoice, ReadGoal, ShapeInput, WantedRead,
    cache_for_reads, choose, choose_for_reads, kept_for_reads, parse_reads, parts_for_reads,
};
use frazil_types::{Calibration, Storage};
use proptest::prelude::*;

use AxisRole::{Latitude, Level, Longitude, Other, Time};

/// One variable and what is asked of its chunks.
#[derive(Clone)]
struct Case {
    shape: Vec<u64>,
    roles: Vec<AxisRole>,
    is_record: bool,
    expected: Option<u64>,
    element_bytes: usize,
    current: Option<Vec<u64>>,
    ratio: Option<f64>,
    most_bytes: u64,
    most_records: u64,
    most_chunks: u64,
    storage: Storage,
    reads: &'static str,
}

impl Case {
    fn new(shape: &[u64], roles: &[AxisRole], reads: &'static str) -> Self {
        Self {
            shape: shape.to_vec(),
            roles: roles.to_vec(),
            is_record: false,
            expected: None,
            element_bytes: 4,
            current: None,
            ratio: Some(2.0),
            most_bytes: u64::MAX,
            most_records: u64::MAX,
            most_chunks: MOST_CHUNKS,
            storage: Storage::Local,
            reads,
        }
    }

    fn ar5() -> Self {
        Self::new(
            &[1560, 128, 256],
            &[Time, Latitude, Longitude],
            "map,series",
        )
    }

    fn answer(&self) -> ReadChoice {
        self.ask(|input, goal| choose_for_reads(input, ExistingShape::KeepIfGood, goal))
    }

    /// Puts a question about the variable.
    fn ask<R>(&self, question: impl FnOnce(&GoalInput<'_>, &ReadGoal<'_>) -> R) -> R {
        let reads: Vec<WantedRead> = match self.reads {
            "" => Vec::new(),
            text => parse_reads(text).unwrap_or_default(),
        };
        let axes = 0..self.shape.len();
        let unlimited: Vec<bool> = axes
            .clone()
            .map(|axis| self.is_record && axis == 0)
            .collect();
        let expected: Vec<Option<u64>> = axes
            .map(|axis| self.expected.filter(|_| axis == 0))
            .collect();
        let input = GoalInput {
            shape: ShapeInput {
                shape: &self.shape,
                unlimited: &unlimited,
                element_bytes: self.element_bytes,
                current: self.current.as_deref(),
                dimension_names: &[],
                must_chunk: false,
            },
            roles: &self.roles,
            expected: &expected,
            ratio: self.ratio,
            most_bytes: self.most_bytes,
            most_records: self.most_records,
        };
        let goal = ReadGoal {
            reads: &reads,
            storage: self.storage,
            calibration: &Calibration::default(),
            most_chunks: self.most_chunks,
        };
        question(&input, &goal)
    }

    fn chunk(&self) -> Vec<u64> {
        self.answer().choice.chunk.unwrap_or_default()
    }

    fn bytes(&self, chunk: &[u64]) -> u64 {
        chunk.iter().product::<u64>() * self.element_bytes as u64
    }
}

fn count(shape: &[u64], chunk: &[u64]) -> u64 {
    shape
        .iter()
        .zip(chunk)
        .map(|(n, c)| n.div_ceil(*c))
        .product()
}

/// How many times its best each wanted read costs under the candidate of this name.
fn times_best(choice: &ReadChoice, name: &str) -> Vec<f64> {
    let mut found = choice.candidates.iter().filter(|one| one.name == name);
    let reads = found.next().map_or(&[][..], |one| &one.reads);
    assert!(!reads.is_empty(), "{name}: {choice:?}");
    reads.iter().map(|read| read.times_best).collect()
}

#[test]
fn maps_and_series_of_the_precipitation_file_are_equally_far_from_their_best() {
    let choice = Case::ar5().answer();
    let times = times_best(&choice, "chosen");
    assert!((times[0] / times[1] - 1.0).abs() < 0.2, "{times:?}");
    // The default of 98 x 32 x 64 is good for series and bad for maps.
    let balanced = times_best(&choice, "balanced")
        .into_iter()
        .fold(0.0, f64::max);
    assert!(balanced > 2.0 * times[0], "{balanced}: {times:?}");
    assert!(
        choice.choice.reason.contains("map"),
        "{}",
        choice.choice.reason
    );
}

#[test]
fn no_shape_of_a_fine_grid_serves_the_worse_read_better() {
    let case = Case::ar5();
    let worst =
        |choice: &ReadChoice, name: &str| times_best(choice, name).into_iter().fold(0.0, f64::max);
    let ours = worst(&case.answer(), "chosen");
    for time in [1, 2, 4, 6, 8, 10, 16, 32, 64, 98, 256, 1560] {
        for lat in [16, 22, 32, 64, 128] {
            for lon in [16, 32, 43, 64, 128, 256] {
                let mut other = case.clone();
                other.current = Some(vec![time, lat, lon]);
                let bytes = other.bytes(&[time, lat, lon]);
                if !(16 << 10..=1 << 20).contains(&bytes) {
                    continue;
                }
                let answer = other.answer();
                let name = match answer.candidates.iter().any(|one| one.name == "existing") {
                    true => "existing",
                    false => "chosen",
                };
                let theirs = worst(&answer, name);
                assert!(
                    ours <= theirs * 1.03,
                    "{time} {lat} {lon}: {theirs} beside {ours}"
                );
            }
        }
    }
}

#[test]
fn one_read_alone_gets_its_best() {
    for (reads, whole) in [("map", 1..3), ("series", 0..1)] {
        let mut case = Case::ar5();
        case.reads = reads;
        let choice = case.answer();
        assert!(times_best(&choice, "chosen")[0] < 1.05, "{reads}");
        let chunk = choice.choice.chunk.unwrap();
        assert_eq!(chunk[whole.clone()], case.shape[whole], "{reads}");
    }
}

#[test]
fn a_heavier_read_comes_nearer_to_its_best() {
    let times = |reads| {
        let mut case = Case::ar5();
        case.reads = reads;
        times_best(&case.answer(), "chosen")
    };
    let (even, heavy) = (times("map,series"), times("map,series=3"));
    assert!(heavy[1] < 0.8 * even[1], "{even:?} {heavy:?}");
    assert!((heavy[0] / heavy[1] / 3.0 - 1.0).abs() < 0.3, "{heavy:?}");
}

#[test]
fn far_storage_gets_larger_chunks() {
    let shape = [8760, 37, 721, 1440];
    let bytes = Storage::ALL.map(|storage| {
        let mut case = Case::new(&shape, &[Time, Level, Latitude, Longitude], "map,series");
        case.storage = storage;
        case.most_chunks = u64::MAX;
        let chunk = case.chunk();
        let (least, most) = storage.chunk_bytes();
        assert!(
            (least..=most).contains(&case.bytes(&chunk)),
            "{storage}: {chunk:?}"
        );
        case.bytes(&chunk)
    });
    assert!(bytes.windows(2).all(|pair| pair[0] < pair[1]), "{bytes:?}");
    assert!(bytes[3] >= 4 << 20);
}

#[test]
fn there_are_not_too_many_chunks_unless_asked() {
    let mut case = Case::new(
        &[14600, 37, 721, 1440],
        &[Time, Level, Latitude, Longitude],
        "map,series",
    );
    let chunk = case.chunk();
    assert!(count(&case.shape, &chunk) <= MOST_CHUNKS, "{chunk:?}");
    assert!(case.bytes(&chunk) > 1 << 20);
    case.most_chunks = 100_000_000;
    let chunk = case.chunk();
    assert!(count(&case.shape, &chunk) > MOST_CHUNKS, "{chunk:?}");
    assert!(case.bytes(&chunk) <= 1 << 20);
}

#[test]
fn files_of_a_stream_have_the_same_chunks() {
    let monthly = |days| {
        let mut case = Case::ar5();
        case.shape[0] = days;
        case.is_record = true;
        case.chunk()
    };
    assert_eq!(monthly(28), monthly(31));
    assert_eq!(monthly(365), monthly(366));
    let mut january = Case::ar5();
    january.is_record = true;
    january.expected = Some(1000);
    let chunk = january.chunk();
    for records in [0, 1, 31, 999] {
        january.shape[0] = records;
        assert_eq!(january.chunk(), chunk);
    }
}

#[test]
fn a_writer_that_holds_few_records_gets_chunks_of_few() {
    let mut case = Case::ar5();
    case.is_record = true;
    case.most_records = 3;
    let chunk = case.chunk();
    assert!(chunk[0] <= 3, "{chunk:?}");
    case.most_bytes = 20 << 10;
    assert!(case.bytes(&case.chunk()) <= 20 << 10);
}

#[test]
fn profiles_count_where_levels_are_read() {
    let roles = [Time, Level, Latitude, Longitude];
    let shape = [240, 50, 96, 144];
    let without = Case::new(&shape, &roles, "map,series").chunk();
    let with = Case::new(&shape, &roles, "map,series,profile").chunk();
    assert_eq!(without[1], 1);
    assert!(with[1] > 1, "{with:?}");
    let slab = Case::new(&shape, &roles, "0:all/2:16/3:16").chunk();
    assert_eq!((slab[0], slab[1]), (240, 1));
}

#[test]
fn existing_chunks_stay_where_they_serve_as_well() {
    let mut case = Case::ar5();
    let ours = case.chunk();
    let near = vec![ours[0] + 1, ours[1], ours[2]];
    case.current = Some(near.clone());
    let choice = case.answer().choice;
    assert_eq!(choice.chunk, Some(near));
    assert!(choice.reason.starts_with("kept"), "{}", choice.reason);
    case.current = Some(vec![1, 128, 256]);
    assert_eq!(case.chunk(), ours);
}

#[test]
fn reads_that_a_variable_has_no_axes_for_leave_it_to_the_standard_rule() {
    let case = Case::new(&[40_000, 12], &[Other, Other], "map,series");
    let answer = case.answer();
    assert!(answer.candidates.is_empty());
    let input = ShapeInput {
        shape: &case.shape,
        unlimited: &[false, false],
        element_bytes: 4,
        current: None,
        dimension_names: &[],
        must_chunk: false,
    };
    assert_eq!(answer.choice, choose(&input, &Default::default()));
    let small = Case::new(&[10, 10], &[Latitude, Longitude], "map");
    assert_eq!(small.answer().choice.chunk, None);
}

#[test]
fn a_reader_keeps_what_the_largest_read_touches() {
    let chunk = [10, 16, 128];
    let bytes = Case::ar5().bytes(&chunk);
    let case = |reads| Case::new(&[1560, 128, 256], &[Time, Latitude, Longitude], reads);
    let asked =
        |reads, chunk: &[u64]| case(reads).ask(|input, goal| kept_for_reads(input, chunk, goal));
    // 8 x 2 chunks of a map, 156 of a series.
    assert_eq!(asked("map", &chunk), 16 * bytes);
    assert_eq!(asked("map,series", &chunk), 156 * bytes);
    let cache = |case: Case| case.ask(|input, goal| cache_for_reads(input, &chunk, goal));
    assert_eq!(
        cache(case("map,series")).map(|found| found.bytes),
        Some(156 * bytes)
    );
    assert_eq!(cache(Case::ar5()), cache(case("map,series")));
    // No level, no profile; another file's chunks.
    assert_eq!(asked("profile", &chunk), 0);
    assert_eq!(asked("map", &[10, 16]), 0);
    assert_eq!(asked("map", &[10, 0, 16]), 0);
}

#[test]
fn the_cache_holds_what_a_sweep_touches_again() {
    let choice = Case::ar5().answer();
    let chunk = choice.choice.chunk.unwrap();
    let cache = choice.cache.unwrap();
    let series = 1560_u64.div_ceil(chunk[0]);
    assert_eq!(cache.bytes, series * chunk.iter().product::<u64>() * 4);
    assert!(cache.slots > 10 * series);
}

#[test]
fn planning_takes_milliseconds_up_to_seven_axes() {
    for rank in 1..=7 {
        let shape: Vec<u64> = [97, 60, 50, 40, 30, 20, 3000][7 - rank..].to_vec();
        let mut roles = vec![Other; rank];
        roles[0] = Time;
        if rank > 2 {
            (roles[rank - 2], roles[rank - 1]) = (Latitude, Longitude);
        }
        let case = Case::new(&shape, &roles, "map,series,0:3/1:2/2:5");
        let begin = Instant::now();
        let chunk = case.chunk();
        let seconds = begin.elapsed().as_secs_f64();
        // Twenty times what it takes, for busy machines without optimisation.
        assert!(seconds < 2.0, "{shape:?}: {seconds} s, {chunk:?}");
    }
}

#[test]
fn absurd_ranks_are_planned_all_the_same() {
    for rank in [9, 32] {
        let mut case = Case::new(&vec![3; rank], &vec![Other; rank], "0:all,1:all");
        case.most_chunks = u64::MAX;
        assert_eq!(case.chunk().len(), rank);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn every_shape_keeps_the_rules(
        shape in prop::collection::vec(prop_oneof![1_u64..40, 1_u64..3000], 1..6),
        role_numbers in prop::collection::vec(0_usize..5, 6),
        element_bytes in prop_oneof![Just(1_usize), Just(4), Just(8)],
        storage in 0_usize..4,
        reads in prop_oneof![
            Just(""), Just("map"), Just("series"), Just("map,series=2"), Just("volume,profile"),
            Just("0:10/1:20,series"),
        ],
        is_record: bool,
        most_bytes in prop_oneof![Just(u64::MAX), Just(64_u64 << 10)],
    ) {
        let roles: Vec<AxisRole> =
            role_numbers[..shape.len()].iter().map(|&n| AxisRole::ALL[n]).collect();
        let mut case = Case::new(&shape, &roles, reads);
        case.element_bytes = element_bytes;
        case.storage = Storage::ALL[storage];
        case.is_record = is_record;
        case.most_bytes = most_bytes;
        let answer = case.answer();
        prop_assert_eq!(&answer, &case.answer());
        let Some(chunk) = &answer.choice.chunk else {
            prop_assert!(!is_record);
            return Ok(());
        };
        for axis in 0..shape.len() {
            let longest = match is_record && axis == 0 {
                true => shape[0].next_power_of_two().max(shape[0]),
                false => shape[axis],
            };
            prop_assert!((1..=longest).contains(&chunk[axis]), "{:?}", chunk);
        }
        if !answer.candidates.is_empty() {
            prop_assert!(case.bytes(chunk) <= most_bytes.max(element_bytes as u64));
            // Chunks of 4 GiB, HDF5's longest, are too many of some variables.
            let bytes = shape.iter().fold(element_bytes as f64, |bytes, &n| bytes * n as f64);
            let can_be_few = most_bytes == u64::MAX && bytes < MOST_CHUNKS as f64 * f64::from(1 << 30);
            prop_assert!(count(&shape, chunk) <= MOST_CHUNKS || !can_be_few, "{:?}", chunk);
            let chosen = &answer.candidates[0];
            prop_assert!(chosen.reads.iter().all(|read| read.times_best > 0.99));
            prop_assert!(chosen.reads.iter().all(|read| read.seconds.is_finite()));
        }
        prop_assert!(!answer.choice.reason.contains('\n'));
    }
}

#[test]
fn smaller_parts_of_a_standard_chunk_serve_reads_better() {
    let standard = [98, 32, 64];
    let least = [8, 32, 96, 384].map(|kib| kib << 10);
    let parts = Case::ar5().ask(|input, goal| parts_for_reads(input, goal, &standard, &least));
    let mut worst_before = 0.0;
    for (part, least) in parts.iter().zip(least) {
        assert!(part.chunk.iter().product::<u64>() * 4 >= least);
        let cuts = part
            .chunk
            .iter()
            .zip(standard)
            .map(|(&extent, whole)| whole % extent);
        assert!(
            cuts.zip(&part.chunk)
                .all(|(rest, &extent)| rest == 0 || extent < 20),
            "{part:?}"
        );
        let worst = part
            .reads
            .iter()
            .map(|read| read.times_best)
            .fold(0.0, f64::max);
        assert!(worst > worst_before, "{parts:?}");
        worst_before = worst;
    }
    let without_axes = Case {
        roles: vec![Other; 3],
        ..Case::ar5()
    };
    assert!(
        without_axes
            .ask(|input, goal| parts_for_reads(input, goal, &standard, &least))
            .is_empty()
    );
}
