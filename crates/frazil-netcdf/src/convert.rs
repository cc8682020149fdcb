//! Values of one type as values of another, with netCDF-C's rules about what is out of range.
//!
//! Every value is converted, those out of range too: integers keep their low bits, as in C. What becomes of
//! floats that an integer cannot hold C leaves undefined, and netCDF-C to the processor: `CFloat` does what that
//! does.

use frazil_container::classic::NcType;

use crate::status::{Answer, Status};

/// One number becomes another; whether it was out of the other's range.
trait To<D>: Copy {
    fn to(self) -> (D, bool);
}

macro_rules! integer_to_integer {
    ($source:ty => $($target:ty)*) => {$(
        impl To<$target> for $source {
            #[inline]
            fn to(self) -> ($target, bool) {
                (self as $target, <$target>::try_from(self).is_err())
            }
        }
    )*};
}

macro_rules! integer_to_float {
    ($source:ty => $($target:ty)*) => {$(
        impl To<$target> for $source {
            #[inline]
            fn to(self) -> ($target, bool) {
                (self as $target, false)
            }
        }
    )*};
}

macro_rules! float_to_integer {
    ($source:ty => $($target:ty)*) => {$(
        impl To<$target> for $source {
            // Not a number is never out of range, as in C.
            #[inline]
            fn to(self) -> ($target, bool) {
                let wide = f64::from(self);
                let is_out = wide > <$target>::MAX as f64 || wide < <$target>::MIN as f64;
                (CFloat(wide).into(), is_out)
            }
        }
    )*};
}

/// A float on its way to an integer, as compilers of C have it become one.
#[derive(Clone, Copy)]
struct CFloat(f64);

#[cfg(target_arch = "x86_64")]
impl CFloat {
    /// `cvttsd2si`: what has no place becomes the smallest number.
    fn of_32_bits(self) -> i32 {
        let is_inside = self.0 > -2_147_483_649.0 && self.0 < 2_147_483_648.0;
        if is_inside { self.0 as i32 } else { i32::MIN }
    }

    /// As above.
    fn of_64_bits(self) -> i64 {
        let is_inside = self.0 >= -TWO_TO_63 && self.0 < TWO_TO_63;
        if is_inside { self.0 as i64 } else { i64::MIN }
    }

