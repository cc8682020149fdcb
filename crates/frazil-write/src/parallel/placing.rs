//! What ranks that write together ask of their placers: to hold packed chunks, to give those of all
//! ranks their places, and to write where rank 0 says.

use std::sync::Arc;

use frazil_container::hdf5::Placement;

use super::super::buffer::Buffer;
use super::super::errors::{closed, lost};
use super::super::held::{Held, HeldBytes, Record};
use super::super::key::Key;
use super::super::pack::{PackedChunk, StoredChunk, named};
use super::super::placing::{Base, Placing};
use super::super::variable::Variable;
use super::wire::{Rounded, Spot};
use frazil_file::error::{Error, Result};
use frazil_file::storage_error::from_container;

impl Placing {
    /// From now on packed chunks are held until all ranks commit.
    pub(super) fn holding(mut self, held: Held) -> Self {
        self.held = Some(held);
        self
    }

    /// The packed chunks that wait for the commit of all ranks.
    pub(crate) fn held(&mut self) -> Result<&mut Held> {
        self.held.as_mut().ok_or_else(closed)
    }

    /// Keeps a chunk until all ranks commit; in the output already where space was lent.
    pub(crate) fn hold(&mut self, chunk: PackedChunk) -> Result<()> {
        if chunk.place.variable.quantize.is_some() {
            self.merge_rounding(chunk.place.variable.id, &chunk.rounding);
        }
        let key = Key {
            variable: chunk.place.variable.id.0,
            offset: chunk.place.offset.clone(),
        };
        let space = self.held()?.space(&key, &chunk);
        if let Some(address) = space {
            let outcome = self.file.write(&chunk.bytes, address, &self.path);
            outcome.map_err(|error| named(error, &chunk.place))?;
        }
        self.held()?.keep(key, chunk, space);
        Ok(())
    }

    /// The bytes of a held chunk; `None`: it is not here.
    pub(super) fn held_bytes(&mut self, key: &Key) -> Result<Option<Arc<Buffer>>> {
        Ok(match self.held()?.bytes(key)? {
            None => None,
            Some(HeldBytes::Here(bytes)) => Some(bytes),
            Some(HeldBytes::Written(address, bytes)) => {
                self.file.flush(&self.path)?;
                let bytes = self.file.read(address, bytes, &self.path)?;
                Some(Arc::new(bytes.into()))
            }
        })
    }

    /// As [`Self::held_bytes`], in the form of a stored chunk.
    pub(crate) fn held_chunk(&mut self, key: &Key) -> Result<Option<StoredChunk>> {
        let bytes = self.held_bytes(key)?;
        Ok(bytes.map(|bytes| StoredChunk {
            bytes: bytes.to_vec(),
            filter_mask: 0,
        }))
    }

    /// Moves held chunks from memory to the scratch file; `false`: there were none.
    pub(crate) fn spill_held(&mut self) -> Result<bool> {
        self.held.as_mut().map_or(Ok(false), Held::spill)
    }

    /// Bytes of held chunks ever written to the scratch file.
    pub(crate) fn held_spilled_bytes(&self) -> u64 {
        self.held.as_ref().map_or(0, Held::spilled_bytes)
    }

    /// What rounding did to this rank's values since the last commit.
    pub(super) fn take_roundings(&mut self) -> Vec<Rounded> {
        match self.output {
            // Rank 0 has its own already.
            Some(_) => Vec::new(),
            None => {
                let all = std::mem::take(&mut self.roundings).into_iter();
                all.map(|(id, stats)| Rounded::new(id.0, &stats)).collect()
            }
        }
    }

    /// Where the stored form of a chunk is; `None`: nowhere.
    pub(crate) fn stored_base(&self, key: &Key) -> Option<Base> {
        self.places.get(key).map(|stored| Base {
            address: stored.address,
            bytes: stored.bytes as u64,
            filter_mask: stored.filter_mask,
        })
    }

