//! Rules as text: a TOML file, SCIL's hints, or JSON.

use std::path::Path;

use frazil_types::{ErrorCode, FilterConstraints, PrecisionWish};
use serde::Deserialize;

use super::rules::{VariableRule, glob};
use super::scil_hints;
use frazil_file::error::{Error, Result};
use frazil_file::text_file::{read_text, write_text};

/// Reads rules from a TOML file, or from a file of hints as SCIL (the Scientific Compression Library)
/// has them.
///
/// # Errors
/// Names the file and what is wrong in it.
pub fn read_precision(path: &Path) -> Result<Vec<VariableRule>> {
    let text = read_text(path)?;
    parse(&text).map_err(|cause| {
        Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(path)
            .with_cure("a rule is [[rule]], variables = [\"T*\"] and, say, significant_digits = 3")
    })
}

/// Writes rules to a TOML file that [`read_precision`] reads; an existing file is replaced.
///
/// # Errors
/// If the file cannot be written.
pub fn write_precision(path: &Path, rules: &[VariableRule]) -> Result<()> {
    write_text(path, &render(rules))
}

pub(super) fn parse(text: &str) -> std::result::Result<Vec<VariableRule>, String> {
    // No TOML begins like this.
    if text.trim_start().starts_with('{') {
        return Err("this is JSON, rules are TOML; a plan is replayed by `pack --plan`".to_owned());
    }
    let rules = match scil_hints::is_scil(text) {
        true => scil_hints::rules(text)?,
        false => tables(text)?,
    };
    let number = |(i, rule)| parse_rule(rule).map_err(|cause| format!("rule {}: {cause}", i + 1));
    rules.into_iter().enumerate().map(number).collect()
}

/// The rules of a TOML file.
fn tables(text: &str) -> std::result::Result<Vec<toml::Value>, String> {
    let mut file: toml::Table = toml::from_str(text).map_err(|error| where_in(text, &error))?;
    let rules = match file.remove("rule") {
        Some(toml::Value::Array(rules)) => rules,
        None => Vec::new(),
        Some(_) => return Err("`rule` must be a list: write [[rule]]".to_owned()),
    };
    if let Some(key) = file.keys().next() {
        return Err(format!("unknown key `{key}`; only [[rule]] is known here"));
    }
    Ok(rules)
}

/// What is wrong, and in which line. The line itself may be as long as the file.
fn where_in(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = 1 + before.map_or(0, |before| before.matches('\n').count());
    format!("line {line} is no TOML: {}", error.message())
}

fn parse_rule(rule: toml::Value) -> std::result::Result<VariableRule, String> {
    let toml::Value::Table(mut table) = rule else {
        return Err("not a table".to_owned());
    };
    let variables = table.remove("variables").ok_or("`variables` is missing")?;
    let variables: Vec<String> = variables
        .try_into()
        .map_err(|_| "`variables` must be a list of texts".to_owned())?;
    for pattern in &variables {
        glob(pattern)?;
    }
    let (demands, wishes): (toml::Table, toml::Table) =
        table.into_iter().partition(|(key, _)| is_demand(key));
    let wish = toml::Value::Table(wishes)
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned());
    let demand = demand_of(demands, |key, value| {
        let alone = toml::Table::from_iter([(key, value)]);
        let found = FilterConstraints::deserialize(toml::Value::Table(alone));
        found.map_err(|error| error.message().to_owned())
    });
    rule_of(variables, wish, demand)
}

/// Whether a key is about filters.
fn is_demand(key: &str) -> bool {
    FilterConstraints::KEYS.contains(&key)
}

/// What keys demand together; an error names its key.
fn demand_of<V>(
    stated: impl IntoIterator<Item = (String, V)>,
    understand: impl Fn(String, V) -> std::result::Result<FilterConstraints, String>,
) -> std::result::Result<FilterConstraints, String> {
    let mut demand = FilterConstraints::default();
    for (key, value) in stated {
        let one = understand(key.clone(), value).map_err(|cause| format!("{key}: {cause}"))?;
        demand = demand.and_later(&one);
    }
    Ok(demand)
}

