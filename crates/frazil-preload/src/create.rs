//! Files begin and end: which are taken.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::current::{current, is};
use crate::files::{self, CLASSIC_MODEL, Origin, Place, Taken, WRITE};
use crate::handover::{give_back, give_back_unfit};
use crate::invoke::{BAD_ID, Words, invoke, invoke_on, number};
use crate::library::{Library, frazil, is_netcdf_itself, is_plain_file, program};
use crate::names::Call;
use crate::reopen::close;
use crate::report;
use crate::{appending, behind, reading};

/// `NC_NETCDF4`
const NETCDF4: c_int = 0x1000;
/// `NC_64BIT_DATA` and `NC_64BIT_OFFSET`
const CLASSIC_FORMATS: c_int = 0x0220;
/// What a file may be created with that is taken: `NC_WRITE`, `NC_NOCLOBBER`, `NC_SHARE`, and the format.
const SERVED: c_int = WRITE | 0x0004 | 0x0800 | NETCDF4 | CLASSIC_MODEL;
/// `NC_EBADGRPID`
const BAD_GROUP: c_int = -116;

/// `nc_set_default_format`, as the program has called it.
static DEFAULT_FORMAT: AtomicI32 = AtomicI32::new(1);

pub(crate) extern "C" fn create(path: *const c_char, mode: c_int, ncidp: *mut c_int) -> c_int {
    let words = [path as usize, number(mode), ncidp as usize, 0, 0, 0, 0, 0];
    created("nc_create", path, mode, ncidp, words)
}

pub(crate) extern "C" fn create_sized(
    path: *const c_char,
    mode: c_int,
    initial: usize,
    hint: *mut usize,
    ncidp: *mut c_int,
) -> c_int {
    let place = ncidp as usize;
    let words = [
        path as usize,
        number(mode),
        initial,
        hint as usize,
        place,
        0,
        0,
        0,
    ];
    created("nc__create", path, mode, ncidp, words)
}

fn created(name: &str, path: *const c_char, mode: c_int, ncidp: *mut c_int, words: Words) -> c_int {
    let (_, caller) = current();
    let library = program(caller);
    if library.is_being_called() || is_netcdf_itself(caller) || path.is_null() || ncidp.is_null() {
        // SAFETY: the call as it came.
        return unsafe { invoke(library, name, words) };
    }
    report::process();
    // SAFETY: not NULL; the program vouches for the rest.
    let path = unsafe { CStr::from_ptr(path) };
    let why = match take(path, mode, library) {
        Ok(id) => {
            // SAFETY: not NULL; the program vouches for the rest.
            unsafe { *ncidp = id };
            return 0;
        }
        Err(why) => why,
    };
    // SAFETY: the call as it came.
    let status = unsafe { invoke(library, name, words) };
    if status == 0 {
        report::passed(path, &why);
    }
    status
}

/// Takes a file; the error is why not.
fn take(path: &CStr, mode: c_int, program: &'static Library) -> Result<c_int, String> {
    let named = Path::new(OsStr::from_bytes(path.to_bytes()));
    let mode = with_default_format(mode);
    if !is_netcdf4_asked(mode) {
        let words = "it is of a classic format (FRAZIL_FORMAT=netcdf4 makes it netCDF-4)";
        return Err(words.to_owned());
    }
    if mode & !(SERVED | CLASSIC_FORMATS) != 0 {
        let words = "it is created in memory, by several processes, or with another option \
                     that frazil does not serve";
        return Err(format!("{words} (mode {mode:#x})"));
    }
    if !is_plain_file(named) {
        return Err("its name is not that of a plain file".to_owned());
    }
    if let Some(why) = must_keep_its_place(named) {
        return Err(why.to_owned());
    }
    let as_asked = |_, _, mode| mode;
    take_into_hands(
        path,
        Origin::Created,
        ("nc_create", mode),
        program,
        as_asked,
    )
}

/// A mode with the default format, if it names none.
pub(crate) fn with_default_format(mode: c_int) -> c_int {
    match DEFAULT_FORMAT.load(Ordering::Relaxed) {
        _ if mode & (NETCDF4 | CLASSIC_FORMATS | CLASSIC_MODEL) != 0 => mode,
        3 => mode | NETCDF4,
        4 => mode | NETCDF4 | CLASSIC_MODEL,
        2 => mode | 0x0200,
        5 => mode | 0x0020,
        _ => mode,
    }
}

