//! Files that several processes write together: their messages, through a table of functions.
//!
//! libfrazil is not linked with MPI. A program that has MPI compiles `frazil_mpi.c`, which fills the
//! table; so one libfrazil serves programs of every MPI, and those without.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use frazil::netcdf::{Dataset, Mode, Outcome, Status};
use frazil::{Comm, CommError, Error, ErrorCode, Result, Writer};

use crate::arguments::{self, elements, invalid, not_negative, null, result_at};
use crate::global::Global;
use crate::guard::guarded;
use crate::last_error;
use crate::mpi_library;
use crate::nc::files::{default_mode, enter};
use crate::nc::{entry::explain, run, table};
use crate::options::frz_options;
use crate::status::frz_status;
use crate::writer::{frz_writer, open, variable_id};

/// Functions through which the processes that write one file exchange messages. `frazil_mpi.c`
/// fills it for MPI; you can fill it for another transport. Messages from one rank to another
/// arrive in the order in which they were sent. Every function returns 0, or another number if it
/// failed. Only the thread that calls frazil calls them, and none may wait for another rank.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct frz_comm {
    /// `sizeof(frz_comm)`.
    pub size_bytes: usize,
    /// Passed to every function.
    pub state: *mut c_void,
    /// The number of this process, from 0.
    pub rank: c_int,
    /// How many processes there are.
    pub ranks: c_int,
    /// Begins to send `count` bytes to rank `to`; they do not change until `test` says that they
    /// were sent. `*request` becomes the argument for `test`.
    pub send: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            to: c_int,
            bytes: *const c_void,
            count: usize,
            request: *mut *mut c_void,
        ) -> c_int,
    >,
    /// `*is_done` becomes 1 if the message was sent (frazil does not ask for this request again),
    /// else 0.
    pub test: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            request: *mut c_void,
            is_done: *mut c_int,
        ) -> c_int,
    >,
    /// Looks for a message. If there is one, `*is_there` becomes 1, `*from` its sender and `*count`
    /// its bytes; else `*is_there` becomes 0.
    pub probe: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            from: *mut c_int,
            count: *mut usize,
            is_there: *mut c_int,
        ) -> c_int,
    >,
    /// Takes the message that `probe` has found.
    pub receive: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            from: c_int,
            bytes: *mut c_void,
            count: usize,
        ) -> c_int,
    >,
    /// Called once, after everything else. `is_orderly` is 0 if some ranks may be gone.
    pub free: Option<unsafe extern "C" fn(state: *mut c_void, is_orderly: c_int)>,
}

/// Fills a ::frz_comm for the communicator with this Fortran handle; returns 0, or something else
/// if it cannot.
pub type frz_connect =
    Option<unsafe extern "C" fn(fortran_comm: c_int, comm: *mut frz_comm) -> c_int>;

/// How a program gets what knows MPI.
const LINK: &str = "link it with -lfrazil_mpi; if the linker drops libraries that no symbol \
                    needs, put -Wl,--no-as-needed in front of it (docs/mpi.md)";
/// What connecting returns where frazil_mpi was compiled for another MPI.
const OTHER_MPI: c_int = 2;

/// What knows MPI, if anything does.
static CONNECT: Global<frz_connect> = Global::new(None);

/// A checked table, as the facade sees it.
pub(crate) struct Table {
    comm: frz_comm,
    calls: Calls,
    /// What was sent and has not left.
    outgoing: Vec<(Vec<u8>, *mut c_void)>,
    has_failed: bool,
}

/// The table's functions.
#[derive(Clone, Copy)]
struct Calls {
    send: unsafe extern "C" fn(*mut c_void, c_int, *const c_void, usize, *mut *mut c_void) -> c_int,
    test: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int) -> c_int,
    probe: unsafe extern "C" fn(*mut c_void, *mut c_int, *mut usize, *mut c_int) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, c_int, *mut c_void, usize) -> c_int,
    free: unsafe extern "C" fn(*mut c_void, c_int),
}

// SAFETY: the caller promises that one thread at a time uses the writer, and with it the table.
unsafe impl Send for Table {}

