//! Rules as text: a TOML file, SCIL's hints, or JSON.

use std::collections::BTreeMap;
use std::path::Path;

use frazil_types::{ErrorCode, FilterConstraints, PrecisionRequest, spelling, type_fault};
use serde::Deserialize;

use super::rules::{VariableRule, glob, narrowness};
use super::scil_hints;
use frazil_file::error::{Error, Result};
use frazil_file::text_file::{read_text, write_text};

type Outcome<T> = std::result::Result<T, String>;

/// The rule for all variables that a file's `[defaults]` are.
const DEFAULTS: &str = "defaults";
/// A file's table of tables, one for each pattern.
const VARIABLES: &str = "variables";
/// A file's list of rules for several patterns each.
const RULE: &str = "rule";
/// The key of chunk extents.
const CHUNKS: &str = "chunks";

/// What a file of rules states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleFile {
    /// Options of the whole file that `[defaults]` state, as text: the keys that were asked for.
    pub options: Vec<(String, String)>,
    /// Rules in order: `[defaults]`, `[[rule]]`, and `[variables."..."]`, of these names last.
    pub rules: Vec<VariableRule>,
}

/// Reads rules from a TOML file, or from a file of hints as SCIL (the Scientific Compression Library)
/// has them. `options` are the keys of `[defaults]` that concern the file rather than a variable.
///
/// # Errors
/// Names the file and what is wrong in it.
pub fn read_rule_file(path: &Path, options: &[&str]) -> Result<RuleFile> {
    let text = read_text(path)?;
    parse_with(&text, options).map_err(|cause| {
        Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(path)
            .with_cure("docs/precision.md has an example with [defaults] and [variables.\"T*\"]")
    })
}

/// Writes rules to a TOML file that [`read_rule_file`] reads; an existing file is replaced.
///
/// # Errors
/// If the file cannot be written.
pub fn write_precision(path: &Path, rules: &[VariableRule]) -> Result<()> {
    write_text(path, render(rules))
}

pub(super) fn parse(text: &str) -> Outcome<RuleFile> {
    parse_with(text, &[])
}

fn parse_with(text: &str, options: &[&str]) -> Outcome<RuleFile> {
    // No TOML begins like this.
    if text.trim_start().starts_with('{') {
        return Err("this is JSON, rules are TOML; a plan is replayed by `pack --plan`".to_owned());
    }
    if scil_hints::is_scil(text) {
        let rules = numbered_rules(scil_hints::rules(text)?)?;
        return Ok(RuleFile {
            rules,
            ..RuleFile::default()
        });
    }
    let mut file: toml::Table = toml::from_str(text).map_err(|error| where_in(text, &error))?;
    let mut found = match file.remove(DEFAULTS) {
        Some(stated) => defaults(stated, options).map_err(|cause| format!("defaults: {cause}"))?,
        None => RuleFile::default(),
    };
    let rules = match file.remove(RULE) {
        Some(toml::Value::Array(rules)) => rules,
        None => Vec::new(),
        Some(_) => return Err("`rule` must be a list: write [[rule]]".to_owned()),
    };
    found.rules.extend(numbered_rules(rules)?);
    let mut tables: Vec<_> = match file.remove(VARIABLES) {
        Some(toml::Value::Table(tables)) => tables.into_iter().collect(),
        None => Vec::new(),
        Some(_) => return Err("`variables` must be tables: write [variables.\"T*\"]".to_owned()),
    };
    tables.sort_by_key(|(pattern, _)| narrowness(pattern));
    for (pattern, stated) in tables {
        let named = |cause| format!("variables.{pattern:?}: {cause}");
        if let toml::Value::Table(table) = &stated
            && let Some(key) = table.keys().find(|key| options.contains(&key.as_str()))
        {
            return Err(named(format!(
                "`{key}` is for the whole file: write it in [defaults]"
            )));
        }
        let rule = table_of(stated).and_then(|table| rule_for(vec![pattern.clone()], table));
        found.rules.push(rule.map_err(named)?);
    }
    match file.keys().next() {
        Some(key) => {
            let meant = spelling::question(key, [DEFAULTS, RULE, VARIABLES]);
            Err(format!(
                "unknown key `{key}`; [defaults], [variables.\"...\"] and [[rule]] are known \
                 here{meant}"
            ))
        }
        None => Ok(found),
    }
}

