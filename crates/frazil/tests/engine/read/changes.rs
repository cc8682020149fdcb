//! Files that change while a reader has them open.

use std::fs;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use frazil::schema::{Schema, ValueType};
use frazil::{
    DimensionLength, ErrorCode, LayoutRequest, NcType, Reader, ReaderOptions, VariableSettings,
    Writer, WriterOptions,
};

use super::support::{data, whole};

#[test]
fn a_file_whose_name_went_to_another_is_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.nc");
    let copy = |name: &str| {
        let beside = folder.path().join("beside");
        fs::copy(data(name), &beside).unwrap();
        fs::rename(&beside, &path).unwrap();
    };
    copy("scales.nc");
    let reader = Reader::open(&path, &ReaderOptions::default()).unwrap();
    let id = reader.model().variable("short").unwrap();
    let before = whole(&reader, id).unwrap();
    copy("chunks.h5");
    assert_eq!(
        whole(&reader, id).unwrap(),
        before,
        "the file that was opened"
    );
    let other = Reader::open(&path, &ReaderOptions::default()).unwrap();
    let number = other.model().variable("short").unwrap();
    assert_ne!(whole(&other, number).unwrap(), before);
}

#[test]
fn a_file_that_is_gone_is_still_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.nc");
    fs::copy(data("scales.nc"), &path).unwrap();
    let reader = Reader::open(&path, &ReaderOptions::default()).unwrap();
    let id = reader.model().variable("short").unwrap();
    let before = whole(&reader, id).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(whole(&reader, id).unwrap(), before);
}

/// Writes one number over all values of a file in two parts, as a program that is held up in
/// between.
fn overwrite(path: &std::path::Path, at: u64, number: i32, pause: Duration) {
    let half = number.to_le_bytes().repeat(VALUES / 2);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(&half, at).unwrap();
    sleep(pause);
    file.write_all_at(&half, at + half.len() as u64).unwrap();
}

const VALUES: usize = 1 << 12;

#[test]
fn reads_of_a_file_that_is_changed_in_place_never_mix_two_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.nc");
    let mut writer = Writer::create(&path, &WriterOptions::default()).unwrap();
    let length = DimensionLength::Fixed(VALUES as u64);
    let x = writer.add_dimension(Schema::ROOT, "x", length).unwrap();
    let settings = VariableSettings {
        layout: LayoutRequest::Contiguous,
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    let id = writer
        .add_variable(Schema::ROOT, "v", int, &[x], settings)
        .unwrap();
    let first = 123_456_789_i32.to_ne_bytes().repeat(VALUES);
    writer
        .put(id, &[0], &[VALUES as u64], None, &first)
        .unwrap();
    writer.close().unwrap();
    let content = fs::read(&path).unwrap();
    let at = content.windows(64).position(|part| part == &first[..64]);
    let at = at.unwrap() as u64;
    let reader = Reader::open(&path, &ReaderOptions::default()).unwrap();
    let id = reader.model().variable("v").unwrap();
    let done = AtomicBool::new(false);
    let good = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    match whole(&reader, id) {
                        Ok(values) => {
                            assert!(values.chunks(4).all(|value| value == &values[..4]));
                            good.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => assert_eq!(error.code, ErrorCode::FileChanged, "{error}"),
                    }
                }
            });
        }
        for number in 0..6 {
            // As long as a file system without leases leaves no doubt, and longer.
            let pause = [5, 50][number as usize % 2 * usize::from(cfg!(target_os = "linux"))];
            overwrite(&path, at, number, Duration::from_millis(pause));
            sleep(Duration::from_millis(300));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(good.into_inner() > 0, "nothing was read");
}
