//! What went wrong last, for each thread.

use std::cell::RefCell;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;

use frazil::{Error, plain};

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

#[cfg(test)]
mod tests {
    use frazil::ErrorCode;

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
