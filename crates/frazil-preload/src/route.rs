//! Where a call goes.

use std::ffi::c_int;

use once_cell::race::OnceBox;

use crate::current::{is, set_current};
use crate::files::{self, Place};
use crate::handover::give_back_unfit;
use crate::invoke::NOT_BUILT;
use crate::library::{Library, frazil, program};
use crate::names::{Call, NAMES};
use crate::{behind, beside, create, define, pairs, ranks, reading};

/// What kind of call it is, where the file was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Goes to a handler whatever its first argument is.
    Handler(usize),
    /// Values are put.
    Put,
    /// Define mode is left, and nothing is put.
    Settle,
    /// Something is defined, or may fail for what frazil does not write.
    Define,
    /// The file ends.
    End,
    /// Numbers of groups come back.
    Groups,
    /// Neither.
    Plain,
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
            Kind::Handler(ranks::create as *const () as usize)
        }
        "nc_open_par" | "nc_open_par_fortran" => Kind::Handler(ranks::open as *const () as usize),
        "nc_var_par_access" => Kind::Handler(ranks::access as *const () as usize),
        "nc_set_default_format" => Kind::Handler(create::set_default_format as *const () as usize),
        "nc_copy_att" => Kind::Handler(pairs::copy_att as *const () as usize),
        "nc_copy_var" => Kind::Handler(pairs::copy_var as *const () as usize),
        "nc_inq_type_equal" => Kind::Handler(pairs::inq_type_equal as *const () as usize),
        "nc_close" | "nc_abort" => Kind::End,
        "nc_def_grp" | "nc_inq_ncid" | "nc_inq_grps" => Kind::Groups,
        "nc_inq_grp_ncid" | "nc_inq_grp_full_ncid" | "nc_inq_grp_parent" => Kind::Groups,
        "nc_set_fill" | "nc_redef" | "nc_enddef" | "nc__enddef" => Kind::Define,
        "nc_inq_filter_avail" => Kind::Define,
        "nc_get_var_chunk_cache" | "nc_get_var_chunk_cache_ints" => Kind::Define,
        "nc_sync" => Kind::Settle,
        _ if name.starts_with("nc_get_var") => Kind::Settle,
        _ if name.starts_with("nc_put_var") => Kind::Put,
        _ if is_definition.iter().any(|start| name.starts_with(start)) => Kind::Define,
        _ => Kind::Plain,
    }
}

fn kind(call: usize) -> Kind {
    static KINDS: OnceBox<Vec<Kind>> = OnceBox::new();
    let kinds = KINDS.get_or_init(|| Box::new(NAMES.iter().map(|name| kind_of(name)).collect()));
    kinds.get(call).copied().unwrap_or(Kind::Plain)
}

/// Whether a file differs from its last commit after a call.
fn changes(kind: Kind, call: usize) -> bool {
    let modes = [
        Call::nc_redef,
        Call::nc_enddef,
        Call::nc__enddef,
        Call::nc_set_fill,
    ];
    match kind {
        Kind::Put => true,
        Kind::Define | Kind::Groups => !asks(call) && !modes.iter().any(|&one| is(call, one)),
        _ => false,
    }
}

/// Whether a call only asks.
fn asks(call: usize) -> bool {
    let name = NAMES.get(call).copied().unwrap_or_default();
    name.starts_with("nc_inq_") || name.starts_with("nc_get_")
}

/// The address that a door jumps to; the first argument becomes what is meant there.
///
/// # Safety
/// `first` points to the first argument of the call.
pub(crate) unsafe extern "C" fn route(call: usize, caller: usize, first: *mut u64) -> usize {
    let kind = kind(call);
    if let Kind::Handler(handler) = kind {
        set_current(call, caller);
        return handler;
    }
    // SAFETY: as this function's.
    let id = unsafe { *first } as c_int;
    let Some(file) = files::find(id) else {
        return onward(program(caller), call);
    };
    behind::finish(&file);
    beside::refresh(&file);
    if kind == Kind::Groups && file.is_reading() && !asks(call) {
        reading::give_back_unless(false, &file, call);
    }
    if !file.is_reading() {
        if matches!(kind, Kind::Put | Kind::Settle) {
            give_back_unfit(&file);
        }
        if changes(kind, call) {
            file.note_change();
        }
    }
    let is_own = !file.is_reading() && matches!(file.place(id), Place::Own(_));
    let handler = match kind {
        _ if is(call, Call::nc_sync) && is_own => Some(behind::sync as *const () as usize),
        Kind::End => Some(create::end as *const () as usize),
        Kind::Groups => Some(define::groups as *const () as usize),
        _ => None,
    };
    if let Some(handler) = handler {
        set_current(call, caller);
        return handler;
    }
    // Where nothing is defined, asking is plain.
    let kind = match file.is_reading() && asks(call) || kind == Kind::Settle {
        true => Kind::Plain,
        false => kind,
    };
    if file.is_reading() {
        let is_served = kind == Kind::Plain && frazil().is_ok_and(|it| it.function(call).is_some());
        reading::give_back_unless(is_served, &file, call);
    }
    match file.place(id) {
        Place::Handed(_) if is(call, Call::nc_inq_path) => {
            set_current(call, caller);
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
                    // SAFETY: as this function's.
                    unsafe { *first = u64::from(own.cast_unsigned()) };
                    address
                }
                _ => {
                    set_current(call, caller);
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
