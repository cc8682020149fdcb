//! Values with a meaning of their own, which rounding must not touch.

use frazil_container::hdf5::{DatasetInfo, FillStatus};
use frazil_types::{
    ByteOrder, ElementClass, ErrorBound, IntegerPacking, PrecisionRequest, ProtectedValues,
    QuantizePlan, Rounding,
};

use frazil_file::attributes::Attributes;
use frazil_file::error::Result;
use frazil_file::input::{Input, InputKind};

/// What netCDF gives for values that were never written.
pub const NETCDF_FILL: f64 = IntegerPacking::NETCDF_FILL;

/// The protected values of floating-point variable `i`: what its attributes and its fill value say,
/// and what the user named.
///
/// # Errors
/// If its attributes cannot be read.
pub fn protected_values(
    input: &Input,
    i: usize,
    request: Option<&PrecisionRequest>,
) -> Result<ProtectedValues> {
    let attributes = input.attributes(Some(i))?;
    let fill = fill_value(input, &input.variables()[i]);
    Ok(protected_by(&attributes, fill, request))
}

/// The precision of a plan for a variable that has these protected values, whichever values the plan was
/// made for.
pub fn replayed(plan: &QuantizePlan, protected: ProtectedValues) -> QuantizePlan {
    let mut plan = plan.clone();
    let values = &mut plan.protected.values;
    values.extend(protected.values);
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| a.to_bits() == b.to_bits());
    let ranges = &mut plan.protected.ranges;
    for range in protected.ranges {
        if !ranges.contains(&range) {
            ranges.push(range);
        }
    }
    plan.protected.valid = protected.valid;
    match &mut plan.rounding {
        Rounding::Linear { range, .. } => {
            *range = None;
            plan.bound = ErrorBound::default();
        }
        Rounding::PackedIntegers { packing } => *packing = None,
        _ => {}
    }
    plan
}

/// The protected values that attributes, the fill value, and the user name.
pub fn protected_by(
    attributes: &Attributes,
    fill: Option<f64>,
    request: Option<&PrecisionRequest>,
) -> ProtectedValues {
    let mut protected = stated(attributes);
    protected.values.extend(fill);
    if let Some(request) = request {
        protected.values.extend(&request.special_values);
        protected.values.extend(request.fill_value);
        protected.ranges = lossless_ranges(request);
    }
    protected.values.sort_by(f64::total_cmp);
    protected.values.dedup_by(|a, b| a.to_bits() == b.to_bits());
    protected
}

/// What attributes say. `actual_range` stays true: its ends are kept, and nothing leaves it.
fn stated(attributes: &Attributes) -> ProtectedValues {
    let mut values = numbers(attributes, "_FillValue");
    values.extend(numbers(attributes, "missing_value"));
    let valid = match numbers(attributes, "valid_range").as_slice() {
        [low, high] => [Some(*low), Some(*high)],
        _ => ["valid_min", "valid_max"].map(|name| match numbers(attributes, name).as_slice() {
            [number] => Some(*number),
            _ => None,
        }),
    };
    let mut interval = interval(valid);
    if let [low, high] = attributes.numbers("actual_range")
        && low <= high
    {
        values.extend([low, high]);
        let [valid_low, valid_high] = interval;
        let both = [valid_low.max(*low), valid_high.min(*high)];
        interval = if both[0] <= both[1] { both } else { interval };
    }
    let [low, high] = interval;
    let is_stated = low != f64::NEG_INFINITY || high != f64::INFINITY;
    ProtectedValues {
        values,
        ranges: Vec::new(),
        valid: (is_stated && low <= high).then_some(interval),
    }
}

/// An interval with infinite ends where none are stated.
fn interval([low, high]: [Option<f64>; 2]) -> [f64; 2] {
    [
        low.filter(|low| !low.is_nan()).unwrap_or(f64::NEG_INFINITY),
        high.filter(|high| !high.is_nan()).unwrap_or(f64::INFINITY),
    ]
}

/// The numbers of an attribute; those in a text as well, for some centres write them so.
fn numbers(attributes: &Attributes, name: &str) -> Vec<f64> {
    match attributes.text(name) {
        Some(text) => numbers_in(text).unwrap_or_default(),
        None => attributes.numbers(name).to_vec(),
    }
}