impl Table {
    /// # Safety
    /// The functions of the table must do what their descriptions say, as long as it lives.
    unsafe fn new(comm: frz_comm) -> Result<Self> {
        if comm.size_bytes != size_of::<frz_comm>() {
            return Err(invalid(
                "`comm->size_bytes` is not sizeof(frz_comm): compile frazil_mpi.c with this \
                 version's headers",
            ));
        }
        let ranks = not_negative(comm.ranks, "ranks")?;
        if not_negative(comm.rank, "rank")? >= ranks {
            return Err(invalid("`comm->rank` is not below `comm->ranks`"));
        }
        let missing = || null("comm->...");
        Ok(Self {
            calls: Calls {
                send: comm.send.ok_or_else(missing)?,
                test: comm.test.ok_or_else(missing)?,
                probe: comm.probe.ok_or_else(missing)?,
                receive: comm.receive.ok_or_else(missing)?,
                free: comm.free.ok_or_else(missing)?,
            },
            comm,
            outgoing: Vec::new(),
            has_failed: false,
        })
    }

    fn checked(&mut self, status: c_int, doing: &str) -> std::result::Result<(), CommError> {
        if status == 0 {
            return Ok(());
        }
        self.has_failed = true;
        Err(CommError(format!("{doing} failed with status {status}")))
    }
}

impl Comm for Table {
    fn rank(&self) -> usize {
        self.comm.rank as usize
    }

    fn size(&self) -> usize {
        self.comm.ranks as usize
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> std::result::Result<(), CommError> {
        let mut request = std::ptr::null_mut();
        let to = c_int::try_from(to).map_err(|_| CommError(format!("no rank {to}")))?;
        // SAFETY: the promise of `new`; the bytes stay in `outgoing`, on the heap, until they have
        // left.
        let status = unsafe {
            (self.calls.send)(
                self.comm.state,
                to,
                message.as_ptr().cast(),
                message.len(),
                &raw mut request,
            )
        };
        self.checked(status, "sending")?;
        self.outgoing.push((message, request));
        Ok(())
    }

    fn receive(&mut self) -> std::result::Result<Option<(usize, Vec<u8>)>, CommError> {
        let (mut from, mut count, mut is_there) = (0, 0, 0);
        // SAFETY: the promise of `new`.
        let status = unsafe {
            (self.calls.probe)(
                self.comm.state,
                &raw mut from,
                &raw mut count,
                &raw mut is_there,
            )
        };
        self.checked(status, "looking for messages")?;
        if is_there == 0 {
            return Ok(None);
        }
        let mut bytes = vec![0_u8; count];
        // SAFETY: the promise of `new`; the buffer has the size of the message.
        let status = unsafe {
            (self.calls.receive)(self.comm.state, from, bytes.as_mut_ptr().cast(), count)
        };
        self.checked(status, "receiving")?;
        let from = usize::try_from(from).map_err(|_| CommError(format!("no rank {from}")))?;
        Ok(Some((from, bytes)))
    }

    fn part(&mut self) {
        // A communicator that only some ranks free keeps Open MPI from making the next one.
        self.has_failed = true;
    }

    fn shares_memory(&self) -> bool {
        true
    }

    fn progress(&mut self) -> std::result::Result<bool, CommError> {
        let mut waiting = Vec::new();
        let mut outcome = 0;
        for (bytes, request) in std::mem::take(&mut self.outgoing) {
            let mut is_done = 0;
            // SAFETY: the promise of `new`; the request is not done.
            outcome |= unsafe { (self.calls.test)(self.comm.state, request, &raw mut is_done) };
            if is_done == 0 {
                waiting.push((bytes, request));
            }
        }
        self.outgoing = waiting;
        self.checked(outcome, "sending")?;
        Ok(self.outgoing.is_empty())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let is_orderly = self.outgoing.is_empty() && !self.has_failed;
        // What is on its way may still be read.
        for (bytes, _) in self.outgoing.drain(..) {
            std::mem::forget(bytes);
        }
        // SAFETY: the promise of `new`; nothing is called after it.
        unsafe { (self.calls.free)(self.comm.state, c_int::from(is_orderly)) };
    }
}

/// Creates a file that all ranks of `comm` write together. Each of them makes this call, with the
/// same options. `comm` is copied; its `free` is called in any case.
///
/// All ranks make the calls ::frz_sync, ::frz_close and ::frz_end_definitions. Puts never wait for
/// another rank, and any rank may put anything, or nothing. All ranks make the same definitions. If
/// ranks put values for the same elements between two syncs, those of the highest rank stay. Values
/// cannot be read back. See docs/mpi.md.
///
/// Errors: as ::frz_create, on all ranks the same; ::FRZ_INTERRUPTED if a rank does not come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_create_parallel(
    path: *const c_char,
    comm: *const frz_comm,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // Freed whatever becomes of the call. SAFETY: the caller's promise.
    let table = unsafe { table_of(comm) };
    // SAFETY: the caller's promises.
    unsafe {
        open(path, options, writer, |path, options| {
            Writer::create_parallel(path, Box::new(table?), options)
        })
    }
}

