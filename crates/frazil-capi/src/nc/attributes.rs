//! Attributes.

use std::ffi::{c_char, c_int, c_long, c_void};

use frazil::netcdf::{
    AttributeValues, Elements, FORMAT_NETCDF4_CLASSIC, GLOBAL, MemoryType, Outcome, STRING, Status,
};

use crate::nc::pointers::{list, store, store_all, store_text, text};
use crate::nc::strings::{allocated_or_null, owned};
use crate::nc::user_values::{collect, deliver};
use crate::nc::{entries, table, types};

/// `NC_CHAR`
pub(crate) const CHAR: c_int = 2;

/// Writes an attribute of type `nc_type` from `length` values of type `memory`.
///
/// # Safety
/// `data` is NULL or holds that many values.
pub(crate) unsafe fn put(
    (ncid, varid): (c_int, c_int),
    name: &str,
    nc_type: c_int,
    memory: MemoryType,
    length: usize,
    data: *const c_void,
) -> Outcome<()> {
    if memory == MemoryType::String {
        // SAFETY: as this function's.
        let values = unsafe { owned(data.cast(), length) }?;
        return table::with(ncid, |file, group| {
            file.put_att_strings(group, varid, name, &values)
        });
    }
    let bytes = length.checked_mul(memory.size_bytes());
    // SAFETY: as this function's.
    let bytes = unsafe { list(data.cast::<u8>(), bytes.ok_or(Status::EINVAL)?) }?;
    table::with(ncid, |file, group| {
        file.put_att(group, varid, name, nc_type, memory, bytes)
    })
}

/// As [`put`], of a type that a program has defined.
///
/// # Safety
/// As [`put`].
unsafe fn put_user(
    (ncid, varid): (c_int, c_int),
    name: &str,
    nc_type: c_int,
    length: usize,
    data: *const c_void,
) -> Outcome<()> {
    table::with(ncid, |file, group| {
        let elements = match file.user_types().get(nc_type) {
            // SAFETY: as this function's.
            Ok(_) => unsafe { collect(file.user_types(), nc_type, data, length) }?,
            // What is no type has no bytes.
            Err(_) => Elements::plain(0, Vec::new()),
        };
        file.put_att_user(group, varid, name, nc_type, elements)
    })
}

/// Reads an attribute's values as values of type `memory`; `None`: as they are.
///
/// # Safety
/// `place` is NULL or has room for all of them.
pub(crate) unsafe fn get(
    (ncid, varid): (c_int, c_int),
    name: &str,
    memory: Option<MemoryType>,
    place: *mut c_void,
) -> Outcome<()> {
    let mut bytes = Vec::new();
    let (mut strings, mut defined) = (None, None);
    let outcome = table::with(ncid, |file, group| {
        let memory = match memory {
            Some(memory) => memory,
            None => {
                let nc_type = file.inq_att(group, varid, name)?.nc_type;
                if !types::is_atomic(nc_type) {
                    defined = Some(file.attribute(group, varid, name)?);
                    return Ok(());
                }
                types::memory(nc_type)?
            }
        };
        if memory == MemoryType::String {
            strings = Some(file.get_att_strings(group, varid, name)?);
            return Ok(());
        }
        file.get_att(group, varid, name, memory, &mut bytes)
    });
    if !matches!(outcome, Ok(()) | Err(Status::ERANGE)) || place.is_null() {
        return outcome;
    }
    if let Some(AttributeValues::User(values)) = &defined {
        // SAFETY: as this function's.
        return unsafe { deliver(values, place) };
    }
    // SAFETY: as this function's.
    unsafe { store_all(place.cast(), &bytes) };
    for (index, value) in strings.unwrap_or_default().iter().enumerate() {
        let value = allocated_or_null(value)?;
        // SAFETY: as this function's.
        unsafe { place.cast::<*mut c_char>().add(index).write(value) };
    }
    outcome
}

/// The name of an attribute that C passes in. Where there is none, it is told first whether there is such a file
/// and variable.
///
/// # Safety
/// As [`text`].
unsafe fn name_of<'a>((ncid, varid): (c_int, c_int), name: *const c_char) -> Outcome<&'a str> {
    if name.is_null() {
        table::with(ncid, |file, group| match varid {
            GLOBAL => file.inq(group).map(|_| ()),
            _ => file.inq_varndims(group, varid).map(|_| ()),
        })?;
        return Err(Status::EBADNAME);
    }
    // SAFETY: as this function's.
    unsafe { text(name) }
}

