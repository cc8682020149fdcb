//! What a file says of the program that writes it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// HDF5 superblocks begin at byte 0, 512, 1024, ... with these bytes.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// Bytes of a superblock's beginning: signature, version, sizes of offsets and lengths, flags.
const BEGINNING_BYTES: usize = 12;
/// The first version whose flags libhdf5 sets.
const FIRST_VERSION: u8 = 3;
const WRITE: u8 = 0x01;
const SWMR_WRITE: u8 = 0x04;

/// The file consistency flags of an HDF5 file: a program that writes sets them when it opens the
/// file, and clears them when it closes it. One that died left them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterFlags {
    /// A program has the file open for writing, or died while it had.
    pub is_writing: bool,
    /// It writes so that others may read meanwhile (single writer, multiple readers).
    pub is_swmr: bool,
}

impl WriterFlags {
    /// The flags of an open file; none of files that are not HDF5, or of a format without flags
    /// (before superblock 3).
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(file: &File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        let mut at = 0_u64;
        while at + BEGINNING_BYTES as u64 <= bytes {
            let mut beginning = [0; BEGINNING_BYTES];
            file.read_exact_at(&mut beginning, at)?;
            if beginning[..SIGNATURE.len()] == SIGNATURE {
                return Ok(Self::of_superblock(beginning[8], beginning[11]));
            }
            at = (2 * at).max(512);
        }
        Ok(Self::default())
    }

    fn of_superblock(version: u8, flags: u8) -> Self {
        let is_set = |flag: u8| version >= FIRST_VERSION && flags & flag != 0;
        Self {
            is_writing: is_set(WRITE) || is_set(SWMR_WRITE),
            is_swmr: is_set(WRITE) && is_set(SWMR_WRITE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(content: &[u8]) -> WriterFlags {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, content).unwrap();
        WriterFlags::of(&File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn flags_are_found_behind_a_user_block_and_only_where_the_format_has_them() {
        let superblock =
            |version: u8, flags: u8| [&SIGNATURE[..], &[version, 8, 8, flags]].concat();
        let writing = WriterFlags {
            is_writing: true,
            is_swmr: false,
        };
        let swmr = WriterFlags {
            is_writing: true,
            is_swmr: true,
        };
        assert_eq!(flags(&superblock(3, 1)), writing);
        assert_eq!(flags(&superblock(3, 5)), swmr);
        assert_eq!(flags(&superblock(3, 0)), WriterFlags::default());
        assert_eq!(flags(&superblock(2, 1)), WriterFlags::default());
        let behind = [vec![0; 1024], superblock(3, 5)].concat();
        assert_eq!(flags(&behind), swmr);
        assert_eq!(flags(b"CDF\x01"), WriterFlags::default());
        assert_eq!(flags(&vec![0; 5000]), WriterFlags::default());
    }
}
