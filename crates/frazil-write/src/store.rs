//! The chunks being gathered: in memory as far as it goes, the rest in the scratch file.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

use frazil_pipeline::Charge;
use frazil_types::sync::{Mutex, MutexGuard};

use super::buffer::Buffer;
use super::key::{Key, VariableMap};
use super::mask::Mask;
use super::partial::PartialChunk;
use super::scratch_file::ScratchFile;
use super::variable::Variable;
use frazil_file::error::Result;

/// Where a chunk in memory is, until it is removed.
pub(super) type Slot = usize;

/// All chunks being gathered by one writer. Other writers of the process, which have clones, may
/// move chunks to the scratch file, but for the one that is in use.
#[derive(Clone)]
pub(super) struct Store(Arc<Mutex<Chunks>>);

struct Chunks {
    slots: Vec<Option<Entry>>,
    free: Vec<Slot>,
    index: VariableMap<Slot>,
    /// Chunks in memory, by when they were last looked up.
    order: BTreeMap<u64, Slot>,
    clock: u64,
    spilled: VariableMap<Spilled>,
    scratch: ScratchFile,
    /// By variable: the chunk looked up last.
    hot: Vec<Option<Slot>>,
    /// The chunk that a call is using.
    in_use: Option<Slot>,
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

/// The chunk in use, which nobody removes meanwhile.
pub(super) struct UsedChunk<'a> {
    chunks: MutexGuard<'a, Chunks>,
    slot: Slot,
}

impl Deref for UsedChunk<'_> {
    type Target = PartialChunk;

    fn deref(&self) -> &PartialChunk {
        match &self.chunks.slots[self.slot] {
            Some(entry) => &entry.chunk,
            None => unreachable!("the store is locked"),
        }
    }
}

impl DerefMut for UsedChunk<'_> {
    fn deref_mut(&mut self) -> &mut PartialChunk {
        match &mut self.chunks.slots[self.slot] {
            Some(entry) => &mut entry.chunk,
            None => unreachable!("the store is locked"),
        }
    }
}

impl Store {
    /// An empty store, which spills beside `output`.
    pub(super) fn new(output: &Path) -> Self {
        Self(Arc::new(Mutex::new(Chunks::new(output))))
    }

    /// Bytes ever written to the scratch file.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.0.lock().scratch.written_bytes()
    }

    /// Has the chunk of a variable looked at that was looked up last: where it is, its first element,
    /// the chunk. One that is complete then is in use from now on.
    #[inline]
    pub(super) fn with_hot<T>(
        &self,
        variable: usize,
        look: impl FnOnce(Slot, &[u64], &mut PartialChunk) -> T,
    ) -> Option<T> {
        let mut chunks = self.0.lock();
        let (slot, offset, chunk) = chunks.hot(variable)?;
        let answer = look(slot, offset, chunk);
        if chunk.is_complete() {
            chunks.in_use = Some(slot);
        }
        Some(answer)
    }

    /// Looks for a chunk in memory. It is in use from now on, until another one is or
    /// [`Self::leave`].
    pub(super) fn find(&self, key: &Key) -> Option<Slot> {
        self.0.lock().find(key)
    }

    /// Adds a chunk that is neither in memory nor spilled; it is in use from now on.
    pub(super) fn insert(&self, key: Key, chunk: PartialChunk) -> Slot {
        self.0.lock().insert(key, chunk)
    }

    /// No chunk is in use any more.
    pub(super) fn leave(&self) {
        self.0.lock().in_use = None;
    }

    /// The chunk in use. Nothing else of the store can be called while somebody has it.
    pub(super) fn get_mut(&self, slot: Slot) -> Option<UsedChunk<'_>> {
        let chunks = self.0.lock();
        chunks.slots[slot]
            .is_some()
            .then_some(UsedChunk { chunks, slot })
    }

    /// Takes out the chunk in use.
    pub(super) fn remove(&self, slot: Slot) -> Option<(Key, PartialChunk)> {
        self.0.lock().remove(slot)
    }

    /// Whether a chunk is in the scratch file.
    pub(super) fn is_spilled(&self, key: &Key) -> bool {
        self.0.lock().spilled.get(key).is_some()
    }

    /// Moves the chunk that was not looked up for the longest time to the scratch file. `false`:
    /// there is none in memory.
    pub(super) fn spill_oldest(&self) -> Result<bool> {
        self.0.lock().spill_oldest(false)
    }

    /// The same for another writer that needs memory: not the chunk in use, and only if no call is
    /// looking at chunks right now.
    pub(super) fn spill_idle(&self) -> Result<bool> {
        let chunks = self.0.try_lock();
        chunks.map_or(Ok(false), |mut chunks| chunks.spill_oldest(true))
    }

    /// Reads a chunk back from the scratch file, which keeps it; `None`: it is not there.
    pub(super) fn read_spilled(
        &self,
        key: &Key,
        variable: &Variable,
        charge: Charge,
    ) -> Result<Option<PartialChunk>> {
        self.0.lock().read_spilled(key, variable, charge)
    }

    /// Forgets a chunk in the scratch file.
    pub(super) fn drop_spilled(&self, key: &Key) {
        self.0.lock().drop_spilled(key);
    }

    /// Notes that a spilled chunk was packed as it stands.
    pub(super) fn set_spilled_clean(&self, key: &Key) {
        self.0.lock().set_spilled_clean(key);
    }

    /// Keys of all chunks of a variable, in memory and spilled, in order.
    pub(super) fn keys(&self, variable: usize) -> Vec<Key> {
        self.0.lock().keys(variable)
    }

    /// Chunks with values that were not packed yet, and how many elements of each were written.
    pub(super) fn gathered(&self) -> Vec<(Key, u64)> {
        self.0.lock().gathered()
    }

    /// Bytes of the chunks with values that were not packed yet.
    pub(super) fn dirty_bytes(&self) -> u64 {
        self.0.lock().dirty_bytes()
    }

    /// Chunks with values that were not packed yet, by variable and place, and whether elements of
    /// theirs have values in the file.
    pub(super) fn dirty(&self) -> Vec<(Key, bool)> {
        self.0.lock().dirty()
    }
}

