//! Files that the ranks of an MPI program create or open together.
//!
//! In the drop-in library, and under `frazil run` if its user asks for it, frazil writes them, where what reaches
//! the program's MPI (`mpi_table`) is installed. Such a file stays with frazil to its end: ranks cannot hand it over
//! at a call that one of them makes, and netCDF-C inside the drop-in library is built without MPI. Each rank reads
//! for itself.

use std::ffi::{CStr, c_char, c_int};

use crate::appending::model_of;
use crate::create::{is_netcdf4_asked, with_default_format};
use crate::current::{current, served_by};
use crate::files::{self, Origin, Taken, WRITE};
use crate::invoke::{INVALID, NOT_BUILT, Words, invoke, invoke_on, number};
use crate::library::{Library, frazil, is_drop_in, mpi_table, program};
use crate::names::NAMES;
use crate::{reading, report};

/// `NC_ENOPAR`
const NO_PARALLEL: c_int = -114;
/// `NC_DISKLESS`, `NC_MMAP` and `NC_INMEMORY`
const IN_MEMORY: c_int = 0x8000 | 0x0008 | 0x0010;
/// `NC_MPIIO` (`NC_PNETCDF`) and `NC_MPIPOSIX`: how a library reaches the file, which is frazil's affair.
const WAYS: c_int = 0x2000 | 0x4000;
/// `NC_INDEPENDENT` and `NC_COLLECTIVE`
const INDEPENDENT: c_int = 0;
const COLLECTIVE: c_int = 1;
/// What filling a table returns where it was compiled for another MPI.
const OTHER_MPI: c_int = 2;
/// Set if frazil is to write such files under `frazil run`.
const ASKED: &str = "FRAZIL_RUN_PARALLEL_FILES";
/// There is room for later versions of `frz_comm`.
const TABLE_WORDS: usize = 32;

/// What a call that begins a file comes to.
enum Begun {
    /// Frazil has the file, which has this number.
    Taken(c_int),
    /// It failed, with this status.
    Failed(c_int),
    /// The program's own library gets the call; why.
    Left(String),
}

/// A call with a path, a mode, a communicator, hints, and a place for the number of a file.
struct Asked {
    name: &'static str,
    words: Words,
    library: &'static Library,
}

impl Asked {
    /// The call in the program's own library.
    fn as_it_came(&self) -> c_int {
        // SAFETY: the call as it came.
        unsafe { invoke(self.library, self.name, self.words) }
    }

    fn path(&self) -> &CStr {
        // SAFETY: whoever calls has seen that it is not NULL; the program vouches for the rest.
        unsafe { CStr::from_ptr(self.words[0] as *const c_char) }
    }

    fn answer(&self, id: c_int) -> c_int {
        // SAFETY: as above.
        unsafe { *(self.words[4] as *mut c_int) = id };
        0
    }

    /// Whether it is for the library that it comes from, or wrong.
    fn is_none_of_ours(&self) -> bool {
        self.library.is_being_called() || self.words[0] == 0 || self.words[4] == 0
    }

    /// A function of what reaches MPI, with the communicator and a place; the error is a status.
    fn of_comm(&self, name: &str, place: usize) -> Result<(), c_int> {
        let ending = match self.name.ends_with("_fortran") {
            true => "_fortran",
            false => "",
        };
        let words = [self.words[2], place, 0, 0, 0, 0, 0, 0];
        let library = mpi_table().map_err(|_| NO_PARALLEL)?;
        // SAFETY: a function of frazil_mpi_table.c with the program's communicator, in the word that it came in.
        match unsafe { invoke(library, &[name, ending].concat(), words) } {
            0 => Ok(()),
            OTHER_MPI => Err(NO_PARALLEL),
            _ => Err(INVALID),
        }
    }

    /// A table of functions for its communicator; the error is a status.
    fn table(&self) -> Result<[usize; TABLE_WORDS], c_int> {
        let mut table = [0; TABLE_WORDS];
        self.of_comm("mpi_table", table.as_mut_ptr() as usize)?;
        Ok(table)
    }

