//! The handle of a file being written: from create or append to close.

use std::ffi::{c_char, c_int};
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock};

use frazil::schema::{DimensionId, GroupId, VariableId};
use frazil::{Error, ErrorCode, RecoverOutcome, Result, Writer, WriterOptions, WriterReport};

use crate::arguments::{self, invalid, null, result_at};
use crate::at_exit;
use crate::guard::guarded;
use crate::last_error;
use crate::options::{frz_options, or_default};
use crate::status::frz_status;

/// A netCDF-4 file being written.
///
/// Several threads may use one writer: their calls run one after the other. After a thread has
/// called ::frz_close or ::frz_abandon, no thread may use the handle. Writers of different files do
/// not wait for each other, except while one of them is in libhdf5.
pub struct frz_writer {
    shared: Arc<Shared>,
}

/// A writer, as its handle and the end of the program see it.
pub(crate) struct Shared {
    path: PathBuf,
    /// Of the process that opened the file.
    pub(crate) generation: u64,
    /// `None`: the program has ended.
    pub(crate) writer: Mutex<Option<Writer>>,
    /// What became of the file when the program ended: a destructor may close it after that.
    pub(crate) ended: OnceLock<Result<WriterReport>>,
}

/// Report of a writer.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct frz_report {
    /// Set by the caller before the call: `sizeof(frz_report)`.
    pub size_bytes: usize,
    /// Seconds that calls waited: for memory, for commits, for the end.
    pub stalled_seconds: f64,
    /// Seconds of packing and placing in the background.
    pub hidden_seconds: f64,
    /// Bytes given to ::frz_put and similar functions.
    pub raw_bytes: u64,
    /// Bytes of all values in the file, as they are stored.
    pub stored_bytes: u64,
    /// Raw bytes divided by stored bytes; 1 if nothing is stored.
    pub ratio: f64,
    /// Bytes written to the scratch file because memory was short.
    pub spilled_bytes: u64,
    /// Chunks placed; a chunk that was packed again counts again.
    pub chunks: u64,
    /// Chunks among these that reuse packed bytes, because they are equal to an earlier chunk or
    /// repeat one value.
    pub chunks_reused: u64,
    /// Chunks that hold only fill values and need not be stored.
    pub chunks_omitted: u64,
    /// Bytes of all chunks that were written: more than `stored_bytes` where chunks were written
    /// again, because a commit found them incomplete or because their values changed.
    pub written_bytes: u64,
    /// Commits: those of ::frz_sync, those of the writer's own, and that of ::frz_close.
    pub commits: u64,
    /// Variables that shared rules would have rounded, had a model not started from this file again: they
    /// are exact.
    pub kept_exact: u64,
}

impl frz_report {
    /// One that is to be filled.
    pub(crate) fn empty() -> Self {
        Self {
            size_bytes: size_of::<Self>(),
            stalled_seconds: 0.0,
            hidden_seconds: 0.0,
            raw_bytes: 0,
            stored_bytes: 0,
            ratio: 1.0,
            spilled_bytes: 0,
            chunks: 0,
            chunks_reused: 0,
            chunks_omitted: 0,
            written_bytes: 0,
            commits: 0,
            kept_exact: 0,
        }
    }
}

/// The size of the report in version 0.1.0, which had no `written_bytes`.
const FIRST_REPORT_BYTES: usize = offset_of!(frz_report, written_bytes);

/// Outcome of ::frz_recover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_recovery {
    /// Nothing was left behind: the file is at its last commit.
    FRZ_CLEAN = 0,
    /// What a commit that had not been decided left behind is removed.
    FRZ_DISCARDED = 1,
    /// A commit that had been decided is complete now.
    FRZ_COMPLETED = 2,
    /// The data of a commit are gone: the file is at the commit before.
    FRZ_TAKEN_BACK = 3,
}

/// Calls `body` with the writer behind a handle.
///
/// # Errors
/// Those of `body`; [`ErrorCode::InvalidArgument`] if the handle is NULL; [`ErrorCode::Internal`]
/// after a panic in an earlier call.
///
/// # Safety
/// A handle that is not NULL must be one of [`frz_create`] or [`frz_append`] that was not closed.
#[inline]
pub(crate) unsafe fn with_writer<T>(
    writer: *const frz_writer,
    body: impl FnOnce(&mut Writer) -> Result<T>,
) -> Result<T> {
    // SAFETY: the caller's promise.
    let handle = &*unsafe { writer.as_ref() }
        .ok_or_else(|| null("writer"))?
        .shared;
    // Before the lock, which a thread that is no more may hold.
    if handle.generation != frazil::fork_generation() {
        return Err(of_the_parent(&handle.path));
    }
    match handle.writer.lock().as_deref_mut() {
        Ok(Some(writer)) => body(writer),
        Ok(None) => Err(ended()),
        Err(_) => Err(broken()),
    }
    .map_err(|error| error.in_file(&handle.path))
}

