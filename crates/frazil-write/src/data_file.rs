//! The output's file as the placer writes packed bytes into it: neighbours together.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
#[cfg(test)]
use std::sync::atomic::{AtomicI64, Ordering};

use frazil_container::beside::{followed, open_regular};

use frazil_file::error::{Error, Result};
use frazil_file::write_run::WriteRun;

/// Neighbouring chunks are written together up to this many bytes.
const RUN_BYTES: usize = 1 << 20;
/// Chunks of more bytes than this gain nothing by it.
const LARGE_BYTES: usize = 128 << 10;

/// The output, open for writing packed bytes.
#[derive(Debug)]
pub(super) struct DataFile {
    pub(super) target: Target,
    run: WriteRun,
}

/// The file itself.
#[derive(Debug)]
pub(super) struct Target {
    file: File,
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
        let target = Target {
            file,
            #[cfg(test)]
            writes_left: AtomicI64::new(-1),
            #[cfg(test)]
            order: None,
        };
        Ok(Self {
            target,
            run: WriteRun::new(RUN_BYTES, LARGE_BYTES),
        })
    }

    /// Notes what was done.
    #[cfg(test)]
    pub(super) fn note(&self, event: Event) {
        self.target.note(event);
    }

    /// Writes bytes, now or with their neighbours.
    pub(super) fn write(&mut self, bytes: &[u8], address: u64, path: &Path) -> Result<()> {
        let target = &self.target;
        let write = |address, bytes: &[u8]| target.write(bytes, address, path);
        self.run.add(address, bytes, write)
    }

    /// Writes what was held back.
    pub(super) fn flush(&mut self, path: &Path) -> Result<()> {
        let target = &self.target;
        self.run
            .flush(|address, bytes| target.write(bytes, address, path))
    }

    /// Reads bytes that are in the file.
    pub(super) fn read(&self, address: u64, bytes: usize, path: &Path) -> Result<Vec<u8>> {
        let mut buffer = vec![0; bytes];
        let outcome = self.target.file.read_exact_at(&mut buffer, address);
        outcome.map_err(|error| Error::io(&error, "read back", path))?;
        Ok(buffer)
    }

    /// Waits until the disk has what was written.
    pub(super) fn sync(&self, path: &Path) -> Result<()> {
        let outcome = self.target.file.sync_data();
        #[cfg(test)]
        self.note(Event::Sync);
        outcome.map_err(|error| Error::io(&error, "bring data to the disk", path))
    }

    /// Forgets what was held back.
    pub(super) fn forget(&mut self) {
        self.run.forget();
    }
}

impl Target {
    /// Notes what was done.
    #[cfg(test)]
    fn note(&self, event: Event) {
        if let Some(order) = &self.order {
            order.all.lock().push((order.who, event));
        }
    }

    fn write(&self, bytes: &[u8], address: u64, path: &Path) -> Result<()> {
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
