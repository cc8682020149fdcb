//! Options of a writer from text: what a value of each declared option does.

use std::env;
use std::path::Path;
use std::time::Duration;

use frazil_file::error::{Error, Result};
use frazil_file::resources::Resources;
use frazil_options::chunk_goal::{
    AccessPattern, parse_axes, parse_expected, parse_reads, parse_storage,
};
use frazil_options::declared::DeclaredOption;
use frazil_options::option_table::{WRF_OPTIONS, writer_options};
use frazil_options::options::check_readers;
use frazil_options::plan_text::read_plan;
use frazil_options::policy::{Policy, read_policy};
use frazil_options::size::parse_size;
use frazil_precision::restart::RestartFiles;
use frazil_types::ErrorCode;

use super::options::{Cores, OwnCommits, WriterOptions};

/// Where a user states options of programs that others wrote.
const LIST: &str = "FRAZIL_OPTIONS";

/// Why a value is refused.
enum Wrong {
    /// It is not among the values that the declaration allows; more about it, if there is more.
    Value(Option<String>),
    /// A file that it names cannot be used.
    File(Error),
}

impl WriterOptions {
    /// Sets one option by its key, from text: `set("goal", "size")`. `docs/options.md` lists them.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] names the option, the value, and what is allowed; or the
    /// nearest spelling of an unknown key. Those of reading a file that the value names.
    pub fn set(&mut self, key: &str, text: &str) -> Result<()> {
        let declared = DeclaredOption::find(key)?;
        self.set_declared(declared, text, &format!("the option {key}"))
    }

    /// Sets options from a list: `goal=size,threads=4`. A list with a semicolon is separated by
    /// semicolons, so that values can have commas: `reads=map,series;threads=4`. Wherever `precision`
    /// stands in it, what others state overrides the defaults of that file.
    ///
    /// # Errors
    /// As [`Self::set`]; an entry without a value.
    pub fn set_list(&mut self, list: &str) -> Result<()> {
        for (key, value) in entries(list)? {
            self.set(key, value)?;
        }
        Ok(())
    }

    /// Takes what a file states over: its rules come after those that are there, and its defaults
    /// override what was stated before; what is stated later overrides them.
    pub fn set_policy(&mut self, policy: Policy) {
        let Policy { defaults, rules } = policy;
        self.rules.extend(rules);
        self.goal = defaults.goal.unwrap_or(self.goal);
        self.readable_by = defaults.readable_by.unwrap_or(self.readable_by);
        let stated = std::mem::take(&mut self.chunk_goal);
        let calibration = stated.calibration.clone();
        self.chunk_goal = AccessPattern {
            calibration,
            ..defaults.access.or(&stated)
        };
    }

    /// The options that the environment states: by one variable each (`FRAZIL_GOAL`), and by
    /// `FRAZIL_OPTIONS`, whose entries override the variables.
    ///
    /// # Errors
    /// As [`Self::set`], with the name of the variable.
    pub fn from_environment() -> Result<Self> {
        Self::from_variables(&|name| env::var_os(name).map(|v| v.to_string_lossy().into_owned()))
    }

    fn from_variables(value_of: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let value_of = |name: &str| value_of(name).filter(|value| !value.is_empty());
        let mut options = Self {
            // Programs write files of all kinds.
            rules_are_shared: true,
            ..Self::default()
        };
        let declared = writer_options().filter(|one| one.of.environment);
        for declared in policies_first(declared, |one| one.key) {
            let name = declared.variable();
            if let Some(value) = value_of(&name) {
                let shown = format!("the environment variable {name}");
                options.set_declared(declared, &value, &shown)?;
            }
        }
        if let Some(list) = value_of(LIST) {
            options
                .set_list_of_user(&list)
                .map_err(|error| about(error, &format!("the environment variable {LIST}")))?;
        }
        check_readers(options.filters.as_ref(), options.readable_by).map_err(|error| {
            let name = match value_of("FRAZIL_FILTERS") {
                Some(_) => "FRAZIL_FILTERS",
                None => LIST,
            };
            about(error, &format!("the environment variable {name}"))
        })?;
        Ok(options)
    }

