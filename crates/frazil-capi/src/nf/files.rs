//! Files: create, open, define mode, commit, close.

use std::ffi::{c_char, c_int};

use frazil::netcdf::{Dataset, Mode, Outcome, Status};

use crate::nc::files::{default_mode, delete, enter, set_default_format};
use crate::nc::integers::integer;
use crate::nc::pointers::store;
use crate::nc::{entries, table};
use crate::nf::text::{path, store_text};
use crate::nf::{size, value};
use crate::parallel::{check_par_access, create_parallel};

/// `NC_ENOTNC3`: an operation for classic files only.
const NOT_CLASSIC: Status = Status(-113);

/// Whether a file is a classic one; `nf_*_base_pe` are for those.
fn check_classic(ncid: c_int) -> Outcome<()> {
    match table::with(ncid, |file, _| file.inq_format())? {
        3 | 4 => Err(NOT_CLASSIC),
        _ => Ok(()),
    }
}

entries! {
    /// `NF_CREATE`
    fn nf_create_(name: *const c_char, cmode: *const c_int, ncid: *mut c_int, length: usize) {
        let mode = default_mode(value(cmode)?);
        store(ncid, enter(Dataset::create(path(name, length)?, mode))?);
        Ok(())
    }

    /// `NF__CREATE`: the sizes are hints for classic files and go unheeded.
    fn nf__create_(
        name: *const c_char, cmode: *const c_int, _initialsz: *const c_int,
        _chunksizehint: *const c_int, ncid: *mut c_int, length: usize,
    ) {
        let mode = default_mode(value(cmode)?);
        store(ncid, enter(Dataset::create(path(name, length)?, mode))?);
        Ok(())
    }

    /// `NF__CREATE_MP`: the processor is 0, the sizes are hints.
    fn nf__create_mp_(
        name: *const c_char, cmode: *const c_int, _initialsz: *const c_int,
        _basepe: *const c_int, _chunksizehint: *const c_int, ncid: *mut c_int, length: usize,
    ) {
        let mode = default_mode(value(cmode)?);
        store(ncid, enter(Dataset::create(path(name, length)?, mode))?);
        Ok(())
    }

    /// `NF_OPEN`
    fn nf_open_(name: *const c_char, mode: *const c_int, ncid: *mut c_int, length: usize) {
        store(ncid, enter(Dataset::open(path(name, length)?, Mode(value(mode)?)))?);
        Ok(())
    }

    /// `NF__OPEN`: the size is a hint for classic files and goes unheeded.
    fn nf__open_(
        name: *const c_char, mode: *const c_int, _chunksizehint: *const c_int,
        ncid: *mut c_int, length: usize,
    ) {
        store(ncid, enter(Dataset::open(path(name, length)?, Mode(value(mode)?)))?);
        Ok(())
    }

    /// `NF__OPEN_MP`: the processor is 0, the size is a hint.
    fn nf__open_mp_(
        name: *const c_char, mode: *const c_int, _basepe: *const c_int,
        _chunksizehint: *const c_int, ncid: *mut c_int, length: usize,
    ) {
        store(ncid, enter(Dataset::open(path(name, length)?, Mode(value(mode)?)))?);
        Ok(())
    }

    /// `NF_CREATE_PAR`; the hints of `info` go unheeded.
    fn nf_create_par_(
        name: *const c_char, cmode: *const c_int, comm: *const c_int, _info: *const c_int,
        ncid: *mut c_int, length: usize,
    ) {
        let path = path(name, length)?;
        store(ncid, create_parallel(path, value(cmode)?, value(comm)?)?);
        Ok(())
    }

    /// `NF_OPEN_PAR`: every rank reads for itself; for writing it is refused.
    fn nf_open_par_(
        name: *const c_char, mode: *const c_int, _comm: *const c_int, _info: *const c_int,
        ncid: *mut c_int, length: usize,
    ) {
        let mode = Mode(value(mode)?);
        if mode.has(Mode::WRITE) {
            return Err(Status::ENOPAR);
        }
        store(ncid, enter(Dataset::open_for_ranks(path(name, length)?, mode))?);
        Ok(())
    }

    /// `NF_VAR_PAR_ACCESS`
    fn nf_var_par_access_(ncid: *const c_int, varid: *const c_int, access: *const c_int) {
        // Fortran counts variables from 1; NF_GLOBAL is 0.
        check_par_access(value(ncid)?, value(varid)? - 1, value(access)?)
    }

    /// `NF_DELETE`
    fn nf_delete_(name: *const c_char, length: usize) {
        delete(path(name, length)?)
    }

    /// `NF_DELETE_MP`: the processor is 0.
    fn nf_delete_mp_(name: *const c_char, _pe: *const c_int, length: usize) {
        delete(path(name, length)?)
    }

    /// `NF_SET_DEFAULT_FORMAT`
    fn nf_set_default_format_(format: *const c_int, old_format: *mut c_int) {
        store(old_format, set_default_format(value(format)?)?);
        Ok(())
    }

    /// `NF_REDEF`
    fn nf_redef_(ncid: *const c_int) {
        table::with(value(ncid)?, |file, _| file.redef())
    }

    /// `NF_ENDDEF`
    fn nf_enddef_(ncid: *const c_int) {
        table::with(value(ncid)?, |file, group| file.enddef(group))
    }

    /// `NF__ENDDEF`
    fn nf__enddef_(
        ncid: *const c_int, h_minfree: *const c_int, v_align: *const c_int,
        v_minfree: *const c_int, r_align: *const c_int,
    ) {
        let (header, align) = (size(h_minfree)? as u64, size(v_align)? as u64);
        let (free, record) = (size(v_minfree)? as u64, size(r_align)? as u64);
        table::with(value(ncid)?, |file, group| {
            file.enddef_with(group, header, align, free, record)
        })
    }

    /// `NF_SYNC`
    fn nf_sync_(ncid: *const c_int) {
        table::with(value(ncid)?, |file, _| file.sync())
    }

    /// `NF_CLOSE`
    fn nf_close_(ncid: *const c_int) {
        table::remove(value(ncid)?, Dataset::close)
    }

    /// `NF_ABORT`
    fn nf_abort_(ncid: *const c_int) {
        table::remove(value(ncid)?, Dataset::abort)
    }

    /// `NF_SET_FILL`
    fn nf_set_fill_(ncid: *const c_int, fillmode: *const c_int, old_mode: *mut c_int) {
        let mode = value(fillmode)?;
        store(old_mode, table::with(value(ncid)?, |file, _| file.set_fill(mode))?);
        Ok(())
    }

    /// `NF_INQ_FORMAT`
    fn nf_inq_format_(ncid: *const c_int, format: *mut c_int) {
        store(format, table::with(value(ncid)?, |file, _| file.inq_format())?);
        Ok(())
    }

    /// `NF_INQ_PATH`
    fn nf_inq_path_(
        ncid: *const c_int, pathlen: *mut c_int, place: *mut c_char, length: usize,
    ) {
        let name =
            table::with(value(ncid)?, |file, _| Ok(file.path().as_os_str().to_owned()))?;
        store(pathlen, integer(name.len() as u64));
        store_text(place, length, name.as_encoded_bytes());
        Ok(())
    }

    /// `NF_SET_BASE_PE`: there is processor 0 only.
    fn nf_set_base_pe_(ncid: *const c_int, pe: *const c_int) {
        check_classic(value(ncid)?)?;
        if value(pe)? == 0 { Ok(()) } else { Err(Status::EINVAL) }
    }

    /// `NF_INQ_BASE_PE`: there is processor 0 only.
    fn nf_inq_base_pe_(ncid: *const c_int, pe: *mut c_int) {
        check_classic(value(ncid)?)?;
        store(pe, 0);
        Ok(())
    }
}
