//! The words about precision that `pack` and `run` take: each may name variables, `tas:3`, and may be
//! repeated; together they become rules.

mod rules;
mod values;

pub(super) use values::share_of_information;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use frazil::{PrecisionOptions, PrecisionRequest, VariableRule};

/// What one word states of which variables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    /// A glob over paths or bare names.
    variables: String,
    request: PrecisionRequest,
}

/// A word of the command line.
struct Word {
    name: &'static str,
    value: &'static str,
    help: &'static str,
    parse: fn(&str) -> Result<Vec<Statement>, String>,
}

impl Word {
    fn arg(&self) -> Arg {
        Arg::new(self.name)
            .long(self.name)
            .value_name(self.value)
            .help(self.help)
            .help_heading(HEADING)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_parser(self.parse)
    }
}

const HEADING: &str = "Precision";
/// The flag for what is refused otherwise.
const FORCE: &str = "force-precision";

/// The words, in the order of the help.
static WORDS: [Word; 12] = [
    Word {
        name: "bits",
        value: "[VAR:]N",
        help: "Explicit mantissa bits to keep, for example 9 or 'tas*:7'",
        parse: values::bits,
    },
    Word {
        name: "digits",
        value: "[VAR:]N",
        help: "Significant decimal digits to keep",
        parse: values::digits,
    },
    Word {
        name: "abs-error",
        value: "[VAR:]X",
        help: "Largest absolute error of any value",
        parse: values::abs_error,
    },
    Word {
        name: "rel-error",
        value: "[VAR:]SHARE",
        help: "Largest error of any value, relative to the value, for example 1e-3 or 0.1%",
        parse: values::rel_error,
    },
    Word {
        name: "finest-abs-error",
        value: "[VAR:]X",
        help: "Absolute error that is always allowed, whatever the relative bound is",
        parse: values::finest_abs_error,
    },
    Word {
        name: "keep-information",
        value: "[VAR:]SHARE",
        help: "Share of the bitwise real information to keep, for example 0.99 or 99%",
        parse: values::keep_information,
    },
    Word {
        name: "nbits",
        value: "[VAR:]N",
        help: "Bits of a linear grid over the range of the field",
        parse: values::nbits,
    },
    Word {
        name: "pack-integers",
        value: "[VAR:]X",
        help: "Store integers with scale_factor and add_offset; unpacked values keep this \
               absolute error",
        parse: values::pack_integers,
    },
    Word {
        name: "quantizer",
        value: "[VAR:]NAME",
        help: "Algorithm: bitround, granular-bitround, bitgroom or linear",
        parse: values::quantizer,
    },
    Word {
        name: "lossless-range",
        value: "[VAR:]LO..HI",
        help: "Keep values in this range exact; you can leave out either end",
        parse: values::lossless_range,
    },
    Word {
        name: "special",
        value: "[VAR:]X,...",
        help: "Keep these values exact, because they have a special meaning",
        parse: values::special,
    },
    Word {
        name: "lossless",
        value: "VAR,...",
        help: "Keep these variables exact, even if a pattern for rounding matches them",
        parse: values::lossless,
    },
];

/// Words that only whole files can be packed by: all values decide, or integers take their place.
const OF_WHOLE_FILES: [&str; 2] = ["keep-information", "pack-integers"];

/// All that the command line says about precision.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrecisionArgs {
    /// First of all variables, then of named ones in the order given, and last which stay lossless.
    rules: Vec<VariableRule>,
    file: Option<PathBuf>,
    write: Option<PathBuf>,
    netcdf_attribute: bool,
}