    /// Reads the stored form of a chunk that is committed.
    pub(super) fn read_base(&mut self, base: &Base) -> Result<Vec<u8>> {
        let bytes = usize::try_from(base.bytes).map_err(|_| lost())?;
        self.file.read(base.address, bytes, &self.path)
    }

    /// Writes a chunk of this rank.
    pub(super) fn write_at(&mut self, bytes: &[u8], address: u64) -> Result<()> {
        self.file.write(bytes, address, &self.path)
    }

    /// Makes sure that everything this rank wrote is in the file, and on the disk where that was
    /// asked for.
    pub(super) fn finish_writes(&mut self, is_last: bool) -> Result<()> {
        self.file.flush(&self.path)?;
        match is_last && self.is_durable {
            true => self.file.sync(&self.path),
            false => Ok(()),
        }
    }

    // --- rank 0 ---

    /// Whether a chunk of any rank gets a new place, where libhdf5 has no say.
    pub(super) fn gets_place(&self, variable: &Variable, record: &Record) -> bool {
        let is_in_file = self.places.contains_key(&Key::from(&record.name));
        !variable.is_contiguous && !self.may_omit(record) && (record.at.is_some() || !is_in_file)
    }

    fn may_omit(&self, record: &Record) -> bool {
        record.is_omissible && !self.places.contains_key(&Key::from(&record.name))
    }

    /// Gives a chunk of any rank its place; `chosen`: where it lies already, in space that was lent.
    pub(super) fn place_record(
        &mut self,
        variable: &Variable,
        record: &Record,
        chosen: Option<u64>,
    ) -> Result<(Spot, u64)> {
        let (id, key) = (variable.id, Key::from(&record.name));
        if self.may_omit(record) {
            return Ok((Spot::Omitted, 0));
        }
        let path = self.path.clone();
        let wrap = |error| from_container(error, &path).at_variable(&variable.path);
        if variable.is_contiguous {
            let values = self.held_bytes(&key)?.ok_or_else(lost)?;
            let outcome = self.output()?.write_values(id, None, &values);
            outcome.map_err(wrap)?;
            self.note(key, record.is_reused, 0, values.len());
            return Ok((Spot::Omitted, 0));
        }
        let bytes = usize::try_from(record.bytes).map_err(|_| lost())?;
        self.check_replaced(&key, bytes)
            .map_err(|error| error.at_variable(&variable.path))?;
        let output = self.output.as_ref().ok_or_else(closed)?;
        let offset = &record.name.offset;
        let placed = match chosen {
            Some(address) => output.reserve_chunk_at(id, offset, 0, bytes, address),
            None => output.reserve_chunk(id, offset, 0, bytes),
        };
        let placement = placed.map_err(wrap)?;
        let address = placement.address();
        self.note(key, record.is_reused, address, bytes);
        let spot = match placement {
            Placement::WriteAt(address) if Some(address) == chosen => Spot::Done,
            Placement::WriteAt(address) => Spot::At(address),
            Placement::Held(_) => Spot::Held,
        };
        Ok((spot, address))
    }

    /// Refuses a chunk that would keep the filter mask of the one it replaces: libhdf5 does not change
    /// it where sizes are the same.
    fn check_replaced(&self, key: &Key, bytes: usize) -> Result<()> {
        match self.places.get(key) {
            Some(before) if before.filter_mask != 0 && before.bytes == bytes => {
                let cause = "the chunk in the file skips filters that the new one does not";
                let error = Error::new(frazil_types::ErrorCode::Unsupported, cause);
                Err(error.with_cure("repack the file before it is changed"))
            }
            _ => Ok(()),
        }
    }

    /// Keeps a chunk's bytes, whose place belongs to the last commit, until the next one.
    pub(super) fn supply(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        let output = self.output.as_ref();
        output
            .ok_or_else(|| -> Error { closed() })?
            .supply(address, bytes);
        Ok(())
    }
}
