//! What the output says about rounding: CF-1.12 section 8.4, the bounds, and what models and
//! netCDF-C write themselves.

use std::collections::{BTreeMap, HashSet};

use frazil_container::hdf5::{Additions, AttributeValue, NewAttribute, NewContainer, Retyped};
use frazil_types::{ErrorBound, QuantizeAlgorithm, QuantizePlan, Rounding, VariablePlan};

use super::earlier::{are_alike, since_original};
use super::rounding::RoundingStats;
use super::stated::{StatedPrecision, stated_precision, statement as statement_of};
use super::{integers, names};
use frazil_file::error::Result;
use frazil_file::input::{Input, InputKind};

/// Who rounded, as containers say it.
pub const SELF: &str = concat!("frazil version ", env!("CARGO_PKG_VERSION"));

/// What an input says of the earlier roundings of variables that are rounded now, in file order.
///
/// # Errors
/// If attributes cannot be read.
pub fn earlier_roundings(
    input: &Input,
    plans: &[VariablePlan],
) -> Result<Vec<Option<StatedPrecision>>> {
    let plans = plans.iter().enumerate();
    let stated = plans.map(|(i, plan)| match plan.quantize {
        Some(_) => stated_precision(input, i),
        None => Ok(None),
    });
    stated.collect()
}

/// What rounding adds to a file; `before` as [`earlier_roundings`] has it. Values that are known only when
/// all chunks are packed are written again by [`final_attributes`].
///
/// # Errors
/// If the attributes of containers that are there already cannot be read.
pub fn additions(
    input: &Input,
    plans: &[VariablePlan],
    before: &[Option<StatedPrecision>],
    netcdf_attribute: bool,
) -> Result<Additions> {
    let rounded: Vec<(usize, &QuantizePlan)> = plans
        .iter()
        .enumerate()
        .filter_map(|(i, plan)| Some((i, plan.quantize.as_ref()?)))
        .collect();
    let containers = containers(input, &rounded)?;
    let mut additions = Additions::default();
    for &(i, plan) in &rounded {
        let path = &input.variables()[i].path;
        let plan = &since_original(plan, before[i].as_ref());
        let algorithm = plan.rounding.algorithm();
        let container = containers
            .get(algorithm_name(algorithm))
            .map(|container| container.name.as_str());
        let mut attributes = match plan.packing() {
            Some(packing) => {
                let original = input.attributes(Some(i))?;
                integers::statement(packing, plan, (&original, input.variables()[i].element))
            }
            None => statement(plan, path, container),
        };
        additions.retyped.extend(plan.packing().map(|packing| {
            let (element, fill) = (packing.element(), packing.bytes_of(packing.fill_code()));
            (i, Retyped { element, fill })
        }));
        if netcdf_attribute {
            attributes.extend(netcdf_statement(&plan.rounding));
        }
        // What an earlier rounding says of itself, and nothing else of the same names.
        let earlier = statement_of(input, i)?.map_or_else(Vec::new, |earlier| earlier.attributes);
        let unwritten = earlier
            .iter()
            .filter(|name| attributes.iter().all(|new| new.name != **name));
        additions
            .dropped
            .push((i, unwritten.map(|&name| name.to_owned()).collect()));
        additions.attributes.push((i, attributes));
    }
    for (algorithm, container) in containers {
        if container.is_new {
            let attributes = vec![
                text(names::ALGORITHM, algorithm),
                text(names::IMPLEMENTATION, SELF),
            ];
            let name = container.name;
            additions.containers.push(NewContainer { name, attributes });
        }
    }
    Ok(additions)
}

/// The attributes of a rounded variable that depend on its values; `before` is what was said of an
/// earlier rounding.
pub fn final_attributes(
    plan: &QuantizePlan,
    stats: &RoundingStats,
    before: Option<&StatedPrecision>,
) -> Vec<NewAttribute> {
    let mut attributes = Vec::new();
    match plan.rounding {
        Rounding::BoundedBitRound { .. } => {
            let earlier = before.and_then(|before| before.significant_bits);
            let kept = stats.least_kept.into_iter().chain(earlier).min();
            attributes.extend(kept.map(|bits| int(names::SIGNIFICANT_BITS, bits)));
        }
        Rounding::Linear { .. } => {
            let error = linear_error(plan, stats.errors.max_absolute_error, before);
            attributes.push(double(names::LINEAR_ERROR, error));
        }
        _ => {}
    }
    // Values that stayed as they were are as exact as before.
    if let Some(before) = before
        && stats.errors.max_absolute_error <= 0.0
        && are_alike(&since_original(plan, Some(before)).bound, &before.bound)
    {
        attributes.extend(bounds(&before.bound));
    }
    attributes
}