/// As ::frz_create_parallel, for a communicator of MPI by its Fortran handle.
///
/// Errors: ::FRZ_UNSUPPORTED if nothing knows MPI: see ::frz_set_connect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_create_parallel_fortran(
    path: *const c_char,
    fortran_comm: c_int,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        open(path, options, writer, |path, options| {
            Writer::create_parallel(path, Box::new(connected(fortran_comm)?), options)
        })
    }
}

/// Opens an existing netCDF-4 file that all ranks of `comm` continue to write together, as
/// ::frz_append and ::frz_create_parallel do.
///
/// Errors: as ::frz_append, on all ranks the same; ::FRZ_INTERRUPTED if a rank does not come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_append_parallel(
    path: *const c_char,
    comm: *const frz_comm,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // Freed whatever becomes of the call. SAFETY: the caller's promise.
    let table = unsafe { table_of(comm) };
    // SAFETY: the caller's promises.
    unsafe {
        open(path, options, writer, |path, options| {
            Writer::append_parallel(path, Box::new(table?), options)
        })
    }
}

/// As ::frz_append_parallel, for a communicator of MPI by its Fortran handle.
///
/// Errors: ::FRZ_UNSUPPORTED if nothing knows MPI: see ::frz_set_connect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_append_parallel_fortran(
    path: *const c_char,
    fortran_comm: c_int,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        open(path, options, writer, |path, options| {
            Writer::append_parallel(path, Box::new(connected(fortran_comm)?), options)
        })
    }
}

/// Registers the function that connects to MPI. `frazil_mpi.c` calls it when the program starts, or
/// in `frz_mpi_register`. NULL: there is no MPI.
#[unsafe(no_mangle)]
pub extern "C" fn frz_set_connect(connect: frz_connect) {
    CONNECT.with(|known| *known = connect);
}

/// # Safety
/// `comm` must be NULL or as [`Table::new`].
pub(crate) unsafe fn table_of(comm: *const frz_comm) -> Result<Table> {
    // SAFETY: the caller's promise.
    let comm = unsafe { comm.as_ref() }.ok_or_else(|| null("comm"))?;
    // SAFETY: the caller's promise.
    unsafe { Table::new(*comm) }
}

/// A table for the communicator with this handle.
fn connected(fortran_comm: c_int) -> Result<Table> {
    let known = || CONNECT.with(|known| *known);
    let connect = known().or_else(|| {
        mpi_library::find();
        known()
    });
    let Some(connect) = connect else {
        let cause = "this program has no part that knows MPI";
        return Err(Error::new(ErrorCode::Unsupported, cause).with_cure(LINK));
    };
    let mut comm = frz_comm {
        size_bytes: size_of::<frz_comm>(),
        state: std::ptr::null_mut(),
        rank: 0,
        ranks: 0,
        send: None,
        test: None,
        probe: None,
        receive: None,
        free: None,
    };
    // SAFETY: whoever registered the function vouches for it.
    match unsafe { connect(fortran_comm, &raw mut comm) } {
        // SAFETY: as above, for the functions that it has filled in.
        0 => unsafe { Table::new(comm) },
        OTHER_MPI => Err(Error::new(
            ErrorCode::Unsupported,
            "libfrazil_mpi was built for another MPI than this program",
        )
        .with_cure("build it with the program's own mpicc: make -C mpi install CC=mpicc")),
        status => Err(invalid(format!(
            "the communicator cannot be used (status {status}): is MPI initialized?"
        ))),
    }
}

/// Compares the definitions of all ranks; for a writer of one process it does nothing. Either all
/// ranks call it, or none: ::frz_sync and ::frz_close begin with the same comparison.
///
/// Errors: ::FRZ_INVALID_ARGUMENT if the definitions of a rank differ; ::frz_last_message names the
/// rank and the difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_end_definitions(writer: *mut frz_writer) -> frz_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { crate::writer::with_writer(writer, Writer::end_definitions) })
}

/// Whether this rank packs and writes for others (::frz_options_set_io_ranks): `*is_io_rank` becomes
/// 1 or 0.
///
/// An I/O rank makes the same definitions as all ranks, and then calls ::frz_close. That call
/// serves the others and returns when all of them have closed. An I/O rank may also put, and call
/// ::frz_sync when they do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_is_io_rank(
    writer: *const frz_writer,
    is_io_rank: *mut c_int,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let answer = result_at(is_io_rank, "is_io_rank")?;
            let found = crate::writer::with_writer(writer, |writer| Ok(writer.is_io_rank()))?;
            *answer = c_int::from(found);
        }
        Ok(())
    })
}

