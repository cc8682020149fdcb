//! Requests as SCIL, the Scientific Compression Library, writes them: `*:` or a variable's name and a
//! colon, then lines `key=value`; `#` begins a comment.
//!
//! Source: SCIL's `scil-user-hints.c` at 6792f8c, as facts.

use toml::{Table, Value};

/// SCIL's word for a bound of zero error, and below: every bit is kept.
const FINEST: f64 = 1e-307;

/// What is a number that 0 takes away.
const TOLERANCES: [&str; 3] = [
    "absolute_tolerance",
    "relative_tolerance_percent",
    "relative_err_finest_abs_tolerance",
];
const COUNTS: [&str; 2] = ["significant_digits", "significant_bits"];
const VALUES: [&str; 3] = [
    "lossless_data_range_up_to",
    "lossless_data_range_from",
    "fill_value",
];
/// SCIL's names of speeds, and the rules' names.
const SPEEDS: [(&str, &str); 2] = [
    ("comp_speed", "min_write_speed"),
    ("decomp_speed", "min_read_speed"),
];

/// SCIL's compressors, and the filters that they are.
const METHODS: [(&str, &str); 6] = [
    ("memcopy", "none"),
    ("gzip", "deflate"),
    ("lz4", "lz4"),
    ("zstd", "zstd"),
    ("zstd-11", "zstd(11)"),
    ("zstd-22", "zstd(22)"),
];

/// The lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let stripped = text.lines().map(|line| match line.split_once('#') {
        Some((before, _)) => before.trim(),
        None => line.trim(),
    });
    (1..).zip(stripped).filter(|(_, line)| !line.is_empty())
}

/// Whether a text is such a file: no TOML begins so.
pub(super) fn is_scil(text: &str) -> bool {
    let first = lines(text).next();
    first.is_some_and(|(_, line)| line.ends_with(':') && !line.contains(['=', '"', '[']))
}

/// The rules of such a file, as tables like those of a TOML file.
///
/// # Errors
/// Names the line and what is wrong in it.
pub(super) fn rules(text: &str) -> Result<Vec<Value>, String> {
    let mut rules: Vec<Table> = Vec::new();
    for (number, line) in lines(text) {
        let at_line = |cause: String| format!("line {number}: {cause}");
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.contains('=')) {
            let pattern = match name.trim_end() {
                "*" => "*".to_owned(),
                name => globset::escape(name),
            };
            let mut rule = Table::new();
            rule.insert("variables".into(), Value::Array(vec![pattern.into()]));
            rules.push(rule);
            continue;
        }
        let (key, value) = line
            .split_once('=')
            .ok_or_else(|| at_line(format!("{line:?} is neither `name:` nor `key=value`")))?;
        let rule = rules.last_mut();
        let rule = rule.ok_or_else(|| at_line("no variable is named before".to_owned()))?;
        add(rule, key.trim(), value.trim()).map_err(at_line)?;
    }
    for rule in &mut rules {
        if rule.contains_key("filters") {
            // A forced chain leaves nothing to choose.
            for (_, key) in SPEEDS {
                rule.remove(key);
            }
        }
    }
    Ok(rules.into_iter().map(Value::Table).collect())
}

/// Adds one hint to a rule.
fn add(rule: &mut Table, key: &str, value: &str) -> Result<(), String> {
    let number = || {
        let number: Result<f64, _> = value.parse();
        number.map_err(|_| format!("{key}: {value:?} is no number"))
    };
    let (key, value) = if TOLERANCES.contains(&key) {
        match number()? {
            0.0 => return Ok(()),
            finest if finest > 0.0 && finest <= FINEST => ("lossless", Value::Boolean(true)),
            tolerance => (key, Value::Float(tolerance)),
        }
    } else if COUNTS.contains(&key) {
        let count: Result<i64, _> = value.parse();
        match count.map_err(|_| format!("{key}: {value:?} is no whole number"))? {
            0 => return Ok(()),
            -1 => ("lossless", Value::Boolean(true)),
            count => (key, Value::Integer(count)),
        }
    } else if VALUES.contains(&key) {
        (key, Value::Float(number()?))
    } else if let Some((_, key)) = SPEEDS.iter().find(|(name, _)| *name == key) {
        match value.to_ascii_lowercase().ends_with("ignore") {
            true => return Ok(()),
            false => (*key, value.into()),
        }
    } else if key == "force_compression_methods" {
        ("filters", filters(value)?.into())
    } else {
        return Err(format!("there is no hint {key:?}"));
    };
    rule.insert(key.to_owned(), value);
    Ok(())
}

/// A chain of SCIL's compressors as a chain of filters.
fn filters(methods: &str) -> Result<String, String> {
    let one = |method: &str| {
        let known = METHODS.iter().find(|(name, _)| *name == method.trim());
        known.map(|(_, filter)| *filter).ok_or_else(|| {
            let names = METHODS.map(|(name, _)| name).join(", ");
            format!("force_compression_methods: {method:?} is no filter; there are {names}")
        })
    };
    let chain: Result<Vec<&str>, String> = methods.split(',').map(one).collect();
    Ok(chain?.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_become_rules() {
        let text = "# by default\n*:\nrelative_tolerance_percent=0.5 # of each value\n\
                    significant_digits=0\ncomp_speed=2*NetworkSpeed\ndecomp_speed=1*IGNORE\n\n\
                    tas :\nsignificant_bits = 9\nforce_compression_methods=zstd-11\n\
                    comp_speed=100*MiB\nq[1]:\nabsolute_tolerance=1e-307\n";
        assert!(is_scil(text));
        let rules = rules(text).unwrap();
        let expected = toml::from_str::<Table>(
            "[[rule]]\nvariables = ['*']\nrelative_tolerance_percent = 0.5\n\
             min_write_speed = '2*NetworkSpeed'\n\
             [[rule]]\nvariables = ['tas']\nsignificant_bits = 9\nfilters = 'zstd(11)'\n\
             [[rule]]\nvariables = ['q[[]1[]]']\nlossless = true\n",
        );
        assert_eq!(Value::Array(rules), expected.unwrap()["rule"]);
    }

    #[test]
    fn what_is_no_hint_is_named_with_its_line() {
        for (text, part) in [
            ("*:\n\ncolour=3", "line 3: there is no hint \"colour\""),
            ("*:\nsignificant_digits=x", "line 2: significant_digits"),
            ("*:\nabsolute_tolerance=x", "\"x\" is no number"),
            ("*:\nforce_compression_methods=abstol,lz4", "\"abstol\""),
            ("*:\nlossless", "neither"),
        ] {
            let cause = rules(text).unwrap_err();
            assert!(cause.contains(part), "{text}: {cause}");
        }
        assert!(rules("fill_value=3").unwrap_err().contains("no variable"));
        for other in ["[[rule]]\nvariables = ['a:']", "rule = 3", "", "# a:"] {
            assert!(!is_scil(other), "{other}");
        }
    }
}
