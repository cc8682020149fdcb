//! Element types and attribute values of the classic formats.

use frazil_types::{ByteOrder, ElementClass, ElementType};

/// External type of a variable or attribute: the `nc_type` of the format specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum NcType {
    /// Signed 8-bit integer.
    Byte = 1,
    /// Text byte, of no declared encoding.
    Char = 2,
    /// Signed 16-bit integer.
    Short = 3,
    /// Signed 32-bit integer.
    Int = 4,
    /// IEEE 754 binary32.
    Float = 5,
    /// IEEE 754 binary64.
    Double = 6,
    /// Unsigned 8-bit integer (CDF-5).
    UByte = 7,
    /// Unsigned 16-bit integer (CDF-5).
    UShort = 8,
    /// Unsigned 32-bit integer (CDF-5).
    UInt = 9,
    /// Signed 64-bit integer (CDF-5).
    Int64 = 10,
    /// Unsigned 64-bit integer (CDF-5).
    UInt64 = 11,
}

// The names in CDL, as ncdump prints them, in the order of the numbers.
frazil_types::words!(
    pub NcType: Byte "byte", Char "char", Short "short", Int "int", Float "float", Double "double",
    UByte "ubyte", UShort "ushort", UInt "uint", Int64 "int64", UInt64 "uint64"
);

impl NcType {
    /// The type with this number in a file header.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|nc_type| nc_type.number() == number)
    }

    /// The number in a file header; also netCDF-C's `NC_BYTE`, `NC_CHAR`...
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Bytes of one element.
    #[must_use]
    pub fn size_bytes(self) -> usize {
        match self {
            Self::Byte | Self::Char | Self::UByte => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            Self::Double | Self::Int64 | Self::UInt64 => 8,
        }
    }

    /// The element as it lies in a classic file: big-endian, single bytes without an order.
    #[must_use]
    pub fn element(self) -> ElementType {
        let class = match self {
            Self::Byte | Self::Short | Self::Int | Self::Int64 => ElementClass::SignedInteger,
            Self::UByte | Self::UShort | Self::UInt | Self::UInt64 => ElementClass::UnsignedInteger,
            Self::Float | Self::Double => ElementClass::Float,
            Self::Char => ElementClass::Text,
        };
        let size_bytes = self.size_bytes();
        let order = if size_bytes == 1 {
            ByteOrder::None
        } else {
            ByteOrder::Big
        };
        ElementType {
            class,
            size_bytes,
            order,
        }
    }

    /// The value of elements never written, where no `_FillValue` says otherwise: one element.
    ///
    /// Source: the `NC_FILL_*` constants of `netcdf.h`.
    #[must_use]
    pub fn default_fill(self) -> AttributeValue {
        match self {
            Self::Byte => AttributeValue::Byte(vec![-127]),
            Self::Char => AttributeValue::Char(vec![0]),
            Self::Short => AttributeValue::Short(vec![-32_767]),
            Self::Int => AttributeValue::Int(vec![-2_147_483_647]),
            Self::Float => AttributeValue::Float(vec![9.969_21e36_f32]),
            Self::Double => AttributeValue::Double(vec![9.969_209_968_386_869e36]),
            Self::UByte => AttributeValue::UByte(vec![255]),
            Self::UShort => AttributeValue::UShort(vec![65_535]),
            Self::UInt => AttributeValue::UInt(vec![4_294_967_295]),
            Self::Int64 => AttributeValue::Int64(vec![-9_223_372_036_854_775_806]),
            Self::UInt64 => AttributeValue::UInt64(vec![18_446_744_073_709_551_614]),
        }
    }
}

/// An attribute's values in native types; may be empty.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// `NC_BYTE`
    Byte(Vec<i8>),
    /// `NC_CHAR`: the bytes as stored; no encoding is promised, old files hold Latin-1.
    Char(Vec<u8>),
    /// `NC_SHORT`
    Short(Vec<i16>),
    /// `NC_INT`
    Int(Vec<i32>),
    /// `NC_FLOAT`
    Float(Vec<f32>),
    /// `NC_DOUBLE`
    Double(Vec<f64>),
    /// `NC_UBYTE`
    UByte(Vec<u8>),
    /// `NC_USHORT`
    UShort(Vec<u16>),
    /// `NC_UINT`
    UInt(Vec<u32>),
    /// `NC_INT64`
    Int64(Vec<i64>),
    /// `NC_UINT64`
    UInt64(Vec<u64>),
}

/// Elements of `$bytes`, each read big-endian as `$native`.
macro_rules! big_endian {
    ($native:ty, $bytes:expr) => {
        $bytes
            .as_chunks::<{ size_of::<$native>() }>()
            .0
            .iter()
            .map(|&element| <$native>::from_be_bytes(element))
            .collect()
    };
}

/// Evaluates `$body` with `$values` bound to the vector of whichever variant `$value` is.
macro_rules! each_type {
    ($value:expr, $values:ident => $body:expr) => {
        match $value {
            AttributeValue::Byte($values) => $body,
            AttributeValue::Char($values) | AttributeValue::UByte($values) => $body,
            AttributeValue::Short($values) => $body,
            AttributeValue::Int($values) => $body,
            AttributeValue::Float($values) => $body,
            AttributeValue::Double($values) => $body,
            AttributeValue::UShort($values) => $body,
            AttributeValue::UInt($values) => $body,
            AttributeValue::Int64($values) => $body,
            AttributeValue::UInt64($values) => $body,
        }
    };
}

