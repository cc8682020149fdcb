//! Encoding, decoding and rounding through the crate's public functions: one executable.

mod common;
mod golden;
mod hostile;
mod memory;
mod own_formats;
mod quantize;
mod round_trip;
