//! Real numbers packed into integers with a scale and an offset, each proved as it is packed.

use frazil_types::{ByteOrder, ElementType, IntegerPacking, QuantizePlan};

use super::check::ErrorStats;
use super::limits::{Precision, precision};
use super::place::BoxPlace;
use crate::error::CodecError;

/// A packing bound to the elements of a variable; shared by all threads.
#[derive(Debug, Clone)]
pub struct IntegerPacker {
    packing: IntegerPacking,
    reader: Reader,
    order: ByteOrder,
    bound: f64,
}

/// What some values of a variable are, as far as packing goes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Extremes {
    /// The smallest and the largest number that is data; `None`: there is none.
    pub range: Option<[f64; 2]>,
    /// Whether there are NaN.
    pub has_nan: bool,
    /// Whether there are netCDF's default fill values.
    pub has_default_fill: bool,
    /// Whether there are infinities that are not among the special values.
    pub has_infinity: bool,
}

impl Extremes {
    /// Adds what was found in another part of the variable.
    pub fn merge(&mut self, other: &Self) {
        self.range = match (self.range, other.range) {
            (Some([low, high]), Some([a, b])) => Some([low.min(a), high.max(b)]),
            (one, other) => one.or(other),
        };
        self.has_nan |= other.has_nan;
        self.has_default_fill |= other.has_default_fill;
        self.has_infinity |= other.has_infinity;
    }
}

/// Looks at values, in the byte order of the file; those in `special` are no data, nor is netCDF's default
/// fill value where `may_be_unwritten`.
///
/// # Errors
/// [`CodecError::InvalidParameters`] if the elements are not float32 or float64.
pub fn extremes(
    original: &[u8],
    (special, may_be_unwritten): (&[f64], bool),
    element: ElementType,
) -> Result<Extremes, CodecError> {
    let reader = Reader::of(element)?;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut found = Extremes::default();
    reader.each(original, element.order, |value| {
        if value.is_nan() {
            found.has_nan = true;
        } else if reader.in_type(IntegerPacking::NETCDF_FILL) == value && may_be_unwritten {
            found.has_default_fill = true;
        } else if !special.iter().any(|one| reader.in_type(*one) == value) {
            found.has_infinity |= value.is_infinite();
            low = low.min(value);
            high = high.max(value);
        }
    });
    found.range = (low <= high).then_some([low, high]);
    Ok(found)
}

impl IntegerPacker {
    /// Binds a plan whose packing is known to the elements of a variable.
    ///
    /// # Errors
    /// [`CodecError::InvalidParameters`] if the elements are not float32 or float64, or if packing or
    /// bound are missing.
    pub fn bind(plan: &QuantizePlan, element: ElementType) -> Result<Self, CodecError> {
        let (Some(packing), Some(bound)) = (plan.packing(), plan.bound.absolute) else {
            return Err(CodecError::InvalidParameters {
                filter: "pack-integers",
                reason: "the field's range or the bound is not known".to_owned(),
            });
        };
        Ok(Self {
            packing: *packing,
            reader: Reader::of(element)?,
            order: element.order,
            bound,
        })
    }

    /// Packs the values of a box, and proves that every one of them keeps the bound when it is unpacked.
    /// `out` is replaced by little-endian integers; places beyond the variable get the fill code.
    ///
    /// # Errors
    /// [`CodecError::WrongSize`] and [`CodecError::InvalidParameters`] as for rounding;
    /// [`CodecError::BoundExceeded`] for a value outside the range that the packing was made for.
    pub fn pack(
        &self,
        original: &[u8],
        place: &BoxPlace<'_>,
        out: &mut Vec<u8>,
    ) -> Result<ErrorStats, CodecError> {
        place.check(original.len(), self.reader.bytes())?;
        out.clear();
        let row = place.count.last().map_or(1, |&n| n as usize);
        let row_bytes = (row * self.reader.bytes()).max(1);
        let mut stats = ErrorStats::default();
        for (number, values) in original.chunks(row_bytes).enumerate() {
            let inside = valid_elements(place, number as u64).min(row);
            let (data, padding) = values.split_at(inside * self.reader.bytes());
            self.pack_row(data, number * row, out, &mut stats)?;
            for _ in 0..padding.len() / self.reader.bytes() {
                self.push(self.packing.fill_code(), out);
            }
        }
        Ok(stats)
    }

