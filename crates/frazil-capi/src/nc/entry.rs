//! The way into every function of the netCDF faces.

use std::cell::Cell;
use std::ffi::c_int;

use frazil::netcdf::{Outcome, Status};
use frazil::{Error, ErrorCode};

use crate::guard;
use crate::last_error;

/// `NC_EINTERNAL`: a bug in the library.
const INTERNAL: c_int = -92;

thread_local! {
    /// How many refusals of this thread have been explained.
    static EXPLANATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Runs the body of an exported function; what it refuses becomes a status, and a panic
/// `NC_EINTERNAL`.
pub(crate) fn run(body: impl FnOnce() -> Outcome<()>) -> c_int {
    let before = EXPLANATIONS.get();
    match guard::caught(|| Ok(body())) {
        Ok(Ok(())) => Status::NOERR.0,
        Ok(Err(status)) => {
            // What an earlier call had to say is not this one's.
            if EXPLANATIONS.get() == before {
                explain(status, "");
            }
            status.0
        }
        Err(bug) => {
            last_error::remember(&bug);
            INTERNAL
        }
    }
}

/// Keeps what there is to say about a refusal for `frz_last_message`.
#[cold]
pub(crate) fn explain(status: Status, detail: &str) {
    EXPLANATIONS.set(EXPLANATIONS.get().wrapping_add(1));
    crate::nc::keep_detail(status, detail);
    let text = match detail {
        "" => status.message(),
        detail => detail.to_owned(),
    };
    last_error::remember(&Error::new(ErrorCode::NetCdf, text));
}

/// Exported functions that return a netCDF status. Their bodies are closures of
/// [`run`](crate::nc::run) in which pointers may be followed.
macro_rules! entries {
    ($(
        $(#[$text:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => {
        $(
            $(#[$text])*
            ///
            /// # Safety
            /// Every pointer is NULL or good for what the interface reads or writes there.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> ::std::ffi::c_int {
                $crate::nc::run(|| {
                    // SAFETY: the caller vouches for its pointers, and the bodies check for NULL.
                    #[allow(unused_unsafe, reason = "some bodies follow no pointer")]
                    unsafe { $body }
                })
            }
        )*
    };
}

/// Exported functions whose prototypes are not for `frazil.h`: they have a header or an include
/// file of their own. What makes `frazil.h` reads functions, not macros.
macro_rules! declared_elsewhere {
    ($($function:item)*) => {
        $($function)*
    };
}

pub(crate) use {declared_elsewhere, entries};
