//! How a writer works: an opaque handle, so that options can be added.

use std::ffi::{c_char, c_int};
use std::time::Duration;

use frazil::{Cores, OwnCommits, Resources, Result, WriterOptions};

use crate::arguments::{elements, invalid, not_negative, null, text};
use crate::guard::guarded;
use crate::status::frz_status;

/// Options of a writer. Several writers may use the same options, also at the same time, as long as
/// nothing changes these. After ::frz_create has returned, the writer no longer needs them.
pub struct frz_options {
    pub(crate) inner: WriterOptions,
}

/// The options behind a handle; the defaults if it is NULL.
///
/// # Safety
/// A handle that is not NULL must be one of [`frz_options_new`] that was not freed.
pub(crate) unsafe fn or_default(options: *const frz_options) -> WriterOptions {
    // SAFETY: the caller's promise.
    unsafe { options.as_ref() }.map_or_else(WriterOptions::default, |one| one.inner.clone())
}

/// # Safety
/// As [`or_default`], and nobody else uses the handle meanwhile.
pub(crate) unsafe fn change(
    options: *mut frz_options,
    body: impl FnOnce(&mut WriterOptions) -> Result<()>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let options = unsafe { options.as_mut() }.ok_or_else(|| null("options"))?;
        body(&mut options.inner)
    })
}

/// Sets limits, unless nobody can mean them.
fn set_resources(options: &mut WriterOptions, set: impl FnOnce(&mut Resources)) -> Result<()> {
    let mut resources = options.resources.clone();
    set(&mut resources);
    resources.check()?;
    options.resources = resources;
    Ok(())
}

/// Options with their defaults. Free them with ::frz_options_free.
#[unsafe(no_mangle)]
pub extern "C" fn frz_options_new() -> *mut frz_options {
    Box::into_raw(Box::new(frz_options {
        inner: WriterOptions::default(),
    }))
}

/// Frees options. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_free(options: *mut frz_options) {
    if !options.is_null() {
        // SAFETY: of frz_options_new and not freed, as the caller promises.
        drop(unsafe { Box::from_raw(options) });
    }
}

/// Sets any option of a writer by its name, from text: `frz_options_set(options, "goal", "size")`.
/// docs/options.md lists the names with the values they may have.
///
/// Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the option, the value and what is allowed,
/// or the nearest spelling of an unknown name. If the value names a file, those of reading it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set(
    options: *mut frz_options,
    key: *const c_char,
    value: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.set(text(key, "key")?, text(value, "value")?)
        })
    }
}

/// Sets options from a list, `"goal=size,threads=4"`; with semicolons between them if a value has
/// commas, `"reads=map,series;threads=4"`.
///
/// Errors: as ::frz_options_set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_list(
    options: *mut frz_options,
    list: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe { change(options, |inner| inner.set_list(text(list, "list")?)) }
}

/// Replaces all options by those of the environment, which netCDF's calls use: `FRAZIL_GOAL=size`
/// and so on, and `FRAZIL_OPTIONS=goal=size,threads=4`. To override the environment, set options
/// after this call.
///
/// Errors: as ::frz_options_set, with the name of the variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_read_environment(options: *mut frz_options) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            *inner = WriterOptions::from_environment()?;
            Ok(())
        })
    }
}

/// Packing threads, 4096 at most; 0 (the default): one for each core that the process may use.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for more, or less than 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_threads(
    options: *mut frz_options,
    threads: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            let threads = not_negative(threads, "threads")?;
            set_resources(inner, |resources| resources.threads = threads)
        })
    }
}

/// Cores on which packing threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_cores {
    /// On the cores that the process may use and has not bound its own threads to; if it has bound
    /// all, on all of them, where they yield to the program's threads.
    FRZ_CORES_SPARE = 0,
    /// On all cores that the process may use.
    FRZ_CORES_ANY = 1,
}

/// Cores of the packing threads: one of ::frz_cores (default: ::FRZ_CORES_SPARE).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_cores(
    options: *mut frz_options,
    cores: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.cores = match cores {
                spare if spare == frz_cores::FRZ_CORES_SPARE as c_int => Cores::Spare,
                any if any == frz_cores::FRZ_CORES_ANY as c_int => Cores::Any,
                other => {
                    return Err(invalid(format!(
                        "no choice of cores has the number {other}"
                    )));
                }
            };
            Ok(())
        })
    }
}

