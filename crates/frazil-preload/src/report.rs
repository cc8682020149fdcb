//! What is told to `frazil run`, by `frazil_interpose::tell`.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use frazil_interpose::tell;
use serde_json::{Value, json};

use crate::files::{self, Origin, Taken};
use crate::invoke::invoke;
use crate::library::{Library, frazil};

/// The words of `NC_ENOTBUILT`, which come before the reason.
const NOT_SERVED: &str =
    "NetCDF: Attempt to use feature that was not turned on when netCDF was built.: ";

/// What a writer did: `frz_report` of `frazil.h`.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Done {
    size_bytes: usize,
    stalled_seconds: f64,
    hidden_seconds: f64,
    raw_bytes: u64,
    stored_bytes: u64,
    ratio: f64,
    spilled_bytes: u64,
    chunks: u64,
    chunks_reused: u64,
    chunks_omitted: u64,
    written_bytes: u64,
    commits: u64,
    kept_exact: u64,
}

impl Done {
    pub(crate) fn new() -> Self {
        Self {
            size_bytes: size_of::<Self>(),
            ..Self::default()
        }
    }

    /// Whether a file was written at all.
    pub(crate) fn is_written(&self) -> bool {
        self.commits > 0
    }
}

fn shown(path: &CStr) -> String {
    path.to_string_lossy().into_owned()
}

/// Names this process, before its first event.
pub(crate) fn process() {
    static NAMED: AtomicU32 = AtomicU32::new(0);
    let id = std::process::id();
    if NAMED.swap(id, Ordering::Relaxed) != id {
        let program = std::env::args_os().next().unwrap_or_default();
        tell("process", json!({ "program": program.to_string_lossy() }));
    }
}

/// A file was taken.
pub(crate) fn taken(path: &CStr) {
    tell("taken", json!({ "path": shown(path) }));
}

/// Whatever happens to the process now, the file is whole.
pub(crate) fn committed(path: &CStr) {
    tell("committed", json!({ "path": shown(path) }));
}

/// It would miss something.
pub(crate) fn changed(path: &CStr) {
    tell("changed", json!({ "path": shown(path) }));
}

/// A new file was left to the program's own library.
pub(crate) fn passed(path: &CStr, why: &str) {
    tell("passed", json!({ "path": shown(path), "why": why }));
}

/// A file that the program reads was taken.
pub(crate) fn read(path: &CStr) {
    tell("read", json!({ "path": shown(path) }));
}

/// A file that the program reads was left to its own library.
pub(crate) fn unread(path: &CStr, why: &str) {
    tell("unread", json!({ "path": shown(path), "why": why }));
}

/// A file that the program reads was given back to its own library.
pub(crate) fn read_back(path: &CStr, why: &str) {
    tell("read_back", json!({ "path": shown(path), "why": why }));
}

/// A file was given back to the program's own library.
pub(crate) fn returned(path: &CStr, why: &str) {
    tell("returned", json!({ "path": shown(path), "why": why }));
}

/// A call failed that the program's own library might have served.
pub(crate) fn refused(path: &CStr, call: &str, words: &str) {
    tell(
        "refused",
        json!({ "path": shown(path), "why": format!("{call}: {}", of_file(path, words)) }),
    );
}

/// The program has dropped a file.
pub(crate) fn aborted(path: &CStr) {
    tell("aborted", json!({ "path": shown(path) }));
}

/// A file was closed, or could not be.
pub(crate) fn closed(path: &CStr, origin: Origin, done: &Done, status: c_int) {
    let error = (status != 0).then(|| of_file(path, &words_of(status)).to_owned());
    if origin == Origin::Opened && error.is_none() && !done.is_written() {
        return tell("unchanged", json!({ "path": shown(path) }));
    }
    let what = json!({
        "path": shown(path),
        "known_by": known_by(path),
        "raw_bytes": done.raw_bytes,
        "stored_bytes": match origin {
            // What was in it before is not counted.
            Origin::Opened => done.written_bytes,
            _ => done.stored_bytes,
        },
        "waited_seconds": done.stalled_seconds,
        "hidden_seconds": done.hidden_seconds,
        "kept_exact": done.kept_exact,
        "error": error,
    });
    tell("closed", what);
}

/// What a file is known by should the program rename it: folder, device and number.
fn known_by(path: &CStr) -> Option<Value> {
    let path = std::path::absolute(OsStr::from_bytes(path.to_bytes())).ok()?;
    let found = path.metadata().ok()?;
    Some(json!([path.parent()?.to_str()?, found.dev(), found.ino()]))
}

/// Words without the file's name in front, which comes before them anyway.
fn of_file<'a>(path: &CStr, words: &'a str) -> &'a str {
    let named = words.strip_prefix(&shown(path));
    named
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(words)
}

/// Why frazil has just refused a file.
pub(crate) fn refusal_of(status: c_int) -> String {
    let words = words_of(status);
    match words.strip_prefix(NOT_SERVED) {
        Some(why) => why.to_owned(),
        None => words,
    }
}

/// What frazil has to say about the status that it has just returned.
pub(crate) fn words_of(status: c_int) -> String {
    let text = frazil()
        .ok()
        .and_then(|library| library.symbol("nc_strerror"));
    let Some(address) = text else {
        return format!("status {status}");
    };
    // SAFETY: frz_nc_strerror has this type.
    let words =
        unsafe { std::mem::transmute::<usize, extern "C" fn(c_int) -> *const c_char>(address) };
    let words = words(status);
    match words.is_null() {
        true => format!("status {status}"),
        // SAFETY: not NULL, and this thread's until its next call.
        false => unsafe { CStr::from_ptr(words) }
            .to_string_lossy()
            .into_owned(),
    }
}

/// Has files told of that the end of the program closes.
pub(crate) fn at_exit(library: &'static Library) {
    static IS_ASKED: AtomicBool = AtomicBool::new(false);
    if IS_ASKED.swap(true, Ordering::Relaxed) {
        return;
    }
    let words = [closed_at_exit as *const () as usize, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: frz_nc_report_at_exit with a function of its type.
    unsafe { invoke(library, "nc_report_at_exit", words) };
}

unsafe extern "C" fn closed_at_exit(path: *const c_char, done: *const Done, status: c_int) {
    if path.is_null() || done.is_null() {
        return;
    }
    // SAFETY: not NULL; libfrazil keeps both during the call.
    let (path, done) = unsafe { (CStr::from_ptr(path), &*done) };
    let files = files::all();
    let is_it = |file: &&Arc<Taken>| file.path.as_c_str() == path && !file.is_reading();
    let as_written = files.iter().find(is_it);
    let origin = as_written.map_or(Origin::Created, |file| file.origin);
    closed(path, origin, done, status);
}
