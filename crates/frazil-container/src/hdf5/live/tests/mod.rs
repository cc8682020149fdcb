//! Live files under kills, stops and failing system calls.

mod faults;
mod kills;
mod power;
mod readers;
mod script;
