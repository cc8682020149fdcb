//! What results take over from their inputs.

use std::fs::{self, File, Metadata};
use std::path::Path;

use frazil::{Error, Result};

use crate::args::Preserved;

/// Gives a result what is asked for of its input, as that was before the work.
///
/// # Errors
/// If the system refuses it.
pub(in crate::commands) fn preserve(
    wanted: &[Preserved],
    input: &Metadata,
    output: &Path,
) -> Result<()> {
    if wanted.contains(&Preserved::Mode) {
        let set = fs::set_permissions(output, input.permissions());
        set.map_err(|error| Error::io(&error, "set the permissions of", output))?;
    }
    if wanted.contains(&Preserved::Mtime) {
        let set = File::open(output).and_then(|file| file.set_modified(input.modified()?));
        set.map_err(|error| Error::io(&error, "set the time of", output))?;
    }
    Ok(())
}
