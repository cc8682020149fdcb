//! Commands besides packing: inspecting files, generating and importing them, measuring costs.
//!
//! - [`info`]: in, a file; out, its variables, their storage and who can read it.
//! - [`synth`]: in, patterns and shapes; out, a file of made-up fields.
//! - [`import`]: in, CSV or binary columns; out, a netCDF-4 file.
//! - [`calibrate`]: in, a folder or link; out, what reads cost there, for chunk shapes.
//! - [`about`]: what this build can do.

#![forbid(unsafe_code)]

pub mod about;
pub mod calibrate;
pub mod import;
pub mod info;
pub mod new_file;
pub mod synth;
