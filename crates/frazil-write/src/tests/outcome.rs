//! What calls report: errors that last, reuse, what is left behind.

use std::path::Path;

use super::read;
use super::script::{Random, options};
use crate::{DimensionLength, LayoutRequest, OwnCommits, VariableSettings, Writer, WriterOptions};
use frazil_container::classic::NcType;
use frazil_container::schema::{Schema, ValueType, VariableId};
use frazil_types::ErrorCode;

const ROW: u64 = 1000;

/// A file of one variable `v` (records of [`ROW`] integers, one chunk each).
fn rows(path: &Path, options: &WriterOptions) -> (Writer, VariableId) {
    let options = WriterOptions {
        commits: OwnCommits::Never,
        ..options.clone()
    };
    let mut writer = Writer::create(path, &options).unwrap();
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(Schema::ROOT, "time", grows).unwrap();
    let fixed = DimensionLength::Fixed(ROW);
    let x = writer.add_dimension(Schema::ROOT, "x", fixed).unwrap();
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, ROW]),
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    let v = writer.add_variable(Schema::ROOT, "v", int, &[time, x], settings);
    (writer, v.unwrap())
}

fn noise(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..4 * ROW).map(|_| random.below(7) as u8).collect()
}

fn put(
    writer: &mut Writer,
    variable: VariableId,
    record: u64,
    bytes: &[u8],
) -> frazil_file::error::Result<()> {
    writer.put(variable, &[record, 0], &[1, ROW], None, bytes)
}

#[test]
fn a_failed_write_comes_back_at_every_call_and_loses_no_commit() {
    for threads in [0, 1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        let (mut writer, v) = rows(&path, &options(16 << 20, threads));
        for record in 0..5 {
            put(&mut writer, v, record, &noise(record)).unwrap();
        }
        writer.sync().unwrap();
        writer.fail_after(3);
        let error = (5..10_000)
            .find_map(|record| put(&mut writer, v, record, &noise(record)).err())
            .unwrap();
        assert_eq!(error.code, ErrorCode::NoSpace);
        assert_eq!(error.variable.as_deref(), Some("/v"));
        assert!(error.cause.contains("chunk at ["), "{}", error.cause);
        assert_eq!(put(&mut writer, v, 0, &noise(0)).unwrap_err(), error);
        assert_eq!(writer.sync().unwrap_err(), error);
        assert_eq!(writer.close().unwrap_err(), error);
        let (shape, values) = read(&path, "/v");
        assert_eq!(shape, [5, ROW]);
        let expected: Vec<u8> = (0..5).flat_map(noise).collect();
        assert!(values == expected);
    }
}

#[test]
fn wrong_arguments_concern_their_call_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 1));
    type Call<'a> = (&'a [u64], &'a [u64], Option<&'a [u64]>, usize);
    let calls: [Call<'_>; 6] = [
        (&[0], &[1], None, 4),
        (&[0, 999], &[1, 2], None, 8),
        (&[0, 0], &[1, 2], None, 4),
        (&[0, 0], &[1, 2], Some(&[1, 0]), 8),
        (&[0, 0], &[1, 2], Some(&[1, 1000]), 8),
        (&[u64::MAX, 0], &[2, 1], None, 8),
    ];
    for (start, count, stride, bytes) in calls {
        let error = writer
            .put(v, start, count, stride, &vec![0; bytes])
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
    writer.put(v, &[3, 0], &[0, 7], None, &[]).unwrap();
    put(&mut writer, v, 0, &noise(1)).unwrap();
    writer.close().unwrap();
    assert_eq!(read(&path, "/v"), (vec![1, ROW], noise(1)));
}

#[test]
fn equal_and_constant_chunks_are_packed_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 1));
    let contents = |record: u64| match record % 4 {
        0 => vec![0; 4 * ROW as usize],
        1 => 7_i32.to_le_bytes().repeat(ROW as usize),
        _ => noise(record % 4),
    };
    for record in 0..40 {
        put(&mut writer, v, record, &contents(record)).unwrap();
    }
    let report = writer.close().unwrap();
    assert_eq!((report.chunks, report.chunks_reused), (40, 38));
    assert_eq!(report.raw_bytes, 40 * 4 * ROW);
    assert!(report.ratio > 2.0 && report.stored_bytes > 0);
    assert!(report.variables[0].filters.contains("deflate"));
    assert_eq!(
        read(&path, "/v").1,
        (0..40).flat_map(contents).collect::<Vec<_>>()
    );
}

#[test]
fn filters_are_decided_by_real_data_after_constant_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 2));
    let mut random = Random(5);
    let rough: Vec<u8> = (0..4 * ROW).map(|_| random.next() as u8).collect();
    put(&mut writer, v, 0, &vec![1; 4 * ROW as usize]).unwrap();
    put(&mut writer, v, 1, &rough).unwrap();
    put(&mut writer, v, 0, &rough).unwrap();
    let report = writer.close().unwrap();
    assert_eq!(report.variables[0].filters, "none");
    assert_eq!(read(&path, "/v").1, [rough.clone(), rough].concat());
}

