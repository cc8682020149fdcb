//! Flags of declared options: help, words and defaults come from the declaration.

use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use frazil::{DeclaredOption, Values};

/// Defaults that the help does not show.
const NO_DEFAULT: [&str; 4] = ["none", "not known", "not stated", "0"];

/// Adds the help of declared options: to those of `pack`, `plan` and `unpack`, and the short one to those of
/// other subcommands that have none of their own.
pub(super) fn with_help(command: Command) -> Command {
    let name = command.get_name().to_owned();
    command.mut_args(|arg| match declaration(&arg) {
        Some(declared) if declared.of.include(&name) => explained(arg, declared),
        Some(declared) if arg.get_help().is_none() => arg.help(sentence(declared, false)),
        _ => arg,
    })
}

/// The declaration of a flag.
pub(super) fn declaration(arg: &Arg) -> Option<&'static DeclaredOption> {
    arg.get_long()?;
    DeclaredOption::named(&arg.get_id().as_str().replace('-', "_"))
}

/// Adds the sentence of a declared option to its flag, and for `--help` its details.
pub(super) fn explained(arg: Arg, declared: &DeclaredOption) -> Arg {
    let mut long = sentence(declared, true);
    if !declared.details.is_empty() {
        long = format!("{long}\n\n{}", declared.details);
    }
    arg.help(sentence(declared, false)).long_help(long)
}

/// What an option does, and what holds if nobody states it.
fn sentence(declared: &DeclaredOption, has_unit: bool) -> String {
    let mut help = declared.help.to_owned();
    if !declared.command.is_empty() {
        help = format!("{help} {}", declared.command);
    }
    // As all help of the command.
    if help.ends_with('.') {
        help.pop();
    }
    if has_unit && let Some(unit) = declared.unsaid_unit() {
        help.push_str(&format!(" [unit: {unit}]"));
    }
    if declared.values != Values::Switch && !NO_DEFAULT.contains(&declared.default) {
        help.push_str(&format!(" [default: {}]", declared.default));
    }
    help
}

/// The option of this name, with underscores or with the hyphens of its flag.
///
/// # Errors
/// The nearest spelling, or all names.
pub(super) fn named(key: &str) -> Result<&'static DeclaredOption, String> {
    DeclaredOption::find_among(&key.replace('-', "_"), |_| true).map_err(|error| {
        let cure = error.cure.as_deref().unwrap_or_default();
        format!("{error}: {cure}")
    })
}

/// The parser of an option that is a number within bounds.
pub(super) fn number<T>(
    key: &'static str,
    bounds: RangeInclusive<T>,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Clone + Send + Sync + 'static,
{
    StringValueParser::new().try_map(move |text| match text.trim().parse::<T>() {
        Ok(number) if bounds.contains(&number) => Ok(number),
        _ => Err(match DeclaredOption::named(key) {
            Some(declared) => format!("it must be {}", declared.allowed()),
            None => "it must be an allowed number".to_owned(),
        }),
    })
}

/// The parser of an option that is one of several words.
pub(super) fn word<T>(key: &str) -> impl TypedValueParser<Value = T> + use<T>
where
    T: FromStr<Err: ToString> + Clone + Send + Sync + 'static,
{
    let words = DeclaredOption::named(key).map_or(&[][..], |declared| declared.values.words());
    let words = words
        .iter()
        .map(|&(word, meaning)| PossibleValue::new(word).help(meaning));
    PossibleValuesParser::new(words)
        .try_map(|word: String| word.parse::<T>().map_err(|error| error.to_string()))
}
