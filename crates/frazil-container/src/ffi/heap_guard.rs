//! A look at global heaps before libhdf5 parses them.
//!
//! libhdf5 2.2 walks the objects of a global heap collection without checking that each one moves
//! it forward: a damaged size of 0 (or one that overflows) makes it loop for ever. The driver
//! refuses to read such a collection instead.
//!
//! Source: HDF5 File Format Specification 3.0, III.E "Disk Format: Level 1E - Global Heap".

/// Reads the sizes a superblock states; knows where objects of a heap begin and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeapGuard {
    /// "Size of lengths" of the file: 2, 4, 8, 16 or 32.
    length_bytes: usize,
}

const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
const COLLECTION: &[u8; 4] = b"GCOL";

impl HeapGuard {
    /// From the first bytes of a superblock; `None` if they are none.
    pub(super) fn from_superblock(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(SIGNATURE) {
            return None;
        }
        let at = match bytes.get(8)? {
            0 | 1 => 14,
            _ => 10,
        };
        let length_bytes = usize::from(*bytes.get(at)?);
        [2, 4, 8, 16, 32]
            .contains(&length_bytes)
            .then_some(Self { length_bytes })
    }

    /// Whether libhdf5 can walk the collection at the start of `bytes` (or the part of it that was
    /// read) and come to an end. Anything that is no collection is none of our business.
    pub(super) fn admits(self, bytes: &[u8]) -> bool {
        if !bytes.starts_with(COLLECTION) {
            return true;
        }
        let Some(size) = self.length_at(bytes, 8) else {
            return true;
        };
        let end = bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX));
        let mut at = align(8 + self.length_bytes);
        let header_bytes = align(8 + self.length_bytes);
        // The library leaves the rest alone once no object header fits any more.
        while at + header_bytes <= end {
            let Some(data_bytes) = self.length_at(bytes, at + 8) else {
                return true;
            };
            let is_free_space = bytes[at..at + 2] == [0, 0];
            let step = if is_free_space {
                data_bytes
            } else {
                let padded = data_bytes.checked_add(7).map(|n| n & !7);
                match padded.and_then(|n| n.checked_add(header_bytes as u64)) {
                    Some(step) => step,
                    None => return false,
                }
            };
            if step == 0 {
                return false;
            }
            match usize::try_from(step)
                .ok()
                .and_then(|step| at.checked_add(step))
            {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    }

    /// A little-endian length; `None` where the bytes end.
    fn length_at(self, bytes: &[u8], at: usize) -> Option<u64> {
        let used = self.length_bytes.min(8);
        let mut wide = [0_u8; 8];
        wide[..used].copy_from_slice(bytes.get(at..at + used)?);
        Some(u64::from_le_bytes(wide))
    }
}

fn align(n: usize) -> usize {
    n.next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(objects: &[(u16, u64)]) -> Vec<u8> {
        let mut bytes = b"GCOL\x01\0\0\0".to_vec();
        bytes.extend(4096_u64.to_le_bytes());
        for &(index, size) in objects {
            bytes.extend(index.to_le_bytes());
            bytes.extend([0; 6]);
            bytes.extend(size.to_le_bytes());
            if index != 0 && size < 4096 {
                bytes.resize(bytes.len() + (size as usize).next_multiple_of(8), 0xaa);
            }
        }
        bytes.resize(4096, 0);
        bytes
    }

    fn guard() -> HeapGuard {
        HeapGuard::from_superblock(b"\x89HDF\r\n\x1a\n\x02\x08\x08\0").unwrap()
    }

    #[test]
    fn a_sound_heap_is_admitted() {
        let used = 16 + (16 + 16) + (16 + 8);
        assert!(guard().admits(&collection(&[(1, 12), (2, 8), (0, 4096 - used)])));
        assert!(guard().admits(b"no heap at all"));
    }

    #[test]
    fn sizes_that_stand_still_are_refused() {
        assert!(!guard().admits(&collection(&[(1, 12), (0, 0)])));
        assert!(!guard().admits(&collection(&[(1, u64::MAX - 3)])));
        assert!(!guard().admits(&collection(&[(1, u64::MAX - 22)])));
    }
}
