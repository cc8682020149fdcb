//! Checksums of results, in the form of `sha256sum`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use frazil::{Error, Result};
use sha2::{Digest, Sha256};

/// Its name in the folder of all results.
const NAME: &str = "SHA256SUMS";
/// Bytes that are read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// The checksums of a folder of results; those of files that others wrote into it stay.
#[derive(Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    /// Lines by the names in them.
    lines: BTreeMap<String, String>,
}

impl Manifest {
    /// # Errors
    /// If there is one that cannot be read.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io(&error, "read", &path)),
        };
        let entry = |line: &str| Some((line.split_once("  ")?.1.to_owned(), line.to_owned()));
        let lines = text.lines().filter_map(entry).collect();
        Ok(Self { path, lines })
    }

    /// Notes the checksum of a result by its path below the folder.
    pub(super) fn add(&mut self, below: &Path, checksum: &str) {
        let name = below.to_string_lossy();
        let escaped = name.replace('\\', "\\\\").replace('\n', "\\n");
        let mark = if escaped == name { "" } else { "\\" };
        let line = format!("{mark}{checksum}  {escaped}");
        self.lines.insert(escaped, line);
    }

    /// Writes the file, in the order of names.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self) -> Result<()> {
        let text: String = self
            .lines
            .values()
            .map(|line| format!("{line}\n"))
            .collect();
        frazil::write_text(&self.path, &text)
    }
}

/// The checksum of a file, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub(super) fn checksum(path: &Path) -> Result<String> {
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