/// Lets packing threads run on these cores only: `count` numbers, as the system counts them from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_core_list(
    options: *mut frz_options,
    count: c_int,
    cores: *const c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            let count = not_negative(count, "count")?;
            let numbers = elements(cores, count, "cores")?.iter();
            let numbers: Vec<usize> = numbers
                .map(|&core| not_negative(core, "cores"))
                .collect::<Result<_>>()?;
            if numbers.is_empty() {
                return Err(invalid("`count` is 0: no core to run on"));
            }
            inner.cores = Cores::These(numbers);
            Ok(())
        })
    }
}

/// Sets the memory for values that are gathered, packed and placed, in bytes (default: 268435456;
/// at least 1048576). Values that do not fit wait in a scratch file beside the output.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for less, or more than any machine has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_memory_bytes(
    options: *mut frz_options,
    bytes: u64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            set_resources(inner, |resources| resources.memory_bytes = bytes)
        })
    }
}

/// Not 0: every ::frz_sync waits until the data are on the disk, so that they survive a power cut.
/// 0 (the default): they survive the end of the process, however it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_durable(
    options: *mut frz_options,
    durable: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.durable = durable != 0;
            Ok(())
        })
    }
}

/// Not 0: each call does all of its work on the calling thread, for debugging.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_synchronous(
    options: *mut frz_options,
    synchronous: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.synchronous = synchronous != 0;
            Ok(())
        })
    }
}

/// Not 0: ::frz_create replaces an existing file, which is gone at once: also if the new one is abandoned.
/// 0 (the default): it refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_overwrite(
    options: *mut frz_options,
    overwrite: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.overwrite = overwrite != 0;
            Ok(())
        })
    }
}

/// Not 0: the file is marked as one of netCDF's classic model (no groups, no strings, at most one
/// unlimited dimension).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_classic_model(
    options: *mut frz_options,
    classic_model: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.classic_model = classic_model != 0;
            Ok(())
        })
    }
}

/// Lets the writer commit by itself at the end of a record, once this many bytes were put since the
/// last commit (default: 268435456). This serves programs that never call ::frz_sync. 0: it commits
/// by itself only if rewritten chunks would take too much memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_commit_bytes(
    options: *mut frz_options,
    bytes: u64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.commits = match bytes {
                0 => OwnCommits::Never,
                bytes => OwnCommits::EveryBytes(bytes),
            };
            Ok(())
        })
    }
}

/// Sets the number of records that the program writes between two calls of ::frz_sync; 0 (the
/// default): not known. No chunk then has more records, so that a sync finds chunks complete and
/// writes none twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_records_per_sync(
    options: *mut frz_options,
    records: u64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.records_per_sync = (records > 0).then_some(records);
            Ok(())
        })
    }
}

/// Sets how many seconds a rank waits for a silent rank, if several ranks write one file (default:
/// 300). After that the call fails, and its message names the silent ranks. Set the same number on
/// all ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_longest_wait(
    options: *mut frz_options,
    seconds: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            let wait = Duration::try_from_secs_f64(seconds).ok();
            let wait = wait.filter(|wait| !wait.is_zero());
            inner.longest_wait = Some(wait.ok_or_else(|| invalid("`seconds` is no time to wait"))?);
            Ok(())
        })
    }
}

/// 0: the bytes of a file that several ranks write may depend on the number of ranks and on what
/// each of them puts. Chunk shapes that are not stated then follow the ranks' blocks
/// (::frz_state_block), and ranks write packed chunks at once, not at the next sync. Not 0 (the
/// default): the same bytes for any number of ranks and any decomposition. docs/mpi.md says more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_reproducible(
    options: *mut frz_options,
    reproducible: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.follow_ranks = reproducible == 0;
            Ok(())
        })
    }
}

/// Makes the last `io_ranks` ranks, at most half of all, pack and write for the others. The others
/// send them their values and go on. 0 (the default): every rank packs and writes its own values.
/// ::frz_is_io_rank says whether a rank is one of them; docs/mpi.md describes what an I/O rank
/// does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_io_ranks(
    options: *mut frz_options,
    io_ranks: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.io_ranks = not_negative(io_ranks, "io_ranks")?;
            Ok(())
        })
    }
}
