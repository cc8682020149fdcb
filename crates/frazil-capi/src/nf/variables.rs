//! Variables: definition and inquiry.

use std::ffi::{c_char, c_int};

use crate::nc::integers::integer;
use crate::nc::pointers::store;
use crate::nc::{entries, table, types};
use crate::nf::order::{dimensions, store_dimensions, store_position, variable};
use crate::nf::text::{name, store_text};
use crate::nf::{size, value};

entries! {
    /// `NF_DEF_VAR`
    fn nf_def_var_(
        ncid: *const c_int, text: *const c_char, xtype: *const c_int, nvdims: *const c_int,
        vdims: *const c_int, varid: *mut c_int, length: usize,
    ) {
        let (text, nc_type) = (name(text, length)?, value(xtype)?);
        let dimids = size(nvdims).and_then(|rank| dimensions(vdims, rank));
        let dimids = match dimids {
            Ok(dimids) => dimids,
            Err(status) => return Err(types::or_bad_type(value(ncid)?, nc_type, status)),
        };
        let found = table::with(value(ncid)?, |file, group| {
            file.def_var(group, text, nc_type, &dimids)
        })?;
        store_position(varid, found);
        Ok(())
    }

    /// `NF_INQ_VAR`
    fn nf_inq_var_(
        ncid: *const c_int, varid: *const c_int, text: *mut c_char, xtype: *mut c_int,
        ndims: *mut c_int, dimids: *mut c_int, natts: *mut c_int, length: usize,
    ) {
        let varid = variable(varid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_var(group, varid))?;
        store_text(text, length, found.name.as_bytes());
        store(xtype, found.nc_type);
        store(ndims, integer(found.dimensions.len() as u64));
        store_dimensions(dimids, &found.dimensions);
        store(natts, found.attributes);
        Ok(())
    }

    /// `NF_INQ_VARID`
    fn nf_inq_varid_(
        ncid: *const c_int, text: *const c_char, varid: *mut c_int, length: usize,
    ) {
        let text = name(text, length)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_varid(group, text))?;
        store_position(varid, found);
        Ok(())
    }

    /// `NF_INQ_VARNAME`
    fn nf_inq_varname_(
        ncid: *const c_int, varid: *const c_int, text: *mut c_char, length: usize,
    ) {
        let varid = variable(varid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_var(group, varid))?;
        store_text(text, length, found.name.as_bytes());
        Ok(())
    }

    /// `NF_INQ_VARTYPE`
    fn nf_inq_vartype_(ncid: *const c_int, varid: *const c_int, xtype: *mut c_int) {
        let varid = variable(varid)?;
        store(xtype, table::with(value(ncid)?, |file, group| file.inq_vartype(group, varid))?);
        Ok(())
    }

    /// `NF_INQ_VARNDIMS`
    fn nf_inq_varndims_(ncid: *const c_int, varid: *const c_int, ndims: *mut c_int) {
        let varid = variable(varid)?;
        let rank = table::with(value(ncid)?, |file, group| file.inq_varndims(group, varid))?;
        store(ndims, integer(rank as u64));
        Ok(())
    }

    /// `NF_INQ_VARDIMID`
    fn nf_inq_vardimid_(ncid: *const c_int, varid: *const c_int, dimids: *mut c_int) {
        let varid = variable(varid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_var(group, varid))?;
        store_dimensions(dimids, &found.dimensions);
        Ok(())
    }

    /// `NF_INQ_VARNATTS`
    fn nf_inq_varnatts_(ncid: *const c_int, varid: *const c_int, natts: *mut c_int) {
        let varid = variable(varid)?;
        let number = table::with(value(ncid)?, |file, group| match varid {
            frazil::netcdf::GLOBAL => file.inq(group).map(|group| group.attributes),
            varid => file.inq_var(group, varid).map(|variable| variable.attributes),
        })?;
        store(natts, number);
        Ok(())
    }

    /// `NF_RENAME_VAR`
    fn nf_rename_var_(
        ncid: *const c_int, varid: *const c_int, text: *const c_char, length: usize,
    ) {
        let (varid, text) = (variable(varid)?, name(text, length)?);
        table::with(value(ncid)?, |file, group| file.rename_var(group, varid, text))
    }
}
