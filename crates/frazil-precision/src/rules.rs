//! Rules: what is stated for which variables, on the command line or in a file: precision, what
//! filters must be like, and chunk shapes.

use std::collections::BTreeMap;

use frazil_types::{Calibration, ErrorCode, FilterChain, FilterConstraints, PrecisionRequest};
use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::named::name_of;
use super::rule_file::{parse, render};
use frazil_file::error::{Error, Result};

/// Precision for some variables, what is demanded of their filters, and extents of their chunks.
///
/// In a file: `[variables."T*"]`, or `[[rule]]` with `variables = ["T*", "/forecast/U"]`, and the names
/// of [`PrecisionRequest`] and [`FilterConstraints`], and `chunks`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VariableRule {
    /// Globs over the whole path (`/group/name`) or, without a slash, over the bare name. `*` does
    /// not cross a slash; `**` does.
    pub variables: Vec<String>,
    /// What is stated of precision.
    #[serde(flatten)]
    pub request: PrecisionRequest,
    /// What is demanded of filters.
    #[serde(flatten)]
    pub demand: FilterConstraints,
    /// Elements of a chunk by dimension; dimensions that are not named are left to a choice.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chunks: BTreeMap<String, u64>,
    /// Why, in one line; a comment in a file.
    #[serde(skip)]
    pub reason: Option<String>,
}

/// What `pack` is to do by variable: about precision, and filters. All rules that match a variable hold, key by key; where
/// two state the same key the later one wins, and `lossless = true` drops what came before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrecisionOptions {
    /// The rules, in order.
    #[serde(with = "as_text")]
    pub rules: Vec<VariableRule>,
    /// What the words for speeds in rules stand for; the same everywhere, unless somebody measured.
    #[serde(default)]
    pub calibration: Calibration,
    /// Whether the names that options state were looked for already, in all inputs together: a single one
    /// need not have them.
    #[serde(default)]
    pub names_are_checked: bool,
    /// Also write netCDF-C's own `_Quantize...` attribute: stock netCDF-C then rounds again
    /// whenever it converts types on reading.
    pub netcdf_attribute: bool,
}

impl PrecisionOptions {
    /// Whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Rules as the text of a rule file: JSON has no words for the NaN and the infinities in them.
mod as_text {
    use super::{Deserialize, Deserializer, Serializer, VariableRule, parse, render};

    pub(super) fn serialize<S: Serializer>(
        rules: &[VariableRule],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&render(rules))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<VariableRule>, D::Error> {
        let file = parse(&String::deserialize(deserializer)?);
        file.map(|file| file.rules)
            .map_err(serde::de::Error::custom)
    }
}

/// All that rules state for a variable, by its path or bare name: precision, and what is demanded of
/// its filters.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if a pattern is no glob.
pub fn requests_for(
    rules: &[VariableRule],
    variable: &str,
) -> Result<(PrecisionRequest, FilterConstraints)> {
    let matcher = Matcher::new(rules)?;
    Ok((matcher.request(variable), matcher.demand(variable)))
}

/// Rules with their globs understood.
pub struct Matcher<'a> {
    rules: Vec<(Vec<GlobMatcher>, &'a VariableRule)>,
}

impl<'a> Matcher<'a> {
    /// # Errors
    /// If a pattern is no glob.
    pub fn new(rules: &'a [VariableRule]) -> Result<Self> {
        let mut understood = Vec::with_capacity(rules.len());
        for rule in rules {
            let globs = globs(&rule.variables)?;
            understood.push((globs, rule));
        }
        Ok(Self { rules: understood })
    }

    /// All that is stated for the variable at `path`.
    pub fn request(&self, path: &str) -> PrecisionRequest {
        let matching = self
            .rules
            .iter()
            .filter(|(globs, _)| is_match(globs, path))
            .map(|(_, rule)| &rule.request);
        matching.fold(PrecisionRequest::default(), merge)
    }

    /// Whether a rule asks for precision of the variable at `path` by its name, rather than by a pattern
    /// that others match as well.
    pub fn names(&self, path: &str) -> bool {
        let relative = path.trim_start_matches('/');
        let bare = path.rsplit('/').next().unwrap_or(path);
        let asking = self.rules.iter().map(|(_, rule)| rule);
        asking
            .filter(|rule| frazil_plan::has_precision(&rule.request))
            .flat_map(|rule| &rule.variables)
            .any(|pattern| [path, relative, bare].contains(&pattern.as_str()))
    }

    /// All that is demanded of the filters of the variable at `path`.
    pub fn demand(&self, path: &str) -> FilterConstraints {
        let matching = self
            .rules
            .iter()
            .filter(|(globs, _)| is_match(globs, path))
            .map(|(_, rule)| &rule.demand);
        matching.fold(FilterConstraints::default(), FilterConstraints::and_later)
    }

