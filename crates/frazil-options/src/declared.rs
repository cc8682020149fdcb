//! What an option is: each is declared once, in [`super::option_table`].
//!
//! From the table follow, for writers, the environment variables (`FRAZIL_GOAL` for `goal`), the entries
//! of `FRAZIL_OPTIONS`, the keys of `frz_options_set` in C and of `options=` in Fortran and Python; for
//! whole files, the help of the command's flags, its completions and manual pages, the keywords of
//! `frazil.pack` in Python, their types and documentation; and for all of them the messages that refuse
//! a value, the list that `frazil options` prints, and `docs/options.md`.
//! What a value does to a writer is in `frazil-write/src/settable.rs`.

use std::fmt;

use frazil_types::{ErrorCode, spelling};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::option_table::OPTIONS;
use frazil_file::error::{Error, Result};

/// What an option may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One of these words; and what each means.
    Words(&'static [(&'static str, &'static str)]),
    /// Yes or no: a flag of the command, 1 or 0 elsewhere.
    Switch,
    /// A text or number of this form, as the end of the sentence "it must be ...".
    Form(&'static str),
}

impl Values {
    /// The words, if it is one of several.
    #[must_use]
    pub fn words(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Words(words) => words,
            Self::Switch | Self::Form(_) => &[],
        }
    }
}

impl fmt::Display for Values {
    /// The end of the sentence "it must be ...".
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
    /// What holds if nobody states it.
    pub default: &'static str,
    /// What it does, one sentence.
    pub help: &'static str,
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
const MEANT: [(&str, &[&str], &str); 6] = [
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
}

impl DeclaredOption {
    /// The option of a writer of this name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] with the nearest spelling, or all of them.
    pub fn find(key: &str) -> Result<&'static Self> {
        Self::find_among(key, |one| one.of.writer)
    }

    /// The option of this name among those that are meant.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn find_among(key: &str, is_meant: impl Fn(&Self) -> bool) -> Result<&'static Self> {
        let among = || OPTIONS.iter().filter(|one| is_meant(one));
        let found = among().find(|one| one.key == key);
        found.ok_or_else(|| {
            let keys: Vec<&str> = among().map(|one| one.key).collect();
            let cause = format!("there is no option `{key}`");
            let cure = match spelling::nearest(key, keys.iter().copied()) {
                Some(meant) => format!("is `{meant}` meant?"),
                None => format!("there are {}", keys.join(", ")),
            };
            Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
        })
    }

    /// The option of this name of whatever it is one.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|one| one.key == key)
    }

    /// The environment variable that states it.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("FRAZIL_{}", self.key.to_ascii_uppercase())
    }

    /// The error for a value that it cannot have; `shown` is what the user called it.
    #[must_use]
    pub fn refuse(&self, shown: &str, value: &str, why: Option<&str>) -> Error {
        let cause = format!("{shown} is {value:?}; it must be {}", self.values);
        let cause = why.map_or(cause.clone(), |why| format!("{cause} ({why})"));
        let error = Error::new(ErrorCode::InvalidArgument, cause);
        let words = self.values.words().iter().map(|(word, _)| *word);
        match meant_word(self.key, value).or_else(|| spelling::nearest(value, words)) {
            Some(meant) => error.with_cure(format!("is `{meant}` meant?")),
            None => error,
        }
    }
}

impl Users {
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

/// All options of a writer.
pub fn writer_options() -> impl Iterator<Item = &'static DeclaredOption> {
    OPTIONS.iter().filter(|one| one.of.writer)
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
        assert!(DeclaredOption::find("carbon_intensity").is_err());
    }

    #[test]
    fn a_wrong_word_is_named_with_what_was_meant() {
        let goal = DeclaredOption::find("goal").unwrap();
        let error = goal.refuse("the option goal", "sizee", None);
        assert_eq!(
            error.to_string(),
            "the option goal is \"sizee\"; it must be balanced, size, speed, archive or energy"
        );
        assert_eq!(error.cure.as_deref(), Some("is `size` meant?"));
        let threads = DeclaredOption::find("threads").unwrap();
        assert_eq!(threads.refuse("threads", "many", None).cure, None);
    }

    #[test]
    fn options_are_named_once_and_say_what_they_do() {
        let mut keys: Vec<&str> = OPTIONS.iter().map(|one| one.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), OPTIONS.len());
        for one in OPTIONS {
            assert!(
                one.help.ends_with('.') && !one.default.is_empty(),
                "{one:?}"
            );
            assert_ne!(one.of, Users::default(), "{one:?}");
        }
    }
}
