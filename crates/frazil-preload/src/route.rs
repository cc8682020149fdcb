//! Where a call goes.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::{Arc, OnceLock};

use crate::doors::{Call, NAMES};
use crate::files::{self, Place, Taken};
use crate::library::{Library, frazil, program};
use crate::{create, define, handover, pairs};

/// `NC_EBADID`
pub(crate) const BAD_ID: c_int = -33;
/// `NC_EINVAL`
pub(crate) const INVALID: c_int = -36;
/// `NC_ENOTBUILT`
const NOT_BUILT: c_int = -128;

/// Arguments as they lie in registers and on the stack: numbers and pointers. A function that takes fewer
/// does not look at the rest.
pub(crate) type Words = [usize; 8];

/// A function of netCDF's with arguments in words.
pub(crate) type Function =
    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> c_int;

/// What kind of call it is, where the file was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Goes to a handler whatever its first argument is.
    Handler(usize),
    /// Values are put.
    Put,
    /// Something is defined, or may fail for what frazil does not write.
    Define,
    /// The file ends.
    End,
    /// Numbers of groups come back.
    Groups,
    /// Neither.
    Plain,
}

thread_local! {
    /// The call that a handler is being given: number, and where it came from.
    static CURRENT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Number of the call that came to this handler, and where from. To be asked first.
pub(crate) fn current() -> (usize, usize) {
    CURRENT.get()
}

fn kind_of(name: &str) -> Kind {
    let is_definition = [
        "nc_def_",
        "nc_put_att",
        "nc_rename_",
        "nc_del_",
        "nc_insert_",
    ];
    match name {
        "nc_create" => Kind::Handler(create::create as *const () as usize),
        "nc__create" => Kind::Handler(create::create_sized as *const () as usize),
        "nc_open" => Kind::Handler(create::open as *const () as usize),
        "nc__open" => Kind::Handler(create::open_sized as *const () as usize),
        "nc_create_par" | "nc_create_par_fortran" => {
            Kind::Handler(create::create_parallel as *const () as usize)
        }
        "nc_set_default_format" => Kind::Handler(create::set_default_format as *const () as usize),
        "nc_copy_att" => Kind::Handler(pairs::copy_att as *const () as usize),
        "nc_copy_var" => Kind::Handler(pairs::copy_var as *const () as usize),
        "nc_inq_type_equal" => Kind::Handler(pairs::inq_type_equal as *const () as usize),
        "nc_close" | "nc_abort" => Kind::End,
        "nc_def_grp" | "nc_inq_ncid" | "nc_inq_grps" => Kind::Groups,
        "nc_inq_grp_ncid" | "nc_inq_grp_full_ncid" | "nc_inq_grp_parent" => Kind::Groups,
        "nc_set_fill" | "nc_redef" | "nc_enddef" | "nc__enddef" => Kind::Define,
        "nc_inq_filter_avail" => Kind::Define,
        _ if name.starts_with("nc_put_var") => Kind::Put,
        _ if is_definition.iter().any(|start| name.starts_with(start)) => Kind::Define,
        _ => Kind::Plain,
    }
}

fn kind(call: usize) -> Kind {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    let kinds = KINDS.get_or_init(|| NAMES.iter().map(|name| kind_of(name)).collect());
    kinds.get(call).copied().unwrap_or(Kind::Plain)
}

/// The address that a door jumps to; the first argument becomes what is meant there.
///
/// # Safety
/// `first` points to the first argument of the call.
pub(crate) unsafe extern "C" fn route(call: usize, caller: usize, first: *mut u64) -> usize {
    let kind = kind(call);
    if let Kind::Handler(handler) = kind {
        CURRENT.set((call, caller));
        return handler;
    }
    // SAFETY: as this function's.
    let id = unsafe { *first } as c_int;
    let Some(file) = files::find(id) else {
        return onward(program(caller), call);
    };
    let handler = match kind {
        Kind::End => Some(create::end as *const () as usize),
        Kind::Groups => Some(define::groups as *const () as usize),
        _ => None,
    };
    if let Some(handler) = handler {
        CURRENT.set((call, caller));
        return handler;
    }
    match file.place(id) {
        Place::Handed(_) if is(call, Call::nc_inq_path) => {
            CURRENT.set((call, caller));
            define::inq_path as *const () as usize
        }
        Place::Handed(real) => {
            // SAFETY: as this function's.
            unsafe { *first = u64::from(real.cast_unsigned()) };
            onward(file.program, call)
        }
        Place::Own(own) => {
            let address = frazil().ok().and_then(|library| library.function(call));
            match (kind, address) {
                (Kind::Put | Kind::Plain, Some(address)) => {
                    if kind == Kind::Put {
                        file.note_put();
                    }
                    // SAFETY: as this function's.
                    unsafe { *first = u64::from(own.cast_unsigned()) };
                    address
                }
                _ => {
                    CURRENT.set((call, caller));
                    define::define as *const () as usize
                }
            }
        }
    }
}

/// A function of the program's own library.
fn onward(library: &'static Library, call: usize) -> usize {
    library
        .function(call)
        .unwrap_or(not_there as *const () as usize)
}

/// What a call of a function does that the program's netCDF library has not.
extern "C" fn not_there() -> c_int {
    NOT_BUILT
}

/// Calls a function of a library.
///
/// # Safety
/// The words are what the function takes.
pub(crate) unsafe fn invoke(library: &'static Library, name: &str, words: Words) -> c_int {
    let Some(address) = library.symbol(name) else {
        return NOT_BUILT;
    };
    // SAFETY: netCDF's functions that take words; those that it does not take are not looked at.
    let function = unsafe { std::mem::transmute::<usize, Function>(address) };
    let [a, b, c, d, e, f, g, h] = words;
    library.during(|| {
        // SAFETY: as this function's.
        unsafe { function(a, b, c, d, e, f, g, h) }
    })
}

/// As [`invoke`], for the arguments after the file's number.
///
/// # Safety
/// As [`invoke`].
pub(crate) unsafe fn invoke_on<const N: usize>(
    library: &'static Library,
    name: &str,
    id: c_int,
    others: [usize; N],
) -> c_int {
    let mut words = [0; 8];
    words[0] = number(id);
    words[1..=N].copy_from_slice(&others);
    // SAFETY: as this function's.
    unsafe { invoke(library, name, words) }
}

/// An `int` as a word.
pub(crate) fn number(value: c_int) -> usize {
    value.cast_unsigned() as usize
}

/// The library that has a file, and its number there; `None`: the file was handed over in vain.
pub(crate) fn served_by(id: c_int, caller: usize) -> (&'static Library, c_int, Option<Arc<Taken>>) {
    match files::find(id) {
        None => (program(caller), id, None),
        Some(file) => match (file.place(id), frazil()) {
            (Place::Own(own), Ok(library)) => (library, own, Some(file)),
            (Place::Handed(real), _) => (file.program, real, Some(file)),
            (Place::Own(_), Err(_)) => (file.program, BAD_ID, Some(file)),
        },
    }
}

/// Gives a file back for what frazil does not write.
///
/// # Errors
/// The status for the program, where it cannot be given back.
pub(crate) fn give_back(file: &Taken, call: usize) -> Result<(), c_int> {
    let name = NAMES.get(call).copied().unwrap_or_default();
    handover::hand_over(file, name)
}

/// Whether a call is the one of this name.
pub(crate) fn is(call: usize, one: Call) -> bool {
    call == one as usize
}
