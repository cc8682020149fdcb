//! Datatypes of an input, as an output has them: committed ones are committed once.

use std::collections::HashMap;
use std::rc::Rc;

use frazil_hdf5::TypeDescription;

use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::datatype::Datatype;
use crate::ffi::header::{self, NewHeaders};
use crate::ffi::property::PropertyList;

/// Committed datatypes of the input and their copies in the output.
pub(super) struct CommittedTypes<'a> {
    input: &'a Hdf5Input,
    output: &'a Handle,
    headers: Rc<NewHeaders<'a>>,
    copies: HashMap<u64, Datatype>,
}

impl<'a> CommittedTypes<'a> {
    pub(super) fn new(
        input: &'a Hdf5Input,
        output: &'a Handle,
        headers: Rc<NewHeaders<'a>>,
    ) -> Self {
        Self {
            input,
            output,
            headers,
            copies: HashMap::new(),
        }
    }

    /// The output's copy of the type committed at an address of the input (made on first use, named when its link is
    /// met); `None` if the type is not committed.
    pub(super) fn copy_of(
        &mut self,
        datatype: &TypeDescription,
        committed: Option<u64>,
    ) -> Result<Option<&Datatype>> {
        let Some(address) = committed else {
            return Ok(None);
        };
        if !self.copies.contains_key(&address) {
            let (object, attributes) = self.input.object_at(address)?;
            let is_more_than_a_type = !attributes.is_empty() || object.comment().is_some();
            if is_more_than_a_type && !self.input.paths().contains_key(&address) {
                return Err(nameless());
            }
            let copy = in_memory(datatype)?;
            let header = header::for_copy_of(&object, attributes.len());
            let creation = PropertyList::datatype_create(header)?;
            self.headers.make_old(header.is_old)?;
            copy.commit(self.output, &creation)?;
            self.copies.insert(address, copy);
        }
        Ok(self.copies.get(&address))
    }
}

/// A type in the form that programs have it in memory.
pub(super) fn in_memory(datatype: &TypeDescription) -> Result<Datatype> {
    Datatype::in_memory(datatype)?.ok_or_else(|| {
        ContainerError::Unsupported(
            "its type needs HDF5 1.12 (H5T_STD_REF) or HDF5 2.0 (complex numbers) and has no form \
             that HDF5 1.8 reads"
                .to_owned(),
        )
    })
}

/// Whoever copies a committed type by its name would not meet one that no link leads to.
fn nameless() -> ContainerError {
    ContainerError::Unsupported(
        "its committed type has no name, but attributes or a comment; give it a name with h5py \
         first, so that they can be kept"
            .to_owned(),
    )
}