    /// A list of the environment's, which may be meant for other programs too.
    fn set_list_of_user(&mut self, list: &str) -> Result<()> {
        let entries = entries(list)?.into_iter();
        for (key, value) in entries.filter(|(key, _)| !WRF_OPTIONS.contains(key)) {
            let declared = DeclaredOption::find(key)?;
            if !declared.of.environment {
                let cause = format!("only the program itself can state the option `{key}`");
                return Err(Error::new(ErrorCode::InvalidArgument, cause));
            }
            self.set_declared(declared, value, &format!("the option {key}"))?;
        }
        Ok(())
    }

    fn set_declared(&mut self, declared: &DeclaredOption, text: &str, shown: &str) -> Result<()> {
        self.apply(declared.key, text).map_err(|wrong| match wrong {
            Wrong::Value(why) => declared.refuse(shown, text, why.as_deref()),
            Wrong::File(error) => about(error, shown),
        })
    }

    /// Sets the option `key`, which is declared.
    fn apply(&mut self, key: &str, text: &str) -> std::result::Result<(), Wrong> {
        match key {
            "goal" => self.goal = parsed(text)?,
            "filters" => self.filters = Some(text.parse().map_err(why)?),
            "readable_by" => self.readable_by = parsed(text)?,
            "precision" => self.set_policy(read_policy(Path::new(text)).map_err(Wrong::File)?),
            "restart_files" => self.restart_files = RestartFiles::parse(text).map_err(cause)?,
            "precision_is_shared" => self.rules_are_shared = switch(text)?,
            "plan" => self.plan = Some(read_plan(Path::new(text)).map_err(Wrong::File)?),
            "keep_plan" => self.keep_plan = switch(text)?,
            "durable" => self.durable = switch(text)?,
            "reproducible" => self.follow_ranks = !switch(text)?,
            "overwrite" => self.overwrite = switch(text)?,
            "classic_model" => self.classic_model = switch(text)?,
            "io_ranks" => self.io_ranks = parsed(text)?,
            "mode" => self.synchronous = one_of(text, &[("async", false), ("sync", true)])?,
            "cores" => {
                self.cores = one_of(text, &[("spare", Cores::Spare), ("any", Cores::Any)])?;
            }
            "longest_wait" => self.longest_wait = Some(wait(text)?),
            "commit_bytes" => self.commits = commits(text)?,
            "records_per_sync" => self.records_per_sync = Some(positive(text)?),
            "threads" => {
                let threads = parsed(text)?;
                self.set_resources(|resources| resources.threads = threads)?;
            }
            "memory" => {
                let bytes = parse_size(text).map_err(|_| Wrong::Value(None))?;
                self.set_resources(|resources| resources.memory_bytes = bytes)?;
            }
            _ => self.apply_to_shapes(key, text)?,
        }
        Ok(())
    }

    /// Sets one of the options that chunk shapes follow.
    fn apply_to_shapes(&mut self, key: &str, text: &str) -> std::result::Result<(), Wrong> {
        let goal = &mut self.chunk_goal;
        match key {
            "reads" => goal.reads = parse_reads(text).map_err(cause)?,
            "storage" => goal.storage = Some(parse_storage(text).map_err(|_| Wrong::Value(None))?),
            "axes" => goal.axes = parse_axes(text).map_err(cause)?,
            "expected" => goal.expected = parse_expected(text).map_err(cause)?,
            "most_chunks" => goal.most_chunks = Some(positive(text)?),
            other => return Err(why(format!("a bug in frazil: `{other}` is not applied"))),
        }
        Ok(())
    }

    fn set_resources(
        &mut self,
        set: impl FnOnce(&mut Resources),
    ) -> std::result::Result<(), Wrong> {
        let mut resources = self.resources.clone();
        set(&mut resources);
        resources.check().map_err(|_| Wrong::Value(None))?;
        self.resources = resources;
        Ok(())
    }
}

/// What is wrong with the options that the environment states, in one sentence, for programs that do not go
/// by them: others will refuse them.
#[must_use]
pub fn environment_fault() -> Option<String> {
    let error = WriterOptions::from_environment().err()?;
    let cure = error.cure.as_deref();
    let cure = cure.map_or_else(String::new, |cure| format!(" ({cure})"));
    Some(format!(
        "{error}{cure}; it is not read here, but by programs that write through netCDF's calls"
    ))
}

