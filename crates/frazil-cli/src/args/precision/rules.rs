//! Statements into rules: one for each pattern of names.

use frazil::{PrecisionRequest, VariableRule, narrowness};

use super::Statement;

/// Joins statements on the same pattern; the rule for all variables comes first, then patterns, then
/// names, each in the order of their first statement, and lossless ones last.
///
/// # Errors
/// One line for the user, where two statements contradict each other.
pub(super) fn from_statements(statements: Vec<Statement>) -> Result<Vec<VariableRule>, String> {
    let mut joined: Vec<Statement> = Vec::new();
    for statement in statements {
        match joined
            .iter_mut()
            .find(|earlier| earlier.variables == statement.variables)
        {
            Some(earlier) => join(&mut earlier.request, statement.request)
                .map_err(|what| format!("`{}`: {what}", statement.variables))?,
            None => joined.push(statement),
        }
    }
    for statement in &joined {
        check(&statement.request).map_err(|what| format!("`{}`: {what}", statement.variables))?;
    }
    // Variables named as lossless stay so, whatever wider patterns say of them.
    joined.sort_by_key(
        |Statement { variables, request }| match narrowness(variables) {
            0 => 0,
            _ if request.lossless == Some(true) => 3,
            narrow => narrow,
        },
    );
    let rule = |statement: Statement| VariableRule {
        variables: vec![statement.variables],
        request: statement.request,
        ..VariableRule::default()
    };
    Ok(joined.into_iter().map(rule).collect())
}

/// Adds what a later statement says.
fn join(request: &mut PrecisionRequest, later: PrecisionRequest) -> Result<(), String> {
    // Integers have their bound in the place of --abs-error, which may not have been given.
    let packs = |request: &PrecisionRequest| request.pack_integers == Some(true);
    let have_bounds = request.absolute_tolerance.is_some() && later.absolute_tolerance.is_some();
    if have_bounds && packs(request) != packs(&later) {
        return Err(
            "--pack-integers and --abs-error are given at once; the number of --pack-integers is \
             the absolute error"
                .into(),
        );
    }
    once(&mut request.lossless, later.lossless, "lossless")?;
    once(&mut request.algorithm, later.algorithm, "quantizer")?;
    once(
        &mut request.significant_bits,
        later.significant_bits,
        "bits",
    )?;
    once(
        &mut request.significant_digits,
        later.significant_digits,
        "digits",
    )?;
    once(&mut request.nbits, later.nbits, "nbits")?;
    once(
        &mut request.pack_integers,
        later.pack_integers,
        "pack-integers",
    )?;
    once(
        &mut request.absolute_tolerance,
        later.absolute_tolerance,
        "abs-error",
    )?;
    once(
        &mut request.relative_tolerance_percent,
        later.relative_tolerance_percent,
        "rel-error",
    )?;
    once(
        &mut request.relative_err_finest_abs_tolerance,
        later.relative_err_finest_abs_tolerance,
        "finest-abs-error",
    )?;
    once(
        &mut request.keep_information,
        later.keep_information,
        "keep-information",
    )?;
    once(
        &mut request.lossless_data_range_up_to,
        later.lossless_data_range_up_to,
        "lossless-range",
    )?;
    once(
        &mut request.lossless_data_range_from,
        later.lossless_data_range_from,
        "lossless-range",
    )?;
    request
        .lossless_data_ranges
        .extend(later.lossless_data_ranges);
    request.special_values.extend(later.special_values);
    request.force = request.force.or(later.force);
    Ok(())
}

/// Fills `place`, unless it is filled.
fn once<T>(place: &mut Option<T>, later: Option<T>, word: &str) -> Result<(), String> {
    match (place.is_some(), later) {
        (_, None) => Ok(()),
        (true, Some(_)) => Err(format!("--{word} is given twice")),
        (false, later) => {
            *place = later;
            Ok(())
        }
    }
}

/// A variable cannot be exact and rounded at once.
fn check(request: &PrecisionRequest) -> Result<(), String> {
    let rounded = request.algorithm.is_some()
        || request.significant_bits.is_some()
        || request.significant_digits.is_some()
        || request.nbits.is_some()
        || request.absolute_tolerance.is_some()
        || request.relative_tolerance_percent.is_some()
        || request.keep_information.is_some();
    match request.lossless == Some(true) && rounded {
        true => Err("--lossless and a precision are given at once".into()),
        false => Ok(()),
    }
}
