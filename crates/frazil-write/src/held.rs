//! Packed chunks that wait until all ranks commit.

use std::path::Path;
use std::sync::Arc;

use frazil_pipeline::Charge;
use serde::{Deserialize, Serialize};

use super::buffer::Buffer;
use super::key::{Key, KeyMap, KeySet, Name};
use super::lease::{Lease, LeasedSpace};
use super::pack::PackedChunk;
use super::scratch_file::ScratchFile;
use frazil_file::error::Result;

/// A rank's packed chunks since the last commit: in the output where space was lent, else in memory
/// as far as it goes, the rest in a scratch file.
pub(super) struct Held {
    chunks: KeyMap<HeldChunk>,
    scratch: ScratchFile,
    leased: LeasedSpace,
    last_written: Option<Key>,
    /// Chunks that this rank committed since space is lent: other forms of them go to the place that
    /// they have, mostly.
    committed: KeySet,
}

struct HeldChunk {
    packed: PackedBytes,
    bytes: usize,
    is_omissible: bool,
    is_reused: bool,
}

enum PackedBytes {
    Memory {
        bytes: Arc<Buffer>,
        // Goes back when the bytes leave memory.
        _charge: Charge,
    },
    /// In the scratch file, at this address.
    Spilled(u64),
    /// In the output, at this address.
    Written(u64),
}

/// Where the bytes of a held chunk are.
pub(super) enum HeldBytes {
    Here(Arc<Buffer>),
    /// In the output: an address, and how many.
    Written(u64, usize),
}

/// A packed chunk that waits for its address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) name: Name,
    pub(super) bytes: u64,
    /// Whether it is of fill values that readers know anyway.
    pub(super) is_omissible: bool,
    pub(super) is_reused: bool,
    /// Where it was written to leased space.
    pub(super) at: Option<u64>,
}

impl Held {
    pub(super) fn beside(output: &Path) -> Self {
        Self {
            chunks: KeyMap::default(),
            scratch: ScratchFile::beside(output),
            leased: LeasedSpace::default(),
            last_written: None,
            committed: KeySet::default(),
        }
    }

    /// Begins a lease, or none.
    pub(super) fn begin_lease(&mut self, lease: Option<Lease>) {
        self.leased.begin(lease);
    }

    /// Space in the output for a chunk that is about to be kept.
    pub(super) fn space(&mut self, key: &Key, chunk: &PackedChunk) -> Option<u64> {
        // What may not be stored at all, not as a chunk, or elsewhere, takes none.
        let is_stored = !chunk.is_omissible
            && !chunk.place.variable.is_contiguous
            && !self.committed.contains(key);
        match is_stored {
            true => self.leased.take(chunk.bytes.len() as u64),
            false => None,
        }
    }

    /// Keeps a chunk, in place of an earlier form of it; `written`: where it was written.
    pub(super) fn keep(&mut self, key: Key, chunk: PackedChunk, written: Option<u64>) {
        if written.is_some() {
            self.last_written = Some(key.clone());
        }
        let held = HeldChunk {
            bytes: chunk.bytes.len(),
            is_omissible: chunk.is_omissible,
            is_reused: chunk.is_reused,
            packed: match written {
                Some(address) => PackedBytes::Written(address),
                None => PackedBytes::Memory {
                    bytes: chunk.bytes,
                    _charge: chunk.charge,
                },
            },
        };
        let before = self.chunks.insert(key, held);
        self.give_back(before.as_ref());
    }

    /// Forgets a chunk.
    pub(super) fn forget(&mut self, key: &Key) {
        let before = self.chunks.remove(key);
        self.give_back(before.as_ref());
    }

    fn give_back(&mut self, before: Option<&HeldChunk>) {
        let Some(before) = before else {
            return;
        };
        match before.packed {
            PackedBytes::Memory { .. } => {}
            PackedBytes::Spilled(address) => self.scratch.free(address, before.bytes),
            PackedBytes::Written(address) => self.leased.give_back(address, before.bytes as u64),
        }
    }

    /// The chunk that was written to leased space last.
    pub(super) fn last_written(&self) -> Option<&Key> {
        self.last_written.as_ref()
    }

    /// Notes that a chunk's bytes are in the output now, at this address.
    pub(super) fn note_written(&mut self, key: &Key, address: u64) {
        let Some(held) = self.chunks.get_mut(key) else {
            return;
        };
        let before = std::mem::replace(&mut held.packed, PackedBytes::Written(address));
        if let PackedBytes::Spilled(place) = before {
            self.scratch.free(place, held.bytes);
        }
    }

    /// Moves everything in memory to the scratch file; `false`: there was nothing.
    pub(super) fn spill(&mut self) -> Result<bool> {
        let mut any = false;
        for held in self.chunks.values_mut() {
            if let PackedBytes::Memory { bytes, .. } = &held.packed {
                held.packed = PackedBytes::Spilled(self.scratch.write(bytes, &[])?);
                any = true;
            }
        }
        Ok(any)
    }

    /// Bytes ever written to the scratch file.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.scratch.written_bytes()
    }

    /// The bytes of a chunk; `None`: it is not here.
    pub(super) fn bytes(&self, key: &Key) -> Result<Option<HeldBytes>> {
        let Some(held) = self.chunks.get(key) else {
            return Ok(None);
        };
        Ok(Some(match &held.packed {
            PackedBytes::Memory { bytes, .. } => HeldBytes::Here(Arc::clone(bytes)),
            PackedBytes::Spilled(address) => {
                let bytes = self.scratch.read(*address, held.bytes)?;
                HeldBytes::Here(Arc::new(bytes.into()))
            }
            PackedBytes::Written(address) => HeldBytes::Written(*address, held.bytes),
        }))
    }

    /// All chunks, in the order of their variables and places.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = (self.chunks.iter())
            .map(|(key, held)| Record {
                name: key.into(),
                bytes: held.bytes as u64,
                is_omissible: held.is_omissible,
                is_reused: held.is_reused,
                at: match held.packed {
                    PackedBytes::Written(address) => Some(address),
                    PackedBytes::Memory { .. } | PackedBytes::Spilled(_) => None,
                },
            })
            .collect();
        records.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        records
    }

    /// Forgets everything: it is committed.
    pub(super) fn clear(&mut self) {
        for (key, held) in std::mem::take(&mut self.chunks) {
            self.give_back(Some(&held));
            if self.leased.is_on() {
                self.committed.insert(key);
            }
        }
    }
}
