//! The way into every exported function: panics and errors end here.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use frazil::{Error, ErrorCode, Result};

use crate::last_error;
use crate::status::frz_status;

/// Runs the body of an exported function: its error becomes a status, and the message of this
/// thread.
#[inline]
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> frz_status {
    match caught(body) {
        Ok(()) => frz_status::FRZ_OK,
        Err(error) => failed(&error),
    }
}

#[cold]
fn failed(error: &Error) -> frz_status {
    last_error::remember(error);
    frz_status::from(error.code)
}

thread_local! {
    /// Calls that this thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is inside a call of this library already.
pub(crate) fn is_inside_a_call() -> bool {
    // That of `caught`, which asks, does not count.
    DEPTH.get() > 1
}

/// Counts a call of this thread as long as it lives.
struct Inside;

impl Inside {
    #[inline]
    fn new() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Runs `body`; a panic in it becomes [`ErrorCode::Internal`].
///
/// What the panic left half changed must not be used again: handles are behind mutexes, which a
/// panic poisons.
#[inline]
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    let _inside = Inside::new();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(bug(payload.as_ref())))
}

#[cold]
fn bug(payload: &(dyn Any + Send)) -> Error {
    let cause = payload
        .downcast_ref::<&str>()
        .map(|&text| text.to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    Error::new(ErrorCode::Internal, format!("a bug in frazil: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_with_its_message() {
        let status = guarded(|| panic!("index 7 of 3"));
        assert_eq!(status, frz_status::FRZ_INTERNAL);
        let text = last_error::with_last(|last| last.cause.to_str().unwrap().to_owned());
        assert_eq!(text, "a bug in frazil: index 7 of 3");
    }

    #[test]
    fn an_error_becomes_its_own_status() {
        let status = guarded(|| Err(Error::new(ErrorCode::NoSpace, "disk full")));
        assert_eq!(status, frz_status::FRZ_NO_SPACE);
        assert_eq!(guarded(|| Ok(())), frz_status::FRZ_OK);
    }
}
