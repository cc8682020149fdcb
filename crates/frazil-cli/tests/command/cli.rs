//! The program from outside: usage, exit codes, which stream carries what.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::process::{Command, Output};

/// Runs `frazil` with `arguments` in an empty directory.
fn frazil(arguments: &[&str]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_frazil"))
        .args(arguments)
        .current_dir(directory.path())
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn without_arguments_it_says_how_to_use_it() {
    let output = frazil(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).is_empty());
    assert!(stderr(&output).contains("Usage: frazil"));
}

#[test]
fn help_goes_to_stdout() {
    for arguments in [&["--help"][..], &["help"], &["pack", "--help"]] {
        let output = frazil(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(stdout(&output).contains("Usage: frazil"), "{arguments:?}");
        assert!(stderr(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_says_why() {
    for (arguments, part) in [
        (&["pack"][..], "<IN>"),
        (&["pack", "a.nc"], "name a place for the result"),
        (&["pack", "a.nc", "b.nc", "-o", "c.nc"], "--out-dir"),
        (
            &["pack", "a.nc", "-o", "b.nc", "--memory", "NaN"],
            "not a size",
        ),
        (
            &["pack", "a.nc", "-o", "b.nc", "--chunks", "time=0"],
            "at least one",
        ),
        (
            &["unpack", "a.nc", "-o", "b.nc", "--format", "hdf4"],
            "netcdf4",
        ),
        (&["verify", "a.nc"], "<B>"),
        (&["info", "--nonsense"], "--nonsense"),
        (&["--all"], "--version"),
    ] {
        let output = frazil(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stdout(&output).is_empty(), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn a_missing_input_is_named() {
    for (arguments, code) in [
        (&["pack", "absent.nc", "-o", "out.nc"][..], 1),
        (&["pack", "absent.nc", "--dry-run"], 1),
        (&["unpack", "absent.nc", "-o", "out.nc"], 1),
        (&["info", "absent.nc"], 1),
        (&["verify", "absent.nc", "other.nc"], 2),
    ] {
        let output = frazil(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(stdout(&output).is_empty(), "{arguments:?}");
        assert!(
            message.starts_with("frazil: error: absent.nc: "),
            "{arguments:?}: {message}"
        );
        assert!(
            message.contains(" [not_found]\n"),
            "{arguments:?}: {message}"
        );
    }
}

#[test]
fn every_missing_input_is_named() {
    let output = frazil(&["pack", "one.nc", "two.nc", "--out-dir", "out"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.contains("one.nc") && message.contains("two.nc"),
        "{message}"
    );
}

#[test]
fn json_carries_the_error_too() {
    let output = frazil(&["pack", "absent.nc", "-o", "out.nc", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(document["reports"], serde_json::json!([]));
    let error = &document["errors"][0];
    assert_eq!(error["code"], "not_found");
    assert_eq!(error["number"], 2);
    assert_eq!(error["file"], "absent.nc");
}

#[test]
fn the_version_is_that_of_the_package() {
    let output = frazil(&["--version"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let commit = text
        .strip_prefix(concat!("frazil ", env!("CARGO_PKG_VERSION")))
        .unwrap()
        .trim_end();
    // Sources that are no clone do not know their commit.
    let is_hexadecimal =
        |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let word = commit
        .strip_prefix(" (")
        .and_then(|word| word.strip_suffix(')'));
    assert!(
        commit.is_empty() || word.is_some_and(is_hexadecimal),
        "{text}"
    );
}

#[test]
fn the_long_version_tells_libraries_and_filters() {
    let output = frazil(&["--version", "--all"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for part in [
        "HDF5",
        "deflate",
        "shuffle",
        "SIMD: ",
        "plugin path: ",
        "network code: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_option_is_explained() {
    let output = frazil(&["options", "memory"]);
    assert_eq!(output.status.code(), Some(0));
    let said = stdout(&output);
    for part in [
        "memory (FRAZIL_MEMORY)",
        "a number of bytes, or one with K, M or G",
        "Default: 256M.",
        "scratch file beside the output",
        "Unit: bytes. Option of writers, pack, plan, unpack. Since 0.1.0.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.lines().all(|line| line.len() <= 100), "{said}");
    let goal = stdout(&frazil(&["options", "goal"]));
    assert!(
        goal.contains("- archive: The smallest files, at any cost."),
        "{goal}"
    );
    // Of the command alone, and spelled as its flag.
    let flag = stdout(&frazil(&["options", "allow-larger", "--json"]));
    let declared: serde_json::Value = serde_json::from_str(&flag).unwrap();
    assert_eq!(declared["key"], "allow_larger");
    assert!(declared["details"].as_str().unwrap().ends_with('.'));
    let unknown = frazil(&["options", "memroy"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("is `memory` meant?"));
}

#[test]
fn manual_pages_hold_the_details_of_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(frazil(&["man", path]).status.code(), Some(0));
    let page = std::fs::read_to_string(folder.path().join("frazil-pack.1")).unwrap();
    assert!(page.contains("scratch file beside the output"));
}

#[test]
fn completions_are_printed() {
    let output = frazil(&["completions", "bash"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("complete "));
}

/// Linux: `/dev/full` accepts nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_frazil"))
        .args(["completions", "bash"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("frazil: error: standard output: "));
}

/// A reader that has gone, as in `frazil ... | head -0`, is not an error.
#[test]
fn a_closed_pipe_is_silent() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_frazil"))
        .args(["completions", "bash"])
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).is_empty());
}
