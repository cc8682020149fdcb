//! How a writer works, as the environment says.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use frazil_plan::Goal;
use frazil_types::{FilterChain, ReaderLevel};

use super::status::{Answer, Refusal, Status};
use crate::environment::allowed;
use crate::options::check_readers;
use crate::write::OwnCommits;
use crate::{Cores, Error, WriterOptions, parse_reads, parse_storage, read_plan, read_precision};

/// Every option of a writer that a program can mean for all of its files, by the variables that
/// `docs/writing_from_models.md` lists.
///
/// # Errors
/// `NC_EINVAL` for a value that none of them can have.
pub(super) fn options_from_environment() -> Answer<WriterOptions> {
    options_from(&Variables(&|name| env::var_os(name)))
}

fn options_from(variables: &Variables<'_>) -> Answer<WriterOptions> {
    let mut options = WriterOptions::default();
    set_resources(&mut options, variables)?;
    set_working(&mut options, variables)?;
    set_ranks(&mut options, variables)?;
    set_choices(&mut options, variables)?;
    set_shapes(&mut options, variables)?;
    Ok(options)
}

/// Whether filters that need a plugin count as absent.
pub(super) fn plugins_are_absent() -> bool {
    env::var_os("FRAZIL_READABLE_BY").is_some_and(|value| value == "netcdf4")
}

