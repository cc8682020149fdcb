//! Live files under kills, stops and failing system calls.

mod faults;
mod kills;
mod readers;
mod script;
