//! Files: create, open, define mode, commit, close.

use std::ffi::{CString, c_char, c_int};
use std::sync::atomic::{AtomicI32, Ordering};

use frazil::netcdf::{Dataset, Mode, Outcome, Status};

use crate::nc::entries;
use crate::nc::entry::explain;
use crate::nc::pointers::{path, store, store_text};
use crate::nc::table;
use crate::writer::{fill_report, frz_report};

/// `NC_ECANTREMOVE`
const CANNOT_REMOVE: Status = Status(-91);
/// Mode flags that name a format.
const FORMATS: c_int = Mode::NETCDF4.0 | Mode::CDF2.0 | Mode::CDF5.0 | Mode::CLASSIC_MODEL.0;

/// `nc_set_default_format`: what `nc_create` makes of a mode without format. The interface keeps it
/// for the process.
static DEFAULT_FORMAT: AtomicI32 = AtomicI32::new(1);

/// Who is told of files that the end of the program closes.
type Listener = unsafe extern "C" fn(*const c_char, *const frz_report, c_int);

/// Sets the default format; gives the one before.
pub(crate) fn set_default_format(format: c_int) -> Outcome<c_int> {
    if !(1..=5).contains(&format) {
        return Err(Status::EINVAL);
    }
    Ok(DEFAULT_FORMAT.swap(format, Ordering::Relaxed))
}

/// The mode with the default format if it names none.
pub(crate) fn default_mode(mode: c_int) -> Mode {
    if mode & FORMATS != 0 {
        return Mode(mode);
    }
    let format = match DEFAULT_FORMAT.load(Ordering::Relaxed) {
        2 => Mode::CDF2,
        3 => Mode::NETCDF4,
        4 => Mode::NETCDF4 | Mode::CLASSIC_MODEL,
        5 => Mode::CDF5,
        _ => Mode(0),
    };
    Mode(mode) | format
}

/// Puts a new file into the table, or keeps the words of the refusal.
pub(crate) fn enter(file: Result<Dataset, (Status, String)>) -> Outcome<c_int> {
    crate::last_error::complain_of_environment();
    match file {
        Ok(file) => table::insert(file),
        Err((status, detail)) => {
            explain(status, &detail);
            Err(status)
        }
    }
}

/// `nc_delete`: removes a file.
pub(crate) fn delete(path: &std::path::Path) -> Outcome<()> {
    std::fs::remove_file(path).map_err(|error| {
        explain(CANNOT_REMOVE, &format!("{}: {error}", path.display()));
        CANNOT_REMOVE
    })
}

/// Tells what the writer of a closed file did.
///
/// # Safety
/// `report` is NULL or what [`fill_report`] takes.
unsafe fn fill(file: &mut Dataset, report: *mut frz_report) -> Outcome<()> {
    match file.report()? {
        Some(done) if !report.is_null() => {
            // SAFETY: as this function's.
            let filled = unsafe { fill_report(report, &done) };
            filled.map_err(|_| Status::EINVAL)
        }
        _ => Ok(()),
    }
}