/// Whether a file is to be of the netCDF-4 format, by its mode or by the user's wish.
pub(crate) fn is_netcdf4_asked(mode: c_int) -> bool {
    mode & NETCDF4 != 0 || std::env::var_os("FRAZIL_FORMAT").is_some_and(|value| value == "netcdf4")
}

/// Has frazil create or open a file by a call with three arguments, and gives it a number; the error is why not.
/// `mode_of` says how it then counts as asked for.
pub(crate) fn take_into_hands(
    path: &CStr,
    origin: Origin,
    (call, mode): (&str, c_int),
    program: &'static Library,
    mode_of: impl FnOnce(&'static Library, c_int, c_int) -> c_int,
) -> Result<c_int, String> {
    if appending::is_aligned(program) {
        return Err("the program has set an alignment (nc_set_alignment)".to_owned());
    }
    let frazil = frazil().map_err(|words| format!("libfrazil cannot be loaded: {words}"))?;
    let mut own: c_int = 0;
    let place = (&raw mut own) as usize;
    let words = [path.as_ptr() as usize, number(mode), place, 0, 0, 0, 0, 0];
    // SAFETY: frz_nc_create or frz_nc_open_writing with its three arguments.
    let status = unsafe { invoke(frazil, call, words) };
    if status != 0 {
        return Err(report::refusal_of(status));
    }
    report::at_exit(frazil);
    let mode = mode_of(frazil, own, mode);
    match files::insert(Taken::new(path, origin, (mode, own), program)) {
        Some(id) => {
            report::taken(path);
            // What was there is whole.
            if let Some(file) = files::find(id).filter(|_| origin == Origin::Opened) {
                file.note_commit();
            }
            Ok(id)
        }
        None => {
            // SAFETY: frz_nc_discard with the number of a file that was taken above.
            unsafe { invoke_on(frazil, "nc_discard", own, []) };
            Err("too many files are open".to_owned())
        }
    }
}

/// Why a file that is there must be written where it lies: frazil gives its name to another file.
fn must_keep_its_place(path: &Path) -> Option<&'static str> {
    let before = path.symlink_metadata().ok()?;
    if before.is_symlink() {
        Some("its name is a symbolic link")
    } else if !before.is_file() {
        Some("its name is that of a device, a pipe or a folder")
    } else if before.nlink() > 1 {
        Some("the file has other names (hard links)")
    } else if OpenOptions::new().write(true).open(path).is_err() {
        Some("the file that is there may not be written to")
    } else {
        None
    }
}

pub(crate) extern "C" fn open(path: *const c_char, mode: c_int, ncidp: *mut c_int) -> c_int {
    let words = [path as usize, number(mode), ncidp as usize, 0, 0, 0, 0, 0];
    opened("nc_open", path, mode, ncidp, words)
}

pub(crate) extern "C" fn open_sized(
    path: *const c_char,
    mode: c_int,
    hint: *mut usize,
    ncidp: *mut c_int,
) -> c_int {
    let words = [
        path as usize,
        number(mode),
        hint as usize,
        ncidp as usize,
        0,
        0,
        0,
        0,
    ];
    opened("nc__open", path, mode, ncidp, words)
}

