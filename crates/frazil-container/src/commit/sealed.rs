//! A journal that a writer left behind: whether it may be believed, and what it holds, a piece at a
//! time.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use super::disk::is_nothing_there;
use super::journal::{APPLIED, Change, HEADER_NUMBERS, MAGIC, SECTOR_BYTES};
use crate::beside::{effective_user, open_regular};

const HEADER_BYTES: u64 = 8 * (1 + HEADER_NUMBERS as u64);
/// Address and length of a range.
const RANGE_BYTES: u64 = 16;
const CHECKSUM_BYTES: u64 = 4;
/// Bytes of a journal that are in memory at a time.
const PIECE_BYTES: u64 = 64 << 10;
/// The superuser may write every file anyway.
const ROOT: u32 = 0;

/// A regular file that has a journal's name.
#[derive(Debug)]
pub(super) struct Candidate {
    file: File,
    metadata: Metadata,
}

/// Why a journal is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Distrust {
    /// It may be somebody else's.
    Foreign(String),
    /// It is not one, or not whole.
    Damaged,
}

impl Candidate {
    /// Opens what has the name; `None` if nothing has.
    pub(super) fn open(path: &Path) -> io::Result<Option<Result<Self, Distrust>>> {
        let file = match open_regular(path, File::options().read(true)) {
            Ok(file) => file,
            // A file whose name leaves no room for the ending of a journal's has none.
            Err(error) if is_nothing_there(&error) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Ok(Some(Err(Distrust::Foreign(error.to_string()))));
            }
            // Whose it is can be told all the same.
            Err(error) => match path.symlink_metadata() {
                Ok(metadata) if !is_of_somebody_trusted(&metadata, effective_user()) => {
                    return Ok(Some(Err(Distrust::Foreign(belongs_to(&metadata)))));
                }
                _ => return Err(error),
            },
        };
        let metadata = file.metadata()?;
        Ok(Some(Ok(Self { file, metadata })))
    }

    /// Whether it may be applied to a data file: it is of the file's owner or of this user, and
    /// nobody else may have written it or have put it in its place.
    pub(super) fn may_be_applied(&self, data: &Metadata) -> Result<(), Distrust> {
        if !is_of_somebody_trusted(&self.metadata, data.uid()) {
            return Err(Distrust::Foreign(belongs_to(&self.metadata)));
        }
        self.is_its_writers()
    }

    /// Whether what it says about a data file is believed: it is of somebody who may write the file.
    pub(super) fn may_be_believed(&self, data: &Metadata) -> Result<(), Distrust> {
        let group_writes = data.mode() & 0o020 != 0 && data.gid() == self.metadata.gid();
        let is_of_a_writer = is_of_somebody_trusted(&self.metadata, data.uid())
            || group_writes
            || data.mode() & 0o002 != 0;
        if !is_of_a_writer {
            return Err(Distrust::Foreign(belongs_to(&self.metadata)));
        }
        self.is_its_writers()
    }

    fn is_its_writers(&self) -> Result<(), Distrust> {
        let reason = match (self.metadata.mode() & 0o022, self.metadata.nlink()) {
            (0, 1) => return Ok(()),
            (0, names) => format!("it has {names} names (hard links)"),
            _ => format!(
                "others than its owner may write it (mode {:03o})",
                self.metadata.mode() & 0o777
            ),
        };
        Err(Distrust::Foreign(reason))
    }

    /// Reads it; `data_bytes`: those of the data file, which bound what a journal can hold.
    pub(super) fn read(self, data_bytes: u64) -> io::Result<Result<SealedJournal, Distrust>> {
        match SealedJournal::read(self.file, self.metadata.len(), data_bytes) {
            Ok(Some(journal)) => Ok(Ok(journal)),
            Ok(None) => Ok(Err(Distrust::Damaged)),
            // It ends before it says that it does.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(Err(Distrust::Damaged))
            }
            Err(error) => Err(error),
        }
    }
}

fn is_of_somebody_trusted(journal: &Metadata, data_owner: u32) -> bool {
    [data_owner, effective_user(), ROOT].contains(&journal.uid())
}

fn belongs_to(journal: &Metadata) -> String {
    let owner = journal.uid();
    format!("it belongs to user {owner}, who is neither the file's owner nor you")
}

/// A whole journal.
#[derive(Debug)]
pub(super) struct SealedJournal {
    file: File,
    pub(super) inode: u64,
    pub(super) old_end: u64,
    pub(super) new_end: u64,
    pub(super) sealed_bytes: u64,
    /// Whether all of its changes are in the data file.
    pub(super) is_applied: bool,
    /// Where the ranges end.
    end: u64,
}

