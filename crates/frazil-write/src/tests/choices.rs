//! What the writer decides: rounding, plans, commits of its own, chunks for commits.

use std::path::Path;

use super::read;
use super::script::{Random, options};
use crate::{
    DimensionLength, LayoutRequest, OwnCommits, PrecisionStatement, VariableSettings, Writer,
    WriterOptions,
};
use frazil_container::classic::NcType;
use frazil_container::schema::{Schema, ValueType, VariableId};
use frazil_file::input::Input;
use frazil_precision::stated::StatedPrecision;
use frazil_types::{
    ByteOrder, ElementClass, ElementType, ErrorCode, PrecisionRequest, QuantizeAlgorithm,
    ReaderLevel,
};

const GROWS: DimensionLength = DimensionLength::Unlimited { expected: None };

/// A file of floats `v` over `time` and so many others.
fn floats(
    path: &Path,
    options: &WriterOptions,
    row: u64,
    settings: VariableSettings,
) -> (Writer, VariableId) {
    let mut writer = Writer::create(path, options).unwrap();
    let time = writer.add_dimension(Schema::ROOT, "time", GROWS).unwrap();
    let fixed = DimensionLength::Fixed(row);
    let x = writer.add_dimension(Schema::ROOT, "x", fixed).unwrap();
    let float = ValueType::Atomic(NcType::Float);
    let v = writer.add_variable(Schema::ROOT, "v", float, &[time, x], settings);
    (writer, v.unwrap())
}

/// Smooth values with noise in their last bits.
fn record(number: u64, row: u64) -> Vec<u8> {
    let mut random = Random(number);
    let value = |i: u64| {
        let phase = (i as f32) / 30.0 + number as f32 / 7.0;
        280.0 + 20.0 * phase.sin() + random.below(1000) as f32 * 1e-5
    };
    (0..row).map(value).flat_map(f32::to_le_bytes).collect()
}

fn stated(path: &Path) -> Option<StatedPrecision> {
    let input = Input::open(path).unwrap();
    let number = input
        .variables()
        .iter()
        .position(|v| v.path == "/v")
        .unwrap();
    frazil_precision::stated::stated_precision(&input, number).unwrap()
}

#[test]
fn values_are_rounded_as_asked_and_the_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for (statement, name) in [
        (PrecisionStatement::Cf, "a"),
        (PrecisionStatement::NetCdf, "b"),
    ] {
        let path = folder.path().join(name);
        let settings = VariableSettings {
            precision: Some(PrecisionRequest {
                significant_bits: Some(9),
                ..PrecisionRequest::default()
            }),
            statement,
            ..VariableSettings::default()
        };
        let (mut writer, v) = floats(&path, &options(64 << 20, 2), 5000, settings);
        for number in 0..4 {
            let bytes = record(number, 5000);
            writer
                .put(v, &[number, 0], &[1, 5000], None, &bytes)
                .unwrap();
        }
        writer.close().unwrap();
        let written: Vec<u8> = (0..4).flat_map(|number| record(number, 5000)).collect();
        let pairs = read(&path, "/v").1;
        for (rounded, value) in pairs
            .as_chunks::<4>()
            .0
            .iter()
            .zip(written.as_chunks::<4>().0)
        {
            let (rounded, value) = (f32::from_le_bytes(*rounded), f32::from_le_bytes(*value));
            assert!((rounded - value).abs() <= value.abs() / 1024.0);
            assert_eq!(rounded.to_bits() & ((1 << 14) - 1), 0);
        }
        assert_eq!(stated(&path).unwrap().significant_bits, Some(9));
    }
}

/// As fv3atm does it: the points from the least to the greatest value of the record.
fn on_grid(values: &[u8], nbits: u32) -> Vec<f32> {
    let values = values.as_chunks::<4>().0.iter();
    let values: Vec<f64> = values.map(|&v| f64::from(f32::from_le_bytes(v))).collect();
    let data = || values.iter().copied().filter(|&value| value < 1e30);
    let low = data().fold(f64::INFINITY, f64::min);
    let high = data().fold(f64::NEG_INFINITY, f64::max);
    let step = (high - low) / f64::from((1 << nbits) - 1);
    let point = |&value: &f64| match value < 1e30 {
        true => (low + step * ((value - low) / step).round()) as f32,
        false => value as f32,
    };
    values.iter().map(point).collect()
}