    /// By the instruction for signed numbers: of 64 bits, and of larger ones what is beyond.
    fn without_sign(self) -> u64 {
        match self.0 >= TWO_TO_63 {
            true => Self(self.0 - TWO_TO_63).of_64_bits().cast_unsigned() ^ (1 << 63),
            false => self.of_64_bits().cast_unsigned(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

#[cfg(not(target_arch = "x86_64"))]
impl CFloat {
    /// The nearest number, and 0 for what is none.
    fn of_32_bits(self) -> i32 {
        self.0 as i32
    }

    /// As above.
    fn of_64_bits(self) -> i64 {
        self.0 as i64
    }

    /// As above.
    fn without_sign(self) -> u64 {
        self.0 as u64
    }
}

/// Smaller integers are the low bits of a larger one.
macro_rules! of_float {
    ($($target:ty: $by:ident)*) => {$(
        impl From<CFloat> for $target {
            #[inline]
            fn from(value: CFloat) -> Self {
                value.$by() as Self
            }
        }
    )*};
}

of_float!(i8: of_32_bits u8: of_32_bits i16: of_32_bits u16: of_32_bits i32: of_32_bits);
of_float!(i64: of_64_bits u32: of_64_bits u64: without_sign);

macro_rules! all_integers {
    ($($source:ty)*) => {$(
        integer_to_integer!($source => i8 u8 i16 u16 i32 u32 i64 u64);
        integer_to_float!($source => f32 f64);
    )*};
}

all_integers!(i8 u8 i16 u16 i32 u32 i64 u64);
float_to_integer!(f32 => i8 u8 i16 u16 i32 u32 i64 u64);
float_to_integer!(f64 => i8 u8 i16 u16 i32 u32 i64 u64);

impl To<f32> for f32 {
    fn to(self) -> (f32, bool) {
        (self, false)
    }
}

impl To<f64> for f32 {
    fn to(self) -> (f64, bool) {
        (f64::from(self), false)
    }
}

impl To<f64> for f64 {
    fn to(self) -> (f64, bool) {
        (self, false)
    }
}

impl To<f32> for f64 {
    #[inline]
    fn to(self) -> (f32, bool) {
        let is_out = self > f64::from(f32::MAX) || self < f64::from(f32::MIN);
        (self as f32, is_out)
    }
}

/// Runs `$body` with the type `$native` standing for the native type of `$nc_type`; text is no
/// number and runs `$text`.
macro_rules! with_native {
    ($nc_type:expr, $native:ident => $body:expr, $text:expr) => {
        match $nc_type {
            NcType::Char => $text,
            NcType::Byte => with_native!(@ $native = i8, $body),
            NcType::UByte => with_native!(@ $native = u8, $body),
            NcType::Short => with_native!(@ $native = i16, $body),
            NcType::UShort => with_native!(@ $native = u16, $body),
            NcType::Int => with_native!(@ $native = i32, $body),
            NcType::UInt => with_native!(@ $native = u32, $body),
            NcType::Int64 => with_native!(@ $native = i64, $body),
            NcType::UInt64 => with_native!(@ $native = u64, $body),
            NcType::Float => with_native!(@ $native = f32, $body),
            NcType::Double => with_native!(@ $native = f64, $body),
        }
    };
    (@ $native:ident = $type:ty, $body:expr) => {{
        type $native = $type;
        $body
    }};
}

/// Native values of the type `from` as native values of the type `to`; whether one was out of
/// range.
///
/// # Errors
/// `NC_ECHAR` between text and numbers.
pub(super) fn convert(
    bytes: &[u8],
    from: NcType,
    to: NcType,
    classic_model: bool,
) -> Answer<(Vec<u8>, bool)> {
    if from == to {
        return Ok((bytes.to_vec(), false));
    }
    let (values, is_out) = with_native!(from, Source => {
        with_native!(to, Target => {
            each::<Source, Target, { size_of::<Source>() }>(
                bytes, Source::from_ne_bytes, |value, out| out.extend(value.to_ne_bytes()))
        }, return Err(Status::ECHAR.into()))
    }, return Err(Status::ECHAR.into()));
    let bytes_only = [from, to]
        .iter()
        .all(|&it| matches!(it, NcType::Byte | NcType::UByte));
    // The classic model knows one type of bytes, signed or not.
    Ok((values, is_out && !(classic_model && bytes_only)))
}

fn each<S: To<D>, D, const BYTES: usize>(
    bytes: &[u8],
    read: impl Fn([u8; BYTES]) -> S,
    write: impl Fn(D, &mut Vec<u8>),
) -> (Vec<u8>, bool) {
    let values = bytes.as_chunks::<BYTES>().0;
    let mut out = Vec::with_capacity(values.len() * size_of::<D>());
    let mut any_out = false;
    for &value in values {
        let (converted, is_out) = read(value).to();
        any_out |= is_out;
        write(converted, &mut out);
    }
    (out, any_out)
}

#[cfg(test)]
mod tests {
    use frazil_container::classic::AttributeValue;

    use super::*;

    fn converted(from: &AttributeValue, to: NcType) -> (AttributeValue, bool) {
        let bytes = from.to_native_bytes();
        let (bytes, is_out) = convert(&bytes, from.nc_type(), to, false).unwrap();
        (AttributeValue::from_native_bytes(to, &bytes), is_out)
    }

    #[test]
    fn values_out_of_range_are_told_and_converted() {
        use AttributeValue::{Byte, Double, Float, Int, Int64, Short, UByte, UInt64};
        let narrow = converted(&Int(vec![300, -1, 7]), NcType::UByte);
        assert_eq!(narrow, (UByte(vec![44, 255, 7]), true));
        let exact = converted(&Double(vec![1.9, -1.9]), NcType::Short);
        assert_eq!(exact, (Short(vec![1, -1]), false));
        let wide = converted(&Double(vec![300.0, f64::NAN]), NcType::Byte);
        assert_eq!(wide, (Byte(vec![44, 0]), true));
        assert!(!converted(&Double(vec![f64::NAN]), NcType::Int).1);
        assert!(converted(&Double(vec![1e39]), NcType::Float).1);
        assert!(!converted(&Float(vec![f32::INFINITY]), NcType::Double).1);
        assert!(converted(&UInt64(vec![u64::MAX]), NcType::Int64).1);
        assert!(!converted(&Int64(vec![i64::MIN]), NcType::Double).1);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn what_no_integer_holds_is_what_the_processor_makes_of_it() {
        use AttributeValue::{Double, Int, Int64, UInt, UInt64, UShort};
        let odd = Double(vec![f64::NAN, f64::INFINITY, -1e300, -1.5, 1e19]);
        let become_ = |to| converted(&odd, to).0;
        let least = i32::MIN;
        assert_eq!(
            become_(NcType::Int),
            Int(vec![least, least, least, -1, least])
        );
        let least = i64::MIN;
        assert_eq!(
            become_(NcType::Int64),
            Int64(vec![least, least, least, -1, least])
        );
        assert_eq!(become_(NcType::UShort), UShort(vec![0, 0, 0, u16::MAX, 0]));
        assert_eq!(become_(NcType::UInt), UInt(vec![0, 0, 0, u32::MAX, 0]));
        let most = 1 << 63;
        let exact = 10_000_000_000_000_000_000;
        assert_eq!(
            become_(NcType::UInt64),
            UInt64(vec![most, 0, most, u64::MAX, exact])
        );
    }

    #[test]
    fn bytes_of_the_classic_model_have_no_sign() {
        let all: Vec<u8> = (0..=255).collect();
        assert!(!convert(&all, NcType::UByte, NcType::Byte, true).unwrap().1);
        assert!(convert(&all, NcType::UByte, NcType::Byte, false).unwrap().1);
        assert!(convert(&all, NcType::Byte, NcType::UShort, true).unwrap().1);
    }

    #[test]
    fn text_is_no_number() {
        let status = |from, to| convert(&[65; 8], from, to, false).unwrap_err().status;
        assert_eq!(status(NcType::Char, NcType::Int), Status::ECHAR);
        assert_eq!(status(NcType::Double, NcType::Char), Status::ECHAR);
        assert_eq!(
            convert(&[65], NcType::Char, NcType::Char, false).unwrap().0,
            [65]
        );
    }
}
