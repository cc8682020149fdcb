//! Sources of bytes: files, memory, and whatever else can give ranges.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Waits for bytes that were asked for before.
pub type Arrival = Box<dyn FnOnce() -> io::Result<Vec<u8>> + Send>;

/// A file's bytes, wherever they lie.
///
/// The reader asks for all ranges of one step at once, so that a remote source can fetch them in one
/// round.
pub trait Source: Send + Sync {
    /// Bytes that the source has now.
    ///
    /// # Errors
    /// If that cannot be found out.
    fn length(&self) -> io::Result<u64>;

    /// Reads ranges, which lie within [`Self::length`], in the order given.
    ///
    /// # Errors
    /// If a range cannot be read whole.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;

    /// Bytes that are worth reading at once: a request costs about as much as they do.
    fn block_bytes(&self) -> u64 {
        4096
    }

    /// Bytes at the source's begin that are read with the superblock: where requests take long, as much as metadata
    /// that are kept together at the begin may have.
    fn head_bytes(&self) -> u64 {
        self.block_bytes()
    }

    /// Whether bytes take long to come: what was read is kept as long as the file is open, and much is asked for
    /// at once.
    fn is_far(&self) -> bool {
        false
    }

    /// Whether bytes come without a lock of the caller's that others may hold while they wait.
    fn needs_no_lock(&self) -> bool {
        true
    }

    /// Learns that all metadata were read that opening a file, or locating a dataset's chunks, needs: what is held for
    /// that may go, and what is kept for the next opening may be put where it is kept.
    fn settle(&self) {}

    /// The same bytes for those who read metadata, if what they ask for is kept for the next opening.
    fn of_metadata(&self) -> Option<Arc<dyn Source>> {
        None
    }

    /// Opens a file that this one names, at its place beside this one, and says what messages call it; `None`: there is no
    /// such file.
    ///
    /// # Errors
    /// If it is no file of the same place, or cannot be reached.
    fn beside(&self, _name: &str) -> io::Result<Option<(PathBuf, Arc<dyn Source>)>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Asks for ranges that will be read soon, all at once, and does not wait for them: the ranges that come, which
    /// may join several that are wanted, or be parts of one. None where nothing comes sooner for that.
    fn begin(&self, _ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
        Vec::new()
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        (**self).read_ranges(ranges)
    }

    fn block_bytes(&self) -> u64 {
        (**self).block_bytes()
    }

    fn head_bytes(&self) -> u64 {
        (**self).head_bytes()
    }

    fn is_far(&self) -> bool {
        (**self).is_far()
    }

    fn needs_no_lock(&self) -> bool {
        (**self).needs_no_lock()
    }

    fn settle(&self) {
        (**self).settle();
    }

    fn of_metadata(&self) -> Option<Arc<dyn Source>> {
        (**self).of_metadata()
    }

    fn beside(&self, name: &str) -> io::Result<Option<(PathBuf, Arc<dyn Source>)>> {
        (**self).beside(name)
    }

    fn begin(&self, ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
        (**self).begin(ranges)
    }
}

impl Source for File {
    fn length(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        ranges.iter().map(|range| read_range(self, range)).collect()
    }
}

#[cfg(unix)]
fn read_range(file: &File, range: &Range<u64>) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; length_of(range)?];
    file.read_exact_at(&mut bytes, range.start)?;
    Ok(bytes)
}

fn length_of(range: &Range<u64>) -> io::Result<usize> {
    usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)
}

impl Source for Vec<u8> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let outside = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let piece = |range: &Range<u64>| {
            let begin = usize::try_from(range.start).ok()?;
            self.get(begin..usize::try_from(range.end).ok()?)
        };
        let read = |range| piece(range).map(<[u8]>::to_vec).ok_or_else(outside);
        ranges.iter().map(read).collect()
    }
}
