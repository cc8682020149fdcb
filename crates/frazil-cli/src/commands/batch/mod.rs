//! Work on many files: which they are, several at a time, and what is noted of each.

mod account;
mod chosen;
mod file_report;
mod finished;
mod lanes;
mod log;
mod manifest;
mod new_folders;
mod other_names;
mod preserve;
mod results;
mod told;

pub(super) use account::{Account, Outcome, Requests};
pub(super) use chosen::{Chosen, choose, results};
pub(super) use file_report::FileReport;
pub(super) use finished::Finished;
pub(super) use lanes::{Share, each};
pub(super) use manifest::{Manifest, checksum};
pub(super) use new_folders::NewFolders;
pub(super) use preserve::preserve;
pub(super) use results::Results;
