//! Names that options state: one that no input has is a mistake, and must not be passed over.

use std::path::PathBuf;

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::name_search::search;
use frazil_file::wording::enumerate;
use frazil_plan::ReadIntent;
use frazil_precision::named;
use frazil_types::{ErrorCode, spelling};

use crate::chunk_goal::AccessPattern;
use crate::options::PackOptions;

/// A dimension that an option names.
type Stated<'a> = (&'static str, &'a str);

/// Checks, before the first of several inputs is worked on, that one of them has the variables and
/// dimensions that options name. What cannot be read has none. `false`: nothing can be read, so that
/// nothing is known.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] names the option, the first name that no input has, and what is spelled
/// most like it.
pub fn check_names_in(inputs: &[PathBuf], options: &PackOptions) -> Result<bool> {
    let variables = named::check_names_in(inputs, &options.precision.rules)?;
    let dimensions = search(inputs, stated(options), dimensions, is_dimension);
    let dimensions = dimensions.map_err(|(missing, known)| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        no_dimension(missing, &known, " in any input")
    })?;
    Ok(variables && dimensions)
}

/// Checks that an input has the dimensions that options name.
///
/// # Errors
/// As [`check_names_in`].
pub fn check_dimensions(input: &Input, options: &PackOptions) -> Result<()> {
    let known = dimensions(input);
    let missing = stated(options)
        .into_iter()
        .find(|one| !is_dimension(input, &known, one));
    match missing {
        None => Ok(()),
        Some(missing) => Err(no_dimension(missing, &known, "").in_file(input.path())),
    }
}

/// The dimensions that options name, each with its option.
fn stated(options: &PackOptions) -> Vec<Stated<'_>> {
    let rules = options.precision.rules.iter();
    let of_rules = rules.flat_map(|rule| rule.chunks.keys());
    // Extents of a variable that is named are checked where they are applied to it.
    let of_all = options.chunk_overrides.iter();
    let of_all = of_all.filter(|one| one.variable == "*");
    let of_all = of_all.flat_map(|one| one.extents.iter().map(|(name, _)| name));
    let chunks = of_rules.chain(of_all).map(|name| ("chunks", name.as_str()));
    stated_of(&options.chunk_goal).chain(chunks).collect()
}

/// Checks that there are the dimensions that reads, axes and expected lengths name.
///
/// # Errors
/// As [`check_names_in`].
pub fn check_goal(goal: &AccessPattern, known: &[&str]) -> Result<()> {
    let missing = stated_of(goal).find(|(_, name)| !known.contains(name));
    missing.map_or(Ok(()), |missing| Err(no_dimension(missing, known, "")))
}

/// The dimensions that reads, axes and expected lengths name.
fn stated_of(goal: &AccessPattern) -> impl Iterator<Item = Stated<'_>> {
    let reads = goal.reads.iter().flat_map(|read| match &read.intent {
        ReadIntent::Hyperslab(extents) => extents.as_slice(),
        _ => &[],
    });
    let reads = reads.map(|(name, _)| ("reads", name.as_str()));
    let axes = goal.axes.iter().map(|(name, _)| ("axes", name.as_str()));
    let expected = goal.expected.iter();
    let expected = expected.map(|(name, _)| ("expected", name.as_str()));
    reads.chain(axes).chain(expected)
}

/// Whether an input has what an option names; chunk extents may name an axis by its number.
fn is_dimension(input: &Input, known: &[&str], (option, name): &Stated<'_>) -> bool {
    let has_axis = |axis: usize| {
        let mut variables = input.variables().iter();
        variables.any(|variable| axis < variable.shape.len())
    };
    known.contains(name) || (*option == "chunks" && name.parse().is_ok_and(has_axis))
}

/// Names of all dimensions, also of those that no variable has.
fn dimensions(input: &Input) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for variable in input.variables() {
        let own = variable.path.rsplit('/').next();
        let own = own.filter(|_| variable.is_dimension_only);
        names.extend(
            variable
                .dimension_names
                .iter()
                .map(String::as_str)
                .chain(own),
        );
    }
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}

fn no_dimension((option, name): Stated<'_>, known: &[&str], whereabouts: &str) -> Error {
    let cause = match option == "chunks" && name.parse::<usize>().is_ok() {
        true => {
            format!("the option chunks names axis {name}, but no variable has one{whereabouts}")
        }
        false => format!(
            "the option {option} names `{name}`, but no dimension has that name{whereabouts}"
        ),
    };
    let cure = match spelling::nearest(name, known.iter().copied()) {
        Some(near) => format!("write `{near}` if you mean that one"),
        None if known.is_empty() => "there are no dimensions with a name".to_owned(),
        None => format!("name one of {}", enumerate(known)),
    };
    Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
}
