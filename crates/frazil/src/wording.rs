//! Names of variables in notices.

/// Names in one line; of many only the first.
pub(crate) fn enumerate(paths: &[&str]) -> String {
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
