//! Variables: definition and inquiry.

use std::ffi::{c_char, c_int};

use frazil::netcdf::{GLOBAL, Status};

use crate::nc::pointers::{list, store, store_all, store_text, text};
use crate::nc::{entries, table, types};

entries! {
    /// `nc_def_var`
    fn frz_nc_def_var(
        ncid: c_int, name: *const c_char, xtype: c_int, ndims: c_int, dimidsp: *const c_int,
        varidp: *mut c_int,
    ) {
        let name = text(name)?;
        let rank = usize::try_from(ndims).map_err(|_| Status::EINVAL);
        let dimids = rank.and_then(|rank| list(dimidsp, rank));
        let dimids = dimids.map_err(|status| types::or_bad_type(ncid, xtype, status))?;
        let varid = table::with(ncid, |file, group| file.def_var(group, name, xtype, dimids))?;
        store(varidp, varid);
        Ok(())
    }

    /// `nc_inq_var`
    fn frz_nc_inq_var(
        ncid: c_int, varid: c_int, name: *mut c_char, xtypep: *mut c_int, ndimsp: *mut c_int,
        dimidsp: *mut c_int, nattsp: *mut c_int,
    ) {
        if varid == GLOBAL && !nattsp.is_null() {
            store(nattsp, table::with(ncid, |file, group| file.inq(group))?.attributes);
            return Ok(());
        }
        let variable = table::with(ncid, |file, group| file.inq_var(group, varid))?;
        store_text(name, variable.name.as_bytes());
        store(xtypep, variable.nc_type);
        store(ndimsp, variable.dimensions.len() as c_int);
        store_all(dimidsp, &variable.dimensions);
        store(nattsp, variable.attributes);
        Ok(())
    }

    /// `nc_inq_varid`
    fn frz_nc_inq_varid(ncid: c_int, name: *const c_char, varidp: *mut c_int) {
        let name = text(name)?;
        store(varidp, table::with(ncid, |file, group| file.inq_varid(group, name))?);
        Ok(())
    }

    /// `nc_inq_varname`
    fn frz_nc_inq_varname(ncid: c_int, varid: c_int, name: *mut c_char) {
        let variable = table::with(ncid, |file, group| file.inq_var(group, varid))?;
        store_text(name, variable.name.as_bytes());
        Ok(())
    }

    /// `nc_inq_vartype`
    fn frz_nc_inq_vartype(ncid: c_int, varid: c_int, xtypep: *mut c_int) {
        store(xtypep, table::with(ncid, |file, group| file.inq_vartype(group, varid))?);
        Ok(())
    }

    /// `nc_inq_varndims`
    fn frz_nc_inq_varndims(ncid: c_int, varid: c_int, ndimsp: *mut c_int) {
        let rank = table::with(ncid, |file, group| file.inq_varndims(group, varid))?;
        store(ndimsp, rank as c_int);
        Ok(())
    }

    /// `nc_inq_vardimid`
    fn frz_nc_inq_vardimid(ncid: c_int, varid: c_int, dimidsp: *mut c_int) {
        let variable = table::with(ncid, |file, group| file.inq_var(group, varid))?;
        store_all(dimidsp, &variable.dimensions);
        Ok(())
    }

    /// `nc_inq_varnatts`
    fn frz_nc_inq_varnatts(ncid: c_int, varid: c_int, nattsp: *mut c_int) {
        let number = table::with(ncid, |file, group| match varid {
            GLOBAL => file.inq(group).map(|group| group.attributes),
            varid => file.inq_var(group, varid).map(|variable| variable.attributes),
        })?;
        store(nattsp, number);
        Ok(())
    }

    /// `nc_rename_var`
    fn frz_nc_rename_var(ncid: c_int, varid: c_int, name: *const c_char) {
        let name = text(name)?;
        table::with(ncid, |file, group| file.rename_var(group, varid, name))
    }
}
