use frazil::{
    Difference, ErrorBound, PrecisionReport, QuantizeAlgorithm, StatedPrecision, ThresholdResult,
};

use frazil::ErrorCode;

use super::*;
use crate::args::{Command, parse};
use crate::text::{columns, screen_columns};

fn report(difference_count: u64) -> VerifyReport {
    VerifyReport {
        precision: Vec::new(),
        figures: Vec::new(),
        a: "a.nc".into(),
        b: "b.nc".into(),
        objects: 12,
        attributes: 40,
        values: 1_000_000,
        value_bytes: 4_000_000,
        differences: (0..difference_count.min(2))
            .map(|number| Difference {
                path: format!("/v{number}"),
                what: "[3, 4]: 1.5 and 1.25".into(),
            })
            .collect(),
        difference_count,
        notices: Vec::new(),
        seconds: 0.25,
    }
}

fn rounded(path: &str) -> PrecisionReport {
    PrecisionReport {
        path: path.into(),
        stated: StatedPrecision {
            algorithm: Some(QuantizeAlgorithm::GranularBitRound),
            significant_bits: None,
            significant_digits: Some(3),
            bound: ErrorBound {
                relative: Some(5e-3),
                ..ErrorBound::default()
            },
            keep_information: None,
        },
        values: 1000,
        changed: 990,
        special: 2,
        special_changed: 0,
        max_absolute_error: 0.2498,
        max_relative_error: 4.9e-3,
        beyond_bound: 0,
        standard_deviation: 20.0,
        rmse: 0.071,
        bias: 0.0,
        correlation: Some(0.999_999_9),
        ks_distance: 0.0014,
        gradient_error: None,
        spectral_error: None,
        ssim: Some((0.999, 0.99)),
        preserved_information: None,
        thresholds: vec![ThresholdResult {
            name: "Pearson correlation".into(),
            value: 0.9999,
            limit: 0.99999,
            passed: false,
        }],
        passed: true,
        failures: Vec::new(),
    }
}

fn shown(thresholds: bool) -> Shown {
    Shown {
        thresholds,
        ..Shown::default()
    }
}

#[test]
fn equal_takes_one_line() {
    let expected = "equal: 12 objects, 40 attributes, 1000000 values (3.8 MiB) in 0.25 s\n";
    assert_eq!(of_pair(&report(0), shown(true), None), expected);
}

#[test]
fn one_of_several_is_named() {
    let named = |name: &str| of_pair(&report(1), shown(false), Some(Path::new(name)));
    assert!(
        named("x.nc").starts_with("x.nc: different: 1 difference"),
        "{}",
        named("x.nc")
    );
    let long = "l".repeat(100);
    assert!(named(&long).starts_with(&format!("{long}:\n  different: ")));
    assert!(line_of(&report(1), Path::new("x.nc")).starts_with("x.nc: different: "));
    let summary = of_all(&[report(0), report(1)], 2, 0.5);
    assert!(
        summary.starts_with("\n4 files: 1 equal, 1 different, 2 not compared; "),
        "{summary}"
    );
}

#[test]
fn the_first_differences_are_listed() {
    let expected = "\
different: 5 differences among 12 objects, 40 attributes, 1000000 values (3.8 MiB) in 0.25 s
  /v0: [3, 4]: 1.5 and 1.25
  /v1: [3, 4]: 1.5 and 1.25
... and 3 more
";
    assert_eq!(of_pair(&report(5), shown(false), None), expected);
}

#[test]
fn rounded_variables_have_a_table() {
    let mut report = report(0);
    report.precision = vec![rounded("/tas")];
    let text = of_pair(&report, shown(false), None);
    let expected = "\
variable  stated             bound       max abs  max rel   RMSE  correl.      KS     SSIM  result
--------  -----------------  ----------  -------  -------  -----  -------  ------  -------  ------
/tas      granular_b…und(3)    5e-3 rel     0.25   4.9e-3  0.071  0.99999  1.4e-3  0.99900    pass
";
    let (first, compared) = text.split_once(": ").or(text.split_once(":\n  ")).unwrap();
    assert_eq!(
        first,
        "equal, except for rounding within the stated bounds of 1 variable"
    );
    assert!(compared.starts_with("12 objects"), "{text}");
    let columns_of = |text: &str| text.lines().map(columns).max();
    assert!(columns_of(expected) <= Some(screen_columns()));
    let row = text.lines().last().unwrap();
    for cell in ["/tas", "5e-3 rel", "4.9e-3", "0.99900", "pass"] {
        assert!(row.contains(cell), "{text}");
    }
    assert!(columns(row) <= screen_columns(), "{text}");
}

