//! Environment variables: all that have a meaning, and what to say about others of our prefix.

use std::env;
use std::ffi::OsString;

use frazil_types::spelling::nearest;

use crate::declared::DeclaredOption;
use crate::option_table::writer_options;

/// What the name of every variable of ours begins with.
const PREFIX: &str = "FRAZIL_";

/// Variables beside those of declared options.
const OTHER_VARIABLES: [&str; 18] = [
    "FRAZIL_FORMAT",
    "FRAZIL_INDEX_CACHE",
    "FRAZIL_NODE_MEMORY",
    "FRAZIL_OPTIONS",
    "FRAZIL_PLUGIN_PATH",
    "FRAZIL_PYTHON",
    "FRAZIL_REMOTE",
    "FRAZIL_REMOTE_INSTANCE",
    "FRAZIL_REMOTE_REDIRECTS",
    "FRAZIL_REMOTE_TIMEOUT",
    "FRAZIL_RUN_CHUNKS",
    "FRAZIL_RUN_COMMIT_BEHIND",
    "FRAZIL_RUN_COMPRESS",
    "FRAZIL_RUN_LIBRARY",
    "FRAZIL_RUN_PARALLEL_FILES",
    "FRAZIL_RUN_PATH",
    "FRAZIL_RUN_REPORT",
    "FRAZIL_RUN_WRITE_ONLY",
];

/// All variables that are read by the command, the libraries or the Python package.
fn variables() -> Vec<String> {
    let declared = writer_options().filter(|one| one.of.environment);
    let declared = declared.map(DeclaredOption::variable);
    let mut all: Vec<String> = declared.chain(OTHER_VARIABLES.map(str::to_owned)).collect();
    all.sort_unstable();
    all
}

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
    variables().iter().any(|known| known == name) || OF_THE_SOURCES.iter().any(is_of_sources)
}

fn warning(name: &str) -> String {
    let all = variables();
    let known = all.iter().map(|known| &known[PREFIX.len()..]);
    match nearest(&name[PREFIX.len()..], known) {
        Some(meant) => {
            format!("the environment variable {name} has no meaning: do you mean {PREFIX}{meant}?")
        }
        None => {
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
    }
}
