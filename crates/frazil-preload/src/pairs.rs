//! Calls with two files, which may be in the hands of two libraries.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use crate::current::{current, served_by};
use crate::files::{self, Place};
use crate::handover::{give_back, why};
use crate::invoke::{INVALID, NOT_BUILT, invoke, invoke_on, number};
use crate::library::{Library, frazil};
use crate::names::NAMES;
use crate::{reading, report};

use crate::values::copy_attribute;

/// The last of the types that are not of programs.
const LAST_ATOMIC: c_int = 12;

pub(crate) extern "C" fn copy_att(
    from: c_int,
    varid: c_int,
    name: *const c_char,
    to: c_int,
    to_varid: c_int,
) -> c_int {
    let (call, caller) = current();
    let (there, there_id, target) = served_by(to, caller);
    if let Some(target) = target.as_ref().filter(|target| !target.is_reading()) {
        target.note_change();
    }
    let (here, here_id, _) = served_by(from, caller);
    let direct = |id: c_int| {
        let words = [number(here_id), number(varid), name as usize, number(id)];
        let words = [
            words[0],
            words[1],
            words[2],
            words[3],
            number(to_varid),
            0,
            0,
            0,
        ];
        // SAFETY: the call as it came, in the library that has both files.
        unsafe { invoke(here, "nc_copy_att", words) }
    };
    let is_own = |library| frazil().is_ok_and(|own| ptr::eq(library, own));
    if (is_own(here) || is_own(there))
        && type_of_attribute((here, here_id), varid, name) > LAST_ATOMIC
    {
        if ptr::eq(here, there) {
            let status = direct(there_id);
            if status != NOT_BUILT {
                return status;
            }
        }
        return match both_to_program(call, caller, [from, to]) {
            Ok((library, from, to)) => {
                let words = [number(from), number(varid), name as usize, number(to)];
                let [a, b, c, d] = words;
                // SAFETY: the call as it came, in the library that has both files.
                unsafe {
                    invoke(
                        library,
                        "nc_copy_att",
                        [a, b, c, d, number(to_varid), 0, 0, 0],
                    )
                }
            }
            Err(status) => status,
        };
    }
    if ptr::eq(here, there) {
        return direct(there_id);
    }
    if name.is_null() {
        return INVALID;
    }
    // SAFETY: not NULL; the program vouches for the rest.
    let name = unsafe { CStr::from_ptr(name) };
    let copied = copy_attribute(name, (here, here_id, varid), (there, there_id, to_varid));
    let Err(status) = copied else { return 0 };
    match target {
        Some(file) if is_own(there) && status == INVALID => {
            // Of a type that frazil does not write.
            match give_back(&file, &why("nc_copy_att", 0)) {
                Ok(()) => direct(served_by(to, caller).1),
                Err(status) => status,
            }
        }
        _ => status,
    }
}

/// The type of an attribute; 0 if there is none.
fn type_of_attribute(
    (library, id): (&'static Library, c_int),
    varid: c_int,
    name: *const c_char,
) -> c_int {
    let mut nc_type: c_int = 0;
    let words = [number(varid), name as usize, (&raw mut nc_type) as usize];
    // SAFETY: nc_inq_atttype with its arguments, which are the program's own.
    match name.is_null() || unsafe { invoke_on(library, "nc_inq_atttype", id, words) } != 0 {
        true => 0,
        false => nc_type,
    }
}

/// Gives two files back to the program's own library, as far as frazil has them: both of the call are to be in
/// one library. That library, and its numbers of the files.
fn both_to_program(
    call: usize,
    caller: usize,
    ids: [c_int; 2],
) -> Result<(&'static Library, c_int, c_int), c_int> {
    let name = NAMES.get(call).copied().unwrap_or_default();
    for id in ids {
        match files::find(id) {
            Some(file) if file.is_reading() => reading::give_back_unless(false, &file, call),
            Some(file) if matches!(file.place(id), Place::Own(_)) => {
                give_back(&file, &why(name, 0))?;
            }
            _ => {}
        }
    }
    let [(here, first, _), (there, second, _)] = ids.map(|id| served_by(id, caller));
    match ptr::eq(here, there) {
        true => Ok((here, first, second)),
        false => Err(INVALID),
    }
}

/// `nc_copy_var` defines a variable and copies its values: in the program's own library.
pub(crate) extern "C" fn copy_var(from: c_int, varid: c_int, to: c_int) -> c_int {
    let (call, caller) = current();
    if let Some(file) = files::find(from).filter(|file| file.is_reading()) {
        reading::give_back_unless(false, &file, call);
    }
    let own = frazil().ok();
    let is_own = |library| own.is_some_and(|own| ptr::eq(own, library));
    let (here, here_id, source) = served_by(from, caller);
    let (there, _, target) = served_by(to, caller);
    if let Some(source) = source.filter(|_| is_own(here)) {
        report::refused(&source.path, "nc_copy_var", "frazil does not serve it");
        return INVALID;
    }
    if let Some(target) = target.filter(|_| is_own(there))
        && let Err(status) = give_back(&target, &why("nc_copy_var", 0))
    {
        report::refused(&target.path, "nc_copy_var", "frazil does not serve it");
        return status;
    }
    let (library, to, _) = served_by(to, caller);
    let words = [number(here_id), number(varid), number(to), 0, 0, 0, 0, 0];
    // SAFETY: the call as it came, in the library that has both files.
    unsafe { invoke(library, "nc_copy_var", words) }
}

pub(crate) extern "C" fn inq_type_equal(
    first: c_int,
    first_type: c_int,
    second: c_int,
    second_type: c_int,
    equalp: *mut c_int,
) -> c_int {
    let (call, caller) = current();
    if first_type > LAST_ATOMIC && second_type > LAST_ATOMIC {
        let (here, there) = (served_by(first, caller), served_by(second, caller));
        if !ptr::eq(here.0, there.0)
            && let Err(status) = both_to_program(call, caller, [first, second])
        {
            return status;
        }
    }
    let (here, here_id, _) = served_by(first, caller);
    let (there, there_id, _) = served_by(second, caller);
    if ptr::eq(here, there) {
        let words = [number(here_id), number(first_type), number(there_id)];
        let (last, place) = (number(second_type), equalp as usize);
        let words = [words[0], words[1], words[2], last, place, 0, 0, 0];
        // SAFETY: the call as it came, in the library that has both files.
        return unsafe { invoke(here, "nc_inq_type_equal", words) };
    }
    if first_type <= 0 || second_type <= 0 {
        return INVALID;
    }
    // One of them is netCDF's own.
    let are_equal = first_type == second_type && first_type <= LAST_ATOMIC;
    if !equalp.is_null() {
        // SAFETY: not NULL; the program vouches for the rest.
        unsafe { *equalp = c_int::from(are_equal) };
    }
    0
}
