//! The C interface of frazil: opaque handles, stable status codes, and no panic that leaves a
//! function.
//!
//! In: pointers, numbers and texts of a C or Fortran program. Out: files, through [`frazil`], and a
//! status with a message for each call.
//!
//! `make header` makes `include/frazil.h` from this crate, and `make check` compares them. Names
//! and the documentation of exported items are written for C: pointers must be NULL or point to
//! what the text says, and handles must come from this crate and not be freed yet.

#![expect(
    non_camel_case_types,
    reason = "types and enumerators are named as C sees them"
)]
#![expect(
    clippy::missing_safety_doc,
    reason = "what C must keep to is said once, above and at the top of the header"
)]

#[expect(unsafe_code, reason = "the pointers that C hands in")]
mod arguments;
#[expect(unsafe_code, reason = "registers with atexit")]
mod at_exit;

mod global;

mod guard;

mod last_error;

#[expect(unsafe_code, reason = "loads a library")]
mod mpi_library;

// In the order in which the header is read.
#[expect(unsafe_code, reason = "exported functions")]
mod version;

#[expect(unsafe_code, reason = "exported functions")]
mod status;

#[expect(unsafe_code, reason = "exported functions")]
mod message;

#[expect(unsafe_code, reason = "exported functions")]
mod options;

#[expect(unsafe_code, reason = "exported functions")]
mod choices;

#[expect(unsafe_code, reason = "exported functions")]
mod writer;

#[expect(unsafe_code, reason = "exported functions, and a table of functions")]
mod parallel;

#[expect(unsafe_code, reason = "exported functions")]
mod define;

#[expect(unsafe_code, reason = "exported functions")]
mod settings;

#[expect(unsafe_code, reason = "exported functions")]
mod attributes;

#[expect(unsafe_code, reason = "exported functions")]
mod values;

#[expect(unsafe_code, reason = "exported functions")]
mod single;

#[expect(unsafe_code, reason = "exported functions")]
mod decided;

#[expect(unsafe_code, reason = "exported functions")]
mod memory;

#[expect(unsafe_code, reason = "exported functions")]
mod nc;

#[expect(unsafe_code, reason = "exported functions")]
mod ranks;

#[expect(unsafe_code, reason = "exported functions")]
mod nf;

pub use arguments::frz_type;
pub use attributes::*;
pub use choices::*;
pub use decided::*;
pub use define::*;
pub use memory::*;
pub use message::*;
pub use options::*;
pub use parallel::*;
pub use settings::*;
pub use single::*;
pub use status::*;
pub use values::*;
pub use version::*;
pub use writer::*;
