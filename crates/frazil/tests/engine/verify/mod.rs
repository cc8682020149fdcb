//! `verify` finds every planted difference and names its place, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

mod classic;
mod corpus;
mod hdf5;
mod rounded;

use std::path::{Path, PathBuf};

use frazil::{Silent, VerifyOptions, VerifyReport, verify};

/// A file made by `data/verify/make.py`.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/verify")
        .join(format!("{name}.h5"))
}

fn compare(a: &Path, b: &Path) -> VerifyReport {
    verify(a, b, &VerifyOptions::default(), &mut Silent).unwrap()
}

/// Differences as `path: what`.
fn lines(report: &VerifyReport) -> Vec<String> {
    let differences = report.differences.iter();
    differences
        .map(|difference| format!("{}: {}", difference.path, difference.what))
        .collect()
}

#[track_caller]
fn assert_equal(a: &Path, b: &Path) -> VerifyReport {
    let report = compare(a, b);
    assert!(
        report.is_equal(),
        "{}, {}: {:?}",
        a.display(),
        b.display(),
        lines(&report)
    );
    assert!(report.objects > 0);
    report
}
