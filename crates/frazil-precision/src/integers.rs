//! Packing into integers: what stands in the way, which codes stand for what, what the file says of it.

use frazil_codec::{Extremes, extremes};
use frazil_container::hdf5::{AttributeValue, DatasetInfo, NewAttribute};
use frazil_plan::choose_packing;
use frazil_types::{ElementType, ErrorCode, IntegerPacking, QuantizePlan, Rounding};

use super::decide::{PrecisionDecisions, no_place};
use super::field_range::{Place, is_partly_absent, look_at_all};
use super::metadata::{double, new};
use super::names;
use super::protected::{NETCDF_FILL, float_value};
use super::reachable::ReachableValues;
use super::rules::{Matcher, PrecisionOptions, pattern_of};
use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::sources::AccessPath;

/// Attributes that are about the stored values: what they say would be of integers then.
const OF_STORED_VALUES: [&str; 4] = ["valid_range", "valid_min", "valid_max", "_Unsigned"];

impl PrecisionDecisions {
    /// Chooses the integers of variables that are to be packed, by all of their values. What cannot be is
    /// rounded to the same bound, unless it was asked for by name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if a variable that was asked for by name cannot be packed; if
    /// values cannot be read.
    pub fn find_packings(
        &mut self,
        input: &Input,
        options: &PrecisionOptions,
        values: ReachableValues<'_>,
    ) -> Result<()> {
        let mut fields = Vec::new();
        for variable in 0..self.plans.len() {
            if !self.plans[variable].as_ref().is_some_and(is_packed) {
                continue;
            }
            let attributes = input.attributes(Some(variable))?;
            match obstacle(&attributes, &values.reaches[variable]) {
                Err(reason) => self.give_up(variable, &reason, input, options)?,
                Ok(source) => {
                    fields.push((Place { variable, source }, NoData::of(&attributes)));
                }
            }
        }
        let places: Vec<Place> = fields.iter().map(|(place, _)| *place).collect();
        let mut found = vec![Extremes::default(); fields.len()];
        if !places.is_empty() {
            let look = |number: usize, values: &[u8], element: ElementType| {
                let (_, no_data): &(Place, NoData) = &fields[number];
                extremes(
                    values,
                    (&no_data.numbers(), no_data.fill.is_none()),
                    element,
                )
            };
            let take = |number: usize, one| Extremes::merge(&mut found[number], &one);
            let means = (values.resources, values.budget);
            look_at_all(input, &places, values.sources, means, look, take)?;
        }
        for ((place, no_data), found) in fields.iter().zip(&found) {
            let number = place.variable;
            let Some(plan) = &self.plans[number] else {
                continue;
            };
            let is_whole = !is_partly_absent(&values.sources[place.source]);
            let variable = &input.variables()[number];
            match packing(variable, no_data, found, plan, is_whole) {
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
        options: &PrecisionOptions,
    ) -> Result<()> {
        let path = &input.variables()[number].path;
        if Matcher::new(&options.rules)?.names(path) {
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
        let own = [pattern_of(path)];
        for rule in self.rules.iter_mut().filter(|rule| rule.variables == own) {
            rule.request.pack_integers = None;
            rule.request.algorithm = None;
        }
        let taken = no_place(input, number, plan, options.netcdf_attribute)?;
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
fn obstacle(attributes: &Attributes, reach: &AccessPath) -> std::result::Result<usize, String> {
    let AccessPath::Parallel(source, _) = reach else {
        return Err("only libhdf5 can read them".to_owned());
    };
    if let Some(name) = OF_STORED_VALUES.iter().find(|name| attributes.has(name)) {
        return Err(format!("attribute `{name}` is about the stored values"));
    }
    let of_no_data = [names::FILL_VALUE, names::MISSING_VALUE];
    match of_no_data
        .iter()
        .find(|name| attributes.text(name).is_some())
    {
        Some(name) => Err(format!("attribute `{name}` is text")),
        None => Ok(*source),
    }
}

/// What attributes say is no data.
#[derive(Debug, Clone, PartialEq)]
struct NoData {
    /// `_FillValue`; `None`: not stated.
    fill: Option<f64>,
    /// Others, each once.
    missing: Vec<f64>,
}

impl NoData {
    fn of(attributes: &Attributes) -> Self {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        let fill = attributes.numbers(names::FILL_VALUE).first().copied();
        let mut missing: Vec<f64> = Vec::new();
        for &number in attributes.numbers(names::MISSING_VALUE) {
            let is_known = |&one: &f64| same(one, number);
            if !fill.iter().chain(&missing).any(is_known) {
                missing.push(number);
            }
        }
        Self { fill, missing }
    }

    /// All numbers among them.
    fn numbers(&self) -> Vec<f64> {
        let all = self.fill.iter().chain(&self.missing).copied();
        all.filter(|value| !value.is_nan()).collect()
    }

    /// What the two codes stand for that are no data, [`IntegerPacking::fill`] and
    /// [`IntegerPacking::missing`]: one of them or both. `None`: two are too few.
    fn codes(&self, both: bool) -> Option<[Option<f64>; 2]> {
        match (self.numbers().as_slice(), both) {
            ([], false) => Some([None, None]),
            (&[one], false) => Some([Some(one), None]),
            (&[one], true) => Some([None, Some(one)]),
            (&[one, other], true) if !self.has_nan() => Some([Some(one), Some(other)]),
            _ => None,
        }
    }

    /// Whether NaN are among them.
    fn has_nan(&self) -> bool {
        self.fill
            .iter()
            .chain(&self.missing)
            .any(|value| value.is_nan())
    }

    /// Whether both codes are needed.
    fn needs_both(&self, found: &Extremes) -> bool {
        let numbers = self.numbers().len();
        let is_beside = self.has_nan() || found.has_nan || found.has_default_fill;
        numbers > 1 || (numbers == 1 && is_beside)
    }
}

/// The packing that a file states, of a variable whose original has these attributes.
pub fn stated_packing(
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
    [packing.fill, packing.missing] = NoData::of(original).codes(both)?;
    Some(packing)
}

/// Values of a variable that is packed into integers that are no data.
pub fn no_data(original: &Attributes) -> Vec<f64> {
    let no_data = NoData::of(original);
    let mut values = no_data.numbers();
    values.extend(no_data.fill.is_none().then_some(NETCDF_FILL));
    values
}

/// Chooses integers; the reason if there are none.
fn packing(
    variable: &DatasetInfo,
    no_data: &NoData,
    found: &Extremes,
    plan: &QuantizePlan,
    is_whole: bool,
) -> std::result::Result<IntegerPacking, String> {
    if found.has_infinity {
        return Err("it has infinite values".to_owned());
    }
    let is_beside_two = no_data.numbers().len() > 1 && (found.has_nan || found.has_default_fill);
    let codes = no_data.codes(no_data.needs_both(found));
    let codes = codes.filter(|_| !is_beside_two);
    let codes = codes.ok_or("it has more than two values that are no data")?;
    let is_single = variable.element.size_bytes == 4;
    let bound = plan.bound.absolute.unwrap_or(0.0);
    let packing = choose_packing(found.range, bound, if is_single { 24 } else { 53 }, codes)?;
    let in_type = |number: f64| match is_single {
        true => f64::from(number as f32),
        false => number,
    };
    match float_value(variable).filter(|_| !is_whole) {
        Some(value) if !packing.is_fill(value, in_type) => Err(format!(
            "parts of it were never written and read as {value}, which is not its _FillValue"
        )),
        _ => Ok(packing),
    }
}

/// The attributes of a variable of packed integers, whose values have these attributes and elements.
pub(super) fn statement(
    packing: &IntegerPacking,
    plan: &QuantizePlan,
    original: (&Attributes, ElementType),
) -> Vec<NewAttribute> {
    let bound = plan.bound.absolute;
    let mut attributes = attributes(packing, original);
    attributes.extend(bound.map(|bound| double(names::ABSOLUTE_BOUND, bound)));
    attributes
}

/// The attributes that readers unpack by.
pub fn attributes(
    packing: &IntegerPacking,
    (original, element): (&Attributes, ElementType),
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
    let mut attributes = vec![code(names::FILL_VALUE, packing.fill_code())];
    if original.has(names::MISSING_VALUE) || packing.missing.is_some() {
        attributes.push(code(names::MISSING_VALUE, missing));
    }
    attributes.push(real(names::SCALE_FACTOR, packing.scale));
    attributes.push(real(names::ADD_OFFSET, packing.offset));
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_data(fill: Option<f64>, missing: &[f64]) -> NoData {
        let missing = missing.to_vec();
        NoData { fill, missing }
    }

    #[test]
    fn codes_stand_for_what_is_stated() {
        let nan = f64::NAN;
        assert_eq!(no_data(None, &[]).codes(false), Some([None, None]));
        assert_eq!(no_data(Some(nan), &[]).codes(false), Some([None, None]));
        let one = no_data(Some(-1.0), &[]);
        assert_eq!(one.codes(false), Some([Some(-1.0), None]));
        assert_eq!(one.codes(true), Some([None, Some(-1.0)]));
        // NaN are fill values, whichever attribute says that they are no data.
        for both in [no_data(Some(nan), &[-1.0]), no_data(Some(-1.0), &[nan])] {
            assert!(both.needs_both(&Extremes::default()));
            assert_eq!(both.codes(true), Some([None, Some(-1.0)]));
        }
        let two = no_data(Some(-1.0), &[-2.0]);
        assert_eq!(two.codes(true), Some([Some(-1.0), Some(-2.0)]));
        assert_eq!(no_data(Some(-1.0), &[-2.0, -3.0]).codes(true), None);
        assert_eq!(no_data(Some(-1.0), &[-2.0, nan]).codes(true), None);
    }
}
