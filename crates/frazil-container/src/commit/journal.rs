//! The journal of one commit: what it changes below the committed end of the file, before and
//! after.
//!
//! It is a file beside the data file, complete from the moment it has its name. All numbers are
//! little-endian:
//!
//! ```text
//! magic "FRZJRNL1" | commit | device | inode | old end | new end | sealed bytes | ranges
//! for each range: address | length | old bytes | new bytes
//! CRC-32 of everything before it
//! "A", once all changes are applied (only written where a long wait for the disk follows)
//! ```

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{self, Disk, Identity, NewJournal, Readers};
use crate::beside;

/// Behind the data file's name.
const SUFFIX: &str = ".frazil-journal";
pub(super) const MAGIC: &[u8; 8] = b"FRZJRNL1";
/// Numbers between the magic and the first range.
pub(super) const HEADER_NUMBERS: usize = 7;
/// What follows the checksum once all changes are applied.
pub(super) const APPLIED: &[u8] = b"A";
/// Bytes that a kill or a power cut may leave half written: a sector of the medium.
pub(super) const SECTOR_BYTES: u64 = 512;

/// Bytes of the file that a commit replaces by as many others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) address: u64,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
}

/// A commit that is about to change the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Journal {
    /// Number of the commit in its writer's life.
    pub(super) commit: u64,
    pub(super) file: Identity,
    /// End of the file as of the last commit.
    pub(super) old_end: u64,
    /// End of the file as of this commit.
    pub(super) new_end: u64,
    /// Length of the file when the journal was sealed.
    pub(super) sealed_bytes: u64,
    pub(super) changes: Vec<Change>,
}

/// The sealed journal of the data file at `path`.
pub(super) fn sealed_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(SUFFIX);
    PathBuf::from(name)
}

/// Where a writer's journals lie.
#[derive(Debug, Clone)]
pub(super) struct JournalPath {
    /// The sealed journal.
    pub(super) sealed: PathBuf,
    /// One being written.
    pub(super) unsealed: PathBuf,
}

impl JournalPath {
    /// Those of a new writer of the data file at `path`.
    ///
    /// # Errors
    /// If the journal's name would be too long.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let sealed = sealed_path(path);
        if sealed
            .file_name()
            .is_some_and(|name| name.len() > beside::LONGEST_NAME_BYTES)
        {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        Ok(Self {
            sealed,
            unsealed: beside::temporary_path(path, &beside::word())?,
        })
    }
}

/// What a file's sectors say about changes. Sectors that a change leaves as they were say nothing,
/// unless they are foreign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Survey {
    /// Some are as before the commit.
    pub(super) old: bool,
    /// Some are as after it.
    pub(super) new: bool,
    /// Some are partly old and partly new.
    pub(super) torn: bool,
    /// Where the first one is that others changed.
    pub(super) foreign: Option<u64>,
}

impl Survey {
    /// Whether nothing of the commit is in the file.
    pub(super) fn is_before(&self) -> bool {
        self.old && !self.new && !self.torn
    }

    /// Whether all of it is.
    pub(super) fn is_after(&self) -> bool {
        self.new && !self.old && !self.torn
    }
}

impl Change {
    /// Compares the file's bytes with the change, sector by sector.
    pub(super) fn look(&self, disk: &Disk, survey: &mut Survey) -> io::Result<()> {
        let mut present = vec![0; self.old.len()];
        disk.read(&mut present, self.address)?;
        let mut done = 0;
        while done < present.len() {
            let address = self.address + done as u64;
            let left_in_sector = SECTOR_BYTES - address % SECTOR_BYTES;
            let end = present.len().min(done + left_in_sector as usize);
            let (old, new) = (&self.old[done..end], &self.new[done..end]);
            let sector = &present[done..end];
            match (sector == old, sector == new) {
                (true, true) => {}
                (true, false) => survey.old = true,
                (false, true) => survey.new = true,
                _ if is_torn_once(sector, new, old) || is_torn_once(sector, old, new) => {
                    survey.torn = true;
                }
                _ => survey.foreign = survey.foreign.or(Some(address)),
            }
            done = end;
        }
        Ok(())
    }
}

/// Whether `bytes` begin as `first` and end as `second` (either part may be empty).
fn is_torn_once(bytes: &[u8], first: &[u8], second: &[u8]) -> bool {
    let agreeing = bytes.iter().zip(first).take_while(|(a, b)| a == b).count();
    bytes[agreeing..] == second[agreeing..]
}

impl Journal {
    /// Writes the journal and gives it its name; from then on the commit is decided.
    ///
    /// Who may read the data file may read the journal: it tells them what is in the file.
    pub(super) fn seal(&self, path: &JournalPath, readers: Readers, sync: bool) -> io::Result<()> {
        let sealed = self
            .write(&path.unsealed, readers, sync)
            .and_then(|()| disk::rename(&path.unsealed, &path.sealed));
        if sealed.is_err() {
            // Best effort: an unsealed journal means nothing, and the disk may be full.
            let _ = std::fs::remove_file(&path.unsealed);
        }
        sealed
    }

    /// Notes in the sealed journal that all changes are applied.
    pub(super) fn mark_applied(path: &JournalPath) -> io::Result<()> {
        disk::append(&path.sealed, APPLIED)
    }