impl Chunks {
    fn new(output: &Path) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            index: VariableMap::default(),
            order: BTreeMap::new(),
            clock: 0,
            spilled: VariableMap::default(),
            scratch: ScratchFile::beside(output),
            hot: Vec::new(),
            in_use: None,
        }
    }

    fn hot(&mut self, variable: usize) -> Option<(Slot, &[u64], &mut PartialChunk)> {
        let slot = (*self.hot.get(variable)?)?;
        let entry = self.slots[slot].as_mut()?;
        Some((slot, &entry.key.offset, &mut entry.chunk))
    }

    fn find(&mut self, key: &Key) -> Option<Slot> {
        let slot = *self.index.get(key)?;
        self.clock += 1;
        let entry = self.slots[slot].as_mut()?;
        self.order.remove(&entry.used);
        entry.used = self.clock;
        self.order.insert(self.clock, slot);
        self.set_hot(key.variable, slot);
        self.in_use = Some(slot);
        Some(slot)
    }

    fn insert(&mut self, key: Key, chunk: PartialChunk) -> Slot {
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
        self.in_use = Some(slot);
        slot
    }

    fn set_hot(&mut self, variable: usize, slot: Slot) {
        if self.hot.len() <= variable {
            self.hot.resize(variable + 1, None);
        }
        self.hot[variable] = Some(slot);
    }

    fn remove(&mut self, slot: Slot) -> Option<(Key, PartialChunk)> {
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
        if self.in_use == Some(slot) {
            self.in_use = None;
        }
        Some((key, chunk))
    }

    /// Moves the chunk that was not looked up for the longest time to the scratch file, but for the
    /// one that is in use if `spares_used`. `false`: there is none.
    fn spill_oldest(&mut self, spares_used: bool) -> Result<bool> {
        let spared = self.in_use.filter(|_| spares_used);
        let mut by_age = self.order.values();
        let Some(&slot) = by_age.find(|slot| Some(**slot) != spared) else {
            return Ok(false);
        };
        let Some(Entry { chunk, .. }) = &self.slots[slot] else {
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
        // Not before it is written: a chunk that cannot be spilled stays.
        if let Some((key, _)) = self.remove(slot) {
            self.spilled.insert(key, spilled);
        }
        Ok(true)
    }

    fn read_spilled(
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

    fn drop_spilled(&mut self, key: &Key) {
        if let Some(spilled) = self.spilled.remove(key) {
            self.scratch.free(spilled.address, spilled.bytes());
        }
    }

    fn set_spilled_clean(&mut self, key: &Key) {
        if let Some(spilled) = self.spilled.get_mut(key) {
            spilled.is_dirty = false;
        }
    }

    fn keys(&self, variable: usize) -> Vec<Key> {
        let (resident, spilled) = (self.index.offsets(variable), self.spilled.offsets(variable));
        let offsets = resident.chain(spilled).cloned();
        let mut keys: Vec<Key> = offsets.map(|offset| Key { variable, offset }).collect();
        keys.sort_unstable();
        keys
    }

    fn gathered(&self) -> Vec<(Key, u64)> {
        let resident = self.slots.iter().flatten();
        let resident = resident
            .filter(|entry| entry.chunk.is_dirty)
            .map(|entry| (entry.key.clone(), entry.chunk.mask.written_elements()));
        let spilled = (self.spilled.iter())
            .filter(|(_, spilled)| spilled.is_dirty)
            .map(|(key, spilled)| (key, spilled.written));
        resident.chain(spilled).collect()
    }

    fn dirty_bytes(&self) -> u64 {
        let resident = self
            .slots
            .iter()
            .flatten()
            .filter(|entry| entry.chunk.is_dirty);
        let spilled = self.spilled.iter().map(|(_, spilled)| spilled);
        let spilled = spilled.filter(|spilled| spilled.is_dirty);
        resident
            .map(|entry| entry.chunk.as_they_lie().0.len() as u64)
            .sum::<u64>()
            + spilled
                .map(|spilled| spilled.values_bytes as u64)
                .sum::<u64>()
    }

    fn dirty(&self) -> Vec<(Key, bool)> {
        let resident = self.slots.iter().flatten();
        let resident = resident
            .filter(|entry| entry.chunk.is_dirty)
            .map(|entry| (entry.key.clone(), entry.chunk.has_base));
        let spilled = (self.spilled.iter())
            .filter(|(_, spilled)| spilled.is_dirty)
            .map(|(key, spilled)| (key, spilled.has_base));
        let mut all: Vec<_> = resident.chain(spilled).collect();
        all.sort_unstable();
        all
    }
}
