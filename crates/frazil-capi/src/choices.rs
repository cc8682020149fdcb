//! What a writer decides by: readers, goal, filters, precision, plans, and the reads to come.

use std::ffi::{c_char, c_int};

use frazil::{
    FilterChain, Goal, ReaderLevel, Storage, parse_plan, parse_reads, read_plan, read_policy,
};

use crate::arguments::{self, invalid, text};
use crate::options::{change, frz_options};
use crate::status::frz_status;

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

/// Reads options from a file: by variable (precision, filters, chunk shapes) and, in `[defaults]`, for all
/// of them (goal, readers, reads): the TOML file that `frazil pack --precision` and ::frz_compression_read read,
/// docs/precision.md. What is asked for of a variable by `frz_set_...`, and ::frz_options_set_filters,
/// override it. The defaults override what was set before this call; calls that follow override them. It
/// may be called for several files: later ones override earlier ones. NULL: no options by variable.
///
/// Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; ::FRZ_INVALID_ARGUMENT if the file is not understood:
/// ::frz_last_message says which rule. What cannot be honoured of a variable, filters that its readers
/// may lack, is refused by ::frz_add_variable. Rules for the precision of a variable by its name are refused
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
                false => inner.set_policy(read_policy(arguments::path(path)?)?),
            }
            Ok(())
        })
    }
}

/// Whether the rules that ::frz_options_read_precision reads are for several files (default: 0), so that one
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
