//! What an option is: each is declared once, in [`super::option_table`].
//!
//! From the table follow, for writers, the environment variables (`FRAZIL_GOAL` for `goal`), the entries
//! of `FRAZIL_OPTIONS`, the keys of `frz_options_set` in C and of `options=` in Fortran and Python; for
//! whole files, the help of the command's flags, short and long, its completions and manual pages, the keywords of
//! `frazil.pack` in Python, their types and documentation; and for all of them the messages that refuse
//! a value, the list that `frazil options` prints, and `docs/options.md`.
//! What a value does to a writer is in `frazil-write/src/settable.rs`.

use std::fmt;

use frazil_types::{ErrorCode, spelling};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use frazil_file::error::Error;

/// What an option may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One of these words; and what each means.
    Words(&'static [(&'static str, &'static str)]),
    /// Yes or no: a flag of the command, 1 or 0 elsewhere.
    Switch,
    /// A number of the option's unit: which, as what follows "a number of seconds".
    Number(&'static str),
    /// A text of this form, as the end of the sentence "it must be ...".
    Form(&'static str),
}

impl Values {
    /// The words, if it is one of several.
    #[must_use]
    pub fn words(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Words(words) => words,
            Self::Switch | Self::Number(_) | Self::Form(_) => &[],
        }
    }
}

impl fmt::Display for Values {
    /// The end of the sentence "it must be ...", without the unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                match words.split_last() {
                    Some((last, [])) => f.write_str(last),
                    Some((last, others)) => write!(f, "{} or {last}", others.join(", ")),
                    None => Ok(()),
                }
            }
            Self::Switch => f.write_str("0 or 1"),
            Self::Number(bounds) => write!(f, "a number{bounds}"),
            Self::Form(form) => f.write_str(form),
        }
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Values", 3)?;
        fields.serialize_field("text", &self.to_string())?;
        fields.serialize_field("words", self.words())?;
        fields.serialize_field("is_switch", &(*self == Self::Switch))?;
        fields.end()
    }
}

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeclaredOption {
    /// Its name everywhere: with hyphens the command's flag; in capitals and behind `FRAZIL_` its
    /// environment variable.
    pub key: &'static str,
    /// What it may be.
    pub values: Values,
    /// The unit of its numbers, in the plural: seconds. Empty: it has no numbers, or these have none
    /// (shares, levels) or bring their own (speeds).
    pub unit: &'static str,
    /// What holds if nobody states it.
    pub default: &'static str,
    /// What it does, one sentence.
    pub help: &'static str,
    /// More about it, in a few sentences: when to state it, what it costs, which others it excludes or
    /// overrides, an example. Empty: that sentence says all.
    pub details: &'static str,
    /// How the command's flag is written, if that needs words.
    pub command: &'static str,
    /// Its type in Python; empty: text, or as the values say.
    pub python_type: &'static str,
    /// How it is written in Python, if that needs words.
    pub python: &'static str,
    /// What it is an option of.
    #[serde(flatten)]
    pub of: Users,
    /// The version that brought it.
    pub since: &'static str,
}

/// What an option is an option of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
// Each is a question of its own.
#[expect(clippy::struct_excessive_bools)]
pub struct Users {
    /// Writers.
    pub writer: bool,
    /// Of these, by the environment, too: what a user may state for programs that others wrote.
    pub environment: bool,
    /// `pack`.
    pub pack: bool,
    /// `plan`.
    pub plan: bool,
    /// `unpack`.
    pub unpack: bool,
}

/// Words that people use for those that options have.
const MEANT: [(&str, &[&str], &str); 14] = [
    (
        "goal",
        &["small", "smaller", "smallest", "ratio", "compact"],
        "size",
    ),
    (
        "goal",
        &["fast", "faster", "fastest", "quick", "time"],
        "speed",
    ),
    ("goal", &["best", "max", "maximum", "strongest"], "archive"),
    ("goal", &["default", "normal", "auto"], "balanced"),
    (
        "readable_by",
        &["all", "everyone", "anyone", "everybody"],
        "any",
    ),
    (
        "readable_by",
        &["netcdf", "netcdf-4", "xarray", "h5py"],
        "any",
    ),
    (
        "format",
        &["netcdf3", "netcdf-3", "nc3", "3", "cdf"],
        "classic",
    ),
    ("format", &["nc4", "netcdf-4", "4", "hdf5"], "netcdf4"),
    ("shuffle", &["yes", "true", "1", "always"], "on"),
    ("shuffle", &["no", "false", "0", "never", "none"], "off"),
    (
        "storage",
        &["s3", "gcs", "cloud", "bucket", "object", "http"],
        "object-store",
    ),
    (
        "storage",
        &["lustre", "gpfs", "beegfs", "parallel", "cluster"],
        "parallel-fs",
    ),
    ("storage", &["ssd", "nvme"], "local"),
    (
        "manifest",
        &["sha", "sha-256", "sha2", "checksum"],
        "sha256",
    ),
];

/// The word that is meant by another one, of the option `key`.
#[must_use]
pub fn meant_word(key: &str, word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let found = MEANT
        .iter()
        .find(|(of, words, _)| *of == key && words.contains(&word.as_str()));
    found.map(|(_, _, meant)| *meant)
}

impl Users {
    /// All of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            writer: self.writer || other.writer,
            environment: self.environment || other.environment,
            pack: self.pack || other.pack,
            plan: self.plan || other.plan,
            unpack: self.unpack || other.unpack,
        }
    }

    /// Their names, for people.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (self.writer, "writers"),
            (self.pack, "pack"),
            (self.plan, "plan"),
            (self.unpack, "unpack"),
        ];
        let named = all.into_iter().filter(|(is_one, _)| *is_one);
        named.map(|(_, name)| name).collect()
    }

    /// Whether an option of these users is one of this command, by its name.
    #[must_use]
    pub fn include(self, command: &str) -> bool {
        match command {
            "pack" => self.pack,
            "plan" => self.plan,
            "unpack" => self.unpack,
            _ => false,
        }
    }
}

impl DeclaredOption {
    /// The environment variable that states it.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("FRAZIL_{}", self.key.to_ascii_uppercase())
    }

    /// What it may be, with the unit, as the end of the sentence "it must be ...".
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.values {
            Values::Number(bounds) => format!("a number of {}{bounds}", self.unit),
            other => other.to_string(),
        }
    }

    /// Its unit, unless its sentence names it.
    #[must_use]
    pub fn unsaid_unit(&self) -> Option<&'static str> {
        let is_said = self.help.to_lowercase().contains(&self.unit.to_lowercase());
        (!is_said).then_some(self.unit)
    }

    /// The error for a value that it cannot have; `shown` is what the user called it.
    #[must_use]
    pub fn refuse(&self, shown: &str, value: &str, why: Option<&str>) -> Error {
        let cause = format!("{shown} is {value:?}; it must be {}", self.allowed());
        let cause = why.map_or(cause.clone(), |why| format!("{cause} ({why})"));
        let error = Error::new(ErrorCode::InvalidArgument, cause);
        let words = self.values.words().iter().map(|(word, _)| *word);
        match meant_word(self.key, value).or_else(|| spelling::nearest(value, words)) {
            Some(meant) => error.with_cure(format!("is `{meant}` meant?")),
            None => error,
        }
    }
}
