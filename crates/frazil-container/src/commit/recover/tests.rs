//! Journals that were left behind, and files that others touched since.

use std::fs::{File, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
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
    leave_with_mode(0o644, sync, call, fault)
}

fn left_with_mode(mode: u32) -> Left {
    leave_with_mode(mode, false, 8, Fault::FailForGood(libc::EIO))
}

fn leave_with_mode(mode: u32, sync: bool, call: u64, fault: Fault) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, expected(false)).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    let mut file = CommittedFile::open(&path, SUPERBLOCK).unwrap();
    file.set_end(NEW_BYTES);
    file.hold(&superblock(2), SUPERBLOCK);
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

fn superblock(byte: u8) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n".to_vec();
    bytes.resize(48, byte);
    bytes
}

fn expected(fresh: bool) -> Vec<u8> {
    let mut bytes = vec![1; OLD_BYTES as usize];
    bytes[SUPERBLOCK as usize..][..48].copy_from_slice(&superblock(1));
    if fresh {
        bytes.resize(NEW_BYTES as usize, 0);
        bytes[SUPERBLOCK as usize..][..48].copy_from_slice(&superblock(2));
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
        let again = recover(&left.path).unwrap();
        // The last call waits for the journal's removal to reach the disk: nothing is left to do.
        let is_removed = call == 5 && again == Recovery::Clean;
        assert!(again == Recovery::Completed || is_removed, "call {call}");
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
fn damaged_journals_are_refused() {
    let left = left(0);
    let mut bytes = std::fs::read(&left.journal).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&left.journal, &bytes).unwrap();
    assert_refused(&left);
}

#[test]
fn journals_that_others_may_have_written_are_refused() {
    let distrusted = |left: &Left, path: &Path| {
        let before = std::fs::read(&left.path).unwrap();
        let error = recover(path).unwrap_err();
        assert!(matches!(error, ContainerError::Untrusted(_)), "{error}");
        let beside = left_beside(path).unwrap();
        assert!(matches!(beside, LeftBeside::Ignored { .. }), "{beside:?}");
        assert_eq!(std::fs::read(&left.path).unwrap(), before);
    };
    let writable = left(1);
    std::fs::set_permissions(&writable.journal, Permissions::from_mode(0o620)).unwrap();
    distrusted(&writable, &writable.path);

    let twice = left(1);
    std::fs::hard_link(&twice.journal, twice.path.with_file_name("other")).unwrap();
    distrusted(&twice, &twice.path);

    let linked = left(1);
    let moved = linked.path.with_file_name("moved");
    std::fs::rename(&linked.journal, &moved).unwrap();
    symlink(&moved, &linked.journal).unwrap();
    distrusted(&linked, &linked.path);
}

#[test]
fn the_journal_is_that_beside_the_file_not_beside_a_link_to_it() {
    let left = left(1);
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    symlink(&left.path, &link).unwrap();
    let beside_link = folder.path().join("link.frazil-journal");
    std::fs::write(&beside_link, b"forged").unwrap();
    assert_eq!(recover(&link).unwrap(), Recovery::Completed);
    assert_eq!(std::fs::read(&left.path).unwrap(), expected(true));
    assert!(beside_link.exists() && !left.journal.exists());
    assert_eq!(left_beside(&link).unwrap(), LeftBeside::Nothing);
}

#[test]
fn nothing_is_applied_to_what_is_not_hdf5() {
    let left = left(1);
    edit(&left, b"other", SUPERBLOCK);
    assert_refused(&left);
}

#[test]
fn readers_are_told_what_of_a_commit_is_in_the_file() {
    let look = |left: &Left| {
        let before = std::fs::read(&left.path).unwrap();
        let found = left_beside(&left.path).unwrap();
        assert!(left.journal.exists() && std::fs::read(&left.path).unwrap() == before);
        found
    };
    let whole = |left: &Left, is_applied| LeftBeside::Whole {
        journal: left.journal.canonicalize().unwrap(),
        is_applied,
    };
    let none = left(0);
    assert_eq!(look(&none), whole(&none, false));
    let half = left(1);
    assert!(matches!(look(&half), LeftBeside::HalfWay { .. }));
    let all = left_waiting();
    assert_eq!(look(&all), whole(&all, true));
    std::fs::write(&none.journal, b"damaged").unwrap();
    assert!(matches!(look(&none), LeftBeside::Damaged { .. }));
    std::fs::remove_file(&none.journal).unwrap();
    assert_eq!(left_beside(&none.path).unwrap(), LeftBeside::Nothing);
}

#[test]
fn a_journal_is_written_for_those_who_may_read_the_file_and_only_them() {
    for (mode, expected) in [
        (0o600, 0o600),
        (0o644, 0o644),
        (0o666, 0o644),
        (0o640, 0o640),
    ] {
        let left = left_with_mode(mode);
        let metadata = left.journal.metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, expected);
    }
}
