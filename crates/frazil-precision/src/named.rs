//! Rules about precision that name variables: a name that is nowhere is a mistake, and must not let
//! values be rounded that were to stay exact. A pattern that matches nothing may be meant so.

use std::path::PathBuf;

use frazil_types::{ErrorCode, PrecisionRequest, spelling};

use super::rules::{Matcher, VariableRule};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::name_search::search;
use frazil_file::wording::enumerate;

/// What rules ask.
const PRECISION: &str = "precision is stated";

/// Checks that the variables which rules about precision name are among `paths`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] names the first that is not, and what is spelled most like it.
pub fn check_names(rules: &[VariableRule], paths: &[&str]) -> Result<()> {
    check_companions(rules, paths)?;
    match missing(rules, paths).first() {
        None => Ok(()),
        Some(name) => Err(may_be_pattern(
            no_variable(PRECISION, name, paths, ""),
            name,
        )),
    }
}

/// As [`check_names`], of several inputs: one of them must have the variable. What cannot be read has
/// none. `false`: nothing can be read, so that nothing is known.
///
/// # Errors
/// As [`check_names`].
pub fn check_names_in(inputs: &[PathBuf], rules: &[VariableRule]) -> Result<bool> {
    check_companions(rules, &[])?;
    let has =
        |_: &Input, paths: &[&str], name: &String| paths.iter().any(|path| is_named(path, name));
    search(inputs, missing(rules, &[]), paths_of, has).map_err(|(name, known)| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        may_be_pattern(
            no_variable(PRECISION, &name, &known, " in any input"),
            &name,
        )
    })
}

/// Paths of the variables of an input, without dimensions that are none.
pub(super) fn paths_of(input: &Input) -> Vec<&str> {
    let variables = input.variables().iter();
    let variables = variables.filter(|variable| !variable.is_dimension_only);
    variables.map(|variable| variable.path.as_str()).collect()
}

/// A key that does nothing without another.
struct Companion {
    what: &'static str,
    is_stated: fn(&PrecisionRequest) -> bool,
    /// Whether the other is there.
    is_served: fn(&PrecisionRequest) -> bool,
    missing: &'static str,
    cure: &'static str,
}

static COMPANIONS: [Companion; 2] = [
    Companion {
        what: "an algorithm",
        is_stated: |request| request.algorithm.is_some(),
        is_served: frazil_plan::has_precision,
        missing: "nothing says how far it rounds",
        cure: "state significant_digits, significant_bits, nbits, keep_information, or an absolute \
               or relative tolerance beside it",
    },
    Companion {
        what: "a finest absolute error",
        is_stated: |request| request.relative_err_finest_abs_tolerance.is_some(),
        is_served: |request| request.relative_tolerance_percent.is_some(),
        missing: "there is no relative error for it to relax",
        cure: "state a relative tolerance beside it, or an absolute one instead: \
               relative_tolerance_percent, absolute_tolerance (--rel-error, --abs-error)",
    },
];

/// What does nothing alone must have its companion, for all that a rule names, and for anything at all where it
/// has patterns.
fn check_companions(rules: &[VariableRule], paths: &[&str]) -> Result<()> {
    let matcher = Matcher::new(rules)?;
    for one in &COMPANIONS {
        let is_any_served = rules.iter().any(|rule| (one.is_served)(&rule.request));
        let is_idle = |path: &&str| {
            let request = matcher.request(path);
            request.lossless != Some(true) && !(one.is_served)(&request)
        };
        let stating = rules.iter().filter(|rule| (one.is_stated)(&rule.request));
        let mut patterns = stating.flat_map(|rule| &rule.variables);
        let idle = patterns.find(|pattern| match name_of(pattern) {
            Some(name) => {
                let mut named = paths.iter().filter(|path| is_named(path, &name));
                !is_any_served || named.any(is_idle)
            }
            None => !is_any_served,
        });
        if let Some(pattern) = idle {
            let cause = format!(
                "{} is stated for `{pattern}`, but {}",
                one.what, one.missing
            );
            return Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(one.cure));
        }
    }
    Ok(())
}

/// Names in rules about precision that no path has.
fn missing(rules: &[VariableRule], paths: &[&str]) -> Vec<String> {
    let about_precision = |rule: &&VariableRule| rule.request != PrecisionRequest::default();
    let patterns = rules.iter().filter(about_precision);
    let names = patterns.flat_map(|rule| rule.variables.iter().filter_map(|one| name_of(one)));
    let is_missing = |name: &String| !paths.iter().any(|path| is_named(path, name));
    names.filter(is_missing).collect()
}

fn is_named(path: &str, name: &str) -> bool {
    let bare = path.rsplit('/').next().unwrap_or(path);
    [path, path.trim_start_matches('/'), bare].contains(&name)
}