/// The error of a writer in a child process, which has no threads to pack.
#[cold]
fn of_the_parent(path: &Path) -> Error {
    let cause = "the parent process is writing the file, and this process is its fork";
    Error::new(ErrorCode::InvalidArgument, cause)
        .in_file(path)
        .with_cure("create a writer in the process that writes")
}

/// The error of a writer whose program has ended, and with it the file.
#[cold]
fn ended() -> Error {
    invalid("the program is ending: the file is committed and closed")
}

/// The error of a writer that a panic left half changed.
fn broken() -> Error {
    Error::new(
        ErrorCode::Internal,
        "an earlier call ended in a bug in frazil: the writer can only be closed",
    )
}

/// The group with a number.
pub(crate) fn group_id(writer: &Writer, group: c_int) -> Result<GroupId> {
    known(group, writer.schema().groups.len(), "group").map(GroupId)
}

/// The dimension with a number.
pub(crate) fn dimension_id(writer: &Writer, dimension: c_int) -> Result<DimensionId> {
    known(dimension, writer.schema().dimensions.len(), "dimension").map(DimensionId)
}

/// The variable with a number.
#[inline]
pub(crate) fn variable_id(writer: &Writer, variable: c_int) -> Result<VariableId> {
    known(variable, writer.schema().variables.len(), "variable").map(VariableId)
}

#[inline]
fn known(number: c_int, all: usize, kind: &str) -> Result<usize> {
    usize::try_from(number)
        .ok()
        .filter(|&number| number < all)
        .ok_or_else(|| invalid(format!("no {kind} has the number {number}")))
}

/// # Safety
/// `path` as [`arguments::path`], `options` as [`or_default`], `writer` as [`result_at`].
pub(crate) unsafe fn open(
    path: *const c_char,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
    begin: impl FnOnce(&Path, &WriterOptions) -> Result<Writer>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        let (path, options, result) = unsafe {
            let result = result_at(writer, "writer")?;
            *result = ptr::null_mut();
            (arguments::path(path)?, or_default(options), result)
        };
        last_error::complain_of_environment();
        let opened = begin(path, &options).map_err(|error| error.in_file(path))?;
        let shared = Arc::new(Shared {
            path: path.to_owned(),
            generation: frazil::fork_generation(),
            writer: Mutex::new(Some(opened)),
            ended: OnceLock::new(),
        });
        at_exit::remember(&shared);
        *result = Box::into_raw(Box::new(frz_writer { shared }));
        Ok(())
    })
}

/// Creates a netCDF-4 file. Readers can open it from the first ::frz_sync on.
///
/// `options` may be NULL: the defaults. `*writer` becomes the new handle, which you must give to
/// ::frz_close or ::frz_abandon; on an error it becomes NULL.
///
/// Errors: ::FRZ_ALREADY_EXISTS, ::FRZ_NOT_FOUND (no such folder), ::FRZ_PERMISSION_DENIED,
/// ::FRZ_LOCKED (somebody is writing the file)...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_create(
    path: *const c_char,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { open(path, options, writer, Writer::create) }
}

/// Opens an existing netCDF-4 file for writing. If a killed writer left the file unfinished, this
/// first recovers it, as ::frz_recover does.
///
/// `options` and `writer` as for ::frz_create. Find groups, dimensions and variables of the file
/// with ::frz_find_group, ::frz_find_dimension and ::frz_find_variable.
///
/// Errors: ::FRZ_NOT_FOUND, ::FRZ_LOCKED, ::FRZ_CORRUPT, ::FRZ_UNSUPPORTED (frazil cannot continue
/// this file)...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_append(
    path: *const c_char,
    options: *const frz_options,
    writer: *mut *mut frz_writer,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { open(path, options, writer, Writer::append) }
}

/// Commits: readers see everything put so far, and it survives the end of this process.
///
/// Errors: those of writing, also of chunks that were put by earlier calls: ::FRZ_NO_SPACE,
/// ::FRZ_IO... The last commit stays readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_sync(writer: *mut frz_writer) -> frz_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { with_writer(writer, Writer::sync) })
}

/// Reports what the writer has done so far.
///
/// `report->size_bytes` must be `sizeof(frz_report)`, in the size that the caller was compiled
/// with: later versions append members, and fill only those that the caller knows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_writer_report(
    writer: *mut frz_writer,
    report: *mut frz_report,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let done = with_writer(writer, |writer| writer.report())?;
            fill_report(report, &done)
        }
    })
}

