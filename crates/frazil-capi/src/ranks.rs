//! Files of several ranks, for frazil's preload library: it has the table of functions that reaches their MPI.

use std::ffi::{c_char, c_int};

use frazil::netcdf::{Dataset, Mode, Outcome};

use crate::nc::entries;
use crate::nc::files::{default_mode, enter};
use crate::nc::pointers::{path, store};
use crate::parallel::{Table, frz_comm, refused, table_of};

/// # Safety
/// As [`table_of`].
unsafe fn messages(comm: *const frz_comm) -> Outcome<Box<Table>> {
    // SAFETY: as this function's.
    let table = unsafe { table_of(comm) };
    Ok(Box::new(table.map_err(|error| refused(&error))?))
}

entries! {
    /// `nc_create_par`, with a table that is copied; its `free` is called in any case. frazil's preload
    /// library calls it.
    fn frz_nc_create_ranks(
        path_: *const c_char, cmode: c_int, comm: *const frz_comm, ncidp: *mut c_int,
    ) {
        let comm = messages(comm)?;
        let file = Dataset::create_parallel(path(path_)?, default_mode(cmode), comm);
        store(ncidp, enter(file)?);
        Ok(())
    }

    /// `nc_open_par` for writing, with a table as above. frazil's preload library calls it.
    fn frz_nc_open_ranks(
        path_: *const c_char, mode: c_int, comm: *const frz_comm, ncidp: *mut c_int,
    ) {
        let comm = messages(comm)?;
        let file = Dataset::open_parallel(path(path_)?, Mode(mode), comm);
        store(ncidp, enter(file)?);
        Ok(())
    }
}
