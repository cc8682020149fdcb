//! Groups and links.

use hdf5_sys::h5o::{H5O_INFO_BASIC, H5O_INFO_NUM_ATTRS, H5O_INFO_TIME, H5O_NATIVE_INFO_HDR};

use super::api::{NativeInfo, ObjectInfo};
use super::datatype::Datatype;
use super::handle::{DEFAULT, Handle, api, c_name, check, own, read_name};
use super::known::{OBJECTS, ObjectKind, known};
use super::property::PropertyList;
use crate::error::Result;
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
    Ok(address_of(&object_info(object)?))
}

/// How many attributes an object has.
pub(super) fn attribute_count(object: &Handle) -> Result<u64> {
    let _guard = library_lock();
    Ok(object_info(object)?.attributes)
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

/// Facts about an object's header.
pub(super) fn header_info(object: &Handle) -> Result<NativeInfo> {
    let _guard = library_lock();
    let mut native = NativeInfo::default();
    let fields = H5O_NATIVE_INFO_HDR;
    // SAFETY: a live object and a valid out-pointer.
    let status = unsafe { (api().H5Oget_native_info)(object.id(), &raw mut native, fields) };
    check(status, "read object header")?;
    Ok(native)
}

/// An object's comment; `None` if it has none.
pub(crate) fn comment(object: &Handle) -> Result<Option<String>> {
    let _guard = library_lock();
    // SAFETY: read_name passes a buffer of the size it states.
    let text = read_name("read comment", |buffer, size| unsafe {
        (api().H5Oget_comment)(object.id(), buffer, size)
    })?;
    Ok(Some(text).filter(|text| !text.is_empty()))
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

/// Copies a link that is not a hard one, as it is stored: its text is not looked at.
///
/// libhdf5 would tidy the text of a link that it makes itself (double slashes, one at the end).
pub(crate) fn copy(
    from: &Handle,
    to: &Handle,
    name: &str,
    link_creation: &PropertyList,
) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: live groups, a NUL-terminated name and a live list.
    let status = unsafe {
        (api().H5Lcopy)(
            from.id(),
            c.as_ptr(),
            to.id(),
            c.as_ptr(),
            link_creation.0.id(),
            DEFAULT,
        )
    };
    check(status, "copy link")
}

/// Creation list of a committed datatype is empty but for attribute order; the type itself.
pub(crate) fn as_datatype(object: Handle) -> Datatype {
    Datatype::from_handle(object)
}
