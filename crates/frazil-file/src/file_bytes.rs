//! Positioned reads of an input, and what Linux does ahead of them.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use frazil_pipeline::ByteSource;

use crate::far_bytes::FarBytes;

/// Pages of memory are no larger, on most machines.
const LARGEST_PAGE_BYTES: u64 = 64 << 10;

/// Positioned reads of the input, outside any library's lock.
#[derive(Debug)]
pub enum FileBytes {
    /// A file of this machine.
    Here(File),
    /// One that is somewhere else.
    Far(FarBytes),
}

impl FileBytes {
    /// The open file, if it is one of this machine.
    pub fn file(&self) -> Option<&File> {
        match self {
            Self::Here(file) => Some(file),
            Self::Far(_) => None,
        }
    }

    /// Its length now.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn length(&self) -> std::io::Result<u64> {
        match self {
            Self::Here(file) => file.metadata().map(|metadata| metadata.len()),
            Self::Far(far) => far.source().length(),
        }
    }
}

/// Values that came with the metadata: those of compact datasets.
#[derive(Debug)]
pub(crate) struct HeldBytes(pub(crate) Vec<u8>);

impl ByteSource for HeldBytes {
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> std::io::Result<()> {
        let begin = usize::try_from(address).ok();
        let part = begin.and_then(|begin| self.0.get(begin..)?.get(..buffer.len()));
        buffer.copy_from_slice(part.ok_or(std::io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl ByteSource for FileBytes {
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> std::io::Result<()> {
        match self {
            Self::Here(file) => file.read_exact_at(buffer, address),
            Self::Far(far) => far.read(buffer, address),
        }
    }

    fn will_read(&self, parts: &[Range<u64>]) {
        match self {
            // What is there already is not announced: that costs twenty times as much as the look.
            Self::Here(file) if !parts.is_empty() && !self.is_at_hand(parts) => {
                for part in parts {
                    page_cache::fetch(file, part);
                }
            }
            Self::Here(_) => {}
            Self::Far(far) => far.announce(parts),
        }
    }

    fn is_far(&self) -> bool {
        matches!(self, Self::Far(_))
    }

    fn is_at_hand(&self, parts: &[Range<u64>]) -> bool {
        let Self::Here(file) = self else {
            return false;
        };
        parts.last().is_some_and(|part| {
            // Its ends share pages with its neighbours, and what is read ahead of a neighbour
            // begins in front.
            let length = part.end.saturating_sub(part.start);
            let address = part
                .end
                .saturating_sub((length / 2).clamp(1, LARGEST_PAGE_BYTES));
            page_cache::holds(file, address)
        })
    }
}

#[cfg(target_os = "linux")]
mod page_cache {
    use std::fs::File;
    use std::io::IoSliceMut;
    use std::num::NonZeroU64;
    use std::ops::Range;

    use rustix::fs::{Advice, fadvise};
    use rustix::io::{ReadWriteFlags, preadv2};

    /// On many disks, the kernel fetches no more than this for one call.
    const ANNOUNCED_BYTES: u64 = 256 << 10;
    /// What is longer is not announced to its end.
    const MAX_CALLS: usize = 64;

    /// Has a part of a file fetched, without waiting for it.
    pub(super) fn fetch(file: &File, part: &Range<u64>) {
        let starts = part.clone().step_by(ANNOUNCED_BYTES as usize);
        for start in starts.take(MAX_CALLS) {
            let bytes = NonZeroU64::new(ANNOUNCED_BYTES.min(part.end - start));
            // Advice only: what does not come by it, the read itself fetches.
            let _ = fadvise(file, start, bytes, Advice::WillNeed);
        }
    }

    /// Whether a byte can be read without waiting for a disk.
    pub(super) fn holds(file: &File, address: u64) -> bool {
        let mut byte = [0];
        let mut slices = [IoSliceMut::new(&mut byte)];
        preadv2(file, &mut slices, address, ReadWriteFlags::NOWAIT).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod page_cache {
    use std::fs::File;
    use std::ops::Range;

    pub(super) fn fetch(_: &File, _: &Range<u64>) {}

    pub(super) fn holds(_: &File, _: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_just_written_is_at_hand_and_advice_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        let content: Vec<u8> = (0..700_000_u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let bytes = FileBytes::Here(File::open(&path).unwrap());
        if cfg!(target_os = "linux") {
            assert!(bytes.is_at_hand(&[0..1, 500_000..700_000]));
            assert!(bytes.is_at_hand(std::slice::from_ref(&(699_999..700_000))));
        }
        assert!(!bytes.is_at_hand(&[]));
        // Beyond the end of the file too, and nothing at all.
        bytes.will_read(&[0..300_000, 350_000..u64::MAX]);
        bytes.will_read(&[]);
        bytes.will_read(std::slice::from_ref(&(0..0)));
        let mut found = vec![0; 400_000];
        bytes.read_exact_at(&mut found, 200_000).unwrap();
        assert!(found == content[200_000..600_000]);
    }
}
