//! Values that point elsewhere: into global heaps, and to objects.

use crate::error::{Result, damaged};
use crate::file::File;
use crate::heap::GlobalId;
use crate::selection::Selection;

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

    /// Whether a value of variable length leads to no object of a heap. A text that does is not there; one of no bytes is
    /// an empty text.
    ///
    /// # Errors
    /// If the value is too short.
    pub fn is_null(&self, value: &[u8]) -> Result<bool> {
        let mut at = self.input().cursor(value);
        at.count(4)?;
        Ok(at.address()?.is_none_or(|address| address == 0))
    }

    /// What a reference to a region leads to. Elements that nobody wrote hold whatever was there before: they lead to no
    /// heap, or to no object of one.
    ///
    /// # Errors
    /// If it leads to what is no selection, or to a damaged heap.
    pub fn region(&self, value: &[u8]) -> Result<RegionReference> {
        let mut at = self.input().cursor(value);
        let (address, index) = (at.address()?, at.u32()?);
        let Some(address) = address.filter(|&address| address != 0) else {
            return Ok(RegionReference::Null);
        };
        let Some(bytes) = self.global_object_if_any(GlobalId { address, index })? else {
            return Ok(RegionReference::Nowhere);
        };
        let mut at = self.input().cursor(&bytes);
        let object = at.address()?;
        let object = object.ok_or_else(|| damaged("a reference to a region of no object"))?;
        let selection = Selection::decode(&mut at)?;
        Ok(RegionReference::To(Region { object, selection }))
    }

    /// Lets so many values be followed that lead elsewhere, whatever was read before. The work that they may make is
    /// bounded by their number, and the bytes of the file as often as one of them is named.
    pub fn begin_values(&self, count: u64, repeats: u64) {
        self.input().renew(count, repeats);
    }
}

/// A reference to a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionReference {
    /// It is empty.
    Null,
    /// There is nothing where it leads.
    Nowhere,
    /// Leads to a region.
    To(Region),
}

/// What a reference to a region leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Address of its object.
    pub object: u64,
    /// The part of it.
    pub selection: Selection,
}

/// The address that a reference to an object holds; `None` if it is no number.
#[must_use]
pub fn object_reference(value: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..value.len())?.copy_from_slice(value);
    (!value.is_empty()).then_some(u64::from_le_bytes(number))
}
