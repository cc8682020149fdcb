//! References point at addresses, and addresses change: translate them for the new file.

use std::collections::HashMap;

use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::datatype::{Class, Datatype, ReferenceKind};
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
}

impl Translator<'_> {
    /// Translates all references in `values`: elements of `memory` as read into memory, heap data
    /// not yet reclaimed. References to objects that do not exist become null.
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
                let new = self.addresses.get(&old).copied().unwrap_or(0);
                element.copy_from_slice(&new.to_ne_bytes());
                Ok(())
            }
            ReferenceKind::Region => self.translate_region(element),
            ReferenceKind::New => Err(ContainerError::Unsupported(
                "references of HDF5 1.12 (H5T_STD_REF) cannot be kept in the V18 format".to_owned(),
            )),
        }
    }

    fn translate_region(&self, element: &mut [u8]) -> Result<()> {
        let old: [u8; REGION_BYTES] = (&*element)
            .try_into()
            .map_err(|_| ContainerError::Internal("region reference size".to_owned()))?;
        let new = match self.region_path(&old)? {
            Some(path) => reference::copy_region(self.from, &old, self.to, &path)?,
            None => [0; REGION_BYTES],
        };
        element.copy_from_slice(&new);
        Ok(())
    }

    fn region_path(&self, old: &[u8; REGION_BYTES]) -> Result<Option<String>> {
        if old.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let object = reference::region_object(self.from, old)?;
        Ok(self.paths.get(&link::object_address(&object)?).cloned())
    }
}