    /// The chunk extents that rules state of the variable at `path` with these dimensions: to be applied
    /// in this order. A rule for many variables may state dimensions that one of them lacks; one that
    /// states them of the variable by its name may not, and keeps them here.
    pub fn chunks(&self, path: &str, dimensions: &[String]) -> Vec<(String, u64)> {
        let has = |name: &String| dimensions.contains(name);
        let matching = self.rules.iter();
        let matching = matching.filter(|(globs, _)| is_match(globs, path));
        let extents = matching.flat_map(|(_, rule)| {
            let is_named = rule.variables.iter().all(|one| name_of(one).is_some());
            let extents = rule.chunks.iter();
            extents.filter(move |(name, _)| is_named || has(name))
        });
        extents.map(|(name, &n)| (name.clone(), n)).collect()
    }

    /// The number, from 1, and the patterns of the rule that demands these filters of the variable at
    /// `path`.
    pub fn rule_of_filters(
        &self,
        path: &str,
        filters: Option<&FilterChain>,
    ) -> Option<(usize, String)> {
        let numbered = self.rules.iter().enumerate().rev();
        let mut stating = numbered.filter(|(_, (globs, rule))| {
            rule.demand.filters.as_ref() == filters && is_match(globs, path)
        });
        let (number, (_, rule)) = stating.next()?;
        Some((number + 1, rule.variables.join(", ")))
    }

    /// Patterns that match none of `paths`.
    pub(crate) fn idle_patterns(&self, paths: &[&str]) -> Vec<&'a str> {
        let mut idle = Vec::new();
        for (globs, rule) in &self.rules {
            for (glob, pattern) in globs.iter().zip(&rule.variables) {
                let one = std::slice::from_ref(glob);
                if !paths.iter().any(|path| is_match(one, path)) {
                    idle.push(pattern.as_str());
                }
            }
        }
        idle
    }
}

/// How narrow a pattern is: 0 for all variables, 1 with wildcards, 2 for a name. Where rules have no order
/// of their own, as the tables of a file and Python's mappings, narrower ones come later, and so win.
#[must_use]
pub fn narrowness(pattern: &str) -> u8 {
    match pattern {
        "*" | "**" => 0,
        _ if name_of(pattern).is_none() => 1,
        _ => 2,
    }
}

/// Understands patterns.
///
/// # Errors
/// If one is no glob.
pub fn globs(patterns: &[String]) -> Result<Vec<GlobMatcher>> {
    let understood = patterns.iter().map(|pattern| glob(pattern));
    understood
        .collect::<std::result::Result<_, _>>()
        .map_err(|cause| Error::new(ErrorCode::InvalidArgument, cause))
}

/// Whether a variable is meant by one of the patterns: by its path or by its bare name.
pub fn is_match(globs: &[GlobMatcher], path: &str) -> bool {
    let bare = path.rsplit('/').next().unwrap_or(path);
    let relative = path.trim_start_matches('/');
    globs.iter().any(|glob| {
        [path, relative, bare]
            .iter()
            .any(|name| glob.is_match(name))
    })
}

pub(super) fn glob(pattern: &str) -> std::result::Result<GlobMatcher, String> {
    globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob: Glob| glob.compile_matcher())
        .map_err(|error| format!("`{pattern}` is no pattern of names: {}", error.kind()))
}

/// A pattern that matches exactly the variable at `path`.
pub fn pattern_of(path: &str) -> String {
    globset::escape(path)
}

