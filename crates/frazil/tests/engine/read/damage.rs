//! Damaged chunks are refused by name; checksums are compared unless they are to be skipped.

use std::fs;
use std::os::unix::fs::FileExt;

use frazil::{AxisSelection, Checksums, ErrorCode, Reader, ReaderOptions};
use frazil_container::hdf5::Hdf5Input;

use super::support::{data, whole};

#[test]
fn a_damaged_chunk_is_named_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.h5");
    fs::copy(data("chunks.h5"), &path).unwrap();
    let input = Hdf5Input::open(&path).unwrap();
    let datasets = input.datasets();
    let dataset = datasets.iter().find(|d| d.path == "/little").unwrap();
    let records = input.locate(dataset).unwrap();
    let record = &records[4];
    let file = fs::File::options()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    // Only the checksum at the end.
    let at = record.address + record.stored_bytes - 1;
    let mut last = [0];
    file.read_exact_at(&mut last, at).unwrap();
    file.write_all_at(&[last[0] ^ 1], at).unwrap();
    drop(input);

    let reader = Reader::open(&path, &ReaderOptions::default()).unwrap();
    let id = reader.model().variable("little").unwrap();
    let error = whole(&reader, id).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert_eq!(error.file.as_deref(), Some(path.as_path()));
    assert_eq!(error.variable.as_deref(), Some("/little"));
    assert!(error.cause.contains("[4, 4]"), "{}", error.cause);
    let mut part = [0; 16 * 4];
    let first = AxisSelection::dense(0, 4);
    reader.read(id, &[first.clone(), first], &mut part).unwrap();

    let options = ReaderOptions {
        checksums: Checksums::Skip,
        ..ReaderOptions::default()
    };
    let careless = Reader::open(&path, &options).unwrap();
    let good = Reader::open(&data("chunks.h5"), &ReaderOptions::default()).unwrap();
    assert_eq!(whole(&careless, id).unwrap(), whole(&good, id).unwrap());
}

#[test]
fn a_file_cut_short_is_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.h5");
    let bytes = fs::read(data("chunks.h5")).unwrap();
    for part in [0, 1, 100, 1000, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..part]).unwrap();
        let error = Reader::open(&path, &ReaderOptions::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt, "{error}");
    }
    let missing = Reader::open(&folder.path().join("none"), &ReaderOptions::default());
    assert_eq!(missing.unwrap_err().code, ErrorCode::NotFound);
}
