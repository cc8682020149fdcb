//! Pack, compare, look, unpack: the commands on a small classic netCDF file.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::fs;
use std::path::Path;

use super::common::{ELEMENTS, ends_with, workplace};
use serde_json::Value;
use tempfile::TempDir;

fn size(directory: &TempDir, name: &str) -> u64 {
    fs::metadata(directory.path().join(name)).unwrap().len()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn packed_is_smaller_and_equal() {
    let directory = workplace();
    let (stdout, stderr) = ends_with(&directory, "pack in.nc -o out.nc", 0);
    assert!(stdout.starts_with("in.nc -> out.nc\n"), "{stdout}");
    assert!(
        stdout.contains("/v") && stdout.contains("256.0 KiB"),
        "{stdout}"
    );
    assert!(
        !stderr.contains('\r') && !stderr.contains("left"),
        "{stderr}"
    );
    assert!(size(&directory, "out.nc") < size(&directory, "in.nc") / 2);
    let (stdout, _) = ends_with(&directory, "verify in.nc out.nc", 0);
    assert!(stdout.starts_with("equal: "), "{stdout}");
}

#[test]
fn a_difference_is_found_and_named() {
    let directory = workplace();
    ends_with(&directory, "pack in.nc -o out.nc", 0);
    let (stdout, _) = ends_with(&directory, "verify other.nc out.nc", 1);
    assert!(stdout.starts_with("different: 1 difference"), "{stdout}");
    assert!(stdout.contains("/v: "), "{stdout}");
    let (stdout, stderr) = ends_with(&directory, "verify other.nc out.nc --quiet", 1);
    assert!(stdout.is_empty() && stderr.is_empty(), "{stdout}{stderr}");
}

#[test]
fn unpacked_is_equal_in_both_formats() {
    let directory = workplace();
    ends_with(&directory, "pack in.nc -o out.nc", 0);
    for format in ["netcdf4", "classic"] {
        let line = format!("unpack out.nc -o {format}.nc --format {format} --verify");
        ends_with(&directory, &line, 0);
        ends_with(&directory, &format!("verify in.nc {format}.nc"), 0);
    }
    assert!(size(&directory, "netcdf4.nc") > u64::from(4 * ELEMENTS));
    let classic = fs::read(directory.path().join("classic.nc")).unwrap();
    assert!(classic.starts_with(b"CDF"));
}

#[test]
fn json_is_one_document() {
    let directory = workplace();
    let (stdout, _) = ends_with(&directory, "pack in.nc absent.nc --out-dir out --json", 1);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let variable = &document["reports"][0]["variables"][0];
    assert_eq!(variable["path"], "/v");
    assert_eq!(variable["raw_bytes"], 4 * ELEMENTS);
    assert_eq!(document["errors"][0]["code"], "not_found");
    let (stdout, _) = ends_with(&directory, "info in.nc --json", 0);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["reports"][0]["format"], "CDF-1");
}

#[test]
fn a_dry_run_writes_nothing() {
    let directory = workplace();
    let (stdout, _) = ends_with(&directory, "pack in.nc --dry-run", 0);
    assert!(stdout.contains("predicted"), "{stdout}");
    ends_with(&directory, "pack in.nc -o out.nc --dry-run", 0);
    assert_eq!(names(directory.path()), ["in.nc", "other.nc"]);
    assert_eq!(size(&directory, "in.nc"), u64::from(80 + 4 * ELEMENTS));
}

#[test]
fn an_existing_file_is_kept_unless_told_otherwise() {
    let directory = workplace();
    let before = fs::read(directory.path().join("other.nc")).unwrap();
    let (_, stderr) = ends_with(&directory, "pack in.nc -o other.nc", 1);
    assert!(stderr.contains("[already_exists]"), "{stderr}");
    assert_eq!(fs::read(directory.path().join("other.nc")).unwrap(), before);
    ends_with(&directory, "pack in.nc -o other.nc --overwrite", 0);
    ends_with(&directory, "verify in.nc other.nc", 0);
}

#[test]
fn in_place_leaves_one_smaller_file() {
    let directory = workplace();
    fs::copy(
        directory.path().join("in.nc"),
        directory.path().join("copy.nc"),
    )
    .unwrap();
    ends_with(&directory, "pack in.nc --in-place", 0);
    assert_eq!(names(directory.path()), ["copy.nc", "in.nc", "other.nc"]);
    assert!(size(&directory, "in.nc") < size(&directory, "copy.nc") / 2);
    ends_with(&directory, "verify copy.nc in.nc", 0);
}

#[test]
fn explicit_chunks_are_obeyed() {
    let directory = workplace();
    ends_with(&directory, "pack in.nc -o out.nc --chunks v:x=4096", 0);
    let (stdout, _) = ends_with(&directory, "info out.nc --json", 0);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let variable = &document["reports"][0]["variables"][0];
    assert_eq!(variable["chunk"], serde_json::json!([4096]));
    assert_eq!(variable["chunk_count"], 16);
}

#[test]
fn quiet_says_nothing_of_success() {
    let directory = workplace();
    let (stdout, stderr) = ends_with(&directory, "pack in.nc -o out.nc --quiet", 0);
    assert!(stdout.is_empty() && stderr.is_empty(), "{stdout}{stderr}");
}
