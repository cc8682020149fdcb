//! Pages and pictures beside the tables.

use std::path::Path;

use crate::printer::Printer;

/// Writes a page or a picture over whatever is there; says where it is, or why it is not. Whether
/// that worked.
pub(super) fn write(printer: Printer, path: &Path, text: &str) -> bool {
    let name = path.to_string_lossy();
    match std::fs::write(path, text) {
        Ok(()) => {
            printer.note(&format!("wrote {name}"));
            true
        }
        Err(error) => {
            printer.trouble(&format!("{name}: {error}"));
            false
        }
    }
}
