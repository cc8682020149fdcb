//! A file that has content goes on in the program's own library: frazil closes it, that library opens it.
//!
//! Both number groups, dimensions and variables in the order of their definition, which files keep. Variables
//! of which the program can still say how they are stored are defined by that library (`late`).

use std::ffi::{CString, c_char, c_int, c_void};

use crate::beside;
use crate::files::{Place, Taken, WRITE};
use crate::handover::fill_mode_of;
use crate::invoke::{BAD_ID, INVALID, NOT_BUILT, Words, invoke, invoke_on, number};
use crate::late::Late;
use crate::library::{Library, frazil};
use crate::report::{self, Done};
use crate::state::State;
use crate::user_types::{Named, types_of};
use crate::values::{done, text};

/// Closes the file and has the program's own library open it; `why` goes into the report where nothing was
/// written.
///
/// # Errors
/// The status of what failed.
pub(crate) fn go_on_there(file: &Taken, why: &str) -> Result<(), c_int> {
    let frazil = frazil().map_err(|_| BAD_ID)?;
    let Place::Own(root) = file.place(0) else {
        return Ok(());
    };
    let names = groups_of(frazil, root);
    let own: Vec<c_int> = (0..names.len())
        .map(|group| root | group as c_int)
        .collect();
    let types = types_of(frazil, &own)?;
    if !keep_numbers(&types, &names) {
        report::refused(&file.path, why, "its types would have other numbers there");
        return Err(NOT_BUILT);
    }
    let fill_mode = fill_mode_of(frazil, root)?;
    let in_define_mode = !State::of(file).is_in_data_mode();
    if let Some(shadow) = file.notes().shadow.take() {
        shadow.close(file.program);
    }
    // What cannot be taken is in the file as frazil stores it.
    let late = Late::take(file, frazil).unwrap_or_default();
    let has_values = file.has_values();
    // HDF5 opens no file for writing that the process has open for reading.
    let ((written, status), opened) = beside::while_closed(file, || {
        let closed = close(frazil, root, false);
        let opened = done(closed.1).and_then(|()| open(file));
        (closed, opened)
    });
    match status == 0 && !has_values {
        true => report::returned(&file.path, why),
        false => report::closed(&file.path, file.origin, &written, status),
    }
    done(status)?;
    let real = opened?;
    let mut groups = Vec::with_capacity(names.len());
    for name in &names {
        let mut group: c_int = 0;
        let others = [name.as_ptr() as usize, (&raw mut group) as usize];
        // SAFETY: nc_inq_grp_full_ncid with its arguments.
        done(unsafe { invoke_on(file.program, "nc_inq_grp_full_ncid", real, others) })?;
        groups.push(group);
    }
    if types_of(file.program, &groups)? != types {
        report::refused(&file.path, why, "its types have other numbers there");
        return Err(INVALID);
    }
    if in_define_mode {
        // SAFETY: nc_redef with the file's number.
        done(unsafe { invoke_on(file.program, "nc_redef", real, []) })?;
    }
    if let Some(late) = late {
        late.define(&groups)?;
    }
    // SAFETY: nc_set_fill with its arguments.
    done(unsafe { invoke_on(file.program, "nc_set_fill", real, [number(fill_mode), 0]) })?;
    file.hand_over(groups);
    Ok(())
}

/// Opens a file for writing in the program's own library; its number there.
fn open(file: &Taken) -> Result<c_int, c_int> {
    let mut real: c_int = 0;
    let mut words: Words = [0; 8];
    words[0] = file.at.as_ptr() as usize;
    words[1] = number(WRITE);
    words[2] = (&raw mut real) as usize;
    // SAFETY: nc_open with its arguments.
    done(unsafe { invoke(file.program, "nc_open", words) })?;
    Ok(real)
}

/// Whether a library that opens the file counts its types as the program knows them: it reads those of a group, in
/// the order of their definition, and then the groups in it. `names` are the full names of the groups.
fn keep_numbers(types: &[Named], names: &[CString]) -> bool {
    let place_of = |name: &[u8]| names.iter().position(|known| known.to_bytes() == name);
    // The groups on the way to one, by their numbers.
    let way = |group: usize| -> Vec<Option<usize>> {
        let name = names[group].to_bytes();
        let ends = (1..name.len()).filter(|&end| name[end] == b'/');
        let above = ends.map(|end| place_of(&name[..end]));
        above.chain([Some(group)]).collect()
    };
    let mut read: Vec<_> = types
        .iter()
        .map(|(number, group, _)| (way(*group), *number))
        .collect();
    read.sort();
    read.is_sorted_by_key(|(_, number)| *number)
}

/// Full names of the groups, in the order of their numbers.
fn groups_of(frazil: &'static Library, root: c_int) -> Vec<CString> {
    let mut names = Vec::new();
    loop {
        // There may be no such group.
        match full_name(frazil, root | names.len() as c_int) {
            Ok(name) => names.push(name),
            Err(_) => return names,
        }
    }
}

/// The full name of a group.
///
/// # Errors
/// The library's status.
pub(crate) fn full_name(library: &'static Library, group: c_int) -> Result<CString, c_int> {
    let mut length = 0_usize;
    let places = [(&raw mut length) as usize, 0];
    // SAFETY: nc_inq_grpname_full with no place for the name.
    done(unsafe { invoke_on(library, "nc_inq_grpname_full", group, places) })?;
    let mut name: Vec<c_char> = vec![0; length + 1];
    let places = [0, name.as_mut_ptr() as usize];
    // SAFETY: as above, with room for the name and its NUL.
    done(unsafe { invoke_on(library, "nc_inq_grpname_full", group, places) })?;
    Ok(text(&name).to_owned())
}

/// Ends a file of frazil's; what was done, and the status.
pub(crate) fn close(frazil: &'static Library, own: c_int, is_abort: bool) -> (Done, c_int) {
    let name = match is_abort {
        true => "nc_abort_reporting",
        false => "nc_close_reporting",
    };
    let mut done = Done::new();
    let place: *mut c_void = (&raw mut done).cast();
    // SAFETY: either with a report of the size that it says.
    let status = unsafe { invoke_on(frazil, name, own, [place as usize]) };
    (done, status)
}
