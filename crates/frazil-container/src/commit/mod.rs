//! Files that are always at their last commit, whatever happens to their writer.
//!
//! libhdf5's writes stay in an overlay in memory. A commit brings them into the file:
//!
//! 1. Bytes at or above the committed end go into the file: no reader of the last commit looks
//!    there. With `sync` they are waited for.
//! 2. Changes below the committed end are written to a journal, old bytes and new, which then gets
//!    its name: the commit is decided.
//! 3. The changes are applied, the superblock last, and the file gets its new length.
//! 4. The journal is removed.
//!
//! A process that ends in step 1 or 2 leaves the last commit; one that ends in step 3 leaves a
//! journal that [`recover`] replays. A failing system call in step 3 is undone with the old bytes.
//!
//! A writer that gives up cuts off what it wrote behind the last commit.

mod disk;
#[cfg(test)]
pub(crate) mod faults;
mod journal;
mod overlay;
mod recover;
mod sealed;
mod trailing;

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use disk::{Disk, Identity, Others, Readers};
use journal::{Change, Journal, JournalPath};
use overlay::Overlay;

use crate::beside::followed;
use crate::error::{ContainerError, Result};
use crate::system;

pub use recover::{LeftBeside, Recovery, forget_journal, left_beside, recover};
pub use trailing::{cut_trailing, trailing_bytes};

/// Bytes of a superblock of version 2 or 3 with 8-byte addresses; older ones are longer.
const SUPERBLOCK_BYTES: u64 = 48;
/// In so many bytes every superblock says where the file ends.
const BYTES_WITH_END: usize = 64;
const HALF_WAY: &str = "a commit failed half-way; `frazil recover` brings the file in order";

/// A file that changes by commits only.
#[derive(Debug)]
pub(crate) struct CommittedFile {
    disk: Disk,
    identity: Identity,
    readers: Readers,
    journal: JournalPath,
    overlay: Overlay,
    /// Where the superblock lies.
    superblock: u64,
    committed_end: u64,
    /// What the file was like after the last commit.
    committed: Committed,
    /// End of the file as libhdf5 has it.
    end: u64,
    commits: u64,
    /// Why nothing can be committed any more.
    broken: Option<&'static str>,
    /// Whether others write behind the end.
    is_lent: bool,
    /// Whether the file belongs to others now.
    is_abandoned: bool,
    /// The process that has it open, as forks are counted.
    generation: u64,
}

/// A file as its last commit left it, or as it was opened: what tells its length, and whether others
/// have changed it since.
#[derive(Debug)]
struct Committed {
    bytes: u64,
    superblock: [u8; BYTES_WITH_END],
}

impl Committed {
    /// No file is longer.
    const UNKNOWN: Self = Self {
        bytes: u64::MAX,
        superblock: [0; BYTES_WITH_END],
    };
}

impl CommittedFile {
    /// Takes over a file that exists; everything below `committed_end` belongs to its last commit,
    /// and its superblock lies (or will lie) at `superblock`.
    ///
    /// Other writers are kept away by a shared lock, which admits readers.
    ///
    /// # Errors
    /// If the file cannot be opened or another program writes it.
    pub(crate) fn open(path: &Path, superblock: u64) -> Result<Self> {
        let wrap = |error| ContainerError::io(format!("open {}", path.display()), error);
        // The journal lies beside the file itself: so everybody finds it, by whatever link.
        let file = followed(path).map_err(wrap)?;
        let Some(disk) = Disk::open(&file, Others::Readers).map_err(wrap)? else {
            return Err(ContainerError::Locked(format!(
                "{} is being written by another program",
                path.display()
            )));
        };
        let mut opened = Self {
            identity: disk.identity().map_err(wrap)?,
            readers: Readers::of(&disk.metadata().map_err(wrap)?),
            committed_end: disk.bytes().map_err(wrap)?,
            committed: Committed::UNKNOWN,
            disk,
            journal: JournalPath::of(&file).map_err(wrap)?,
            overlay: Overlay::default(),
            superblock,
            end: 0,
            commits: 0,
            broken: None,
            is_lent: false,
            is_abandoned: false,
            generation: system::generation(),
        };
        opened.committed = opened.look().map_err(wrap)?;
        Ok(opened)
    }

