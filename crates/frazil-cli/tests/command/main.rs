//! The command as users run it: one executable, so that it is linked once.

mod cli;
mod common;
mod precision;
mod round_trip;