/// Says that this rank will put blocks like this one: `count` elements along each dimension from
/// `start`; unlimited dimensions are ignored. A rank with several blocks calls this for each; a
/// rank without blocks does not call it.
///
/// If ::frz_options_set_reproducible is off and the variable has no stated chunk shape, frazil
/// chooses chunks that no border of a block cuts, unless they would be far from frazil's usual
/// size. Call it before ::frz_end_definitions. If no rank states a block, the puts before the first
/// sync count.
///
/// Errors: ::FRZ_INVALID_ARGUMENT if the block does not fit the variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_state_block(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    count: *const u64,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            crate::writer::with_writer(writer, |writer| {
                let variable = variable_id(writer, variable)?;
                let rank = writer.schema().variables[variable.0].dimensions.len();
                let start = elements(start, rank, "start")?;
                let count = elements(count, rank, "count")?;
                writer.state_block(variable, start, count)
            })
        }
    })
}

/// `nc_create_par` for a communicator by its Fortran handle: netCDF's status codes, `NC_ENOPAR` if
/// nothing knows MPI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_netcdf_create_parallel(
    path: *const c_char,
    cmode: c_int,
    fortran_comm: c_int,
    ncid: *mut c_int,
) -> c_int {
    run(|| {
        // SAFETY: the caller's promises.
        let (path, place) = unsafe {
            let place = result_at(ncid, "ncid").map_err(|error| refused(&error))?;
            (
                arguments::path(path).map_err(|error| refused(&error))?,
                place,
            )
        };
        *place = create_parallel(path, cmode, fortran_comm)?;
        Ok(())
    })
}

/// `nc_open_par` for a communicator by its Fortran handle: netCDF's status codes. With `NC_WRITE`
/// all ranks go on writing a netCDF-4 file together, `NC_ENOPAR` if nothing knows MPI or the file
/// is a classic one; otherwise every rank reads for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_netcdf_open_parallel(
    path: *const c_char,
    mode: c_int,
    fortran_comm: c_int,
    ncid: *mut c_int,
) -> c_int {
    run(|| {
        // SAFETY: the caller's promises.
        let (path, place) = unsafe {
            let place = result_at(ncid, "ncid").map_err(|error| refused(&error))?;
            (
                arguments::path(path).map_err(|error| refused(&error))?,
                place,
            )
        };
        let mode = Mode(mode);
        *place = match mode.has(Mode::WRITE) {
            true => {
                let comm = connected(fortran_comm).map_err(|error| refused(&error))?;
                enter(Dataset::open_parallel(path, mode, Box::new(comm)))?
            }
            false => enter(Dataset::open_for_ranks(path, mode))?,
        };
        Ok(())
    })
}

/// `nc_create_par`.
pub(crate) fn create_parallel(path: &Path, cmode: c_int, fortran_comm: c_int) -> Outcome<c_int> {
    let comm = connected(fortran_comm).map_err(|error| refused(&error))?;
    enter(Dataset::create_parallel(
        path,
        default_mode(cmode),
        Box::new(comm),
    ))
}

/// netCDF's status for what is said of a communicator.
pub(crate) fn refused(error: &Error) -> Status {
    let status = match error.code {
        ErrorCode::Unsupported => Status::ENOPAR,
        _ => Status::EINVAL,
    };
    explain(status, &last_error::in_one_line(error));
    status
}

/// `nc_var_par_access`: `NC_NOERR` for a file that several ranks write or read, `NC_ENOPAR` for another.
/// Independent and collective access are the same: no rank waits for another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_netcdf_var_par_access(
    ncid: c_int,
    varid: c_int,
    access: c_int,
) -> c_int {
    run(|| check_par_access(ncid, varid, access))
}

/// `nc_var_par_access`.
pub(crate) fn check_par_access(ncid: c_int, varid: c_int, access: c_int) -> Outcome<()> {
    if !(0..=1).contains(&access) {
        return Err(Status::EINVAL);
    }
    table::with(ncid, |file, group| match file.is_of_ranks() {
        true if varid < 0 => Ok(()),
        true => file.inq_var(group, varid).map(drop),
        false => Err(Status::ENOPAR),
    })
}
