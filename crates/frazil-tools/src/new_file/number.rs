//! Number types of the variables of a new file.

use frazil_container::classic::{AttributeValue, NcType};
use frazil_types::{ByteOrder, ElementType};
use serde::Serialize;

/// Type of a variable's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberType {
    /// Two's complement, 8 bits.
    Int8,
    /// Two's complement, 16 bits.
    Int16,
    /// Two's complement, 32 bits.
    Int32,
    /// Two's complement, 64 bits.
    Int64,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
}

impl NumberType {
    /// All types.
    pub const ALL: [Self; 6] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Float32,
        Self::Float64,
    ];

    /// `float32`, `int16`.
    #[must_use]
    pub fn name(self) -> String {
        self.element().name()
    }

    /// Bytes of one number.
    #[must_use]
    pub fn size_bytes(self) -> usize {
        self.nc_type().size_bytes()
    }

    /// Least and largest value that frazil writes, as far as `f64` tells them.
    #[must_use]
    pub fn limits(self) -> (f64, f64) {
        match self {
            Self::Int8 => (i8::MIN.into(), i8::MAX.into()),
            Self::Int16 => (i16::MIN.into(), i16::MAX.into()),
            Self::Int32 => (i32::MIN.into(), i32::MAX.into()),
            // The largest double below 2^63.
            Self::Int64 => (i64::MIN as f64, 9_223_372_036_854_774_784.0),
            Self::Float32 => (f32::MIN.into(), f32::MAX.into()),
            Self::Float64 => (f64::MIN, f64::MAX),
        }
    }

    /// The netCDF type.
    pub(crate) fn nc_type(self) -> NcType {
        match self {
            Self::Int8 => NcType::Byte,
            Self::Int16 => NcType::Short,
            Self::Int32 => NcType::Int,
            Self::Int64 => NcType::Int64,
            Self::Float32 => NcType::Float,
            Self::Float64 => NcType::Double,
        }
    }

    /// The element as it lies in a new file: little-endian.
    pub(crate) fn element(self) -> ElementType {
        let big = self.nc_type().element();
        ElementType {
            order: match big.order {
                ByteOrder::Big => ByteOrder::Little,
                other => other,
            },
            ..big
        }
    }

    /// Appends values as little-endian numbers of this type: integers are rounded to nearest, ties
    /// to even, and stay within the type.
    pub(crate) fn append(self, values: &[f64], bytes: &mut Vec<u8>) {
        /// Appends each value as `$native` after `$prepare`.
        macro_rules! append {
            ($native:ty, $prepare:expr) => {
                for &value in values {
                    bytes.extend(($prepare(value) as $native).to_le_bytes());
                }
            };
        }
        bytes.reserve(values.len().saturating_mul(self.size_bytes()));
        match self {
            Self::Int8 => append!(i8, f64::round_ties_even),
            Self::Int16 => append!(i16, f64::round_ties_even),
            Self::Int32 => append!(i32, f64::round_ties_even),
            Self::Int64 => append!(i64, f64::round_ties_even),
            Self::Float32 => append!(f32, std::convert::identity::<f64>),
            Self::Float64 => append!(f64, std::convert::identity::<f64>),
        }
    }

    /// One value as an attribute of this type.
    pub(crate) fn attribute(self, value: f64) -> AttributeValue {
        match self {
            Self::Int8 => AttributeValue::Byte(vec![value as i8]),
            Self::Int16 => AttributeValue::Short(vec![value as i16]),
            Self::Int32 => AttributeValue::Int(vec![value as i32]),
            Self::Int64 => AttributeValue::Int64(vec![value as i64]),
            Self::Float32 => AttributeValue::Float(vec![value as f32]),
            Self::Float64 => AttributeValue::Double(vec![value]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_rounded_to_nearest_and_stay_within_their_type() {
        let mut bytes = Vec::new();
        NumberType::Int8.append(&[0.5, 1.5, -1.6, 300.0, f64::NAN], &mut bytes);
        assert_eq!(bytes, [0, 2, 254, 127, 0]);
    }

    #[test]
    fn limits_survive_the_way_into_their_type_and_back() {
        for number in NumberType::ALL {
            let (least, largest) = number.limits();
            for limit in [least, largest] {
                let back = match number.attribute(limit) {
                    AttributeValue::Byte(v) => f64::from(v[0]),
                    AttributeValue::Short(v) => f64::from(v[0]),
                    AttributeValue::Int(v) => f64::from(v[0]),
                    AttributeValue::Int64(v) => v[0] as f64,
                    AttributeValue::Float(v) => f64::from(v[0]),
                    AttributeValue::Double(v) => v[0],
                    other => panic!("{other:?}"),
                };
                assert_eq!(back, limit, "{}", number.name());
            }
        }
    }
}
