//! Buffers and decoder state that a thread borrows while it reads.

use frazil_codec::Scratch;
use frazil_types::sync::Mutex;

/// Larger buffers are not kept.
const LARGEST_KEPT_BYTES: usize = 16 << 20;
/// Most workspaces kept.
const MOST_KEPT: usize = 16;

/// Buffers and decoder state of one thread at a time.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) scratch: Scratch,
    /// Stored bytes.
    pub(super) stored: Vec<u8>,
    /// One decoded chunk.
    pub(super) decoded: Vec<u8>,
}

/// Workspaces that nobody uses at the moment.
#[derive(Default)]
pub(super) struct Workspaces(Mutex<Vec<Workspace>>);

impl Workspaces {
    /// Runs `work` with a workspace.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Workspace) -> R) -> R {
        let mut workspace = self.0.lock().pop().unwrap_or_default();
        let result = work(&mut workspace);
        let largest = workspace
            .stored
            .capacity()
            .max(workspace.decoded.capacity());
        let mut kept = self.0.lock();
        if largest <= LARGEST_KEPT_BYTES && kept.len() < MOST_KEPT {
            kept.push(workspace);
        }
        result
    }
}
