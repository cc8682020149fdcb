//! One file per command, and what they share: the exit status and the JSON document.

mod analyze;
mod batch;
mod bounds;
mod calibrate;
mod cloud;
mod cluster;
mod command_line;
mod completions;
mod energy;
mod import;
mod info;
mod listed;
mod man;
mod options;
mod pack;
mod page;
mod plan;
mod plugin_path;
mod recover;
mod refs;
mod run;
mod summary;
mod synth;
mod train;
mod transform;
mod unpack;
mod verify;
mod version;
mod written;

use std::path::PathBuf;
use std::process::ExitCode;

use frazil::ErrorCode;
use serde::Serialize;

use crate::printer::Printer;
use crate::signals;

pub(crate) use analyze::run as analyze;
pub(crate) use calibrate::run as calibrate;
pub(crate) use completions::run as completions;
pub(crate) use import::run as import;
pub(crate) use info::run as info;
pub(crate) use man::run as man;
pub(crate) use options::run as options;
pub(crate) use pack::run as pack;
pub(crate) use plan::run as plan;
pub(crate) use plugin_path::run as plugin_path;
pub(crate) use recover::run as recover;
pub(crate) use refs::run as refs;
pub(crate) use run::run;
pub(crate) use synth::run as synth;
pub(crate) use train::run as train;
pub(crate) use unpack::run as unpack;
pub(crate) use verify::run as verify;
pub(crate) use version::run as version;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done; for `verify`: equal.
    Success,
    /// Something failed; for `verify`: different.
    Failure,
    /// Wrong usage; for `verify` also: cannot compare.
    Trouble,
    /// Stopped by a signal.
    Interrupted,
    /// As the program ended that `frazil run` ran.
    OfProgram(u8),
}

impl Status {
    /// This, or where it is success the other.
    fn or(self, other: Self) -> Self {
        match self {
            Self::Success => other,
            other => other,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Success => 0,
            Status::Failure => 1,
            Status::Trouble => 2,
            Status::Interrupted => signals::exit_status(),
            Status::OfProgram(code) => code,
        })
    }
}

/// What `--json` prints: the reports of what succeeded and the errors of what did not.
#[derive(Debug, Serialize)]
pub(crate) struct Document<R> {
    pub(crate) reports: Vec<R>,
    pub(crate) errors: Vec<ErrorRecord>,
}

impl<R> Document<R> {
    pub(crate) fn new() -> Self {
        Self {
            reports: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Says and notes why the only work of a command ended early; how the program ends.
    fn fail(&mut self, printer: Printer, error: frazil::Error) -> Status {
        let status = match error.code {
            ErrorCode::Interrupted => {
                printer.interrupted(0);
                Status::Interrupted
            }
            _ => {
                printer.error(&error);
                Status::Failure
            }
        };
        self.errors.push(error.into());
        status
    }
}

/// An error as JSON; text that is not UTF-8 is shown with replacement characters.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorRecord {
    code: ErrorCode,
    number: i32,
    file: Option<String>,
    variable: Option<String>,
    cause: String,
    cure: Option<String>,
}

impl From<frazil::Error> for ErrorRecord {
    fn from(error: frazil::Error) -> Self {
        let lossy = |path: PathBuf| path.to_string_lossy().into_owned();
        Self {
            code: error.code,
            number: error.code.number(),
            file: error.file.map(lossy),
            variable: error.variable,
            cause: error.cause,
            cure: error.cure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_json_with_its_code() {
        let error = frazil::Error::new(ErrorCode::MissingFilter, "filter 32015")
            .in_file("a.nc".as_ref())
            .at_variable("/tas")
            .with_cure("install it");
        assert_eq!(
            serde_json::to_value(ErrorRecord::from(error)).unwrap(),
            serde_json::json!({
                "code": "missing_filter",
                "number": 9,
                "file": "a.nc",
                "variable": "/tas",
                "cause": "filter 32015",
                "cure": "install it",
            })
        );
    }
}
