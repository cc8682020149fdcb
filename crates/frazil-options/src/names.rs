//! Names of groups, dimensions, variables and attributes, by the rules of netCDF.
//!
//! Source: `NC_check_name` and `nc4_check_name` of netCDF-C, which every reader's own files keep to.

use std::borrow::Cow;

use frazil_container::netcdf::normalized_name;

/// Bytes of the longest name in UTF-8 (`NC_MAX_NAME`).
pub const MAX_NAME_BYTES: usize = 256;

/// So many characters of a name are repeated in a message.
const SHOWN: usize = 40;

/// What is wrong with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameFault {
    /// It cannot be a name; why, as the end of a sentence about it.
    Illegal(&'static str),
    /// It has so many bytes.
    TooLong(usize),
}

impl NameFault {
    /// One sentence about the name.
    pub fn sentence(&self, name: &str) -> String {
        let mut shown: String = name.chars().take(SHOWN).collect();
        if shown.len() < name.len() {
            shown.push('…');
        }
        match self {
            Self::Illegal(why) => format!("the name {shown:?} {why}"),
            Self::TooLong(bytes) => format!(
                "the name {shown:?} has {bytes} bytes in UTF-8, more than netCDF's {MAX_NAME_BYTES}"
            ),
        }
    }
}

/// A name in the form in which it is written.
///
/// # Errors
/// What netCDF refuses in a name.
pub fn checked_name(name: &str) -> Result<Cow<'_, str>, NameFault> {
    if let Some(why) = fault(name) {
        return Err(NameFault::Illegal(why));
    }
    let normal = match name.is_ascii() {
        true => Cow::Borrowed(name),
        false => Cow::Owned(normalized_name(name).ok_or(NameFault::Illegal(
            "holds code points that stand for no character",
        ))?),
    };
    if normal.len() > MAX_NAME_BYTES {
        return Err(NameFault::TooLong(normal.len()));
    }
    Ok(normal)
}

/// Looks for a name: as it is given, then in the form in which names are written.
pub fn sought<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    find(name).or_else(|| match name.is_ascii() {
        true => None,
        false => find(&normalized_name(name)?),
    })
}

fn fault(name: &str) -> Option<&'static str> {
    let Some(first) = name.chars().next() else {
        return Some("is empty");
    };
    if name.contains('/') {
        return Some("holds a slash");
    }
    if name.contains(|character: char| character.is_ascii_control()) {
        return Some("holds a control character");
    }
    if first.is_ascii() && !first.is_ascii_alphanumeric() && first != '_' {
        return Some("does not begin with a letter, a digit or an underscore");
    }
    name.ends_with(' ').then_some("ends in a blank")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_netcdf() {
        for name in ["a", "_x", "0", "über", "temp at 2 m", "a.b+c@d", "a%b"] {
            assert_eq!(checked_name(name).unwrap(), name);
        }
        for name in [
            "", "a/b", " a", "a ", "-a", "(b", ".", "..", "a\n", "tab\t", "\u{7f}", "a\0",
        ] {
            assert!(
                matches!(checked_name(name), Err(NameFault::Illegal(_))),
                "{name:?}"
            );
        }
    }

    #[test]
    fn names_are_measured_and_written_composed() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        assert_eq!(checked_name(&long), Err(NameFault::TooLong(257)));
        assert!(checked_name(&long[1..]).is_ok());
        assert_eq!(checked_name("e\u{301}").unwrap(), "é");
        // 300 bytes as they are given, 200 as they are written.
        assert!(checked_name(&"e\u{301}".repeat(100)).is_ok());
        let message = checked_name(&long).unwrap_err().sentence(&long);
        assert!(
            message.len() < 140 && message.contains("257 bytes"),
            "{message}"
        );
    }
}