fn rule_of(
    variables: Vec<String>,
    wish: std::result::Result<PrecisionWish, String>,
    demand: std::result::Result<FilterConstraints, String>,
) -> std::result::Result<VariableRule, String> {
    let wish = wish.map_err(|cause| match cause.starts_with("unknown field") {
        // The list of what there is goes on.
        true => format!("{cause}, `{}`", FilterConstraints::KEYS.join("`, `")),
        false => cause,
    })?;
    let demand = demand?;
    demand.check()?;
    Ok(VariableRule {
        variables,
        wish,
        demand,
        reason: None,
    })
}

impl VariableRule {
    /// A rule of what is stated in JSON, by the names of [`PrecisionWish`] and [`FilterConstraints`].
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] names the variables, and the key that is unknown or cannot be.
    pub fn from_json(
        variables: Vec<String>,
        stated: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Self> {
        type Fields = serde_json::Map<String, serde_json::Value>;
        let (demands, wishes): (Fields, Fields) =
            stated.into_iter().partition(|(key, _)| is_demand(key));
        let names = variables.join(", ");
        let wish = serde_json::from_value(wishes.into()).map_err(|error| error.to_string());
        let demand = demand_of(demands, |key, value| {
            let alone = Fields::from_iter([(key, value)]);
            serde_json::from_value(alone.into()).map_err(|error| error.to_string())
        });
        rule_of(variables, wish, demand).map_err(|cause| {
            let cause = format!("wishes for {names}: {cause}");
            let cure = "correct what is stated for them: docs/precision.md lists the keys";
            Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
        })
    }
}

