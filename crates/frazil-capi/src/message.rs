//! What went wrong last, for each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use frazil::{Counting, Error, ErrorCode, plain, set_counting};

use crate::arguments::text;
use crate::guard::guarded;
use crate::status::frz_status;

/// An error as C reads it; empty where there is nothing to say.
#[derive(Default)]
pub(crate) struct LastError {
    pub(crate) text: CString,
    pub(crate) file: CString,
    pub(crate) variable: CString,
    pub(crate) cause: CString,
    pub(crate) cure: CString,
}

thread_local! {
    static LAST: RefCell<LastError> = RefCell::default();
}

/// Keeps an error for this thread, in place of the one before.
pub(crate) fn remember(error: &Error) {
    let text = in_one_line(error);
    let cure = cure_of(error);
    let last = LastError {
        text: terminated(text.into_bytes()),
        file: terminated(
            (error.file.as_ref())
                .map_or_else(Vec::new, |path| path.as_os_str().as_bytes().to_vec()),
        ),
        variable: terminated(error.variable.clone().unwrap_or_default().into_bytes()),
        cause: terminated(plain(&error.cause).into_owned().into_bytes()),
        cure: terminated(cure.into_bytes()),
    };
    // While a thread ends its message may be gone already: then nobody can ask for it.
    let _ = LAST.try_with(|slot| slot.replace(last));
}

/// File, variable, cause and cure.
pub(crate) fn in_one_line(error: &Error) -> String {
    match cure_of(error).as_str() {
        "" => error.to_string(),
        cure => format!("{error}; {cure}"),
    }
}

/// What can be done. Cures are worded for the command; here its options are calls.
fn cure_of(error: &Error) -> String {
    let cure = plain(error.cure.as_deref().unwrap_or_default());
    cure.replace("add --overwrite", "call frz_options_set_overwrite")
}

/// Says something to whoever runs the program, where no call is left to say it to.
pub(crate) fn complain(words: &str) {
    use std::io::Write;
    // Where there is no standard error, nobody listens.
    let _ = writeln!(std::io::stderr(), "frazil: {words}");
}

/// Says once what is wrong with the environment.
pub(crate) fn complain_of_environment() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let warnings = frazil::environment_warnings();
        warnings.iter().for_each(|words| complain(words));
    });
}

/// Calls `body` with this thread's last error.
pub(crate) fn with_last<T>(body: impl FnOnce(&LastError) -> T) -> T {
    LAST.with_borrow(body)
}

/// Text up to its first NUL.
fn terminated(mut text: Vec<u8>) -> CString {
    if let Some(end) = text.iter().position(|&byte| byte == 0) {
        text.truncate(end);
    }
    CString::new(text).unwrap_or_default()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cures_are_calls_of_c() {
        let error = Error::new(ErrorCode::AlreadyExists, "exists already");
        let error = error.with_cure("add --overwrite to replace it");
        let cure = "call frz_options_set_overwrite to replace it";
        assert_eq!(cure_of(&error), cure);
        assert!(in_one_line(&error).ends_with(cure));
    }

    #[test]
    fn messages_are_plain_and_names_exact() {
        let name = "a\u{1b}[2J\u{202e}";
        remember(
            &Error::new(ErrorCode::Corrupt, format!("no {name}"))
                .in_file(name.as_ref())
                .at_variable(name)
                .with_cure(format!("rename {name}")),
        );
        let shown = "a\\u{1b}[2J\\u{202e}";
        with_last(|last| {
            let text = format!("{shown}: {shown}: no {shown}; rename {shown}");
            assert_eq!(last.text.to_str().unwrap(), text);
            assert_eq!(last.cause.to_str().unwrap(), format!("no {shown}"));
            assert_eq!(last.file.to_str().unwrap(), name);
            assert_eq!(last.variable.to_str().unwrap(), name);
        });
    }
}
