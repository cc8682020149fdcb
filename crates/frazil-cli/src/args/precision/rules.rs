//! Statements into rules: one for each pattern of names.

use frazil::{PrecisionWish, VariableRule};

use super::Statement;

/// Joins statements on the same pattern; the rule for all variables comes first, then the others
/// in the order of their first statement, lossless ones last.
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
            Some(earlier) => join(&mut earlier.wish, statement.wish)
                .map_err(|what| format!("`{}`: {what}", statement.variables))?,
            None => joined.push(statement),
        }
    }
    for statement in &joined {
        check(&statement.wish).map_err(|what| format!("`{}`: {what}", statement.variables))?;
    }
    // Variables named as lossless stay so, whatever wider patterns say of them.
    joined.sort_by_key(|Statement { variables, wish }| match variables.as_str() {
        "*" => 0,
        _ if wish.lossless != Some(true) => 1,
        _ => 2,
    });
    let rule = |statement: Statement| VariableRule {
        variables: vec![statement.variables],
        wish: statement.wish,
        ..VariableRule::default()
    };
    Ok(joined.into_iter().map(rule).collect())
}

/// Adds what a later statement says.
fn join(wish: &mut PrecisionWish, later: PrecisionWish) -> Result<(), String> {
    once(&mut wish.lossless, later.lossless, "lossless")?;
    once(&mut wish.algorithm, later.algorithm, "quantizer")?;
    once(&mut wish.significant_bits, later.significant_bits, "bits")?;
    once(
        &mut wish.significant_digits,
        later.significant_digits,
        "digits",
    )?;
    once(&mut wish.nbits, later.nbits, "nbits")?;
    once(
        &mut wish.pack_integers,
        later.pack_integers,
        "pack-integers",
    )?;
    once(
        &mut wish.absolute_tolerance,
        later.absolute_tolerance,
        "abs-error",
    )?;
    once(
        &mut wish.relative_tolerance_percent,
        later.relative_tolerance_percent,
        "rel-error",
    )?;
    once(
        &mut wish.relative_err_finest_abs_tolerance,
        later.relative_err_finest_abs_tolerance,
        "finest-abs-error",
    )?;
    once(
        &mut wish.keep_information,
        later.keep_information,
        "keep-information",
    )?;
    once(
        &mut wish.lossless_data_range_up_to,
        later.lossless_data_range_up_to,
        "lossless-range",
    )?;
    once(
        &mut wish.lossless_data_range_from,
        later.lossless_data_range_from,
        "lossless-range",
    )?;
    wish.lossless_data_ranges.extend(later.lossless_data_ranges);
    wish.special_values.extend(later.special_values);
    wish.force = wish.force.or(later.force);
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
fn check(wish: &PrecisionWish) -> Result<(), String> {
    let rounded = wish.algorithm.is_some()
        || wish.significant_bits.is_some()
        || wish.significant_digits.is_some()
        || wish.nbits.is_some()
        || wish.absolute_tolerance.is_some()
        || wish.relative_tolerance_percent.is_some()
        || wish.keep_information.is_some();
    match wish.lossless == Some(true) && rounded {
        true => Err("--lossless and a precision are given at once".into()),
        false => Ok(()),
    }
}