/// The file's options, and one rule for all variables of what else is stated.
fn defaults(stated: toml::Value, options: &[&str]) -> Outcome<RuleFile> {
    let (of_file, of_variables): (toml::Table, toml::Table) = table_of(stated)?
        .into_iter()
        .partition(|(key, _)| options.contains(&key.as_str()));
    if of_file.contains_key("goal") && of_variables.contains_key("filters") {
        return Err("`goal` chooses filters, and `filters` states them: leave one out".to_owned());
    }
    let names = options;
    let options = of_file.into_iter().map(|(key, value)| {
        let text = as_text(&value);
        let text = text.ok_or_else(|| format!("{key}: `{value}` is neither text nor a number"))?;
        Ok((key, text))
    });
    let options = options.collect::<Outcome<_>>()?;
    let rules = match of_variables.is_empty() {
        true => Vec::new(),
        false => {
            let meant = |cause: String| match cause.contains(" is `") {
                true => cause,
                // It may be one of the file's options.
                false => {
                    let unknown = cause.split('`').nth(1).unwrap_or_default();
                    let asked = cause.starts_with("unknown field");
                    let known = names.iter().copied().filter(|_| asked);
                    format!("{cause}{}", spelling::question(unknown, known))
                }
            };
            vec![rule_for(vec!["*".to_owned()], of_variables).map_err(meant)?]
        }
    };
    Ok(RuleFile { options, rules })
}

/// A value as the text that states it elsewhere: `map,series=2` may be a list, or a table.
fn as_text(value: &toml::Value) -> Option<String> {
    use toml::Value::{Array, Float, Integer, String, Table};
    match value {
        String(text) => Some(text.clone()),
        Integer(number) => Some(number.to_string()),
        Float(number) => Some(number.to_string()),
        Array(parts) => Some(
            parts
                .iter()
                .map(as_text)
                .collect::<Option<Vec<_>>>()?
                .join(","),
        ),
        Table(parts) => {
            let pair = |(key, value)| Some(format!("{key}={}", as_text(value)?));
            Some(
                parts
                    .iter()
                    .map(pair)
                    .collect::<Option<Vec<_>>>()?
                    .join(","),
            )
        }
        _ => None,
    }
}

fn numbered_rules(rules: Vec<toml::Value>) -> Outcome<Vec<VariableRule>> {
    let number = |(i, rule)| parse_rule(rule).map_err(|cause| format!("rule {}: {cause}", i + 1));
    rules.into_iter().enumerate().map(number).collect()
}

fn table_of(value: toml::Value) -> Outcome<toml::Table> {
    match value {
        toml::Value::Table(table) => Ok(table),
        _ => Err("not a table".to_owned()),
    }
}

/// What is wrong, and in which line. The line itself may be as long as the file.
fn where_in(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = 1 + before.map_or(0, |before| before.matches('\n').count());
    format!("line {line} is no TOML: {}", error.message())
}

fn parse_rule(rule: toml::Value) -> Outcome<VariableRule> {
    let mut table = table_of(rule)?;
    let variables = table.remove(VARIABLES).ok_or("`variables` is missing")?;
    let variables = variables
        .try_into()
        .map_err(|_| "`variables` must be a list of texts".to_owned())?;
    rule_for(variables, table)
}

