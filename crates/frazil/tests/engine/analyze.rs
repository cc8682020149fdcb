//! `analyze`: the same result however values are stored and whoever looks at them.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use frazil::{
    AnalyzeOptions, AnalyzeReport, ChunkOverride, DataOrigin, Destination, ErrorCode, PackOptions,
    Progress, Resources, Silent, UnpackFormat, UnpackOptions, VariableInformation, analyze, pack,
    unpack,
};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/squall_line_sample.nc")
}

fn with_limits(threads: usize, memory_bytes: u64) -> AnalyzeOptions {
    AnalyzeOptions {
        resources: Resources {
            threads,
            memory_bytes,
            ..Resources::default()
        },
        ..AnalyzeOptions::default()
    }
}

fn report(path: &Path, options: &AnalyzeOptions) -> AnalyzeReport {
    analyze(path, options, &mut Silent).unwrap()
}

/// Everything that is known about each variable.
fn findings(report: &AnalyzeReport) -> Vec<(String, Vec<Vec<f64>>)> {
    let of = |variable: &VariableInformation| {
        let text = serde_json::to_string(variable).unwrap();
        (text, variable.votes.clone())
    };
    report.variables.iter().map(of).collect()
}

#[track_caller]
fn assert_same(a: &AnalyzeReport, b: &AnalyzeReport) {
    assert!(a.variables.len() > 5);
    assert_eq!(a.variables.len(), b.variables.len());
    for (one, other) in findings(a).iter().zip(findings(b)) {
        assert_eq!(*one, other);
    }
}

#[test]
fn threads_and_memory_change_nothing() {
    let one = report(&sample(), &with_limits(1, 256 << 20));
    assert_same(&one, &report(&sample(), &with_limits(4, 256 << 20)));
    assert_same(&one, &report(&sample(), &with_limits(4, 12 << 20)));
}

#[test]
fn storage_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let original = report(&sample(), &AnalyzeOptions::default());
    for (format, name) in [
        (UnpackFormat::Hdf5, "contiguous.nc"),
        (UnpackFormat::Classic, "classic.nc"),
    ] {
        let path = directory.path().join(name);
        let options = UnpackOptions {
            format,
            ..UnpackOptions::default()
        };
        unpack(
            &sample(),
            &Destination::File(path.clone()),
            &options,
            &mut Silent,
        )
        .unwrap();
        assert_same(&original, &report(&path, &AnalyzeOptions::default()));
    }
    let path = directory.path().join("chunked.nc");
    let extents = [("Time", 3), ("bottom_top", 7), ("west_east", 50)];
    let options = PackOptions {
        chunk_overrides: vec![ChunkOverride {
            variable: "*".to_owned(),
            extents: extents.map(|(name, n)| (name.to_owned(), n)).to_vec(),
        }],
        ..PackOptions::default()
    };
    pack(
        &sample(),
        &Destination::File(path.clone()),
        &options,
        &mut Silent,
    )
    .unwrap();
    assert_same(&original, &report(&path, &with_limits(3, 16 << 20)));
}

#[test]
fn a_recommendation_keeps_what_was_asked_for() {
    let report = report(&sample(), &AnalyzeOptions::default());
    let temperature = report.variables.iter().find(|v| v.path == "/T").unwrap();
    // Differences of large numbers: the last bit is never set, which is no rounding.
    assert_eq!(temperature.origin, DataOrigin::Continuous);
    let bits = temperature.significant_bits.unwrap();
    assert!((1..23).contains(&bits), "{temperature:?}");
    assert!(temperature.preserved_information.unwrap() > 0.99);
    assert_eq!(
        temperature.relative_bound,
        Some(0.5_f64.powi(bits as i32 + 1))
    );
    assert_eq!(temperature.information.len(), 32);
    let (axis, name) = temperature.axis.clone().unwrap();
    assert!(axis < temperature.shape.len() && !name.is_empty());
    let pairs: u64 = temperature.shape.iter().product::<u64>() / temperature.shape[axis]
        * (temperature.shape[axis] - 1);
    assert_eq!((temperature.pairs, temperature.masked), (pairs, 0));
    for variable in &report.variables {
        assert!(!variable.reason.is_empty(), "{}", variable.path);
    }
}

#[test]
fn variables_are_chosen_by_patterns_and_the_rest_is_named() {
    let mut options = AnalyzeOptions {
        variables: vec!["T".to_owned(), "U1?".to_owned(), "nothing*".to_owned()],
        ..AnalyzeOptions::default()
    };
    let some = report(&sample(), &options);
    assert!(some.variables.iter().any(|v| v.path == "/T"));
    assert!(
        some.variables
            .iter()
            .all(|v| v.path == "/T" || v.path.starts_with("/U1"))
    );
    assert_eq!(some.notices, ["no variable is named `nothing*`"]);
    options.variables = vec!["T".to_owned(), "QVAPUR".to_owned()];
    let error = analyze(&sample(), &options, &mut Silent).unwrap_err();
    assert!(error.cause.contains("is asked for `QVAPUR`"), "{error}");
    assert!(error.cure.unwrap().contains("`QVAPOR`"));
    options.variables = Vec::new();
    let all = report(&sample(), &options);
    assert!(
        all.notices
            .iter()
            .any(|line| line.contains("not analysed: ")),
        "{:?}",
        all.notices
    );
}

/// Adds up what is reported.
#[derive(Default)]
struct Sum {
    total: u64,
    done: u64,
}

impl Progress for Sum {
    fn stage(&mut self, _name: &str, total_bytes: u64) {
        self.total += total_bytes;
    }
    fn advance(&mut self, bytes: u64) {
        self.done += bytes;
    }
    fn notice(&mut self, _line: &str) {}
}

#[test]
fn progress_reaches_its_end() {
    let mut sum = Sum::default();
    analyze(&sample(), &AnalyzeOptions::default(), &mut sum).unwrap();
    assert!(sum.total > 0);
    assert_eq!(sum.done, sum.total);
}

#[test]
fn wrong_shares_and_interruption_are_errors() {
    for keep_information in [0.0, -1.0, 1.5, f64::NAN] {
        let options = AnalyzeOptions {
            keep_information,
            ..AnalyzeOptions::default()
        };
        let error = analyze(&sample(), &options, &mut Silent).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
    let options = AnalyzeOptions::default();
    options.resources.cancel.store(true, Ordering::Relaxed);
    let error = analyze(&sample(), &options, &mut Silent).unwrap_err();
    assert_eq!(error.code, ErrorCode::Interrupted);
}
