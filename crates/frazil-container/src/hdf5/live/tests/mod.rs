//! Live files: their objects, their values, and both under kills, stops and failing system calls.

mod abandoned;
mod appending;
mod faults;
mod growing;
mod kills;
mod model;
mod power;
mod readers;
#[path = "../../../../../../tests/support/sampling.rs"]
mod sampling;
mod script;
mod spaces;
