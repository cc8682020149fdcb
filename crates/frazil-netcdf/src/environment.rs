//! What the environment says of files that programs create through netCDF's calls.

use std::env;

use frazil_write::{WriterOptions, stated_in_environment};

use super::status::{Answer, Refusal, Status};

const FORMAT: &str = "FRAZIL_FORMAT";

/// Every option of a writer that a user can state for all files of a program.
///
/// # Errors
/// `NC_EINVAL` for a value that an option cannot have.
pub(super) fn options_from_environment() -> Answer<WriterOptions> {
    upgrades()?;
    WriterOptions::from_environment().map_err(Refusal::from)
}

/// Whether files that a program creates in a classic format become netCDF-4 files.
///
/// # Errors
/// `NC_EINVAL` for another format than netCDF-4.
pub(super) fn upgrades() -> Answer<bool> {
    match env::var_os(FORMAT) {
        Some(value) if value == "netcdf4" => Ok(true),
        Some(value) if !value.is_empty() => {
            let words =
                format!("the environment variable {FORMAT} is {value:?}; it must be netcdf4");
            Err(Refusal::new(Status::EINVAL, words))
        }
        _ => Ok(false),
    }
}

/// Whether filters that need a plugin count as absent.
pub(super) fn plugins_are_absent() -> bool {
    stated_in_environment("readable_by").is_some_and(|value| value == "netcdf4")
}
