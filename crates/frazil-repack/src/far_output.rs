//! Outputs on other machines: made here, and sent when they are complete.

use std::path::{Path, PathBuf};

use frazil_file::address;
use frazil_file::error::{Error, Result};
use frazil_file::output::Destination;
use frazil_file::remote::{self, StorageOptions};
use frazil_options::pack_report::PackReport;
use frazil_types::ErrorCode;

/// The URL to which the result of `input` goes, if it goes to another machine.
pub(crate) fn url(input: &Path, destination: &Destination) -> Result<Option<String>> {
    match destination {
        Destination::InPlace { .. } => Ok(None),
        Destination::File(path) => Ok(address::url_of(path).map(|url| url.into_owned())),
        Destination::Directory(folder) => {
            let Some(folder) = address::url_of(folder) else {
                return Ok(None);
            };
            let input =
                address::url_of(input).map_or_else(|| input.to_owned(), |url| address::shown(&url));
            let name = input.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| {
                Error::new(
                    ErrorCode::InvalidArgument,
                    "has no file name that a URL could have",
                )
                .in_file(&input)
            })?;
            Ok(Some(format!("{}/{name}", folder.trim_end_matches('/'))))
        }
    }
}

/// Does `work` to a temporary file, and sends that to a URL, where it appears whole or not at all.
///
/// # Errors
/// Those of the work, and of sending; before the work begins if nothing may be written there.
pub(crate) fn send(
    url: &str,
    overwrite: bool,
    work: impl FnOnce(&Destination) -> Result<PackReport>,
) -> Result<PackReport> {
    let options = StorageOptions::new();
    remote::check_new(url, &options, overwrite)?;
    let shown = address::shown(url);
    let folder = tempfile::tempdir();
    let folder =
        folder.map_err(|error| Error::io(&error, "make a temporary folder for", &shown))?;
    let name = shown
        .file_name()
        .map_or_else(|| PathBuf::from("output"), PathBuf::from);
    let local = folder.path().join(name);
    let mut report = work(&Destination::File(local.clone()))?;
    remote::upload(&local, url, &options)?;
    report.output = Some(shown);
    Ok(report)
}