pub(super) fn render(rules: &[VariableRule]) -> String {
    let mut text = String::from(
        "# Wishes for variables: rules that match a variable hold key by key, later ones win.\n",
    );
    for rule in rules {
        text.push('\n');
        if let Some(reason) = &rule.reason {
            text.push_str(&format!("# {}\n", reason.replace(['\n', '\r'], " ")));
        }
        text.push_str("[[rule]]\n");
        // Plain data with text keys: this cannot fail.
        text.push_str(&toml::to_string(rule).unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::rules::tests::{digits, rule};
    use super::super::rules::wishes_for;
    use super::*;

    #[test]
    fn a_file_says_what_it_was_written_from() {
        let mut first = rule(
            "T[0-9]",
            PrecisionWish {
                relative_tolerance_percent: Some(0.1),
                special_values: vec![-9999.0, f64::NAN],
                lossless_data_ranges: vec![[-1.0, 1.0]],
                algorithm: Some(frazil_types::QuantizeAlgorithm::BitRound),
                ..PrecisionWish::default()
            },
        );
        first.reason = Some("because\nof this".to_owned());
        let text = render(&[first.clone(), rule("*", digits(3))]);
        assert!(text.contains("# because of this\n"), "{text}");
        let read = parse(&text).unwrap();
        assert_eq!(read[1], rule("*", digits(3)));
        assert_eq!(read[0].wish.algorithm, first.wish.algorithm);
        assert_eq!(read[0].wish.lossless_data_ranges, [[-1.0, 1.0]]);
        assert!(read[0].wish.special_values[1].is_nan());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("[[rule]]\nsignificant_digits = 3", "`variables` is missing"),
            (
                "[[rule]]\nvariables = [\"a\"]\ndigits = 3",
                "unknown field `digits`",
            ),
            ("[[rule]]\nvariables = \"a\"", "list of texts"),
            ("[[rule]]\nvariables = [\"a[\"]", "no pattern"),
            (
                "[[rule]]\nvariables = [\"a\"]\nsignificant_digits = -3",
                "rule 1",
            ),
            ("rule = 3", "[[rule]]"),
            ("[[rules]]\nvariables = [\"a\"]", "unknown key `rules`"),
            ("[[rule", "TOML"),
            (
                "[[rule]]\nvariables = [\"a\"]\nspeed = 3",
                "`comp_speed`, `decomp_speed`",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\ncomp_speed = 0",
                "rule 1: comp_speed: a speed is above 0 MB/s, not 0",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\ndecomp_speed = \"soon\"",
                "\"soon\" is no speed",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\ncomp_speed = true",
                "a speed: a number of MB/s",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\nratio_tolerance_percent = 100",
                "from 0 to below 100",
            ),
            ("[[rule]]\nvariables = [\"a\"]\nfilters = \"zip\"", "zip"),
            (
                "[[rule]]\nvariables = [\"a\"]\nfilters = \"none\"\ncomp_speed = 3",
                "leaves nothing to choose",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn demands_are_read_merged_and_written() {
        let text = "[[rule]]\nvariables = [\"*\"]\ncomp_speed = 400\n\
                    ratio_tolerance_percent = 2.5\n\
                    [[rule]]\nvariables = [\"T*\"]\nsignificant_digits = 3\n\
                    comp_speed = \"0.5*network\"\ndecomp_speed = \"1.5GB/s\"\n\
                    [[rule]]\nvariables = [\"mask\"]\nfilters = \"shuffle+deflate(1)\"\n";
        let rules = parse(text).unwrap();
        let (wish, demand) = wishes_for(&rules, "/a/T2").unwrap();
        assert_eq!(wish.significant_digits, Some(3));
        assert_eq!(demand.comp_speed, "0.5*network".parse().ok());
        assert_eq!(demand.decomp_speed, "1500MB/s".parse().ok());
        assert_eq!(demand.ratio_tolerance_percent, Some(2.5));
        let (_, other) = wishes_for(&rules, "/U").unwrap();
        assert_eq!(other.comp_speed, "400MB/s".parse().ok());
        assert_eq!((other.decomp_speed, other.filters), (None, None));
        let (_, mask) = wishes_for(&rules, "mask").unwrap();
        assert_eq!(mask.filters, "shuffle+deflate(1)".parse().ok());
        assert_eq!(parse(&render(&rules)).unwrap(), rules);
    }

    #[test]
    fn a_rule_can_be_json() {
        let stated = |text: &str| {
            let stated = serde_json::from_str(text).unwrap();
            VariableRule::from_json(vec!["T".to_owned()], stated)
        };
        let both = stated("{\"significant_bits\": 7, \"comp_speed\": \"local\"}").unwrap();
        assert_eq!(both.wish.significant_bits, Some(7));
        assert_eq!(both.demand.comp_speed, "local".parse().ok());
        for (wrong, part) in [
            ("{\"comp_speed\": -1}", "above 0"),
            ("{\"bits\": 1}", "`filters`"),
            ("{\"ratio_tolerance_percent\": -1}", "from 0"),
        ] {
            let error = stated(wrong).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.cause.contains("wishes for T"), "{}", error.cause);
            assert!(error.cause.contains(part), "{}", error.cause);
        }
    }

    #[test]
    fn a_file_of_scils_hints_is_read_too() {
        let text = "*:\ncomp_speed=2*NetworkSpeed\ntas:\nsignificant_bits=9\n\
                    force_compression_methods=lz4\n";
        let rules = parse(text).unwrap();
        let (wish, demand) = wishes_for(&rules, "tas").unwrap();
        assert_eq!(wish.significant_bits, Some(9));
        assert_eq!(demand.filters, "lz4".parse().ok());
        assert_eq!(demand.comp_speed, "2*network".parse().ok());
        let error = parse("*:\ncomp_speed=soon\n").unwrap_err();
        assert!(error.contains("no speed"), "{error}");
    }

    #[test]
    fn json_is_told_from_toml() {
        let error = parse("\n {\"rule\": []}").unwrap_err();
        assert!(error.contains("JSON"), "{error}");
    }
}
