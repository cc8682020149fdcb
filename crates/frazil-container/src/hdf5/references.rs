//! References point at addresses, and addresses change: they lead to the same objects of the new file.

use std::collections::HashMap;

use frazil_hdf5::Selection;

use super::describe::memory_form::References;
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::reference;

/// The objects of a copy, which has the paths of its input.
pub(super) struct CopiedObjects<'a> {
    /// Addresses of the copy's objects by the input's.
    pub(super) addresses: &'a HashMap<u64, u64>,
    /// The copy's root; `None` for fill values, which are set before the objects they lead to exist.
    pub(super) root: Option<&'a Handle>,
}

impl References for CopiedObjects<'_> {
    fn object(&self, address: u64) -> Option<u64> {
        self.addresses.get(&address).copied()
    }

    fn region(&self, path: &str, part: &Selection) -> Result<[u8; reference::REGION_BYTES]> {
        match self.root {
            Some(root) => reference::to_region(root, path, part),
            None => Err(ContainerError::Unsupported(
                "a fill value that is a region reference; set another one with h5py first"
                    .to_owned(),
            )),
        }
    }
}

/// References that became null, by what held them.
#[derive(Debug, Default)]
pub(super) struct LostReferences {
    count: u64,
    holders: Vec<String>,
}

impl LostReferences {
    /// Counts references of one holder.
    pub(super) fn add(&mut self, holder: &str, count: u64) {
        if count > 0 {
            self.count += count;
            if self.holders.last().is_none_or(|last| last != holder) {
                self.holders.push(holder.to_owned());
            }
        }
    }

    /// What the user should know of them; `None` if there are none.
    pub(super) fn notice(&self) -> Option<String> {
        /// More are only counted.
        const NAMED: usize = 3;
        let count = self.count;
        let named = &self.holders[..self.holders.len().min(NAMED)];
        let more = match self.holders.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (count > 0).then(|| {
            format!(
                "references to deleted objects are null in the copy: {count}, in {}{more}",
                named.join(", ")
            )
        })
    }
}
