//! The chunks being gathered: in memory as far as it goes, the rest in the scratch file.

use std::collections::BTreeMap;
use std::path::Path;

use frazil_pipeline::Charge;

use super::buffer::Buffer;
use super::key::{Key, KeyMap};
use super::mask::Mask;
use super::partial::PartialChunk;
use super::scratch_file::ScratchFile;
use super::variable::Variable;
use crate::error::Result;

/// Where a chunk in memory is, until it is removed.
pub(super) type Slot = usize;

/// All chunks being gathered.
pub(super) struct Store {
    slots: Vec<Option<Entry>>,
    free: Vec<Slot>,
    index: KeyMap<Slot>,
    /// Chunks in memory, by when they were last looked up.
    order: BTreeMap<u64, Slot>,
    clock: u64,
    spilled: KeyMap<Spilled>,
    scratch: ScratchFile,
    /// By variable: the chunk looked up last.
    hot: Vec<Option<Slot>>,
}

struct Entry {
    key: Key,
    chunk: PartialChunk,
    used: u64,
}

/// A chunk in the scratch file: its values as they lay in memory, then its mask.
#[derive(Debug, Clone, Copy)]
struct Spilled {
    address: u64,
    values_bytes: usize,
    mask_bytes: usize,
    has_base: bool,
    is_dirty: bool,
    is_filled: bool,
    is_close: bool,
    written: u64,
}

impl Spilled {
    fn bytes(&self) -> usize {
        self.values_bytes + self.mask_bytes
    }
}