#[test]
fn failures_and_tests_are_said() {
    let mut report = report(1);
    let mut failed = rounded("/very/long/group/path/of/a/variable");
    failed.passed = false;
    failed.failures = vec!["3 values beyond\u{1b} the bound".into()];
    report.precision = vec![rounded("/tas"), failed];
    let text = of_pair(&report, shown(true), None);
    assert!(text.contains("FAIL\n"), "{text}");
    assert!(text.contains("0 of 2 documented tests passed"), "{text}");
    let failure = "variable: 3 values beyond\\u{1b} the bound\n";
    assert!(text.contains(failure), "{text}");
    assert!(text.contains("\ndifferences:\n  /v0"), "{text}");
    assert!(!of_pair(&report, shown(false), None).contains("documented"));
    report.difference_count = 0;
    let text = of_pair(&report, shown(false), None);
    assert!(
        text.starts_with("failed: 1 of 2 rounded variables; "),
        "{text}"
    );
}

fn arguments(line: &str) -> VerifyArgs {
    match parse(line.split_whitespace()).unwrap().command {
        Some(Command::Verify(args)) => args,
        other => panic!("{other:?}"),
    }
}

fn status(line: &str, result: &frazil::Result<VerifyReport>) -> Status {
    let never = Arc::new(AtomicBool::new(false));
    compare(&arguments(line), &never, &|_, _, _, _| result.clone()).unwrap()
}

#[test]
fn each_outcome_has_its_status() {
    let status = |result| status("frazil verify a.nc b.nc --quiet", &result);
    let error = |code| Err(frazil::Error::new(code, "cause"));
    assert_eq!(status(Ok(report(0))), Status::Success);
    assert_eq!(status(Ok(report(1))), Status::Failure);
    assert_eq!(status(error(ErrorCode::NotFound)), Status::Trouble);
    assert_eq!(status(error(ErrorCode::Interrupted)), Status::Interrupted);
}

#[test]
fn a_page_is_written_where_the_files_differ_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.html");
    let line = format!(
        "frazil verify a.nc b.nc --quiet --report {}",
        path.display()
    );
    std::fs::write(&path, "an older page").unwrap();
    assert_eq!(status(&line, &Ok(report(1))), Status::Failure);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("/v0"));
}

#[test]
fn a_page_that_cannot_be_written_is_no_success() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.html");
    std::fs::create_dir(&path).unwrap();
    let line = format!(
        "frazil verify a.nc b.nc --quiet --report {}",
        path.display()
    );
    assert_eq!(status(&line, &Ok(report(0))), Status::Trouble);
    assert_eq!(status(&line, &Ok(report(1))), Status::Failure);
    let line = "frazil verify a.nc b.nc --quiet --report /absent/directory/out.html";
    assert_eq!(status(line, &Ok(report(1))), Status::Trouble);
}

#[test]
fn pairs_of_trees_are_found_and_each_counts() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir_all(at("a/deep")).unwrap();
    std::fs::create_dir_all(at("b/deep")).unwrap();
    for name in ["a/one.nc", "a/deep/two.nc", "b/one.nc", "b/deep/two.nc"] {
        std::fs::write(at(name), "").unwrap();
    }
    let line = format!(
        "frazil verify -r --quiet {} {}",
        at("a").display(),
        at("b").display()
    );
    let never = Arc::new(AtomicBool::new(false));
    let seen = std::sync::Mutex::new(Vec::new());
    let ended = |different: &str| {
        let each = |a: &Path, b: &Path, _: &VerifyOptions, _: &mut dyn Progress| {
            seen.lock().unwrap().push((a.to_owned(), b.to_owned()));
            Ok(report(u64::from(a.ends_with(different))))
        };
        compare(&arguments(&line), &never, &each).unwrap()
    };
    assert_eq!(ended("none"), Status::Success);
    let pairs = seen.lock().unwrap().clone();
    assert_eq!(
        pairs,
        [
            (at("a/one.nc"), at("b/one.nc")),
            (at("a/deep/two.nc"), at("b/deep/two.nc"))
        ]
    );
    assert_eq!(ended("two.nc"), Status::Failure);
}
