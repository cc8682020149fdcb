//! Numbers as JSON.

use frazil_container::model::{TypeClass, TypeDescription};

/// A number of any type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

/// The number that an expanded element is: little-endian, without padding. `None`: it is no number that Zarr knows.
pub(super) fn number(datatype: &TypeDescription, element: &[u8]) -> Option<Number> {
    match &datatype.class {
        TypeClass::Integer { signed, .. } => integer(element, *signed),
        TypeClass::Bitfield { .. } => integer(element, false),
        TypeClass::Enumeration { base, .. } => number(base, element),
        TypeClass::Float { .. } if datatype.is_ieee() => float(element),
        _ => None,
    }
}

fn integer(element: &[u8], signed: bool) -> Option<Number> {
    let is_negative = signed && element.last()? & 0x80 != 0;
    let mut wide = [if is_negative { 0xff } else { 0 }; 16];
    wide.get_mut(..element.len())?.copy_from_slice(element);
    matches!(element.len(), 1..=8).then(|| Number::Integer(i128::from_le_bytes(wide)))
}

fn float(element: &[u8]) -> Option<Number> {
    let value = match *element {
        [a, b] => half(u16::from_le_bytes([a, b])),
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => f64::from_le_bytes(element.try_into().ok()?),
    };
    Some(Number::Float(value))
}

/// The value of an IEEE 754 binary16 number.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    sign * match exponent {
        0 => mantissa * 2_f64.powi(-24),
        0x1f if mantissa == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + mantissa / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

impl Number {
    /// As attributes have it: what JSON has no word for is spelled as Python's JSON spells it, which Zarr's readers
    /// understand.
    pub(super) fn in_attributes(self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) if value.is_nan() => "NaN".to_owned(),
            Self::Float(value) if value.is_infinite() => {
                let sign = if value < 0.0 { "-" } else { "" };
                format!("{sign}Infinity")
            }
            Self::Float(value) => format!("{value:?}"),
        }
    }

    /// As Zarr's fill values have it.
    pub(super) fn as_fill(self) -> String {
        match self {
            Self::Float(value) if !value.is_finite() => format!("\"{}\"", self.in_attributes()),
            _ => self.in_attributes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_json() {
        assert_eq!(Number::Float(1e20).in_attributes(), "1e20");
        assert_eq!(Number::Float(-0.5).as_fill(), "-0.5");
        assert_eq!(Number::Float(f64::NAN).in_attributes(), "NaN");
        assert_eq!(Number::Float(f64::NEG_INFINITY).as_fill(), "\"-Infinity\"");
        assert_eq!(integer(&[0xfe], true), Some(Number::Integer(-2)));
        assert_eq!(integer(&[0xfe], false), Some(Number::Integer(254)));
        assert_eq!(integer(&[0; 9], false), None);
        assert_eq!((half(0x3c00), half(0xc100)), (1.0, -2.5));
        assert_eq!(
            (half(0x0001), half(0x7c00)),
            (2_f64.powi(-24), f64::INFINITY)
        );
    }
}
