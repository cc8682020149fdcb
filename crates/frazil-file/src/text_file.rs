//! Files of text: plans, rules, trees, calibrations.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use frazil_container::beside;
use frazil_types::ErrorCode;

use crate::address;
use crate::error::{Error, Result};
use crate::folder::{check_file_name, check_folder};
use crate::naming::Before;
use crate::pending::{PendingOutput, followed_output, rename_file};
use crate::recognise::is_data_file;

/// How long a text waits for another process that writes the same file.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// A plan of a hundred thousand variables has less.
const MOST_BYTES: usize = 256 << 20;
/// What some editors begin a text with.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// So many are read at once, and looked at before more are.
const PIECE_BYTES: usize = 64 << 10;

/// Reads a file that should be text: a plan, rules, a tree, a calibration.
///
/// # Errors
/// If it cannot be read; [`ErrorCode::InvalidArgument`] if it is no text.
pub fn read_text(path: &Path) -> Result<String> {
    let failed = |error| match path == Path::new("-") {
        true => Error::io(&error, "read", path).with_cure("name /dev/stdin to read from a pipe"),
        false => Error::io(&error, "read", path),
    };
    let no_text = || {
        let cause = "is not UTF-8 text, as plans, rules, trees and calibrations must be";
        Error::new(ErrorCode::InvalidArgument, cause).in_file(path)
    };
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    loop {
        let begin = bytes.len();
        let mut piece = (&mut file).take(PIECE_BYTES as u64);
        if piece.read_to_end(&mut bytes).map_err(failed)? == 0 {
            let mut text = String::from_utf8(bytes).map_err(|_| no_text())?;
            if text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len_utf8());
            }
            return Ok(text);
        }
        // No text has a NUL; a device that gives nothing else has no end.
        if bytes[begin..].contains(&0) || bytes.len() > MOST_BYTES {
            return Err(no_text());
        }
    }
}

/// Refuses a name under which no text is written: of a netCDF or HDF5 file, of a folder, on another machine, or
/// `-`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for such a name.
pub fn check_text_output(path: &Path) -> Result<()> {
    let refused = |cause: &str, cure: &str| {
        let error = Error::new(ErrorCode::InvalidArgument, cause);
        Err(error.in_file(path).with_cure(cure))
    };
    if address::url_of(path).is_some() {
        let cause = "it is on another machine, and frazil writes only data there";
        return refused(cause, "name a file of this machine, and copy it");
    }
    if path == Path::new("-") && !path.exists() {
        return refused("it is no name of a file", "name /dev/stdout to print it");
    }
    check_file_name(path)?;
    if path.is_file() && is_data_file(path) {
        let cause = "it is a netCDF or HDF5 file, which no text replaces";
        return refused(cause, "choose another name, or remove the file first");
    }
    Ok(())
}

/// Writes a text to a file, whole or not at all; an existing file is replaced and keeps its mode.
///
/// # Errors
/// If the file cannot be written, or holds data ([`check_text_output`]): what was there stays.
pub fn write_text(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    check_text_output(path)?;
    let path = &*address::local(path)?;
    let text = text.as_ref();
    let failed = |error| rename_file(Error::io(&error, "write", path), path, path);
    // A device or a pipe is written to: it must not be replaced.
    if path.metadata().is_ok_and(|before| !before.is_file()) {
        let mut device = beside::open_device(path).map_err(failed)?;
        return device.write_all(text).map_err(failed);
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
    file.write_all(text).map_err(failed)?;
    pending.commit(false).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_before_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let long = "long = 1\n".repeat(20_000);
        std::fs::write(&path, &long).unwrap();
        assert_eq!(read_text(&path).unwrap(), long);
        std::fs::write(&path, format!("{BYTE_ORDER_MARK}a = 1")).unwrap();
        assert_eq!(read_text(&path).unwrap(), "a = 1");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read_text(&path).unwrap_err().code == ErrorCode::InvalidArgument
        };
        assert!(refused(&[0]) && refused(&[0xff, 0xfe]) && refused(b"a = \"\0\""));
        let endless = read_text(Path::new("/dev/zero")).unwrap_err();
        assert!(endless.cause.contains("is not UTF-8 text"), "{endless}");
        assert!(read_text(folder.path()).is_err() && read_text(&folder.path().join("no")).is_err());
    }
}
