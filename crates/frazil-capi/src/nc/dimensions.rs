//! Dimensions.

use std::ffi::{c_char, c_int};

use crate::nc::pointers::{store, store_all, store_text, text};
use crate::nc::{entries, table};

entries! {
    /// `nc_def_dim`
    fn frz_nc_def_dim(ncid: c_int, name: *const c_char, len: usize, idp: *mut c_int) {
        let name = text(name)?;
        store(idp, table::with(ncid, |file, group| file.def_dim(group, name, len as u64))?);
        Ok(())
    }

    /// `nc_inq_dimid`
    fn frz_nc_inq_dimid(ncid: c_int, name: *const c_char, idp: *mut c_int) {
        let name = text(name)?;
        // What is wrong with the name comes before what is wrong with the group.
        store(idp, table::with_any_group(ncid, |file, group| file.inq_dimid(group, name))?);
        Ok(())
    }

    /// `nc_inq_dim`
    fn frz_nc_inq_dim(ncid: c_int, dimid: c_int, name: *mut c_char, lenp: *mut usize) {
        let dimension = table::with(ncid, |file, group| file.inq_dim(group, dimid))?;
        store_text(name, dimension.name.as_bytes());
        store(lenp, dimension.length as usize);
        Ok(())
    }

    /// `nc_inq_dimname`
    fn frz_nc_inq_dimname(ncid: c_int, dimid: c_int, name: *mut c_char) {
        let dimension = table::with(ncid, |file, group| file.inq_dim(group, dimid))?;
        store_text(name, dimension.name.as_bytes());
        Ok(())
    }

    /// `nc_inq_dimlen`
    fn frz_nc_inq_dimlen(ncid: c_int, dimid: c_int, lenp: *mut usize) {
        let dimension = table::with(ncid, |file, group| file.inq_dim(group, dimid))?;
        store(lenp, dimension.length as usize);
        Ok(())
    }

    /// `nc_rename_dim`
    fn frz_nc_rename_dim(ncid: c_int, dimid: c_int, name: *const c_char) {
        let name = text(name)?;
        table::with(ncid, |file, group| file.rename_dim(group, dimid, name))
    }

    /// `nc_inq_unlimdim`
    fn frz_nc_inq_unlimdim(ncid: c_int, unlimdimidp: *mut c_int) {
        store(unlimdimidp, table::with(ncid, |file, group| file.inq_unlimdim(group))?);
        Ok(())
    }

    /// `nc_inq_unlimdims`
    fn frz_nc_inq_unlimdims(ncid: c_int, nunlimdimsp: *mut c_int, unlimdimidsp: *mut c_int) {
        let dimids = table::with(ncid, |file, group| file.inq_unlimdims(group))?;
        store(nunlimdimsp, dimids.len() as c_int);
        store_all(unlimdimidsp, &dimids);
        Ok(())
    }

    /// `nc_inq_dimids`
    fn frz_nc_inq_dimids(
        ncid: c_int, ndims: *mut c_int, dimids: *mut c_int, include_parents: c_int,
    ) {
        let found =
            table::with(ncid, |file, group| file.inq_dimids(group, include_parents != 0))?;
        store(ndims, found.len() as c_int);
        store_all(dimids, &found);
        Ok(())
    }
}
