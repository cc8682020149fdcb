//! The call that a handler is given, and who has its file.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;

use crate::beside;
use crate::files::{self, Place, Taken};
use crate::invoke::BAD_ID;
use crate::library::{Library, frazil, program};
use crate::names::Call;

thread_local! {
    /// The call that a handler is being given: number, and where it came from.
    static CURRENT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// The call goes to a handler.
pub(crate) fn set_current(call: usize, caller: usize) {
    CURRENT.set((call, caller));
}

/// Number of the call that came to this handler, and where from. To be asked first.
pub(crate) fn current() -> (usize, usize) {
    CURRENT.get()
}

/// The library that has a file, and its number there; `None`: the file was handed over in vain.
pub(crate) fn served_by(id: c_int, caller: usize) -> (&'static Library, c_int, Option<Arc<Taken>>) {
    let Some(file) = files::find(id) else {
        return (program(caller), id, None);
    };
    beside::refresh(&file);
    match (file.place(id), frazil()) {
        (Place::Own(own), Ok(library)) => (library, own, Some(file)),
        (Place::Handed(real), _) => (file.program, real, Some(file)),
        (Place::Own(_), Err(_)) => (file.program, BAD_ID, Some(file)),
    }
}

/// Whether a call is the one of this name.
pub(crate) fn is(call: usize, one: Call) -> bool {
    call == one as usize
}
