//! Names that are in one list only, and names in another order.

use std::collections::HashSet;

/// How two lists of distinct names differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameDifference<'a> {
    /// In the first list only.
    pub(crate) only_first: Vec<&'a str>,
    /// In the second list only.
    pub(crate) only_second: Vec<&'a str>,
    /// The first place where the common names come in another order: the name in each list.
    pub order: Option<(&'a str, &'a str)>,
}

/// Compares two lists of distinct names.
pub(crate) fn compare<'a, S: AsRef<str>>(first: &'a [S], second: &'a [S]) -> NameDifference<'a> {
    let in_first: HashSet<&str> = first.iter().map(AsRef::as_ref).collect();
    let in_second: HashSet<&str> = second.iter().map(AsRef::as_ref).collect();
    let without = |list: &'a [S], other: &HashSet<&str>| -> Vec<&'a str> {
        list.iter()
            .map(AsRef::as_ref)
            .filter(|name| !other.contains(name))
            .collect()
    };
    let common = |list: &'a [S], other: &HashSet<&str>| -> Vec<&'a str> {
        list.iter()
            .map(AsRef::as_ref)
            .filter(|name| other.contains(name))
            .collect()
    };
    let order = common(first, &in_second)
        .into_iter()
        .zip(common(second, &in_first))
        .find(|(a, b)| a != b);
    NameDifference {
        only_first: without(first, &in_second),
        only_second: without(second, &in_first),
        order,
    }
}

/// The notice for names in another order where only one file keeps the order of creation.
pub(crate) fn lost_notice(path: &str, things: &str, first_keeps_it: bool) -> String {
    let (keeps, loses) = if first_keeps_it {
        ("first", "second")
    } else {
        ("second", "first")
    };
    format!(
        "{path}: the {keeps} file keeps the order in which {things} were created, the {loses} one \
         does not, and they come in another order there"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_names_are_not_another_order() {
        let found = compare(&["a", "b", "c"], &["a", "c", "d"]);
        assert_eq!(
            (found.only_first, found.only_second),
            (vec!["b"], vec!["d"])
        );
        assert_eq!(found.order, None);
        assert_eq!(
            compare(&["a", "b", "c"], &["a", "c", "b"]).order,
            Some(("b", "c"))
        );
    }
}