/// `nc_copy_att`: within a file, or from one to another; one file is held at a time.
pub(crate) fn copy(
    (ncid_in, varid_in): (c_int, c_int),
    name: &str,
    (ncid_out, varid_out): (c_int, c_int),
) -> Outcome<()> {
    let format = table::with(ncid_out, |file, _| file.inq_format())?;
    if (ncid_in, varid_in) == (ncid_out, varid_out) {
        return Ok(());
    }
    if format == FORMAT_NETCDF4_CLASSIC {
        // Looked for first, so that it keeps its place.
        let there = table::with(ncid_out, |file, group| {
            file.inq_attid(group, varid_out, name)
        });
        match there {
            Ok(_) | Err(Status::ENOTATT) => {}
            Err(status) => return Err(status),
        }
    }
    let (values, types) = table::with(ncid_in, |file, group| {
        let values = file.attribute(group, varid_in, name)?;
        let is_user = matches!(values, AttributeValues::User(_));
        Ok((values, is_user.then(|| file.user_types().clone())))
    })?;
    table::with(ncid_out, |file, group| match (values, types) {
        (AttributeValues::User(values), Some(types)) => {
            let nc_type = file.like_type(group, (&types, values.nc_type()))?;
            file.put_att_user(group, varid_out, name, nc_type, values.into_elements())
        }
        (values, _) => file.put_attribute(group, varid_out, name, &values),
    })
}

/// The exported functions for attributes with values of one type in memory.
macro_rules! family {
    ($module:ident, $suffix:literal, $value:ty, $memory:expr) => {
        mod $module {
            use super::*;

            /// Writes an attribute, as netCDF-C's function of this name.
            ///
            /// # Safety
            /// Every pointer is NULL or good for what the interface reads there.
            #[unsafe(export_name = concat!("frz_nc_put_att_", $suffix))]
            unsafe extern "C" fn put_att(
                ncid: c_int,
                varid: c_int,
                name: *const c_char,
                xtype: c_int,
                len: usize,
                op: *const $value,
            ) -> c_int {
                // SAFETY: the caller vouches for its pointers; NULL is checked for.
                crate::nc::run(|| unsafe {
                    put(
                        (ncid, varid),
                        name_of((ncid, varid), name)?,
                        xtype,
                        $memory,
                        len,
                        op.cast(),
                    )
                })
            }

            /// Reads an attribute, as netCDF-C's function of this name.
            ///
            /// # Safety
            /// Every pointer is NULL or good for what the interface reads or writes there.
            #[unsafe(export_name = concat!("frz_nc_get_att_", $suffix))]
            unsafe extern "C" fn get_att(
                ncid: c_int,
                varid: c_int,
                name: *const c_char,
                ip: *mut $value,
            ) -> c_int {
                // SAFETY: the caller vouches for its pointers; NULL is checked for.
                crate::nc::run(|| unsafe {
                    get(
                        (ncid, varid),
                        name_of((ncid, varid), name)?,
                        Some($memory),
                        ip.cast(),
                    )
                })
            }
        }
    };
}

const LONG: MemoryType = match size_of::<c_long>() {
    4 => MemoryType::Int,
    _ => MemoryType::Int64,
};

family!(schar, "schar", i8, MemoryType::SChar);
family!(uchar, "uchar", u8, MemoryType::UChar);
family!(ubyte, "ubyte", u8, MemoryType::UChar);
family!(short, "short", i16, MemoryType::Short);
family!(ushort, "ushort", u16, MemoryType::UShort);
family!(int, "int", i32, MemoryType::Int);
family!(uint, "uint", u32, MemoryType::UInt);
family!(long, "long", c_long, LONG);
family!(longlong, "longlong", i64, MemoryType::Int64);
family!(ulonglong, "ulonglong", u64, MemoryType::UInt64);
family!(float, "float", f32, MemoryType::Float);
family!(double, "double", f64, MemoryType::Double);

