//! Errors of the storage crate in words for users.

use std::path::Path;

use frazil_container::ContainerError;
use frazil_container::classic::ClassicError;

use crate::error::{Error, cure_for};

/// The error for an input whose structure cannot be read: what libhdf5 refuses there is damage.
pub fn unreadable(error: ContainerError, path: &Path) -> Error {
    let (object, error) = error.into_parts();
    let mapped = match error {
        ContainerError::Hdf5 { doing, reason } => {
            let cause = format!("cannot be read as HDF5 ({doing}: {reason})");
            from_container(ContainerError::Corrupt(cause), path)
        }
        other => from_container(other, path),
    };
    match object {
        Some(object) => mapped.at_variable(&object),
        None => mapped,
    }
}

/// A storage error while `output` is made of `input`: what the system refuses concerns the output,
/// everything else is about what the input holds.
pub fn from_copying(error: ContainerError, input: &Path, output: &Path) -> Error {
    let (object, error) = error.into_parts();
    let path = match error {
        ContainerError::Io { .. } => output,
        _ => input,
    };
    let mapped = from_container(error, path);
    match object {
        Some(object) => mapped.at_variable(&object),
        None => mapped,
    }
}

/// A storage error in the facade's words.
pub fn from_container(error: ContainerError, path: &Path) -> Error {
    let code = error.code();
    let (object, error) = error.into_parts();
    let cure = match &error {
        ContainerError::Corrupt(_) => {
            Some("the file is damaged or incomplete; copy it again from its source".to_owned())
        }
        ContainerError::NotAContainer(_) => Some(format!(
            "frazil reads classic netCDF (CDF-1, 2, 5), netCDF-4 and HDF5 files{}",
            hint_for_text(path)
        )),
        ContainerError::Io { source, .. }
        | ContainerError::Classic(
            ClassicError::Io { source, .. } | ClassicError::Write { source, .. },
        ) => cure_for(source),
        ContainerError::MissingFilter(filter) => Some(frazil_codec::cure_for(filter.id)),
        _ => None,
    };
    let mut mapped = Error::new(code, error.to_string()).in_file(path);
    if let Some(object) = object {
        mapped = mapped.at_variable(&object);
    }
    match cure {
        Some(cure) => mapped.with_cure(cure),
        None => mapped,
    }
}

/// Where to go with a file of delimited text.
fn hint_for_text(path: &Path) -> &'static str {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    match suffix.map(str::to_ascii_lowercase).as_deref() {
        Some("csv" | "tsv" | "txt" | "dat") => "; `frazil import` makes one of delimited text",
        _ => "",
    }
}
