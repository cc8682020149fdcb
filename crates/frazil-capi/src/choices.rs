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
    /// Readers that have the registered filter plugins: frazil also uses Zstandard where it is
    /// better.
    FRZ_READERS_PLUGINS = 1,
    /// frazil, and readers that have frazil's own plugins.
    FRZ_READERS_FRAZIL = 2,
}

/// Who must be able to read the file: one of ::frz_readers (default: ::FRZ_READERS_ANY). It limits
/// the filters that frazil chooses, not those that the caller states.
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

/// What to optimize the choice of filters for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_goal {
    /// Small files at little cost.
    FRZ_GOAL_BALANCED = 0,
    /// Small files, with filters that encode at least 20 MB/s on one core.
    FRZ_GOAL_SIZE = 1,
    /// The fastest filters that still shrink the data.
    FRZ_GOAL_SPEED = 2,
    /// The smallest files, at any cost.
    FRZ_GOAL_ARCHIVE = 3,
    /// The fewest joules for one write and one read, with filters that still shrink the data.
    FRZ_GOAL_ENERGY = 4,
}

/// Sets what to optimize the choice of filters for, if none are stated: one of ::frz_goal (default:
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

/// Sets the filters of all variables that state none themselves, in the order in which they are
/// applied: `shuffle+zstd(3)`. NULL: frazil chooses. docs/filters.md lists the filters. The readers
/// that ::frz_options_set_readable_by names must know them; ::frz_create refuses others.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a text that does not name filters.
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

/// Reads options from a file: by variable (precision, filters, chunk shapes) and, in `[defaults]`,
/// for all of them (goal, readers, reads): the TOML file that `frazil pack --precision` and
/// ::frz_compression_read read, docs/precision.md. `frz_set_...` for a variable, and
/// ::frz_options_set_filters, override the file. The defaults in the file override options that
/// were set before this call; later calls override the defaults. You may call it for several files:
/// later ones override earlier ones. NULL: no options by variable.
///
/// Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; ::FRZ_INVALID_ARGUMENT if the file is invalid:
/// ::frz_last_message names the rule. ::frz_add_variable refuses rules that a variable cannot have,
/// such as filters that its readers may lack. If no variable has the name in a precision rule, the
/// first ::frz_put refuses the rule: see ::frz_options_set_precision_shared.
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

/// Not 0: the rules of ::frz_options_read_precision are for several files, and one file need not
/// have all variables that they name. 0 (the default): a name that no variable has is an error.
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

/// Uses the chunk shapes, filters and rounding that another run chose, for all variables that state
/// none themselves: `plan` is the JSON text of ::frz_plan. NULL: no plan.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a text that is not a plan; ::frz_last_message says where.
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

/// Same as ::frz_options_set_plan, with the text of a file.
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

/// Sets the reads that you expect, to choose chunk shapes for: `"map,series=2"`. Each is `map`,
/// `series`, `profile`, `volume` or a hyperslab (`"time:200/lat:40/lon:60"`), with an optional
/// weight. NULL (the default): frazil balances maps and series in chunks of about 1 MiB.
///
/// It applies to variables without a stated chunk shape. frazil knows what an axis is from those
/// attributes of its coordinate variable that were set before the variable's first value, else from
/// its name and the order of the axes.
///
/// Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the invalid read.
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

/// Kinds of storage that a file will be read from. They determine the size of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_storage {
    /// Not stated (the default): chunks of about 1 MiB; if reads are stated, chunks for local
    /// storage.
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

/// Sets the storage that the file will be read from: one of ::frz_storage. It applies to variables
/// without a stated chunk shape.
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

/// Not 0: the file keeps its plan in the global attribute `frazil_plan` (JSON). 0 (the default): it
/// does not.
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