entries! {
    /// `nc_put_att`
    fn frz_nc_put_att(
        ncid: c_int, varid: c_int, name: *const c_char, xtype: c_int, len: usize,
        op: *const c_void,
    ) {
        let name = name_of((ncid, varid), name)?;
        if types::is_atomic(xtype) {
            return put((ncid, varid), name, xtype, types::memory(xtype)?, len, op);
        }
        put_user((ncid, varid), name, xtype, len, op)
    }

    /// `nc_get_att`
    fn frz_nc_get_att(ncid: c_int, varid: c_int, name: *const c_char, ip: *mut c_void) {
        get((ncid, varid), name_of((ncid, varid), name)?, None, ip)
    }

    /// `nc_put_att_text`
    fn frz_nc_put_att_text(
        ncid: c_int, varid: c_int, name: *const c_char, len: usize, op: *const c_char,
    ) {
        let name = name_of((ncid, varid), name)?;
        put((ncid, varid), name, CHAR, MemoryType::Text, len, op.cast())
    }

    /// `nc_get_att_text`
    fn frz_nc_get_att_text(ncid: c_int, varid: c_int, name: *const c_char, ip: *mut c_char) {
        get((ncid, varid), name_of((ncid, varid), name)?, Some(MemoryType::Text), ip.cast())
    }

    /// `nc_put_att_string`
    fn frz_nc_put_att_string(
        ncid: c_int, varid: c_int, name: *const c_char, len: usize, op: *mut *const c_char,
    ) {
        let name = name_of((ncid, varid), name)?;
        put((ncid, varid), name, STRING, MemoryType::String, len, op.cast())
    }

    /// `nc_get_att_string`
    fn frz_nc_get_att_string(
        ncid: c_int, varid: c_int, name: *const c_char, ip: *mut *mut c_char,
    ) {
        get((ncid, varid), name_of((ncid, varid), name)?, Some(MemoryType::String), ip.cast())
    }

    /// `nc_inq_att`
    fn frz_nc_inq_att(
        ncid: c_int, varid: c_int, name: *const c_char, xtypep: *mut c_int, lenp: *mut usize,
    ) {
        let name = name_of((ncid, varid), name)?;
        let found = table::with(ncid, |file, group| file.inq_att(group, varid, name))?;
        store(xtypep, found.nc_type);
        store(lenp, found.length as usize);
        Ok(())
    }

    /// `nc_inq_attid`
    fn frz_nc_inq_attid(ncid: c_int, varid: c_int, name: *const c_char, idp: *mut c_int) {
        let name = name_of((ncid, varid), name)?;
        store(idp, table::with(ncid, |file, group| file.inq_attid(group, varid, name))?);
        Ok(())
    }

    /// `nc_inq_atttype`
    fn frz_nc_inq_atttype(
        ncid: c_int, varid: c_int, name: *const c_char, xtypep: *mut c_int,
    ) {
        let name = name_of((ncid, varid), name)?;
        let found = table::with(ncid, |file, group| file.inq_att(group, varid, name))?;
        store(xtypep, found.nc_type);
        Ok(())
    }

    /// `nc_inq_attlen`
    fn frz_nc_inq_attlen(ncid: c_int, varid: c_int, name: *const c_char, lenp: *mut usize) {
        let name = name_of((ncid, varid), name)?;
        let found = table::with(ncid, |file, group| file.inq_att(group, varid, name))?;
        store(lenp, found.length as usize);
        Ok(())
    }

    /// `nc_inq_attname`
    fn frz_nc_inq_attname(ncid: c_int, varid: c_int, attnum: c_int, name: *mut c_char) {
        let found = table::with(ncid, |file, group| file.inq_attname(group, varid, attnum))?;
        store_text(name, found.as_bytes());
        Ok(())
    }

    /// `nc_copy_att`
    fn frz_nc_copy_att(
        ncid_in: c_int, varid_in: c_int, name: *const c_char, ncid_out: c_int, varid_out: c_int,
    ) {
        let name = name_of((ncid_in, varid_in), name)?;
        copy((ncid_in, varid_in), name, (ncid_out, varid_out))
    }

    /// `nc_rename_att`
    fn frz_nc_rename_att(
        ncid: c_int, varid: c_int, name: *const c_char, newname: *const c_char,
    ) {
        let (name, newname) = (text(name)?, text(newname)?);
        // How long the name is comes before what is wrong with the group.
        table::with_any_group(ncid, |file, group| file.rename_att(group, varid, name, newname))
    }

    /// `nc_del_att`
    fn frz_nc_del_att(ncid: c_int, varid: c_int, name: *const c_char) {
        let name = text(name)?;
        table::with(ncid, |file, group| file.del_att(group, varid, name))
    }
}
