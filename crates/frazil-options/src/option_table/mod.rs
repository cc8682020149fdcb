//! All options, each declared once.

mod builders;
mod files;
mod shared;
mod writers;

use frazil_file::error::{Error, Result};
use frazil_types::{ErrorCode, spelling};

use crate::declared::DeclaredOption;
use files::OF_FILES;
use shared::SHARED;
use writers::WRITERS;

/// How many there are.
const COUNT: usize = SHARED.len() + WRITERS.len() + OF_FILES.len();

/// All options.
pub static OPTIONS: [DeclaredOption; COUNT] = joined();

const fn joined() -> [DeclaredOption; COUNT] {
    let parts: [&[DeclaredOption]; 3] = [&SHARED, &WRITERS, &OF_FILES];
    let mut all = [SHARED[0]; COUNT];
    let (mut part, mut place, mut next) = (0, 0, 0);
    while next < COUNT {
        if place == parts[part].len() {
            (part, place) = (part + 1, 0);
        }
        all[next] = parts[part][place];
        (place, next) = (place + 1, next + 1);
    }
    all
}

/// Entries of `FRAZIL_OPTIONS` that only the I/O package for WRF knows (docs/wrf.md).
pub const WRF_OPTIONS: [&str; 3] = ["append", "commit", "errors"];

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
}

/// All options of a writer.
pub fn writer_options() -> impl Iterator<Item = &'static DeclaredOption> {
    OPTIONS.iter().filter(|one| one.of.writer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::{Users, Values};

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

    #[test]
    fn numbers_have_a_unit_that_is_said_once() {
        let units: Vec<&str> = OPTIONS.iter().map(|one| one.unit).collect();
        for one in OPTIONS {
            let is_number = matches!(one.values, Values::Number(_));
            let has_words = one.values == Values::Switch || !one.values.words().is_empty();
            assert!(!is_number || !one.unit.is_empty(), "{}", one.key);
            assert!(!has_words || one.unit.is_empty(), "{}", one.key);
            let form = one.values.to_string();
            let is_said =
                |unit: &&str| !unit.is_empty() && form.split(' ').any(|word| word == *unit);
            assert!(!units.iter().any(is_said), "{}: {form}", one.key);
        }
        let memory = DeclaredOption::find("memory").unwrap();
        let said = memory.refuse("memory", "12X", None).to_string();
        let allowed = "it must be a number of bytes, or one with K, M or G, from 1M to 1048576G";
        assert_eq!(said, format!("memory is \"12X\"; {allowed}"));
    }

    #[test]
    fn details_are_short_sentences_that_say_more_than_the_help() {
        let without = OPTIONS.iter().filter(|one| one.details.is_empty());
        assert!(without.count() <= 4);
        for one in OPTIONS.iter().filter(|one| !one.details.is_empty()) {
            let (key, details) = (one.key, one.details);
            assert!(details.ends_with('.') && !details.contains("  "), "{key}");
            assert_ne!(details, one.help, "{key}");
            let sentences: Vec<&str> = details.split(". ").collect();
            assert!(sentences.len() <= 5, "{key}");
            for sentence in sentences {
                let words = sentence.split_whitespace().count();
                assert!(words <= 40, "{key}: {sentence}");
            }
        }
    }

    #[test]
    fn details_name_only_options_that_exist() {
        for one in OPTIONS {
            for named in one.details.split('`').skip(1).step_by(2) {
                let looks_like_a_key = named.contains('_') && !named.contains(' ');
                let is_known = DeclaredOption::named(named).is_some();
                assert!(is_known || !looks_like_a_key, "{}: {named}", one.key);
            }
        }
    }
}
