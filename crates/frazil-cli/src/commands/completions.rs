//! `frazil completions`.

use std::io;

use clap_complete::Shell;

use super::Status;
use crate::args::command;
use crate::printer;

/// Prints the completion script for `shell`.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(shell: Shell) -> io::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "frazil", &mut script);
    printer::data(&String::from_utf8_lossy(&script))?;
    Ok(Status::Success)
}
