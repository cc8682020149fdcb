//! The global attribute `history`, by CF's habit: one line for each program that changed the file, with date
//! and command, the last one first.

use std::time::SystemTime;

use humantime::format_rfc3339_seconds;

use crate::attributes::Attributes;

/// Its name.
pub const HISTORY: &str = "history";
/// What our lines have behind the date.
const MARK: &str = "Z: frazil";
/// HDF5's attributes have 64 KiB with all that describes them.
const MOST_BYTES: usize = 60_000;

/// The history of a file that `command` makes now of one with these global attributes.
///
/// # Errors
/// In words: why the history must stay as it is.
pub fn prolonged(attributes: &Attributes, command: &str) -> Result<String, &'static str> {
    let now = format_rfc3339_seconds(SystemTime::now());
    let command = command.replace(char::is_control, " ");
    let line = format!("{now}: {command}");
    let earlier = match (attributes.has(HISTORY), attributes.text(HISTORY)) {
        (false, _) => return Ok(line),
        (true, None) => return Err("it is no text"),
        (true, Some(text)) => text,
    };
    match (earlier.contains(char::REPLACEMENT_CHARACTER), earlier.len()) {
        (true, _) => Err("it is not UTF-8"),
        (false, bytes) if bytes.saturating_add(line.len()) > MOST_BYTES => {
            Err("with one more line it would be larger than an attribute may be")
        }
        (false, 0) => Ok(line),
        (false, _) => Ok(format!("{line}\n{earlier}")),
    }
}

/// Whether the history of the second file is that of the first with lines of ours before it.
#[must_use]
pub fn is_prolonged(first: &Attributes, second: &Attributes) -> bool {
    let Some(text) = second.text(HISTORY) else {
        return false;
    };
    let added = match (first.has(HISTORY), first.text(HISTORY)) {
        (false, _) | (true, Some("")) => Some(text),
        (true, Some(earlier)) => text
            .strip_suffix(earlier)
            .and_then(|added| added.strip_suffix('\n')),
        (true, None) => None,
    };
    let is_ours = |line: &str| {
        line.find(MARK)
            .is_some_and(|at| at == "2026-01-01T00:00:00".len())
    };
    added.is_some_and(|added| !added.is_empty() && added.lines().all(is_ours))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::{AttributeValue, ClassicAttribute};

    fn with(text: &str) -> Attributes {
        Attributes::of_classic(&[ClassicAttribute {
            name: HISTORY.to_owned(),
            value: AttributeValue::Char(text.as_bytes().to_vec()),
        }])
    }

    #[test]
    fn a_line_goes_before_those_of_others_and_is_known_again() {
        let none = Attributes::default();
        let first = prolonged(&none, "frazil pack a.nc\n-o b.nc").unwrap();
        assert!(first.ends_with("Z: frazil pack a.nc -o b.nc"), "{first}");
        assert!(is_prolonged(&none, &with(&first)));
        let others = with("Mon Jan 1: cdo copy x.nc a.nc");
        let second = prolonged(&others, "frazil.pack('a.nc', 'b.nc')").unwrap();
        assert!(
            second.ends_with("\nMon Jan 1: cdo copy x.nc a.nc"),
            "{second}"
        );
        assert!(is_prolonged(&others, &with(&second)));
        assert!(!is_prolonged(&with(&second), &others));
        assert!(!is_prolonged(&others, &others));
        assert!(!is_prolonged(&none, &others));
    }

    #[test]
    fn what_cannot_be_kept_is_left_alone() {
        assert!(prolonged(&with(&"x".repeat(MOST_BYTES)), "frazil pack").is_err());
        let numbers = Attributes::of_classic(&[ClassicAttribute {
            name: HISTORY.to_owned(),
            value: AttributeValue::Int(vec![1]),
        }]);
        assert!(prolonged(&numbers, "frazil pack").is_err());
    }
}