fn rule_for(variables: Vec<String>, mut table: toml::Table) -> Outcome<VariableRule> {
    let chunks = match table.remove(CHUNKS) {
        None => Ok(BTreeMap::new()),
        Some(stated) => stated
            .try_into()
            .map_err(|error: toml::de::Error| type_fault(error.message())),
    };
    let (demands, requests): (toml::Table, toml::Table) =
        table.into_iter().partition(|(key, _)| is_demand(key));
    // Each key alone, so that an error names it.
    for (key, value) in &requests {
        let alone = toml::Table::from_iter([(key.clone(), value.clone())]);
        let found = PrecisionRequest::deserialize(toml::Value::Table(alone));
        found.map_err(|error| named(key, error.message()))?;
    }
    let request = toml::Value::Table(requests)
        .try_into()
        .map_err(|error: toml::de::Error| type_fault(error.message()));
    let demand = demand_of(demands, |key, value| {
        let alone = toml::Table::from_iter([(key, value)]);
        let found = FilterConstraints::deserialize(toml::Value::Table(alone));
        found.map_err(|error| type_fault(error.message()))
    });
    rule_of(variables, request, demand, chunks)
}

/// Whether a key is about filters.
fn is_demand(key: &str) -> bool {
    FilterConstraints::KEYS.contains(&key)
}

/// What keys demand together; an error names its key.
fn demand_of<V>(
    stated: impl IntoIterator<Item = (String, V)>,
    understand: impl Fn(String, V) -> Outcome<FilterConstraints>,
) -> Outcome<FilterConstraints> {
    let mut demand = FilterConstraints::default();
    for (key, value) in stated {
        let one = understand(key.clone(), value).map_err(|cause| format!("{key}: {cause}"))?;
        demand = demand.and_later(&one);
    }
    Ok(demand)
}

fn rule_of(
    variables: Vec<String>,
    request: Outcome<PrecisionRequest>,
    demand: Outcome<FilterConstraints>,
    chunks: Outcome<BTreeMap<String, u64>>,
) -> Outcome<VariableRule> {
    if variables.is_empty() {
        return Err("`variables` names none: write names or patterns, [\"T*\"]".to_owned());
    }
    for pattern in &variables {
        glob(pattern)?;
    }
    let request = request?;
    request.check()?;
    if request.lossless == Some(true)
        && (frazil_plan::has_precision(&request) || request.algorithm.is_some())
    {
        let why = "`lossless` keeps every bit, and a precision is stated beside it: leave one out";
        return Err(why.to_owned());
    }
    let demand = demand?;
    demand.check()?;
    let chunks = chunks.map_err(|cause| format!("{CHUNKS}: {cause}"))?;
    if let Some((dimension, _)) = chunks.iter().find(|(_, extent)| **extent == 0) {
        return Err(format!(
            "{CHUNKS}: `{dimension}`: a chunk has at least one element"
        ));
    }
    Ok(VariableRule {
        variables,
        request,
        demand,
        chunks,
        reason: None,
    })
}

/// The key for an option of the command whose name differs: `bits` looks like `nbits`, which rounds otherwise.
fn key_of_option(word: &str) -> Option<&'static str> {
    match word.replace('-', "_").as_str() {
        "bits" => Some("significant_bits"),
        "digits" => Some("significant_digits"),
        "abs_error" => Some("absolute_tolerance"),
        "rel_error" => Some("relative_tolerance_percent"),
        "finest_abs_error" => Some("relative_err_finest_abs_tolerance"),
        "quantizer" => Some("algorithm"),
        "lossless_range" => Some("lossless_data_ranges"),
        "special" => Some("special_values"),
        _ => None,
    }
}

/// What is wrong with a key of precision.
fn named(key: &str, cause: &str) -> String {
    match cause.starts_with("unknown field") {
        true => with_all_keys(cause.to_owned()),
        false => format!("{key}: {}", type_fault(cause)),
    }
}

/// What is wrong with precision; a key that is unknown there may be meant for the rest of a rule.
fn with_all_keys(cause: String) -> String {
    let mut quoted = cause.split('`').skip(1).step_by(2);
    let Some(unknown) = quoted.next().filter(|_| cause.starts_with("unknown field")) else {
        return cause;
    };
    let others = FilterConstraints::KEYS.into_iter().chain([CHUNKS]);
    let meant = match key_of_option(unknown) {
        Some(key) => format!("; is `{key}` meant?"),
        None => spelling::question(unknown, quoted.chain(others)),
    };
    let others = FilterConstraints::KEYS.join("`, `");
    // The list of what there is goes on.
    format!("{cause}, `{others}`, `{CHUNKS}`{meant}")
}

