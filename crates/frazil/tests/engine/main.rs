//! The engine through its public functions: one executable, so that all of it is linked once.

mod analyze;
mod info;
mod precision;
mod read;
#[path = "../../../../tests/support/sampling.rs"]
mod sampling;
mod verify;