/// What is stated by both, the later one winning.
fn merge(earlier: PrecisionRequest, later: &PrecisionRequest) -> PrecisionRequest {
    if later.lossless == Some(true) {
        return later.clone();
    }
    let later = later.clone();
    let pick = |later: Vec<f64>, earlier: Vec<f64>| if later.is_empty() { earlier } else { later };
    PrecisionRequest {
        lossless: match frazil_plan::has_precision(&later) {
            true => later.lossless,
            false => later.lossless.or(earlier.lossless),
        },
        algorithm: later.algorithm.or(earlier.algorithm),
        significant_bits: later.significant_bits.or(earlier.significant_bits),
        significant_digits: later.significant_digits.or(earlier.significant_digits),
        nbits: later.nbits.or(earlier.nbits),
        absolute_tolerance: later.absolute_tolerance.or(earlier.absolute_tolerance),
        relative_tolerance_percent: later
            .relative_tolerance_percent
            .or(earlier.relative_tolerance_percent),
        relative_err_finest_abs_tolerance: later
            .relative_err_finest_abs_tolerance
            .or(earlier.relative_err_finest_abs_tolerance),
        pack_integers: later.pack_integers.or(earlier.pack_integers),
        keep_information: later.keep_information.or(earlier.keep_information),
        lossless_data_range_up_to: later
            .lossless_data_range_up_to
            .or(earlier.lossless_data_range_up_to),
        lossless_data_range_from: later
            .lossless_data_range_from
            .or(earlier.lossless_data_range_from),
        lossless_data_ranges: match later.lossless_data_ranges.is_empty() {
            true => earlier.lossless_data_ranges,
            false => later.lossless_data_ranges,
        },
        fill_value: later.fill_value.or(earlier.fill_value),
        special_values: pick(later.special_values, earlier.special_values),
        force: later.force.or(earlier.force),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn rule(pattern: &str, request: PrecisionRequest) -> VariableRule {
        VariableRule {
            variables: vec![pattern.to_owned()],
            request,
            ..VariableRule::default()
        }
    }

    pub(crate) fn digits(digits: u32) -> PrecisionRequest {
        PrecisionRequest {
            significant_digits: Some(digits),
            ..PrecisionRequest::default()
        }
    }

    #[test]
    fn patterns_mean_paths_or_bare_names() {
        let rules = [
            rule("T*", digits(3)),
            rule("/a/*", digits(5)),
            rule("x/**", digits(6)),
        ];
        let matcher = Matcher::new(&rules).unwrap();
        let found = |path| matcher.request(path).significant_digits;
        assert_eq!(found("/T2"), Some(3));
        assert_eq!(found("/b/T2"), Some(3));
        assert_eq!(found("/a/T2"), Some(5));
        assert_eq!(found("/x/y/z"), Some(6));
        assert_eq!(found("/U"), None);
        assert_eq!(matcher.idle_patterns(&["/T2", "/a/q"]), ["x/**"]);
    }

    #[test]
    fn later_rules_win_key_by_key() {
        let tolerance = PrecisionRequest {
            absolute_tolerance: Some(0.5),
            ..PrecisionRequest::default()
        };
        let lossless = PrecisionRequest {
            lossless: Some(true),
            ..PrecisionRequest::default()
        };
        let mut rules = vec![
            rule("*", digits(3)),
            rule("*", tolerance),
            rule("q*", digits(4)),
        ];
        let request = Matcher::new(&rules).unwrap().request("/q2");
        assert_eq!(
            (request.significant_digits, request.absolute_tolerance),
            (Some(4), Some(0.5))
        );
        rules.push(rule("q2", lossless.clone()));
        assert_eq!(Matcher::new(&rules).unwrap().request("/q2"), lossless);
        rules.push(rule("q2", digits(5)));
        let again = Matcher::new(&rules).unwrap().request("/q2");
        assert_eq!((again.lossless, again.significant_digits), (None, Some(5)));
    }

    #[test]
    fn names_are_narrower_than_patterns() {
        let mut patterns = ["/a/T", "T*", "[*]", "*", "T", "**", "T[12]", "a/{b,c}"];
        patterns.sort_by_key(|pattern| narrowness(pattern));
        let expected = ["*", "**", "T*", "T[12]", "a/{b,c}", "/a/T", "[*]", "T"];
        assert_eq!(patterns, expected);
    }

    #[test]
    fn chunk_extents_hold_of_the_dimensions_that_there_are() {
        let chunks = |pattern: &str, extents: &[(&str, u64)]| VariableRule {
            variables: vec![pattern.to_owned()],
            chunks: extents.iter().map(|&(n, e)| (n.to_owned(), e)).collect(),
            ..VariableRule::default()
        };
        let rules = [
            chunks("*", &[("time", 24), ("lev", 1)]),
            chunks("T", &[("time", 12), ("x", 3)]),
        ];
        let matcher = Matcher::new(&rules).unwrap();
        let dimensions = ["time", "lat"].map(str::to_owned);
        let extent = |name: &str, extent| (name.to_owned(), extent);
        assert_eq!(matcher.chunks("/U", &dimensions), [extent("time", 24)]);
        // The variable is named: that it has no `x` is a mistake, for others to tell.
        assert_eq!(
            matcher.chunks("/T", &dimensions),
            [extent("time", 24), extent("time", 12), extent("x", 3)]
        );
    }

    #[test]
    fn a_path_can_be_a_pattern() {
        let path = "/a/b[1]*";
        let rules = [rule(&pattern_of(path), digits(3))];
        let matcher = Matcher::new(&rules).unwrap();
        assert_eq!(matcher.request(path).significant_digits, Some(3));
        assert_eq!(matcher.request("/a/b1").significant_digits, None);
        let rules = [rule("T", digits(3)), rule("/a/*", digits(3))];
        let matcher = Matcher::new(&rules).unwrap();
        assert!(matcher.names("/b/T") && !matcher.names("/a/U"));
    }
}
