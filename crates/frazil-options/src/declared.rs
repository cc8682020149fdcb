//! The options of a writer, each declared once.
//!
//! From this table follow the environment variables (`FRAZIL_GOAL` for `goal`), the entries of
//! `FRAZIL_OPTIONS`, the keys of `frz_options_set` in C and of `options=` in Fortran and Python, the
//! messages that refuse a value, the list that `frazil options` prints, and `docs/options.md`.
//! What a value does is in `frazil-write/src/settable.rs`.

use frazil_types::ErrorCode;
use serde::Serialize;
use strsim::osa_distance;

use frazil_file::error::{Error, Result};

/// A spelling further away is another word.
const LONGEST_DISTANCE: usize = 3;

/// One option of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeclaredOption {
    /// Its name everywhere; in capitals and behind `FRAZIL_` that of its environment variable.
    pub key: &'static str,
    /// What it may be, as the end of the sentence "it must be ...".
    pub values: &'static str,
    /// What holds if nobody states it.
    pub default: &'static str,
    /// What it does, one sentence.
    pub help: &'static str,
    /// Whether it has an environment variable: what a user may state for programs that others wrote.
    pub is_for_users: bool,
    /// The version that brought it.
    pub since: &'static str,
}

const fn option(
    key: &'static str,
    values: &'static str,
    default: &'static str,
    help: &'static str,
) -> DeclaredOption {
    DeclaredOption {
        key,
        values,
        default,
        help,
        is_for_users: true,
        since: "0.1.0",
    }
}

/// An option that only the program can state.
const fn of_program(declared: DeclaredOption) -> DeclaredOption {
    DeclaredOption {
        is_for_users: false,
        ..declared
    }
}

/// All options of a writer.
pub const WRITER_OPTIONS: [DeclaredOption; 24] = [
    option(
        "goal",
        "balanced, size, speed, archive or energy",
        "balanced",
        "What frazil chooses filters for.",
    ),
    option(
        "filters",
        "a chain of filters, as shuffle+deflate(1) or none",
        "chosen by trial",
        "The filters of all variables that ask for none themselves, in the order of application.",
    ),
    option(
        "readable_by",
        "any, netcdf4, plugins or frazil",
        "any",
        "Who must be able to read the file.",
    ),
    option(
        "precision",
        "a file of rules",
        "every bit is kept",
        "How exactly values are kept and which filters are allowed, by variable (docs/precision.md).",
    ),
    option(
        "reads",
        "reads to come, as map,series",
        "maps and series alike",
        "The reads that chunk shapes serve, for variables whose shape nobody states.",
    ),
    option(
        "storage",
        "local, disk, parallel-fs or object-store",
        "not stated",
        "Where the file lies while it is read: the size of chunks follows it.",
    ),
    option(
        "axes",
        "roles of dimensions, as time=time,lev=level",
        "found out from coordinates",
        "What the axes of variables are.",
    ),
    option(
        "expected",
        "lengths of unlimited dimensions, as time=8760",
        "not known",
        "How long unlimited dimensions become: chunk shapes take it into account.",
    ),
    option(
        "plan",
        "a plan's file",
        "none",
        "Chunk shapes, filters and rounding as another run decided them.",
    ),
    option(
        "keep_plan",
        "0 or 1",
        "0",
        "Keeps what was decided in the file, as the attribute frazil_plan.",
    ),
    option(
        "threads",
        "a number from 0 (one for each core) to 4096",
        "0",
        "Packing threads.",
    ),
    option(
        "memory",
        "bytes, or a number with K, M or G, from 1M to 1048576G",
        "256M",
        "Memory for values that are gathered, packed and placed; the rest waits in a scratch file.",
    ),
    option(
        "cores",
        "spare or any",
        "spare",
        "Cores of the packing threads: those that the program has not bound its threads to, or any.",
    ),
    option(
        "mode",
        "async or sync",
        "async",
        "Whether threads pack behind the program's back, or each call does its work itself.",
    ),
    option(
        "durable",
        "0 or 1",
        "0",
        "Whether a commit waits for the disk, and so survives a power cut.",
    ),
    option(
        "commit_bytes",
        "bytes, more than 0, or a number with K, M or G, or never",
        "256M",
        "The writer commits by itself when a record is complete and so many bytes were put.",
    ),
    option(
        "records_per_sync",
        "a number of records, more than 0",
        "not known",
        "Records that the program writes between two syncs: chunks then have no more.",
    ),
    option(
        "reproducible",
        "0 or 1",
        "1",
        "Whether ranks write the same bytes, however many they are and whatever each puts.",
    ),
    option(
        "io_ranks",
        "a number of ranks, 0 for none",
        "0",
        "The last ranks, at most half, that pack and write for the others.",
    ),
    option(
        "longest_wait",
        "seconds, more than 0",
        "300",
        "How long a rank waits for one of which it hears nothing.",
    ),
    of_program(option(
        "overwrite",
        "0 or 1",
        "0",
        "Whether an existing file is replaced.",
    )),
    of_program(option(
        "classic_model",
        "0 or 1",
        "0",
        "Whether the file says that it keeps to netCDF's classic model.",
    )),
    of_program(option(
        "precision_is_shared",
        "0 or 1",
        "0",
        "Whether a file may lack variables that rules for precision name.",
    )),
    of_program(option(
        "most_chunks",
        "a number of chunks, more than 0",
        "65536",
        "The most chunks that a variable whose shape nobody states gets.",
    )),
];

