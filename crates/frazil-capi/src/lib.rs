//! The C face of frazil: opaque handles, stable status codes, no panic that leaves a function.
//!
//! `include/frazil.h` is made of this crate by `make header`; `make check` compares.
//! Names are as C sees them.

#![expect(
    non_camel_case_types,
    reason = "types and enumerators are named as C sees them"
)]

mod guard;
#[expect(unsafe_code, reason = "exported functions")]
mod message;
#[expect(unsafe_code, reason = "exported functions")]
mod status;

pub use message::{
    frz_last_cause, frz_last_cure, frz_last_file, frz_last_message, frz_last_variable,
};
pub use status::{frz_status, frz_strerror};