impl PrecisionArgs {
    /// A file of rules that come before those of the command line, and of defaults.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        self.file.as_ref()
    }

    /// Where the decisions are to be written.
    pub(crate) fn write(&self) -> Option<&PathBuf> {
        self.write.as_ref()
    }

    /// The facade's options, without what the file says.
    pub(super) fn options(&self) -> PrecisionOptions {
        PrecisionOptions {
            rules: self.rules.clone(),
            netcdf_attribute: self.netcdf_attribute,
            ..PrecisionOptions::default()
        }
    }

    /// What clap cannot check: one file for the decisions on one input.
    pub(super) fn check(&self, is_only_input: bool) -> Result<(), (ErrorKind, String)> {
        if self.write.is_some() && !is_only_input {
            let message = "--write-precision holds the decisions on one input".into();
            return Err((ErrorKind::ArgumentConflict, message));
        }
        Ok(())
    }
}

impl Args for PrecisionArgs {
    fn augment_args(command: Command) -> Command {
        command
            .args(WORDS.iter().map(Word::arg))
            .args(files_and_flags())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// What is said once for all variables.
fn files_and_flags() -> [Arg; 4] {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .help(help)
            .help_heading(HEADING)
            .value_parser(value_parser!(PathBuf))
    };
    [
        // Declared: the declaration has its help.
        file("precision", ""),
        file(
            "write-precision",
            "Write the decisions to this file of rules, which you can review, edit and use again",
        ),
        force(),
        flag("netcdf-attribute", ""),
    ]
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(help)
        .help_heading(HEADING)
        .action(ArgAction::SetTrue)
}

fn force() -> Arg {
    let help = "Also round variables that frazil keeps exact by default: coordinates, restarts...";
    flag(FORCE, help)
}

/// Rules for files that a running program writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunPrecisionArgs {
    pub(crate) rules: Vec<VariableRule>,
}

fn words_of_runs() -> impl Iterator<Item = &'static Word> {
    WORDS
        .iter()
        .filter(|word| !OF_WHOLE_FILES.contains(&word.name))
}

impl Args for RunPrecisionArgs {
    fn augment_args(command: Command) -> Command {
        command.args(words_of_runs().map(Word::arg)).arg(force())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RunPrecisionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // A file of rules is an option of writers, whose flag has this name.
        let has_file = matches.contains_id("precision");
        let rules = rules_of(matches, words_of_runs(), has_file)?;
        Ok(Self { rules })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The rules that some words state; `has_file`: a file states others.
fn rules_of(
    matches: &ArgMatches,
    words: impl Iterator<Item = &'static Word>,
    has_file: bool,
) -> Result<Vec<VariableRule>, clap::Error> {
    let mut statements = in_order(matches, words);
    if matches.get_flag(FORCE) {
        if statements.is_empty() && !has_file {
            let message = "--force-precision needs a precision: state one, such as --digits 3";
            return Err(clap::Error::raw(
                ErrorKind::MissingRequiredArgument,
                message,
            ));
        }
        statements.push(Statement {
            variables: "*".into(),
            request: PrecisionRequest {
                force: Some(true),
                ..PrecisionRequest::default()
            },
        });
    }
    rules::from_statements(statements)
        .map_err(|message| clap::Error::raw(ErrorKind::ArgumentConflict, message))
}

impl FromArgMatches for PrecisionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let file: Option<PathBuf> = matches.get_one("precision").cloned();
        Ok(Self {
            rules: rules_of(matches, WORDS.iter(), file.is_some())?,
            file,
            write: matches.get_one("write-precision").cloned(),
            netcdf_attribute: matches.get_flag("netcdf-attribute"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The statements of all words in the order of the command line.
fn in_order(matches: &ArgMatches, words: impl Iterator<Item = &'static Word>) -> Vec<Statement> {
    let mut placed: Vec<(usize, Statement)> = Vec::new();
    for word in words {
        let values = matches.get_many::<Vec<Statement>>(word.name);
        let places = matches.indices_of(word.name);
        for (values, place) in values
            .into_iter()
            .flatten()
            .zip(places.into_iter().flatten())
        {
            placed.extend(values.iter().map(|value| (place, value.clone())));
        }
    }
    // Stable: the names of one --lossless keep their order.
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, statement)| statement).collect()
}

#[cfg(test)]
mod tests;