/// The numbers that a text consists of, as programs and CDL write them: `-999.9f`, `1.e20, -1`.
fn numbers_in(text: &str) -> Option<Vec<f64>> {
    let separators = |c: char| c.is_whitespace() || ",;[]()\"'".contains(c);
    let words = text.split(separators).filter(|word| !word.is_empty());
    let numbers: Option<Vec<f64>> = words.map(number_in).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

fn number_in(word: &str) -> Option<f64> {
    let parsed = |word: &str| word.parse().ok();
    let suffixes = ['f', 'F', 'd', 'D', 's', 'S', 'b', 'B', 'l', 'L'];
    parsed(word)
        .or_else(|| parsed(word.strip_suffix(suffixes)?))
        .or_else(|| parsed(&word.replace(['d', 'D'], "e")))
}

/// What is to be said about special values that a variable's attributes write as text.
pub(crate) fn text_notices(path: &str, attributes: &Attributes) -> Vec<String> {
    let names = [
        "_FillValue",
        "missing_value",
        "valid_range",
        "valid_min",
        "valid_max",
    ];
    let texts = names
        .iter()
        .filter_map(|name| Some((name, attributes.text(name)?)));
    texts
        .map(|(name, text)| match numbers_in(text) {
            Some(_) => {
                format!("{path}: attribute `{name}` is text; its numbers ({text}) stay exact")
            }
            None => {
                format!("{path}: attribute `{name}` is text without numbers and protects nothing")
            }
        })
        .collect()
}

/// The fill value that readers get for what was never written.
fn fill_value(input: &Input, variable: &DatasetInfo) -> Option<f64> {
    let is_user = variable.fill_status == FillStatus::User;
    match input.kind() {
        InputKind::Hdf5(_) if !is_user => Some(NETCDF_FILL),
        _ => float_value(variable),
    }
}

/// One element of fill value as a number.
pub(super) fn float_value(variable: &DatasetInfo) -> Option<f64> {
    if variable.element.class != ElementClass::Float {
        return None;
    }
    let mut bytes = variable.fill.clone();
    if variable.element.order == ByteOrder::Big {
        bytes.reverse();
    }
    match bytes.len() {
        4 => bytes
            .try_into()
            .ok()
            .map(|b| f64::from(f32::from_le_bytes(b))),
        8 => bytes.try_into().ok().map(f64::from_le_bytes),
        _ => None,
    }
}

fn lossless_ranges(request: &PrecisionRequest) -> Vec<[f64; 2]> {
    let mut ranges = request.lossless_data_ranges.clone();
    let up_to = request.lossless_data_range_up_to;
    let from = request.lossless_data_range_from;
    ranges.extend(up_to.map(|end| [f64::NEG_INFINITY, end]));
    ranges.extend(from.map(|start| [start, f64::INFINITY]));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::{AttributeValue, ClassicAttribute};

    fn protected(list: Vec<(&str, AttributeValue)>) -> ProtectedValues {
        let attribute = |(name, value): (&str, AttributeValue)| ClassicAttribute {
            name: name.to_owned(),
            value,
        };
        let list: Vec<_> = list.into_iter().map(attribute).collect();
        protected_by(&Attributes::of_classic(&list), None, None)
    }

    fn text(text: &str) -> AttributeValue {
        AttributeValue::Char(text.as_bytes().to_vec())
    }

    #[test]
    fn numbers_in_texts_are_protected() {
        let found = protected(vec![
            ("missing_value", text("-999.9f 1.D+20")),
            ("valid_range", text("[0, 100.0]\0")),
        ]);
        assert_eq!(found.values, [-999.9, 1.0e20]);
        assert_eq!(found.valid, Some([0.0, 100.0]));
        assert_eq!(numbers_in("none"), None);
        assert_eq!(numbers_in(" "), None);
    }

    #[test]
    fn the_actual_range_stays_true() {
        let found = protected(vec![
            ("valid_min", AttributeValue::Int(vec![-5])),
            ("actual_range", AttributeValue::Double(vec![-1.5, 7.25])),
        ]);
        assert_eq!(found.values, [-1.5, 7.25]);
        assert_eq!(found.valid, Some([-1.5, 7.25]));
    }
}