    fn pack_row(
        &self,
        values: &[u8],
        first: usize,
        out: &mut Vec<u8>,
        stats: &mut ErrorStats,
    ) -> Result<(), CodecError> {
        let mut index = first;
        let mut failed = None;
        self.reader.each(values, self.order, |value| {
            match self.code(value) {
                Ok((code, error)) => {
                    self.push(code, out);
                    stats.changed += u64::from(error > 0.0);
                    stats.max_absolute_error = stats.max_absolute_error.max(error);
                    if error > 0.0 && value != 0.0 {
                        let share = error / value.abs();
                        stats.max_relative_error = stats.max_relative_error.max(share);
                    }
                }
                Err(rounded) => {
                    failed.get_or_insert(CodecError::BoundExceeded {
                        index,
                        original: value,
                        rounded,
                        bound: self.bound,
                    });
                }
            }
            index += 1;
        });
        failed.map_or(Ok(()), Err)
    }

    fn push(&self, code: i32, out: &mut Vec<u8>) {
        let size = self.packing.element().size_bytes;
        out.extend_from_slice(&code.to_le_bytes()[..size]);
    }

    /// The code of a value and the largest error that a reader sees; what the nearest code gives if that
    /// is not near enough.
    fn code(&self, value: f64) -> Result<(i32, f64), f64> {
        let packing = &self.packing;
        let in_type = |number| self.reader.in_type(number);
        if packing.is_fill(value, in_type) {
            return Ok((packing.fill_code(), 0.0));
        }
        if packing.is_missing(value, in_type) {
            return Ok((packing.missing_code(), 0.0));
        }
        let scaled = ((value - packing.offset) / packing.scale).round_ties_even();
        let [least, most] = [packing.least_code(), packing.most_code()].map(f64::from);
        // NaN becomes 0, and its error NaN, which is within no bound.
        let code = scaled.clamp(least, most) as i32;
        let (error, unpacked) = self.reader.error(packing, code, value);
        match error <= self.bound {
            true => Ok((code, error)),
            false => Err(unpacked),
        }
    }
}

/// Elements of a row of a box, its elements along the last axis, that lie inside the variable.
fn valid_elements(place: &BoxPlace<'_>, mut row: u64) -> usize {
    let Some(last) = place.shape.len().checked_sub(1) else {
        return 1;
    };
    for axis in (0..last).rev() {
        let at = row % place.count[axis];
        row /= place.count[axis];
        if place.start[axis].saturating_add(at) >= place.shape[axis] {
            return 0;
        }
    }
    let inside = place.shape[last].saturating_sub(place.start[last]);
    usize::try_from(inside).unwrap_or(usize::MAX)
}

