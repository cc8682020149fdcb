//! A small classic netCDF file and a way to run `frazil` on it.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Elements of the variable `/v`.
pub(crate) const ELEMENTS: u32 = 1 << 16;

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
pub(crate) fn workplace() -> TempDir {
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
pub(crate) fn ends_with(directory: &TempDir, line: &str, code: i32) -> (String, String) {
    let output = frazil(directory, line);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line}\n{stdout}{stderr}");
    (stdout, stderr)
}
