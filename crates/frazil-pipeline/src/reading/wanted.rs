//! A chunk that a read wants.

use super::target::CellTarget;
use crate::source::StoredChunk;

/// A stored chunk and where its elements go.
pub(super) struct WantedChunk {
    pub(super) cell: CellTarget,
    pub(super) stored: StoredChunk,
    pub(super) keeping: Keeping,
}

/// What becomes of a chunk when the read has what it wants of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    /// Nothing.
    Nothing,
    /// It is kept if another read waits for it.
    IfAwaited,
    /// It is kept for later reads.
    Chunk,
}
