//! The way to files on other machines, if this program has one and nobody closed it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use frazil_container::hdf5::Source;
use frazil_types::ErrorCode;

use crate::address;
use crate::error::{Error, Result};

/// Closes the way for a process.
const SWITCH: &str = "FRAZIL_REMOTE";

/// What a user says of access to files on other machines, by name.
pub type StorageOptions = BTreeMap<String, String>;

/// Files on other machines.
///
/// Programs that have network code bring it in with [`install`]: what they share with others does not depend on it.
/// Errors carry a [`SourceError`](frazil_types::SourceError).
pub trait Network: Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be reached.
    fn open(&self, url: &str, options: &StorageOptions) -> io::Result<Arc<dyn Source>>;

    /// Checks that a file may be written.
    ///
    /// # Errors
    /// If there is one already that is not to be replaced, or access is refused.
    fn check_new(&self, url: &str, options: &StorageOptions, overwrite: bool) -> io::Result<()>;

    /// Sends a finished file, which appears whole or not at all.
    ///
    /// # Errors
    /// If it cannot be sent; then nothing is there.
    fn upload(&self, file: File, url: &str, options: &StorageOptions) -> io::Result<()>;
}

static WAY: OnceLock<&'static dyn Network> = OnceLock::new();

/// Gives this program a way to other machines, for good.
pub fn install(network: &'static dyn Network) {
    // The first one stays.
    let _ = WAY.set(network);
}

/// Whether this program has code that reaches the network.
#[must_use]
pub fn is_built_in() -> bool {
    WAY.get().is_some()
}

/// Opens a file on another machine.
///
/// # Errors
/// If the way is closed, or the file cannot be reached.
pub fn open(url: &str, options: &StorageOptions) -> Result<Arc<dyn Source>> {
    let opened = way(url)?.open(url, options);
    opened.map_err(|error| failed(&error, &address::shown(url)))
}

/// Checks, before any work is done, that a file may be written to a URL.
///
/// # Errors
/// If the way is closed, there is a file already, or access is refused.
pub fn check_new(url: &str, options: &StorageOptions, overwrite: bool) -> Result<()> {
    let checked = way(url)?.check_new(url, options, overwrite);
    checked.map_err(|error| failed(&error, &address::shown(url)))
}

/// Sends a finished file to a URL, where it appears whole or not at all.
///
/// # Errors
/// If it cannot be sent; then nothing is there.
pub fn upload(path: &Path, url: &str, options: &StorageOptions) -> Result<()> {
    let way = way(url)?;
    let file = File::open(path).map_err(|error| Error::io(&error, "open", path))?;
    let sent = way.upload(file, url, options);
    sent.map_err(|error| failed(&error, &address::shown(url)))
}

/// Opens a file that a far one names, at its place beside that; messages call that one `of`. `None`: there is none.
///
/// # Errors
/// If it is in another place, or cannot be reached; if a file object has no place.
pub(crate) fn beside(
    source: &Arc<dyn Source>,
    name: &str,
    of: &Path,
) -> Result<Option<(PathBuf, Arc<dyn Source>)>> {
    match source.beside(name) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            let cause =
                format!("it has values in `{name}`, and frazil cannot look beside a file object");
            Err(Error::new(ErrorCode::Unsupported, cause)
                .in_file(of)
                .with_cure("open it by its path or URL"))
        }
        found => found.map_err(|error| failed(&error, of)),
    }
}

fn failed(error: &io::Error, shown: &Path) -> Error {
    let code = ErrorCode::of_io_error(error);
    let mapped = Error::new(code, error.to_string()).in_file(shown);
    match crate::error::cure_for(error) {
        Some(cure) => mapped.with_cure(cure),
        None => mapped,
    }
}

fn way(url: &str) -> Result<&'static dyn Network> {
    let closed = |cause: &str, cure: &str| {
        Error::new(ErrorCode::Unsupported, cause)
            .in_file(&address::shown(url))
            .with_cure(cure)
    };
    let Some(way) = WAY.get() else {
        return Err(closed(
            "this program was built without network code",
            "copy the file here first, or use the command or the Python package, unless they \
             were built with REMOTE=0",
        ));
    };
    let stated = std::env::var(SWITCH).unwrap_or_default();
    match stated.as_str() {
        "off" | "0" | "no" | "false" => Err(closed(
            "access to files on other machines is switched off (FRAZIL_REMOTE=off)",
            "copy the file here first, or unset FRAZIL_REMOTE",
        )),
        _ => Ok(*way),
    }
}
