//! Files that state options: for all variables, and by variable.

use std::path::Path;

use frazil_plan::Goal;
use frazil_types::ReaderLevel;
use serde::Serialize;

use crate::chunk_goal::{AccessPattern, parse_axes, parse_expected, parse_reads, parse_storage};
use crate::declared::DeclaredOption;
use frazil_file::error::{Error, Result};
use frazil_precision::rule_file::read_rule_file;
use frazil_precision::rules::VariableRule;

/// What a file of rules states. What somebody states beside the file overrides it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Policy {
    /// What `[defaults]` state of the file as a whole.
    pub defaults: Defaults,
    /// What is stated by variable; `[defaults]` are the first, for all of them.
    pub rules: Vec<VariableRule>,
}

/// Options of a file as a whole, as far as they are stated.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Defaults {
    /// What filters are chosen for.
    pub goal: Option<Goal>,
    /// Who must be able to read the file.
    pub readable_by: Option<ReaderLevel>,
    /// What chunk shapes serve.
    pub access: AccessPattern,
}

/// Reads a file of rules: TOML, or hints of SCIL's.
///
/// # Errors
/// Names the file, and the option or rule that is not understood.
pub fn read_policy(path: &Path) -> Result<Policy> {
    let file = read_rule_file(path, &Defaults::KEYS)?;
    let stated = file.options.iter();
    let stated = stated.map(|(key, text)| (key.as_str(), text.as_str()));
    let defaults = Defaults::from_text(stated).map_err(|error| error.in_file(path))?;
    Ok(Policy {
        defaults,
        rules: file.rules,
    })
}

impl Defaults {
    /// The keys of all of them.
    pub const KEYS: [&'static str; 7] = [
        "goal",
        "readable_by",
        "reads",
        "storage",
        "axes",
        "expected",
        "most_chunks",
    ];

    /// Understands keys and values.
    ///
    /// # Errors
    /// Names the option, the value, and what is allowed.
    pub fn from_text<'a>(stated: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut defaults = Self::default();
        for (key, text) in stated {
            let declared = DeclaredOption::find_among(key, |one| Self::KEYS.contains(&one.key))?;
            defaults.set(key, text).map_err(|why| {
                declared.refuse(&format!("the option {key}"), text, why.as_deref())
            })?;
        }
        Ok(defaults)
    }

    /// Sets the option `key`; an error says more than that the value is not allowed, if there is more.
    fn set(&mut self, key: &str, text: &str) -> std::result::Result<(), Option<String>> {
        let why = |error: Error| Some(error.cause);
        let access = &mut self.access;
        match key {
            "goal" => self.goal = Some(text.parse().map_err(|_| None)?),
            "readable_by" => self.readable_by = Some(text.parse().map_err(|_| None)?),
            "reads" => access.reads = parse_reads(text).map_err(why)?,
            "storage" => access.storage = Some(parse_storage(text).map_err(|_| None)?),
            "axes" => access.axes = parse_axes(text).map_err(why)?,
            "expected" => access.expected = parse_expected(text).map_err(why)?,
            _ => {
                let most = text.parse().ok().filter(|&most| most > 0);
                access.most_chunks = Some(most.ok_or(None)?);
            }
        }
        Ok(())
    }
}

impl AccessPattern {
    /// What is stated here, and where nothing is, what `defaults` state.
    #[must_use]
    pub fn or(self, defaults: &Self) -> Self {
        fn filled<T: Clone>(stated: Vec<T>, default: &[T]) -> Vec<T> {
            match stated.is_empty() {
                true => default.to_vec(),
                false => stated,
            }
        }
        Self {
            reads: filled(self.reads, &defaults.reads),
            storage: self.storage.or(defaults.storage),
            axes: filled(self.axes, &defaults.axes),
            expected: filled(self.expected, &defaults.expected),
            most_chunks: self.most_chunks.or(defaults.most_chunks),
            calibration: self.calibration,
        }
    }
}

#[cfg(test)]
mod tests {
    use frazil_types::Storage;

    use super::*;

    #[test]
    fn a_file_states_options_for_all_variables_and_for_some() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        let text = "[defaults]\ngoal = \"size\"\nreadable_by = \"plugins\"\nreads = [\"map\", \"series=2\"]\n\
                    storage = \"object-store\"\nexpected = { time = 8760 }\naxes = { z = \"level\" }\n\
                    most_chunks = 500\nmin_write_speed = 400\n\
                    [variables.\"T*\"]\nchunks = { time = 24 }\n";
        std::fs::write(&path, text).unwrap();
        let policy = read_policy(&path).unwrap();
        let defaults = &policy.defaults;
        assert_eq!(defaults.goal, Some(Goal::Size));
        assert_eq!(defaults.readable_by, Some(ReaderLevel::Plugins));
        assert_eq!(defaults.access.reads.len(), 2);
        assert_eq!(defaults.access.storage, Some(Storage::ObjectStore));
        assert_eq!(defaults.access.expected_length("time"), Some(8760));
        assert_eq!(defaults.access.most_chunks, Some(500));
        assert!(policy.rules[0].demand.min_write_speed.is_some());
        assert_eq!(policy.rules[1].chunks["time"], 24);
        let stated = AccessPattern {
            most_chunks: Some(3),
            ..AccessPattern::default()
        };
        let both = stated.or(&defaults.access);
        assert_eq!((both.most_chunks, both.reads.len()), (Some(3), 2));
    }

    #[test]
    fn a_wrong_default_is_named_with_what_was_meant() {
        for (key, value, part) in [
            ("goal", "sizee", "is `size` meant?"),
            (
                "storage",
                "tape",
                "it must be local, disk, parallel-fs or object-store",
            ),
            ("reads", "maps", "is `map` meant?"),
            ("most_chunks", "0", "more than 0"),
            ("gaol", "size", "is `goal` meant?"),
        ] {
            let error = Defaults::from_text([(key, value)]).unwrap_err();
            let said = format!("{error} ({})", error.cure.clone().unwrap_or_default());
            assert!(said.contains(key) && said.contains(part), "{said}");
        }
    }
}
