//! The files that were taken, by the numbers that the program knows them by.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, OsStr, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

use crate::commit::Commit;
use crate::library::Library;
use crate::report;
use crate::shadow::Shadow;
use crate::state::State;

/// The bit of a number that says that the file was taken. Libraries count from 1 in the bits above 16.
pub(crate) const MARK: c_int = 0x4000_0000;
/// `NC_WRITE`
pub(crate) const WRITE: c_int = 0x0001;
/// `NC_CLASSIC_MODEL`
pub(crate) const CLASSIC_MODEL: c_int = 0x0100;
/// Files that may be taken at once.
const MOST_FILES: usize = 1 << 14;
/// The bits of a number that say which group is meant.
const GROUP: c_int = 0xFFFF;

/// A file that was taken.
pub(crate) struct Taken {
    /// As the program wrote it.
    pub(crate) path: CString,
    /// From the root: the program may be in another folder by now.
    pub(crate) at: CString,
    /// How the program has come by it.
    pub(crate) origin: Origin,
    /// As the program asked for it.
    pub(crate) mode: c_int,
    /// Frazil's number of its root group.
    pub(crate) own: c_int,
    /// The program's own library.
    pub(crate) program: &'static Library,
    /// The process that has created it.
    pub(crate) process: u32,
    /// Whether several ranks have made or opened it together: some calls wait for all of them.
    pub(crate) is_of_ranks: bool,
    /// Whether it is known that values were put into it.
    is_put: AtomicBool,
    /// Whether everything that was done with it is in a commit.
    is_committed: AtomicBool,
    /// How often what is in the file has become more.
    commits: AtomicUsize,
    /// Where the program reads what it writes by another number: that file, and which of its commits are seen.
    pub(crate) writer: Option<Arc<Self>>,
    seen: AtomicUsize,
    /// What goes on behind the program.
    pub(crate) commit: Commit,
    /// What is remembered of its definitions.
    notes: Mutex<Notes>,
    /// Once the program's own library has it: its numbers of the groups, in their order.
    handed: OnceLock<Mutex<Vec<c_int>>>,
}

/// How a program has come by a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It has created it.
    Created,
    /// It has opened it to write on.
    Opened,
    /// It has opened it to read.
    Read,
}

/// What is remembered of a file's definitions.
#[derive(Default)]
pub(crate) struct Notes {
    /// By group and variable: the chunk shapes that the program has stated.
    pub(crate) stated_chunks: BTreeMap<(c_int, c_int), Vec<usize>>,
    /// Those for which the program has asked for chunks of whatever shape.
    pub(crate) chunked: BTreeSet<(c_int, c_int)>,
    /// Those that frazil cannot store as the program's own library would, and why.
    pub(crate) unfit: BTreeMap<(c_int, c_int, Unfit), String>,
    /// Where the program's own library is asked what it would do.
    pub(crate) shadow: Option<Shadow>,
}

/// What of a variable frazil cannot store as the program's own library would.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unfit {
    Storage,
    Rounding,
}

/// Who has a file.
pub(crate) enum Place {
    /// Frazil, by this number.
    Own(c_int),
    /// The program's own library, by this number.
    Handed(c_int),
}

/// The files that were taken, by their numbers.
type Files = Vec<Option<Arc<Taken>>>;

/// The table, as one thread has it.
pub(crate) type FilesGuard = RwLockWriteGuard<'static, Files>;

static FILES: RwLock<Files> = RwLock::new(Vec::new());

/// Waits for the table.
pub(crate) fn lock_files() -> FilesGuard {
    FILES.write().unwrap_or_else(PoisonError::into_inner)
}

impl Taken {
    pub(crate) fn new(
        path: &CStr,
        origin: Origin,
        (mode, own): (c_int, c_int),
        program: &'static Library,
    ) -> Self {
        Self {
            path: path.to_owned(),
            at: from_root(path),
            origin,
            mode,
            own,
            program,
            process: std::process::id(),
            is_of_ranks: false,
            is_put: AtomicBool::new(false),
            is_committed: AtomicBool::new(false),
            commits: AtomicUsize::new(0),
            writer: None,
            seen: AtomicUsize::new(0),
            commit: Commit::default(),
            notes: Mutex::default(),
            handed: OnceLock::new(),
        }
    }

    /// Whether several ranks have made or opened it together.
    pub(crate) fn of_ranks(mut self, is_of_ranks: bool) -> Self {
        self.is_of_ranks = is_of_ranks;
        self
    }

    /// What the program's own library reads under a number of its own while `writer` is written.
    pub(crate) fn beside(
        path: &CStr,
        (mode, real): (c_int, c_int),
        program: &'static Library,
        writer: Arc<Self>,
    ) -> Self {
        let file = Self {
            seen: AtomicUsize::new(writer.commits()),
            writer: Some(writer),
            ..Self::new(path, Origin::Read, (mode, real), program)
        };
        file.hand_over(vec![real]);
        file
    }

    /// Whether frazil writes it together with other ranks: no other library can take it over.
    pub(crate) fn is_written_by_ranks(&self) -> bool {
        self.is_of_ranks && !self.is_reading()
    }

    /// Whether it is only read.
    pub(crate) fn is_reading(&self) -> bool {
        self.origin == Origin::Read
    }

