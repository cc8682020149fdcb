//! Groups and links.

use std::ffi::{CStr, c_int};

use hdf5_sys::h5o::H5O_INFO_BASIC;

use super::api::{LinkInfo, ObjectInfo};
use super::datatype::Datatype;
use super::handle::{DEFAULT, Handle, api, c_name, check, own};
use super::known::{OBJECTS, known};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

const HARD: c_int = 0;
const SOFT: c_int = 1;
const EXTERNAL: c_int = 64;
/// Longest value of a soft or external link that is believed.
const MAX_LINK_BYTES: u64 = 1 << 20;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    /// An object of this file.
    Hard,
    /// A path, resolved when followed.
    Soft(String),
    /// A path in another file.
    External { file: String, path: String },
    /// A class of links that only the program that wrote it knows.
    UserDefined(c_int),
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Group,
    Dataset,
    NamedDatatype,
}

/// Where a link leads.
pub(crate) fn target(group: &Handle, name: &str) -> Result<LinkTarget> {
    let _guard = library_lock();
    let c = c_name(name)?;
    let mut info = LinkInfo::default();
    // SAFETY: a live group, a NUL-terminated name, a valid out-pointer.
    let status = unsafe { (api().H5Lget_info2)(group.id(), c.as_ptr(), &raw mut info, DEFAULT) };
    check(status, "read link")?;
    match info.link_type {
        HARD => return Ok(LinkTarget::Hard),
        SOFT | EXTERNAL => {}
        other => return Ok(LinkTarget::UserDefined(other)),
    }
    let bytes = info.token_or_size[0];
    if bytes > MAX_LINK_BYTES {
        return Err(ContainerError::Corrupt(format!(
            "link {name} claims {bytes} bytes"
        )));
    }
    // libhdf5 looks at the last byte of an external link's value, whether there is one or not.
    if info.link_type == EXTERNAL && bytes < 2 {
        return Err(ContainerError::Corrupt(format!(
            "external link {name} has no value"
        )));
    }
    let mut value = vec![0_u8; bytes as usize + 1];
    // SAFETY: the buffer holds the stated number of bytes.
    let status = unsafe {
        (api().H5Lget_val)(
            group.id(),
            c.as_ptr(),
            value.as_mut_ptr().cast(),
            bytes as usize,
            DEFAULT,
        )
    };
    check(status, "read link value")?;
    if info.link_type == SOFT {
        return Ok(LinkTarget::Soft(c_text(&value)));
    }
    unpack_external(&value[..bytes as usize])
}

fn unpack_external(value: &[u8]) -> Result<LinkTarget> {
    let (mut flags, mut file, mut path) = (0, std::ptr::null(), std::ptr::null());
    // SAFETY: the value's bytes with their length; the results point into the value.
    let status = unsafe {
        (api().H5Lunpack_elink_val)(
            value.as_ptr().cast(),
            value.len(),
            &raw mut flags,
            &raw mut file,
            &raw mut path,
        )
    };
    check(status, "read external link")?;
    // SAFETY: libhdf5 checked that both strings end inside the value.
    let (file, path) = unsafe { (CStr::from_ptr(file), CStr::from_ptr(path)) };
    Ok(LinkTarget::External {
        file: file.to_string_lossy().into_owned(),
        path: path.to_string_lossy().into_owned(),
    })
}

fn c_text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

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

/// What an open object is.
pub(crate) fn kind(object: &Handle) -> Result<ObjectKind> {
    let _guard = library_lock();
    // SAFETY: a live identifier.
    let kind = unsafe { (api().H5Iget_type)(object.id()) };
    known(kind, "kind of object", &OBJECTS)
}

/// Address of an object's header: the object's identity inside its file, and what object
/// references store.
pub(crate) fn object_address(object: &Handle) -> Result<u64> {
    let _guard = library_lock();
    let mut info = ObjectInfo::default();
    // SAFETY: a live object and a valid out-pointer.
    let status = unsafe { (api().H5Oget_info3)(object.id(), &raw mut info, H5O_INFO_BASIC) };
    check(status, "read object")?;
    let mut address = [0_u8; 8];
    // A native file's token begins with the object's address, little-endian.
    address.copy_from_slice(&info.token[..8]);
    Ok(u64::from_le_bytes(address))
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
    let _guard = library_lock();
    // SAFETY: a class identifier of the initialised library.
    let id = unsafe { (api().H5Pcreate)(*hdf5_sys::h5p::H5P_CLS_LINK_CREATE) };
    let list = own(id, "create property list").map(PropertyList)?;
    list.set_utf8()?;
    Ok(list)
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

/// Creates a soft or external link.
pub(crate) fn create_link(
    location: &Handle,
    name: &str,
    target: &LinkTarget,
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    let status = match target {
        LinkTarget::Soft(path) => {
            let path = c_name(path)?;
            // SAFETY: a live location and NUL-terminated names.
            unsafe {
                (api().H5Lcreate_soft)(
                    path.as_ptr(),
                    location.id(),
                    c.as_ptr(),
                    link_creation.0.id(),
                    DEFAULT,
                )
            }
        }
        LinkTarget::External { file, path } => {
            let (file, path) = (c_name(file)?, c_name(path)?);
            // SAFETY: a live location and NUL-terminated names.
            unsafe {
                (api().H5Lcreate_external)(
                    file.as_ptr(),
                    path.as_ptr(),
                    location.id(),
                    c.as_ptr(),
                    link_creation.0.id(),
                    DEFAULT,
                )
            }
        }
        LinkTarget::Hard | LinkTarget::UserDefined(_) => {
            return Err(ContainerError::Internal("not a symbolic link".to_owned()));
        }
    };
    check(status, "create link")
}

/// Creation list of a committed datatype is empty but for attribute order; the type itself.
pub(crate) fn as_datatype(object: Handle) -> Datatype {
    Datatype::from_handle(object)
}
