//! What serde says of a value of the wrong kind, in a user's words.

use crate::spelling;

/// A message of serde's in plain words: `"x" is no whole number from 0 on`. Others stay as they are.
#[must_use]
pub fn type_fault(message: &str) -> String {
    let message = message
        .rsplit_once(" at line ")
        .map_or(message, |(cause, _)| cause);
    let of_kind = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = of_kind.and_then(|rest| rest.rsplit_once(", expected ")) {
        return match expected {
            "a boolean" => format!("{} is neither true nor false", shown(found)),
            _ => format!("{} is no {}", shown(found), kind(expected)),
        };
    }
    // serde takes lists of the values of all keys for tables, too.
    if message.starts_with("invalid length ") && message.contains(", expected struct ") {
        return "a list is no table".to_owned();
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let mut words = rest.split('`').step_by(2).filter(|word| !word.is_empty());
        let unknown = words.next().unwrap_or_default();
        let meant = spelling::question(unknown, words);
        return format!("there is no `{unknown}`{meant}");
    }
    let Some(rest) = message.strip_prefix("unknown variant `") else {
        return message.to_owned();
    };
    let words: Vec<&str> = rest.split('`').step_by(2).collect();
    match words.split_first() {
        Some((word, known)) => {
            let known: Vec<&str> = known
                .iter()
                .copied()
                .filter(|word| !word.is_empty())
                .collect();
            let meant = spelling::question(word, known.iter().copied());
            format!("{word:?} is none of {}{meant}", known.join(", "))
        }
        None => message.to_owned(),
    }
}

/// A value without serde's word for its kind: `string "x"`, ``integer `3` ``.
fn shown(found: &str) -> String {
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        "null" | "unit value" | "Option value" => "nothing".to_owned(),
        _ => match found.find(['`', '"']) {
            Some(begin) => found[begin..].trim_matches('`').to_owned(),
            None => found.to_owned(),
        },
    }
}

fn kind(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "whole number",
        "f32" | "f64" => "number",
        "a string" | "string" => "text",
        "a sequence" => "list",
        "a map" => "table",
        of_ours if of_ours.starts_with("struct ") => "table",
        other => other.strip_prefix("a ").unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_in_words() {
        for (message, said) in [
            (
                "invalid type: string \"x\", expected u32",
                "\"x\" is no whole number from 0 on",
            ),
            (
                "invalid value: integer `-1`, expected u64 at line 1 column 9",
                "-1 is no whole number from 0 on",
            ),
            (
                "invalid type: floating point `1.5`, expected u32",
                "1.5 is no whole number from 0 on",
            ),
            (
                "invalid type: sequence, expected a boolean",
                "a list is neither true nor false",
            ),
            ("invalid type: map, expected f64", "a table is no number"),
            (
                "invalid type: null, expected struct Plan",
                "nothing is no table",
            ),
            (
                "invalid length 1, expected struct Plan with 2 elements",
                "a list is no table",
            ),
            (
                "unknown variant `bitrond`, expected one of `bitround`, `linear`",
                "\"bitrond\" is none of bitround, linear; is `bitround` meant?",
            ),
            (
                "unknown field `chnk`, expected `chunk` at line 3 column 4",
                "there is no `chnk`; is `chunk` meant?",
            ),
            (
                "missing field `kind` at line 3 column 4",
                "`kind` is missing",
            ),
            (
                "unknown variant `x`, expected `ldcpy`",
                "\"x\" is none of ldcpy",
            ),
            ("\"soon\" is no speed", "\"soon\" is no speed"),
        ] {
            assert_eq!(type_fault(message), said);
        }
    }
}
