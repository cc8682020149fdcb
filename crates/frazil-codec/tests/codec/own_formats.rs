//! frazil's own formats stay what they are: chunks written once decode for ever.
//!
//! `golden/own.bin` has the form that `golden/make.py` describes. It is written anew, after a
//! decision to change a format, by
//! `FRAZIL_WRITE_GOLDEN=1 cargo test -p frazil-codec --test codec own_formats`.

#![expect(clippy::unwrap_used, reason = "a failing helper is a failing test")]

use crate::common::{MAGIC, Random, own_chunks};
use frazil_codec::{BoundEncoder, Scratch};
use frazil_types::{FilterPipeline, FilterSpec, filter_id};

/// Elements of a case: no multiple of anything.
const COUNT: usize = 1103;

/// Smooth numbers with a little noise, as model output has them.
fn field() -> Vec<f64> {
    let mut random = Random(11);
    (0..COUNT)
        .map(|i| {
            let noise = random.below(1000) as f64 * 1e-5;
            let x = i as f64;
            // Arithmetic only, so that every machine makes the same numbers.
            let wave = (x / 90.0) % 2.0 - 1.0;
            60.0 * wave * (1.0 - wave.abs()) + x / 40.0 + noise - 20.0
        })
        .collect()
}

/// The field as numbers of a kind (Pcodec's code) in a byte order.
fn numbers(kind: u32, is_big_endian: bool) -> Vec<u8> {
    let cell = |value: &f64| {
        let mut cell = match kind {
            1 | 3 => (*value as i32).to_le_bytes().to_vec(),
            2 | 4 => ((*value * 1e6) as i64).to_le_bytes().to_vec(),
            5 => (*value as f32).to_le_bytes().to_vec(),
            6 => value.to_le_bytes().to_vec(),
            7 | 8 => ((*value * 100.0) as i16).to_le_bytes().to_vec(),
            _ => (*value as i8).to_le_bytes().to_vec(),
        };
        if is_big_endian {
            cell.reverse();
        }
        cell
    };
    field().iter().flat_map(cell).collect()
}

/// Name, element bytes, filters, raw chunk.
type Case = (String, usize, Vec<FilterSpec>, Vec<u8>);

fn element_bytes(kind: u32) -> u32 {
    match kind {
        1 | 3 | 5 => 4,
        2 | 4 | 6 => 8,
        7 | 8 => 2,
        _ => 1,
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: String, kind: u32, filters: Vec<FilterSpec>, raw: Vec<u8>| {
        cases.push((name, element_bytes(kind) as usize, filters, raw));
    };
    for kind in [1, 2, 3, 4, 5, 6, 7, 8, 10, 11] {
        for order in [0, 1] {
            let pcodec = FilterSpec::new(filter_id::PCODEC, vec![1, kind, order, 8]);
            let raw = numbers(kind, order == 1);
            add(format!("pcodec {kind} {order}"), kind, vec![pcodec], raw);
        }
    }
    let mut random = Random(12);
    let noise: Vec<u8> = (0..800).map(|_| random.below(256) as u8).collect();
    let pcodec = |level| FilterSpec::new(filter_id::PCODEC, vec![1, 6, 0, level]);
    add("pcodec of noise".to_owned(), 6, vec![pcodec(8)], noise);
    add(
        "pcodec of zeros".to_owned(),
        6,
        vec![pcodec(0)],
        vec![0; 8000],
    );
    let checked = vec![FilterSpec::new(filter_id::FLETCHER32, vec![]), pcodec(4)];
    add(
        "pcodec of a checksum".to_owned(),
        6,
        checked,
        numbers(6, false),
    );
    let steps: Vec<u8> = (0..COUNT as u64 * 30)
        .flat_map(|i| (280.0 + (i % 37) as f64 * 0.01).to_le_bytes())
        .collect();
    add("pcodec of multiples".to_owned(), 6, vec![pcodec(8)], steps);

    for (kind, flags) in [
        (10, 0),
        (7, 0),
        (3, 0),
        (3, 1),
        (5, 2),
        (5, 3),
        (6, 2),
        (4, 1),
    ] {
        for (mask, chunk) in [
            (1, vec![1103]),
            (0b110, vec![2, 19, 29]),
            (0b100, vec![1, 1, 1103]),
        ] {
            let raw = numbers(kind, flags & 1 == 1);
            let head = [1, element_bytes(kind), flags, mask, chunk.len() as u32];
            let delta = FilterSpec::new(filter_id::DELTA, [&head[..], &chunk].concat());
            let bytes = element_bytes(kind) as usize;
            let raw = raw[..chunk.iter().product::<u32>() as usize * bytes].to_vec();
            let name = format!("delta {kind} {flags} {mask} {chunk:?}");
            add(name.clone(), kind, vec![delta.clone()], raw.clone());
            let shuffle = FilterSpec::new(filter_id::SHUFFLE, vec![element_bytes(kind)]);
            let zstd = FilterSpec::new(filter_id::ZSTD, vec![3]);
            add(
                format!("{name} zstd"),
                kind,
                vec![delta, shuffle, zstd],
                raw,
            );
        }
    }
    cases.extend(chosen_by_chunk());
    cases
}

/// Chunks that say themselves what was done to them: each kind of number, each goal, what does not
/// shrink, what is no number, and a checksum behind the elements.
fn chosen_by_chunk() -> Vec<Case> {
    let filter = |kind: u32, order: u32, goal: u32, chunk: &[u32]| {
        let head = [
            1,
            kind,
            order,
            element_bytes(kind),
            goal,
            0,
            chunk.len() as u32,
        ];
        FilterSpec::new(filter_id::FRAZIL, [&head[..], chunk].concat())
    };
    let mut cases: Vec<Case> = Vec::new();
    for (kind, order) in [(5, 0), (5, 1), (6, 0), (3, 0), (8, 1), (10, 0)] {
        for goal in 0..4 {
            let bytes = element_bytes(kind) as usize;
            let raw = numbers(kind, order == 1)[..38 * 29 * bytes].to_vec();
            let specs = vec![filter(kind, order, goal, &[38, 29])];
            cases.push((format!("frazil {kind} {order} {goal}"), bytes, specs, raw));
        }
    }
    let mut random = Random(13);
    let noise: Vec<u8> = (0..800).map(|_| random.below(256) as u8).collect();
    let noise_filter = vec![filter(6, 0, 1, &[100])];
    cases.push(("frazil of noise".to_owned(), 8, noise_filter, noise));
    let text = b"no numbers, but words, and the same words again; ".repeat(9);
    let words = FilterSpec::new(filter_id::FRAZIL, vec![1, 0, 0, 7, 0, 0, 1, 63]);
    cases.push(("frazil of text".to_owned(), 7, vec![words], text));
    let checked = vec![
        FilterSpec::new(filter_id::FLETCHER32, vec![]),
        filter(5, 0, 0, &[1103]),
    ];
    let raw = numbers(5, false);
    cases.push(("frazil of a checksum".to_owned(), 4, checked, raw));
    cases
}

fn number(value: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(value).unwrap().to_le_bytes());
}