/// What can be read or written on is taken. Else opening goes on; a file that is being written here is
/// committed before, so that there is one, and goes back to the program's own library where it is to be written
/// by two numbers.
fn opened(name: &str, path: *const c_char, mode: c_int, ncidp: *mut c_int, words: Words) -> c_int {
    let (_, caller) = current();
    let library = program(caller);
    if library.is_being_called() || path.is_null() {
        // SAFETY: the call as it came.
        return unsafe { invoke(library, name, words) };
    }
    report::process();
    // SAFETY: not NULL; the program vouches for the rest.
    let path = unsafe { CStr::from_ptr(path) };
    let writer = share(path, mode);
    let may_be_taken = !ncidp.is_null() && !is_netcdf_itself(caller);
    let taken = match may_be_taken && writer.is_none() {
        true if mode & WRITE != 0 => appending::take(path, mode, library),
        true => Ok(reading::take(path, mode, library, false)),
        false => Ok(None),
    };
    if let Ok(Some(id)) = taken {
        // SAFETY: not NULL; the program vouches for the rest.
        unsafe { *ncidp = id };
        return 0;
    }
    // SAFETY: the call as it came.
    let status = unsafe { invoke(library, name, words) };
    if let (0, Err(why)) = (status, taken) {
        report::passed(path, &why);
    }
    let is_read_beside = status == 0 && may_be_taken && mode & WRITE == 0;
    let in_our_hands = |writer: &Arc<Taken>| matches!(writer.place(0), Place::Own(_));
    if let Some(writer) = writer.filter(|writer| is_read_beside && in_our_hands(writer)) {
        // SAFETY: not NULL; the program vouches for the rest, and the call has written the number.
        unsafe {
            let file = Taken::beside(path, (mode, *ncidp), library, writer);
            *ncidp = files::insert(file).unwrap_or(*ncidp);
        }
    }
    status
}

/// The file that is being written here and is to be opened once more.
fn share(path: &CStr, mode: c_int) -> Option<Arc<Taken>> {
    let wanted = absolute(path)?;
    let mut writer = None;
    for file in files::all() {
        // What ranks write is committed when all of them say so.
        let is_other = file.is_reading() || file.is_of_ranks;
        if is_other || absolute(&file.at) != Some(wanted.clone()) {
            continue;
        }
        behind::finish(&file);
        give_back_unfit(&file);
        if let (Place::Own(own), Ok(frazil)) = (file.place(0), frazil()) {
            if mode & WRITE != 0 {
                let why = "the program opens it once more to write on it, by two numbers";
                // If that fails, the report says so, and opening does.
                let _ = give_back(&file, why);
            // SAFETY: frz_nc_sync with the file's number; what it cannot do, opening says.
            } else if unsafe { invoke_on(frazil, "nc_sync", own, []) } == 0 {
                file.note_commit();
            }
        }
        writer = Some(file);
    }
    writer
}

/// A path from the root with links followed, as far as there is something.
fn absolute(path: &CStr) -> Option<PathBuf> {
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    if let Ok(found) = path.canonicalize() {
        return Some(found);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

pub(crate) extern "C" fn set_default_format(format: c_int, oldp: *mut c_int) -> c_int {
    let (_, caller) = current();
    let library = program(caller);
    let words = [number(format), oldp as usize, 0, 0, 0, 0, 0, 0];
    // SAFETY: the call as it came.
    let status = unsafe { invoke(library, "nc_set_default_format", words) };
    if status == 0 {
        DEFAULT_FORMAT.store(format, Ordering::Relaxed);
    }
    status
}

/// `nc_close` and `nc_abort` of a file that was taken.
pub(crate) extern "C" fn end(id: c_int) -> c_int {
    let (call, _) = current();
    let Some(file) = files::find(id) else {
        return BAD_ID;
    };
    if id & 0xFFFF != 0 {
        return BAD_GROUP;
    }
    if file.is_reading() {
        return reading::end(id, &file);
    }
    let is_abort = is(call, Call::nc_abort);
    if !is_abort {
        give_back_unfit(&file);
    }
    let status = match (file.place(id), frazil()) {
        (Place::Handed(real), _) => {
            let name = if is_abort { "nc_abort" } else { "nc_close" };
            // SAFETY: the call as it came, in the library that has the file.
            let status = unsafe { invoke_on(file.program, name, real, []) };
            if status != 0 {
                // That library has it still.
                return status;
            }
            status
        }
        (Place::Own(_), Err(_)) => BAD_ID,
        (Place::Own(own), Ok(frazil)) => {
            if let Some(shadow) = file.notes().shadow.take() {
                shadow.close(file.program);
            }
            let (done, status) = close(frazil, own, is_abort);
            // A child cannot close its parent's file, and need not: the parent does.
            if file.process != std::process::id() {
            } else if is_abort && status == 0 && !done.is_written() {
                report::aborted(&file.path);
            } else {
                report::closed(&file.path, file.origin, &done, status);
            }
            status
        }
    };
    file.note_end();
    files::remove(id);
    status
}
