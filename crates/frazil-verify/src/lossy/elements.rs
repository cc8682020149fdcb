//! Floating-point elements as numbers, and which of them are special.

use frazil_container::hdf5::TypeDescription;
use frazil_types::{ProtectedValues, QuantizeAlgorithm};

/// An IEEE 754 binary type that can be rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatKind {
    Single,
    Double,
}

impl FloatKind {
    /// The kind of a datatype; `None` if it is anything but an ordinary `float` or `double`.
    pub(crate) fn of(datatype: &TypeDescription) -> Option<Self> {
        match (datatype.is_ieee(), datatype.size_bytes) {
            (true, 4) => Some(Self::Single),
            (true, 8) => Some(Self::Double),
            _ => None,
        }
    }

    /// Bytes of one element.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The smallest number above zero with a full mantissa.
    const fn least_normal(self) -> f64 {
        match self {
            Self::Single => f32::MIN_POSITIVE as f64,
            Self::Double => f64::MIN_POSITIVE,
        }
    }

    /// Little-endian elements as numbers, exactly.
    pub(super) fn decode(self, bytes: &[u8], numbers: &mut Vec<f64>) {
        numbers.clear();
        match self {
            Self::Single => {
                let elements = bytes.as_chunks::<4>().0.iter();
                numbers.extend(elements.map(|&element| f64::from(f32::from_le_bytes(element))));
            }
            Self::Double => {
                let elements = bytes.as_chunks::<8>().0.iter();
                numbers.extend(elements.map(|&element| f64::from_le_bytes(element)));
            }
        }
    }

    /// The number that an element holds when `number` is stored.
    fn stored(self, number: f64) -> f64 {
        match self {
            Self::Single => f64::from(number as f32),
            Self::Double => number,
        }
    }
}

/// What the stated rounding may make of a zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZeroRule {
    /// The same zero.
    Same,
    /// The same zero, or a subnormal number of its sign: BitGroom of netCDF-C and NCO sets the last bits of -0.0.
    SameOrSubnormal,
    /// Any value within the bound: a linear grid and integers need not have a zero.
    Bound,
}

impl ZeroRule {
    /// The rule for values that `algorithm` rounded.
    pub(super) const fn of(algorithm: Option<QuantizeAlgorithm>) -> Self {
        use QuantizeAlgorithm as Q;
        match algorithm {
            Some(Q::Linear | Q::PackedIntegers) => Self::Bound,
            Some(Q::BitGroom | Q::GranularBitRound) => Self::SameOrSubnormal,
            Some(Q::BitRound) | None => Self::Same,
        }
    }

    /// Whether `y` breaks the rule where the original `x`, of elements of this kind, is a zero.
    pub(super) fn is_broken(self, kind: FloatKind, x: f64, y: f64) -> bool {
        let is_changed = x == 0.0 && x.to_bits() != y.to_bits();
        is_changed
            && match self {
                Self::Same => true,
                Self::SameOrSubnormal => {
                    y.abs() >= kind.least_normal() || x.is_sign_negative() != y.is_sign_negative()
                }
                Self::Bound => false,
            }
    }
}

/// Which values have a meaning of their own: fill and missing values, what lies outside the valid
/// range, and all that is not finite.
#[derive(Debug, Clone)]
pub(super) struct SpecialValues {
    values: Vec<f64>,
    ranges: Vec<[f64; 2]>,
    valid: [f64; 2],
}

impl SpecialValues {
    pub(super) fn new(protected: &ProtectedValues, kind: FloatKind) -> Self {
        let stored = protected.values.iter().map(|&value| kind.stored(value));
        let mut values: Vec<f64> = stored.filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let [low, high] = protected
            .valid
            .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        Self {
            values,
            ranges: protected.ranges.clone(),
            valid: [kind.stored(low), kind.stored(high)],
        }
    }

    /// Marks special numbers; whether there are any.
    pub(super) fn mark(&self, numbers: &[f64], marks: &mut Vec<bool>) -> bool {
        let [low, high] = self.valid;
        marks.clear();
        marks.extend(
            numbers
                .iter()
                .map(|&x| !x.is_finite() | (x < low) | (x > high)),
        );
        for &value in &self.values {
            for (mark, &x) in marks.iter_mut().zip(numbers) {
                *mark |= x == value;
            }
        }
        for &[low, high] in &self.ranges {
            for (mark, &x) in marks.iter_mut().zip(numbers) {
                *mark |= (x >= low) & (x <= high);
            }
        }
        marks.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_may_become_what_its_algorithm_makes_of_it() {
        let broken = |rule: ZeroRule, x, y| rule.is_broken(FloatKind::Single, x, y);
        for (x, y, expected) in [
            (0.0, 0.0, [false, false]),
            (-0.0, 0.0, [true, true]),
            (0.0, 0.05, [true, true]),
            (-0.0, -1e-40, [true, false]),
            (-0.0, 1e-40, [true, true]),
            (1.0, 0.0, [false, false]),
        ] {
            let rules = [ZeroRule::Same, ZeroRule::SameOrSubnormal];
            assert_eq!(rules.map(|rule| broken(rule, x, y)), expected, "{x} {y}");
            assert!(!broken(ZeroRule::Bound, x, y));
        }
    }

    #[test]
    fn special_values_are_compared_as_they_are_stored() {
        let protected = ProtectedValues {
            values: vec![1.0e20, -9999.9, f64::NAN],
            ranges: Vec::new(),
            valid: Some([0.1, 1.0e30]),
        };
        let special = SpecialValues::new(&protected, FloatKind::Single);
        let numbers = [
            f64::from(1.0e20_f32),
            f64::from(0.1_f32),
            0.05,
            f64::NAN,
            f64::INFINITY,
            7.0,
        ];
        let mut marks = Vec::new();
        assert!(special.mark(&numbers, &mut marks));
        assert_eq!(marks, [true, false, true, true, true, false]);
        assert!(!special.mark(&numbers[5..], &mut marks));
    }
}
