//! Names of variables and files in notices and reports.

use std::path::{Path, PathBuf};

use serde::Serializer;

/// Names in one line; of many only the first.
pub fn enumerate(paths: &[&str]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = paths
        .iter()
        .map(|path| path.trim_start_matches('/'))
        .collect();
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

/// A path as text: one that is not UTF-8 with replacement characters, rather than no report at all.
///
/// # Errors
/// Those of the serializer.
pub fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// [`lossy`], if there is a path.
///
/// # Errors
/// Those of the serializer.
pub fn lossy_option<S: Serializer>(
    path: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_cut() {
        let names = ["/a"; 10];
        assert_eq!(enumerate(&names[..2]), "a, a");
        assert!(enumerate(&names).ends_with("a and 2 more"));
    }
}