/// What the user states of an option for all programs: in `FRAZIL_OPTIONS`, or by its variable.
#[must_use]
pub fn stated_in_environment(key: &str) -> Option<String> {
    let value_of = |name: &str| env::var_os(name).map(|v| v.to_string_lossy().into_owned());
    let list = value_of(LIST).unwrap_or_default();
    let entries = entries(&list).unwrap_or_default();
    let mut listed = entries.iter().rev();
    let listed = listed.find(|(known, _)| *known == key);
    let listed = listed.map(|(_, value)| (*value).to_owned());
    listed.or_else(|| value_of(&DeclaredOption::find(key).ok()?.variable()))
}

/// Keys and values of a list of options.
fn entries(list: &str) -> Result<Vec<(&str, &str)>> {
    let separator = if list.contains(';') { ';' } else { ',' };
    let entries = list.split(separator).map(str::trim);
    let entries =
        entries
            .filter(|entry| !entry.is_empty())
            .map(|entry| match entry.split_once('=') {
                Some((key, value)) => Ok((key.trim(), value.trim())),
                None => {
                    let cause = format!("`{entry}` is not of the form option=value");
                    let cure = "put semicolons between options if a value has commas";
                    Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure))
                }
            });
    let entries = entries.collect::<Result<Vec<_>>>()?;
    Ok(policies_first(entries.into_iter(), |(key, _)| key))
}

/// Files of rules before all else, which overrides their defaults.
fn policies_first<T>(options: impl Iterator<Item = T>, key: impl Fn(&T) -> &str) -> Vec<T> {
    let (mut first, rest): (Vec<T>, Vec<T>) = options.partition(|one| key(one) == "precision");
    first.extend(rest);
    first
}

/// Puts before an error what it is about.
fn about(mut error: Error, shown: &str) -> Error {
    error.cause = format!("{shown}: {}", error.cause);
    error
}

// By value, as `map_err` hands it on.
#[expect(clippy::needless_pass_by_value)]
fn why(reason: impl ToString) -> Wrong {
    Wrong::Value(Some(reason.to_string()))
}

fn cause(error: Error) -> Wrong {
    why(error.cause)
}

fn parsed<T: std::str::FromStr>(text: &str) -> std::result::Result<T, Wrong> {
    text.parse().map_err(|_| Wrong::Value(None))
}

fn positive(text: &str) -> std::result::Result<u64, Wrong> {
    match parsed(text)? {
        0 => Err(Wrong::Value(None)),
        number => Ok(number),
    }
}

fn one_of<T: Clone>(text: &str, words: &[(&str, T)]) -> std::result::Result<T, Wrong> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map_or(Err(Wrong::Value(None)), |(_, meant)| Ok(meant.clone()))
}

fn switch(text: &str) -> std::result::Result<bool, Wrong> {
    one_of(text, &[("0", false), ("1", true)])
}

fn wait(text: &str) -> std::result::Result<Duration, Wrong> {
    let wait = Duration::try_from_secs_f64(parsed(text)?).ok();
    let wait = wait.filter(|wait| !wait.is_zero());
    wait.ok_or(Wrong::Value(None))
}

fn commits(text: &str) -> std::result::Result<OwnCommits, Wrong> {
    match text {
        "never" => Ok(OwnCommits::Never),
        bytes => match parse_size(bytes) {
            Ok(bytes) if bytes > 0 => Ok(OwnCommits::EveryBytes(bytes)),
            _ => Err(Wrong::Value(None)),
        },
    }
}

#[cfg(test)]
mod tests {
    use frazil_plan::Goal;
    use frazil_types::ReaderLevel;

    use super::*;

