//! What a comparison has found so far.

use std::path::Path;

use crate::{Difference, PrecisionReport, VariableFigures, VerifyReport};
use frazil_file::error::user_path;
use frazil_file::wording::enumerate;
use frazil_precision::MOST_ERROR_SHARE;

/// Differences kept; more are only counted.
const MAX_KEPT: usize = 100;

/// What is said of files that differ in nothing that a reader computes with.
const ALL_VALUES_EQUAL: &str = "all compared values are equal; the files differ in attributes, types, fill \
                                values or names";

/// Attributes without which stored numbers are other values.
const UNPACKED_BY: [&str; 3] = ["scale_factor", "add_offset", "_Unsigned"];

/// Counts, differences and notices.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub objects: u64,
    pub attributes: u64,
    pub values: u64,
    pub value_bytes: u64,
    pub precision: Vec<PrecisionReport>,
    pub figures: Vec<VariableFigures>,
    /// Variables that the first file states to be rounded, and the second does not.
    pub only_first_rounded: u64,
    differences: Vec<Difference>,
    count: u64,
    /// Whether differences that concern no values do not count.
    values_only: bool,
    /// Differences that do not count.
    left_out: u64,
    /// Values differ, or only one of the files has them.
    values_differ: bool,
    notices: Vec<String>,
    /// Names that only differ in what their character set is said to be, and are ASCII.
    other_sets: u64,
}

impl Findings {
    /// With `values_only`, only differences that concern values count.
    pub(crate) fn new(values_only: bool) -> Self {
        Self {
            values_only,
            ..Self::default()
        }
    }

    /// Notes a difference at an object that concerns no values.
    pub(crate) fn differ(&mut self, path: &str, what: impl Into<String>) {
        match self.values_only {
            true => self.left_out += 1,
            false => self.add(path, what),
        }
    }

    fn add(&mut self, path: &str, what: impl Into<String>) {
        self.count += 1;
        if self.differences.len() < MAX_KEPT {
            self.differences.push(Difference {
                path: user_path(path),
                what: what.into(),
            });
        }
    }

    /// Notes that values differ, or that only one of the files has them.
    pub(crate) fn differ_in_values(&mut self, path: &str, what: impl Into<String>) {
        self.values_differ = true;
        self.add(path, what);
    }

    /// Notes a difference of an attribute: it concerns values if they are unpacked by it.
    pub(crate) fn differ_in_attribute(&mut self, path: &str, name: &str, what: &str) {
        let what = format!("attribute `{name}`{what}");
        match UNPACKED_BY.contains(&name) {
            true => self.differ_in_values(path, what),
            false => self.differ(path, what),
        }
    }

    /// Notes what the user should know.
    pub(crate) fn notice(&mut self, line: impl Into<String>) {
        self.notices.push(line.into());
    }

    /// Compares what a name's character set is said to be (`true`: UTF-8; else ASCII) in both files.
    pub(crate) fn character_set(&mut self, path: &str, name: &str, sets: (bool, bool)) {
        if sets.0 == sets.1 {
            return;
        }
        if name.is_ascii() {
            self.other_sets += 1;
            return;
        }
        let say = |is_utf8: bool| if is_utf8 { "UTF-8" } else { "ASCII" };
        let (first, second) = (say(sets.0), say(sets.1));
        self.differ(
            path,
            format!("character set of the name `{name}`: {first} against {second}"),
        );
    }

    pub(crate) fn into_report(mut self, a: &Path, b: &Path, seconds: f64) -> VerifyReport {
        if self.other_sets > 0 {
            self.notices.push(format!(
                "ASCII names that are said to be UTF-8 in one file and ASCII in the other: {}",
                self.other_sets
            ));
        }
        if self.only_first_rounded > 0 && self.precision.is_empty() && self.count > 0 {
            self.notices.push(format!(
                "only the first file states that values were rounded ({} of its variables); the original comes \
                 first: are the two files swapped?",
                self.only_first_rounded
            ));
        }
        if self.left_out > 0 {
            self.notices.push(format!(
                "only values count: {} other differences, as of attributes, fill values or orders, are left out",
                self.left_out
            ));
        }
        let lost = self.precision.iter().filter(|one| one.has_lost_much());
        let lost: Vec<&str> = lost.map(|one| one.path.as_str()).collect();
        if !lost.is_empty() {
            self.notices.push(format!(
                "rounding lost much of {}, whatever bounds hold: errors make up more than {:.0} % of the variance",
                enumerate(&lost),
                100.0 * MOST_ERROR_SHARE
            ));
        }
        let are_same = !self.values_differ && self.precision.is_empty();
        if are_same && self.count > 0 && self.values > 0 {
            self.notices.push(ALL_VALUES_EQUAL.to_owned());
        }
        VerifyReport {
            a: a.to_owned(),
            b: b.to_owned(),
            objects: self.objects,
            attributes: self.attributes,
            values: self.values,
            value_bytes: self.value_bytes,
            differences: self.differences,
            difference_count: self.count,
            precision: self.precision,
            figures: self.figures,
            notices: self.notices,
            seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_differences_are_counted_and_the_first_are_kept() {
        let mut findings = Findings::default();
        for i in 0..250 {
            findings.differ(&format!("/v{i}"), "differs");
        }
        let report = findings.into_report(Path::new("a"), Path::new("b"), 0.0);
        assert_eq!(
            (report.difference_count, report.differences.len()),
            (250, MAX_KEPT)
        );
        assert!(!report.is_equal());
        assert_eq!(report.differences[99].path, "/v99");
    }

    #[test]
    fn differences_that_concern_no_values_are_only_counted_on_request() {
        let mut findings = Findings::new(true);
        findings.differ("/v", "differs");
        findings.differ_in_attribute("/v", "units", " is only in the first file");
        findings.differ_in_attribute("/v", "scale_factor", " is only in the first file");
        let report = findings.into_report(Path::new("a"), Path::new("b"), 0.0);
        assert_eq!(report.difference_count, 1);
        assert!(report.differences[0].what.contains("scale_factor"));
        assert!(report.notices[0].contains("2 other differences"));
    }

    #[test]
    fn equal_values_of_different_files_are_told() {
        let notices = |differ: fn(&mut Findings, &str, &str), values| {
            let mut findings = Findings {
                values,
                ..Findings::default()
            };
            differ(&mut findings, "/v", "differs");
            let report = findings.into_report(Path::new("a"), Path::new("b"), 0.0);
            report.notices
        };
        let metadata: fn(&mut Findings, &str, &str) =
            |findings, path, what| findings.differ(path, what);
        assert_eq!(notices(metadata, 5), [ALL_VALUES_EQUAL]);
        assert!(notices(metadata, 0).is_empty());
        assert!(
            notices(
                |findings, path, what| findings.differ_in_values(path, what),
                5
            )
            .is_empty()
        );
    }
}
