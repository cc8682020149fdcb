//! Packing into integers: what stands in the way, which codes stand for what, what the file says of it.

use frazil_codec::{Extremes, extremes};
use frazil_container::hdf5::{AttributeValue, DatasetInfo, NewAttribute};
use frazil_pipeline::{ArraySource, MemoryBudget};
use frazil_plan::choose_packing;
use frazil_types::{ElementType, ErrorCode, IntegerPacking, QuantizePlan, Rounding};

use super::decide::{PrecisionDecisions, no_place};
use super::field_range::{Place, look_at_all};
use super::metadata::{double, new};
use super::names;
use super::protected::{NETCDF_FILL, float_value, numbers};
use super::rules::Matcher;
use crate::attributes::Attributes;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::PackOptions;
use crate::routes::Reach;
use crate::sources::Stored;

/// Attributes that say which stored values are data: they would have to be packed as well.
const OF_VALID_VALUES: [&str; 3] = ["valid_range", "valid_min", "valid_max"];

impl PrecisionDecisions {
    /// Chooses the integers of variables that are to be packed, by all of their values. What cannot be is
    /// rounded to the same bound, unless it was asked for by name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if a variable that was asked for by name cannot be packed; if
    /// values cannot be read.
    pub(crate) fn find_packings(
        &mut self,
        input: &Input,
        options: &PackOptions,
        (reaches, sources): (&[Reach], &[ArraySource]),
        budget: &MemoryBudget,
    ) -> Result<()> {
        let mut fields = Vec::new();
        for variable in 0..self.plans.len() {
            if !self.plans[variable].as_ref().is_some_and(is_packed) {
                continue;
            }
            let attributes = input.attributes(Some(variable))?;
            match obstacle(&attributes, &reaches[variable]) {
                Err(reason) => self.give_up(variable, &reason, input, options)?,
                Ok(source) => fields.push((Place { variable, source }, stated(&attributes))),
            }
        }
        let places: Vec<Place> = fields.iter().map(|(place, _)| *place).collect();
        let mut found = vec![Extremes::default(); fields.len()];
        if !places.is_empty() {
            let look = |number: usize, values: &[u8], element: ElementType| {
                let (_, stated): &(Place, Vec<f64>) = &fields[number];
                extremes(values, &special(stated), element)
            };
            let take = |number: usize, one| Extremes::merge(&mut found[number], &one);
            let means = (&options.resources, budget);
            look_at_all(input, &places, sources, means, look, take)?;
        }
        for ((place, stated), found) in fields.iter().zip(&found) {
            let number = place.variable;
            let (Some(plan), Reach::Parallel(source, stored)) =
                (&self.plans[number], &reaches[number])
            else {
                continue;
            };
            let is_whole = is_whole(&sources[*source], stored);
            let variable = &input.variables()[number];
            match packing(variable, stated, found, plan, is_whole) {
                Err(reason) => self.give_up(number, &reason, input, options)?,
                Ok(packing) => {
                    if let Some(plan) = &mut self.plans[number] {
                        plan.rounding = Rounding::PackedIntegers {
                            packing: Some(packing),
                        };
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets a variable be rounded that cannot be packed.
    fn give_up(
        &mut self,
        number: usize,
        reason: &str,
        input: &Input,
        options: &PackOptions,
    ) -> Result<()> {
        let path = &input.variables()[number].path;
        if Matcher::new(&options.precision.rules)?.names(path) {
            let cause = format!("its values cannot be packed into integers: {reason}");
            return Err(Error::new(ErrorCode::InvalidArgument, cause)
                .with_cure("state --abs-error for it, which rounds and keeps its type")
                .in_file(input.path())
                .at_variable(path));
        }
        let Some(plan) = &mut self.plans[number] else {
            return Ok(());
        };
        plan.rounding = Rounding::BoundedBitRound {
            least_significant_bits: 0,
        };
        let taken = no_place(input, number, plan, options.precision.netcdf_attribute)?;
        self.notices.push(match taken {
            None => format!("{path}: rounded, not packed into integers: {reason}"),
            Some(taken) => {
                self.plans[number] = None;
                format!("{path}: kept exact, not packed into integers: {reason}; {taken}")
            }
        });
        Ok(())
    }
}

fn is_packed(plan: &QuantizePlan) -> bool {
    matches!(plan.rounding, Rounding::PackedIntegers { .. })
}

/// The number of the source of values that can be packed; else the reason why they cannot.
fn obstacle(attributes: &Attributes, reach: &Reach) -> std::result::Result<usize, String> {
    let Reach::Parallel(source, _) = reach else {
        return Err("only libhdf5 can read them".to_owned());
    };
    if let Some(name) = OF_VALID_VALUES.iter().find(|name| attributes.has(name)) {
        return Err(format!("attribute `{name}` is about the stored values"));
    }
    Ok(*source)
}

/// What the attributes say is no data, `_FillValue` first; NaN at most once.
fn stated(attributes: &Attributes) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for name in [names::FILL_VALUE, names::MISSING_VALUE] {
        for number in numbers(attributes, name) {
            let is_known = |one: &f64| *one == number || (one.is_nan() && number.is_nan());
            if !found.iter().any(is_known) {
                found.push(number);
            }
        }
    }
    found
}

/// All values that are no data, where these are stated.
fn special(stated: &[f64]) -> Vec<f64> {
    match stated {
        [] => vec![NETCDF_FILL],
        stated => stated.to_vec(),
    }
}

/// What the two codes stand for that are no data, [`IntegerPacking::fill`] and
/// [`IntegerPacking::missing`]: one of them or both, by what is stated. `None`: two are too few.
fn special_codes(stated: &[f64], both: bool) -> Option<[Option<f64>; 2]> {
    let number = |value: f64| (!value.is_nan()).then_some(value);
    Some(match (stated, both) {
        ([], false) => [Some(NETCDF_FILL), None],
        ([], true) => [None, Some(NETCDF_FILL)],
        ([one], false) => [number(*one), None],
        ([one], true) => [None, number(*one)],
        ([one, other], true) => match (number(*one), number(*other)) {
            (Some(one), Some(other)) => [Some(one), Some(other)],
            (one, other) => [None, one.or(other)],
        },
        _ => return None,
    })
}

/// The packing that a file states, of a variable whose original has these attributes.
pub(crate) fn stated_packing(
    original: &Attributes,
    packed: &Attributes,
    element: ElementType,
) -> Option<IntegerPacking> {
    let mut packing = IntegerPacking {
        bits: 8 * element.size_bytes as u32,
        scale: packed.number(names::SCALE_FACTOR)?,
        offset: packed.number(names::ADD_OFFSET)?,
        fill: None,
        missing: None,
    };
    if !matches!(packing.bits, 16 | 32) {
        return None;
    }
    let missing = packed.number(names::MISSING_VALUE);
    let both = missing == Some(f64::from(packing.missing_code()));
    [packing.fill, packing.missing] = special_codes(&stated(original), both)?;
    Some(packing)
}

/// Whether all of a variable was written.
fn is_whole(source: &ArraySource, stored: &Stored) -> bool {
    match stored {
        Stored::All => true,
        Stored::Records(records) => records.len() as u64 == source.grid.chunk_count(),
    }
}

/// Chooses integers; the reason if there are none.
fn packing(
    variable: &DatasetInfo,
    stated: &[f64],
    found: &Extremes,
    plan: &QuantizePlan,
    is_whole: bool,
) -> std::result::Result<IntegerPacking, String> {
    if found.has_infinity {
        return Err("it has infinite values".to_owned());
    }
    let says_nan = stated.iter().any(|value| value.is_nan());
    let both = stated.len() == 2 || (found.has_nan && !says_nan);
    let too_many = || "it has more than two values that are no data".to_owned();
    if stated.len() == 2 && found.has_nan && !says_nan {
        return Err(too_many());
    }
    let codes = special_codes(stated, both).ok_or_else(too_many)?;
    let fill = float_value(variable);
    let is_fill = match (codes[0], fill) {
        (None, Some(fill)) => fill.is_nan(),
        (Some(code), Some(fill)) => fill == code || fill as f32 == code as f32,
        (_, None) => false,
    };
    if !is_whole && !is_fill {
        return Err("parts of it were never written, and have no fill value".to_owned());
    }
    let bound = plan.bound.absolute.unwrap_or(0.0);
    let mantissa_bits = if variable.element.size_bytes == 4 {
        24
    } else {
        53
    };
    choose_packing(found.range, bound, mantissa_bits, codes)
}

/// The attributes of a variable of packed integers. `element` is that of its values; of those, some are
/// stated to be missing where `has_missing_value`.
pub(super) fn statement(
    packing: &IntegerPacking,
    plan: &QuantizePlan,
    (element, has_missing_value): (ElementType, bool),
) -> Vec<NewAttribute> {
    let real = |name: &str, value: f64| match element.size_bytes {
        4 => new(name, AttributeValue::Float(value as f32)),
        _ => double(name, value),
    };
    let code = |name: &str, code: i32| match packing.bits {
        16 => new(name, AttributeValue::Short(code as i16)),
        _ => new(name, AttributeValue::Int(code)),
    };
    let missing = match packing.missing {
        Some(_) => packing.missing_code(),
        None => packing.fill_code(),
    };
    let bound = plan.bound.absolute;
    let mut attributes = vec![code(names::FILL_VALUE, packing.fill_code())];
    if has_missing_value || packing.missing.is_some() {
        attributes.push(code(names::MISSING_VALUE, missing));
    }
    attributes.push(real(names::SCALE_FACTOR, packing.scale));
    attributes.push(real(names::ADD_OFFSET, packing.offset));
    attributes.extend(bound.map(|bound| double(names::ABSOLUTE_BOUND, bound)));
    attributes
}