/// The one name that a pattern matches; `None`: it has wildcards.
pub(super) fn name_of(pattern: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '*' | '?' | '{' => return None,
            '\\' => name.push(rest.next()?),
            // `[*]` is how patterns spell what is a wildcard elsewhere; `[T]` is a pattern.
            '[' => match (rest.next()?, rest.next()?) {
                (only, ']') if !only.is_alphanumeric() => name.push(only),
                _ => return None,
            },
            letter => name.push(letter),
        }
    }
    Some(name)
}

/// What is asked, as for precision or an analysis, names a variable that does not exist.
#[must_use]
pub fn no_variable(asked: &str, name: &str, paths: &[&str], whereabouts: &str) -> Error {
    let cause = format!("{asked} for `{name}`, but no variable has that name{whereabouts}");
    let cure = match nearest(name, paths) {
        Some(near) => format!("write `{near}` if you mean that one"),
        None if paths.is_empty() => "there are no variables".to_owned(),
        None if name.contains(',') => "state it once for each variable".to_owned(),
        None => format!("name one of {}", enumerate(paths)),
    };
    Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
}

/// The error where a pattern that matches nothing would be none. `name` is the name that was asked for.
pub(super) fn may_be_pattern(error: Error, name: &str) -> Error {
    if name.contains(['*', '?']) {
        let cure = format!(
            "without the backslash or the brackets, `{name}` is a pattern, which stands for all \
             names that match"
        );
        return error.with_cure(cure);
    }
    let cure = error.cure.clone().unwrap_or_default();
    error.with_cure(format!("{cure}; patterns with * or ? may match nothing"))
}

/// The name that is spelled most like `name`, if any is alike.
fn nearest<'a>(name: &str, paths: &[&'a str]) -> Option<&'a str> {
    let wants_path = name.contains('/');
    let shown = |path: &'a str| match wants_path {
        true => path,
        false => path.rsplit('/').next().unwrap_or(path),
    };
    spelling::nearest(name, paths.iter().map(|path| shown(path)))
}

#[cfg(test)]
mod tests {
    use super::super::rules::tests::{digits, rule};
    use super::*;

    #[test]
    fn a_name_that_is_nowhere_is_refused_with_the_nearest_spelling() {
        let paths = ["/T2", "/QVAPOR", "/forecast/U"];
        let cure = |name: &str| {
            let refused = check_names(&[rule(name, digits(3))], &paths).unwrap_err();
            assert_eq!(refused.code, ErrorCode::InvalidArgument);
            assert!(refused.to_string().contains(name));
            refused.cure.unwrap_or_default()
        };
        assert!(cure("T3").contains("`T2`"));
        assert!(cure("qvapro").contains("`QVAPOR`"));
        assert!(cure("/forecst/U").contains("`/forecast/U`"));
        assert!(cure("NOTHING").contains("T2, QVAPOR, forecast/U"));
        // No neighbour of what was meant for a pattern.
        for escaped in [r"\*", "[*]", r"T\?"] {
            let refused = check_names(&[rule(escaped, digits(3))], &paths).unwrap_err();
            let cure = refused.cure.unwrap_or_default();
            assert!(
                cure.contains("is a pattern") && !cure.contains("T2"),
                "{cure}"
            );
        }
        for fine in ["T2", "/T2", "U", "forecast/U", "X*", "[T]3", "T{1,3}"] {
            assert!(
                check_names(&[rule(fine, digits(3))], &paths).is_ok(),
                "{fine}"
            );
        }
        let about_filters = VariableRule {
            variables: vec!["T3".to_owned()],
            ..VariableRule::default()
        };
        assert!(check_names(&[about_filters], &paths).is_ok());
    }

    #[test]
    fn an_algorithm_alone_rounds_nothing() {
        let algorithm = |pattern: &str| {
            let mut rule = rule(pattern, PrecisionRequest::default());
            rule.request.algorithm = Some(frazil_types::QuantizeAlgorithm::BitGroom);
            rule
        };
        let paths = ["/T2", "/U"];
        for alone in [
            vec![algorithm("*")],
            vec![algorithm("T2")],
            vec![algorithm("T2"), rule("U", digits(3))],
        ] {
            let refused = check_names(&alone, &paths).unwrap_err();
            assert!(refused.cause.contains("how far"), "{refused}");
        }
        for fine in [
            vec![algorithm("*"), rule("U", digits(3))],
            vec![rule("T*", digits(3)), algorithm("T2")],
        ] {
            assert!(check_names(&fine, &paths).is_ok());
        }
    }

    #[test]
    fn patterns_of_one_name_are_names() {
        assert_eq!(name_of("a[*]b[[]c").as_deref(), Some("a*b[c"));
        assert_eq!(name_of("T2").as_deref(), Some("T2"));
        for pattern in ["T*", "T?", "[TU]", "[T]2", "[!T]", "{T,U}"] {
            assert_eq!(name_of(pattern), None, "{pattern}");
        }
    }
}
