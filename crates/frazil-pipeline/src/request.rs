//! What a task asks for and what it gets.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use frazil_types::Selection;

/// One thing a task needs from a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The values of a box, row-major. The box may stick out of the array: the outside is fill.
    Values {
        /// Position in the run's `sources`.
        source: usize,
        /// The box, in elements.
        selection: Selection,
    },
    /// The stored bytes of one chunk, not decoded.
    Stored {
        /// Position in the run's `sources`.
        source: usize,
        /// Linear chunk number in the source's grid.
        index: u64,
    },
}

/// One piece of work, and what must be at hand before it runs.
#[derive(Debug)]
pub struct Task<M> {
    /// The caller's own note; comes back with the result.
    pub meta: M,
    /// All fulfilled, in this order, before the work runs.
    pub requests: Vec<Request>,
    /// Upper bound on the bytes that the work allocates, its result included.
    pub output_bytes: u64,
}

/// The answer to one [`Request`].
#[derive(Debug)]
pub enum Block {
    /// Values of a box.
    Values(Values),
    /// A chunk as stored.
    Stored {
        /// The stored bytes.
        bytes: Vec<u8>,
        /// Bit i set: filter i of the pipeline was not applied.
        filter_mask: u32,
    },
    /// The chunk of a `Stored` request is not allocated.
    Absent,
}

/// Values of a box: a buffer of their own, or a decoded chunk shared with other tasks.
pub struct Values(Content);

enum Content {
    Owned(Vec<u8>),
    Shared(Arc<Vec<u8>>),
}

impl Values {
    pub(crate) fn owned(bytes: Vec<u8>) -> Self {
        Self(Content::Owned(bytes))
    }

    pub(crate) fn shared(bytes: Arc<Vec<u8>>) -> Self {
        Self(Content::Shared(bytes))
    }

    /// The bytes, copied only if another task still needs them.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Content::Owned(bytes) => bytes,
            Content::Shared(bytes) => Arc::unwrap_or_clone(bytes),
        }
    }
}

impl Deref for Values {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Content::Owned(bytes) => bytes,
            Content::Shared(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Values {
    fn from(bytes: Vec<u8>) -> Self {
        Self::owned(bytes)
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_chunk_is_copied_only_while_others_hold_it() {
        let chunk = Arc::new(vec![1, 2, 3]);
        let address = chunk.as_ptr();
        let first = Values::shared(Arc::clone(&chunk));
        let second = Values::shared(chunk);
        assert_eq!(&*first, [1, 2, 3]);
        let copied = first.into_vec();
        assert_ne!(copied.as_ptr(), address);
        let moved = second.into_vec();
        assert_eq!(moved.as_ptr(), address);
    }
}
