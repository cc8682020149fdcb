//! What of long tests runs with each change, for tests in Rust: the rule of `sampling.py`.
//!
//! Test modules of several crates take this file in by its path.

use std::process::Command;

/// Whether everything runs, however long it takes: `make test-full`.
pub(crate) fn is_full() -> bool {
    std::env::var_os("FRAZIL_FULL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// One in `one_in` of some cases, others with each commit; all of them in a full run.
pub(crate) fn sampled<T>(cases: impl IntoIterator<Item = T>, one_in: u64) -> Vec<T> {
    let seed = seed();
    let is_drawn = |number: u64| is_full() || mix(seed.wrapping_add(number)).is_multiple_of(one_in);
    let cases = (0..).zip(cases);
    let drawn = cases.filter(|&(number, _)| is_drawn(number));
    drawn.map(|(_, case)| case).collect()
}

/// A number of this commit, or of what `FRAZIL_TEST_SEED` states.
fn seed() -> u64 {
    let stated = std::env::var("FRAZIL_TEST_SEED").ok();
    let text = stated.or_else(commit).unwrap_or_default();
    let text = text.get(..12).unwrap_or(&text);
    println!("sampled: FRAZIL_TEST_SEED={text}; all with FRAZIL_FULL=1");
    text.bytes()
        .fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

fn commit() -> Option<String> {
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).output();
    String::from_utf8(asked.ok()?.stdout).ok()
}

/// Neighbouring numbers become numbers that look random (SplitMix64).
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
