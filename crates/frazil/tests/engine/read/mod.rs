//! The reader's values are those that libhdf5 gives, whole and in parts, from any thread.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

mod changes;
mod corpus;
mod damage;
mod files;
mod support;
mod threads;
