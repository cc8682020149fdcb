//! Fields as wholes: ranges, seeds, and that neither blocks nor threads change a value.

use frazil_types::{ChunkGrid, Selection};

use super::*;
use frazil_file::progress::Silent;

const SHAPES: [&[u64]; 4] = [&[97], &[23, 31], &[5, 17, 12], &[3, 4, 9, 11]];

/// A field of one pattern, and its whole content.
fn field(pattern: &str, shape: &[u64], seed: u64, noise: Option<Noise>) -> (Field, Vec<f64>) {
    let resources = Resources {
        threads: 2,
        ..Resources::default()
    };
    let limits = Limits::new(&resources);
    let pattern = Pattern::parse(pattern).unwrap();
    let field = Field::new(&pattern, shape, seed, noise, &limits, &mut Silent).unwrap();
    let values = field.values(&Selection::whole(shape));
    (field, values)
}

fn names() -> Vec<&'static str> {
    synth_patterns()
        .iter()
        .map(|pattern| pattern.name)
        .collect()
}

#[test]
fn values_stay_in_the_range_and_reach_its_ends_where_they_are_scaled_to_it() {
    for pattern in synth_patterns() {
        for shape in SHAPES {
            let (_, values) = field(pattern.name, shape, 7, None);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let what = format!("{} over {shape:?}: {least} to {largest}", pattern.name);
            assert!(least >= pattern.min && largest <= pattern.max, "{what}");
            let scaled = ["sin", "poly4", "simplex"];
            if scaled
                .iter()
                .any(|generator| pattern.definition.starts_with(generator))
            {
                let (low, high) = (least - pattern.min, pattern.max - largest);
                assert!(low < 1e-9 && high < 1e-9, "{what}");
            }
        }
    }
}

#[test]
fn every_block_holds_what_the_whole_holds() {
    let noise = Some(Noise {
        amplitude: 0.25,
        kind: NoiseKind::Gaussian,
    });
    let own = "simplex:2:3/interpolator:3/repeater:2";
    for name in names().into_iter().chain([own]) {
        for shape in SHAPES {
            let (field, whole) = field(name, shape, 11, noise);
            for chunk in [2, 5] {
                let extents: Vec<u64> = shape.iter().map(|&n| n.min(chunk)).collect();
                let grid = ChunkGrid::new(shape, &extents).unwrap();
                for number in 0..grid.chunk_count() {
                    compare(&field, &whole, shape, &grid.valid_box(number), name);
                }
            }
        }
    }
}

/// Compares one block with its place in the whole, bit by bit.
fn compare(field: &Field, whole: &[f64], shape: &[u64], part: &Selection, name: &str) {
    let values = field.values(part);
    let block = ChunkGrid::new(&part.count, &vec![1; shape.len()]).unwrap();
    assert_eq!(values.len() as u64, block.chunk_count());
    for (number, value) in (0..).zip(values) {
        let inside = block.offset(number);
        let position = (0..shape.len()).fold(0, |position, axis| {
            position * shape[axis] + part.start[axis] + inside[axis]
        });
        let expected = whole[position as usize];
        assert_eq!(
            value.to_bits(),
            expected.to_bits(),
            "{name} {part:?} {inside:?}"
        );
    }
}

#[test]
fn a_seed_chooses_the_random_numbers_and_nothing_else() {
    for name in names() {
        let of = |seed| field(name, &[20, 20], seed, None).1;
        assert_eq!(of(1), of(1), "{name}");
        let is_random = !["constant", "steps", "sin"]
            .iter()
            .any(|generator| name.starts_with(generator));
        assert_eq!(of(1) != of(2), is_random, "{name}");
    }
}

#[test]
fn patterns_are_what_they_are_called() {
    let steps = field("steps2", &[6], 0, None).1;
    assert_eq!(steps, [0.0, 100.0, 0.0, 100.0, 0.0, 100.0]);
    let steps = field("steps2", &[2, 4], 0, None).1;
    let third = 100.0 / 3.0;
    let expected = [
        0.0,
        third,
        2.0 * third,
        100.0,
        third,
        2.0 * third,
        100.0,
        0.0,
    ];
    assert!(
        steps
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9)
    );
    // One wave over 4 elements: sin of a quarter, a half, three quarters and a whole turn.
    let wave = field("sin11", &[4], 0, None).1;
    assert!((wave[0], wave[2]) == (100.0, 1.0) && (wave[1] - 50.5).abs() < 1e-9);
    assert!(
        field("constant35", &[3], 0, None)
            .1
            .iter()
            .all(|&v| v == 35.333_535_3)
    );
    let repeated = field("randomRep10-100", &[25, 25], 0, None).1;
    assert_eq!(repeated[0], repeated[9 * 25 + 9]);
    assert_ne!(repeated[0], repeated[10]);
}

