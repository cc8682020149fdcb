//! Files that change while a reader has them open.

use std::fs;

use frazil::{ErrorCode, Reader, ReaderOptions};

use crate::support::{data, whole};

#[test]
fn a_file_that_was_replaced_is_located_again() {
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
    copy("scales.nc");
    assert_eq!(
        whole(&reader, id).unwrap(),
        before,
        "another file, the same variable"
    );
    copy("chunks.h5");
    let error = whole(&reader, id).unwrap_err();
    assert_eq!(error.code, ErrorCode::FileChanged, "{error}");
    copy("scales.nc");
    assert_eq!(whole(&reader, id).unwrap(), before);
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
