//! Packed chunks that wait until all ranks commit.

use std::path::Path;
use std::sync::Arc;

use frazil_pipeline::Charge;

use super::super::key::{Key, KeyMap};
use super::super::pack::{PackedChunk, StoredChunk};
use super::super::scratch_file::ScratchFile;
use super::wire::Record;
use crate::error::Result;

/// A rank's packed chunks since the last commit: in memory as far as it goes, the rest in a scratch
/// file.
pub(in crate::write) struct Held {
    chunks: KeyMap<HeldChunk>,
    scratch: ScratchFile,
}

struct HeldChunk {
    packed: PackedBytes,
    bytes: usize,
    is_omissible: bool,
    is_reused: bool,
}

enum PackedBytes {
    Memory {
        bytes: Arc<Vec<u8>>,
        // Goes back when the bytes leave memory.
        _charge: Charge,
    },
    /// In the scratch file, at this address.
    Spilled(u64),
}

impl Held {
    pub(in crate::write) fn beside(output: &Path) -> Self {
        Self {
            chunks: KeyMap::default(),
            scratch: ScratchFile::beside(output),
        }
    }

    /// Keeps a chunk, in place of an earlier form of it.
    pub(in crate::write) fn keep(&mut self, key: Key, chunk: PackedChunk) {
        let held = HeldChunk {
            bytes: chunk.bytes.len(),
            is_omissible: chunk.is_omissible,
            is_reused: chunk.is_reused,
            packed: PackedBytes::Memory {
                bytes: chunk.bytes,
                _charge: chunk.charge,
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
        if let Some(HeldChunk {
            packed: PackedBytes::Spilled(address),
            bytes,
            ..
        }) = before
        {
            self.scratch.free(*address, *bytes);
        }
    }

    /// Moves everything in memory to the scratch file; `false`: there was nothing.
    pub(in crate::write) fn spill(&mut self) -> Result<bool> {
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
    pub(in crate::write) fn spilled_bytes(&self) -> u64 {
        self.scratch.written_bytes()
    }

    /// The bytes of a chunk; `None`: it is not here.
    pub(super) fn bytes(&self, key: &Key) -> Result<Option<Arc<Vec<u8>>>> {
        let Some(held) = self.chunks.get(key) else {
            return Ok(None);
        };
        match &held.packed {
            PackedBytes::Memory { bytes, .. } => Ok(Some(Arc::clone(bytes))),
            PackedBytes::Spilled(address) => {
                let bytes = self.scratch.read(*address, held.bytes)?;
                Ok(Some(Arc::new(bytes)))
            }
        }
    }

    /// As [`Self::bytes`], in the form of a stored chunk.
    pub(in crate::write) fn stored(&self, key: &Key) -> Result<Option<StoredChunk>> {
        let bytes = self.bytes(key)?;
        Ok(bytes.map(|bytes| StoredChunk {
            bytes: bytes.to_vec(),
            filter_mask: 0,
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
            })
            .collect();
        records.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        records
    }

    /// Forgets everything: it is committed.
    pub(super) fn clear(&mut self) {
        for held in std::mem::take(&mut self.chunks).into_values() {
            self.give_back(Some(&held));
        }
    }
}
