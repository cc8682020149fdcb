//! Rounding, the information in the bits, and the proof: the commands on a small classic file.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::fs;

use super::common::{ELEMENTS, ends_with, workplace};
use serde_json::Value;
use tempfile::TempDir;

fn read(directory: &TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name)).unwrap()
}

#[test]
fn rounded_is_told_from_different() {
    let directory = workplace();
    let (stdout, _) = ends_with(&directory, "pack in.nc -o out.nc --bits 5", 0);
    assert!(stdout.contains("bitround(5)"), "{stdout}");
    assert!(stdout.contains("0.016 rel"), "{stdout}");
    let (stdout, _) = ends_with(&directory, "verify in.nc out.nc", 0);
    let headline = "equal, except for rounding within the stated bounds of 1 variable: ";
    assert!(stdout.starts_with(headline), "{stdout}");
    let (stdout, _) = ends_with(&directory, "verify other.nc out.nc", 1);
    assert!(
        stdout.starts_with("failed: 1 of 1 rounded variables"),
        "{stdout}"
    );
    assert!(
        stdout.contains("FAIL") && stdout.contains("  /v: "),
        "{stdout}"
    );
}

#[test]
fn an_error_bound_is_kept_and_said() {
    let directory = workplace();
    ends_with(&directory, "pack in.nc -o out.nc --abs-error v:0.75", 0);
    let (stdout, _) = ends_with(&directory, "verify in.nc out.nc --json", 0);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let variable = &document["reports"][0]["precision"][0];
    assert_eq!(variable["path"], "/v");
    assert_eq!(variable["stated"]["bound"]["absolute"], 0.75);
    assert_eq!(variable["beyond_bound"], 0);
    let error = variable["max_absolute_error"].as_f64().unwrap();
    assert!(error > 0.0 && error <= 0.75, "{error}");
}

#[test]
fn named_variables_stay_exact() {
    let directory = workplace();
    ends_with(
        &directory,
        "pack in.nc -o out.nc --digits 2 --lossless v",
        0,
    );
    let (stdout, _) = ends_with(&directory, "verify in.nc out.nc", 0);
    assert!(stdout.starts_with("equal: "), "{stdout}");
}

#[test]
fn decisions_are_written_kept_and_replayed() {
    let directory = workplace();
    let line = "pack in.nc -o first.nc --rel-error 1% --write-precision rules.toml";
    ends_with(&directory, line, 0);
    let rules = read(&directory, "rules.toml");
    assert!(rules.contains("variables = [\"/v\"]"), "{rules}");
    let (_, stderr) = ends_with(&directory, &line.replace("first", "second"), 2);
    assert!(
        stderr.contains("rules.toml") && stderr.contains("[already_exists]"),
        "{stderr}"
    );
    assert_eq!(read(&directory, "rules.toml"), rules);
    let line = "pack in.nc -o second.nc --precision rules.toml --write-precision again.toml";
    ends_with(&directory, line, 0);
    assert_eq!(read(&directory, "again.toml"), rules);
    ends_with(&directory, "verify first.nc second.nc", 0);
}

#[test]
fn a_file_of_rules_that_is_not_understood_stops_everything() {
    let directory = workplace();
    fs::write(directory.path().join("rules.toml"), "[[rule]]\nbits = 3\n").unwrap();
    let (_, stderr) = ends_with(&directory, "pack in.nc -o out.nc --precision rules.toml", 2);
    assert!(stderr.contains("rules.toml: "), "{stderr}");
    assert!(!directory.path().join("out.nc").exists());
}

#[test]
fn analysis_has_a_table_a_picture_and_numbers() {
    let directory = workplace();
    let (stdout, _) = ends_with(&directory, "analyze in.nc --figure bits.svg", 0);
    assert!(
        stdout.contains("/v") && stdout.contains("mantissa"),
        "{stdout}"
    );
    assert!(read(&directory, "bits.svg").starts_with("<svg "));
    let (stdout, _) = ends_with(&directory, "analyze in.nc --keep-information 90% --json", 0);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let variable = &document["reports"][0]["variables"][0];
    assert_eq!(variable["keep_information"], 0.9);
    assert_eq!(variable["information"].as_array().unwrap().len(), 32);
    assert_eq!(variable["shape"], serde_json::json!([ELEMENTS]));
    let (stdout, _) = ends_with(&directory, "analyze in.nc --variables w*", 0);
    assert!(stdout.contains("no floating-point variables"), "{stdout}");
}

#[test]
fn a_page_shows_what_failed() {
    let directory = workplace();
    ends_with(&directory, "pack in.nc -o out.nc --digits 2", 0);
    ends_with(&directory, "verify in.nc out.nc --report page.html", 0);
    let page = read(&directory, "page.html");
    assert!(
        page.contains("Passed: all 1 rounded") && page.contains("<svg"),
        "{page}"
    );
    ends_with(&directory, "verify other.nc out.nc --report page.html", 1);
    assert!(read(&directory, "page.html").contains("Failed: 1 of 1 rounded"));
    let (_, stderr) = ends_with(&directory, "verify in.nc out.nc --report in.nc", 2);
    assert!(stderr.contains(".html"), "{stderr}");
}