fn blob(bytes: &[u8], out: &mut Vec<u8>) {
    number(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn encode(case: &Case) -> Vec<u8> {
    let (_, element_bytes, filters, raw) = case;
    let pipeline = FilterPipeline(filters.clone());
    let encoder = BoundEncoder::bind(&pipeline, None, *element_bytes, raw.len()).unwrap();
    let stored = encoder.encode(raw, &mut Scratch::default()).unwrap();
    assert!(stored.len() <= encoder.encode_bound());
    stored
}

fn write_golden(cases: &[Case]) {
    let mut out = MAGIC.to_vec();
    number(cases.len(), &mut out);
    for case in cases {
        let (name, element_bytes, filters, raw) = case;
        blob(name.as_bytes(), &mut out);
        number(*element_bytes, &mut out);
        number(0, &mut out);
        number(filters.len(), &mut out);
        for filter in filters {
            out.extend_from_slice(&filter.id.to_le_bytes());
            out.extend_from_slice(&filter.flags.to_le_bytes());
            number(filter.cd_values.len(), &mut out);
            for value in &filter.cd_values {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
        blob(&encode(case), &mut out);
        number(raw.len(), &mut out);
        blob(
            &miniz_oxide::deflate::compress_to_vec_zlib(raw, 9),
            &mut out,
        );
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/own.bin");
    std::fs::write(path, out).unwrap();
}

#[test]
fn chunks_of_the_past_decode_and_are_what_is_written_today() {
    let cases = cases();
    if std::env::var_os("FRAZIL_WRITE_GOLDEN").is_some() {
        return write_golden(&cases);
    }
    let mut scratch = Scratch::default();
    let golden = own_chunks();
    assert_eq!(golden.len(), cases.len());
    for (chunk, case) in golden.iter().zip(&cases) {
        let (name, _, filters, raw) = case;
        assert_eq!((&chunk.name, &chunk.pipeline.0), (name, filters));
        assert!(chunk.raw == *raw, "{name}: the field changed");
        assert!(chunk.decode(&mut scratch).unwrap() == *raw, "{name}");
        // Compressors may find other matches one day; what is frazil's own has one form.
        if filters.len() == 1 && filters[0].id == filter_id::DELTA {
            assert!(encode(case) == chunk.stored, "{name}");
        }
    }
}

#[test]
fn own_filters_are_mandatory() {
    for chunk in own_chunks() {
        for filter in &chunk.pipeline.0 {
            let is_own = matches!(
                filter.id,
                filter_id::PCODEC | filter_id::DELTA | filter_id::FRAZIL
            );
            assert!(!is_own || filter.flags == 0, "{}", chunk.name);
        }
    }
}

#[test]
fn smooth_numbers_shrink() {
    for case in cases() {
        let shrinks = case.0.starts_with("pcodec 5") || case.0.starts_with("pcodec of multiples");
        let stored = encode(&case);
        assert!(
            !shrinks || stored.len() < case.3.len() * 7 / 8,
            "{}",
            case.0
        );
    }
}
