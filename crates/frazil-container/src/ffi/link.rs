//! Groups and links.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;

use frazil_hdf5::{Source, soft_link, text};
use hdf5_sys::h5o::{H5O_INFO_BASIC, H5O_INFO_NUM_ATTRS, H5O_INFO_TIME};

use super::api::ObjectInfo;
use super::file;
use super::handle::{DEFAULT, Handle, api, c_name, check, own};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

/// Opens the object a link leads to.
pub(crate) fn open_object(group: &Handle, name: &str) -> Result<Handle> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live group and a NUL-terminated name.
    own(
        unsafe { (api().H5Oopen)(group.id(), c.as_ptr(), DEFAULT) },
        "open object",
    )
}

/// Address of an object's header: the object's identity inside its file, and what object
/// references store.
pub(crate) fn object_address(object: &Handle) -> Result<u64> {
    let _guard = library_lock();
    Ok(address_of(&object_info(object)?))
}

fn object_info(object: &Handle) -> Result<ObjectInfo> {
    let mut info = ObjectInfo::default();
    let fields = H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS;
    // SAFETY: a live object and a valid out-pointer.
    let status = unsafe { (api().H5Oget_info3)(object.id(), &raw mut info, fields) };
    check(status, "read object")?;
    Ok(info)
}

fn address_of(info: &ObjectInfo) -> u64 {
    let mut address = [0_u8; 8];
    // A native file's token begins with the object's address, little-endian.
    address.copy_from_slice(&info.token[..8]);
    u64::from_le_bytes(address)
}

/// Gives an object a comment.
pub(crate) fn set_comment(object: &Handle, comment: &str) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(comment)?;
    // SAFETY: a live object and a NUL-terminated text.
    check(
        unsafe { (api().H5Oset_comment)(object.id(), c.as_ptr()) },
        "write comment",
    )
}

/// Opens the group `name` under a location ("/" for the root).
pub(crate) fn open_group(location: &Handle, name: &str) -> Result<Handle> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live location and a NUL-terminated name.
    own(
        unsafe { (api().H5Gopen2)(location.id(), c.as_ptr(), DEFAULT) },
        "open group",
    )
}

/// A group's creation list.
pub(crate) fn group_creation(group: &Handle) -> Result<PropertyList> {
    let _guard = library_lock();
    // SAFETY: a live group.
    own(
        unsafe { (api().H5Gget_create_plist)(group.id()) },
        "read group properties",
    )
    .map(PropertyList)
}

/// A link-creation list for UTF-8 names, as netCDF-C uses.
pub(crate) fn link_creation() -> Result<PropertyList> {
    let list = ascii_link_creation()?;
    list.set_utf8()?;
    Ok(list)
}

/// A link-creation list for ASCII names.
pub(crate) fn ascii_link_creation() -> Result<PropertyList> {
    let _guard = library_lock();
    // SAFETY: a class identifier of the initialised library.
    let id = unsafe { (api().H5Pcreate)(*hdf5_sys::h5p::H5P_CLS_LINK_CREATE) };
    own(id, "create property list").map(PropertyList)
}

/// Creates a group.
pub(crate) fn create_group(
    location: &Handle,
    name: &str,
    link_creation: &PropertyList,
    creation: &PropertyList,
) -> Result<Handle> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: live identifiers and a NUL-terminated name.
    let id = unsafe {
        (api().H5Gcreate2)(
            location.id(),
            c.as_ptr(),
            link_creation.0.id(),
            creation.0.id(),
            DEFAULT,
        )
    };
    own(id, "create group")
}

/// Gives an existing object (also) this name.
pub(crate) fn link_object(
    object: &Handle,
    location: &Handle,
    name: &str,
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: live identifiers of one file and a NUL-terminated name.
    let status = unsafe {
        (api().H5Olink)(
            object.id(),
            location.id(),
            c.as_ptr(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "link object")
}

/// Gives the object behind a link of this group another name in it; it comes last in the group's
/// creation order then.
pub(crate) fn rename(
    group: &Handle,
    old: &str,
    new: &str,
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    let (old, new) = (c_name(old)?, c_name(new)?);
    // SAFETY: a live group, NUL-terminated names and a live list.
    let status = unsafe {
        (api().H5Lmove)(
            group.id(),
            old.as_ptr(),
            group.id(),
            new.as_ptr(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "rename link")
}

/// Removes a link, and its object if that has no other and is not open.
pub(crate) fn delete(group: &Handle, name: &str) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live group and a NUL-terminated name.
    check(
        unsafe { (api().H5Ldelete)(group.id(), c.as_ptr(), DEFAULT) },
        "delete link",
    )
}

/// Makes a soft link to a path, which libhdf5 stores as it is given.
pub(crate) fn create_soft(
    group: &Handle,
    name: &str,
    target: &str,
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    if target.contains("//") || (target.len() > 1 && target.ends_with('/')) {
        return copy_soft(group, name, target, link_creation);
    }
    let (name, target) = (c_name(name)?, c_name(target)?);
    // SAFETY: a live group, NUL-terminated texts and a live list.
    let status = unsafe {
        (api().H5Lcreate_soft)(
            target.as_ptr(),
            group.id(),
            name.as_ptr(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "create soft link")
}

/// As [`create_soft`], for a path that libhdf5 would tidy: it stores those of links that it copies as they are.
fn copy_soft(group: &Handle, name: &str, target: &str, link_creation: &PropertyList) -> Result<()> {
    let bytes = soft_link::file_of_soft_link(&text::bytes_of_text(target));
    let bytes = bytes.ok_or_else(|| {
        ContainerError::Unsupported("a soft link with a path of more than 64 KiB".to_owned())
    })?;
    let source: Arc<dyn Source> = Arc::new(bytes);
    let from = file::open_far(Path::new("a soft link"), &source)?;
    let (old, new) = (c_name(soft_link::NAME)?, c_name(name)?);
    // SAFETY: a live file and a live group, NUL-terminated names and a live list.
    let status = unsafe {
        (api().H5Lcopy)(
            from.id(),
            old.as_ptr(),
            group.id(),
            new.as_ptr(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "create soft link")
}

/// Makes a link to a path in another file; libhdf5 does not look at either text.
pub(crate) fn create_external(
    group: &Handle,
    name: &str,
    (file, path): (&str, &str),
    link_creation: &PropertyList,
) -> Result<()> {
    /// `H5L_TYPE_EXTERNAL`.
    const EXTERNAL: c_int = 64;
    let (file, path) = (c_name(file)?, c_name(path)?);
    // Version and flags are 0.
    let value = [&[0], file.as_bytes_with_nul(), path.as_bytes_with_nul()].concat();
    create_with_value(group, name, (EXTERNAL, &value), link_creation)
}

/// Makes a link of a class that libhdf5 knows, with a value.
pub(crate) fn create_with_value(
    group: &Handle,
    name: &str,
    (class, value): (c_int, &[u8]),
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    let name = c_name(name)?;
    // SAFETY: a live group, a NUL-terminated name, a value with its length, and a live list.
    let status = unsafe {
        (api().H5Lcreate_ud)(
            group.id(),
            name.as_ptr(),
            class,
            value.as_ptr().cast(),
            value.len(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "create link")
}