/// Values that a packing gives for little-endian codes, in the type of the variable that was packed
/// (float32 or float64), as readers compute them, beside the values that were packed (NaN where there are
/// none), both little-endian.
///
/// Codes that stand for no data give what was packed, where that is what they stand for. A code of data
/// that comes out as such a value gives its neighbour towards what was packed.
///
/// # Errors
/// [`CodecError::InvalidParameters`] if `element` is not float32 or float64.
pub fn unpack_integers(
    packing: &IntegerPacking,
    codes: &[u8],
    (originals, element): (&[u8], ElementType),
) -> Result<Vec<u8>, CodecError> {
    let reader = Reader::of(element)?;
    let size = packing.element().size_bytes;
    let in_type = |number| reader.in_type(number);
    let mut out = Vec::with_capacity(codes.len() / size * reader.bytes());
    let mut values = Vec::with_capacity(codes.len() / size);
    reader.each(originals, ByteOrder::Little, |value| values.push(value));
    let values = values.into_iter().chain(std::iter::repeat(f64::NAN));
    // As they are: a conversion would change NaNs that signal.
    let mut as_packed = originals.chunks_exact(reader.bytes());
    for (bytes, original) in codes.chunks_exact(size).zip(values) {
        let original_bytes = as_packed.next();
        let code = match *bytes {
            [a, b] => i32::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        let value = if code == packing.fill_code() {
            match (packing.is_fill(original, in_type), original_bytes) {
                (true, Some(original)) => {
                    out.extend_from_slice(original);
                    continue;
                }
                _ => packing.fill.unwrap_or(f64::NAN),
            }
        } else if let (true, Some(missing)) = (code == packing.missing_code(), packing.missing) {
            // Zeros of either sign are one value.
            match packing.is_missing(original, in_type) {
                true => original,
                false => missing,
            }
        } else {
            let value = reader.unpacked(packing, code);
            match packing.is_fill(value, in_type) || packing.is_missing(value, in_type) {
                true => reader.neighbour(value, original),
                false => value,
            }
        };
        match reader {
            Reader::Single => out.extend_from_slice(&(value as f32).to_le_bytes()),
            Reader::Double => out.extend_from_slice(&value.to_le_bytes()),
        }
    }
    Ok(out)
}

/// How programs see a variable: `scale_factor` and `add_offset` have its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Some unpack in float32, some in float64: both must hold.
    Single,
    /// All unpack in float64.
    Double,
}

