//! What went wrong last, as C asks for it.

use std::ffi::{c_char, c_int};

use frazil::{Counting, Error, ErrorCode, set_counting};

use crate::arguments::text;
use crate::guard::guarded;
use crate::last_error::{remember, with_last};
use crate::status::frz_status;

/// What went wrong in the last call of this thread that failed, in one line: file, variable,
/// cause, and what to do about it. Never NULL; empty if no call failed. Control characters and the
/// like, which a file may bring, are written out in it (`\u{1b}`), so that it may go to a terminal.
///
/// The text belongs to frazil and stays as it is until another call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_message() -> *const c_char {
    with_last(|last| last.text.as_ptr())
}

/// The file that ::frz_last_message is about, by its exact name; empty if none. Lives as long as that text.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_file() -> *const c_char {
    with_last(|last| last.file.as_ptr())
}

/// The variable, group or attribute that ::frz_last_message is about, by its exact name; empty if
/// none. Lives as long as that text.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_variable() -> *const c_char {
    with_last(|last| last.variable.as_ptr())
}

/// The cause alone. Lives as long as ::frz_last_message.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_cause() -> *const c_char {
    with_last(|last| last.cause.as_ptr())
}

/// What can be done about it; empty if nothing is known. Lives as long as ::frz_last_message.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_cure() -> *const c_char {
    with_last(|last| last.cure.as_ptr())
}

/// Makes `message` the last message of this thread, for those who build an interface on this one
/// and refuse a call themselves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_last_message(message: *const c_char) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let words = unsafe { text(message, "message") }?;
        remember(&Error::new(ErrorCode::InvalidArgument, words));
        Ok(())
    })
}

/// Has messages of this thread count as Fortran does, positions from 1 and the fastest axis first, if
/// `from_one` is not 0; else as C does. Returns whether they did so before. For those who build an
/// interface on this one.
#[unsafe(no_mangle)]
pub extern "C" fn frz_set_message_counting(from_one: c_int) -> c_int {
    let before = set_counting(match from_one {
        0 => Counting::FromZero,
        _ => Counting::FromOne,
    });
    c_int::from(before == Counting::FromOne)
}

/// netCDF's words for a status, without what the last call had to say (`frz_nc_strerror` has both):
/// Fortran has 80 characters for them. The text lives as long as the process.
#[unsafe(no_mangle)]
pub extern "C" fn frz_netcdf_status_words(status: c_int) -> *const c_char {
    let text = std::panic::catch_unwind(|| crate::nc::message(status));
    text.unwrap_or(c"Unknown Error").as_ptr()
}
