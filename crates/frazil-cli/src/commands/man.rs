//! `frazil man`.

use std::io;
use std::path::Path;

use super::Status;
use crate::args::command;

/// Writes the manual pages of the command and of its subcommands into a folder that exists.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn run(folder: &Path) -> io::Result<Status> {
    clap_mangen::generate_to(command(), folder)?;
    Ok(Status::Success)
}