#[test]
fn linear_rounding_is_over_the_range_of_each_call() {
    const ROW: u64 = 300_000;
    const FILL: f32 = 9.969_21e36;
    let folder = tempfile::tempdir().unwrap();
    for is_big_endian in [false, true] {
        let path = folder.path().join(format!("{is_big_endian}.nc"));
        let settings = VariableSettings {
            precision: Some(PrecisionRequest {
                nbits: Some(14),
                ..PrecisionRequest::default()
            }),
            is_big_endian,
            ..VariableSettings::default()
        };
        let (mut writer, v) = floats(&path, &options(64 << 20, 2), ROW, settings);
        let mut wanted = Vec::new();
        for number in 0..3 {
            // More than one piece; with fill values, and records of different ranges.
            let mut bytes = record(number, ROW);
            let scale = 1.0 + 10.0 * number as f32;
            for (i, value) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let scaled = f32::from_le_bytes(*value) * scale;
                let is_fill = i % 1000 == 7;
                *value = if is_fill { FILL } else { scaled }.to_le_bytes();
            }
            wanted.push((on_grid(&bytes, 14), bytes.clone()));
            writer
                .put(v, &[number, 0], &[1, ROW], None, &bytes)
                .unwrap();
            if number == 1 {
                writer.sync().unwrap();
            }
        }
        // One value is the only point of its grid.
        let alone = 281.234_56_f32;
        writer
            .put(v, &[3, 5], &[1, 1], None, &alone.to_le_bytes())
            .unwrap();
        writer.close().unwrap();
        let stored = read(&path, "/v").1;
        let float = |bytes: &[u8; 4]| match is_big_endian {
            true => f32::from_be_bytes(*bytes),
            false => f32::from_le_bytes(*bytes),
        };
        let stored: Vec<f32> = stored.as_chunks::<4>().0.iter().map(float).collect();
        let mut largest = 0_f64;
        for (number, (grid, original)) in wanted.iter().enumerate() {
            let row = &stored[number * ROW as usize..(number + 1) * ROW as usize];
            assert_eq!(row, grid);
            for (rounded, value) in row.iter().zip(original.as_chunks::<4>().0) {
                let error = f64::from(*rounded) - f64::from(f32::from_le_bytes(*value));
                largest = largest.max(error.abs());
            }
        }
        assert_eq!(stored[3 * ROW as usize + 5], alone);
        let stated = stated(&path).unwrap();
        assert_eq!(stated.algorithm, Some(QuantizeAlgorithm::Linear));
        assert_eq!(stated.bound.absolute, Some(largest));
    }
}

#[test]
fn precision_that_needs_all_values_is_refused_before_any() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let settings = VariableSettings {
        precision: Some(PrecisionRequest {
            keep_information: Some(0.99),
            ..PrecisionRequest::default()
        }),
        ..VariableSettings::default()
    };
    let exact = VariableSettings::default();
    let (mut writer, v) = floats(&path, &options(64 << 20, 1), 10, exact);
    let error = writer.set_settings(v, settings).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.cure.unwrap().contains("analyze"));
    writer
        .put(v, &[0, 0], &[1, 10], None, &record(0, 10))
        .unwrap();
    assert!(writer.set_settings(v, VariableSettings::default()).is_err());
    writer.close().unwrap();
}

