//! Words that belong to the library: status messages and its version.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

use frazil::netcdf::Status;

use crate::nc::declared_elsewhere;

/// The version of netCDF whose interface this is, and ours. Programs read the number in front.
pub(crate) const LIBRARY_VERSION: &CStr = match CStr::from_bytes_with_nul(
    concat!("4.10.1 of frazil ", env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
) {
    Ok(text) => text,
    Err(_) => c"4.10.1 of frazil",
};

/// The lowest number of a netCDF status, and the highest one of the operating system's we keep.
const LOWEST: c_int = -144;
const HIGHEST: c_int = 255;

/// Texts by number, made when they are first asked for: C keeps the pointer.
static MESSAGES: [OnceLock<CString>; (HIGHEST - LOWEST + 1) as usize] =
    [const { OnceLock::new() }; (HIGHEST - LOWEST + 1) as usize];

/// The words for a status; they live as long as the process.
pub(crate) fn message(status: c_int) -> &'static CStr {
    let place = usize::try_from(i64::from(status) - i64::from(LOWEST)).ok();
    let Some(place) = place.and_then(|index| MESSAGES.get(index)) else {
        return c"Unknown Error";
    };
    place.get_or_init(|| CString::new(Status(status).message()).unwrap_or_default())
}

thread_local! {
    /// The last refusal of this thread that says more than its status does.
    static DETAIL: RefCell<Option<(c_int, String)>> = const { RefCell::new(None) };
    /// What was handed to C last.
    static TOLD: RefCell<CString> = RefCell::default();
}

/// Keeps what a refusal says for the next question about its status.
pub(crate) fn keep_detail(status: Status, detail: &str) {
    let kept = (!detail.is_empty()).then(|| (status.0, detail.to_owned()));
    let _ = DETAIL.try_with(|place| place.replace(kept));
}

/// The words for a status, then the detail. What the detail says already, as of an error of the system, is not said
/// twice.
fn joined(status: c_int, words: &str, detail: String) -> String {
    match detail.contains(words) || (status > 0 && detail.contains("(os error ")) {
        true => detail,
        false => format!("{words}: {detail}"),
    }
}

/// The words for a status; with what the last call of this thread that failed said, if it had this one.
fn told(status: c_int) -> *const c_char {
    let words = message(status);
    // While a thread ends what it kept may be gone already.
    let detail = DETAIL.try_with(|place| match &*place.borrow() {
        Some((known, detail)) if *known == status => Some(detail.clone()),
        _ => None,
    });
    let Ok(Some(detail)) = detail else {
        return words.as_ptr();
    };
    let text = joined(status, &words.to_string_lossy(), detail);
    let text = CString::new(text).unwrap_or_else(|_| words.to_owned());
    let kept = TOLD.try_with(|place| {
        place.replace(text);
        place.borrow().as_ptr()
    });
    kept.unwrap_or(words.as_ptr())
}

declared_elsewhere! {
    /// `nc_strerror`: what a status means, and what the last call of this thread that failed had to say
    /// beyond that, if it failed with this status. The text lives until the next such question of this
    /// thread.
    #[unsafe(no_mangle)]
    extern "C" fn frz_nc_strerror(ncerr: c_int) -> *const c_char {
        let text = std::panic::catch_unwind(|| told(ncerr));
        text.unwrap_or(c"Unknown Error".as_ptr())
    }

    /// `nc_inq_libvers`: the version of the interface and of frazil.
    #[unsafe(no_mangle)]
    extern "C" fn frz_nc_inq_libvers() -> *const c_char {
        LIBRARY_VERSION.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn no_cause_is_told_twice() {
        let full = "No space left on device";
        for cause in [full, "File too large"] {
            let detail = format!("a.nc: write: {cause} (os error 28)");
            assert_eq!(joined(28, full, detail.clone()), detail);
        }
        let one = joined(-33, "NetCDF: Not a valid ID", "no such file".to_owned());
        assert_eq!(one, "NetCDF: Not a valid ID: no such file");
        let denied = joined(13, "Permission denied", "a.nc is locked".to_owned());
        assert_eq!(denied, "Permission denied: a.nc is locked");
    }
}