    /// Waits for all ranks: one that has closed the file is not to meet another that is just closing it.
    fn meet(&self) {
        // Who cannot meet the others reads nevertheless.
        let _ = self.of_comm("mpi_meet", 0);
    }

    /// Frazil has not begun the file, on no rank: the program's own library may.
    fn refused(&self, status: c_int, why: &str) -> Begun {
        if !is_drop_in() {
            return Begun::Left(why.to_owned());
        }
        report::refused(self.path(), self.name, why);
        Begun::Failed(status)
    }

    /// Has frazil begin the file with all ranks.
    fn begin(&self, call: &str, mode: c_int, origin: Origin) -> Begun {
        let table = match self.table() {
            Ok(table) => table,
            Err(NO_PARALLEL) => {
                let why = "libfrazil_mpi_table.so was built for another MPI";
                return self.refused(NO_PARALLEL, why);
            }
            Err(status) => return self.refused(status, "its communicator cannot be used"),
        };
        let Ok(frazil) = frazil() else {
            return Begun::Failed(NO_PARALLEL);
        };
        let path = self.path();
        let mut own: c_int = 0;
        let places = [table.as_ptr() as usize, (&raw mut own) as usize];
        let words = [
            self.words[0],
            number(mode),
            places[0],
            places[1],
            0,
            0,
            0,
            0,
        ];
        // SAFETY: frz_nc_create_ranks or frz_nc_open_ranks with its four arguments.
        let status = unsafe { invoke(frazil, call, words) };
        if status != 0 {
            return self.refused(status, &report::refusal_of(status));
        }
        let mode = match origin {
            Origin::Opened => mode | model_of(frazil, own),
            _ => mode,
        };
        let file = Taken::new(path, origin, (mode, own), self.library).of_ranks(true);
        let Some(id) = files::insert(file) else {
            // SAFETY: frz_nc_discard with the number of a file that was begun above.
            unsafe { invoke_on(frazil, "nc_discard", own, []) };
            return Begun::Failed(INVALID);
        };
        report::taken(path);
        if let Some(file) = files::find(id).filter(|_| origin == Origin::Opened) {
            // What was there is whole.
            file.note_commit();
        }
        Begun::Taken(id)
    }

    fn come_to(&self, begun: Begun) -> c_int {
        match begun {
            Begun::Taken(id) => self.answer(id),
            Begun::Failed(status) => status,
            Begun::Left(why) => {
                let status = self.as_it_came();
                if status == 0 {
                    report::passed(self.path(), &why);
                }
                status
            }
        }
    }
}

fn asked(
    path: *const c_char,
    mode: c_int,
    (comm, info): (usize, usize),
    ncidp: *mut c_int,
) -> Asked {
    let (call, caller) = current();
    let place = ncidp as usize;
    Asked {
        name: NAMES.get(call).copied().unwrap_or_default(),
        words: [path as usize, number(mode), comm, info, place, 0, 0, 0],
        library: program(caller),
    }
}

/// Why frazil does not write a file of several ranks, if it does not.
fn why_not(name: &str) -> Option<String> {
    let is_asked = std::env::var_os(ASKED).is_some_and(|it| it == "1");
    let words = match (is_drop_in(), is_asked) {
        (false, false) => {
            let words = "several processes write it together";
            return Some(format!(
                "{words} ({name}); --parallel-files lets frazil do so"
            ));
        }
        (true, _) => "this netCDF was installed without MPI",
        (false, true) => "what reaches the program's MPI is not installed (make -C mpi install)",
    };
    let why = mpi_table().err()?;
    Some(format!("{words}: {why}"))
}