    /// Whether there is something on disk that must not be lost: it was there, or values were put.
    pub(crate) fn has_content(&self) -> bool {
        self.origin != Origin::Created || self.has_values()
    }

    /// All that was done with it is in the file.
    pub(crate) fn note_commit(&self) {
        if !self.is_committed.swap(true, Ordering::Relaxed) {
            self.commits.fetch_add(1, Ordering::Relaxed);
            report::committed(&self.path);
        }
    }

    /// It ends, or another library has it: there may be more in the file.
    pub(crate) fn note_end(&self) {
        self.is_committed.store(true, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn is_committed(&self) -> bool {
        self.is_committed.load(Ordering::Relaxed)
    }

    pub(crate) fn commits(&self) -> usize {
        self.commits.load(Ordering::Relaxed)
    }

    pub(crate) fn has_seen(&self, commits: usize) -> bool {
        self.seen.load(Ordering::Relaxed) == commits
    }

    pub(crate) fn see(&self, commits: usize) {
        self.seen.store(commits, Ordering::Relaxed);
    }

    /// Something is done with it that its last commit has not. What the program's own library has is its.
    pub(crate) fn note_change(&self) {
        if self.is_committed() && self.handed.get().is_none() {
            self.is_committed.store(false, Ordering::Relaxed);
            report::changed(&self.path);
        }
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who has the group that `id` means, and by which number.
    pub(crate) fn place(&self, id: c_int) -> Place {
        let group = id & GROUP;
        match self.handed.get() {
            None => Place::Own(self.own | group),
            Some(groups) => {
                let groups = groups.lock().unwrap_or_else(PoisonError::into_inner);
                // A number that the program made up is that of no group in the file.
                let nobody = groups.first().map_or(-1, |root| root | GROUP);
                Place::Handed(groups.get(group as usize).copied().unwrap_or(nobody))
            }
        }
    }

    /// The program's own library has it from now on; its numbers of the groups, in their order.
    pub(crate) fn hand_over(&self, groups: Vec<c_int>) {
        let _ = self.handed.set(Mutex::new(groups));
        self.note_end();
    }

    /// The groups of a file that the program's own library has; none: frazil has it.
    pub(crate) fn groups(&self) -> Vec<c_int> {
        let groups = self.handed.get().map(Mutex::lock);
        groups.map_or(Vec::new(), |groups| {
            groups.unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// That library has opened it anew, with these numbers of the groups.
    pub(crate) fn replace_groups(&self, groups: Vec<c_int>) {
        if let Some(known) = self.handed.get() {
            *known.lock().unwrap_or_else(PoisonError::into_inner) = groups;
        }
    }

    /// The program's number for a library's number of a group in the file of `id`.
    pub(crate) fn known_as(&self, id: c_int, of_library: c_int) -> c_int {
        let group = match self.handed.get() {
            None => of_library & GROUP,
            Some(groups) => {
                let mut groups = groups.lock().unwrap_or_else(PoisonError::into_inner);
                let known = groups.iter().position(|&known| known == of_library);
                let place = known.unwrap_or_else(|| {
                    groups.push(of_library);
                    groups.len() - 1
                });
                place as c_int & GROUP
            }
        };
        (id & !GROUP) | group
    }

    /// Whether values were put into it. What a put asked for that was refused does not count.
    pub(crate) fn has_values(&self) -> bool {
        let is_known = self.is_put.load(Ordering::Relaxed);
        let has_values = is_known || State::of(self).has_values();
        if has_values && !is_known {
            self.is_put.store(true, Ordering::Relaxed);
        }
        has_values
    }
}

fn from_root(path: &CStr) -> CString {
    let absolute = std::path::absolute(OsStr::from_bytes(path.to_bytes())).ok();
    let bytes = absolute.map(|path| path.into_os_string().into_vec());
    let absolute = bytes.and_then(|bytes| CString::new(bytes).ok());
    absolute.unwrap_or_else(|| path.to_owned())
}

fn slot_of(id: c_int) -> Option<usize> {
    let is_ours = id > 0 && id & MARK != 0;
    is_ours.then_some(((id & !MARK) >> 16) as usize)
}

/// The file of a number, if it was taken.
pub(crate) fn find(id: c_int) -> Option<Arc<Taken>> {
    let slot = slot_of(id)?;
    let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
    files.get(slot)?.clone()
}

/// Gives a file its number; `None`: too many are open.
pub(crate) fn insert(file: Taken) -> Option<c_int> {
    let mut files = lock_files();
    let free = files.iter().position(Option::is_none);
    let slot = free.unwrap_or(files.len());
    if slot >= MOST_FILES {
        return None;
    }
    let file = Some(Arc::new(file));
    match files.get_mut(slot) {
        Some(place) => *place = file,
        None => files.push(file),
    }
    Some(MARK | (slot as c_int) << 16)
}

/// Forgets a file.
pub(crate) fn remove(id: c_int) {
    let Some(slot) = slot_of(id) else { return };
    let mut files = lock_files();
    if let Some(place) = files.get_mut(slot) {
        *place = None;
    }
}

/// All files that are open.
pub(crate) fn all() -> Vec<Arc<Taken>> {
    let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
    files.iter().flatten().cloned().collect()
}