    /// As [`Self::open`], for a file with a superblock.
    ///
    /// # Errors
    /// As [`Self::open`]; if there is no superblock.
    pub(crate) fn open_existing(path: &Path) -> Result<Self> {
        let mut file = Self::open(path, 0)?;
        let found = superblock_of(&file.disk, file.committed_end);
        let found = found.map_err(doing("look for the superblock"))?;
        let missing = || ContainerError::NotAContainer(format!(": {}", path.display()));
        file.superblock = found.ok_or_else(missing)?;
        file.committed = file.look().map_err(doing("read the superblock"))?;
        Ok(file)
    }

    /// What the file is like now.
    fn look(&self) -> io::Result<Committed> {
        let mut superblock = [0; BYTES_WITH_END];
        self.disk.read(&mut superblock, self.superblock)?;
        let bytes = self.disk.bytes()?;
        Ok(Committed { bytes, superblock })
    }

    /// Whether somebody can find what was written.
    ///
    /// # Errors
    /// If the file has been removed, or another has taken its last name.
    pub(crate) fn check_is_named(&self) -> Result<()> {
        let close = |error| ContainerError::io("close the file", error);
        if self.disk.metadata().map_err(close)?.nlink() > 0 {
            return Ok(());
        }
        let gone = "another program removed or replaced it while frazil was writing it, and the \
                    written data are lost";
        Err(close(io::Error::new(io::ErrorKind::NotFound, gone)))
    }

    /// The file that may lie beside this one, under this name, if this process is killed.
    pub(crate) fn unsealed_journal(&self) -> &Path {
        &self.journal.unsealed
    }

    /// Bytes of the file now, whether committed or not.
    pub(crate) fn file_bytes(&self) -> io::Result<u64> {
        self.disk.bytes()
    }

