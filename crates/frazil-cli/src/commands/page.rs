//! Pages and pictures beside the tables.

use std::path::Path;

use crate::printer::Printer;

/// Checks, before any work is done, that the folder of a page or picture is there, if one is wanted.
///
/// # Errors
/// If it is not.
pub(super) fn check(path: Option<&Path>) -> frazil::Result<()> {
    path.map_or(Ok(()), frazil::check_folder)
}

/// Writes a page or a picture over whatever is there; says where it is, or why it is not. Whether
/// that worked.
pub(super) fn write(printer: Printer, path: &Path, text: &str) -> bool {
    match frazil::write_text(path, text) {
        Ok(()) => {
            printer.note(&format!("wrote {}", path.to_string_lossy()));
            true
        }
        Err(error) => {
            printer.trouble(&error.to_string());
            false
        }
    }
}