impl Reader {
    fn of(element: ElementType) -> Result<Self, CodecError> {
        Ok(match precision(element)? {
            Precision::Single => Self::Single,
            Precision::Double => Self::Double,
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// A number as the variable's type has it.
    fn in_type(self, number: f64) -> f64 {
        match self {
            Self::Single => f64::from(number as f32),
            Self::Double => number,
        }
    }

    /// The next number of the type, towards another one.
    fn neighbour(self, number: f64, towards: f64) -> f64 {
        let is_below = towards < number;
        match self {
            Self::Single if is_below => f64::from((number as f32).next_down()),
            Self::Single => f64::from((number as f32).next_up()),
            Self::Double if is_below => number.next_down(),
            Self::Double => number.next_up(),
        }
    }

    /// Calls `look` with each value.
    fn each(self, bytes: &[u8], order: ByteOrder, mut look: impl FnMut(f64)) {
        let is_big = order == ByteOrder::Big;
        match self {
            Self::Single => {
                for &element in bytes.as_chunks::<4>().0 {
                    look(f64::from(match is_big {
                        true => f32::from_be_bytes(element),
                        false => f32::from_le_bytes(element),
                    }));
                }
            }
            Self::Double => {
                for &element in bytes.as_chunks::<8>().0 {
                    look(match is_big {
                        true => f64::from_be_bytes(element),
                        false => f64::from_le_bytes(element),
                    });
                }
            }
        }
    }

    /// What a reader unpacks in the variable's type.
    fn unpacked(self, packing: &IntegerPacking, code: i32) -> f64 {
        match self {
            Self::Single => f64::from(code as f32 * packing.scale as f32 + packing.offset as f32),
            Self::Double => in_double(packing, code),
        }
    }

    /// The largest error of any reader, and the value that it belongs to.
    fn error(self, packing: &IntegerPacking, code: i32, value: f64) -> (f64, f64) {
        let double = in_double(packing, code);
        let own = self.unpacked(packing, code);
        let [in_double, in_own] = [double, own].map(|unpacked| (value - unpacked).abs());
        // A comparison with NaN is false: it stays the larger one.
        if in_double < in_own || in_own.is_nan() {
            (in_own, own)
        } else {
            (in_double, double)
        }
    }
}

fn in_double(packing: &IntegerPacking, code: i32) -> f64 {
    f64::from(code) * packing.scale + packing.offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::{ElementClass, ErrorBound, ProtectedValues, Rounding};

    fn element(size_bytes: usize, order: ByteOrder) -> ElementType {
        ElementType {
            class: ElementClass::Float,
            size_bytes,
            order,
        }
    }

    fn plan(packing: IntegerPacking, bound: f64) -> QuantizePlan {
        QuantizePlan {
            rounding: Rounding::PackedIntegers {
                packing: Some(packing),
            },
            bound: ErrorBound {
                absolute: Some(bound),
                ..ErrorBound::default()
            },
            protected: ProtectedValues::default(),
            keep_information: None,
            forced: false,
        }
    }

    const PACKING: IntegerPacking = IntegerPacking {
        bits: 16,
        scale: 0.5,
        offset: 100.0,
        fill: Some(-999.0),
        missing: None,
    };

    fn codes(values: &[f32], place: &BoxPlace<'_>) -> Result<Vec<i16>, CodecError> {
        let packer = IntegerPacker::bind(&plan(PACKING, 0.25), element(4, ByteOrder::Big))?;
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
        let mut out = Vec::new();
        packer.pack(&bytes, place, &mut out)?;
        let codes = out.as_chunks::<2>().0.iter();
        Ok(codes.map(|&code| i16::from_le_bytes(code)).collect())
    }

    #[test]
    fn values_become_codes_and_fill_its_own() {
        let place = BoxPlace {
            shape: &[4],
            start: &[0],
            count: &[4],
        };
        let found = codes(&[100.0, 100.75, -999.0, 99.5], &place).unwrap();
        // A tie goes to the even code.
        assert_eq!(found, [0, 2, i16::MIN, -1]);
    }

    #[test]
    fn padding_of_edge_chunks_has_the_fill_code() {
        let place = BoxPlace {
            shape: &[3, 3],
            start: &[2, 2],
            count: &[2, 2],
        };
        let found = codes(&[100.0, 9.9e36, 9.9e36, 0.0], &place).unwrap();
        assert_eq!(found, [0, i16::MIN, i16::MIN, i16::MIN]);
    }

    #[test]
    fn what_has_no_code_is_an_error() {
        let place = BoxPlace {
            shape: &[1],
            start: &[0],
            count: &[1],
        };
        for value in [f32::NAN, f32::INFINITY, 1.0e6] {
            let error = codes(&[value], &place).unwrap_err();
            assert!(matches!(error, CodecError::BoundExceeded { .. }), "{error}");
        }
    }

    #[test]
    fn extremes_leave_out_special_values() {
        let values = [3.0_f64, -999.0, f64::NAN, 1.0e-310, f64::INFINITY];
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let found = extremes(&bytes, (&[-999.0], true), element(8, ByteOrder::Little)).unwrap();
        assert_eq!(found.range, Some([1.0e-310, f64::INFINITY]));
        assert!(found.has_nan && found.has_infinity);
    }

    #[test]
    fn unpacking_gives_values_and_special_ones_back() {
        let bytes = |values: &[f32]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        let codes = |codes: &[i16]| -> Vec<u8> {
            codes.iter().flat_map(|code| code.to_le_bytes()).collect()
        };
        let single = element(4, ByteOrder::Little);
        let unpacked = |packing: &IntegerPacking, some: &[i16], originals: &[f32]| {
            unpack_integers(packing, &codes(some), (&bytes(originals), single)).unwrap()
        };
        let found = unpacked(&PACKING, &[0, 2, i16::MIN], &[100.0, 100.9, -999.0]);
        assert_eq!(found, bytes(&[100.0, 101.0, -999.0]));
        // 100 is data here, and what is no data stays so.
        let packing = IntegerPacking {
            fill: Some(100.0),
            ..PACKING
        };
        let found = unpacked(&packing, &[0, i16::MIN], &[99.9, 100.0]);
        assert_eq!(found, bytes(&[100.0_f32.next_down(), 100.0]));
    }
}