    /// Bytes that wait in memory for the next commit.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.overlay.bytes()
    }

    /// End of the file as of the last commit.
    pub(crate) fn committed_end(&self) -> u64 {
        self.committed_end
    }

    /// Tells where the last commit of a file ends that was opened; what lies behind is of no use
    /// to anybody.
    pub(crate) fn set_committed_end(&mut self, end: u64) {
        self.committed_end = end;
    }

    /// Tells where libhdf5 lets the file end.
    pub(crate) fn set_end(&mut self, end: u64) {
        self.end = end;
    }

    /// Lends what lies behind the end to others, who write there; libhdf5 gets no space meanwhile.
    /// Where it begins: no reader of the last commit looks there.
    pub(crate) fn lend(&mut self) -> u64 {
        self.is_lent = true;
        self.end.max(self.unread_from())
    }

    /// Ends [`Self::lend`].
    pub(crate) fn take_back(&mut self) {
        self.is_lent = false;
    }

    /// Whether others write behind the end.
    pub(crate) fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// Reads what libhdf5 wrote last; bytes past the end are zero.
    pub(crate) fn read(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        self.disk.read(buffer, address)?;
        self.overlay.copy_over(address, buffer);
        Ok(())
    }

    /// Takes metadata of libhdf5 until the next commit.
    pub(crate) fn hold(&mut self, bytes: &[u8], address: u64) {
        if !self.is_abandoned {
            self.overlay.write(address, bytes);
        }
    }

    /// Takes values: into the file where the last commit does not reach, else until the next
    /// commit.
    pub(crate) fn write_values(&mut self, bytes: &[u8], address: u64) -> io::Result<()> {
        if address < self.committed_end || self.is_abandoned {
            self.hold(bytes, address);
            return Ok(());
        }
        self.expect_values(address, bytes.len() as u64);
        self.disk.write(bytes, address)
    }

    /// From now on `bytes` at `address` are somebody else's to write: whatever was held for that
    /// place belonged to an object that is gone.
    pub(crate) fn expect_values(&mut self, address: u64, bytes: u64) {
        self.overlay.forget(address..address.saturating_add(bytes));
    }

    /// Leaves the file to others: from now on nothing that libhdf5 still writes reaches it. It gets the
    /// length of its last commit.
    pub(crate) fn abandon(&mut self) {
        if !self.is_abandoned {
            // Best effort: no reader looks there, and whoever writes the file next cuts it off.
            let _ = self.trim();
        }
        self.is_abandoned = true;
        self.is_lent = false;
        self.broken = Some("the file was given up");
        self.overlay.clear();
        self.disk.unlock();
    }

    /// Cuts off what was written since the last commit, if the file is at that commit: a journal may still
    /// need these bytes, and after a failed `sync` nobody knows. A child after a fork cuts nothing off
    /// that its parent writes, and what others wrote meanwhile stays.
    fn trim(&self) -> io::Result<()> {
        let is_at_commit = self.broken.is_none() && self.journal.sealed.symlink_metadata().is_err();
        if !is_at_commit || self.generation != system::generation() {
            return Ok(());
        }
        let found = self.look()?;
        if found.bytes > self.committed.bytes && found.superblock == self.committed.superblock {
            self.disk.set_bytes(self.committed.bytes)?;
        }
        Ok(())
    }

    /// Makes everything that was written so far the state of the file that readers see and that
    /// survives the end of this process; with `sync` also the end of the machine.
    ///
    /// # Errors
    /// If the system refuses a step. The file then is at the last commit still, or, if its journal
    /// could not be undone either, [`recover`] brings it to this one. After a failed `sync` nothing
    /// can be committed any more: the system may have dropped the bytes.
    pub(crate) fn commit(&mut self, sync: bool) -> Result<()> {
        if let Some(reason) = self.broken {
            return Err(ContainerError::Internal(reason.to_owned()));
        }
        self.overlay.forget(self.end..u64::MAX);
        if self.overlay.is_empty() && self.end == self.committed_end {
            return if sync { self.sync() } else { Ok(()) };
        }
        self.write_above(sync)?;
        let journal = self.changes().map_err(doing("read what changes"))?;
        journal
            .seal(&self.journal, self.readers, sync)
            .map_err(doing("write the journal"))?;
        if sync {
            self.sync_journal()?;
        }
        if let Err(error) = self.apply(&journal) {
            self.undo(&journal, sync)?;
            return Err(doing("commit")(error));
        }
        if sync {
            // Best effort: it only helps recovery to tell later changes of others apart.
            let _ = Journal::mark_applied(&self.journal);
            self.sync()?;
        }
        self.committed_end = self.end;
        self.commits += 1;
        self.overlay.clear();
        self.committed = self.look().unwrap_or(Committed::UNKNOWN);
        self.remove_journal(sync)
    }

    /// Where bytes begin that no reader of the last commit looks at. A file without a commit has
    /// no readers, but its superblock must appear last.
    fn unread_from(&self) -> u64 {
        self.committed_end.max(self.superblock + SUPERBLOCK_BYTES)
    }

    /// Step 1: brings bytes into the file where nobody looks, and makes sure of the space for the
    /// rest.
    fn write_above(&mut self, sync: bool) -> Result<()> {
        let step = || -> io::Result<()> {
            if self.disk.bytes()? < self.end {
                self.disk.set_bytes(self.end)?;
            }
            for (address, bytes) in self.overlay.runs(self.unread_from()..u64::MAX) {
                self.disk.write(&bytes, address)?;
            }
            for (address, bytes) in self.overlay.runs(0..self.unread_from()) {
                self.disk.reserve(address, bytes.len() as u64)?;
            }
            Ok(())
        };
        step().map_err(doing("write new data"))?;
        if sync { self.sync() } else { Ok(()) }
    }

    /// What step 3 will change, with the superblock in any case: it tells whether others changed
    /// the file meanwhile.
    fn changes(&self) -> io::Result<Journal> {
        let mut runs = self.overlay.runs(0..self.unread_from());
        let first_after = runs.iter().map(|run| run.0).find(|&a| a >= self.superblock);
        let has_superblock = runs.iter().any(|(address, bytes)| {
            (*address..address + bytes.len() as u64).contains(&self.superblock)
        });
        if !has_superblock {
            let end = (self.superblock + SUPERBLOCK_BYTES).min(first_after.unwrap_or(u64::MAX));
            let mut present = vec![0; (end - self.superblock) as usize];
            self.disk.read(&mut present, self.superblock)?;
            runs.push((self.superblock, present));
        }
        let mut changes = Vec::with_capacity(runs.len());
        for (address, new) in runs {
            let mut old = vec![0; new.len()];
            self.disk.read(&mut old, address)?;
            changes.push(Change { address, old, new });
        }
        // The superblock's change comes last: before it, fewer readers notice the others.
        let holds_superblock = |change: &Change| {
            (change.address..change.address + change.new.len() as u64).contains(&self.superblock)
        };
        changes.sort_by_key(|change| (holds_superblock(change), change.address));
        Ok(Journal {
            commit: self.commits + 1,
            file: self.identity,
            old_end: self.committed_end,
            new_end: self.end,
            sealed_bytes: self.disk.bytes()?,
            changes,
        })
    }

    /// Step 3.
    fn apply(&self, journal: &Journal) -> io::Result<()> {
        for change in &journal.changes {
            self.disk.write(&change.new, change.address)?;
        }
        if journal.new_end < journal.sealed_bytes {
            self.disk.set_bytes(journal.new_end)?;
        }
        Ok(())
    }

    /// Takes step 3 back after it failed; if that fails too, the journal stays.
    fn undo(&mut self, journal: &Journal, sync: bool) -> Result<()> {
        let restored = journal
            .changes
            .iter()
            .try_for_each(|change| self.disk.write(&change.old, change.address));
        if let Err(error) = restored {
            self.broken = Some(HALF_WAY);
            return Err(doing("commit, and take it back (run `frazil recover`)")(
                error,
            ));
        }
        if sync {
            self.sync()?;
        }
        // Were it replayed later, it would find its data overwritten by what follows.
        self.remove_journal(sync)
            .inspect_err(|_| self.broken = Some(HALF_WAY))
    }

    fn sync(&mut self) -> Result<()> {
        self.disk.sync().map_err(|error| {
            self.broken = Some("the system failed to bring earlier data to the disk");
            doing("bring data to the disk")(error)
        })
    }

    fn sync_journal(&mut self) -> Result<()> {
        disk::sync_directory_of(&self.journal.sealed).map_err(|error| {
            // Best effort: replayed or not, the file is at a commit.
            let _ = std::fs::remove_file(&self.journal.sealed);
            self.broken = Some("the system failed to bring the journal to the disk");
            doing("bring the journal to the disk")(error)
        })
    }

    fn remove_journal(&self, sync: bool) -> Result<()> {
        let removed = disk::remove(&self.journal.sealed);
        removed.map_err(doing("remove the journal"))?;
        if sync {
            disk::sync_directory_of(&self.journal.sealed).map_err(doing("remove the journal"))?;
        }
        Ok(())
    }
}

/// Where the superblock of a file of so many bytes lies, if it is HDF5: at the beginning, or behind a
/// user block of 512 bytes times a power of 2.
fn superblock_of(disk: &Disk, bytes: u64) -> io::Result<Option<u64>> {
    const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
    let mut address = 0_u64;
    while address < bytes {
        let mut present = [0; 8];
        disk.read(&mut present, address)?;
        if &present == SIGNATURE {
            return Ok(Some(address));
        }
        address = address.saturating_mul(2).max(512);
    }
    Ok(None)
}

fn doing(what: &'static str) -> impl Fn(io::Error) -> ContainerError {
    move |error| ContainerError::io(what, error)
}
