//! What went wrong last, as C asks for it.

use std::ffi::{c_char, c_int};

use frazil::{Counting, Error, ErrorCode, set_counting};

use crate::arguments::text;
use crate::guard::guarded;
use crate::last_error::{remember, with_last};
use crate::status::frz_status;

/// Returns the error of the last failed call of this thread, in one line: file, variable, cause and
/// cure. It is never NULL, and empty if no call failed. Control characters, which a file may
/// contain, are written out (`\u{1b}`), so that you can print it to a terminal.
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

/// The cure alone; empty if there is none. Lives as long as ::frz_last_message.
#[unsafe(no_mangle)]
pub extern "C" fn frz_last_cure() -> *const c_char {
    with_last(|last| last.cure.as_ptr())
}

/// Makes `message` the last message of this thread. It is for interfaces that are built on this one
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

/// If `from_one` is not 0, messages of this thread count as in Fortran: positions from 1, fastest
/// axis first. Otherwise they count as in C. Returns the setting before. It is for interfaces that
/// are built on this one.
#[unsafe(no_mangle)]
pub extern "C" fn frz_set_message_counting(from_one: c_int) -> c_int {
    let before = set_counting(match from_one {
        0 => Counting::FromZero,
        _ => Counting::FromOne,
    });
    c_int::from(before == Counting::FromOne)
}

/// Returns netCDF's text for a status, without the message of the last call (`frz_nc_strerror`
/// returns both): Fortran has 80 characters for it. The text lives as long as the process.
#[unsafe(no_mangle)]
pub extern "C" fn frz_netcdf_status_words(status: c_int) -> *const c_char {
    let text = std::panic::catch_unwind(|| crate::nc::message(status));
    text.unwrap_or(c"Unknown Error").as_ptr()
}
