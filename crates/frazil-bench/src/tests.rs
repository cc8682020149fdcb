//! The loop on real files, beside what `frazil pack` stores for the same variables.

use std::path::{Path, PathBuf};

use frazil::{
    ChunkOverride, ChunkPolicy, Destination, PackOptions, PackReport, ShufflePolicy, Silent,
};
use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicFormat, ClassicModel,
    ClassicVariable, ClassicWriter, NcType,
};

use crate::codec_loop::{measure, run_once};
use crate::report::Report;
use crate::work::Work;

const RECORDS: u64 = 6;
const ROWS: u64 = 90;
const COLUMNS: u64 = 110;

/// A classic file with a record variable, a fixed one that is mostly fill, and a scalar.
fn write_classic(folder: &Path) -> PathBuf {
    let dimension = |name: &str, length, is_record| ClassicDimension {
        name: name.to_owned(),
        length,
        is_record,
    };
    let variable = |name: &str, nc_type, dimensions: &[usize]| ClassicVariable {
        name: name.to_owned(),
        dimensions: dimensions.to_vec(),
        attributes: Vec::new(),
        nc_type,
    };
    let mut model = ClassicModel {
        dimensions: vec![
            dimension("time", RECORDS, true),
            dimension("y", ROWS, false),
            dimension("x", COLUMNS, false),
        ],
        attributes: Vec::new(),
        variables: vec![
            variable("t", NcType::Float, &[0, 1, 2]),
            variable("count", NcType::Short, &[0, 1, 2]),
            variable("mask", NcType::Int, &[1, 2]),
            variable("crs", NcType::Int, &[]),
        ],
    };
    model.variables[2].attributes.push(ClassicAttribute {
        name: "_FillValue".to_owned(),
        value: AttributeValue::Int(vec![0]),
    });
    let path = folder.join("classic.nc");
    let mut writer = ClassicWriter::create(&path, ClassicFormat::Cdf2, &model).unwrap();
    let cells = ROWS * COLUMNS;
    for record in 0..RECORDS {
        let smooth = |i: u64| (i as f32 / 700.0 + record as f32).sin() * 30.0;
        let floats: Vec<u8> = (0..cells).flat_map(|i| smooth(i).to_ne_bytes()).collect();
        let counts: Vec<u8> = (0..cells)
            .flat_map(|i| (smooth(i) as i16).to_ne_bytes())
            .collect();
        let (start, count) = ([record, 0, 0], [1, ROWS, COLUMNS]);
        writer.put(0, &start, &count, &floats).unwrap();
        writer.put(1, &start, &count, &counts).unwrap();
    }
    // Fill in all but the first rows.
    let mask: Vec<u8> = (0..cells)
        .flat_map(|i| if i < 500 { i as i32 } else { 0 }.to_ne_bytes())
        .collect();
    writer.put(2, &[0, 0], &[ROWS, COLUMNS], &mask).unwrap();
    writer.put(3, &[], &[], &7_i32.to_ne_bytes()).unwrap();
    writer.finish().unwrap();
    path
}

/// New chunks of 2 x 40 x 110: those at the upper edge of y stick out.
fn new_chunks(level: u32, shuffle: ShufflePolicy) -> PackOptions {
    let extents = [("time", 2), ("y", 40), ("x", COLUMNS)];
    let request = ChunkOverride {
        variable: "*".to_owned(),
        extents: extents.map(|(name, n)| (name.to_owned(), n)).to_vec(),
    };
    PackOptions {
        chunk_overrides: vec![request],
        level: Some(level),
        shuffle,
        ..PackOptions::default()
    }
}

fn same_chunks(level: u32, shuffle: ShufflePolicy) -> PackOptions {
    PackOptions {
        chunks: ChunkPolicy::Keep,
        level: Some(level),
        shuffle,
        ..PackOptions::default()
    }
}

fn pack(input: &Path, name: &str, options: &PackOptions) -> (PathBuf, PackReport) {
    let output = input.with_file_name(name);
    let destination = Destination::File(output.clone());
    let report = frazil::pack(input, &destination, options, &mut Silent).unwrap();
    (output, report)
}

/// Raw and stored bytes of the variables that are in the loop, as packing reports them.
fn packed_bytes(report: &PackReport, left_out: &[&str]) -> (u64, u64) {
    let inside = report
        .variables
        .iter()
        .filter(|one| !left_out.contains(&one.path.as_str()));
    inside.fold((0, 0), |(raw, stored), one| {
        (raw + one.raw_bytes, stored + one.stored_bytes)
    })
}

fn left_out(report: &Report) -> Vec<&str> {
    report
        .left_out
        .iter()
        .map(|one| one.path.as_str())
        .collect()
}

