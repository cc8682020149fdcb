//! How exactly a variable's values are to be kept: what a user states, and what was decided.

use serde::{Deserialize, Serialize};

use crate::{ByteOrder, ElementClass, ElementType};

/// The share that a percentage is, both as they are written: 99.9 % is 0.999, while 99.9 / 100 is
/// 0.9990000000000001, a looser bound than was asked for.
#[must_use]
pub fn share_of_percent(percent: f64) -> f64 {
    let shortest = format!("{percent:e}");
    let moved = shortest.split_once('e').and_then(|(mantissa, exponent)| {
        let exponent = exponent.parse::<i32>().ok()? - 2;
        format!("{mantissa}e{exponent}").parse().ok()
    });
    // Infinities and NaN have no exponent.
    moved.unwrap_or(percent / 100.0)
}

/// A quantization algorithm.
///
/// BitRound, Granular BitRound and BitGroom are netCDF-C's and the Climate and Forecast
/// conventions'; the linear one is the GFS model's `nbits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuantizeAlgorithm {
    /// Rounds the mantissa to a number of bits, the same for all values.
    #[serde(rename = "bitround")]
    BitRound,
    /// Rounds each value to as many bits as a number of decimal digits needs.
    #[serde(rename = "granular_bitround")]
    GranularBitRound,
    /// Clears and sets the trailing mantissa bits in turn.
    #[serde(rename = "bitgroom")]
    BitGroom,
    /// Rounds to a grid of 2^bits points over the range of the field.
    #[serde(rename = "linear")]
    Linear,
    /// Packs into integers with a scale and an offset, as the CF conventions (section 8.1) have it.
    #[serde(rename = "packed_integers")]
    PackedIntegers,
}

impl QuantizeAlgorithm {
    /// The name that the CF conventions (1.12, section 8.4) give it; the others have none there.
    #[must_use]
    pub const fn cf_name(self) -> Option<&'static str> {
        match self {
            Self::BitRound => Some("bitround"),
            Self::GranularBitRound => Some("granular_bitround"),
            Self::BitGroom => Some("bitgroom"),
            Self::Linear | Self::PackedIntegers => None,
        }
    }
}

/// What a user states about the precision of a variable. All that is stated must hold together.
///
/// The names are those of SCIL (Scientific Compression Library), where it has one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrecisionRequest {
    /// Keep every bit, whatever other rules say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lossless: Option<bool>,
    /// The algorithm; where none is stated, the requests choose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<QuantizeAlgorithm>,
    /// Explicit mantissa bits to keep: 1 to 23 (float32), 1 to 52 (float64).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant_bits: Option<u32>,
    /// Decimal digits to keep: 1 to 6 (float32), 1 to 15 (float64).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant_digits: Option<u32>,
    /// Bits of the linear grid over the field's range, 1 to 31.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nbits: Option<u32>,
    /// Largest absolute error of any value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute_tolerance: Option<f64>,
    /// Largest error of any value relative to it, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_tolerance_percent: Option<f64>,
    /// The relative bound never demands a smaller absolute error than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_err_finest_abs_tolerance: Option<f64>,
    /// Store integers of 16 or 32 bits with `scale_factor` and `add_offset`; `absolute_tolerance` is what
    /// readers' unpacked values keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_integers: Option<bool>,
    /// Share of the bitwise real information to keep, above 0 and at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_information: Option<f64>,
    /// Values up to this one stay exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lossless_data_range_up_to: Option<f64>,
    /// Values from this one on stay exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lossless_data_range_from: Option<f64>,
    /// Values between these, both included, stay exact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lossless_data_ranges: Vec<[f64; 2]>,
    /// One more value with a meaning of its own, kept exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_value: Option<f64>,
    /// More values with a meaning of their own, kept exact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub special_values: Vec<f64>,
    /// Round even what is refused otherwise (coordinates, restarts...).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl PrecisionRequest {
    /// Checks that each number can be meant for some variable.
    ///
    /// # Errors
    /// Names the key, its value, and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let counts = [
            ("significant_bits", self.significant_bits, 52),
            ("significant_digits", self.significant_digits, 15),
            ("nbits", self.nbits, 31),
        ];
        for (key, count, most) in counts {
            if let Some(count) = count.filter(|count| !(1..=most).contains(count)) {
                return Err(format!("{key}: {count} is not between 1 and {most}"));
            }
        }
        let sizes = [
            ("absolute_tolerance", self.absolute_tolerance, f64::MAX),
            (
                "relative_tolerance_percent",
                self.relative_tolerance_percent,
                100.0_f64.next_down(),
            ),
            (
                "relative_err_finest_abs_tolerance",
                self.relative_err_finest_abs_tolerance,
                f64::MAX,
            ),
            ("keep_information", self.keep_information, 1.0),
        ];
        for (key, size, most) in sizes {
            if let Some(size) = size.filter(|&size| !(size > 0.0 && size <= most)) {
                let end = match key {
                    "relative_tolerance_percent" => " and less than 100",
                    "keep_information" => " and at most 1",
                    _ => "",
                };
                return Err(format!("{key}: {size} is not a number above 0{end}"));
            }
        }
        Ok(())
    }
}