/// Commits everything and closes the file. The handle is freed in any case, also on an error, and
/// must not be used any more.
///
/// `report` may be NULL; else it is filled as by ::frz_writer_report.
///
/// Errors: as ::frz_sync. The file is then at its last commit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_close(writer: *mut frz_writer, report: *mut frz_report) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (shared, writer) = unsafe { take(writer) }?;
        let outcome = match shared.ended.get() {
            Some(outcome) => outcome.clone(),
            None => writer?.close(),
        };
        let done = outcome.map_err(|error| error.in_file(&shared.path))?;
        if report.is_null() {
            return Ok(());
        }
        // SAFETY: not NULL; the rest is the caller's promise.
        unsafe { fill_report(report, &done) }
    })
}

/// Closes without a commit: the file stays at its last commit; a new file without a commit is
/// removed. The handle is freed in any case and must not be used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_abandon(writer: *mut frz_writer) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (_, writer) = unsafe { take(writer) }?;
        writer?.abandon();
        Ok(())
    })
}

/// Brings a file back to its last commit after its writer was killed. Bytes behind that commit,
/// which no reader sees, are removed where the writer left its lock or its journal, unless a
/// program has the file open or may be writing it: then the lock stays, and a later call can
/// remove them.
///
/// `*outcome` becomes one of ::frz_recovery; NULL is allowed.
///
/// Errors: ::FRZ_NOT_FOUND; ::FRZ_LOCKED if its writer is alive; ::FRZ_CORRUPT if the journal is
/// damaged or others changed the file since: then nothing is changed. If there is nothing to
/// recover and the file cannot be read, the error is that of reading it. A file whose
/// writer ended before its first commit is clean.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_recover(path: *const c_char, outcome: *mut c_int) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { arguments::path(path) }?;
        let found = match frazil::recover(path)?.outcome {
            RecoverOutcome::Clean => frz_recovery::FRZ_CLEAN,
            RecoverOutcome::Discarded => frz_recovery::FRZ_DISCARDED,
            RecoverOutcome::Completed => frz_recovery::FRZ_COMPLETED,
            RecoverOutcome::TakenBack => frz_recovery::FRZ_TAKEN_BACK,
        };
        if !outcome.is_null() {
            // SAFETY: not NULL; the rest is the caller's promise.
            *unsafe { result_at(outcome, "outcome") }? = found as c_int;
        }
        Ok(())
    })
}

/// Frees the handle. Of a writer that a panic left half changed, only an error remains: the file
/// stays at its last commit.
///
/// # Safety
/// A handle that is not NULL must be one of [`frz_create`] or [`frz_append`] that was not closed.
unsafe fn take(writer: *mut frz_writer) -> Result<(Arc<Shared>, Result<Writer>)> {
    if writer.is_null() {
        return Err(null("writer"));
    }
    // SAFETY: made by Box::into_raw in `open`; the rest is the caller's promise.
    let handle = unsafe { Box::from_raw(writer) };
    let shared = handle.shared;
    let path = shared.path.clone();
    if shared.generation != frazil::fork_generation() {
        // Nothing of it ends in the child: the file is the parent's, and its threads are not here.
        std::mem::forget(shared);
        return Err(of_the_parent(&path));
    }
    let writer = match shared.writer.lock() {
        Ok(mut writer) => writer.take().ok_or_else(|| ended().in_file(&path)),
        Err(poisoned) => {
            if let Some(writer) = poisoned.into_inner().take() {
                writer.abandon();
            }
            Err(broken().in_file(&path))
        }
    };
    Ok((shared, writer))
}

/// # Safety
/// `report` must be NULL or point to `report->size_bytes` bytes.
pub(crate) unsafe fn fill_report(report: *mut frz_report, done: &WriterReport) -> Result<()> {
    // SAFETY: the first member is there, as the caller promises.
    let size_bytes = *unsafe { result_at(report.cast::<usize>(), "report") }?;
    if size_bytes < FIRST_REPORT_BYTES {
        return Err(invalid(
            "`report->size_bytes` is not sizeof(frz_report): set it before the call",
        ));
    }
    let known_bytes = size_bytes.min(size_of::<frz_report>());
    let ours = frz_report {
        size_bytes: known_bytes,
        stalled_seconds: done.stalled_seconds,
        hidden_seconds: done.hidden_seconds,
        raw_bytes: done.raw_bytes,
        stored_bytes: done.stored_bytes,
        ratio: done.ratio,
        spilled_bytes: done.spilled_bytes,
        chunks: done.chunks,
        chunks_reused: done.chunks_reused,
        chunks_omitted: done.chunks_omitted,
        written_bytes: done.written_bytes,
        commits: done.commits,
        kept_exact: done.kept_exact,
    };
    // SAFETY: the caller has `size_bytes` bytes there, no fewer than are copied, as it promises; a
    // report has no padding (all members have eight bytes), and is apart from the caller's.
    unsafe {
        ptr::copy_nonoverlapping(
            (&raw const ours).cast::<u8>(),
            report.cast::<u8>(),
            known_bytes,
        );
    }
    Ok(())
}
