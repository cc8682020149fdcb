//! The commit of a file that may be going on behind the program (`behind`).

use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32};
use std::thread::JoinHandle;

#[derive(Default)]
pub(crate) struct Commit {
    pub(crate) is_going_on: AtomicBool,
    pub(crate) thread: Mutex<Option<JoinHandle<c_int>>>,
    /// That of the last one; nobody was told of it.
    pub(crate) status: AtomicI32,
}
