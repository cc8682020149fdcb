//! Pack, compare, look, unpack: the commands on a small classic netCDF file.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Elements of the variable `/v`.
const ELEMENTS: u32 = 1 << 16;

/// A CDF-1 file with one variable `float v(x)`: a slow ramp, its first value `first`.
/// Layout: the netCDF classic format specification, section "The Format in Detail".
fn classic_file(first: f32) -> Vec<u8> {
    let vsize = 4 * ELEMENTS;
    let header: [&[u8]; 18] = [
        b"CDF\x01",
        &0u32.to_be_bytes(),  // numrecs
        &10u32.to_be_bytes(), // NC_DIMENSION
        &1u32.to_be_bytes(),
        &1u32.to_be_bytes(),
        b"x\0\0\0",
        &ELEMENTS.to_be_bytes(),
        &[0; 8],              // no global attributes
        &11u32.to_be_bytes(), // NC_VARIABLE
        &1u32.to_be_bytes(),
        &1u32.to_be_bytes(),
        b"v\0\0\0",
        &1u32.to_be_bytes(), // one axis
        &0u32.to_be_bytes(), // x
        &[0; 8],             // no attributes
        &5u32.to_be_bytes(), // NC_FLOAT
        &vsize.to_be_bytes(),
        &80u32.to_be_bytes(), // where the data begin
    ];
    let mut file = header.concat();
    assert_eq!(file.len(), 80);
    let ramp = (1..ELEMENTS).map(|element| (element / 64) as f32 * 0.5);
    let values = std::iter::once(first).chain(ramp);
    file.extend(values.flat_map(f32::to_be_bytes));
    file
}

/// A directory with `in.nc`, and `other.nc` that differs in one value.
fn workplace() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in.nc"), classic_file(0.0)).unwrap();
    fs::write(directory.path().join("other.nc"), classic_file(-1.0)).unwrap();
    directory
}

fn frazil(directory: &TempDir, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_frazil"))
        .args(line.split_whitespace())
        .current_dir(directory.path())
        .output()
        .unwrap()
}

/// Runs `line`, which must end with `code`; gives standard output and standard error.
fn ends_with(directory: &TempDir, line: &str, code: i32) -> (String, String) {
    let output = frazil(directory, line);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line}\n{stdout}{stderr}");
    (stdout, stderr)
}

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
