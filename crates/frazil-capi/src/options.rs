//! How a writer works: an opaque handle, so that options can be added.

use std::ffi::{c_char, c_int};
use std::time::Duration;

use frazil::{
    Cores, FilterChain, Goal, OwnCommits, ReaderLevel, Resources, Result, Storage, WriterOptions,
    parse_plan, parse_reads, read_plan, read_precision,
};

use crate::arguments::{self, elements, invalid, not_negative, null, text};
use crate::guard::guarded;
use crate::status::frz_status;

/// How a writer works. One may serve several writers, one after the other or several at once, as
/// long as nobody changes it meanwhile; it is not needed any more once ::frz_create has returned.
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
unsafe fn change(
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

/// Replaces all options by those that the environment states, as files of netCDF's calls have them:
/// `FRAZIL_GOAL=size` and its like, and `FRAZIL_OPTIONS=goal=size,threads=4`. Options that the program
/// insists on are set afterwards.
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

/// Where packing threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_cores {
    /// On the cores that the process may use and has not bound its own threads to; if it has bound
    /// all, on all of them, where they yield to the program's threads.
    FRZ_CORES_SPARE = 0,
    /// Wherever the system lets them run.
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

/// Packing threads run on these cores and no others: `count` numbers, as the system counts them
/// from 0.
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

/// Bytes that values may take in memory while they are gathered, packed and placed (default:
/// 268435456; 1048576 at least). What does not fit waits in a scratch file beside the output.
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

/// Not 0: every ::frz_sync waits until the disk has it, and survives a power cut. 0 (the default):
/// it survives the end of the process, in whatever way that ends.
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

/// Not 0: all work is done in the calls themselves, on the calling thread; for debugging.
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

/// Not 0: ::frz_create replaces an existing file. 0 (the default): it refuses.
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

/// Not 0: the file says that it keeps to netCDF's classic model (no groups, no strings, at most
/// one unlimited dimension).
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

/// Who must be able to read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_readers {
    /// Every netCDF-4 reader since 2008: shuffle, deflate and Fletcher-32 only.
    FRZ_READERS_ANY = 0,
    /// Readers with the registered filter plugins at hand: Zstandard, too, where it is better.
    FRZ_READERS_PLUGINS = 1,
    /// frazil, and readers with frazil's own plugins at hand.
    FRZ_READERS_FRAZIL = 2,
}

/// Who must be able to read the file: one of ::frz_readers (default: ::FRZ_READERS_ANY). It binds
/// what frazil chooses; a filter that the caller asks for is honoured.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_readable_by(
    options: *mut frz_options,
    readers: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.readable_by = match readers {
                any if any == frz_readers::FRZ_READERS_ANY as c_int => ReaderLevel::Any,
                plugins if plugins == frz_readers::FRZ_READERS_PLUGINS as c_int => {
                    ReaderLevel::Plugins
                }
                frazil if frazil == frz_readers::FRZ_READERS_FRAZIL as c_int => ReaderLevel::Frazil,
                other => return Err(invalid(format!("no readers have the number {other}"))),
            };
            Ok(())
        })
    }
}

/// What filters are chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_goal {
    /// The lowest level that comes close to the best.
    FRZ_GOAL_BALANCED = 0,
    /// Small files, at a cost that can be borne.
    FRZ_GOAL_SIZE = 1,
    /// Data that are written as fast as can be, and still shrink.
    FRZ_GOAL_SPEED = 2,
    /// The smallest files, whatever writing them costs.
    FRZ_GOAL_ARCHIVE = 3,
    /// The fewest joules for writing once and reading once, of what still shrinks.
    FRZ_GOAL_ENERGY = 4,
}

/// What filters are chosen for, where none are asked for: one of ::frz_goal (default:
/// ::FRZ_GOAL_BALANCED).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_goal(
    options: *mut frz_options,
    goal: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            // In the order of their numbers.
            let goals = Goal::ALL.into_iter().enumerate();
            let mut goals = goals.filter(|&(number, _)| number as c_int == goal);
            let (_, goal) = goals
                .next()
                .ok_or_else(|| invalid(format!("no goal has the number {goal}")))?;
            inner.goal = goal;
            Ok(())
        })
    }
}

/// Filters of all variables that ask for none themselves, `shuffle+zstd(3)`, in the order in which
/// they are applied, instead of a choice; NULL: no such filters. docs/filters.md lists them. They
/// must be readable by those that ::frz_options_set_readable_by names; ::frz_create refuses others.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a text that names no filters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_filters(
    options: *mut frz_options,
    filters: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.filters = match filters.is_null() {
                true => None,
                false => {
                    let chain = text(filters, "filters")?.parse::<FilterChain>();
                    Some(chain.map_err(|error| invalid(error.to_string()))?)
                }
            };
            Ok(())
        })
    }
}

/// Adds what a file of wishes states of variables, by name: the TOML file that `frazil pack --wishes` and
/// ::frz_wishes_read read, docs/precision.md. What is asked for of a variable by `frz_set_...`, and
/// ::frz_options_set_filters, go before. It may be called for several files: later ones go before
/// earlier ones. NULL: no wishes.
///
/// Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; ::FRZ_INVALID_ARGUMENT if the file is not understood:
/// ::frz_last_message says which rule. What cannot be honoured of a variable, filters that its readers
/// may lack, is refused by ::frz_add_variable. Wishes for the precision of a variable by its name are refused
/// by the first ::frz_put if there is no such variable then: see ::frz_options_set_precision_shared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_read_precision(
    options: *mut frz_options,
    path: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            match path.is_null() {
                true => inner.rules.clear(),
                false => inner.rules.extend(read_precision(arguments::path(path)?)?),
            }
            Ok(())
        })
    }
}

