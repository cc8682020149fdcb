//! The way to files on other machines, if this build has one and nobody closed it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use frazil_container::hdf5::Source;
use frazil_types::ErrorCode;

use crate::address;
use crate::error::{Error, Result};

/// Closes the way for a process.
const SWITCH: &str = "FRAZIL_REMOTE";

/// What a user says of access to files on other machines, by name.
pub type StorageOptions = BTreeMap<String, String>;

/// Whether this build has code that reaches the network.
pub const IS_BUILT_IN: bool = cfg!(feature = "network");

/// Opens a file on another machine.
///
/// # Errors
/// If the way is closed, or the file cannot be reached.
pub fn open(url: &str, options: &StorageOptions) -> Result<Arc<dyn Source>> {
    check_open(url)?;
    network::open(url, options).map_err(|error| failed(&error, url))
}

/// Checks, before any work is done, that a file may be written to a URL.
///
/// # Errors
/// If the way is closed, there is a file already, or access is refused.
pub fn check_new(url: &str, options: &StorageOptions, overwrite: bool) -> Result<()> {
    check_open(url)?;
    network::check(url, options, overwrite).map_err(|error| failed(&error, url))
}

/// Sends a finished file to a URL, where it appears whole or not at all.
///
/// # Errors
/// If it cannot be sent; then nothing is there.
pub fn upload(path: &Path, url: &str, options: &StorageOptions) -> Result<()> {
    check_open(url)?;
    let file = File::open(path).map_err(|error| Error::io(&error, "open", path))?;
    network::upload(file, url, options).map_err(|error| failed(&error, url))
}

fn failed(error: &std::io::Error, url: &str) -> Error {
    let code = ErrorCode::of_io_error(error);
    let mapped = Error::new(code, error.to_string()).in_file(&address::shown(url));
    match crate::error::cure_for(error) {
        Some(cure) => mapped.with_cure(cure),
        None => mapped,
    }
}

fn check_open(url: &str) -> Result<()> {
    let closed = |cause: &str, cure: &str| {
        Err(Error::new(ErrorCode::Unsupported, cause)
            .in_file(&address::shown(url))
            .with_cure(cure))
    };
    if !IS_BUILT_IN {
        return closed(
            "this frazil was built without network code",
            "copy the file here first, or build frazil without REMOTE=0",
        );
    }
    let stated = std::env::var(SWITCH).unwrap_or_default();
    if matches!(stated.as_str(), "off" | "0" | "no" | "false") {
        return closed(
            "access to files on other machines is switched off (FRAZIL_REMOTE=off)",
            "copy the file here first, or unset FRAZIL_REMOTE",
        );
    }
    Ok(())
}

#[cfg(feature = "network")]
mod network {
    use std::fs::File;
    use std::io;
    use std::sync::Arc;

    use frazil_container::hdf5::Source;
    use frazil_remote::Remote;
    pub(super) use frazil_remote::{check, upload};

    use super::StorageOptions;

    pub(super) fn open(url: &str, options: &StorageOptions) -> io::Result<Arc<dyn Source>> {
        Ok(Arc::new(Remote::open(url, options)?))
    }

    // The signatures that the closed way has as well.
    const _: fn(&str, &StorageOptions, bool) -> io::Result<()> = check;
    const _: fn(File, &str, &StorageOptions) -> io::Result<()> = upload;
}

/// Nothing comes here: [`check_open`] has refused it.
#[cfg(not(feature = "network"))]
mod network {
    use std::fs::File;
    use std::io;
    use std::sync::Arc;

    use frazil_container::hdf5::Source;

    use super::StorageOptions;

    pub(super) fn open(_: &str, _: &StorageOptions) -> io::Result<Arc<dyn Source>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn check(_: &str, _: &StorageOptions, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn upload(_: File, _: &str, _: &StorageOptions) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
