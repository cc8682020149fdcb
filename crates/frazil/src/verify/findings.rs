//! What a comparison has found so far.

use std::path::Path;

use crate::report::{Difference, PrecisionReport, VariableFigures, VerifyReport};

/// Differences kept; more are only counted.
const MAX_KEPT: usize = 100;

/// Counts, differences and notices.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) objects: u64,
    pub(crate) attributes: u64,
    pub(crate) values: u64,
    pub(crate) value_bytes: u64,
    pub(crate) precision: Vec<PrecisionReport>,
    pub(crate) figures: Vec<VariableFigures>,
    differences: Vec<Difference>,
    count: u64,
    notices: Vec<String>,
}

impl Findings {
    /// Notes a difference at an object.
    pub(crate) fn differ(&mut self, path: &str, what: impl Into<String>) {
        self.count += 1;
        if self.differences.len() < MAX_KEPT {
            self.differences.push(Difference {
                path: path.to_owned(),
                what: what.into(),
            });
        }
    }

    /// Notes what the user should know.
    pub(crate) fn notice(&mut self, line: impl Into<String>) {
        self.notices.push(line.into());
    }

    pub(crate) fn into_report(self, a: &Path, b: &Path, seconds: f64) -> VerifyReport {
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
}
