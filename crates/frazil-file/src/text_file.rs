//! Files of text: plans, rules, trees, calibrations.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use frazil_container::beside;
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::folder::check_folder;
use crate::naming::Before;
use crate::pending::{PendingOutput, followed_output};

/// How long a text waits for another process that writes the same file.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Reads a file that should be text: a plan, rules, a tree, a calibration.
///
/// # Errors
/// If it cannot be read; [`ErrorCode::InvalidArgument`] if it is no text.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(&error, "read", path))?;
    String::from_utf8(bytes).map_err(|_| {
        let cause = "is no text in UTF-8, as plans, rules, trees and calibrations are";
        Error::new(ErrorCode::InvalidArgument, cause).in_file(path)
    })
}

/// Writes a text to a file, whole or not at all; an existing file is replaced and keeps its mode.
///
/// # Errors
/// If the file cannot be written: what was there stays.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io(&error, "write", path);
    // A device or a pipe is written to: it must not be replaced.
    if path.metadata().is_ok_and(|before| !before.is_file()) {
        let mut device = beside::open_device(path).map_err(failed)?;
        return device.write_all(text.as_bytes()).map_err(failed);
    }
    check_folder(path)?;
    let target = followed_output(path)?;
    let begin = Instant::now();
    let pending = loop {
        match PendingOutput::create(&target, Before::Anything) {
            Err(error) if error.code == ErrorCode::Locked && begin.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(Duration::from_millis(10));
            }
            created => break created?,
        }
    };
    let mut file = pending.file();
    file.write_all(text.as_bytes()).map_err(failed)?;
    pending.commit(false).map(drop)
}
