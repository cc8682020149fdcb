//! How fast the storage behind a folder is for one program: written until it has the bytes, read
//! again without the system's page cache.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use frazil_types::StorageSpeed;

use super::{PIECE_BYTES, least_seconds};
use frazil_file::error::{Error, Result};

/// Bytes that are written and read.
pub(super) const BYTES: u64 = 128 << 20;

/// Bytes of one call.
const BLOCK_BYTES: usize = 8 << 20;

/// Small reads that are timed: a rotating disk takes half a second for them.
const PIECES: u64 = 64;

/// Measures with a file of so many bytes, a whole number of blocks, in a folder.
///
/// # Errors
/// Names the file if it cannot be written or read; a folder that is not there is `NotFound`.
pub(super) fn measure(folder: &Path, bytes: u64) -> Result<StorageSpeed> {
    let file = &create(folder)?;
    let written = |error: std::io::Error| Error::io(&error, "write to", folder);
    let read = |error: std::io::Error| Error::io(&error, "read from", folder);
    let mut block = noise(BLOCK_BYTES);
    let mut number = 0;
    let store = least_seconds(|| {
        for at in (0..bytes).step_by(BLOCK_BYTES) {
            stamp(&mut block, &mut number);
            file.write_all_at(&block, at).map_err(written)?;
        }
        file.sync_data().map_err(written)
    })?;
    let fetch = least_seconds(|| {
        forget(file);
        for at in (0..bytes).step_by(BLOCK_BYTES) {
            file.read_exact_at(&mut block, at).map_err(read)?;
        }
        Ok(())
    })?;
    let mut piece = [0_u8; PIECE_BYTES];
    let last = bytes.saturating_sub(PIECE_BYTES as u64).max(1);
    let pieces = least_seconds(|| {
        forget(file);
        (0..PIECES).try_for_each(|i| {
            // Far from the piece before.
            let at = i.wrapping_mul(2_654_435_761) % last;
            file.read_exact_at(&mut piece, at).map_err(read)
        })
    })?;
    Ok(StorageSpeed {
        seek_seconds: pieces / PIECES as f64,
        fetch_bytes_per_second: bytes as f64 / fetch,
        store_bytes_per_second: Some(bytes as f64 / store),
    })
}

/// A file without a name, which is gone when this process is.
fn create(folder: &Path) -> Result<File> {
    tempfile::tempfile_in(folder).map_err(|error| {
        let cure = "name a folder on the storage that is to be measured, in which you may write";
        Error::io(&error, "write to", folder).with_cure(cure)
    })
}

/// Has the system forget what it keeps of a file that the storage has; where it does not, as in
/// memory, what it keeps is measured.
#[cfg(target_os = "linux")]
fn forget(file: &File) {
    // Advice only: there is nothing to do where it is not taken.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
fn forget(_: &File) {}

/// Bytes that no storage compresses.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = (0..count / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.collect()
}

/// Makes each page of a block another than all before: some storage keeps equal ones once.
fn stamp(block: &mut [u8], number: &mut u64) {
    for page in block.chunks_exact_mut(PIECE_BYTES) {
        *number += 1;
        page[..8].copy_from_slice(&number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_measured_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let found = measure(folder.path(), 2 * BLOCK_BYTES as u64).unwrap();
        let rates = [
            found.fetch_bytes_per_second,
            found.store_bytes_per_second.unwrap(),
            found.seek_seconds,
        ];
        for rate in rates {
            assert!(rate.is_finite() && rate > 0.0, "{found:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn pages_differ_and_do_not_compress() {
        let mut block = noise(BLOCK_BYTES);
        let mut number = 0;
        stamp(&mut block, &mut number);
        let first = block.clone();
        stamp(&mut block, &mut number);
        let both = [first, block].concat();
        let all: Vec<&[u8]> = both.chunks_exact(PIECE_BYTES).collect();
        let distinct: std::collections::HashSet<&&[u8]> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
