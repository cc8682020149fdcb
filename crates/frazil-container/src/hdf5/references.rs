//! References point at addresses, and addresses change: translate them for the new file.

use std::cell::Cell;
use std::collections::HashMap;

use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::datatype::{Datatype, ReferenceKind};
use crate::ffi::known::Class;
use crate::ffi::link;
use crate::ffi::reference::{self, REGION_BYTES};
use crate::ffi::variable_length;

/// Translates references of one file into references of its copy.
pub(super) struct Translator<'a> {
    /// The input's root.
    pub(super) from: &'a Handle,
    /// The output's root.
    pub(super) to: &'a Handle,
    /// Paths of the input's objects by address; the output has the same paths.
    pub(super) paths: &'a HashMap<u64, String>,
    /// Addresses of the output's objects by the input's.
    pub(super) addresses: &'a HashMap<u64, u64>,
    /// Counts references that led nowhere and became null.
    pub(super) lost: Cell<u64>,
    /// Whether the values are fill values, which are set before the objects they lead to exist.
    pub(super) is_fill: bool,
}

impl Translator<'_> {
    /// Translates all references in `values`: elements of `memory` as read into memory, heap data
    /// not yet reclaimed. References to objects that do not exist become null, and are counted.
    pub(super) fn translate(&self, memory: &Datatype, values: &mut [u8]) -> Result<()> {
        let size = memory.size_bytes()?;
        for element in values.chunks_exact_mut(size) {
            self.translate_element(memory, element)?;
        }
        Ok(())
    }

    fn translate_element(&self, memory: &Datatype, element: &mut [u8]) -> Result<()> {
        match memory.class()? {
            Class::Reference => self.translate_reference(memory, element),
            Class::VariableLength => {
                let base = memory.base()?;
                if !base.holds_references()? {
                    return Ok(());
                }
                let mut bytes =
                    variable_length::variable_length_bytes(element, base.size_bytes()?)?;
                self.translate(&base, &mut bytes)?;
                variable_length::overwrite_variable_length(element, &bytes)
            }
            Class::Array => self.translate(&memory.base()?, element),
            Class::Compound => {
                for i in 0..memory.member_count()? {
                    let member = memory.member(i)?;
                    if member.datatype.holds_references()? {
                        let end = member.offset + member.datatype.size_bytes()?;
                        self.translate_element(&member.datatype, &mut element[member.offset..end])?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn translate_reference(&self, memory: &Datatype, element: &mut [u8]) -> Result<()> {
        match memory.reference_kind()? {
            ReferenceKind::Object => {
                let bytes: [u8; 8] = (&*element)
                    .try_into()
                    .map_err(|_| ContainerError::Internal("object reference size".to_owned()))?;
                let old = u64::from_ne_bytes(bytes);
                let new = match self.addresses.get(&old) {
                    Some(new) => *new,
                    None => self.lose(old != 0),
                };
                element.copy_from_slice(&new.to_ne_bytes());
                Ok(())
            }
            ReferenceKind::Region => self.translate_region(element),
            ReferenceKind::New => Err(ContainerError::Unsupported(
                "references of HDF5 1.12 (H5T_STD_REF) have no form that HDF5 1.8 reads".to_owned(),
            )),
        }
    }

    fn translate_region(&self, element: &mut [u8]) -> Result<()> {
        let old: [u8; REGION_BYTES] = (&*element)
            .try_into()
            .map_err(|_| ContainerError::Internal("region reference size".to_owned()))?;
        if old == [0; REGION_BYTES] {
            return Ok(());
        }
        if self.is_fill {
            return Err(ContainerError::Unsupported(
                "a fill value that is a region reference; set another one with h5py first"
                    .to_owned(),
            ));
        }
        let new = match self.region_path(&old)? {
            Some(path) => reference::copy_region(self.from, &old, self.to, path)?,
            None => {
                self.lose(true);
                [0; REGION_BYTES]
            }
        };
        element.copy_from_slice(&new);
        Ok(())
    }

    /// Null, for a reference that leads nowhere.
    fn lose(&self, was_set: bool) -> u64 {
        self.lost.set(self.lost.get() + u64::from(was_set));
        0
    }

    /// Path of the dataset that a region reference leads to; `None`: that dataset is gone.
    fn region_path(&self, old: &[u8; REGION_BYTES]) -> Result<Option<&str>> {
        let Some(object) = reference::region_object(self.from, old)? else {
            return Ok(None);
        };
        let path = self.paths.get(&link::object_address(&object)?);
        Ok(path.map(String::as_str))
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
            self.holders.push(holder.to_owned());
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
                "references that lead nowhere, as their objects were deleted, are null in the copy: \
                 {count}, in {}{more}",
                named.join(", ")
            )
        })
    }
}
