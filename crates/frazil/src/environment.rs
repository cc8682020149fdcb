//! Environment variables: all that have a meaning, and what to say about others of our prefix.

use std::env;
use std::ffi::OsString;

use strsim::osa_distance;

/// What the name of every variable of ours begins with.
const PREFIX: &str = "FRAZIL_";
/// A spelling further away is another word.
const LONGEST_DISTANCE: usize = 4;

/// A variable that has a meaning.
#[derive(Debug, Clone, Copy)]
struct Known {
    name: &'static str,
    /// What it may be, as the end of a sentence.
    values: &'static str,
}

const fn known(name: &'static str, values: &'static str) -> Known {
    Known { name, values }
}

/// All variables that are read by the command, the libraries or the Python package.
const VARIABLES: [Known; 23] = [
    known(
        "FRAZIL_COMMIT_BYTES",
        "bytes, more than 0, or a number with K, M or G, or never",
    ),
    known("FRAZIL_CORES", "spare or any"),
    known("FRAZIL_DURABLE", "0 or 1"),
    known(
        "FRAZIL_FILTERS",
        "a chain of filters, as shuffle+deflate(1) or none",
    ),
    known("FRAZIL_FORMAT", "netcdf4"),
    known("FRAZIL_GOAL", "balanced, size, speed, archive or energy"),
    known("FRAZIL_IO_RANKS", "a number of ranks, 0 for none"),
    known("FRAZIL_KEEP_PLAN", "0 or 1"),
    known("FRAZIL_LONGEST_WAIT", "seconds, more than 0"),
    known(
        "FRAZIL_MEMORY",
        "bytes, or a number with K, M or G, from 1M to 1048576G",
    ),
    known("FRAZIL_MODE", "async or sync"),
    known("FRAZIL_NODE_MEMORY", "0 or 1"),
    known(
        "FRAZIL_OPTIONS",
        "name=value, several with commas between them (docs/wrf.md)",
    ),
    known("FRAZIL_PLAN", "a plan's file"),
    known("FRAZIL_PLUGIN_PATH", "a folder"),
    known("FRAZIL_PYTHON", "a Python interpreter"),
    known("FRAZIL_READABLE_BY", "any, netcdf4, plugins or frazil"),
    known("FRAZIL_READS", "reads to come, as map,series"),
    known(
        "FRAZIL_RECORDS_PER_SYNC",
        "a number of records, more than 0",
    ),
    known("FRAZIL_REPRODUCIBLE", "0 or 1"),
    known("FRAZIL_STORAGE", "local, disk, parallel-fs or object-store"),
    known(
        "FRAZIL_THREADS",
        "a number from 0 (one for each core) to 4096",
    ),
    known("FRAZIL_WISHES", "a file of wishes"),
];

/// Variables of our own makefiles, tests and benchmarks: no program reads them.
const OF_THE_SOURCES: [&str; 13] = [
    "FRAZIL_BENCH",
    "FRAZIL_BIN",
    "FRAZIL_CAMPAIGN",
    "FRAZIL_CORPUS",
    "FRAZIL_CRASH",
    "FRAZIL_FULL",
    "FRAZIL_FUZZ",
    "FRAZIL_INCLUDE",
    "FRAZIL_LIB",
    "FRAZIL_NETCDF",
    "FRAZIL_TEST",
    "FRAZIL_WRITE_GOLDEN",
    "FRAZIL_LIBRARY",
];

/// What a variable may be.
pub(crate) fn allowed(name: &str) -> &'static str {
    let found = VARIABLES.iter().find(|known| known.name == name);
    found.map_or("", |known| known.values)
}

/// One sentence about every variable of the environment that is spelled like one of ours and has no
/// meaning.
#[must_use]
pub fn environment_warnings() -> Vec<String> {
    warnings_about(env::vars_os().map(|(name, _)| name))
}

fn warnings_about(names: impl Iterator<Item = OsString>) -> Vec<String> {
    let texts = names.filter_map(|name| name.into_string().ok());
    let ours = texts.filter(|name| name.to_ascii_uppercase().starts_with(PREFIX));
    let mut unknown: Vec<String> = ours.filter(|name| !has_meaning(name)).collect();
    unknown.sort_unstable();
    unknown.iter().map(|name| warning(name)).collect()
}

fn has_meaning(name: &str) -> bool {
    let is_of_sources = |start: &&str| {
        let rest = name.strip_prefix(*start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    VARIABLES.iter().any(|known| known.name == name) || OF_THE_SOURCES.iter().any(is_of_sources)
}

fn warning(name: &str) -> String {
    let upper = name.to_ascii_uppercase();
    let distances = VARIABLES
        .iter()
        .map(|known| (osa_distance(known.name, &upper), known.name));
    match distances.min() {
        Some((distance, meant)) if distance <= LONGEST_DISTANCE.min(upper.len() / 4) => {
            format!("the environment variable {name} has no meaning: is {meant} meant?")
        }
        _ => {
            let all: Vec<&str> = VARIABLES.iter().map(|known| known.name).collect();
            format!(
                "the environment variable {name} has no meaning; those that have one are {}",
                all.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(name: &str) -> Vec<String> {
        warnings_about([OsString::from(name)].into_iter())
    }

    #[test]
    fn a_misspelled_variable_is_named_with_what_was_meant() {
        for (name, meant) in [
            ("FRAZIL_THREAD", "FRAZIL_THREADS"),
            ("FRAZIL_MEMROY", "FRAZIL_MEMORY"),
            ("frazil_durable", "FRAZIL_DURABLE"),
        ] {
            let said = about(name);
            assert!(
                said[0].contains(name) && said[0].contains(meant),
                "{said:?}"
            );
        }
        let said = about("FRAZIL_COLOUR");
        assert!(said[0].contains("FRAZIL_COLOUR has no meaning"), "{said:?}");
    }

    #[test]
    fn variables_with_a_meaning_are_not_mentioned() {
        for name in [
            "FRAZIL_THREADS",
            "FRAZIL_LIB",
            "FRAZIL_TEST_WRITER",
            "PATH",
            "FRAZILIAN",
        ] {
            assert_eq!(about(name), [] as [String; 0], "{name}");
        }
        assert_eq!(allowed("FRAZIL_MODE"), "async or sync");
    }
}
