//! Journals that were left behind, and files that others touched since.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::commit::CommittedFile;
use crate::commit::faults::{self, Fault};

const OLD_BYTES: u64 = 4096;
const NEW_BYTES: u64 = 8192;
const SUPERBLOCK: u64 = 512;

/// A file whose writer died in the middle of a commit.
struct Left {
    _folder: TempDir,
    path: PathBuf,
    journal: PathBuf,
}

/// A commit that ended after so many of its two changes.
fn left(changes_done: u64) -> Left {
    // Length, bytes above the end, two reservations, journal begun and ended, its name: seven calls
    // before.
    leave(false, 8 + changes_done, Fault::FailForGood(libc::EIO))
}

/// A commit that ended while it waited for the disk with all changes applied.
fn left_waiting() -> Left {
    // Three waits more before, two changes, and the note that they are applied.
    leave(true, 7 + 3 + 2 + 1 + 1, Fault::Fail(libc::EIO))
}

/// Changes at 1000 (over two sectors), at the superblock and above the old end.
fn leave(sync: bool, call: u64, fault: Fault) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, [1; OLD_BYTES as usize]).unwrap();
    let mut file = CommittedFile::open(&path, SUPERBLOCK).unwrap();
    file.set_end(NEW_BYTES);
    file.hold(&[2; 48], SUPERBLOCK);
    file.hold(&[2; 100], 1000);
    file.hold(&[2; 100], OLD_BYTES + 50);
    faults::plan(call, fault);
    assert!(file.commit(sync).is_err());
    faults::clear();
    let journal = folder.path().join("data.frazil-journal");
    assert!(journal.exists());
    Left {
        _folder: folder,
        path,
        journal,
    }
}

fn expected(fresh: bool) -> Vec<u8> {
    let mut bytes = vec![1; OLD_BYTES as usize];
    if fresh {
        bytes.resize(NEW_BYTES as usize, 0);
        bytes[SUPERBLOCK as usize..][..48].fill(2);
        bytes[1000..1100].fill(2);
        bytes[OLD_BYTES as usize + 50..][..100].fill(2);
    }
    bytes
}

fn edit(left: &Left, bytes: &[u8], address: u64) {
    let file = File::options().write(true).open(&left.path).unwrap();
    file.write_all_at(bytes, address).unwrap();
}

fn cut(left: &Left, bytes: u64) {
    let file = File::options().write(true).open(&left.path).unwrap();
    file.set_len(bytes).unwrap();
}

fn assert_refused(left: &Left) {
    let before = std::fs::read(&left.path).unwrap();
    let error = recover(&left.path).unwrap_err();
    assert!(matches!(error, ContainerError::Corrupt(_)), "{error}");
    assert_eq!(
        std::fs::read(&left.path).unwrap(),
        before,
        "nothing is touched"
    );
    assert!(left.journal.exists());
}

#[test]
fn a_decided_commit_is_completed() {
    for changes_done in 0..2 {
        let left = left(changes_done);
        assert_eq!(recover(&left.path).unwrap(), Recovery::Completed);
        assert_eq!(std::fs::read(&left.path).unwrap(), expected(true));
        assert!(!left.journal.exists());
        assert_eq!(recover(&left.path).unwrap(), Recovery::Clean);
    }
}

#[test]
fn recovery_that_fails_is_tried_again() {
    for call in 1..=5 {
        let left = left(1);
        faults::plan(call, Fault::Fail(libc::EIO));
        assert!(recover(&left.path).is_err(), "call {call}");
        faults::clear();
        assert_eq!(recover(&left.path).unwrap(), Recovery::Completed);
        assert_eq!(std::fs::read(&left.path).unwrap(), expected(true));
    }
}

#[test]
fn a_commit_whose_data_were_cut_off_is_taken_back() {
    for changes_done in 0..2 {
        let left = left(changes_done);
        cut(&left, OLD_BYTES);
        assert_eq!(recover(&left.path).unwrap(), Recovery::TakenBack);
        assert_eq!(std::fs::read(&left.path).unwrap(), expected(false));
        assert!(!left.journal.exists());
    }
}

#[test]
fn files_that_others_changed_are_left_alone() {
    let changed = left(1);
    edit(&changed, &[7], 1050);
    assert_refused(&changed);

    let with_new_superblock = left(1);
    edit(&with_new_superblock, &[7; 8], SUPERBLOCK + 28);
    assert_refused(&with_new_superblock);

    let longer = left(1);
    cut(&longer, NEW_BYTES + 1);
    assert_refused(&longer);

    let shorter = left(1);
    cut(&shorter, OLD_BYTES - 1);
    assert_refused(&shorter);

    let other = left(1);
    let copy = std::fs::read(&other.path).unwrap();
    let kept = File::open(&other.path).unwrap();
    std::fs::remove_file(&other.path).unwrap();
    std::fs::write(&other.path, copy).unwrap();
    drop(kept);
    assert_refused(&other);
}

/// Kills fall into the wait for the disk most of all: then everything is applied.
#[test]
fn changes_by_others_before_or_after_all_was_applied_are_kept() {
    let edited = |left: &Left, fresh| {
        edit(left, &[7; 8], SUPERBLOCK + 28);
        let mut both = expected(fresh);
        both[SUPERBLOCK as usize + 28..][..8].fill(7);
        both
    };
    let waiting = left_waiting();
    let both = edited(&waiting, true);
    assert_eq!(recover(&waiting.path).unwrap(), Recovery::Completed);
    assert_eq!(std::fs::read(&waiting.path).unwrap(), both);

    let not_begun = left(0);
    cut(&not_begun, OLD_BYTES);
    let both = edited(&not_begun, false);
    assert_eq!(recover(&not_begun.path).unwrap(), Recovery::Discarded);
    assert_eq!(std::fs::read(&not_begun.path).unwrap(), both);
}

#[test]
fn changes_elsewhere_by_others_are_kept() {
    let left = left(1);
    edit(&left, &[7; 100], 2000);
    assert_eq!(recover(&left.path).unwrap(), Recovery::Completed);
    let mut both = expected(true);
    both[2000..2100].fill(7);
    assert_eq!(std::fs::read(&left.path).unwrap(), both);
}

#[test]
fn damaged_journals_are_refused_and_unsealed_ones_dropped() {
    let left = left(0);
    let mut bytes = std::fs::read(&left.journal).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&left.journal, &bytes).unwrap();
    assert_refused(&left);
    std::fs::remove_file(&left.journal).unwrap();
    let unsealed = left.path.with_file_name("data.frazil-journal-part");
    std::fs::write(&unsealed, &bytes[..30]).unwrap();
    assert_eq!(recover(&left.path).unwrap(), Recovery::Discarded);
    assert!(!unsealed.exists());
}
