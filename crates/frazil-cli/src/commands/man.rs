//! `frazil man`.

use std::io;
use std::path::Path;

use frazil::Error;

use super::Status;
use crate::args::command;
use crate::printer::Printer;
use crate::text;

/// Writes the manual pages of the command and of its subcommands into a folder that exists.
///
/// # Errors
/// None: what cannot be written is said.
pub(crate) fn run(folder: &Path) -> io::Result<Status> {
    match clap_mangen::generate_to(command(), folder) {
        Ok(()) => Ok(Status::Success),
        Err(error) => {
            let failed = Error::io(&error, "write manual pages into it", folder);
            let error = match error.kind() {
                io::ErrorKind::NotFound => {
                    failed.with_cure(format!("make it first: `mkdir -p {}`", text::path(folder)))
                }
                _ => failed,
            };
            Printer::default().error(&error);
            Ok(Status::Failure)
        }
    }
}