#[test]
fn interpolated_values_pass_through_the_random_ones() {
    let random = field("random1-100", &[21, 21], 5, None).1;
    let smooth = field("random/interpolator:10", &[21, 21], 5, None).1;
    for at in [0, 10, 20, 10 * 21, 10 * 21 + 10, 20 * 21 + 20] {
        let expected = (random[at] - 1.0) / 99.0;
        assert!((smooth[at] - expected).abs() < 1e-12, "element {at}");
    }
}

#[test]
fn uniform_noise_is_no_larger_than_its_amplitude() {
    let plain = field("sin35", &[50, 50], 3, None).1;
    let noise = Some(Noise {
        amplitude: 0.5,
        kind: NoiseKind::Uniform,
    });
    let noisy = field("sin35", &[50, 50], 3, noise).1;
    let differences: Vec<f64> = noisy.iter().zip(&plain).map(|(a, b)| a - b).collect();
    let largest = differences.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    assert!(largest <= 0.5 + 1e-9 && largest > 0.49, "{largest}");
    assert!(mean.abs() < 0.03, "{mean}");
}

/// The bits of a few values, so that no platform, compiler or library version changes them unseen.
#[test]
fn values_are_the_same_everywhere() {
    let hash = |values: &[f64]| {
        values
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, value| {
                (hash ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3)
            })
    };
    let noise = Some(Noise {
        amplitude: 1.0,
        kind: NoiseKind::Gaussian,
    });
    let found: Vec<(&str, u64)> = ["sin35", "poly4-234-3", "simplex206", "randomIpol10-100"]
        .into_iter()
        .map(|name| (name, hash(&field(name, &[4, 15, 20], 42, noise).1)))
        .collect();
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [(&str, u64); 4] = [
    ("sin35", 11_093_979_352_652_105_724),
    ("poly4-234-3", 8_009_102_904_999_607_626),
    ("simplex206", 16_374_195_595_923_293_853),
    ("randomIpol10-100", 14_883_927_136_674_094_304),
];

#[test]
fn the_file_has_the_same_bytes_at_any_thread_count_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let write = |threads, memory_bytes| {
        let path = folder.path().join(format!("{threads}.nc"));
        let options = SynthOptions {
            patterns: vec!["simplex106".to_owned(), "randomIpol2-100".to_owned()],
            shape: vec![6, 200, 300],
            noise: Some(Noise {
                amplitude: 0.1,
                kind: NoiseKind::Uniform,
            }),
            resources: Resources {
                threads,
                memory_bytes,
                ..Resources::default()
            },
            ..SynthOptions::default()
        };
        let report = synth(&path, &options, &mut Silent).unwrap();
        assert_eq!(report.variables.len(), 5, "three coordinates, two fields");
        std::fs::read(&path).unwrap()
    };
    let first = write(1, 256 << 20);
    assert!(first == write(3, 256 << 20) && first == write(2, 32 << 20));
}

#[test]
fn what_cannot_be_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let base = || SynthOptions {
        shape: vec![4, 4],
        ..SynthOptions::default()
    };
    let noise = |amplitude| {
        Some(Noise {
            amplitude,
            kind: NoiseKind::Gaussian,
        })
    };
    let wrong = [
        SynthOptions {
            shape: vec![],
            ..base()
        },
        SynthOptions {
            shape: vec![1; 5],
            ..base()
        },
        SynthOptions {
            shape: vec![4, 0],
            ..base()
        },
        SynthOptions {
            shape: vec![u64::MAX, 2],
            ..base()
        },
        SynthOptions {
            patterns: vec!["sin99".to_owned()],
            ..base()
        },
        SynthOptions {
            patterns: vec![],
            ..base()
        },
        SynthOptions {
            range: Some((2.0, 1.0)),
            ..base()
        },
        SynthOptions {
            range: Some((f64::NAN, 1.0)),
            ..base()
        },
        SynthOptions {
            range: Some((0.0, 300.0)),
            number: NumberType::Int8,
            ..base()
        },
        SynthOptions {
            noise: noise(-1.0),
            ..base()
        },
        SynthOptions {
            noise: noise(f64::INFINITY),
            ..base()
        },
        SynthOptions {
            noise: noise(10.0),
            number: NumberType::Int8,
            ..base()
        },
    ];
    for options in wrong {
        let error = synth(&path, &options, &mut Silent).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
