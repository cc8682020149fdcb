//! `frazil man`.

use std::io;
use std::path::Path;

use frazil::Error;

use super::Status;
use crate::args::command;
use crate::printer::Printer;

/// Writes the manual pages of the command and of its subcommands into a folder that exists.
///
/// # Errors
/// None: what cannot be written is said.
pub(crate) fn run(folder: &Path) -> io::Result<Status> {
    match clap_mangen::generate_to(command(), folder) {
        Ok(()) => Ok(Status::Success),
        Err(error) => {
            let error = Error::io(&error, "write manual pages into it", folder);
            Printer::default().error(&error);
            Ok(Status::Failure)
        }
    }
}
