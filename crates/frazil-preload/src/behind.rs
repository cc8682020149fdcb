//! `nc_sync` of files in frazil's hands, also while the program computes, where its user has asked for that.
//!
//! It then returns at once. The next call on the file waits for the commit, so that a commit holds what
//! was put before it, and nothing else. What fails is told by the next `nc_sync`, and by `nc_close`: frazil
//! keeps it.

use std::ffi::c_int;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use once_cell::race::OnceBool;

use crate::files::{self, CLASSIC_MODEL, Place, Taken};
use crate::invoke::{BAD_ID, invoke_on};
use crate::library::frazil;
use crate::state::State;

/// Set if commits are to go on behind the program.
const BEHIND: &str = "FRAZIL_RUN_COMMIT_BEHIND";

/// Whether the commit of a file goes on behind the program.
fn is_behind(file: &Taken) -> bool {
    static ASKED: OnceBool = OnceBool::new();
    let is_asked = ASKED.get_or_init(|| std::env::var_os(BEHIND).is_some_and(|it| it == "1"));
    // In the classic model it may be refused at once.
    let may_fail = || file.mode & CLASSIC_MODEL != 0 && !State::of(file).is_in_data_mode();
    // MPI may be called by one thread only.
    is_asked && !file.is_of_ranks && file.process == std::process::id() && !may_fail()
}

/// `nc_sync`
pub(crate) extern "C" fn sync(id: c_int) -> c_int {
    let Some(file) = files::find(id) else {
        return BAD_ID;
    };
    let (Place::Own(own), Ok(library)) = (file.place(id), frazil()) else {
        return BAD_ID;
    };
    let before = file.commit.status.swap(0, Ordering::Relaxed);
    if before != 0 {
        return before;
    }
    // SAFETY: frz_nc_sync with the file's number.
    let commit = move || unsafe { invoke_on(library, "nc_sync", own, []) };
    if !is_behind(&file) {
        let status = commit();
        if status == 0 {
            file.note_commit();
        }
        return status;
    }
    let name = "frazil-commit".to_owned();
    let begin = move || {
        frazil_signals::leave_to_others();
        commit()
    };
    match thread::Builder::new().name(name).spawn(begin) {
        Ok(thread) => {
            *(file.commit.thread.lock()).unwrap_or_else(PoisonError::into_inner) = Some(thread);
            file.commit.is_going_on.store(true, Ordering::Release);
            0
        }
        // No thread is to be had.
        Err(_) => commit(),
    }
}

/// Waits for the commit of a file that is going on.
pub(crate) fn finish(file: &Taken) {
    // A child of a fork has no such thread.
    let is_going_on = file.commit.is_going_on.load(Ordering::Acquire);
    if !is_going_on || file.process != std::process::id() {
        return;
    }
    let mut thread = (file.commit.thread.lock()).unwrap_or_else(PoisonError::into_inner);
    if let Some(Ok(status)) = thread.take().map(JoinHandle::join) {
        file.commit.status.store(status, Ordering::Relaxed);
        if status == 0 {
            file.note_commit();
        }
    }
    file.commit.is_going_on.store(false, Ordering::Release);
}
