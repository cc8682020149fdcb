//! The commit that is built, for `frazil --version`: `SOURCE_COMMIT`, else what git says.

// Cargo listens to standard output.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=SOURCE_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    // Each commit and each change of branch adds a line to it.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let stated = std::env::var("SOURCE_COMMIT").ok();
    let commit = stated.or_else(|| git(&["rev-parse", "--short=10", "HEAD"]));
    if let Some(commit) = commit.filter(|commit| !commit.is_empty()) {
        println!("cargo:rustc-env=BUILT_COMMIT={commit}");
    }
}

/// What git answers; nothing without git, or outside a clone.
fn git(words: &[&str]) -> Option<String> {
    let answer = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    answer.status.success().then(|| text.trim().to_owned())
}
