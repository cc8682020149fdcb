//! Groups, and what a group holds.

use std::ffi::{c_char, c_int};

use crate::nc::integers::integer;
use crate::nc::pointers::{store, store_all};
use crate::nc::{entries, table, types};
use crate::nf::order::{store_position, store_positions};
use crate::nf::text::{name, store_text};
use crate::nf::value;

entries! {
    /// `NF_INQ`
    fn nf_inq_(
        ncid: *const c_int, ndims: *mut c_int, nvars: *mut c_int, ngatts: *mut c_int,
        unlimdimid: *mut c_int,
    ) {
        let found = table::with(value(ncid)?, |file, group| file.inq(group))?;
        store(ndims, found.dimensions);
        store(nvars, found.variables);
        store(ngatts, found.attributes);
        store_position(unlimdimid, found.unlimited);
        Ok(())
    }

    /// `NF_INQ_NDIMS`
    fn nf_inq_ndims_(ncid: *const c_int, ndims: *mut c_int) {
        store(ndims, table::with(value(ncid)?, |file, group| file.inq(group))?.dimensions);
        Ok(())
    }

    /// `NF_INQ_NVARS`
    fn nf_inq_nvars_(ncid: *const c_int, nvars: *mut c_int) {
        store(nvars, table::with(value(ncid)?, |file, group| file.inq(group))?.variables);
        Ok(())
    }

    /// `NF_INQ_NATTS`
    fn nf_inq_natts_(ncid: *const c_int, ngatts: *mut c_int) {
        store(ngatts, table::with(value(ncid)?, |file, group| file.inq(group))?.attributes);
        Ok(())
    }

    /// `NF_INQ_VARIDS`
    fn nf_inq_varids_(ncid: *const c_int, nvars: *mut c_int, varids: *mut c_int) {
        let found = table::with(value(ncid)?, |file, group| file.inq_varids(group))?;
        store(nvars, integer(found.len() as u64));
        store_positions(varids, &found);
        Ok(())
    }

    /// `NF_DEF_GRP`
    fn nf_def_grp_(
        parent: *const c_int, text: *const c_char, new_ncid: *mut c_int, length: usize,
    ) {
        let (parent, text) = (value(parent)?, name(text, length)?);
        let new = table::with(parent, |file, group| file.def_grp(group, text))?;
        store(new_ncid, table::group_id(parent, new));
        Ok(())
    }

    /// `NF_RENAME_GRP`
    fn nf_rename_grp_(ncid: *const c_int, text: *const c_char, length: usize) {
        let text = name(text, length)?;
        table::with(value(ncid)?, |file, group| file.rename_grp(group, text))
    }

    /// `NF_INQ_GRPS`
    fn nf_inq_grps_(ncid: *const c_int, numgrps: *mut c_int, ncids: *mut c_int) {
        let ncid = value(ncid)?;
        let groups = table::with(ncid, |file, group| file.inq_grps(group))?;
        let ids: Vec<c_int> = groups.iter().map(|&group| table::group_id(ncid, group)).collect();
        store(numgrps, integer(ids.len() as u64));
        store_all(ncids, &ids);
        Ok(())
    }

    /// `NF_INQ_GRPNAME`
    fn nf_inq_grpname_(ncid: *const c_int, text: *mut c_char, length: usize) {
        let found = table::with(value(ncid)?, |file, group| file.inq_grpname(group))?;
        store_text(text, length, found.as_bytes());
        Ok(())
    }

    /// `NF_INQ_GRPNAME_FULL`
    fn nf_inq_grpname_full_(
        ncid: *const c_int, namelen: *mut c_int, text: *mut c_char, length: usize,
    ) {
        let found = table::with(value(ncid)?, |file, group| file.inq_grpname_full(group))?;
        store(namelen, integer(found.len() as u64));
        store_text(text, length, found.as_bytes());
        Ok(())
    }

    /// `NF_INQ_GRPNAME_LEN`
    fn nf_inq_grpname_len_(ncid: *const c_int, namelen: *mut c_int) {
        let found = table::with(value(ncid)?, |file, group| file.inq_grpname_full(group))?;
        store(namelen, integer(found.len() as u64));
        Ok(())
    }

    /// `NF_INQ_GRP_PARENT`
    fn nf_inq_grp_parent_(ncid: *const c_int, parent: *mut c_int) {
        let ncid = value(ncid)?;
        let found = table::with(ncid, |file, group| file.inq_grp_parent(group))?;
        store(parent, table::group_id(ncid, found));
        Ok(())
    }

    /// `NF_INQ_GRP_NCID`
    fn nf_inq_grp_ncid_(
        ncid: *const c_int, text: *const c_char, grp_ncid: *mut c_int, length: usize,
    ) {
        let (ncid, text) = (value(ncid)?, name(text, length)?);
        let found = table::with(ncid, |file, group| file.inq_grp_ncid(group, text))?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `NF_INQ_NCID`: as `NF_INQ_GRP_NCID`; without a name, the group itself.
    fn nf_inq_ncid_(
        ncid: *const c_int, text: *const c_char, grp_ncid: *mut c_int, length: usize,
    ) {
        let (ncid, text) = (value(ncid)?, name(text, length)?);
        let found = table::with(ncid, |file, group| match text {
            "" => file.inq(group).map(|_| group),
            text => file.inq_grp_ncid(group, text),
        })?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `NF_INQ_GRP_FULL_NCID`
    fn nf_inq_grp_full_ncid_(
        ncid: *const c_int, text: *const c_char, grp_ncid: *mut c_int, length: usize,
    ) {
        let (ncid, text) = (value(ncid)?, name(text, length)?);
        let found = table::with(ncid, |file, group| file.inq_grp_full_ncid(group, text))?;
        store(grp_ncid, table::group_id(ncid, found));
        Ok(())
    }

    /// `NF_INQ_TYPEIDS`
    fn nf_inq_typeids_(ncid: *const c_int, ntypes: *mut c_int, typeids: *mut c_int) {
        let found = table::with(value(ncid)?, |file, group| file.inq_typeids(group))?;
        store(ntypes, integer(found.len() as u64));
        store_all(typeids, &found);
        Ok(())
    }

    /// `NF_INQ_TYPE`
    fn nf_inq_type_(
        ncid: *const c_int, xtype: *const c_int, text: *mut c_char, size: *mut c_int,
        length: usize,
    ) {
        let nc_type = value(xtype)?;
        let (found, bytes) = table::with(value(ncid)?, |_, _| types::describe(nc_type))?;
        store_text(text, length, found.as_bytes());
        store(size, integer(bytes as u64));
        Ok(())
    }

    /// `NF_INQ_TYPEID`
    fn nf_inq_typeid_(
        ncid: *const c_int, text: *const c_char, typeid: *mut c_int, length: usize,
    ) {
        let text = name(text, length)?;
        store(typeid, table::with(value(ncid)?, |_, _| types::by_name(text))?);
        Ok(())
    }
}
