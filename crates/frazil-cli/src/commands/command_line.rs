//! The command line as a text, for the attribute `history`.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Longer lines are cut: a history is no list of files.
const MOST_CHARACTERS: usize = 2000;

/// What was typed, as far as it concerns `file`: without the other files that `named` has, and without
/// secrets in URLs.
pub(super) fn about(file: &Path, named: &[PathBuf]) -> String {
    of(std::env::args_os().skip(1), file, named)
}

fn of(words: impl Iterator<Item = OsString>, file: &Path, named: &[PathBuf]) -> String {
    let is_other = |word: &OsString| {
        let path = Path::new(word);
        path != file && !path.is_dir() && named.iter().any(|one| one == path)
    };
    let mut line = String::from("frazil");
    for word in words.filter(|word| !is_other(word)) {
        let plain = word.to_string_lossy();
        let plain = frazil::without_secrets(&plain);
        // Only a NUL cannot be quoted, and no word of a command line has one.
        let quoted = shlex::try_quote(&plain).unwrap_or(Cow::Borrowed("?"));
        line.push(' ');
        line.push_str(&quoted);
    }
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_left_out_and_blanks_are_quoted() {
        let words = ["pack", "a.nc", "b c.nc", "--out-dir", "d"].map(OsString::from);
        let named = ["a.nc", "b c.nc"].map(PathBuf::from);
        let line = |file: &str| of(words.iter().cloned(), Path::new(file), &named);
        assert_eq!(line("a.nc"), "frazil pack a.nc --out-dir d");
        assert_eq!(line("b c.nc"), "frazil pack 'b c.nc' --out-dir d");
    }
}
