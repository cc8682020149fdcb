//! Memory of one chunk's bytes: where they are many, pages of their own.
//!
//! Chunks are allocated by one thread and freed by another, packed ones in all sizes. Left to the
//! allocator, they end up scattered over the arenas of all threads, which keep what is freed between
//! them: twice the memory that is in use, and more the longer a program writes. Pages go back to the
//! system at once.

use std::ops::{Deref, DerefMut};

use memmap2::{MmapMut, MmapOptions};

/// Fewer bytes are the allocator's affair. It takes pages for no fewer either, until it has seen
/// larger blocks freed.
const MAPPED_BYTES: usize = 128 << 10;

/// Bytes of a chunk, with room for a certain number.
#[derive(Debug)]
pub(super) struct Buffer(Memory);

#[derive(Debug)]
enum Memory {
    Allocated(Vec<u8>),
    /// Of the pages the first `length` bytes are in use.
    Mapped {
        pages: MmapMut,
        length: usize,
    },
}

impl Buffer {
    /// An empty one with room for `bytes`.
    pub(super) fn with_room(bytes: usize) -> Self {
        if bytes >= MAPPED_BYTES {
            // All of it will be written: the system gives the pages now, not one by one.
            let pages = MmapOptions::new().len(bytes).populate().map_anon();
            // A system that has no mapping left may still have memory.
            if let Ok(pages) = pages {
                return Self(Memory::Mapped { pages, length: 0 });
            }
        }
        Self(Memory::Allocated(Vec::with_capacity(bytes)))
    }

    /// So many zeros. The system gives a page when something is written there.
    pub(super) fn zeroed(bytes: usize) -> Self {
        if bytes >= MAPPED_BYTES
            && let Ok(pages) = MmapMut::map_anon(bytes)
        {
            let length = bytes;
            return Self(Memory::Mapped { pages, length });
        }
        Self(Memory::Allocated(vec![0; bytes]))
    }

    /// A copy of `bytes`, with room for no more.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut buffer = Self::with_room(bytes.len());
        buffer.extend(bytes);
        buffer
    }

    /// Bytes that there is room for.
    pub(super) fn room(&self) -> usize {
        match &self.0 {
            Memory::Allocated(bytes) => bytes.capacity(),
            Memory::Mapped { pages, .. } => pages.len(),
        }
    }

    /// Adds bytes, and moves all of them to where there is room if need be.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Memory::Allocated(all) => all.extend_from_slice(bytes),
            Memory::Mapped { pages, length } => {
                let end = *length + bytes.len();
                if let Some(room) = pages.get_mut(*length..end) {
                    room.copy_from_slice(bytes);
                    *length = end;
                    return;
                }
                let all = [&pages[..*length], bytes].concat();
                self.0 = Memory::Allocated(all);
            }
        }
    }

    /// Fills up with an element until there are so many bytes.
    pub(super) fn fill(&mut self, element: &[u8], bytes: usize) {
        if bytes > self.room() {
            let mut larger = Self::with_room(bytes);
            larger.extend(self);
            *self = larger;
        }
        let from = self.len().min(bytes);
        match &mut self.0 {
            Memory::Allocated(all) => all.resize(bytes, 0),
            Memory::Mapped { length, .. } => *length = bytes,
        }
        let rest = &mut self[from..];
        if element.iter().all(|&byte| byte == 0) {
            return rest.fill(0);
        }
        let mut done = element.len().min(rest.len());
        rest[..done].copy_from_slice(&element[..done]);
        while done < rest.len() {
            let more = done.min(rest.len() - done);
            rest.copy_within(..more, done);
            done += more;
        }
    }

    /// Forgets all bytes but the first ones; their room stays.
    pub(super) fn truncate(&mut self, bytes: usize) {
        match &mut self.0 {
            Memory::Allocated(all) => all.truncate(bytes),
            Memory::Mapped { length, .. } => *length = bytes.min(*length),
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Memory::Allocated(bytes) => bytes,
            Memory::Mapped { pages, length } => &pages[..*length],
        }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Allocated(bytes) => bytes,
            Memory::Mapped { pages, length } => &mut pages[..*length],
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self::of(self)
    }
}

/// Bytes where they are.
impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Memory::Allocated(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes_and_many_behave_alike() {
        for room in [1000, MAPPED_BYTES, 3 * MAPPED_BYTES + 5] {
            let mut buffer = Buffer::with_room(room);
            assert!(buffer.is_empty() && buffer.room() >= room);
            buffer.extend(&[7, 8]);
            buffer.fill(&[1, 2, 3], 302);
            assert_eq!(buffer[..5], [7, 8, 1, 2, 3]);
            assert!(
                buffer[2..]
                    .chunks_exact(3)
                    .all(|element| element == [1, 2, 3])
            );
            let zeros = Buffer::zeroed(room);
            assert!(zeros.len() == room && zeros.iter().all(|&byte| byte == 0));
            let copy = buffer.clone();
            buffer.truncate(2);
            buffer.fill(&[0, 0], room);
            assert_eq!(buffer[..2], [7, 8]);
            assert!(buffer.len() == room && buffer[2..].iter().all(|&byte| byte == 0));
            // Beyond the room that there is.
            buffer.extend(&[9]);
            buffer.fill(&[4], room + 3);
            assert_eq!(buffer[room - 1..], [0, 9, 4, 4]);
            assert_eq!((copy.len(), copy.room() >= 302), (302, true));
        }
    }
}