    fn from(variables: &'static [(&str, &str)]) -> Result<WriterOptions> {
        WriterOptions::from_variables(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn every_declared_option_can_be_set() {
        for one in writer_options() {
            let Err(error) = WriterOptions::default().set(one.key, "\u{1}") else {
                panic!("{} takes anything", one.key);
            };
            let words = error.to_string();
            assert!(!words.contains("a bug in frazil"), "{words}");
            assert!(words.contains(one.key), "{words}");
        }
    }

    #[test]
    fn the_environment_says_how_the_writer_works() {
        let options = from(&[
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
        ])
        .unwrap();
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
        assert!(!from(&[]).unwrap().synchronous);
    }

    #[test]
    fn a_wrong_variable_is_named_with_what_is_allowed() {
        for (name, value) in [
            ("FRAZIL_THREADS", "many"),
            ("FRAZIL_MEMORY", "1X"),
            ("FRAZIL_MODE", "fast"),
            ("FRAZIL_THREADS", "100000"),
            ("FRAZIL_MEMORY", "1"),
            ("FRAZIL_IO_RANKS", "-1"),
            ("FRAZIL_GOAL", "small"),
            ("FRAZIL_FILTERS", "gzip"),
            ("FRAZIL_READS", "rows"),
            ("FRAZIL_STORAGE", "tape"),
            ("FRAZIL_KEEP_PLAN", "yes"),
            ("FRAZIL_RECORDS_PER_SYNC", "0"),
        ] {
            let found =
                WriterOptions::from_variables(&|wanted| (wanted == name).then(|| value.to_owned()));
            let error = found.unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            let key = name["FRAZIL_".len()..].to_ascii_lowercase();
            let allowed = DeclaredOption::find(&key).unwrap().allowed();
            let words = format!("{name} is {value:?}; it must be {allowed}");
            assert!(error.cause.contains(&words), "{}", error.cause);
        }
        assert!(from(&[("FRAZIL_PRECISION", "Cargo.toml")]).is_err());
    }

    #[test]
    fn options_override_the_defaults_of_a_file_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        let text = "[defaults]\ngoal = \"archive\"\nreads = \"map\"\nstorage = \"disk\"\n\
                    significant_digits = 4\n[variables.T]\nchunks = {time = 3}\n";
        std::fs::write(&path, text).unwrap();
        let file = path.to_str().unwrap();
        let mut options = WriterOptions::default();
        let list = format!("reads=series;goal=size;precision={file}");
        options.set_list(&list).unwrap();
        assert_eq!(options.goal, Goal::Size);
        assert_eq!(options.chunk_goal.reads[0].to_string(), "series");
        assert!(options.chunk_goal.storage.is_some());
        assert_eq!(options.rules[1].chunks["time"], 3);
        let named = |name: &str| match name {
            "FRAZIL_GOAL" => Some("speed".to_owned()),
            "FRAZIL_PRECISION" => Some(file.to_owned()),
            _ => None,
        };
        let options = WriterOptions::from_variables(&named).unwrap();
        assert_eq!(options.goal, Goal::Speed);
        assert_eq!(options.chunk_goal.reads[0].to_string(), "map");
        std::fs::write(&path, "[defaults]\ngoal = \"sise\"\n").unwrap();
        let error = WriterOptions::from_variables(&named).unwrap_err();
        let said = format!("{error} {:?}", error.cure);
        for part in [
            "FRAZIL_PRECISION",
            "policy.toml",
            "goal is \"sise\"",
            "`size`",
        ] {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn a_list_overrides_single_variables_and_leaves_out_those_of_other_programs() {
        let options = from(&[
            ("FRAZIL_GOAL", "size"),
            (
                "FRAZIL_OPTIONS",
                "reads=map,series; goal=speed;append=1; threads=2",
            ),
        ])
        .unwrap();
        assert_eq!(options.goal, Goal::Speed);
        assert_eq!(options.chunk_goal.reads.len(), 2);
        assert_eq!(options.resources.threads, 2);
        // `frazil run` puts the options of its command line behind those of the user.
        let twice = from(&[("FRAZIL_OPTIONS", "goal=size, goal=speed")]).unwrap();
        assert_eq!(twice.goal, Goal::Speed);
        let words = |list: &str| {
            let found = WriterOptions::from_variables(&|name| {
                (name == "FRAZIL_OPTIONS").then(|| list.to_owned())
            });
            let error = found.unwrap_err();
            format!("{error} {:?}", error.cure)
        };
        let said = words("goal=sise");
        assert!(
            said.contains("FRAZIL_OPTIONS: the option goal is \"sise\"")
                && said.contains("is `size` meant?"),
            "{said}"
        );
        assert!(words("overwrite=1").contains("only the program"), "{said}");
        assert!(words("reads=map,series").contains("option=value"));
        assert!(words("gaol=size").contains("no option `gaol`"));
        assert!(words("filters=shuffle+zstd(3)").contains("FRAZIL_OPTIONS"));
    }
}
