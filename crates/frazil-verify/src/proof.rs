//! The proof that a written file holds what its input does, before it gets its name.

use std::path::Path;

use frazil_types::ErrorCode;

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::storage_error::from_container;

use crate::{PrecisionReport, VerifyOptions, compare};

const REPORT: &str = "please report it; the input is untouched and no output was kept";

/// Verifies the finished temporary file against the input.
///
/// # Errors
/// If the file cannot be read, differs, or breaks a promise that it states.
pub fn prove(
    source: &Input,
    written: &Path,
    resources: &Resources,
    progress: &mut dyn Progress,
) -> Result<()> {
    let options = VerifyOptions {
        resources: resources.clone(),
        ..VerifyOptions::default()
    };
    // A look of its own: objects and chunks are where the written file says, not where they were put.
    let report = Input::open_to_prove(written)
        .and_then(|copy| compare(source, &copy, &options, progress))
        .map_err(|error| of_written(error, source, written))?;
    let unequal = report.differences.first().map(|first| {
        let cause = format!("the written file differs from the input: {}", first.what);
        Error::new(ErrorCode::Mismatch, cause).at_variable(&first.path)
    });
    match unequal.or_else(|| broken_promise(&report.precision)) {
        None => Ok(()),
        Some(error) => Err(error.in_file(source.path()).with_cure(REPORT)),
    }
}

/// Reads objects and attributes of the finished temporary file, which nobody compares with its input:
/// nobody gets a file that frazil itself cannot read.
///
/// # Errors
/// If the file cannot be read.
pub fn check_readable(source: &Input, written: &Path) -> Result<()> {
    let read = Input::open_to_prove(written).and_then(|copy| match copy.hdf5() {
        Some(hdf5) => hdf5.check().map_err(|error| from_container(error, written)),
        None => Ok(()),
    });
    read.map_err(|error| of_written(error, source, written))
}

/// The error of a temporary file that cannot be read back, in words for whoever knows only the input.
fn of_written(error: Error, source: &Input, written: &Path) -> Error {
    let is_written = error.file.as_deref() == Some(written);
    if !is_written || !matches!(error.code, ErrorCode::Corrupt | ErrorCode::InvalidArgument) {
        return error;
    }
    let cause = format!("the written file cannot be read: {}", error.cause);
    let place = error.variable.as_deref().unwrap_or("/");
    Error::new(ErrorCode::Internal, cause)
        .at_variable(place)
        .in_file(source.path())
        .with_cure(REPORT)
}

/// The first rounded variable that does not keep what the written file promises of it.
fn broken_promise(variables: &[PrecisionReport]) -> Option<Error> {
    let broken = variables.iter().find(|variable| !variable.passed)?;
    let code = match broken.beyond_bound {
        0 => ErrorCode::Mismatch,
        _ => ErrorCode::BoundExceeded,
    };
    let cause = format!(
        "the written file breaks its promise: {}",
        broken.failures.join("; ")
    );
    Some(Error::new(code, cause).at_variable(&broken.path))
}