    fn write(&self, path: &Path, readers: Readers, sync: bool) -> io::Result<()> {
        let mut journal = NewJournal::create(path)?;
        journal.write(MAGIC)?;
        let header: [u64; HEADER_NUMBERS] = [
            self.commit,
            self.file.device,
            self.file.inode,
            self.old_end,
            self.new_end,
            self.sealed_bytes,
            self.changes.len() as u64,
        ];
        for number in header {
            journal.write(&number.to_le_bytes())?;
        }
        for change in &self.changes {
            journal.write(&change.address.to_le_bytes())?;
            journal.write(&(change.old.len() as u64).to_le_bytes())?;
            journal.write(&change.old)?;
            journal.write(&change.new)?;
        }
        journal.finish(readers, sync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::disk::Others;
    use crate::commit::sealed::Candidate;

    fn sample() -> Journal {
        Journal {
            commit: 3,
            file: Identity {
                device: 1,
                inode: 2,
            },
            old_end: 4096,
            new_end: 8192,
            sealed_bytes: 8192,
            changes: vec![
                Change {
                    address: 0,
                    old: b"old".to_vec(),
                    new: b"new".to_vec(),
                },
                Change {
                    address: 500,
                    old: vec![1; 1000],
                    new: vec![2; 1000],
                },
            ],
        }
    }

    fn written(journal: &Journal) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let readers = Readers { group: 0, mode: 0 };
        journal.write(&path, readers, true).unwrap();
        std::fs::read(path).unwrap()
    }

    /// What is read back of a journal with these bytes, and whether it is marked as applied.
    fn read(bytes: &[u8]) -> Option<(Vec<Change>, bool)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, bytes).unwrap();
        let found = Candidate::open(&path).unwrap().unwrap().unwrap();
        let journal = found.read(sample().sealed_bytes).unwrap().ok()?;
        let mut changes = Vec::new();
        let kept = |change: &Change| {
            changes.push(change.clone());
            Ok(())
        };
        journal.for_each(kept).unwrap();
        assert_eq!((journal.inode, journal.old_end), (2, 4096));
        assert_eq!((journal.new_end, journal.sealed_bytes), (8192, 8192));
        Some((changes, journal.is_applied))
    }

    #[test]
    fn a_journal_survives_its_file() {
        let mut bytes = written(&sample());
        assert_eq!(read(&bytes), Some((sample().changes, false)));
        bytes.extend_from_slice(APPLIED);
        assert_eq!(read(&bytes), Some((sample().changes, true)));
    }

    #[test]
    fn large_changes_come_in_pieces_of_whole_sectors() {
        let mut large = sample();
        (large.old_end, large.new_end, large.sealed_bytes) = (1 << 20, 1 << 20, 1 << 20);
        let bytes: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
        large.changes = vec![Change {
            address: 100,
            old: bytes.clone(),
            new: bytes.iter().map(|byte| !byte).collect(),
        }];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, written(&large)).unwrap();
        let found = Candidate::open(&path).unwrap().unwrap().unwrap();
        let journal = found.read(1 << 20).unwrap().unwrap();
        let (mut old, mut new, mut pieces) = (Vec::new(), Vec::new(), 0);
        let collect = |change: &Change| {
            assert_eq!(change.address, 100 + old.len() as u64);
            assert!(change.address == 100 || change.address.is_multiple_of(SECTOR_BYTES));
            old.extend_from_slice(&change.old);
            new.extend_from_slice(&change.new);
            pieces += 1;
            Ok(())
        };
        journal.for_each(collect).unwrap();
        assert!(pieces > 2 && old == large.changes[0].old && new == large.changes[0].new);
    }

    #[test]
    fn damaged_journals_are_none() {
        let whole = written(&sample());
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None);
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            assert_eq!(read(&damaged), None);
        }
    }

    #[test]
    fn what_no_commit_writes_is_not_believed() {
        let wrong = |change: fn(&mut Journal)| {
            let mut journal = sample();
            change(&mut journal);
            assert_eq!(read(&written(&journal)), None);
        };
        // Behind the end of the last commit, where a journal changes nothing.
        wrong(|journal| journal.changes[1].address = 3097);
        wrong(|journal| journal.changes[1].address = u64::MAX - 10);
        wrong(|journal| journal.new_end = 1000);
        // More than the file had when the journal was sealed.
        wrong(|journal| journal.new_end = 8193);
        wrong(|journal| journal.changes[0] = Change::default());
        // More than the data file can need.
        wrong(|journal| {
            let one = journal.changes[1].clone();
            journal.changes = vec![one; 100];
        });
        let mut bytes = written(&sample());
        bytes.truncate(bytes.len() - 4);
        let count = 8 + 6 * 8;
        bytes[count..count + 8].fill(0xff);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        assert_eq!(read(&bytes), None);
    }

    #[test]
    fn sectors_may_be_old_new_or_torn_once() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let change = &sample().changes[1];
        let look = |bytes: &[u8]| {
            let mut whole = vec![9; 500];
            whole.extend_from_slice(bytes);
            std::fs::write(path.path(), whole).unwrap();
            let disk = Disk::open(path.path(), Others::Nobody).unwrap().unwrap();
            let mut survey = Survey::default();
            change.look(&disk, &mut survey).unwrap();
            survey
        };
        let none = Survey::default();
        assert_eq!(look(&[1; 1000]), Survey { old: true, ..none });
        assert_eq!(look(&[2; 1000]), Survey { new: true, ..none });
        let torn: Vec<u8> = [vec![2; 300], vec![1; 700]].concat();
        let expected = Survey {
            old: true,
            new: true,
            torn: true,
            foreign: None,
        };
        assert_eq!(look(&torn), expected);
        let foreign: Vec<u8> = [vec![2; 300], vec![3; 1], vec![1; 699]].concat();
        assert_eq!(look(&foreign).foreign, Some(512));
        let twice: Vec<u8> = [vec![2; 300], vec![1; 100], vec![2; 600]].concat();
        assert_eq!(look(&twice).foreign, Some(512));
        assert_eq!(look(&[1; 900]).foreign, Some(1024), "the file is too short");
    }
}
