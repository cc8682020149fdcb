//! Calls that define, and calls that give out numbers of groups, on files that were taken.

use std::ffi::{c_char, c_int};

use crate::current::{current, is, served_by};
use crate::faithful;
use crate::files::{self, Place, Taken};
use crate::handover::{NO_MEMORY, give_back, give_back_unfit, why};
use crate::invoke::{BAD_ID, INVALID, NOT_BUILT, Words, invoke, invoke_on, number};
use crate::library::{Library, frazil};
use crate::names::{Call, NAMES};
use crate::report;

/// What frazil answers where it does not do what netCDF-C may do: `NC_EINVAL`, `NC_EBADTYPE`,
/// `NC_EVARSIZE`, `NC_EBADTYPID`, `NC_ENOTBUILT`, `NC_EFILTER`, `NC_ENOFILTER`; `NC_ENOMEM` for a chunk or a
/// contiguous variable of more than an eighth of frazil's memory.
const NOT_SERVED: [c_int; 8] = [-36, -45, NO_MEMORY, -62, -117, NOT_BUILT, -132, -136];

/// Those of them that frazil answers for nothing else: the others are the program's faults where its own library
/// cannot be asked.
const NOT_HERE: [c_int; 5] = [NO_MEMORY, -62, NOT_BUILT, -132, -136];

/// A call on a file that frazil may not be able to serve: the file then goes back to the program's
/// own library, which gets this call.
pub(crate) extern "C" fn define(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
) -> c_int {
    let (call, _) = current();
    let words = [a, b, c, d, e, f, g, h];
    let id = a as c_int;
    let Some(file) = files::find(id) else {
        return BAD_ID;
    };
    match (file.place(id), frazil()) {
        (Place::Own(own), Ok(library)) => on_own(&file, (id, own), library, call, words),
        (Place::Handed(real), _) => go_on(&file, real, call, words),
        (Place::Own(_), Err(_)) => BAD_ID,
    }
}

fn on_own(
    file: &Taken,
    (id, own): (c_int, c_int),
    library: &'static Library,
    call: usize,
    words: Words,
) -> c_int {
    let name = NAMES.get(call).copied().unwrap_or_default();
    if is(call, Call::nc_inq_filter_avail) {
        return faithful::filter_is_there(file, own, library, words);
    }
    if let Some(told) = faithful::without_filter(file, own, library, call, words) {
        return told;
    }
    if is(call, Call::nc_get_var_chunk_cache) || is(call, Call::nc_get_var_chunk_cache_ints) {
        return faithful::chunk_cache(file, own, library, call, words);
    }
    if name.ends_with("enddef") {
        give_back_unfit(file);
        if let Place::Handed(real) = file.place(id) {
            return go_on(file, real, call, words);
        }
    }
    let mut own_words = words;
    own_words[0] = number(own);
    let is_served = library.function(call).is_some();
    let status = match is_served {
        // frazil's writer knows no string that is not there.
        true if is(call, Call::nc_put_att_string) && has_missing_string(words) => NOT_BUILT,
        // SAFETY: the call as it came, with frazil's number of the file.
        true => unsafe { invoke(library, name, own_words) },
        false => INVALID,
    };
    if status == 0 {
        faithful::after(file, own, library, call, words);
        return 0;
    }
    faithful::after_refusal(file, own, library, call, (words, status));
    if is_served && !NOT_SERVED.contains(&status) {
        return status;
    }
    match faithful::verdict(file, own, library, call, words) {
        Some(0) => {}
        // The call is wrong, whoever serves it.
        Some(verdict) => return verdict,
        None if is_served && !NOT_HERE.contains(&status) => return status,
        None => {}
    }
    let words_of = report::words_of(status);
    let handed = give_back(file, &why(name, status));
    if handed.is_err() && file.has_content() {
        report::refused(&file.path, name, &words_of);
    }
    match (handed, file.place(id)) {
        (Ok(()), Place::Handed(real)) => go_on(file, real, call, words),
        (Ok(()), Place::Own(_)) => status,
        (Err(failure), _) => failure,
    }
}

/// Whether one of the strings of `nc_put_att_string` is NULL.
fn has_missing_string(words: Words) -> bool {
    let (length, strings) = (words[3], words[4] as *const *const c_char);
    // SAFETY: not NULL, and the program vouches for so many pointers.
    !strings.is_null() && (0..length).any(|one| unsafe { *strings.add(one) }.is_null())
}

/// The call in the program's own library.
fn go_on(file: &Taken, real: c_int, call: usize, mut words: Words) -> c_int {
    words[0] = number(real);
    let name = NAMES.get(call).copied().unwrap_or_default();
    // SAFETY: the call as it came, with that library's number of the file.
    unsafe { invoke(file.program, name, words) }
}

/// `nc_def_grp`, `nc_inq_ncid` and their like: what comes back are the program's numbers.
pub(crate) extern "C" fn groups(a: usize, b: usize, c: usize) -> c_int {
    let (call, _) = current();
    let id = a as c_int;
    let (library, there, file) = served_by(id, 0);
    let Some(file) = file else {
        return BAD_ID;
    };
    let name = NAMES.get(call).copied().unwrap_or_default();
    let words = [number(there), b, c, 0, 0, 0, 0, 0];
    // SAFETY: the call as it came, with the library's number of the file.
    let status = unsafe { invoke(library, name, words) };
    if status != 0 {
        return status;
    }
    let (place, count) = match name {
        "nc_inq_grp_parent" => (b, 1),
        "nc_inq_grps" => (c, number_of_groups(library, there)),
        _ => (c, 1),
    };
    let ids = place as *mut c_int;
    if ids.is_null() {
        return 0;
    }
    for index in 0..count {
        // SAFETY: the call has written so many numbers there.
        unsafe {
            let found = ids.add(index).read();
            ids.add(index).write(file.known_as(id, found));
        }
    }
    0
}

fn number_of_groups(library: &'static Library, id: c_int) -> usize {
    let mut count: c_int = 0;
    let words = [(&raw mut count) as usize, 0];
    // SAFETY: nc_inq_grps with no place for the numbers.
    let status = unsafe { invoke_on(library, "nc_inq_grps", id, words) };
    match status {
        0 => usize::try_from(count).unwrap_or(0),
        _ => 0,
    }
}

/// `nc_inq_path` of a file that was given back: its library had it by another name at first.
pub(crate) extern "C" fn inq_path(id: c_int, lengthp: *mut usize, path: *mut c_char) -> c_int {
    let Some(file) = files::find(id) else {
        return BAD_ID;
    };
    let text = file.path.as_bytes_with_nul();
    // SAFETY: each is NULL or has room for what the call gives.
    unsafe {
        if !lengthp.is_null() {
            *lengthp = text.len() - 1;
        }
        if !path.is_null() {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), path, text.len());
        }
    }
    0
}
