//! Elements as libhdf5 takes them from memory, made of those that lie in a file.
//!
//! What lies in heaps is in buffers of its own, to which elements point; references lead to the same objects of another
//! file.

use std::cell::Cell;

use frazil_hdf5::{RegionReference, Selection, TypeClass, TypeDescription};

use super::expand::{InFile, Indirect as _};
use crate::error::{ContainerError, Result};
use crate::hdf5::scan::Hdf5Input;

/// Where references lead in the file that is written.
pub(in crate::hdf5) trait References {
    /// The address of an object of the input; `None` if it is not there.
    fn object(&self, address: u64) -> Option<u64>;
    /// A reference to a part of the dataset at a path.
    fn region(&self, path: &str, part: &Selection) -> Result<[u8; 12]>;
}

/// Elements in the form of memory.
pub(in crate::hdf5) struct InMemoryForm {
    /// One element after the other.
    pub(in crate::hdf5) elements: Vec<u8>,
    /// What they point to.
    _behind: Vec<Box<[u8]>>,
    /// References that led nowhere, and are null now.
    pub(in crate::hdf5) lost: u64,
}

impl Hdf5Input {
    /// Elements as they lie in the file, of a type as it is there, in the form of memory.
    ///
    /// # Errors
    /// If they lead to nothing that can be read, or are references that HDF5 1.8 cannot read.
    pub(in crate::hdf5) fn in_memory_form(
        &self,
        datatype: &TypeDescription,
        stored: &[u8],
        references: &dyn References,
    ) -> Result<InMemoryForm> {
        let here = datatype.clone().in_order_of_memory();
        let there = datatype.clone().in_memory();
        if !datatype.is_indirect() {
            return Ok(InMemoryForm {
                elements: stored.to_vec(),
                _behind: Vec::new(),
                lost: 0,
            });
        }
        let count = stored.len() / here.size_bytes.max(1);
        self.with_metadata(|file| {
            file.begin_values(count as u64, 1);
            let mut form = Former {
                input: self,
                file,
                values: InFile::new((self, file), count, 1),
                references,
                behind: Vec::new(),
                lost: Cell::new(0),
            };
            let elements = form.all(&here, &there, stored)?;
            Ok(InMemoryForm {
                elements,
                _behind: form.behind,
                lost: form.lost.get(),
            })
        })
    }
}

struct Former<'a> {
    input: &'a Hdf5Input,
    file: &'a frazil_hdf5::File,
    values: InFile<'a>,
    references: &'a dyn References,
    behind: Vec<Box<[u8]>>,
    lost: Cell<u64>,
}

impl Former<'_> {
    fn all(
        &mut self,
        here: &TypeDescription,
        there: &TypeDescription,
        stored: &[u8],
    ) -> Result<Vec<u8>> {
        let count = stored.len() / here.size_bytes.max(1);
        let bytes = count.checked_mul(there.size_bytes).ok_or_else(unfit)?;
        let mut elements = vec![0; bytes];
        let pairs = stored.chunks_exact(here.size_bytes.max(1));
        for (from, to) in pairs.zip(elements.chunks_exact_mut(there.size_bytes.max(1))) {
            self.one(here, there, from, to)?;
        }
        Ok(elements)
    }

    fn one(
        &mut self,
        here: &TypeDescription,
        there: &TypeDescription,
        from: &[u8],
        to: &mut [u8],
    ) -> Result<()> {
        match (&here.class, &there.class) {
            _ if !here.is_indirect() => fill(to, from),
            (TypeClass::Compound { members: here }, TypeClass::Compound { members: there }) => {
                for (here, there) in here.iter().zip(there) {
                    let from = from.get(here.offset..).ok_or_else(unfit)?;
                    let from = from.get(..here.datatype.size_bytes).ok_or_else(unfit)?;
                    let to = to.get_mut(there.offset..).ok_or_else(unfit)?;
                    let to = to.get_mut(..there.datatype.size_bytes).ok_or_else(unfit)?;
                    self.one(&here.datatype, &there.datatype, from, to)?;
                }
                Ok(())
            }
            (TypeClass::Array { base: here, .. }, TypeClass::Array { base: there, .. }) => {
                let elements = self.all(here, there, from)?;
                fill(to, &elements)
            }
            (TypeClass::VariableText { .. }, _) => {
                let mut text = self.values.sequence(from, 1)?;
                let end = text.iter().position(|&byte| byte == 0);
                let is_null = self.file.is_null(from)?;
                text.truncate(end.unwrap_or(text.len()));
                text.push(0);
                let address = if is_null { 0 } else { self.keep(text) };
                fill(to, &address.to_ne_bytes())
            }
            (
                TypeClass::VariableLength { base: here },
                TypeClass::VariableLength { base: there },
            ) => {
                let size = here.size_bytes.max(1);
                let stored = self.values.sequence(from, size)?;
                let elements = self.all(here, there, &stored)?;
                let count = stored.len() / size;
                let address = if count == 0 { 0 } else { self.keep(elements) };
                fill(to, &[count.to_ne_bytes(), address.to_ne_bytes()].concat())
            }
            (TypeClass::ObjectReference, _) => {
                let address = frazil_hdf5::object_reference(from).ok_or_else(unfit)?;
                let now = self.references.object(address);
                self.count_lost(now.is_none() && address != 0);
                fill(to, &now.unwrap_or(0).to_ne_bytes())
            }
            (TypeClass::RegionReference, _) => {
                let region = self.region(from)?;
                fill(to, &region)
            }
            (TypeClass::NewReference, _) => Err(ContainerError::Unsupported(
                "references of HDF5 1.12 (H5T_STD_REF) have no form that HDF5 1.8 reads".to_owned(),
            )),
            _ => Err(unfit()),
        }
    }

    fn region(&self, from: &[u8]) -> Result<[u8; 12]> {
        let found = match self.file.region(from)? {
            RegionReference::Null => return Ok([0; 12]),
            RegionReference::Nowhere => None,
            RegionReference::To(region) => {
                let path = self.input.paths().get(&region.object);
                path.map(|path| (path, region.selection))
            }
        };
        self.count_lost(found.is_none());
        match found {
            Some((path, part)) => self.references.region(path, &part),
            None => Ok([0; 12]),
        }
    }

    fn count_lost(&self, is_lost: bool) {
        self.lost.set(self.lost.get() + u64::from(is_lost));
    }

    /// Keeps bytes where elements can point to them; their address.
    fn keep(&mut self, bytes: Vec<u8>) -> usize {
        let kept = bytes.into_boxed_slice();
        let address = kept.as_ptr().expose_provenance();
        self.behind.push(kept);
        address
    }
}

/// Fills a part of an element, which has as many bytes.
fn fill(to: &mut [u8], from: &[u8]) -> Result<()> {
    match to.len() == from.len() {
        true => {
            to.copy_from_slice(from);
            Ok(())
        }
        false => Err(unfit()),
    }
}

fn unfit() -> ContainerError {
    ContainerError::Internal("a value does not fit its type".to_owned())
}
