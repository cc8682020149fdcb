//! Attributes: small named values on objects.

use super::dataspace;
use super::datatype::Datatype;
use super::handle::{DEFAULT, Handle, api, c_name, check, damaged, own, read_name, truth};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::Extent;

/// An open attribute.
#[derive(Debug)]
pub(crate) struct Attribute(Handle);

/// Opens an attribute that exists.
pub(crate) fn open(object: &Handle, name: &str) -> Result<Attribute> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live object and a NUL-terminated name.
    let id = unsafe { (api().H5Aopen)(object.id(), c.as_ptr(), DEFAULT) };
    own(id, "open attribute").map(Attribute)
}

/// Opens an attribute by name; `None` if there is none.
pub(crate) fn open_by_name(object: &Handle, name: &str) -> Result<Option<Attribute>> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live object and a NUL-terminated name.
    let exists = unsafe { (api().H5Aexists)(object.id(), c.as_ptr()) };
    if !truth(exists, "look for attribute")? {
        return Ok(None);
    }
    open(object, name).map(Some)
}

/// Creates an attribute with an ASCII name, as netCDF-C does whatever the name; its value is written
/// separately.
pub(crate) fn create(
    object: &Handle,
    name: &str,
    datatype: &Datatype,
    extent: &Extent,
) -> Result<Attribute> {
    create_with(object, name, datatype, extent, None)
}

/// As [`create`], with a name that is said to be UTF-8.
pub(crate) fn create_utf8(
    object: &Handle,
    name: &str,
    datatype: &Datatype,
    extent: &Extent,
) -> Result<Attribute> {
    let creation = PropertyList::attribute_create()?;
    creation.set_utf8()?;
    create_with(object, name, datatype, extent, Some(&creation))
}

fn create_with(
    object: &Handle,
    name: &str,
    datatype: &Datatype,
    extent: &Extent,
    creation: Option<&PropertyList>,
) -> Result<Attribute> {
    let _guard = library_lock();
    let c = c_name(name)?;
    let space = dataspace::create(extent)?;
    // SAFETY: live identifiers and a NUL-terminated name.
    let id = unsafe {
        (api().H5Acreate2)(
            object.id(),
            c.as_ptr(),
            datatype.id(),
            space.id(),
            PropertyList::id_or_default(creation),
            DEFAULT,
        )
    };
    own(id, "create attribute").map(Attribute)
}

/// Removes an attribute that exists.
pub(crate) fn delete(object: &Handle, name: &str) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live object and a NUL-terminated name.
    check(
        unsafe { (api().H5Adelete)(object.id(), c.as_ptr()) },
        "delete attribute",
    )
}

impl Attribute {
    /// The attribute's name.
    pub(crate) fn name(&self) -> Result<String> {
        let _guard = library_lock();
        // SAFETY: read_name passes a buffer of the size it states.
        read_name("read attribute name", |buffer, size| unsafe {
            (api().H5Aget_name)(self.0.id(), size, buffer)
        })
    }

    /// The attribute's type; committed types come as such.
    pub(crate) fn datatype(&self) -> Result<Datatype> {
        let _guard = library_lock();
        // SAFETY: a live attribute.
        let id = unsafe { (api().H5Aget_type)(self.0.id()) };
        own(id, "read attribute type").map(Datatype::from_handle)
    }

    /// The attribute's shape.
    pub(crate) fn extent(&self) -> Result<Extent> {
        let _guard = library_lock();
        // SAFETY: a live attribute.
        let space = own(
            unsafe { (api().H5Aget_space)(self.0.id()) },
            "read attribute shape",
        )?;
        dataspace::read_extent(&space)
    }

    /// Reads the whole value in the layout of `memory` (heap data are the caller's to reclaim).
    ///
    /// `limit_bytes` bounds the allocation: an attribute cannot hold more than its file.
    pub(crate) fn read(
        &self,
        memory: &Datatype,
        extent: &Extent,
        limit_bytes: u64,
    ) -> Result<Vec<u8>> {
        let element_bytes = memory.size_bytes()? as u64;
        let bytes = extent.elements().and_then(|n| n.checked_mul(element_bytes));
        // In memory a variable-length element may take more bytes than in the file: allow for it.
        let Some(bytes) = bytes.filter(|&n| n <= limit_bytes.saturating_mul(4)) else {
            return Err(ContainerError::Corrupt(format!(
                "attribute {} claims more bytes than the file holds",
                self.name()?
            )));
        };
        let mut value = vec![0_u8; usize_of(bytes)?];
        if value.is_empty() {
            return Ok(value);
        }
        let _guard = library_lock();
        // SAFETY: the buffer holds the extent's elements of the memory type.
        let status =
            unsafe { (api().H5Aread)(self.0.id(), memory.id(), value.as_mut_ptr().cast()) };
        check(status, "read attribute").map_err(damaged)?;
        Ok(value)
    }

    /// Writes the whole value from the layout of `memory`.
    pub(crate) fn write(&self, memory: &Datatype, extent: &Extent, value: &[u8]) -> Result<()> {
        let element_bytes = memory.size_bytes()? as u64;
        if extent.elements().and_then(|n| n.checked_mul(element_bytes)) != Some(value.len() as u64)
        {
            return Err(ContainerError::Internal(
                "attribute value of wrong size".to_owned(),
            ));
        }
        if value.is_empty() {
            return Ok(());
        }
        let _guard = library_lock();
        // SAFETY: the buffer holds the extent's elements of the memory type, checked above.
        let status = unsafe { (api().H5Awrite)(self.0.id(), memory.id(), value.as_ptr().cast()) };
        check(status, "write attribute")
    }
}

/// A size as this machine's pointers have it.
pub(super) fn usize_of(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| {
        ContainerError::Unsupported(
            "it claims more bytes than a machine's memory can have".to_owned(),
        )
    })
}
