//! Memory of chunks that were packed, kept for the next ones: the system clears what it gives.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use frazil_types::sync::Mutex;

use super::buffer::Buffer;

/// Smaller buffers are the allocator's affair.
const LEAST_BYTES: usize = 64 << 10;

/// Buffers that nobody uses at the moment.
pub(super) struct Buffers {
    /// Most bytes to keep.
    limit_bytes: AtomicUsize,
    /// Oldest first.
    kept: Mutex<VecDeque<Buffer>>,
}

impl Buffers {
    pub(super) fn new(limit_bytes: usize) -> Self {
        Self {
            limit_bytes: AtomicUsize::new(limit_bytes),
            kept: Mutex::default(),
        }
    }

    /// Keeps no more than so many bytes from now on.
    pub(super) fn set_limit(&self, bytes: usize) {
        self.limit_bytes.store(bytes, Ordering::Relaxed);
        shrink(&mut self.kept.lock(), bytes);
    }

    fn limit_bytes(&self) -> usize {
        self.limit_bytes.load(Ordering::Relaxed)
    }

    /// An empty buffer with room for `bytes`. Where none that is kept fits, as many bytes of others
    /// are let go, so that all together do not take more.
    pub(super) fn take(&self, bytes: usize) -> Buffer {
        let kept = self.take_kept(bytes);
        kept.unwrap_or_else(|| Buffer::with_room(bytes))
    }

    /// A buffer of so many zeros. A new one takes memory of the system only where something is
    /// written.
    pub(super) fn zeroed(&self, bytes: usize) -> Buffer {
        match self.take_kept(bytes) {
            Some(mut buffer) => {
                buffer.fill(&[0], bytes);
                buffer
            }
            None => Buffer::zeroed(bytes),
        }
    }

    /// An empty buffer that is kept; `None`: none fits, and what is kept leaves room for another.
    fn take_kept(&self, bytes: usize) -> Option<Buffer> {
        if bytes < LEAST_BYTES {
            return None;
        }
        let mut kept = self.kept.lock();
        // The last one used is the likeliest to be in a core's cache.
        let found = kept.iter().rposition(|buffer| buffer.room() == bytes);
        if let Some(buffer) = found.and_then(|at| kept.remove(at)) {
            return Some(buffer);
        }
        shrink(&mut kept, self.limit_bytes().saturating_sub(bytes));
        None
    }

    /// A buffer of this element so many times.
    pub(super) fn filled(&self, element: &[u8], elements: usize) -> Buffer {
        let bytes = element.len() * elements;
        let mut buffer = self.take(bytes);
        buffer.fill(element, bytes);
        buffer
    }

    /// Keeps a buffer.
    pub(super) fn give(&self, mut buffer: Buffer) {
        if buffer.room() < LEAST_BYTES {
            return;
        }
        buffer.truncate(0);
        let mut kept = self.kept.lock();
        kept.push_back(buffer);
        shrink(&mut kept, self.limit_bytes());
    }
}

/// Lets the oldest buffers go until the rest takes no more than `bytes`.
fn shrink(kept: &mut VecDeque<Buffer>, bytes: usize) {
    let mut all: usize = kept.iter().map(Buffer::room).sum();
    while all > bytes {
        let Some(oldest) = kept.pop_front() else {
            return;
        };
        all -= oldest.room();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_was_given_back_is_taken_again() {
        let buffers = Buffers::new(1 << 20);
        let first = buffers.filled(&[1, 2, 3], 50_000);
        assert_eq!(first.len(), 150_000);
        assert!(first.chunks_exact(3).all(|element| element == [1, 2, 3]));
        let address = first.as_ptr();
        buffers.give(first);
        let again = buffers.take(150_000);
        assert_eq!((again.as_ptr(), again.len()), (address, 0));
        buffers.give(again);
        let again = buffers.zeroed(150_000);
        assert_eq!((again.as_ptr(), again.len()), (address, 150_000));
        assert!(again.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let buffers = Buffers::new(300 << 10);
        let all: Vec<_> = (0..5).map(|_| buffers.filled(&[0], 100 << 10)).collect();
        all.into_iter().for_each(|buffer| buffers.give(buffer));
        assert_eq!(buffers.kept.lock().len(), 3);
        // One of another size makes room for itself.
        drop(buffers.take(150 << 10));
        assert_eq!(buffers.kept.lock().len(), 1);
        buffers.give(Buffer::with_room(1 << 20));
        buffers.give(Buffer::of(&[0; 10]));
        assert!(buffers.kept.lock().is_empty());
    }
}
