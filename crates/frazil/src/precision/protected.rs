//! Values with a meaning of their own, which rounding must not touch.

use frazil_container::hdf5::{DatasetInfo, FillStatus};
use frazil_types::{ByteOrder, ElementClass, PrecisionWish, ProtectedValues};

use crate::attributes::Attributes;
use crate::error::Result;
use crate::input::{Input, InputKind};

/// `NC_FILL_FLOAT` and `NC_FILL_DOUBLE`: what netCDF gives for values that were never written.
pub(crate) const NETCDF_FILL: f64 = 9.969_209_968_386_869e36;

/// The protected values of floating-point variable `i`: what its attributes and its fill value say,
/// and what the user named.
///
/// # Errors
/// If its attributes cannot be read.
pub(crate) fn protected_values(
    input: &Input,
    i: usize,
    wish: Option<&PrecisionWish>,
) -> Result<ProtectedValues> {
    let attributes = input.attributes(Some(i))?;
    let fill = fill_value(input, &input.variables()[i]);
    Ok(protected_by(&attributes, fill, wish))
}

/// The protected values that attributes, the fill value, and the user name.
pub(crate) fn protected_by(
    attributes: &Attributes,
    fill: Option<f64>,
    wish: Option<&PrecisionWish>,
) -> ProtectedValues {
    let mut protected = stated(attributes);
    protected.values.extend(fill);
    if let Some(wish) = wish {
        protected.values.extend(&wish.special_values);
        protected.values.extend(wish.fill_value);
        protected.ranges = lossless_ranges(wish);
    }
    protected.values.sort_by(f64::total_cmp);
    protected.values.dedup_by(|a, b| a.to_bits() == b.to_bits());
    protected
}

/// What attributes say; a number that was written as text says nothing.
fn stated(attributes: &Attributes) -> ProtectedValues {
    let mut values = attributes.numbers("_FillValue").to_vec();
    values.extend(attributes.numbers("missing_value"));
    let (low, high) = match attributes.numbers("valid_range") {
        [low, high] => (Some(*low), Some(*high)),
        _ => (
            attributes.number("valid_min"),
            attributes.number("valid_max"),
        ),
    };
    let low = low.filter(|low| !low.is_nan()).unwrap_or(f64::NEG_INFINITY);
    let high = high.filter(|high| !high.is_nan()).unwrap_or(f64::INFINITY);
    let is_stated = low != f64::NEG_INFINITY || high != f64::INFINITY;
    ProtectedValues {
        values,
        ranges: Vec::new(),
        valid: (is_stated && low <= high).then_some([low, high]),
    }
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
fn float_value(variable: &DatasetInfo) -> Option<f64> {
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

fn lossless_ranges(wish: &PrecisionWish) -> Vec<[f64; 2]> {
    let mut ranges = wish.lossless_data_ranges.clone();
    let up_to = wish.lossless_data_range_up_to;
    let from = wish.lossless_data_range_from;
    ranges.extend(up_to.map(|end| [f64::NEG_INFINITY, end]));
    ranges.extend(from.map(|start| [start, f64::INFINITY]));
    ranges
}
