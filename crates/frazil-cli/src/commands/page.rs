//! Pages and pictures beside the tables.

use std::path::Path;

use crate::printer::Printer;

/// Checks, before any work is done, that a page or picture can be written, if one is wanted.
///
/// # Errors
/// If its folder is not there, or it would replace data.
pub(super) fn check(path: Option<&Path>) -> frazil::Result<()> {
    path.map_or(Ok(()), |path| {
        frazil::check_text_output(path)?;
        frazil::check_folder(path)
    })
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
            printer.error(&error);
            false
        }
    }
}
