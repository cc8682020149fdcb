//! The output's file as the placer writes packed bytes into it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
#[cfg(test)]
use std::sync::atomic::{AtomicI64, Ordering};

use crate::error::{Error, Result};

/// The output, open for writing packed bytes.
#[derive(Debug)]
pub(super) struct DataFile {
    file: File,
    /// Writes that succeed before all fail as on a full disk; negative: all succeed.
    #[cfg(test)]
    pub(super) writes_left: AtomicI64,
}

impl DataFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::options().write(true).open(path);
        Ok(Self {
            file: file.map_err(|error| Error::io(&error, "open", path))?,
            #[cfg(test)]
            writes_left: AtomicI64::new(-1),
        })
    }

    pub(super) fn write(&self, bytes: &[u8], address: u64) -> std::io::Result<()> {
        #[cfg(test)]
        match self.writes_left.load(Ordering::Relaxed) {
            0 => return Err(std::io::ErrorKind::StorageFull.into()),
            left if left > 0 => self.writes_left.store(left - 1, Ordering::Relaxed),
            _ => {}
        }
        self.file.write_all_at(bytes, address)
    }
}
