//! Values that point elsewhere: into global heaps, and to objects.

use crate::error::{Result, damaged};
use crate::file::File;
use crate::heap::GlobalId;

impl File {
    /// The elements behind one value of variable length, as they lie in the file; none if it is empty.
    ///
    /// # Errors
    /// If the value leads to no object of a heap, or to one that is too short.
    pub fn sequence(&self, value: &[u8], element_bytes: usize) -> Result<Vec<u8>> {
        let mut at = self.input().cursor(value);
        let count = at.count(4)?;
        let (address, index) = (at.address()?, at.u32()?);
        let Some(address) = address.filter(|&address| address != 0 && count != 0) else {
            return Ok(Vec::new());
        };
        let mut bytes = self.global_object(GlobalId { address, index })?;
        let wanted = count
            .checked_mul(element_bytes)
            .filter(|&wanted| wanted <= bytes.len());
        let wanted =
            wanted.ok_or_else(|| damaged("a value of variable length is longer than stored"))?;
        bytes.truncate(wanted);
        Ok(bytes)
    }

    /// What a reference to a region leads to: the address of its object and the selection, as they lie in the file;
    /// nothing if it is empty.
    ///
    /// # Errors
    /// If it leads to no object of a heap.
    pub fn region(&self, value: &[u8]) -> Result<Vec<u8>> {
        let mut at = self.input().cursor(value);
        let (address, index) = (at.address()?, at.u32()?);
        match address.filter(|&address| address != 0) {
            Some(address) => self.global_object(GlobalId { address, index }),
            None => Ok(Vec::new()),
        }
    }
}

/// The address that a reference to an object holds; `None` if it is no number.
#[must_use]
pub fn object_reference(value: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..value.len())?.copy_from_slice(value);
    (!value.is_empty()).then_some(u64::from_le_bytes(number))
}