entries! {
    /// `nc_create`
    fn frz_nc_create(path_: *const c_char, cmode: c_int, ncidp: *mut c_int) {
        let ncid = enter(Dataset::create(path(path_)?, default_mode(cmode)))?;
        store(ncidp, ncid);
        Ok(())
    }

    /// `nc__create`: the sizes are hints for classic files and go unheeded.
    fn frz_nc__create(
        path_: *const c_char, cmode: c_int, _initialsz: usize, _chunksizehintp: *mut usize,
        ncidp: *mut c_int,
    ) {
        let ncid = enter(Dataset::create(path(path_)?, default_mode(cmode)))?;
        store(ncidp, ncid);
        Ok(())
    }

    /// `nc_open`
    fn frz_nc_open(path_: *const c_char, mode: c_int, ncidp: *mut c_int) {
        store(ncidp, enter(Dataset::open(path(path_)?, Mode(mode)))?);
        Ok(())
    }

    /// `nc__open`: the size is a hint for classic files and goes unheeded.
    fn frz_nc__open(
        path_: *const c_char, mode: c_int, _chunksizehintp: *mut usize, ncidp: *mut c_int,
    ) {
        store(ncidp, enter(Dataset::open(path(path_)?, Mode(mode)))?);
        Ok(())
    }

    /// As `nc_open` for reading, if frazil itself reads the file; else `NC_ENOTBUILT`. frazil's preload
    /// library calls it.
    fn frz_nc_open_reading(path_: *const c_char, mode: c_int, ncidp: *mut c_int) {
        store(ncidp, enter(Dataset::open_to_read(path(path_)?, Mode(mode)))?);
        Ok(())
    }

    /// As `nc_open` for writing, if frazil goes on with the file as netCDF-C would; else `NC_ENOTBUILT`.
    /// frazil's preload library calls it.
    fn frz_nc_open_writing(path_: *const c_char, mode: c_int, ncidp: *mut c_int) {
        store(ncidp, enter(Dataset::open_to_write(path(path_)?, Mode(mode)))?);
        Ok(())
    }

    /// `nc_delete`
    fn frz_nc_delete(path_: *const c_char) {
        delete(path(path_)?)
    }

    /// `nc_set_default_format`
    fn frz_nc_set_default_format(format: c_int, old_formatp: *mut c_int) {
        store(old_formatp, set_default_format(format)?);
        Ok(())
    }

    /// `nc_redef`
    fn frz_nc_redef(ncid: c_int) {
        table::with(ncid, |file, _| file.redef())
    }

    /// `nc_enddef`
    fn frz_nc_enddef(ncid: c_int) {
        table::with(ncid, |file, group| file.enddef(group))
    }

    /// `nc__enddef`
    fn frz_nc__enddef(
        ncid: c_int, h_minfree: usize, v_align: usize, v_minfree: usize, r_align: usize,
    ) {
        let [header_free, align, free, record_align] =
            [h_minfree, v_align, v_minfree, r_align].map(|bytes| bytes as u64);
        table::with(ncid, |file, group| {
            file.enddef_with(group, header_free, align, free, record_align)
        })
    }

    /// `nc_sync`
    fn frz_nc_sync(ncid: c_int) {
        table::with(ncid, |file, _| file.sync())
    }

    /// `nc_close`
    fn frz_nc_close(ncid: c_int) {
        table::remove(ncid, Dataset::close)
    }

    /// As `nc_close`; what the writer did goes into `report`, which is left alone where there is none.
    /// frazil's preload library calls it.
    fn frz_nc_close_reporting(ncid: c_int, report: *mut frz_report) {
        table::remove(ncid, |file| {
            file.close()?;
            fill(file, report)
        })
    }

    /// Has `listener` called with path, report and status of each file that the end of the program
    /// closes. frazil's preload library calls it, once.
    fn frz_nc_report_at_exit(listener: Option<Listener>) {
        let listener = listener.ok_or(Status::EINVAL)?;
        let told = table::LISTENER.set(Box::new(move |file, outcome| {
            let mut report = frz_report::empty();
            if let Ok(Some(done)) = file.report() {
                let _ = fill_report(&raw mut report, &done);
            }
            let path = CString::new(file.path().as_os_str().as_encoded_bytes()).unwrap_or_default();
            let status = outcome.err().unwrap_or(Status::NOERR).0;
            listener(path.as_ptr(), &raw const report, status);
        }));
        told.map_err(|_| Status::EINVAL)
    }

    /// `nc_abort`
    fn frz_nc_abort(ncid: c_int) {
        table::remove(ncid, Dataset::abort)
    }

    /// As `nc_abort`; where that closes the file, what the writer did goes into `report`, which is left
    /// alone else. frazil's preload library calls it.
    fn frz_nc_abort_reporting(ncid: c_int, report: *mut frz_report) {
        table::remove(ncid, |file| {
            file.abort()?;
            fill(file, report)
        })
    }

    /// Lets go of a file whatever mode it is in: another library writes it. frazil's preload library calls
    /// it.
    fn frz_nc_discard(ncid: c_int) {
        table::remove(ncid, Dataset::discard)
    }

    /// Where a file that frazil writes is between its making and its end: 1 if it is in data mode, 2 if
    /// `nc_enddef` was called, 4 if values were put. frazil's preload library calls it.
    fn frz_nc_state(ncid: c_int, statep: *mut c_int) {
        let state = table::with(ncid, |file, _| file.state().ok_or(Status::EPERM))?;
        let flags = [(state.is_in_data_mode, 1), (state.is_ended, 2), (state.has_values, 4)];
        let set = flags.iter().filter(|(is_set, _)| *is_set);
        store(statep, set.map(|(_, bit)| bit).sum::<c_int>());
        Ok(())
    }

    /// How many variables of a group cannot be stored otherwise any more: those behind them were defined since
    /// define mode was entered. frazil's preload library calls it.
    fn frz_nc_settled_variables(ncid: c_int, countp: *mut c_int) {
        store(countp, table::with(ncid, |file, group| file.settled_variables(group))?);
        Ok(())
    }

    /// Takes back the variables that were defined since define mode was entered. frazil's preload library
    /// calls it.
    fn frz_nc_take_back_variables(ncid: c_int) {
        table::with(ncid, |file, _| file.take_back_variables())
    }

    /// `nc_set_fill`
    fn frz_nc_set_fill(ncid: c_int, fillmode: c_int, old_modep: *mut c_int) {
        store(old_modep, table::with(ncid, |file, _| file.set_fill(fillmode))?);
        Ok(())
    }

    /// `nc_inq_path`
    fn frz_nc_inq_path(ncid: c_int, pathlen: *mut usize, path_: *mut c_char) {
        let name = table::with(ncid, |file, _| Ok(file.path().as_os_str().to_owned()))?;
        store(pathlen, name.len());
        store_text(path_, name.as_encoded_bytes());
        Ok(())
    }

    /// `nc_inq_format`
    fn frz_nc_inq_format(ncid: c_int, formatp: *mut c_int) {
        store(formatp, table::with(ncid, |file, _| file.inq_format())?);
        Ok(())
    }

    /// `nc_inq_format_extended`
    fn frz_nc_inq_format_extended(ncid: c_int, formatp: *mut c_int, modep: *mut c_int) {
        let (format, mode) = table::with(ncid, |file, _| file.inq_format_extended())?;
        store(formatp, format);
        store(modep, mode);
        Ok(())
    }
}