#[test]
fn filters_are_decided_by_an_incomplete_chunk_where_a_commit_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 2));
    let mut random = Random(5);
    let rough: Vec<u8> = (0..4 * (ROW - 1)).map(|_| random.next() as u8).collect();
    writer.put(v, &[0, 1], &[1, ROW - 1], None, &rough).unwrap();
    writer.sync().unwrap();
    writer
        .put(v, &[0, 0], &[1, 1], None, &[1, 2, 3, 4])
        .unwrap();
    let report = writer.close().unwrap();
    assert_eq!(report.variables[0].filters, "none");
    assert_eq!(
        read(&path, "/v").1,
        [&[1, 2, 3, 4], rough.as_slice()].concat()
    );
}

#[test]
fn a_writer_without_a_commit_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 2));
    put(&mut writer, v, 0, &noise(0)).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_dropped_writer_leaves_its_last_commit_and_a_new_one_must_be_asked_to_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let some = options(16 << 20, 2);
    let (mut writer, v) = rows(&path, &some);
    put(&mut writer, v, 0, &noise(0)).unwrap();
    writer.sync().unwrap();
    put(&mut writer, v, 1, &noise(1)).unwrap();
    let second = Writer::create(&path, &some).unwrap_err();
    assert_eq!(second.code, ErrorCode::Locked);
    drop(writer);
    assert_eq!(read(&path, "/v"), (vec![1, ROW], noise(0)));
    let second = Writer::create(&path, &some).unwrap_err();
    assert_eq!(second.code, ErrorCode::AlreadyExists);
    let replace = WriterOptions {
        overwrite: true,
        ..some
    };
    let (mut writer, v) = rows(&path, &replace);
    put(&mut writer, v, 0, &noise(3)).unwrap();
    writer.close().unwrap();
    assert_eq!(read(&path, "/v"), (vec![1, ROW], noise(3)));
}

#[test]
fn single_elements_make_whole_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 2));
    let values = noise(9);
    for record in 0..20 {
        for (i, value) in values.chunks_exact(4).enumerate() {
            writer
                .put(v, &[record, i as u64], &[1, 1], None, value)
                .unwrap();
        }
    }
    let report = writer.close().unwrap();
    assert_eq!((report.chunks, report.spilled_bytes), (20, 0));
    assert_eq!(read(&path, "/v").1, values.repeat(20));
}

#[test]
fn variables_keep_the_order_of_their_definition() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (mut writer, v) = rows(&path, &options(16 << 20, 2));
    let add = |writer: &mut Writer, name: &str, value_type| {
        let settings = VariableSettings::default();
        writer.add_variable(Schema::ROOT, name, value_type, &[], settings)
    };
    let int = ValueType::Atomic(NcType::Int);
    add(&mut writer, "b", int).unwrap();
    let text = add(&mut writer, "a", ValueType::String).unwrap();
    // Strings are written at once, before variables defined earlier.
    writer
        .put_strings(text, &[], &[], None, &["x".into()])
        .unwrap();
    put(&mut writer, v, 0, &noise(0)).unwrap();
    writer.sync().unwrap();
    let early = add(&mut writer, "early", int).unwrap();
    let late = add(&mut writer, "late", int).unwrap();
    for variable in [late, early] {
        writer
            .put(variable, &[], &[], None, &7_i32.to_le_bytes())
            .unwrap();
    }
    writer.close().unwrap();
    let input = frazil_file::input::Input::open(&path).unwrap();
    let paths: Vec<&str> = input.variables().iter().map(|v| v.path.as_str()).collect();
    let own = paths
        .iter()
        .filter(|path| ["/v", "/b", "/a", "/early", "/late"].contains(path));
    assert_eq!(
        own.collect::<Vec<_>>(),
        [&"/v", &"/b", &"/a", &"/early", &"/late"]
    );
}

#[test]
fn a_file_that_nobody_can_find_any_more_is_an_error_of_the_end() {
    for is_replaced in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        let (mut writer, v) = rows(&path, &options(16 << 20, 1));
        put(&mut writer, v, 0, &noise(0)).unwrap();
        writer.sync().unwrap();
        match is_replaced {
            true => {
                std::fs::write(folder.path().join("other"), b"other").unwrap();
                std::fs::rename(folder.path().join("other"), &path).unwrap();
            }
            false => std::fs::remove_file(&path).unwrap(),
        }
        put(&mut writer, v, 1, &noise(1)).unwrap();
        let error = writer.close().unwrap_err();
        assert!(
            error.cause.contains("removed or replaced"),
            "{}",
            error.cause
        );
        assert_eq!(path.exists(), is_replaced);
        assert!(!is_replaced || std::fs::read(&path).unwrap() == b"other");
    }
}

#[test]
fn a_file_that_got_another_name_has_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let (path, moved) = (folder.path().join("out.nc"), folder.path().join("moved.nc"));
    let (mut writer, v) = rows(&path, &options(16 << 20, 1));
    put(&mut writer, v, 0, &noise(0)).unwrap();
    std::fs::rename(&path, &moved).unwrap();
    writer.close().unwrap();
    assert!(read(&moved, "/v").1 == noise(0) && !path.exists());
}
