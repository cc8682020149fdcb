//! The output's file as the placer writes packed bytes into it: neighbours together.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
#[cfg(test)]
use std::sync::atomic::{AtomicI64, Ordering};

use frazil_container::beside::{followed, open_regular};

use frazil_file::error::{Error, Result};

/// Neighbouring chunks are written together up to this many bytes.
const RUN_BYTES: usize = 1 << 20;
/// Chunks of more bytes than this gain nothing by it.
const LARGE_BYTES: usize = 128 << 10;

/// The output, open for writing packed bytes.
#[derive(Debug)]
pub(super) struct DataFile {
    file: File,
    run: Vec<u8>,
    run_address: u64,
    /// Writes that succeed before all fail as on a full disk; negative: all succeed.
    #[cfg(test)]
    pub(super) writes_left: AtomicI64,
    /// Where it is noted what is done in which order.
    #[cfg(test)]
    pub(super) order: Option<Order>,
}

/// What ranks do to a file, in order, and who notes it here.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    pub(super) who: usize,
    pub(super) all: std::sync::Arc<frazil_types::sync::Mutex<Vec<(usize, Event)>>>,
}

/// What a rank did to the file.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Write,
    Sync,
    Commit,
}

impl DataFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = followed(path)
            .and_then(|path| open_regular(&path, File::options().read(true).write(true)));
        let file = file.map_err(|error| Error::io(&error, "open", path))?;
        Ok(Self {
            file,
            run: Vec::new(),
            run_address: 0,
            #[cfg(test)]
            writes_left: AtomicI64::new(-1),
            #[cfg(test)]
            order: None,
        })
    }

    /// Notes what was done.
    #[cfg(test)]
    pub(super) fn note(&self, event: Event) {
        if let Some(order) = &self.order {
            order.all.lock().push((order.who, event));
        }
    }

    /// Writes bytes, now or with their neighbours.
    pub(super) fn write(&mut self, bytes: &[u8], address: u64, path: &Path) -> Result<()> {
        let follows = self.run_address + self.run.len() as u64 == address;
        if !follows || self.run.len() + bytes.len() > RUN_BYTES {
            self.flush(path)?;
            self.run_address = address;
        }
        if self.run.is_empty() && bytes.len() > LARGE_BYTES {
            return self.write_now(bytes, address, path);
        }
        self.run.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what was held back.
    pub(super) fn flush(&mut self, path: &Path) -> Result<()> {
        if self.run.is_empty() {
            return Ok(());
        }
        self.write_now(&self.run, self.run_address, path)?;
        self.run.clear();
        Ok(())
    }

    /// Reads bytes that are in the file.
    pub(super) fn read(&self, address: u64, bytes: usize, path: &Path) -> Result<Vec<u8>> {
        let mut buffer = vec![0; bytes];
        let outcome = self.file.read_exact_at(&mut buffer, address);
        outcome.map_err(|error| Error::io(&error, "read back", path))?;
        Ok(buffer)
    }

    /// Waits until the disk has what was written.
    pub(super) fn sync(&self, path: &Path) -> Result<()> {
        let outcome = self.file.sync_data();
        #[cfg(test)]
        self.note(Event::Sync);
        outcome.map_err(|error| Error::io(&error, "bring data to the disk", path))
    }

    /// Forgets what was held back.
    pub(super) fn forget(&mut self) {
        self.run.clear();
    }

    fn write_now(&self, bytes: &[u8], address: u64, path: &Path) -> Result<()> {
        #[cfg(test)]
        match self.writes_left.load(Ordering::Relaxed) {
            0 => {
                let full = std::io::ErrorKind::StorageFull.into();
                return Err(Error::io(&full, "write", path));
            }
            left if left > 0 => self.writes_left.store(left - 1, Ordering::Relaxed),
            _ => {}
        }
        let outcome = self.file.write_all_at(bytes, address);
        #[cfg(test)]
        self.note(Event::Write);
        outcome.map_err(|error| Error::io(&error, "write", path))
    }
}
