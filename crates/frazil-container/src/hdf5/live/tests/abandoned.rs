//! Writers that give up: the file gets the length of its last commit.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::model::BLOCK_BYTES;
use super::script::{Script, holds};
use crate::commit::faults::{self, Fault};
use crate::hdf5::LiveOutput;

/// Commits after 8 steps, and no more.
const SCRIPT: Script = Script {
    seed: 5,
    steps: 12,
    every: 8,
    sync: false,
    rewrites: true,
};

/// A file of 8 steps, and its bytes.
fn committed(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..8, |_| ()).unwrap();
    output.finish(false).unwrap();
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

/// Opens a file to append to it, and writes steps without a commit.
fn appending(path: &Path) -> LiveOutput {
    let (output, _) = LiveOutput::open(path, BLOCK_BYTES).unwrap();
    let before = path.metadata().unwrap().len();
    SCRIPT.run(&output, path, 8..12, |_| ()).unwrap();
    assert!(
        path.metadata().unwrap().len() > before,
        "nothing to cut off"
    );
    output
}

#[test]
fn a_writer_that_gives_up_leaves_the_bytes_of_the_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (path, before) = committed(folder.path());
    drop(appending(&path));
    assert!(fs::read(&path).unwrap() == before);

    let output = Script::create(&path.with_extension("new")).unwrap();
    let path = path.with_extension("new");
    SCRIPT.run(&output, &path, 0..8, |_| ()).unwrap();
    let before = fs::read(&path).unwrap();
    SCRIPT.run(&output, &path, 8..12, |_| ()).unwrap();
    drop(output);
    assert!(fs::read(&path).unwrap() == before);
    holds(&path, &SCRIPT.state(8)).unwrap();
}

#[test]
fn a_commit_that_failed_leaves_the_bytes_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, before) = committed(folder.path());
    for call in 1..3 {
        let output = appending(&path);
        faults::plan(call, Fault::Fail(libc::ENOSPC));
        assert!(output.commit(false).is_err());
        faults::clear();
        drop(output);
        assert!(fs::read(&path).unwrap() == before, "call {call}");
    }
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = committed(folder.path());
    let output = appending(&path);
    let bytes = path.metadata().unwrap().len();
    // A superblock of version 2 says at byte 28 where the file ends.
    let other = File::options().write(true).open(&path).unwrap();
    other.write_all_at(&bytes.to_le_bytes(), 28).unwrap();
    drop(output);
    assert_eq!(path.metadata().unwrap().len(), bytes);
}

#[test]
fn what_a_journal_may_need_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = committed(folder.path());
    let output = appending(&path);
    let bytes = path.metadata().unwrap().len();
    fs::write(folder.path().join("live.nc.frazil-journal"), b"journal").unwrap();
    drop(output);
    assert_eq!(path.metadata().unwrap().len(), bytes);
}