/// Whether the wishes that ::frz_options_read_precision reads are for several files (default: 0), so that one
/// file need not have all variables that they name. Else a name that is nowhere counts as a mistake.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_precision_shared(
    options: *mut frz_options,
    shared: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.rules_are_shared = shared != 0;
            Ok(())
        })
    }
}

/// The writer commits by itself when a record is complete and so many bytes were put since the last
/// commit (default: 268435456), for programs that never call ::frz_sync. 0: it never does, unless
/// rewritten chunks would take too much memory.
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

/// Records that the program writes between two calls of ::frz_sync; 0 (the default): not known.
/// Chunks then have no more records, so that a sync finds them complete and writes none twice.
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

/// Chunk shapes, filters and rounding as another run decided them, for all variables that ask for
/// none themselves: `plan` is the JSON text of ::frz_plan. NULL: no plan.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a text that is no plan; ::frz_last_message says where.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_plan(
    options: *mut frz_options,
    plan: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.plan = match plan.is_null() {
                true => None,
                false => Some(parse_plan(text(plan, "plan")?)?),
            };
            Ok(())
        })
    }
}

/// As ::frz_options_set_plan, with the text of a file.
///
/// Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; as ::frz_options_set_plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_read_plan(
    options: *mut frz_options,
    path: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.plan = Some(read_plan(arguments::path(path)?)?);
            Ok(())
        })
    }
}

/// The reads to come, which chunk shapes are to serve: `"map,series=2"`. Each is `map`, `series`,
/// `profile`, `volume` or a hyperslab (`"time:200/lat:40/lon:60"`), with a weight if wanted. NULL
/// (the default): none are stated, and maps and series are balanced in chunks of about 1 MiB.
///
/// It binds variables whose chunk shape nobody states. Axes are known by the attributes of their
/// coordinate variables that were put before the variable's first value, else by names and order.
///
/// Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the read that is not understood.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_reads(
    options: *mut frz_options,
    reads: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.chunk_goal.reads = match reads.is_null() {
                true => Vec::new(),
                false => parse_reads(text(reads, "reads")?)?,
            };
            Ok(())
        })
    }
}

/// Where a file will lie while it is read: the chunks' size follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_storage {
    /// Not stated (the default): chunks of about 1 MiB, or those for local storage where reads are
    /// stated.
    FRZ_STORAGE_ANY = 0,
    /// The machine's own memory or solid-state disk: 16 KiB to 1 MiB.
    FRZ_STORAGE_LOCAL = 1,
    /// A rotating disk: 256 KiB to 1 MiB.
    FRZ_STORAGE_DISK = 2,
    /// A parallel file system: 1 to 4 MiB.
    FRZ_STORAGE_PARALLEL_FS = 3,
    /// An object store: 4 to 16 MiB.
    FRZ_STORAGE_OBJECT_STORE = 4,
}

/// Where the file will lie while it is read: one of ::frz_storage. It binds variables whose chunk
/// shape nobody states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_storage(
    options: *mut frz_options,
    storage: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            const ANY: c_int = frz_storage::FRZ_STORAGE_ANY as c_int;
            const LOCAL: c_int = frz_storage::FRZ_STORAGE_LOCAL as c_int;
            const DISK: c_int = frz_storage::FRZ_STORAGE_DISK as c_int;
            const PARALLEL_FS: c_int = frz_storage::FRZ_STORAGE_PARALLEL_FS as c_int;
            const OBJECT_STORE: c_int = frz_storage::FRZ_STORAGE_OBJECT_STORE as c_int;
            inner.chunk_goal.storage = match storage {
                ANY => None,
                LOCAL => Some(Storage::Local),
                DISK => Some(Storage::Disk),
                PARALLEL_FS => Some(Storage::ParallelFs),
                OBJECT_STORE => Some(Storage::ObjectStore),
                other => return Err(invalid(format!("no storage has the number {other}"))),
            };
            Ok(())
        })
    }
}

/// How many seconds a rank of a file that several write waits for one of which it hears nothing
/// (default: 300): then the call fails, and says for whom it waited. All ranks say the same.
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

/// 0: the bytes of a file that several ranks write may depend on which ranks there are and what each
/// of them puts. Chunk shapes that nobody stated then go by the ranks' blocks (::frz_state_block),
/// and ranks write packed chunks at once, not at the next sync. Not 0 (the default): the same bytes
/// for any number of ranks and any decomposition. docs/mpi.md says more.
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

/// Of the ranks that write a file together the last `io_ranks`, at most half, pack and write for the
/// others, which hand them what they put and go on; 0 (the default): every rank packs and writes what
/// it puts. ::frz_is_io_rank tells which rank is what; docs/mpi.md says what an I/O rank does.
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

/// Not 0: what was decided is kept in the file, as the global attribute `frazil_plan` (JSON). 0 (the
/// default): it is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_options_set_keep_plan(
    options: *mut frz_options,
    keep_plan: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(options, |inner| {
            inner.keep_plan = keep_plan != 0;
            Ok(())
        })
    }
}