impl AttributeValue {
    /// Values of a classic file's big-endian bytes; a last, incomplete element is left out.
    #[must_use]
    pub fn from_be_bytes(nc_type: NcType, bytes: &[u8]) -> Self {
        match nc_type {
            NcType::Byte => Self::Byte(bytes.iter().map(|byte| byte.cast_signed()).collect()),
            NcType::Char => Self::Char(bytes.to_vec()),
            NcType::Short => Self::Short(big_endian!(i16, bytes)),
            NcType::Int => Self::Int(big_endian!(i32, bytes)),
            NcType::Float => Self::Float(big_endian!(f32, bytes)),
            NcType::Double => Self::Double(big_endian!(f64, bytes)),
            NcType::UByte => Self::UByte(bytes.to_vec()),
            NcType::UShort => Self::UShort(big_endian!(u16, bytes)),
            NcType::UInt => Self::UInt(big_endian!(u32, bytes)),
            NcType::Int64 => Self::Int64(big_endian!(i64, bytes)),
            NcType::UInt64 => Self::UInt64(big_endian!(u64, bytes)),
        }
    }

    /// Values as they lie in this machine's memory; a last, incomplete element is left out.
    #[must_use]
    pub fn from_native_bytes(nc_type: NcType, bytes: &[u8]) -> Self {
        let mut bytes = bytes.to_vec();
        if cfg!(target_endian = "little") {
            let elements = bytes.chunks_exact_mut(nc_type.size_bytes());
            elements.for_each(<[u8]>::reverse);
        }
        Self::from_be_bytes(nc_type, &bytes)
    }

    /// The values as a classic file stores them, without padding.
    #[must_use]
    pub fn to_be_bytes(&self) -> Vec<u8> {
        each_type!(self, values => values.iter().flat_map(|value| value.to_be_bytes()).collect())
    }

    /// The values as they lie in this machine's memory.
    #[must_use]
    pub fn to_native_bytes(&self) -> Vec<u8> {
        each_type!(self, values => values.iter().flat_map(|value| value.to_ne_bytes()).collect())
    }

    /// The values' type.
    #[must_use]
    pub fn nc_type(&self) -> NcType {
        match self {
            Self::Byte(_) => NcType::Byte,
            Self::Char(_) => NcType::Char,
            Self::Short(_) => NcType::Short,
            Self::Int(_) => NcType::Int,
            Self::Float(_) => NcType::Float,
            Self::Double(_) => NcType::Double,
            Self::UByte(_) => NcType::UByte,
            Self::UShort(_) => NcType::UShort,
            Self::UInt(_) => NcType::UInt,
            Self::Int64(_) => NcType::Int64,
            Self::UInt64(_) => NcType::UInt64,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        each_type!(self, values => values.len())
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_way_through_bytes() {
        let values = [
            AttributeValue::Byte(vec![-1, 2]),
            AttributeValue::Char(b"m s-1".to_vec()),
            AttributeValue::Short(vec![-2, 258]),
            AttributeValue::Int(vec![-3, 1 << 20]),
            AttributeValue::Float(vec![1.5, -0.0]),
            AttributeValue::Double(vec![]),
            AttributeValue::UByte(vec![200]),
            AttributeValue::UShort(vec![65_000]),
            AttributeValue::UInt(vec![1 << 31]),
            AttributeValue::Int64(vec![i64::MIN, 5]),
            AttributeValue::UInt64(vec![u64::MAX]),
        ];
        for (value, nc_type) in values.iter().zip(NcType::ALL) {
            assert_eq!(value.nc_type(), nc_type);
            let bytes = value.to_be_bytes();
            assert_eq!(bytes.len(), value.len() * nc_type.size_bytes());
            assert_eq!(&AttributeValue::from_be_bytes(nc_type, &bytes), value);
            let native = value.to_native_bytes();
            assert_eq!(&AttributeValue::from_native_bytes(nc_type, &native), value);
        }
        assert_eq!(AttributeValue::Short(vec![1]).to_be_bytes(), [0, 1]);
        let native = [1.5_f64.to_ne_bytes(), (-2e300_f64).to_ne_bytes()].concat();
        assert_eq!(
            AttributeValue::from_native_bytes(NcType::Double, &native[..15]),
            AttributeValue::Double(vec![1.5])
        );
    }

    #[test]
    fn default_fills_are_those_of_netcdf_c() {
        for nc_type in NcType::ALL {
            assert_eq!(nc_type.default_fill().nc_type(), nc_type);
            assert_eq!(NcType::from_number(nc_type.number()), Some(nc_type));
        }
        use AttributeValue::{Byte, Double, Float, Int, Int64, Short, UInt64};
        assert_eq!(
            NcType::Byte.default_fill(),
            Byte(vec![netcdf_sys::NC_FILL_BYTE])
        );
        assert_eq!(
            NcType::Short.default_fill(),
            Short(vec![netcdf_sys::NC_FILL_SHORT])
        );
        assert_eq!(
            NcType::Int.default_fill(),
            Int(vec![netcdf_sys::NC_FILL_INT])
        );
        assert_eq!(
            NcType::Float.default_fill(),
            Float(vec![netcdf_sys::NC_FILL_FLOAT])
        );
        assert_eq!(
            NcType::Double.default_fill(),
            Double(vec![netcdf_sys::NC_FILL_DOUBLE])
        );
        assert_eq!(
            NcType::Int64.default_fill(),
            Int64(vec![netcdf_sys::NC_FILL_INT64])
        );
        assert_eq!(
            NcType::UInt64.default_fill(),
            UInt64(vec![netcdf_sys::NC_FILL_UINT64])
        );
        assert_eq!(NcType::from_number(0), None);
        assert_eq!(NcType::from_number(12), None);
    }
}
