//! Checksums of results, in the form of `sha256sum`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use frazil::{Error, Result};
use sha2::{Digest, Sha256};

/// Its name in the folder of all results.
const NAME: &str = "SHA256SUMS";
/// Bytes that are read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// Lines by the names in them.
type Lines = BTreeMap<Vec<u8>, Vec<u8>>;

/// The checksums of a folder of results; those of files that others wrote into it stay.
#[derive(Debug)]
pub(crate) struct Manifest {
    folder: PathBuf,
    /// Of earlier runs.
    before: Lines,
    /// Of this run.
    lines: Lines,
}

impl Manifest {
    /// # Errors
    /// If there is one that cannot be read.
    pub(in crate::commands) fn open(folder: &Path) -> Result<Self> {
        Ok(Self {
            before: read(&folder.join(NAME))?,
            folder: folder.to_owned(),
            lines: Lines::new(),
        })
    }

    /// As [`Self::open`], where there must be one.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub(in crate::commands) fn open_existing(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        if let Err(error) = path.metadata() {
            let error = Error::io(&error, "open", &path);
            return Err(error.with_cure(
                "name the folder that was packed with --manifest sha256, or verify without it",
            ));
        }
        Self::open(folder)
    }

    /// The checksum that was there for a result by its path below the folder.
    pub(in crate::commands) fn noted(&self, below: &Path) -> Option<String> {
        let line = self.before.get(&escaped(below))?;
        let digits = line.strip_prefix(b"\\").unwrap_or(line);
        let end = digits.iter().position(|&byte| byte == b' ')?;
        Some(String::from_utf8_lossy(&digits[..end]).into_owned())
    }

    /// Notes the checksum of a result by its path below the folder, whose bytes are kept.
    pub(super) fn add(&mut self, below: &Path, checksum: &str) {
        let (name, escaped) = (below.as_os_str().as_bytes(), escaped(below));
        let mark: &[u8] = if escaped == name { b"" } else { b"\\" };
        let line = [mark, checksum.as_bytes(), b"  ", &escaped].concat();
        self.lines.insert(escaped, line);
    }

    /// Writes the file, in the order of names, with what another run has written meanwhile.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(super) fn write(&mut self) -> Result<()> {
        let path = self.folder.join(NAME);
        let failed = |error: io::Error| Error::io(&error, "lock", &self.folder);
        // The folder itself: a file for the lock would be left behind.
        let folder = File::open(&self.folder).map_err(failed)?;
        folder.lock().map_err(failed)?;
        let mut lines = read(&path)?;
        lines.append(&mut self.lines);
        let mut text = Vec::new();
        for line in lines.values() {
            text.extend(line);
            text.push(b'\n');
        }
        frazil::write_text(&path, text)
    }
}

/// A name as lines have it.
fn escaped(below: &Path) -> Vec<u8> {
    let name = below.as_os_str().as_bytes();
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    escaped
}

fn read(path: &Path) -> Result<Lines> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Error::io(&error, "read", path)),
    };
    let entry = |line: &[u8]| {
        let at = line.windows(2).position(|pair| pair == b"  ")?;
        Some((line[at + 2..].to_vec(), line.to_vec()))
    };
    Ok(text
        .split(|&byte| byte == b'\n')
        .filter_map(entry)
        .collect())
}

/// The checksum of a file, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub(in crate::commands) fn checksum(path: &Path) -> Result<String> {
    let failed = |error: io::Error| Error::io(&error, "read", path);
    let mut file = File::open(path).map_err(failed)?;
    let (mut digest, mut piece) = (Sha256::new(), vec![0; PIECE_BYTES]);
    loop {
        match file.read(&mut piece).map_err(failed)? {
            0 => break,
            bytes => digest.update(&piece[..bytes]),
        }
    }
    Ok(digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