impl Store {
    /// An empty store, which spills beside `output`.
    pub(super) fn new(output: &Path) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            index: KeyMap::default(),
            order: BTreeMap::new(),
            clock: 0,
            spilled: KeyMap::default(),
            scratch: ScratchFile::beside(output),
            hot: Vec::new(),
        }
    }

    /// Bytes ever written to the scratch file.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.scratch.written_bytes()
    }

    /// The chunk of a variable that was looked up last, with its first element.
    pub(super) fn hot(&mut self, variable: usize) -> Option<(Slot, &[u64], &mut PartialChunk)> {
        let slot = (*self.hot.get(variable)?)?;
        let entry = self.slots[slot].as_mut()?;
        Some((slot, &entry.key.offset, &mut entry.chunk))
    }

    /// Looks for a chunk in memory.
    pub(super) fn find(&mut self, key: &Key) -> Option<Slot> {
        let slot = *self.index.get(key)?;
        self.clock += 1;
        let entry = self.slots[slot].as_mut()?;
        self.order.remove(&entry.used);
        entry.used = self.clock;
        self.order.insert(self.clock, slot);
        self.set_hot(key.variable, slot);
        Some(slot)
    }

    /// Adds a chunk that is neither in memory nor spilled.
    pub(super) fn insert(&mut self, key: Key, chunk: PartialChunk) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.clock += 1;
        self.set_hot(key.variable, slot);
        self.index.insert(key.clone(), slot);
        self.order.insert(self.clock, slot);
        let used = self.clock;
        self.slots[slot] = Some(Entry { key, chunk, used });
        slot
    }

    fn set_hot(&mut self, variable: usize, slot: Slot) {
        if self.hot.len() <= variable {
            self.hot.resize(variable + 1, None);
        }
        self.hot[variable] = Some(slot);
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut PartialChunk> {
        self.slots[slot].as_mut().map(|entry| &mut entry.chunk)
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Option<(Key, PartialChunk)> {
        let Entry { key, chunk, used } = self.slots[slot].take()?;
        self.order.remove(&used);
        self.index.remove(&key);
        if let Some(hot) = self
            .hot
            .get_mut(key.variable)
            .filter(|hot| **hot == Some(slot))
        {
            *hot = None;
        }
        self.free.push(slot);
        Some((key, chunk))
    }

    /// Whether a chunk is in the scratch file.
    pub(super) fn is_spilled(&self, key: &Key) -> bool {
        self.spilled.contains_key(key)
    }

    /// Moves the chunk that was not looked up for the longest time to the scratch file. `false`:
    /// there is none in memory.
    pub(super) fn spill_oldest(&mut self) -> Result<bool> {
        let Some((_, &slot)) = self.order.first_key_value() else {
            return Ok(false);
        };
        let Some((key, chunk)) = self.remove(slot) else {
            return Ok(false);
        };
        let mask = chunk.mask.to_bytes();
        let (values, is_close) = chunk.as_they_lie();
        let spilled = Spilled {
            address: self.scratch.write(values, &mask)?,
            values_bytes: values.len(),
            mask_bytes: mask.len(),
            has_base: chunk.has_base,
            is_dirty: chunk.is_dirty,
            is_filled: chunk.is_filled,
            is_close,
            written: chunk.mask.written_elements(),
        };
        self.spilled.insert(key, spilled);
        Ok(true)
    }

    /// Reads a chunk back from the scratch file, which keeps it; `None`: it is not there.
    pub(super) fn read_spilled(
        &self,
        key: &Key,
        variable: &Variable,
        charge: Charge,
    ) -> Result<Option<PartialChunk>> {
        let Some(spilled) = self.spilled.get(key) else {
            return Ok(None);
        };
        let mut values = self.scratch.read(spilled.address, spilled.bytes())?;
        let mask = Mask::from_bytes(&values[spilled.values_bytes..]);
        values.truncate(spilled.values_bytes);
        let writable = variable.writable_elements(&key.offset);
        let (values, has_base) = (Buffer::from(values), spilled.has_base);
        let mut chunk = match spilled.is_close {
            true => {
                let bytes = variable.chunk_bytes;
                PartialChunk::close(values, bytes, mask, writable, has_base, charge)
            }
            false => PartialChunk::new(values, mask, writable, has_base, charge),
        };
        chunk.is_dirty = spilled.is_dirty;
        chunk.is_filled = spilled.is_filled;
        Ok(Some(chunk))
    }

    /// Forgets a chunk in the scratch file.
    pub(super) fn drop_spilled(&mut self, key: &Key) {
        if let Some(spilled) = self.spilled.remove(key) {
            self.scratch.free(spilled.address, spilled.bytes());
        }
    }

    /// Notes that a spilled chunk was packed as it stands.
    pub(super) fn set_spilled_clean(&mut self, key: &Key) {
        if let Some(spilled) = self.spilled.get_mut(key) {
            spilled.is_dirty = false;
        }
    }

    /// Keys of all chunks of a variable, in memory and spilled, in order.
    pub(super) fn keys(&self, variable: usize) -> Vec<Key> {
        let resident = self.index.keys().chain(self.spilled.keys());
        let mut keys: Vec<Key> = resident
            .filter(|k| k.variable == variable)
            .cloned()
            .collect();
        keys.sort_unstable();
        keys
    }

    /// Chunks with values that were not packed yet, and how many elements of each were written.
    pub(super) fn gathered(&self) -> Vec<(Key, u64)> {
        let resident = self.slots.iter().flatten();
        let resident = resident
            .filter(|entry| entry.chunk.is_dirty)
            .map(|entry| (entry.key.clone(), entry.chunk.mask.written_elements()));
        let spilled = (self.spilled.iter())
            .filter(|(_, spilled)| spilled.is_dirty)
            .map(|(key, spilled)| (key.clone(), spilled.written));
        resident.chain(spilled).collect()
    }

    /// Bytes of the chunks with values that were not packed yet.
    pub(super) fn dirty_bytes(&self) -> u64 {
        let resident = self
            .slots
            .iter()
            .flatten()
            .filter(|entry| entry.chunk.is_dirty);
        let spilled = self.spilled.values().filter(|spilled| spilled.is_dirty);
        resident
            .map(|entry| entry.chunk.as_they_lie().0.len() as u64)
            .sum::<u64>()
            + spilled
                .map(|spilled| spilled.values_bytes as u64)
                .sum::<u64>()
    }

    /// Chunks with values that were not packed yet, by variable and place, and whether elements of
    /// theirs have values in the file.
    pub(super) fn dirty(&self) -> Vec<(Key, bool)> {
        let resident = self.slots.iter().flatten();
        let resident = resident
            .filter(|entry| entry.chunk.is_dirty)
            .map(|entry| (entry.key.clone(), entry.chunk.has_base));
        let spilled = (self.spilled.iter())
            .filter(|(_, spilled)| spilled.is_dirty)
            .map(|(key, spilled)| (key.clone(), spilled.has_base));
        let mut all: Vec<_> = resident.chain(spilled).collect();
        all.sort_unstable();
        all
    }
}
