//! The open files by their numbers.
//!
//! The interface identifies a file by an integer, in any thread and without a handle: the table is
//! therefore one for the process, the only such state of this face beside the two defaults that the
//! interface itself keeps for the process (format and chunk cache). An identifier is
//! `slot << 16 | group`, as in netCDF-C. Each file has a lock of its own, so that threads write
//! different files at the same time; looking a file up takes no other lock.

use std::ffi::c_int;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use frazil::netcdf::{Dataset, GroupNumber, Outcome, Status};

use crate::at_exit::{self, Library};
use crate::global::Global;
use crate::last_error;
use crate::nc::entry::explain;

/// `NC_ENFILE`: too many files are open.
const TOO_MANY: Status = Status(-34);
/// `NC_EBADGRPID`: not the number of a root group, or none of a group.
const BAD_GROUP: Status = Status(-116);

/// Slots of the table: identifiers stay positive in 32 bits.
const SLOTS: usize = 1 << 15;

type Slot = Mutex<Option<Box<Open>>>;

/// An open file.
struct Open {
    file: Dataset,
    /// Of the process that opened it.
    generation: u64,
}

impl Open {
    /// The file; not in a child process after a fork, which has no threads to pack. To read, none are needed.
    fn own(&mut self) -> Outcome<&mut Dataset> {
        if self.file.is_reading() || self.generation == frazil::fork_generation() {
            return Ok(&mut self.file);
        }
        let path = self.file.path().display();
        let cause = "is open in the parent process, and this process is its fork: only the \
                     parent can use it";
        explain(Status::EBADID, &format!("{path}: {cause}"));
        Err(Status::EBADID)
    }
}

/// Files by slot. A panic in a call poisons the file's mutex: it can be closed only.
static FILES: [Slot; SLOTS] = [const { Mutex::new(None) }; SLOTS];

/// What is done with a file that the end of the program has closed.
type Listener = Box<dyn Fn(&mut Dataset, Outcome<()>) + Send + Sync>;

/// Who is told of such files.
pub(crate) static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Which slots are taken; slot 0 never is.
static TAKEN: Global<Vec<bool>> = Global::new(Vec::new());

/// The identifier of a group in the file of another identifier.
pub(crate) fn group_id(ncid: c_int, group: GroupNumber) -> c_int {
    (ncid & !0xFFFF) | c_int::from(group.0)
}

fn slot_of(ncid: c_int) -> Outcome<usize> {
    match usize::try_from(ncid >> 16) {
        Ok(slot) if slot > 0 => Ok(slot),
        _ => Err(Status::EBADID),
    }
}

fn group_of(ncid: c_int) -> GroupNumber {
    GroupNumber((ncid & 0xFFFF) as u16)
}

/// Takes the first slot that is free.
fn take_slot() -> Outcome<usize> {
    TAKEN.with(|taken| {
        if taken.is_empty() {
            taken.push(true);
        }
        let free = taken.iter().position(|&taken| !taken);
        let slot = free.unwrap_or(taken.len());
        if slot >= SLOTS {
            return Err(TOO_MANY);
        }
        if slot == taken.len() {
            taken.push(true);
        } else {
            taken[slot] = true;
        }
        Ok(slot)
    })
}

/// Gives a new file an identifier.
pub(crate) fn insert(file: Dataset) -> Outcome<c_int> {
    let slot = take_slot()?;
    FILES[slot].clear_poison();
    let mut place = FILES[slot].lock().unwrap_or_else(PoisonError::into_inner);
    if !file.is_reading() {
        at_exit::prepare(match file.is_bundled() {
            true => Library::NetCdf,
            false => Library::Hdf5,
        });
    }
    let generation = frazil::fork_generation();
    *place = Some(Box::new(Open { file, generation }));
    Ok((slot as c_int) << 16)
}

/// Takes a file out of the table, whatever becomes of `end`, which closes it; its identifier is
/// free afterwards.
pub(crate) fn remove(ncid: c_int, end: impl FnOnce(&mut Dataset) -> Outcome<()>) -> Outcome<()> {
    let slot = slot_of(ncid)?;
    let mut place = FILES[slot].lock().unwrap_or_else(PoisonError::into_inner);
    if place.is_some() && group_of(ncid) != GroupNumber::ROOT {
        return Err(BAD_GROUP);
    }
    let mut open = place.take().ok_or(Status::EBADID)?;
    drop(place);
    if let Err(status) = open.own() {
        // Nothing of it ends here.
        std::mem::forget(open);
        free(slot);
        return Err(status);
    }
    let file = &mut open.file;
    let outcome = end(file);
    if let Err(status) = &outcome {
        explain(*status, file.last_message());
    }
    // Only now may another file have the slot: two files at once could have the same path.
    free(slot);
    outcome
}

fn free(slot: usize) {
    TAKEN.with(|taken| {
        if let Some(taken) = taken.get_mut(slot) {
            *taken = false;
        }
    });
}

/// Closes all files of this process at its end, but those of several ranks, which may not come.
pub(crate) fn close_all(deadline: Instant) {
    let slots = TAKEN.with(|taken| taken.len());
    for slot in FILES.iter().take(slots) {
        let open = at_exit::locked(slot, deadline).and_then(|mut place| place.take());
        let Some(mut open) = open else { continue };
        match open.own() {
            // Nothing is lost with them.
            Ok(file) if file.is_reading() => {}
            Ok(file) if !file.is_parallel() => {
                let outcome = file.close();
                if outcome.is_err() {
                    last_error::complain(file.last_message());
                }
                if let Some(listener) = LISTENER.get() {
                    listener(file, outcome);
                }
            }
            _ => std::mem::forget(open),
        }
    }
}

/// Calls `body` with the file and the group of an identifier; without such a group, it is none.
pub(crate) fn with<T>(
    ncid: c_int,
    body: impl FnOnce(&mut Dataset, GroupNumber) -> Outcome<T>,
) -> Outcome<T> {
    with_any_group(ncid, |file, group| match file.has_group(group) {
        true => body(file, group),
        false => Err(Status::EBADID),
    })
}

/// As [`with`], also if there is no such group: something else is looked at first.
pub(crate) fn with_any_group<T>(
    ncid: c_int,
    body: impl FnOnce(&mut Dataset, GroupNumber) -> Outcome<T>,
) -> Outcome<T> {
    let mut place = FILES[slot_of(ncid)?].lock().map_err(|_| Status::EBADID)?;
    let file = place.as_mut().ok_or(Status::EBADID)?.own()?;
    let outcome = body(file, group_of(ncid));
    if let Err(status) = &outcome {
        explain(*status, file.last_message());
    }
    outcome
}