/// Entries of `FRAZIL_OPTIONS` that only the I/O package for WRF knows (docs/wrf.md).
pub const WRF_OPTIONS: [&str; 3] = ["append", "commit", "errors"];

impl DeclaredOption {
    /// The option of this name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] with the nearest spelling, or all of them.
    pub fn find(key: &str) -> Result<&'static Self> {
        let found = WRITER_OPTIONS.iter().find(|one| one.key == key);
        found.ok_or_else(|| unknown(key))
    }

    /// The environment variable that states it.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("FRAZIL_{}", self.key.to_ascii_uppercase())
    }

    /// The error for a value that it cannot have; `shown` is what the user called it.
    #[must_use]
    pub fn refuse(&self, shown: &str, value: &str, why: Option<&str>) -> Error {
        let allowed = self.values;
        let cause = format!("{shown} is {value:?}; it must be {allowed}");
        let cause = why.map_or(cause.clone(), |why| format!("{cause} ({why})"));
        Error::new(ErrorCode::InvalidArgument, cause)
    }
}

fn unknown(key: &str) -> Error {
    let error = Error::new(
        ErrorCode::InvalidArgument,
        format!("there is no option `{key}`"),
    );
    let distances = WRITER_OPTIONS
        .iter()
        .map(|one| (osa_distance(one.key, key), one.key));
    match distances.min() {
        Some((distance, meant)) if distance <= LONGEST_DISTANCE.min(key.len() / 3) => {
            error.with_cure(format!("is `{meant}` meant?"))
        }
        _ => {
            let keys: Vec<&str> = WRITER_OPTIONS.iter().map(|one| one.key).collect();
            error.with_cure(format!("there are {}", keys.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_named_with_what_was_meant() {
        let cure = |key| DeclaredOption::find(key).unwrap_err().cure.unwrap();
        assert_eq!(cure("gaol"), "is `goal` meant?");
        assert_eq!(cure("thread"), "is `threads` meant?");
        assert!(cure("colour").contains("goal, filters, readable_by"));
    }

    #[test]
    fn options_are_named_once_and_say_what_they_do() {
        let mut keys: Vec<&str> = WRITER_OPTIONS.iter().map(|one| one.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), WRITER_OPTIONS.len());
        for one in WRITER_OPTIONS {
            assert!(
                one.help.ends_with('.') && !one.default.is_empty(),
                "{one:?}"
            );
        }
    }
}
