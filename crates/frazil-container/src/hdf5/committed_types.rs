//! Committed datatypes of an input, and their copies.

use std::collections::HashMap;
use std::rc::Rc;

use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::datatype::Datatype;
use crate::ffi::header::{self, NewHeaders};
use crate::ffi::property::PropertyList;
use crate::ffi::{Handle, link, names};

/// Committed datatypes of the input and their copies in the output.
pub(super) struct CommittedTypes<'a> {
    output: &'a Handle,
    headers: Rc<NewHeaders<'a>>,
    /// Paths of the input's objects by address.
    paths: &'a HashMap<u64, String>,
    copies: HashMap<u64, Datatype>,
}

impl<'a> CommittedTypes<'a> {
    pub(super) fn new(
        input: &'a Hdf5Input,
        output: &'a Handle,
        headers: Rc<NewHeaders<'a>>,
    ) -> Self {
        Self {
            output,
            headers,
            paths: input.paths(),
            copies: HashMap::new(),
        }
    }

    /// The output's copy of a committed type (made on first use, named when its link is met);
    /// `None` if the type is not committed.
    pub(super) fn copy_of(&mut self, datatype: &Datatype) -> Result<Option<&Datatype>> {
        if datatype.is_above_v18()? {
            return Err(ContainerError::Unsupported(
                "its type needs HDF5 1.12 (H5T_STD_REF) or HDF5 2.0 (complex numbers) and has no form \
                 that HDF5 1.8 reads"
                    .to_owned(),
            ));
        }
        if !datatype.is_committed()? {
            return Ok(None);
        }
        let address = link::object_address(datatype.handle())?;
        if !self.copies.contains_key(&address) {
            if !self.paths.contains_key(&address) {
                refuse_particulars(datatype.handle())?;
            }
            let copy = datatype.memory_copy()?;
            let header = header::for_copy_of(datatype.handle())?;
            let creation = PropertyList::datatype_create(header)?;
            self.headers.make_old(header.is_old)?;
            copy.commit(self.output, &creation)?;
            self.copies.insert(address, copy);
        }
        Ok(self.copies.get(&address))
    }
}

/// Refuses a committed type that no link leads to and that is more than a type: whoever copies it by
/// its name would not meet it.
fn refuse_particulars(datatype: &Handle) -> Result<()> {
    let has_attributes = !names::of_attributes(datatype)?.is_empty();
    if has_attributes || link::comment(datatype)?.is_some() {
        return Err(ContainerError::Unsupported(
            "its committed type has no name, but attributes or a comment; give it a name with h5py \
             first, so that they can be kept"
                .to_owned(),
        ));
    }
    Ok(())
}
