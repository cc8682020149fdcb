//! The value of `--chunks`: `tas:time=24,lat=64`, `time=12`, `0=12`.

use frazil::ChunkOverride;

use crate::text;

/// Parses one `--chunks` value. Without a variable (or with `*`) it means all variables that have
/// the dimensions.
///
/// # Errors
/// One line for the user.
pub(crate) fn parse(stated: &str) -> Result<ChunkOverride, String> {
    let (variable, extents) = split_variable(stated);
    if variable.trim().is_empty() {
        // As of "$VAR:time=12" with an empty VAR.
        return Err(text::nameless(stated));
    }
    let extents: Vec<(String, u64)> = extents
        .split(',')
        .map(parse_extent)
        .collect::<Result<_, _>>()
        .map_err(|cause| match joined_otherwise(stated) {
            Some(meant) => format!("{cause}; is `{meant}` meant?"),
            None => cause,
        })?;
    for (place, (axis, _)) in extents.iter().enumerate() {
        if extents[..place].iter().any(|(earlier, _)| earlier == axis) {
            return Err(format!("dimension `{axis}` is given twice"));
        }
    }
    Ok(ChunkOverride {
        variable: variable.into(),
        extents,
    })
}

/// Splits at the last colon before the first `=`: names may hold colons themselves.
fn split_variable(text: &str) -> (&str, &str) {
    let names = text.find('=').map_or(text, |equals| &text[..equals]);
    match names.rfind(':') {
        Some(colon) => (&text[..colon], &text[colon + 1..]),
        None => ("*", text),
    }
}

/// What is meant by `time:24`, and by `tas=time:24`.
fn joined_otherwise(text: &str) -> Option<String> {
    let (before, elements) = text.rsplit_once(':')?;
    elements.trim().parse::<u64>().ok()?;
    Some(match before.split_once('=') {
        Some((variable, axis)) => format!("{variable}:{axis}={elements}"),
        None => format!("{before}={elements}"),
    })
}

/// Parses `time=24`.
fn parse_extent(text: &str) -> Result<(String, u64), String> {
    let (axis, elements) = text
        .split_once('=')
        .filter(|(axis, _)| !axis.trim().is_empty())
        .ok_or_else(|| format!("`{text}` is not DIMENSION=ELEMENTS, for example time=24"))?;
    let axis = axis.trim();
    match elements.trim().parse() {
        Ok(0) => Err(format!("`{axis}`: a chunk has at least one element")),
        Ok(elements) => Ok((axis.into(), elements)),
        Err(_) => Err(format!(
            "`{axis}`: `{elements}` is not a number of elements"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Vec<(String, u64)>) {
        let chunk = parse(text).unwrap();
        (chunk.variable, chunk.extents)
    }

    #[test]
    fn a_variable_and_its_extents() {
        let expected = vec![("time".to_string(), 24), ("lat".to_string(), 64)];
        assert_eq!(
            parsed("tas:time=24,lat=64"),
            ("tas".into(), expected.clone())
        );
        assert_eq!(parsed("/a/b:time=24, lat=64"), ("/a/b".into(), expected));
    }

    #[test]
    fn no_variable_means_all() {
        let time = vec![("time".to_string(), 12)];
        for text in ["time=12", "*:time=12"] {
            assert_eq!(parsed(text), ("*".into(), time.clone()), "{text}");
        }
        assert_eq!(parsed("0=12").1, vec![("0".to_string(), 12)]);
    }

    #[test]
    fn a_name_may_hold_a_colon() {
        assert_eq!(parsed("/ns:tas:time=1").0, "/ns:tas");
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, part) in [
            ("", "DIMENSION=ELEMENTS"),
            ("tas", "DIMENSION=ELEMENTS"),
            ("tas:", "DIMENSION=ELEMENTS"),
            ("tas:=4", "DIMENSION=ELEMENTS"),
            (":time=12", "a name is missing before the colon"),
            (" :time=12", "a name is missing before the colon"),
            ("time=1,", "DIMENSION=ELEMENTS"),
            ("time=0", "at least one"),
            ("time=-1", "not a number"),
            ("time=NaN", "not a number"),
            ("time=99999999999999999999", "not a number"),
            ("time=1,time=2", "twice"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn other_ways_to_join_are_understood() {
        for (text, meant) in [("time:24", "`time=24`"), ("tas=time:24", "`tas:time=24`")] {
            let refused = parse(text).unwrap_err();
            assert!(refused.contains(meant), "{refused}");
        }
        assert!(!parse("time").unwrap_err().contains("meant"));
    }
}