#[test]
fn a_classic_file_is_encoded_as_packing_would() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let options = new_chunks(4, ShufflePolicy::On);
    let report = measure(&path, &options, 3).unwrap();
    assert_eq!(left_out(&report), ["/crs"]);
    let (_, packed) = pack(&path, "packed.nc", &options);
    let expected = packed_bytes(&packed, &["/crs"]);
    assert_eq!((report.raw_bytes, report.stored_bytes), expected);
    assert_eq!(report.chunks, 9 + 9 + 3);
    assert!(report.stored_bytes < report.raw_bytes);
    assert!(report.median_seconds > 0.0 && report.rounds == 3);
}

#[test]
fn stored_chunks_are_decoded_and_encoded_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let (shuffled, _) = pack(&path, "shuffled.nc", &new_chunks(1, ShufflePolicy::On));
    let (_, direct) = pack(&path, "direct.nc", &new_chunks(6, ShufflePolicy::Off));
    let report = measure(&shuffled, &same_chunks(6, ShufflePolicy::Off), 1).unwrap();
    // Two chunks of the mask are nothing but fill: they were not stored.
    assert_eq!(
        (left_out(&report), report.chunks),
        (vec!["/crs"], 9 + 9 + 1)
    );
    let (_, stored) = packed_bytes(&direct, &["/crs"]);
    assert_eq!(report.stored_bytes, stored);
}

#[test]
fn chunks_that_stay_as_they_are_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let (packed, first) = pack(&path, "packed.nc", &new_chunks(4, ShufflePolicy::On));
    let same = same_chunks(4, ShufflePolicy::On);
    let plan = frazil::plan(&packed, &same, &mut frazil::Silent).unwrap();
    let copied = plan.variables.iter().filter(|variable| variable.copy_raw);
    assert_eq!(copied.count(), 3);
    let report = measure(&packed, &same, 1).unwrap();
    let (_, stored) = packed_bytes(&first, &["/crs"]);
    assert_eq!(report.stored_bytes, stored);
}

#[test]
fn threads_share_the_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let work = Work::load(&path, &new_chunks(1, ShufflePolicy::On)).unwrap();
    assert_eq!(work.chunks.len(), 9 + 9 + 3);
    let alone = run_once(&work, 1).unwrap().stored_bytes;
    for threads in [2, 3, 64] {
        assert_eq!(run_once(&work, threads).unwrap().stored_bytes, alone);
    }
}

#[test]
fn variables_in_new_chunks_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let (packed, _) = pack(&path, "packed.nc", &new_chunks(1, ShufflePolicy::On));
    let request = ChunkOverride {
        variable: "t".to_owned(),
        extents: vec![("y".to_owned(), 7)],
    };
    let rechunked = PackOptions {
        chunk_overrides: vec![request],
        ..same_chunks(1, ShufflePolicy::Off)
    };
    let report = measure(&packed, &rechunked, 1).unwrap();
    assert_eq!(
        (left_out(&report), report.chunks),
        (vec!["/t", "/crs"], 9 + 1)
    );
}

#[test]
fn a_damaged_chunk_names_its_variable() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let (packed, _) = pack(&path, "packed.nc", &new_chunks(1, ShufflePolicy::On));
    let mut work = Work::load(&packed, &same_chunks(6, ShufflePolicy::On)).unwrap();
    work.chunks[0].bytes.truncate(9);
    let variable = work.recodings[work.chunks[0].recoding].variable.clone();
    let error = run_once(&work, 2).unwrap_err().to_string();
    assert!(error.starts_with(&variable), "{error}");
}

#[test]
fn the_json_has_the_names_that_scripts_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let report = measure(&path, &new_chunks(1, ShufflePolicy::On), 2).unwrap();
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    for name in [
        "median_seconds",
        "cpu_seconds",
        "raw_bytes",
        "stored_bytes",
        "threads",
    ] {
        assert!(json[name].is_number(), "{name}");
    }
    assert_eq!(json["left_out"][0]["path"], "/crs");
    assert!(
        report
            .text()
            .contains("left out       /crs: not chunked in the output")
    );
}

#[test]
fn many_threads_open_what_one_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_classic(folder.path());
    let (packed, _) = pack(&path, "packed.nc", &new_chunks(1, ShufflePolicy::On));
    let report = crate::open::measure(&[path, packed.clone()], &[1, 16], 8).unwrap();
    let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(row["opened"], 16);
        assert_eq!(row["objects"], json["rows"][0]["objects"]);
    }
    let absent = packed.with_file_name("absent.nc");
    assert!(crate::open::measure(&[packed, absent], &[2], 1).is_err());
}