impl SealedJournal {
    /// `None`: it is no whole journal, or one that no commit writes.
    fn read(file: File, bytes: u64, data_bytes: u64) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER_BYTES as usize];
        file.read_exact_at(&mut header, 0)?;
        let (magic, numbers) = header.split_at(MAGIC.len());
        let mut numbers = numbers.as_chunks::<8>().0.iter().copied();
        let mut number = || numbers.next().map(u64::from_le_bytes);
        let fields = [(); HEADER_NUMBERS].map(|()| number().unwrap_or(0));
        let [
            _commit,
            _device,
            inode,
            old_end,
            new_end,
            sealed_bytes,
            ranges,
        ] = fields;
        let mut journal = Self {
            file,
            inode,
            old_end,
            new_end,
            sealed_bytes,
            is_applied: false,
            end: bytes.saturating_sub(CHECKSUM_BYTES),
        };
        // Before a commit is sealed, the file has all the bytes that the commit gives it.
        if magic != MAGIC || new_end > sealed_bytes || bytes > most_bytes(data_bytes) {
            return Ok(None);
        }
        let Some(end) = journal.end_of(ranges)? else {
            return Ok(None);
        };
        let applied_bytes = APPLIED.len() as u64;
        journal.end = end;
        journal.is_applied = match bytes.checked_sub(end + CHECKSUM_BYTES) {
            Some(0) => false,
            Some(more) if more == applied_bytes => true,
            _ => return Ok(None),
        };
        Ok(journal.has_its_checksum()?.then_some(journal))
    }

    /// Where so many ranges end, if each lies where a commit changes a file: below both ends, but
    /// for the superblock of a new one.
    fn end_of(&self, ranges: u64) -> io::Result<Option<u64>> {
        let most = |end: u64| end.max(super::SUPERBLOCK_BYTES);
        let limit = most(self.old_end).min(most(self.new_end));
        let mut at = HEADER_BYTES;
        for _ in 0..ranges {
            let (address, length) = self.range(at)?;
            let is_inside = address.checked_add(length).is_some_and(|end| end <= limit);
            let after = length.checked_mul(2).and_then(|both| both.checked_add(at));
            match after.and_then(|after| after.checked_add(RANGE_BYTES)) {
                Some(after) if is_inside && length > 0 && after <= self.end => at = after,
                _ => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Address and length of the range at a place of the journal.
    fn range(&self, at: u64) -> io::Result<(u64, u64)> {
        let mut bytes = [0; RANGE_BYTES as usize];
        self.file.read_exact_at(&mut bytes, at)?;
        let word = |from: usize| {
            let word: [u8; 8] = std::array::from_fn(|i| bytes[from + i]);
            u64::from_le_bytes(word)
        };
        Ok((word(0), word(8)))
    }

    fn has_its_checksum(&self) -> io::Result<bool> {
        let mut checksum = crc32fast::Hasher::new();
        let mut buffer = vec![0; PIECE_BYTES as usize];
        let mut at = 0;
        while at < self.end {
            let piece = &mut buffer[..(self.end - at).min(PIECE_BYTES) as usize];
            self.file.read_exact_at(piece, at)?;
            checksum.update(piece);
            at += piece.len() as u64;
        }
        let mut stated = [0; CHECKSUM_BYTES as usize];
        self.file.read_exact_at(&mut stated, self.end)?;
        Ok(checksum.finalize() == u32::from_le_bytes(stated))
    }

    /// Whether the file had no commit before this one.
    pub(super) fn is_first(&self) -> bool {
        self.old_end == 0
    }

    /// Gives all changes, in their order, each in pieces of whole sectors.
    pub(super) fn for_each(
        &self,
        mut each: impl FnMut(&Change) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = HEADER_BYTES;
        while at < self.end {
            let (address, length) = self.range(at)?;
            let (old_at, new_at) = (at + RANGE_BYTES, at + RANGE_BYTES + length);
            let mut done = 0;
            while done < length {
                let into_sector = (address + done) % SECTOR_BYTES;
                let bytes = (length - done).min(PIECE_BYTES - into_sector);
                let read = |at| {
                    let mut piece = vec![0; bytes as usize];
                    self.file.read_exact_at(&mut piece, at)?;
                    Ok::<_, io::Error>(piece)
                };
                each(&Change {
                    address: address + done,
                    old: read(old_at + done)?,
                    new: read(new_at + done)?,
                })?;
                done += bytes;
            }
            at = new_at + length;
        }
        Ok(())
    }
}

/// What the journal of a file of so many bytes can have: each byte once as it was and once as it
/// is to be, behind an address and a length.
fn most_bytes(data_bytes: u64) -> u64 {
    let changed = data_bytes.max(super::SUPERBLOCK_BYTES);
    let ranges = changed.saturating_mul(RANGE_BYTES + 2);
    ranges.saturating_add(HEADER_BYTES + CHECKSUM_BYTES + APPLIED.len() as u64)
}
