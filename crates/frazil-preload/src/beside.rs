//! Files that the program reads by one number while frazil writes them by another.
//!
//! netCDF-C shows the reader at once what the writer has put: both numbers lead to one file of HDF5's. Here the
//! program's own library reads. Before a call on the reader, what was put is committed, and that library opens the
//! file anew where there is more in it than it has seen.

use std::ffi::{CString, c_int};
use std::ptr;
use std::sync::Arc;

use crate::behind;
use crate::files::{self, Place, Taken};
use crate::invoke::{Words, invoke, invoke_on, number};
use crate::library::{Library, frazil};
use crate::reopen::full_name;
use crate::state::State;

/// Before a call on a file: shows it what was put by another number.
pub(crate) fn refresh(file: &Taken) {
    let Some(writer) = &file.writer else { return };
    commit(writer);
    if file.has_seen(writer.commits()) {
        return;
    }
    // HDF5 looks into the file again only if nobody has it open.
    while_closed(writer, || {});
}

/// Works while those files are closed in the program's own library that read what `writer` writes.
pub(crate) fn while_closed<T>(writer: &Taken, work: impl FnOnce() -> T) -> T {
    let is_beside = |one: &Arc<Taken>| {
        let of = one.writer.as_ref();
        of.is_some_and(|other| ptr::eq(Arc::as_ptr(other), writer))
    };
    let all: Vec<Arc<Taken>> = files::all().into_iter().filter(is_beside).collect();
    let closed: Vec<_> = all.iter().map(|one| (one, close(one))).collect();
    let done = work();
    for (one, names) in closed {
        one.see(writer.commits());
        one.replace_groups(open(one, &names));
    }
    done
}

/// Commits what was put into a file in frazil's hands; in define mode netCDF-C shows nothing new either.
fn commit(writer: &Taken) {
    if writer.is_committed() || writer.process != std::process::id() {
        return;
    }
    behind::finish(writer);
    if let (Place::Own(own), Ok(library)) = (writer.place(0), frazil())
        && State::of(writer).is_in_data_mode()
        // SAFETY: frz_nc_sync with the file's number.
        && unsafe { invoke_on(library, "nc_sync", own, []) } == 0
    {
        writer.note_commit();
    }
}

/// Closes a reader's file; the full names of the groups that the program knows.
fn close(file: &Taken) -> Vec<CString> {
    let Place::Handed(root) = file.place(0) else {
        return Vec::new();
    };
    let groups = file.groups().into_iter();
    let names = groups.map(|group| full_name(file.program, group).unwrap_or_default());
    let names = names.collect();
    // SAFETY: nc_close with the file's number.
    unsafe { invoke_on(file.program, "nc_close", root, []) };
    names
}

/// Opens it again; the numbers of these groups, which are nobody's if the file is gone.
fn open(file: &Taken, names: &[CString]) -> Vec<c_int> {
    let mut root: c_int = -1;
    let mut words: Words = [0; 8];
    words[0] = file.at.as_ptr() as usize;
    words[1] = number(file.mode);
    words[2] = (&raw mut root) as usize;
    // SAFETY: nc_open with its arguments.
    unsafe { invoke(file.program, "nc_open", words) };
    let groups = names.iter().map(|name| group(file.program, root, name));
    groups.collect()
}

fn group(library: &'static Library, root: c_int, name: &CString) -> c_int {
    let mut group: c_int = -1;
    let places = [name.as_ptr() as usize, (&raw mut group) as usize];
    // SAFETY: nc_inq_grp_full_ncid with its arguments.
    unsafe { invoke_on(library, "nc_inq_grp_full_ncid", root, places) };
    group
}