/// How values are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "algorithm")]
pub enum Rounding {
    /// BitRound with the same number of bits everywhere.
    BitRound {
        /// Explicit mantissa bits kept.
        significant_bits: u32,
    },
    /// BitRound with the fewest bits that keep the bound: for each chunk, if it is relative alone; else for each
    /// value, which becomes the nearest multiple of a power of two.
    BoundedBitRound {
        /// Never fewer than this; 0 where only the bound counts.
        least_significant_bits: u32,
    },
    /// Granular BitRound.
    GranularBitRound {
        /// Decimal digits kept.
        significant_digits: u32,
    },
    /// BitGroom.
    BitGroom {
        /// Decimal digits kept.
        significant_digits: u32,
    },
    /// Linear rounding over the field's range.
    Linear {
        /// Bits of the grid: it has 2^nbits points.
        nbits: u32,
        /// Smallest and largest ordinary value of the field, once they are known.
        range: Option<[f64; 2]>,
    },
    /// Integers in place of the values.
    PackedIntegers {
        /// How they stand for values, once the field's range is known.
        packing: Option<IntegerPacking>,
    },
}

/// Signed integers that stand for real numbers: code · scale + offset.
///
/// The two lowest codes stand for values that are no data; they lie outside those of data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IntegerPacking {
    /// Bits of an integer, 16 or 32.
    pub bits: u32,
    /// `scale_factor`: a power of two.
    pub scale: f64,
    /// `add_offset`: a number that the variable's own type has.
    pub offset: f64,
    /// What the lowest code stands for, `_FillValue`; `None`: NaN, and netCDF's default fill value.
    pub fill: Option<f64>,
    /// What the next one stands for, `missing_value`, where it differs.
    pub missing: Option<f64>,
}

impl IntegerPacking {
    /// `NC_FILL_FLOAT` and `NC_FILL_DOUBLE`: what netCDF gives for values that were never written.
    pub const NETCDF_FILL: f64 = 9.969_209_968_386_869e36;

    /// Whether a value, as its type has it, is one that the lowest code stands for; `in_type` narrows a
    /// number to that type.
    pub fn is_fill(&self, value: f64, in_type: impl Fn(f64) -> f64) -> bool {
        match self.fill {
            Some(fill) => in_type(fill) == value,
            None => value.is_nan() || in_type(Self::NETCDF_FILL) == value,
        }
    }

    /// Whether a value is one that the second lowest code stands for.
    pub fn is_missing(&self, value: f64, in_type: impl Fn(f64) -> f64) -> bool {
        self.missing
            .is_some_and(|missing| in_type(missing) == value)
    }

    /// The code of fill values.
    #[must_use]
    pub const fn fill_code(&self) -> i32 {
        if self.bits == 16 {
            i16::MIN as i32
        } else {
            i32::MIN
        }
    }

    /// The code of missing values that differ from fill values.
    #[must_use]
    pub const fn missing_code(&self) -> i32 {
        self.fill_code() + 1
    }

    /// The lowest code of data.
    #[must_use]
    pub const fn least_code(&self) -> i32 {
        self.fill_code() + 2
    }

    /// The highest code of data.
    #[must_use]
    pub const fn most_code(&self) -> i32 {
        if self.bits == 16 {
            i16::MAX as i32
        } else {
            i32::MAX
        }
    }

    /// The integers' type in files.
    #[must_use]
    pub const fn element(&self) -> ElementType {
        ElementType {
            class: ElementClass::SignedInteger,
            size_bytes: if self.bits == 16 { 2 } else { 4 },
            order: ByteOrder::Little,
        }
    }

    /// A code as it lies in files.
    #[must_use]
    pub fn bytes_of(&self, code: i32) -> Vec<u8> {
        code.to_le_bytes()[..self.element().size_bytes].to_vec()
    }
}

impl Rounding {
    /// The algorithm's name.
    #[must_use]
    pub const fn algorithm(&self) -> QuantizeAlgorithm {
        match self {
            Self::BitRound { .. } | Self::BoundedBitRound { .. } => QuantizeAlgorithm::BitRound,
            Self::GranularBitRound { .. } => QuantizeAlgorithm::GranularBitRound,
            Self::BitGroom { .. } => QuantizeAlgorithm::BitGroom,
            Self::Linear { .. } => QuantizeAlgorithm::Linear,
            Self::PackedIntegers { .. } => QuantizeAlgorithm::PackedIntegers,
        }
    }
}

/// The largest error a value x may have after rounding to y. Both parts must hold where both are
/// given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorBound {
    /// |x - y| is at most this.
    pub absolute: Option<f64>,
    /// |x - y| is at most this share of |x| ...
    pub relative: Option<f64>,
    /// ... or at most this, whichever is larger.
    pub finest_absolute: f64,
}