/// Where values of variables come from.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl Variables<'_> {
    fn os(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn text(&self, name: &str) -> Option<String> {
        let value = self.os(name);
        value.map(|value| value.to_string_lossy().into_owned())
    }

    /// What a value means, if there is one.
    fn read<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Answer<Option<T>> {
        let Some(value) = self.text(name) else {
            return Ok(None);
        };
        match read(&value) {
            Some(meant) => Ok(Some(meant)),
            None => Err(refused(name, &value)),
        }
    }

    fn parsed<T: FromStr>(&self, name: &str) -> Answer<Option<T>> {
        self.read(name, |value| value.parse().ok())
    }

    fn switch(&self, name: &str) -> Answer<Option<bool>> {
        self.read(name, |value| match value {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }
}

fn refused(name: &str, value: &str) -> Refusal {
    let allowed = allowed(name);
    let words = format!("the environment variable {name} is {value:?}; it must be {allowed}");
    Refusal::new(Status::EINVAL, words)
}

fn set_resources(options: &mut WriterOptions, variables: &Variables<'_>) -> Answer<()> {
    if let Some(threads) = variables.parsed("FRAZIL_THREADS")? {
        options.resources.threads = threads;
        check_resources(options, variables, "FRAZIL_THREADS")?;
    }
    if let Some(bytes) = variables.read("FRAZIL_MEMORY", bytes_of)? {
        options.resources.memory_bytes = bytes;
        check_resources(options, variables, "FRAZIL_MEMORY")?;
    }
    options.cores = variables
        .read("FRAZIL_CORES", |value| match value {
            "spare" => Some(Cores::Spare),
            "any" => Some(Cores::Any),
            _ => None,
        })?
        .unwrap_or_default();
    Ok(())
}

fn check_resources(options: &WriterOptions, variables: &Variables<'_>, name: &str) -> Answer<()> {
    let value = variables.text(name).unwrap_or_default();
    let outcome = options.resources.check();
    outcome.map_err(|_| refused(name, &value))
}

/// When work is done, and when it is safe.
fn set_working(options: &mut WriterOptions, variables: &Variables<'_>) -> Answer<()> {
    variables.read("FRAZIL_FORMAT", |value| (value == "netcdf4").then_some(()))?;
    let mode = variables.read("FRAZIL_MODE", |value| match value {
        "async" => Some(false),
        "sync" => Some(true),
        _ => None,
    })?;
    options.synchronous = mode.unwrap_or(false);
    options.durable = variables.switch("FRAZIL_DURABLE")?.unwrap_or(false);
    let commits = variables.read("FRAZIL_COMMIT_BYTES", |value| match value {
        "never" => Some(OwnCommits::Never),
        bytes => bytes_of(bytes)
            .filter(|&bytes| bytes > 0)
            .map(OwnCommits::EveryBytes),
    })?;
    options.commits = commits.unwrap_or_default();
    let records = variables.read("FRAZIL_RECORDS_PER_SYNC", |value| {
        value.parse().ok().filter(|&records: &u64| records > 0)
    })?;
    options.records_per_sync = records;
    Ok(())
}

fn set_ranks(options: &mut WriterOptions, variables: &Variables<'_>) -> Answer<()> {
    options.longest_wait = variables.read("FRAZIL_LONGEST_WAIT", |value| {
        let wait = Duration::try_from_secs_f64(value.parse().ok()?).ok();
        wait.filter(|wait| !wait.is_zero())
    })?;
    let is_reproducible = variables.switch("FRAZIL_REPRODUCIBLE")?;
    options.follow_ranks = !is_reproducible.unwrap_or(true);
    options.io_ranks = variables.parsed("FRAZIL_IO_RANKS")?.unwrap_or(0);
    Ok(())
}

/// Filters and precision.
fn set_choices(options: &mut WriterOptions, variables: &Variables<'_>) -> Answer<()> {
    let readers = variables.read("FRAZIL_READABLE_BY", |value| match value {
        "netcdf4" | "any" => Some(ReaderLevel::Any),
        "plugins" => Some(ReaderLevel::Plugins),
        "frazil" => Some(ReaderLevel::Frazil),
        _ => None,
    })?;
    options.readable_by = readers.unwrap_or_default();
    options.goal = variables.parsed::<Goal>("FRAZIL_GOAL")?.unwrap_or_default();
    options.filters = variables.parsed::<FilterChain>("FRAZIL_FILTERS")?;
    check_readers(options.filters.as_ref(), options.readable_by)
        .map_err(named("FRAZIL_FILTERS"))?;
    if let Some(file) = variables.os("FRAZIL_WISHES") {
        options.rules = read_precision(Path::new(&file)).map_err(Refusal::from)?;
        // Programs write files of all kinds.
        options.rules_are_shared = true;
    }
    Ok(())
}

/// Chunk shapes, and decisions of another run.
fn set_shapes(options: &mut WriterOptions, variables: &Variables<'_>) -> Answer<()> {
    let reads = variables.read("FRAZIL_READS", |value| parse_reads(value).ok())?;
    options.chunk_goal.reads = reads.unwrap_or_default();
    let storage = variables.read("FRAZIL_STORAGE", |value| parse_storage(value).ok())?;
    options.chunk_goal.storage = storage;
    if let Some(file) = variables.os("FRAZIL_PLAN") {
        options.plan = Some(read_plan(Path::new(&file)).map_err(Refusal::from)?);
    }
    options.keep_plan = variables.switch("FRAZIL_KEEP_PLAN")?.unwrap_or(false);
    Ok(())
}

/// Says which variable an error is about.
fn named(name: &str) -> impl Fn(Error) -> Refusal {
    move |mut error| {
        error.cause = format!("the environment variable {name}: {}", error.cause);
        Refusal::from(error)
    }
}

/// `300000`, `512M`, `2G`.
fn bytes_of(text: &str) -> Option<u64> {
    let (digits, shift) = match text.trim_end_matches(['B', 'b', 'i']) {
        number if number.ends_with(['K', 'k']) => (number, 10),
        number if number.ends_with(['M', 'm']) => (number, 20),
        number if number.ends_with(['G', 'g']) => (number, 30),
        number => return number.parse().ok(),
    };
    let number: u64 = digits[..digits.len() - 1].trim().parse().ok()?;
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &'static [(&str, &str)]) -> Answer<WriterOptions> {
        options_from(&Variables(&|name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        }))
    }

    #[test]
    fn the_environment_says_how_the_writer_works() {
        let options = with(&[
            ("FRAZIL_THREADS", "3"),
            ("FRAZIL_MEMORY", "512M"),
            ("FRAZIL_MODE", "sync"),
            ("FRAZIL_DURABLE", "1"),
            ("FRAZIL_READABLE_BY", "plugins"),
            ("FRAZIL_IO_RANKS", "2"),
            ("FRAZIL_GOAL", "size"),
            ("FRAZIL_FILTERS", "shuffle+zstd(3)"),
            ("FRAZIL_READS", "series"),
            ("FRAZIL_STORAGE", "disk"),
            ("FRAZIL_COMMIT_BYTES", "64M"),
            ("FRAZIL_RECORDS_PER_SYNC", "4"),
            ("FRAZIL_KEEP_PLAN", "1"),
        ]);
        let options = options.unwrap();
        assert_eq!(options.resources.threads, 3);
        assert_eq!(options.resources.memory_bytes, 512 << 20);
        assert!(options.synchronous && options.durable);
        assert_eq!(options.io_ranks, 2);
        assert_eq!(options.readable_by, ReaderLevel::Plugins);
        assert_eq!(options.goal, Goal::Size);
        assert_eq!(options.filters.unwrap().to_string(), "shuffle+zstd(3)");
        assert_eq!(options.chunk_goal.reads.len(), 1);
        assert!(options.chunk_goal.storage.is_some() && options.keep_plan);
        assert_eq!(options.commits, OwnCommits::EveryBytes(64 << 20));
        assert_eq!(options.records_per_sync, Some(4));
        assert!(!with(&[]).unwrap().synchronous);
        for wrong in [
            &[("FRAZIL_THREADS", "many")],
            &[("FRAZIL_MEMORY", "1X")],
            &[("FRAZIL_MODE", "fast")],
            &[("FRAZIL_THREADS", "100000")],
            &[("FRAZIL_MEMORY", "1")],
            &[("FRAZIL_FORMAT", "netcdf5")],
            &[("FRAZIL_IO_RANKS", "-1")],
            &[("FRAZIL_GOAL", "small")],
            &[("FRAZIL_FILTERS", "gzip")],
            &[("FRAZIL_READS", "rows")],
            &[("FRAZIL_STORAGE", "tape")],
            &[("FRAZIL_KEEP_PLAN", "yes")],
            &[("FRAZIL_RECORDS_PER_SYNC", "0")],
            &[("FRAZIL_WISHES", "Cargo.toml")],
        ] {
            let refusal = with(wrong).unwrap_err();
            assert_eq!(refusal.status, Status::EINVAL);
            let (name, value) = wrong[0];
            if name != "FRAZIL_WISHES" {
                let words = format!("{name} is {value:?}; it must be {}", allowed(name));
                assert!(refusal.detail.contains(&words), "{}", refusal.detail);
            }
        }
    }

    #[test]
    fn sizes_have_units() {
        let sizes = ["17", "2K", "2KiB", "1G"].map(bytes_of);
        assert_eq!(sizes, [Some(17), Some(2048), Some(2048), Some(1 << 30)]);
        assert_eq!(bytes_of("G"), None);
    }
}
