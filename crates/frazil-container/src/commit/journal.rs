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

use super::disk::{self, Disk, Identity, NewJournal};

const MAGIC: &[u8; 8] = b"FRZJRNL1";
/// What follows the checksum once all changes are applied.
const APPLIED: &[u8] = b"A";
/// Bytes that a kill or a power cut may leave half written: a sector of the medium.
const SECTOR_BYTES: u64 = 512;

/// Bytes of the file that a commit replaces by as many others.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Where a file's journal lies.
#[derive(Debug, Clone)]
pub(super) struct JournalPath {
    /// The sealed journal.
    pub(super) sealed: PathBuf,
    /// One being written.
    pub(super) unsealed: PathBuf,
}

impl JournalPath {
    /// The journal of the data file at `path`.
    pub(super) fn of(path: &Path) -> Self {
        let beside = |suffix: &str| {
            let mut name = OsString::from(path);
            name.push(suffix);
            PathBuf::from(name)
        };
        Self {
            sealed: beside(".frazil-journal"),
            unsealed: beside(".frazil-journal-part"),
        }
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
    pub(super) fn seal(&self, path: &JournalPath, sync: bool) -> io::Result<()> {
        let sealed = self
            .write(&path.unsealed, sync)
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

    fn write(&self, path: &Path, sync: bool) -> io::Result<()> {
        let mut journal = NewJournal::create(path)?;
        journal.write(MAGIC)?;
        let header = [
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
        journal.finish(sync)
    }

    /// Reads a journal back, and whether its changes were all applied; `None` if the bytes are not
    /// those of a whole one.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Self, bool)> {
        let sealed = |journal| (journal, false);
        let applied = |journal| (journal, true);
        let marked = || Self::decode_sealed(bytes.strip_suffix(APPLIED)?).map(applied);
        Self::decode_sealed(bytes).map(sealed).or_else(marked)
    }

    fn decode_sealed(bytes: &[u8]) -> Option<Self> {
        let (body, checksum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let mut rest = Reader(body.strip_prefix(MAGIC)?);
        let mut journal = Self {
            commit: rest.number()?,
            file: Identity {
                device: rest.number()?,
                inode: rest.number()?,
            },
            old_end: rest.number()?,
            new_end: rest.number()?,
            sealed_bytes: rest.number()?,
            changes: Vec::new(),
        };
        for _ in 0..rest.number()? {
            let (address, length) = (rest.number()?, rest.number()?);
            address.checked_add(length)?;
            journal.changes.push(Change {
                address,
                old: rest.bytes(length)?.to_vec(),
                new: rest.bytes(length)?.to_vec(),
            });
        }
        rest.0.is_empty().then_some(journal)
    }
}

/// The bytes of a journal that are still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::disk::Others;

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
        let file = tempfile::NamedTempFile::new().unwrap();
        journal.write(file.path(), true).unwrap();
        std::fs::read(file.path()).unwrap()
    }

    #[test]
    fn a_journal_survives_its_file() {
        let mut bytes = written(&sample());
        assert_eq!(Journal::decode(&bytes), Some((sample(), false)));
        bytes.extend_from_slice(APPLIED);
        assert_eq!(Journal::decode(&bytes), Some((sample(), true)));
    }

    #[test]
    fn damaged_journals_are_none() {
        let whole = written(&sample());
        for length in 0..whole.len() {
            assert_eq!(Journal::decode(&whole[..length]), None);
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            assert_eq!(Journal::decode(&damaged), None);
        }
    }

    #[test]
    fn claimed_lengths_are_not_believed() {
        let mut lying = sample();
        lying.changes.clear();
        let mut bytes = written(&lying);
        bytes.truncate(bytes.len() - 4 - 8);
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        assert_eq!(Journal::decode(&bytes), None);
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