impl ErrorBound {
    /// Whether nothing is bounded.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.absolute.is_none() && self.relative.is_none()
    }

    /// Whether the error may be some share of a value, however small that is, and nothing else is said.
    #[must_use]
    pub fn is_relative(&self) -> bool {
        self.absolute.is_none() && self.finest_absolute <= 0.0
    }

    /// The largest error that a value of magnitude `magnitude` may have.
    #[must_use]
    pub fn at(&self, magnitude: f64) -> f64 {
        let relative = self.relative.map_or(f64::INFINITY, |share| {
            (share * magnitude).max(self.finest_absolute)
        });
        relative.min(self.absolute.unwrap_or(f64::INFINITY))
    }
}

/// Values that are never touched, beside NaN, infinities, zeros and subnormals, which never are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenValues", into = "WrittenValues")]
pub struct ProtectedValues {
    /// Single values: `_FillValue`, `missing_value`, and those a user named.
    pub values: Vec<f64>,
    /// Closed intervals that must stay exact; their ends may be infinite.
    pub ranges: Vec<[f64; 2]>,
    /// Values outside this closed interval are not data (`valid_min`, `valid_max`, `valid_range`).
    pub valid: Option<[f64; 2]>,
}

/// [`ProtectedValues`] as plans have them.
#[derive(Serialize, Deserialize)]
struct WrittenValues {
    values: Vec<WrittenNumber>,
    ranges: Vec<[WrittenNumber; 2]>,
    valid: Option<[WrittenNumber; 2]>,
}

/// A number in JSON, which has no NaN and no infinities: they are words.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenNumber {
    Finite(f64),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
enum Word {
    #[serde(rename = "NaN")]
    NotANumber,
    #[serde(rename = "inf")]
    Infinity,
    #[serde(rename = "-inf")]
    MinusInfinity,
}

impl From<f64> for WrittenNumber {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Finite(number)
        } else if number.is_nan() {
            Self::Word(Word::NotANumber)
        } else if number > 0.0 {
            Self::Word(Word::Infinity)
        } else {
            Self::Word(Word::MinusInfinity)
        }
    }
}

impl From<WrittenNumber> for f64 {
    fn from(written: WrittenNumber) -> Self {
        match written {
            WrittenNumber::Finite(number) => number,
            WrittenNumber::Word(Word::NotANumber) => Self::NAN,
            WrittenNumber::Word(Word::Infinity) => Self::INFINITY,
            WrittenNumber::Word(Word::MinusInfinity) => Self::NEG_INFINITY,
        }
    }
}

impl From<ProtectedValues> for WrittenValues {
    fn from(values: ProtectedValues) -> Self {
        let interval = |ends: [f64; 2]| ends.map(Into::into);
        Self {
            values: values.values.into_iter().map(Into::into).collect(),
            ranges: values.ranges.into_iter().map(interval).collect(),
            valid: values.valid.map(interval),
        }
    }
}

impl From<WrittenValues> for ProtectedValues {
    fn from(written: WrittenValues) -> Self {
        let interval = |ends: [WrittenNumber; 2]| ends.map(Into::into);
        Self {
            values: written.values.into_iter().map(Into::into).collect(),
            ranges: written.ranges.into_iter().map(interval).collect(),
            valid: written.valid.map(interval),
        }
    }
}

/// The decision about one variable's precision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantizePlan {
    /// How values are rounded.
    pub rounding: Rounding,
    /// What is promised of every value, and checked before it is written.
    pub bound: ErrorBound,
    /// What is never touched.
    pub protected: ProtectedValues,
    /// The share of information that was asked for, if that decided the bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_information: Option<f64>,
    /// Rounded though it would be refused otherwise: somebody said so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forced: bool,
}

/// For serde, which takes references.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl QuantizePlan {
    /// How values become integers, where they do.
    #[must_use]
    pub const fn packing(&self) -> Option<&IntegerPacking> {
        match &self.rounding {
            Rounding::PackedIntegers { packing } => packing.as_ref(),
            _ => None,
        }
    }
}

/// What a variable's values look like to someone who asks how many of their bits are real.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DataOrigin {
    /// Ordinary floating-point values.
    Continuous,
    /// Rounded before: mantissa bits after the first `significant_bits` are all zero.
    Rounded {
        /// Explicit mantissa bits in use.
        significant_bits: u32,
    },
    /// Bit-groomed before: the trailing bits are all zeros and all ones in turn.
    Groomed {
        /// Explicit mantissa bits in use.
        significant_bits: u32,
    },
    /// Integers times a scale plus an offset: all bits look used, few are real.
    UnpackedIntegers {
        /// The distance of neighbouring values.
        step: f64,
    },
    /// The same few values over and over: categories, or a profile repeated in time. That some bits
    /// always follow others there says nothing about noise.
    Repeating {
        /// Different values found among those that were looked at.
        distinct: u64,
    },
    /// One value only, or none.
    Constant,
    /// Too few values to tell noise from signal.
    TooFew,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_the_share_that_is_written() {
        for (percent, share) in [(99.9, 0.999), (7.0, 0.07), (0.1, 1e-3), (-1.1, -0.011)] {
            assert_eq!(share_of_percent(percent), share);
        }
        assert!(share_of_percent(f64::NAN).is_nan());
        assert_eq!(share_of_percent(f64::INFINITY), f64::INFINITY);
    }
}