#[test]
fn what_was_decided_is_kept_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.nc");
    let some = WriterOptions {
        keep_plan: true,
        ..options(64 << 20, 2)
    };
    let (mut writer, v) = floats(&first, &some, 5000, VariableSettings::default());
    for number in 0..40 {
        writer
            .put(v, &[number, 0], &[1, 5000], None, &record(number, 5000))
            .unwrap();
    }
    assert!(writer.plan().unwrap().variables.is_empty());
    writer.sync().unwrap();
    let plan = writer.plan().unwrap();
    let storage = writer.storage(v).unwrap();
    writer.close().unwrap();
    let input = Input::open(&first).unwrap();
    let kept = input
        .attributes(None)
        .unwrap()
        .text("frazil_plan")
        .map(str::to_owned);
    let kept: frazil_types::WritePlan = serde_json::from_str(&kept.unwrap()).unwrap();
    assert_eq!(kept, plan);
    // Other values, that would be stored otherwise.
    let second = folder.path().join("second.nc");
    let replay = WriterOptions {
        plan: Some(kept),
        ..options(32 << 20, 1)
    };
    let (mut writer, v) = floats(&second, &replay, 5000, VariableSettings::default());
    let mut random = Random(1);
    let noise: Vec<u8> = (0..20_000).map(|_| random.next() as u8).collect();
    writer.put(v, &[0, 0], &[1, 5000], None, &noise).unwrap();
    assert_eq!(writer.storage(v).unwrap(), storage);
    writer.close().unwrap();
}

#[test]
fn stated_filters_are_those_of_variables_that_ask_for_none() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "bitshuffle+zstd(3)",
        "delta+shuffle+zstd(1)",
        "pcodec(4)",
        "shuffle+lz4",
    ] {
        let path = folder.path().join("out.nc");
        let some = WriterOptions {
            filters: Some(text.parse().unwrap()),
            readable_by: ReaderLevel::Frazil,
            overwrite: true,
            ..options(64 << 20, 2)
        };
        let settings = VariableSettings {
            layout: LayoutRequest::Chunked(vec![4, 5000]),
            ..VariableSettings::default()
        };
        let (mut writer, v) = floats(&path, &some, 5000, settings);
        let mut put = Vec::new();
        for number in 0..10 {
            let values = record(number, 5000);
            writer
                .put(v, &[number, 0], &[1, 5000], None, &values)
                .unwrap();
            put.extend(values);
        }
        let float = ElementType {
            class: ElementClass::Float,
            size_bytes: 4,
            order: ByteOrder::Little,
        };
        let chain = some.filters.clone().unwrap();
        let stored = writer.storage(v).unwrap().filters.unwrap();
        assert_eq!(stored, chain.resolve(float, &[4, 5000]), "{text}");
        writer.close().unwrap();
        assert_eq!(read(&path, "/v"), (vec![10, 5000], put), "{text}");
        let everybody = WriterOptions {
            readable_by: ReaderLevel::Any,
            ..some
        };
        let refused = Writer::create(&path, &everybody).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{refused}");
    }
}

#[test]
fn a_program_that_never_syncs_has_commits_when_records_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, 5000]),
        ..VariableSettings::default()
    };
    let some = WriterOptions {
        commits: OwnCommits::EveryBytes(100_000),
        ..options(64 << 20, 1)
    };
    let (mut writer, v) = floats(&path, &some, 5000, settings);
    for number in 0..40 {
        writer
            .put(v, &[number, 0], &[1, 5000], None, &record(number, 5000))
            .unwrap();
    }
    let report = writer.report().unwrap();
    assert_eq!(report.commits, 7);
    writer.abandon();
    assert_eq!(read(&path, "/v").0, [35, 5000]);
}

#[test]
fn a_commit_per_record_writes_every_chunk_once() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, syncs: bool| {
        let path = folder.path().join(name);
        let settings = VariableSettings::default();
        let (mut writer, v) = floats(&path, &options(64 << 20, 2), 50_000, settings);
        for number in 0..20 {
            let bytes = record(number, 50_000);
            writer
                .put(v, &[number, 0], &[1, 50_000], None, &bytes)
                .unwrap();
            if syncs {
                writer.sync().unwrap();
            }
        }
        let report = writer.close().unwrap();
        (report, std::fs::metadata(&path).unwrap().len())
    };
    let (_, alone) = run("alone.nc", false);
    let (report, synced) = run("synced.nc", true);
    assert!(
        synced as f64 <= 1.05 * alone as f64,
        "{synced} after {alone}"
    );
    assert!(report.written_bytes as f64 <= 1.1 * report.stored_bytes as f64);
}
