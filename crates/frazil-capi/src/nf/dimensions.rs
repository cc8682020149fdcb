//! Dimensions.

use std::ffi::{c_char, c_int};

use crate::nc::integers::integer;
use crate::nc::pointers::store;
use crate::nc::{entries, table};
use crate::nf::order::{position, store_position, store_positions};
use crate::nf::text::{name, store_text};
use crate::nf::{size, value};

entries! {
    /// `NF_DEF_DIM`
    fn nf_def_dim_(
        ncid: *const c_int, text: *const c_char, dimlen: *const c_int, dimid: *mut c_int,
        length: usize,
    ) {
        let (text, dimlen) = (name(text, length)?, size(dimlen));
        let dimlen = dimlen.map_err(|_| frazil::netcdf::Status::EDIMSIZE)? as u64;
        let found =
            table::with(value(ncid)?, |file, group| file.def_dim(group, text, dimlen))?;
        store_position(dimid, found);
        Ok(())
    }

    /// `NF_INQ_DIMID`
    fn nf_inq_dimid_(
        ncid: *const c_int, text: *const c_char, dimid: *mut c_int, length: usize,
    ) {
        let text = name(text, length)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_dimid(group, text))?;
        store_position(dimid, found);
        Ok(())
    }

    /// `NF_INQ_DIM`
    fn nf_inq_dim_(
        ncid: *const c_int, dimid: *const c_int, text: *mut c_char, dimlen: *mut c_int,
        length: usize,
    ) {
        let dimid = position(dimid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_dim(group, dimid))?;
        store_text(text, length, found.name.as_bytes());
        store(dimlen, integer(found.length));
        Ok(())
    }

    /// `NF_INQ_DIMNAME`
    fn nf_inq_dimname_(
        ncid: *const c_int, dimid: *const c_int, text: *mut c_char, length: usize,
    ) {
        let dimid = position(dimid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_dim(group, dimid))?;
        store_text(text, length, found.name.as_bytes());
        Ok(())
    }

    /// `NF_INQ_DIMLEN`
    fn nf_inq_dimlen_(ncid: *const c_int, dimid: *const c_int, dimlen: *mut c_int) {
        let dimid = position(dimid)?;
        let found = table::with(value(ncid)?, |file, group| file.inq_dim(group, dimid))?;
        store(dimlen, integer(found.length));
        Ok(())
    }

    /// `NF_RENAME_DIM`
    fn nf_rename_dim_(
        ncid: *const c_int, dimid: *const c_int, text: *const c_char, length: usize,
    ) {
        let (dimid, text) = (position(dimid)?, name(text, length)?);
        table::with(value(ncid)?, |file, group| file.rename_dim(group, dimid, text))
    }

    /// `NF_INQ_UNLIMDIM`
    fn nf_inq_unlimdim_(ncid: *const c_int, unlimdimid: *mut c_int) {
        let found = table::with(value(ncid)?, |file, group| file.inq_unlimdim(group))?;
        store_position(unlimdimid, found);
        Ok(())
    }

    /// `NF_INQ_DIMIDS`
    fn nf_inq_dimids_(
        ncid: *const c_int, ndims: *mut c_int, dimids: *mut c_int, parent: *const c_int,
    ) {
        let parents = value(parent)? != 0;
        let found = table::with(value(ncid)?, |file, group| file.inq_dimids(group, parents))?;
        store(ndims, integer(found.len() as u64));
        store_positions(dimids, &found);
        Ok(())
    }
}