/// What `max_abs_compression_error` says: the largest error against the values before all roundings.
fn linear_error(plan: &QuantizePlan, error: f64, before: Option<&StatedPrecision>) -> f64 {
    let Some(before) = before else {
        return error;
    };
    let of_both = || since_original(plan, Some(before)).bound.absolute;
    let earlier = before.bound.absolute.map(|earlier| earlier + error);
    earlier.or_else(of_both).unwrap_or(error)
}

/// The attributes of the bound of a variable that was rounded before.
pub fn bounds_since(plan: &QuantizePlan, before: &StatedPrecision) -> Vec<NewAttribute> {
    bounds(&since_original(plan, Some(before)).bound).collect()
}

/// The attributes of a bound.
fn bounds(bound: &ErrorBound) -> impl Iterator<Item = NewAttribute> + use<> {
    let finest = Some(bound.finest_absolute).filter(|&finest| finest > 0.0);
    let parts = [
        (names::ABSOLUTE_BOUND, bound.absolute),
        (names::RELATIVE_BOUND, bound.relative),
        (names::FINEST_ABSOLUTE, finest),
    ];
    let stated = parts.into_iter();
    stated.filter_map(|(name, bound)| Some(double(name, bound?)))
}

/// The container of one algorithm.
struct Container {
    name: String,
    /// False: the input has it already.
    is_new: bool,
}

/// The containers by algorithm: one for all variables that share it.
fn containers(
    input: &Input,
    rounded: &[(usize, &QuantizePlan)],
) -> Result<BTreeMap<&'static str, Container>> {
    let algorithms: HashSet<&'static str> = rounded
        .iter()
        .filter_map(|(_, plan)| plan.rounding.algorithm().cf_name())
        .collect();
    let taken = names_in_root(input);
    let several = algorithms.len() > 1;
    let mut containers = BTreeMap::new();
    for algorithm in algorithms {
        let base = match several {
            true => format!("{}_{algorithm}", names::CONTAINER_VARIABLE),
            false => names::CONTAINER_VARIABLE.to_owned(),
        };
        let numbered = (2..).map(|n: u32| format!("{base}_{n}"));
        let mut candidates = std::iter::once(base.clone()).chain(numbered);
        let container = match own_container(input, algorithm)? {
            Some(name) => Container {
                name,
                is_new: false,
            },
            None => Container {
                name: candidates
                    .find(|name| !taken.contains(name))
                    .unwrap_or_default(),
                is_new: true,
            },
        };
        containers.insert(algorithm, container);
    }
    Ok(containers)
}

/// A container in the input's root group that says what ours would say.
fn own_container(input: &Input, algorithm: &str) -> Result<Option<String>> {
    for (i, variable) in input.variables().iter().enumerate() {
        let Some(name) = variable.path.strip_prefix('/') else {
            continue;
        };
        if !name.starts_with(names::CONTAINER_VARIABLE) || name.contains('/') {
            continue;
        }
        let attributes = input.attributes(Some(i))?;
        if attributes.text(names::ALGORITHM) == Some(algorithm)
            && attributes.text(names::IMPLEMENTATION) == Some(SELF)
        {
            return Ok(Some(name.to_owned()));
        }
    }
    Ok(None)
}

/// Names that a new variable in the root group cannot have.
fn names_in_root(input: &Input) -> HashSet<String> {
    match input.kind() {
        InputKind::Hdf5(hdf5) => hdf5
            .entries()
            .iter()
            .filter(|entry| entry.parent == "/")
            .map(|entry| entry.name.clone())
            .collect(),
        InputKind::Classic(classic) => {
            let model = classic.model();
            let variables = model.variables.iter().map(|variable| variable.name.clone());
            let dimensions = model
                .dimensions
                .iter()
                .map(|dimension| dimension.name.clone());
            variables.chain(dimensions).collect()
        }
    }
}

pub(crate) fn algorithm_name(algorithm: QuantizeAlgorithm) -> &'static str {
    algorithm.cf_name().unwrap_or_default()
}

/// The attributes of one rounded variable that was rounded before, to a bound that counts as well.
pub fn statement_since(
    plan: &QuantizePlan,
    before: Option<&StatedPrecision>,
    path: &str,
    container: Option<&str>,
) -> Vec<NewAttribute> {
    statement(&since_original(plan, before), path, container)
}

