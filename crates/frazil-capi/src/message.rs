//! What went wrong last, for each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::os::unix::ffi::OsStrExt;

use frazil::{Error, ErrorCode, plain};

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
    let mut text = error.to_string();
    let cure = plain(error.cure.as_deref().unwrap_or_default()).into_owned();
    if !cure.is_empty() {
        text += &format!("; {cure}");
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
