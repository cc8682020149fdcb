//! What the placer does for other processes: sets space aside, and enters what they wrote there.

use frazil_container::hdf5::Placement;
use frazil_types::FileAddress;

use super::super::errors::closed;
use super::super::key::Key;
use super::super::placing::Placing;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_file::storage_error::from_container;

impl Placing {
    /// Space in the file that is given to nothing else.
    pub(super) fn set_aside(&mut self, bytes: u64) -> Result<FileAddress> {
        let output = self.output.as_ref().ok_or_else(closed)?;
        let outcome = output.set_aside(bytes);
        outcome.map_err(|error| from_container(error, &self.path))
    }

    /// Enters a chunk into its variable's index whose bytes another process wrote to `address`.
    pub(super) fn enter(
        &mut self,
        key: Key,
        is_reused: bool,
        address: FileAddress,
        bytes: usize,
    ) -> Result<()> {
        let output = self.output.as_ref().ok_or_else(closed)?;
        let id = VariableId(key.variable);
        let placed = output.reserve_chunk_at(id, &key.offset, 0, bytes, address);
        let placement = placed.map_err(|error| from_container(error, &self.path))?;
        if placement.address() != address {
            self.bring(address, bytes, placement)?;
        }
        self.note(key, is_reused, placement.address(), bytes);
        self.limit_pending()
    }

    /// Brings bytes to where libhdf5 wants them: it had other space of that size.
    fn bring(&mut self, from: FileAddress, bytes: usize, to: Placement) -> Result<()> {
        self.file.flush(&self.path)?;
        let found = self.file.read(from, bytes, &self.path)?;
        match to {
            Placement::WriteAt(address) => self.file.write(&found, address, &self.path),
            Placement::Held(address) => {
                let output = self.output.as_ref().ok_or_else(closed)?;
                output.supply(address, &found);
                Ok(())
            }
        }
    }
}
