//! What the libraries share that `frazil run` preloads.
//!
//! In: the address of a caller, and what a library did. Out: the file that the caller's code is from,
//! and the events that the command reads.

#[expect(unsafe_code, reason = "calls the dynamic linker")]
mod caller;
mod events;

pub use caller::{Caller, Handle};
pub use events::{REPORT, tell};
