//! What the libraries share that `frazil run` preloads: which file the code is from that makes a call, and
//! the events that are told to the command.

#[expect(unsafe_code, reason = "calls the dynamic linker")]
mod caller;
mod events;

pub use caller::{Caller, Handle};
pub use events::{REPORT, tell};
