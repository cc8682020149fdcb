//! Attributes.

use std::ffi::{c_char, c_int, c_void};

use frazil::netcdf::MemoryType;

use crate::nc::attributes::{CHAR, copy, get, put};
use crate::nc::integers::integer;
use crate::nc::pointers::store;
use crate::nc::{entries, table, types};
use crate::nf::order::{position, store_position, variable};
use crate::nf::text::{name, store_text};
use crate::nf::{size, value};

/// The exported functions for attributes with values of one type in memory.
macro_rules! family {
    ($module:ident, $suffix:literal, $value:ty, $memory:expr) => {
        mod $module {
            use super::*;

            /// Writes an attribute, as netCDF-Fortran's function of this name.
            ///
            /// # Safety
            /// References are good for what the interface reads there.
            #[unsafe(export_name = concat!("nf_put_att_", $suffix, "_"))]
            unsafe extern "C" fn put_att(
                ncid: *const c_int,
                varid: *const c_int,
                text: *const c_char,
                xtype: *const c_int,
                nlen: *const c_int,
                values: *const $value,
                length: usize,
            ) -> c_int {
                // SAFETY: the caller vouches for its references; NULL is checked for.
                crate::nc::run(|| unsafe {
                    let owner = (value(ncid)?, variable(varid)?);
                    let (nc_type, number) = (value(xtype)?, size(nlen)?);
                    put(
                        owner,
                        name(text, length)?,
                        nc_type,
                        $memory,
                        number,
                        values.cast(),
                    )
                })
            }

            /// Reads an attribute, as netCDF-Fortran's function of this name.
            ///
            /// # Safety
            /// References are good for what the interface reads or writes there.
            #[unsafe(export_name = concat!("nf_get_att_", $suffix, "_"))]
            unsafe extern "C" fn get_att(
                ncid: *const c_int,
                varid: *const c_int,
                text: *const c_char,
                values: *mut $value,
                length: usize,
            ) -> c_int {
                // SAFETY: the caller vouches for its references; NULL is checked for.
                crate::nc::run(|| unsafe {
                    let owner = (value(ncid)?, variable(varid)?);
                    get(owner, name(text, length)?, Some($memory), values.cast())
                })
            }
        }
    };
}

family!(int1, "int1", i8, MemoryType::SChar);
family!(int2, "int2", i16, MemoryType::Short);
family!(int, "int", i32, MemoryType::Int);
family!(int64, "int64", i64, MemoryType::Int64);
family!(real, "real", f32, MemoryType::Float);
family!(double, "double", f64, MemoryType::Double);

entries! {
    /// `NF_PUT_ATT`: values that look like those in the file.
    fn nf_put_att_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, xtype: *const c_int,
        nlen: *const c_int, values: *const c_void, length: usize,
    ) {
        let owner = (value(ncid)?, variable(varid)?);
        let (nc_type, number) = (value(xtype)?, size(nlen)?);
        put(owner, name(text, length)?, nc_type, types::memory(nc_type)?, number, values)
    }

    /// `NF_GET_ATT`: values as they are in the file.
    fn nf_get_att_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, values: *mut c_void,
        length: usize,
    ) {
        let owner = (value(ncid)?, variable(varid)?);
        get(owner, name(text, length)?, None, values)
    }

    /// `NF_PUT_ATT_TEXT`
    fn nf_put_att_text_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, nlen: *const c_int,
        values: *const c_char, length: usize, _values_length: usize,
    ) {
        let owner = (value(ncid)?, variable(varid)?);
        let (text, number) = (name(text, length)?, size(nlen)?);
        put(owner, text, CHAR, MemoryType::Text, number, values.cast())
    }

    /// `NF_GET_ATT_TEXT`: what the attribute does not fill becomes blank. The caller has room for
    /// all of it, as the interface asks; the length of one element says nothing of an array.
    fn nf_get_att_text_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, values: *mut c_char,
        length: usize, values_length: usize,
    ) {
        store_text(values, values_length, b"");
        let owner = (value(ncid)?, variable(varid)?);
        get(owner, name(text, length)?, Some(MemoryType::Text), values.cast())
    }

    /// `NF_INQ_ATT`
    fn nf_inq_att_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, xtype: *mut c_int,
        nlen: *mut c_int, length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        let found = table::with(value(ncid)?, |file, group| file.inq_att(group, varid, text))?;
        store(xtype, found.nc_type);
        store(nlen, integer(found.length));
        Ok(())
    }

    /// `NF_INQ_ATTID`
    fn nf_inq_attid_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, attnum: *mut c_int,
        length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        let found =
            table::with(value(ncid)?, |file, group| file.inq_attid(group, varid, text))?;
        store_position(attnum, found);
        Ok(())
    }

    /// `NF_INQ_ATTTYPE`
    fn nf_inq_atttype_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, xtype: *mut c_int,
        length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        let found = table::with(value(ncid)?, |file, group| file.inq_att(group, varid, text))?;
        store(xtype, found.nc_type);
        Ok(())
    }

    /// `NF_INQ_ATTLEN`
    fn nf_inq_attlen_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, nlen: *mut c_int,
        length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        let found = table::with(value(ncid)?, |file, group| file.inq_att(group, varid, text))?;
        store(nlen, integer(found.length));
        Ok(())
    }

    /// `NF_INQ_ATTNAME`
    fn nf_inq_attname_(
        ncid: *const c_int, varid: *const c_int, attnum: *const c_int, text: *mut c_char,
        length: usize,
    ) {
        let (varid, number) = (variable(varid)?, position(attnum)?);
        let found =
            table::with(value(ncid)?, |file, group| file.inq_attname(group, varid, number))?;
        store_text(text, length, found.as_bytes());
        Ok(())
    }

    /// `NF_COPY_ATT`
    fn nf_copy_att_(
        ncid_in: *const c_int, varid_in: *const c_int, text: *const c_char,
        ncid_out: *const c_int, varid_out: *const c_int, length: usize,
    ) {
        let from = (value(ncid_in)?, variable(varid_in)?);
        let to = (value(ncid_out)?, variable(varid_out)?);
        copy(from, name(text, length)?, to)
    }

    /// `NF_RENAME_ATT`
    fn nf_rename_att_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, new: *const c_char,
        length: usize, new_length: usize,
    ) {
        let (text, new) = (name(text, length)?, name(new, new_length)?);
        let varid = variable(varid)?;
        table::with(value(ncid)?, |file, group| file.rename_att(group, varid, text, new))
    }

    /// `NF_DEL_ATT`
    fn nf_del_att_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        table::with(value(ncid)?, |file, group| file.del_att(group, varid, text))
    }
}