/// `nc_create_par` and `nc_create_par_fortran`
pub(crate) extern "C" fn create(
    path: *const c_char,
    mode: c_int,
    comm: usize,
    info: usize,
    ncidp: *mut c_int,
) -> c_int {
    let asked = asked(path, mode, (comm, info), ncidp);
    if asked.is_none_of_ours() {
        return asked.as_it_came();
    }
    report::process();
    let mode = mode & !WAYS;
    let with_format = with_default_format(mode);
    let begun = match why_not(asked.name) {
        Some(why) => Begun::Left(why),
        None if !is_netcdf4_asked(with_format) => {
            asked.refused(NOT_BUILT, "it is of a classic format")
        }
        None if mode & IN_MEMORY != 0 => asked.refused(INVALID, "it is created in memory"),
        None => asked.begin("nc_create_ranks", with_format, Origin::Created),
    };
    asked.come_to(begun)
}

/// `nc_open_par` and `nc_open_par_fortran`
pub(crate) extern "C" fn open(
    path: *const c_char,
    mode: c_int,
    comm: usize,
    info: usize,
    ncidp: *mut c_int,
) -> c_int {
    let asked = asked(path, mode, (comm, info), ncidp);
    if asked.is_none_of_ours() {
        return asked.as_it_came();
    }
    report::process();
    let mode = mode & !WAYS;
    if mode & WRITE == 0 {
        return open_to_read(&asked, mode);
    }
    let begun = match why_not(asked.name) {
        Some(why) => Begun::Left(why),
        None => asked.begin("nc_open_ranks", mode, Origin::Opened),
    };
    asked.come_to(begun)
}

/// Each rank opens the file for itself.
fn open_to_read(asked: &Asked, mode: c_int) -> c_int {
    if is_drop_in() && mpi_table().is_err() {
        return asked.as_it_came();
    }
    if why_not(asked.name).is_none() {
        asked.meet();
    }
    if let Some(id) = reading::take(asked.path(), mode, asked.library, true) {
        return asked.answer(id);
    }
    match is_drop_in() {
        true => asked.come_to(open_alone(asked, mode)),
        false => asked.as_it_came(),
    }
}

/// Has netCDF-C inside the drop-in library open a file that this rank reads.
fn open_alone(asked: &Asked, mode: c_int) -> Begun {
    let mut real: c_int = 0;
    let place = (&raw mut real) as usize;
    let words = [asked.words[0], number(mode), place, 0, 0, 0, 0, 0];
    // SAFETY: nc_open with its three arguments.
    let status = unsafe { invoke(asked.library, "nc_open", words) };
    if status != 0 {
        return Begun::Failed(status);
    }
    let file = Taken::new(asked.path(), Origin::Read, (mode, real), asked.library).of_ranks(true);
    file.hand_over(vec![real]);
    match files::insert(file) {
        Some(id) => Begun::Taken(id),
        None => {
            // SAFETY: nc_close with the number of a file that was opened above.
            unsafe { invoke_on(asked.library, "nc_close", real, []) };
            Begun::Failed(INVALID)
        }
    }
}

/// `nc_var_par_access`: no rank waits for another in puts and gets, so that both ways are the same. What
/// netCDF-C refuses is refused.
pub(crate) extern "C" fn access(id: c_int, varid: c_int, access: c_int) -> c_int {
    let (_, caller) = current();
    let (library, there, file) = served_by(id, caller);
    let Some(file) = file.filter(|file| file.is_of_ranks) else {
        if frazil().is_ok_and(|frazil| std::ptr::eq(frazil, library)) {
            return NO_PARALLEL;
        }
        let others = [number(varid), number(access)];
        // SAFETY: the call with that library's number of the file.
        return unsafe { invoke_on(library, "nc_var_par_access", there, others) };
    };
    if access != INDEPENDENT && access != COLLECTIVE {
        return INVALID;
    }
    // NC_GLOBAL means all variables.
    if varid < 0 {
        return 0;
    }
    let mut filters = 0_usize;
    let others = [number(varid), (&raw mut filters) as usize, 0];
    // SAFETY: nc_inq_var_filter_ids with no place for the numbers.
    match unsafe { invoke_on(library, "nc_inq_var_filter_ids", there, others) } {
        // In a file that was opened, netCDF-C has not looked at them by then.
        0 if access == INDEPENDENT && filters > 0 && file.origin == Origin::Created => INVALID,
        // An old library has none.
        NOT_BUILT => 0,
        status => status,
    }
}
