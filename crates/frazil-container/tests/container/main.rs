//! Files written and read through the crate's public functions: one executable.

mod additions;
mod classic;
