//! Work on many files: which they are, several at a time, and what is noted of each.

mod account;
mod chosen;
mod lanes;
mod log;
mod manifest;
mod preserve;

pub(super) use account::{Account, Outcome, Requests};
pub(super) use chosen::{Chosen, choose};
pub(super) use lanes::{Share, each};