impl VariableRule {
    /// A rule of what is stated in JSON, by the names of [`PrecisionRequest`] and [`FilterConstraints`], and
    /// `chunks`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] names the variables, and the key that is unknown or cannot be.
    pub fn from_json(
        variables: Vec<String>,
        mut stated: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Self> {
        type Fields = serde_json::Map<String, serde_json::Value>;
        let chunks = stated.remove(CHUNKS).map_or(Ok(BTreeMap::new()), |stated| {
            serde_json::from_value(stated).map_err(|error| type_fault(&error.to_string()))
        });
        let (demands, requests): (Fields, Fields) =
            stated.into_iter().partition(|(key, _)| is_demand(key));
        let names = variables.join(", ");
        let request = request_of(requests);
        let demand = demand_of(demands, |key, value| {
            let alone = Fields::from_iter([(key, value)]);
            serde_json::from_value(alone.into()).map_err(|error| type_fault(&error.to_string()))
        });
        rule_of(variables, request, demand, chunks).map_err(|cause| {
            let cause = format!("options for {names}: {cause}");
            let cure = "correct the rules for them: docs/precision.md lists the keys";
            Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
        })
    }
}

/// Precision from JSON; an error names its key.
fn request_of(stated: serde_json::Map<String, serde_json::Value>) -> Outcome<PrecisionRequest> {
    for (key, value) in &stated {
        let alone = serde_json::Map::from_iter([(key.clone(), value.clone())]);
        let found = serde_json::from_value::<PrecisionRequest>(alone.into());
        found.map_err(|error| named(key, &error.to_string()))?;
    }
    serde_json::from_value(stated.into()).map_err(|error| error.to_string())
}

pub(super) fn render(rules: &[VariableRule]) -> String {
    let mut text = String::from(
        "# Rules for variables. All rules that match a variable apply, key by key; later ones \
         override earlier ones.\n",
    );
    for rule in rules {
        text.push('\n');
        if let Some(reason) = &rule.reason {
            text.push_str(&format!("# {}\n", reason.replace(['\n', '\r'], " ")));
        }
        text.push_str("[[rule]]\n");
        let mut rule = rule.clone();
        let chunks = std::mem::take(&mut rule.chunks);
        // Plain data with text keys: this cannot fail.
        text.push_str(&toml::to_string(&rule).unwrap_or_default());
        if let (false, Ok(chunks)) = (chunks.is_empty(), toml::Value::try_from(chunks)) {
            text.push_str(&format!("{CHUNKS} = {chunks}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::rules::requests_for;
    use super::super::rules::tests::{digits, rule};
    use super::*;

    #[test]
    fn a_file_says_what_it_was_written_from() {
        let mut first = rule(
            "T[0-9]",
            PrecisionRequest {
                relative_tolerance_percent: Some(0.1),
                special_values: vec![-9999.0, f64::NAN],
                lossless_data_ranges: vec![[-1.0, 1.0]],
                algorithm: Some(frazil_types::QuantizeAlgorithm::BitRound),
                ..PrecisionRequest::default()
            },
        );
        first.reason = Some("because\nof this".to_owned());
        let text = render(&[first.clone(), rule("*", digits(3))]);
        assert!(text.contains("# because of this\n"), "{text}");
        let read = parse(&text).unwrap().rules;
        assert_eq!(read[1], rule("*", digits(3)));
        assert_eq!(read[0].request.algorithm, first.request.algorithm);
        assert_eq!(read[0].request.lossless_data_ranges, [[-1.0, 1.0]]);
        assert!(read[0].request.special_values[1].is_nan());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("[[rule]]\nsignificant_digits = 3", "`variables` is missing"),
            (
                "[[rule]]\nvariables = [\"a\"]\ndigits = 3",
                "`chunks`; is `significant_digits` meant?",
            ),
            ("[[rule]]\nvariables = \"a\"", "list of texts"),
            ("[[rule]]\nvariables = [\"a[\"]", "no pattern"),
            (
                "[[rule]]\nvariables = [\"a\"]\nsignificant_digits = -3",
                "rule 1",
            ),
            ("rule = 3", "[[rule]]"),
            (
                "[[rules]]\nvariables = [\"a\"]",
                "unknown key `rules`; [defaults], [variables.\"...\"] and [[rule]] are known here; \
                 is `rule` meant?",
            ),
            ("[default]\ngoal = \"size\"", "is `defaults` meant?"),
            (
                "[defaults]\nsignificant_digit = 3",
                "defaults: unknown field `significant_digit`",
            ),
            (
                "[defaults]\nchunk = {time = 3}",
                "`chunks`; is `chunks` meant?",
            ),
            ("[defaults]\nreads = true", "reads: `true` is neither"),
            ("defaults = 3", "defaults: not a table"),
            ("variables = [\"a\"]", "write [variables.\"T*\"]"),
            (
                "[variables.\"a[\"]\nnbits = 3",
                "variables.\"a[\": `a[` is no",
            ),
            (
                "[variables.a]\nchunks = {time = 0}",
                "variables.\"a\": chunks: `time`: a chunk has at least one element",
            ),
            ("[variables.a]\nchunks = {time = -1}", "chunks: "),
            ("[[rule", "TOML"),
            (
                "[[rule]]\nvariables = [\"a\"]\nspeed = 3",
                "`min_write_speed`, `min_read_speed`",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\nmin_write_speed = 0",
                "rule 1: min_write_speed: a speed is above 0 MB/s, not 0",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\nmin_read_speed = \"soon\"",
                "\"soon\" is not a speed",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\nmin_write_speed = true",
                "true is no speed: a number of MB/s above 0",
            ),
            (
                "[[rule]]\nvariables = [\"a\"]\nratio_tolerance_percent = 100",
                "from 0 to below 100",
            ),
            ("[[rule]]\nvariables = [\"a\"]\nfilters = \"zip\"", "zip"),
            (
                "[[rule]]\nvariables = [\"a\"]\nfilters = \"none\"\nmin_write_speed = 3",
                "leaves nothing to choose",
            ),
        ] {
            let message = parse_with(text, &["goal", "reads"]).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn what_cannot_hold_together_and_values_of_a_wrong_kind_are_named() {
        for (text, part) in [
            (
                "[defaults]\ngoal = \"size\"\nfilters = \"lz4\"",
                "`goal` chooses filters, and `filters` states them",
            ),
            ("[[rule]]\nvariables = []\nnbits = 3", "names none"),
            (
                "[variables.a]\nlossless = true\nsignificant_digits = 3",
                "variables.\"a\": `lossless` keeps every bit",
            ),
            (
                "[variables.a]\nsignificant_digits = \"x\"",
                "significant_digits: \"x\" is no whole number from 0 on",
            ),
            (
                "[variables.a]\nchunks = {time = \"x\"}",
                "chunks: \"x\" is no whole number from 0 on",
            ),
        ] {
            let message = parse_with(text, &["goal", "reads"]).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn demands_are_read_merged_and_written() {
        let text = "[[rule]]\nvariables = [\"*\"]\nmin_write_speed = 400\n\
                    ratio_tolerance_percent = 2.5\n\
                    [[rule]]\nvariables = [\"T*\"]\nsignificant_digits = 3\n\
                    min_write_speed = \"0.5*network\"\nmin_read_speed = \"1.5GB/s\"\n\
                    [[rule]]\nvariables = [\"mask\"]\nfilters = \"shuffle+deflate(1)\"\n";
        let rules = parse(text).unwrap().rules;
        let (request, demand) = requests_for(&rules, "/a/T2").unwrap();
        assert_eq!(request.significant_digits, Some(3));
        assert_eq!(demand.min_write_speed, "0.5*network".parse().ok());
        assert_eq!(demand.min_read_speed, "1500MB/s".parse().ok());
        assert_eq!(demand.ratio_tolerance_percent, Some(2.5));
        let (_, other) = requests_for(&rules, "/U").unwrap();
        assert_eq!(other.min_write_speed, "400MB/s".parse().ok());
        assert_eq!((other.min_read_speed, other.filters), (None, None));
        let (_, mask) = requests_for(&rules, "mask").unwrap();
        assert_eq!(mask.filters, "shuffle+deflate(1)".parse().ok());
        assert_eq!(parse(&render(&rules)).unwrap().rules, rules);
    }

    #[test]
    fn defaults_come_first_and_tables_of_names_last() {
        let text = "[variables.\"T*\"]\nsignificant_digits = 4\n\
                    [variables.T2]\nchunks = {time = 24, \"a b\" = 2}\n\
                    [variables.\"A*\"]\nlossless = true\n\
                    [defaults]\ngoal = \"size\"\nreads = {map = 1, \"time:3/lat:4\" = 2}\n\
                    most_chunks = 7\nsignificant_digits = 5\nchunks = {time = 12}\n\
                    [[rule]]\nvariables = [\"T*\"]\nsignificant_digits = 3\n";
        let file = parse_with(text, &["goal", "reads", "most_chunks"]).unwrap();
        let reads = ("reads", "map=1,time:3/lat:4=2");
        let expected = [("goal", "size"), reads, ("most_chunks", "7")];
        assert_eq!(
            file.options,
            expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
        let patterns: Vec<&str> = file.rules.iter().map(|rule| &*rule.variables[0]).collect();
        assert_eq!(patterns, ["*", "T*", "T*", "A*", "T2"]);
        assert_eq!(file.rules[0].chunks["time"], 12);
        assert_eq!(file.rules[4].chunks["a b"], 2);
        let (request, _) = requests_for(&file.rules, "T2").unwrap();
        assert_eq!(request.significant_digits, Some(4));
        assert_eq!(parse(&render(&file.rules)).unwrap().rules, file.rules);
    }

    #[test]
    fn a_rule_can_be_json() {
        let stated = |text: &str| {
            let stated = serde_json::from_str(text).unwrap();
            VariableRule::from_json(vec!["T".to_owned()], stated)
        };
        let both = stated("{\"significant_bits\": 7, \"min_write_speed\": \"local\"}").unwrap();
        assert_eq!(both.request.significant_bits, Some(7));
        assert_eq!(both.demand.min_write_speed, "local".parse().ok());
        let chunked = stated("{\"chunks\": {\"time\": 3}}").unwrap();
        assert_eq!(chunked.chunks["time"], 3);
        for (wrong, part) in [
            ("{\"min_write_speed\": -1}", "above 0"),
            ("{\"bits\": 1}", "`filters`"),
            ("{\"ratio_tolerance_percent\": -1}", "from 0"),
        ] {
            let error = stated(wrong).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.cause.contains("options for T"), "{}", error.cause);
            assert!(error.cause.contains(part), "{}", error.cause);
        }
    }

    #[test]
    fn a_file_of_scils_hints_is_read_too() {
        let text = "*:\ncomp_speed=2*NetworkSpeed\ntas:\nsignificant_bits=9\n\
                    force_compression_methods=lz4\n";
        let rules = parse(text).unwrap().rules;
        let (request, demand) = requests_for(&rules, "tas").unwrap();
        assert_eq!(request.significant_bits, Some(9));
        assert_eq!(demand.filters, "lz4".parse().ok());
        assert_eq!(demand.min_write_speed, "2*network".parse().ok());
        let error = parse("*:\ncomp_speed=soon\n").unwrap_err();
        assert!(error.contains("not a speed"), "{error}");
    }

    #[test]
    fn json_is_told_from_toml() {
        let error = parse("\n {\"rule\": []}").unwrap_err();
        assert!(error.contains("JSON"), "{error}");
    }
}
