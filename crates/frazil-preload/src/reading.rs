//! Files that the program opens for reading: frazil reads those in which it sees what netCDF-C sees.
//!
//! `libfrazil` says which. Small files are left alone: loading it takes longer than reading them. The drop-in
//! library takes those with filters that its HDF5 lacks. At the first call that only the program's own library
//! serves, that opens the file, and has it from then on: nothing is lost, since nothing was written.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::files::{self, Origin, Place, Taken, WRITE};
use crate::invoke::{BAD_ID, INVALID, invoke, invoke_on, number};
use crate::library::{Library, frazil, is_drop_in, is_netcdf4};
use crate::names::NAMES;
use crate::report;
use crate::values::NAME_BYTES;

/// Set if files are only to be written.
const WRITE_ONLY: &str = "FRAZIL_RUN_WRITE_ONLY";
/// Smaller files are left alone.
const FEWEST_BYTES: u64 = 1 << 20;
/// HDF5's own filters but szip: deflate, shuffle, Fletcher-32, N-Bit, scale and offset.
const OWN_FILTERS: [c_uint; 5] = [1, 2, 3, 5, 6];
/// Filters of a variable at most, by HDF5.
const MOST_FILTERS: usize = 32;
/// `NC_EBADGRPID`
const BAD_GROUP: c_int = -116;

/// Takes a file, if frazil reads it; its number. Of ranks, each reads for itself.
pub(crate) fn take(
    path: &CStr,
    mode: c_int,
    program: &'static Library,
    is_of_ranks: bool,
) -> Option<c_int> {
    if mode & WRITE != 0 || std::env::var_os(WRITE_ONLY).is_some() {
        return None;
    }
    let is_large = bytes_of(path)? >= FEWEST_BYTES;
    if !is_large && !is_drop_in() {
        return None;
    }
    let library = frazil().ok()?;
    let mut own: c_int = 0;
    let words = [
        path.as_ptr() as usize,
        number(mode),
        (&raw mut own) as usize,
    ];
    let words = [words[0], words[1], words[2], 0, 0, 0, 0, 0];
    // SAFETY: frz_nc_open_reading with its three arguments.
    let status = unsafe { invoke(library, "nc_open_reading", words) };
    if status != 0 {
        // Of small files nobody expects it.
        if is_large {
            report::unread(path, &report::refusal_of(status));
        }
        return None;
    }
    if !is_large && !has_foreign_filters(library, own) {
        // SAFETY: frz_nc_close with the number of a file that was opened above.
        unsafe { invoke_on(library, "nc_close", own, []) };
        return None;
    }
    let file = Taken::new(path, Origin::Read, (mode, own), program);
    let id = files::insert(file.of_ranks(is_of_ranks));
    match id {
        Some(_) => report::read(path),
        // SAFETY: frz_nc_close with the number of a file that was opened above.
        None => _ = unsafe { invoke_on(library, "nc_close", own, []) },
    }
    id
}

/// The bytes of a file, if it is of the format.
fn bytes_of(path: &CStr) -> Option<u64> {
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    let length = path.metadata().ok()?.len();
    is_netcdf4(path).then_some(length)
}

/// Whether a variable has a filter that HDF5 as it is built here does not have.
fn has_foreign_filters(library: &'static Library, own: c_int) -> bool {
    let mut groups = (own..).take_while(|&group| name_of(library, group).is_some());
    groups.any(|group| {
        let mut variables: c_int = 0;
        let place = (&raw mut variables) as usize;
        // SAFETY: frz_nc_inq_nvars with its arguments.
        unsafe { invoke_on(library, "nc_inq_nvars", group, [place]) };
        (0..variables).any(|varid| {
            let (mut count, mut filters) = (0_usize, [0 as c_uint; MOST_FILTERS]);
            let count_at = (&raw mut count) as usize;
            // SAFETY: frz_nc_inq_var_filter_ids with no place for the numbers.
            unsafe {
                invoke_on(
                    library,
                    "nc_inq_var_filter_ids",
                    group,
                    [number(varid), count_at, 0],
                )
            };
            if count > MOST_FILTERS {
                return true;
            }
            let places = [number(varid), count_at, filters.as_mut_ptr() as usize];
            // SAFETY: as above; there is room for as many.
            unsafe { invoke_on(library, "nc_inq_var_filter_ids", group, places) };
            filters[..count]
                .iter()
                .any(|filter| !OWN_FILTERS.contains(filter))
        })
    })
}

/// Before a call: gives the file back to the program's own library unless frazil serves the call. If that
/// cannot be, frazil says what is wrong with it.
pub(crate) fn give_back_unless(is_served: bool, file: &Taken, call: usize) {
    if is_served {
        return;
    }
    let Place::Own(own) = file.place(0) else {
        return;
    };
    let name = NAMES.get(call).copied().unwrap_or_default();
    if let Ok(groups) = reopened(file, own) {
        file.hand_over(groups);
        if let Ok(library) = frazil() {
            // SAFETY: frz_nc_close with the file's number.
            unsafe { invoke_on(library, "nc_close", own, []) };
        }
        report::read_back(&file.path, &format!("{name}, which frazil leaves to it"));
    }
}

/// Opens the file in the program's own library; its numbers of the groups, in their order.
fn reopened(file: &Taken, own: c_int) -> Result<Vec<c_int>, c_int> {
    let library = frazil().map_err(|_| BAD_ID)?;
    let mut real: c_int = 0;
    let place = (&raw mut real) as usize;
    let words = [
        file.at.as_ptr() as usize,
        number(file.mode),
        place,
        0,
        0,
        0,
        0,
        0,
    ];
    // SAFETY: nc_open with its arguments.
    let status = unsafe { invoke(file.program, "nc_open", words) };
    if status != 0 {
        return Err(status);
    }
    let mut groups = Vec::new();
    // Both count groups in the order of the file.
    while let Some(name) = name_of(library, own | groups.len() as c_int) {
        let there = real | groups.len() as c_int;
        if name_of(file.program, there).as_ref() != Some(&name) {
            // SAFETY: nc_close with the number of a file that was opened above.
            unsafe { invoke_on(file.program, "nc_close", real, []) };
            return Err(INVALID);
        }
        groups.push(there);
    }
    Ok(groups)
}

/// A group's name; `None`: there is no such group.
fn name_of(library: &'static Library, id: c_int) -> Option<CString> {
    let mut name: Vec<c_char> = vec![0; NAME_BYTES];
    // SAFETY: nc_inq_grpname with room for the longest name.
    let status = unsafe { invoke_on(library, "nc_inq_grpname", id, [name.as_mut_ptr() as usize]) };
    // SAFETY: the call has written a text with its NUL.
    (status == 0).then(|| unsafe { CStr::from_ptr(name.as_ptr()) }.to_owned())
}

/// `nc_close` and `nc_abort`.
pub(crate) fn end(id: c_int, file: &Taken) -> c_int {
    if id & 0xFFFF != 0 {
        return BAD_GROUP;
    }
    let status = match (file.place(id), frazil()) {
        // SAFETY: nc_close in the library that has the file.
        (Place::Handed(real), _) => unsafe { invoke_on(file.program, "nc_close", real, []) },
        // SAFETY: as above.
        (Place::Own(own), Ok(library)) => unsafe { invoke_on(library, "nc_close", own, []) },
        (Place::Own(_), Err(_)) => BAD_ID,
    };
    files::remove(id);
    status
}
