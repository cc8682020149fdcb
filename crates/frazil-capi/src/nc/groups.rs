//! Groups, and what a group holds.

use std::ffi::{c_char, c_int};

use frazil::netcdf::Status;

use crate::nc::pointers::{store, store_all, store_text, text};
use crate::nc::{entries, table, types, user_types};

entries! {
    /// `nc_inq`
    fn frz_nc_inq(
        ncid: c_int, ndimsp: *mut c_int, nvarsp: *mut c_int, nattsp: *mut c_int,
        unlimdimidp: *mut c_int,
    ) {
        let found = table::with(ncid, |file, group| file.inq(group))?;
        store(ndimsp, found.dimensions);
        store(nvarsp, found.variables);
        store(nattsp, found.attributes);
        store(unlimdimidp, found.unlimited);
        Ok(())
    }

    /// `nc_inq_ndims`
    fn frz_nc_inq_ndims(ncid: c_int, ndimsp: *mut c_int) {
        store(ndimsp, table::with(ncid, |file, group| file.inq(group))?.dimensions);
        Ok(())
    }

    /// `nc_inq_nvars`
    fn frz_nc_inq_nvars(ncid: c_int, nvarsp: *mut c_int) {
        store(nvarsp, table::with(ncid, |file, group| file.inq(group))?.variables);
        Ok(())
    }

    /// `nc_inq_natts`
    fn frz_nc_inq_natts(ncid: c_int, nattsp: *mut c_int) {
        store(nattsp, table::with(ncid, |file, group| file.inq(group))?.attributes);
        Ok(())
    }

    /// `nc_inq_varids`
    fn frz_nc_inq_varids(ncid: c_int, nvars: *mut c_int, varids: *mut c_int) {
        let found = table::with(ncid, |file, group| file.inq_varids(group))?;
        store(nvars, found.len() as c_int);
        store_all(varids, &found);
        Ok(())
    }

    /// `nc_def_grp`
    fn frz_nc_def_grp(parent_ncid: c_int, name: *const c_char, new_ncid: *mut c_int) {
        let name = text(name)?;
        let new = table::with(parent_ncid, |file, group| file.def_grp(group, name))?;
        store(new_ncid, table::group_id(parent_ncid, new));
        Ok(())
    }

    /// `nc_rename_grp`
    fn frz_nc_rename_grp(grpid: c_int, name: *const c_char) {
        let name = text(name)?;
        table::with(grpid, |file, group| file.rename_grp(group, name))
    }

    /// `nc_inq_grps`
    fn frz_nc_inq_grps(ncid: c_int, numgrps: *mut c_int, ncids: *mut c_int) {
        let groups = table::with(ncid, |file, group| file.inq_grps(group))?;
        let ids: Vec<c_int> = groups.iter().map(|&group| table::group_id(ncid, group)).collect();
        store(numgrps, ids.len() as c_int);
        store_all(ncids, &ids);
        Ok(())
    }

    /// `nc_inq_grpname`
    fn frz_nc_inq_grpname(ncid: c_int, name: *mut c_char) {
        let found = table::with(ncid, |file, group| file.inq_grpname(group))?;
        store_text(name, found.as_bytes());
        Ok(())
    }

    /// `nc_inq_grpname_full`
    fn frz_nc_inq_grpname_full(ncid: c_int, lenp: *mut usize, full_name: *mut c_char) {
        let found = table::with(ncid, |file, group| file.inq_grpname_full(group))?;
        store(lenp, found.len());
        store_text(full_name, found.as_bytes());
        Ok(())
    }

    /// `nc_inq_grpname_len`
    fn frz_nc_inq_grpname_len(ncid: c_int, lenp: *mut usize) {
        let found = table::with(ncid, |file, group| file.inq_grpname_full(group))?;
        store(lenp, found.len());
        Ok(())
    }

    /// `nc_inq_grp_parent`
    fn frz_nc_inq_grp_parent(ncid: c_int, parent_ncid: *mut c_int) {
        let parent = table::with(ncid, |file, group| file.inq_grp_parent(group))?;
        store(parent_ncid, table::group_id(ncid, parent));
        Ok(())
    }

    /// `nc_inq_grp_ncid`
    fn frz_nc_inq_grp_ncid(ncid: c_int, grp_name: *const c_char, grp_ncid: *mut c_int) {
        let name = text(grp_name)?;
        let found = table::with(ncid, |file, group| file.inq_grp_ncid(group, name))?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `nc_inq_ncid`: as `nc_inq_grp_ncid`; without a name, the group itself.
    fn frz_nc_inq_ncid(ncid: c_int, name: *const c_char, grp_ncid: *mut c_int) {
        let name = if name.is_null() { "" } else { text(name)? };
        let found = table::with(ncid, |file, group| match name {
            "" => file.inq(group).map(|_| group),
            name => file.inq_grp_ncid(group, name),
        })?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `nc_inq_grp_full_ncid`
    fn frz_nc_inq_grp_full_ncid(ncid: c_int, full_name: *const c_char, grp_ncid: *mut c_int) {
        let name = text(full_name)?;
        let found = table::with(ncid, |file, group| file.inq_grp_full_ncid(group, name))?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `nc_inq_typeids`
    fn frz_nc_inq_typeids(ncid: c_int, ntypes: *mut c_int, typeids: *mut c_int) {
        let found = table::with(ncid, |file, group| file.inq_typeids(group))?;
        store(ntypes, found.len() as c_int);
        store_all(typeids, &found);
        Ok(())
    }

    /// `nc_inq_type`
    fn frz_nc_inq_type(ncid: c_int, xtype: c_int, name: *mut c_char, size: *mut usize) {
        // Those that every file has are known without a group.
        if types::is_atomic(xtype) {
            let (found, bytes) = table::with_any_group(ncid, |_, _| types::describe(xtype))?;
            store_text(name, found.as_bytes());
            store(size, bytes);
            return Ok(());
        }
        user_types::with(ncid, xtype, |one| {
            store_text(name, one.name.as_bytes());
            store(size, one.size_bytes);
            Ok(())
        })
    }

    /// `nc_inq_typeid`
    fn frz_nc_inq_typeid(ncid: c_int, name: *const c_char, typeidp: *mut c_int) {
        let name = text(name).map_err(|_| Status::EINVAL)?;
        let found = table::with(ncid, |file, group| match types::by_name(name) {
            Ok(found) => Ok(found),
            Err(_) => user_types::by_name(file, group, name),
        })?;
        store(typeidp, found);
        Ok(())
    }
}
