//! Packing with precision: what is rounded, what is refused, and that decisions can be replayed.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::fs;
use std::path::{Path, PathBuf};

use frazil::{
    Destination, PackOptions, PackReport, PrecisionOptions, PrecisionRequest, Resources, Silent,
    VariableRule, VerifyOptions, pack, read_policy, verify, write_precision,
};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/squall_line_sample.nc")
}

fn rule(pattern: &str, request: PrecisionRequest) -> VariableRule {
    VariableRule {
        variables: vec![pattern.to_owned()],
        request,
        ..VariableRule::default()
    }
}

fn digits(digits: u32) -> PrecisionRequest {
    PrecisionRequest {
        significant_digits: Some(digits),
        ..PrecisionRequest::default()
    }
}

fn packed(rules: Vec<VariableRule>, output: &Path, threads: usize) -> PackReport {
    let options = PackOptions {
        precision: PrecisionOptions {
            rules,
            ..PrecisionOptions::default()
        },
        resources: Resources {
            threads,
            ..Resources::default()
        },
        ..PackOptions::default()
    };
    let destination = Destination::File(output.to_owned());
    pack(&sample(), &destination, &options, &mut Silent).unwrap()
}

#[test]
fn fields_are_rounded_and_coordinates_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.nc");
    let report = packed(vec![rule("*", digits(3))], &output, 0);
    let of = |path: &str| {
        let variable = report.variables.iter().find(|v| v.path == path);
        variable.unwrap().precision.clone()
    };
    let temperature = of("/T").unwrap();
    assert_eq!(temperature.rounding, "granular_bitround(3)");
    assert_eq!(temperature.least_kept, Some(3));
    assert!(temperature.changed > 0);
    assert!(temperature.max_relative_error <= temperature.bound.relative.unwrap());
    assert_eq!(of("/XLAT"), None);
    let refused = |word: &str| report.notices.iter().any(|line| line.contains(word));
    assert!(
        refused("coordinates: ") && refused("XLAT"),
        "{:?}",
        report.notices
    );
    let found = verify(&sample(), &output, &VerifyOptions::default(), &mut Silent).unwrap();
    assert!(
        found.is_equal(),
        "{:?} {:?}",
        found.differences,
        found.precision
    );
    assert!(found.precision.iter().any(|variable| variable.path == "/T"));
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let bound = PrecisionRequest {
        relative_tolerance_percent: Some(0.1),
        ..PrecisionRequest::default()
    };
    let nbits = PrecisionRequest {
        nbits: Some(12),
        relative_tolerance_percent: None,
        ..PrecisionRequest::default()
    };
    let lossless = PrecisionRequest {
        lossless: Some(true),
        ..PrecisionRequest::default()
    };
    let rules = vec![
        rule("*", bound),
        rule("Q*", lossless),
        rule("QVAPOR", nbits),
    ];
    let write = |name: &str, threads| {
        let output = directory.path().join(name);
        let report = packed(rules.clone(), &output, threads);
        (fs::read(output).unwrap(), report)
    };
    let (one, report) = write("one.nc", 1);
    let (four, _) = write("four.nc", 4);
    assert!(one == four);
    let roundings: Vec<&str> = report
        .variables
        .iter()
        .filter_map(|variable| variable.precision.as_ref())
        .map(|precision| precision.rounding.as_str())
        .collect();
    assert!(roundings.contains(&"linear(12)") && roundings.contains(&"bitround(by chunk)"));
}

#[test]
fn decisions_can_be_replayed_from_their_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let share = PrecisionRequest {
        keep_information: Some(0.99),
        ..PrecisionRequest::default()
    };
    let report = packed(vec![rule("*", share)], &path("first.nc"), 0);
    assert!(!report.precision.is_empty());
    write_precision(&path("precision.toml"), &report.precision).unwrap();
    let rules = read_policy(&path("precision.toml")).unwrap().rules;
    let again = packed(rules, &path("second.nc"), 0);
    let roundings = |report: &PackReport| -> Vec<Option<String>> {
        let of = |v: &frazil::VariableReport| v.precision.as_ref().map(|p| p.rounding.clone());
        report.variables.iter().map(of).collect()
    };
    assert_eq!(roundings(&report), roundings(&again));
}