/// The attributes of one rounded variable.
fn statement(plan: &QuantizePlan, path: &str, container: Option<&str>) -> Vec<NewAttribute> {
    let mut attributes = Vec::new();
    if let Some(container) = container {
        // Variables of the root group share it with the container; others name it by its path.
        let in_root = path.rfind('/') == Some(0);
        let name = match in_root {
            true => container.to_owned(),
            false => format!("/{container}"),
        };
        attributes.push(text(names::CONTAINER, &name));
    }
    match plan.rounding {
        Rounding::BitRound { significant_bits } => {
            attributes.push(int(names::SIGNIFICANT_BITS, significant_bits));
        }
        // Replaced by the smallest number that any chunk keeps.
        Rounding::BoundedBitRound {
            least_significant_bits,
        } => attributes.push(int(names::SIGNIFICANT_BITS, least_significant_bits.max(1))),
        Rounding::GranularBitRound { significant_digits }
        | Rounding::BitGroom { significant_digits } => {
            attributes.push(int(names::SIGNIFICANT_DIGITS, significant_digits));
        }
        Rounding::Linear { nbits, .. } => {
            attributes.push(int(names::LINEAR_BITS, nbits));
            attributes.push(double(names::LINEAR_ERROR, 0.0));
        }
        Rounding::PackedIntegers { .. } => {}
    }
    attributes.extend(bounds(&plan.bound));
    let information = plan.keep_information;
    attributes.extend(information.map(|share| double(names::KEEP_INFORMATION, share)));
    attributes
}

/// netCDF-C's own attribute, for the roundings it knows.
pub fn netcdf_statement(rounding: &Rounding) -> Option<NewAttribute> {
    match *rounding {
        Rounding::BitRound { significant_bits } => {
            Some(int(names::NETCDF_BITROUND, significant_bits))
        }
        Rounding::GranularBitRound { significant_digits } => {
            Some(int(names::NETCDF_GRANULAR, significant_digits))
        }
        Rounding::BitGroom { significant_digits } => {
            Some(int(names::NETCDF_BITGROOM, significant_digits))
        }
        Rounding::BoundedBitRound { .. }
        | Rounding::Linear { .. }
        | Rounding::PackedIntegers { .. } => None,
    }
}

/// The names of all attributes that the statement of a plan has.
pub fn names_written(plan: &QuantizePlan, netcdf_attribute: bool) -> Vec<&'static str> {
    if matches!(plan.rounding, Rounding::PackedIntegers { .. }) {
        return names::OF_PACKING.to_vec();
    }
    let mut written = names::OF_ROUNDING.to_vec();
    if matches!(plan.rounding, Rounding::Linear { .. }) {
        written.extend(names::OF_LINEAR);
    }
    if netcdf_attribute && let Some(own) = netcdf_statement(&plan.rounding) {
        written.extend(names::OF_NETCDF.iter().filter(|name| own.name == **name));
    }
    written
}

fn text(name: &str, value: &str) -> NewAttribute {
    new(name, AttributeValue::Text(value.to_owned()))
}

fn int(name: &str, value: u32) -> NewAttribute {
    new(
        name,
        AttributeValue::Int(i32::try_from(value).unwrap_or(i32::MAX)),
    )
}

pub(super) fn double(name: &str, value: f64) -> NewAttribute {
    new(name, AttributeValue::Double(value))
}

pub(super) fn new(name: &str, value: AttributeValue) -> NewAttribute {
    NewAttribute {
        name: name.to_owned(),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::ProtectedValues;

    #[test]
    fn a_statement_names_container_kept_digits_and_bound() {
        let plan = QuantizePlan {
            rounding: Rounding::GranularBitRound {
                significant_digits: 3,
            },
            bound: ErrorBound {
                relative: Some(0.005),
                ..ErrorBound::default()
            },
            protected: ProtectedValues::default(),
            keep_information: None,
            forced: false,
        };
        let found = statement(&plan, "/group/t", Some("quantization_info"));
        let expected = [
            text("quantization", "/quantization_info"),
            int("quantization_nsd", 3),
            double("quantization_maximum_relative_error", 0.005),
        ];
        assert_eq!(found, expected);
        assert_eq!(
            netcdf_statement(&plan.rounding),
            Some(int("_QuantizeGranularBitRoundNumberOfSignificantDigits", 3))
        );
        assert_eq!(
            statement(&plan, "/t", Some("q"))[0],
            text("quantization", "q")
        );
    }
}
