//! Where the bytes of a file go that our driver has open.

use std::ffi::{CStr, OsStr, c_uint};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use frazil_hdf5::Source;
use frazil_types::sync::Mutex;

use super::far_pages::FarPages;
use super::pages::Pages;
use crate::beside::open_regular;
use crate::commit::CommittedFile;

/// `H5F_ACC_RDWR`, `H5F_ACC_TRUNC`.
const ACCESS_WRITE: c_uint = 1;
const ACCESS_TRUNCATE: c_uint = 2;

/// A path that opens the measuring form.
pub(super) const MEASURE: &str = "frazil:measure";

/// A file that changes by commits, shared between the driver and who commits.
pub(crate) type LiveFile = Arc<Mutex<CommittedFile>>;

/// What the next open through the driver is for, if not for the file of that name. It lies here only while that
/// is opened, under the library lock.
static OPENING: Mutex<Option<Opening>> = Mutex::new(None);

/// A file that has no name, or another one.
enum Opening {
    Live(LiveFile),
    Far(Arc<dyn Source>),
}

/// Runs `open`, which makes libhdf5 open a file through our driver; that file is `live`.
pub(super) fn with_live<T>(live: &LiveFile, open: impl FnOnce() -> T) -> T {
    with(Opening::Live(Arc::clone(live)), open)
}

/// As [`with_live`], of a file that is somewhere else.
pub(super) fn with_far<T>(source: &Arc<dyn Source>, open: impl FnOnce() -> T) -> T {
    with(Opening::Far(Arc::clone(source)), open)
}

fn with<T>(opening: Opening, open: impl FnOnce() -> T) -> T {
    *OPENING.lock() = Some(opening);
    let outcome = open();
    *OPENING.lock() = None;
    outcome
}

/// Where an open file's bytes go.
pub(super) enum Backing {
    /// A file on disk.
    Disk(File),
    /// A file on disk, at the next commit.
    Live(LiveFile),
    /// A file that is somewhere else, and only read.
    Far(FarPages),
    /// Nowhere: metadata are kept in memory so that libhdf5 can read them back, raw data dropped.
    Measure(Pages),
}

impl Backing {
    /// Opens what a name stands for; also gives its length.
    pub(super) fn open(name: &CStr, flags: c_uint) -> Option<(Self, u64)> {
        match OPENING.lock().as_ref() {
            Some(Opening::Live(live)) => {
                let length = live.lock().file_bytes().ok()?;
                return Some((Self::Live(Arc::clone(live)), length));
            }
            Some(Opening::Far(source)) => {
                let pages = FarPages::new(source).ok()?;
                let length = pages.length();
                return Some((Self::Far(pages), length));
            }
            None => {}
        }
        if name.to_bytes() == MEASURE.as_bytes() {
            return Some((Self::Measure(Pages::default()), 0));
        }
        let path = Path::new(OsStr::from_bytes(name.to_bytes()));
        // The facade creates the file (exclusively, with its lock); libhdf5 only ever opens it.
        let mut options = File::options();
        options.read(true);
        let file = match flags & ACCESS_WRITE != 0 {
            // A file to be read may have any name, one that we write has its own.
            false => options.open(path),
            true => {
                let truncate = flags & ACCESS_TRUNCATE != 0;
                open_regular(path, options.write(true).truncate(truncate))
            }
        };
        let file = file.ok()?;
        let length = file.metadata().ok()?.len();
        Some((Self::Disk(file), length))
    }

    /// Reads; bytes past the end of the file are zero, as libhdf5 expects.
    pub(super) fn read(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        match self {
            Self::Disk(file) => read_to_end_of_file(file, buffer, address),
            Self::Live(live) => live.lock().read(buffer, address),
            Self::Far(pages) => pages.read(buffer, address),
            Self::Measure(pages) => {
                buffer.fill(0);
                pages.copy_out(buffer, address);
                Ok(())
            }
        }
    }

    /// Writes what libhdf5 hands over.
    pub(super) fn write(&mut self, bytes: &[u8], address: u64, is_raw: bool) -> io::Result<()> {
        match self {
            Self::Disk(file) => file.write_all_at(bytes, address),
            Self::Live(live) if is_raw => live.lock().write_values(bytes, address),
            Self::Live(live) => {
                live.lock().hold(bytes, address);
                Ok(())
            }
            Self::Far(_) => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
            Self::Measure(pages) => {
                pages.copy_in(bytes, address);
                Ok(())
            }
        }
    }

    /// Learns of values that somebody else writes.
    pub(super) fn expect_values(&self, address: u64, bytes: u64) {
        if let Self::Live(live) = self {
            live.lock().expect_values(address, bytes);
        }
    }

    /// Learns where libhdf5 lets the file end.
    pub(super) fn set_end(&self, end: u64) {
        if let Self::Live(live) = self {
            live.lock().set_end(end);
        }
    }

    /// Whether what lies behind libhdf5's end is lent to others, so that the end must stay.
    pub(super) fn is_lent(&self) -> bool {
        match self {
            Self::Live(live) => live.lock().is_lent(),
            Self::Disk(_) | Self::Far(_) | Self::Measure(_) => false,
        }
    }

    /// Gives the file its length; of a live one, that is part of the next commit.
    pub(super) fn truncate(&self, end: u64) -> io::Result<()> {
        match self {
            Self::Disk(file) => file.set_len(end),
            Self::Live(_) | Self::Far(_) | Self::Measure(_) => Ok(()),
        }
    }
}

fn read_to_end_of_file(file: &File, buffer: &mut [u8], address: u64) -> io::Result<()> {
    buffer.fill(0);
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], address + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
