//! Classic netCDF types as datatypes of HDF5.

use frazil_hdf5::{BitRange, FloatForm, TextPadding, TypeClass, TypeDescription};
use frazil_types::{ByteOrder, ElementClass};

use super::NcType;

impl NcType {
    /// The datatype that netCDF-C writes for it to HDF5, little-endian.
    #[must_use]
    pub fn description(self) -> TypeDescription {
        let element = self.element();
        let order = ByteOrder::Little;
        let bits = BitRange {
            precision: element.size_bytes * 8,
            offset: 0,
            padding: [0; 3],
        };
        let class = match element.class {
            ElementClass::SignedInteger => TypeClass::Integer {
                signed: true,
                order,
                bits,
            },
            ElementClass::UnsignedInteger => TypeClass::Integer {
                signed: false,
                order,
                bits,
            },
            ElementClass::Float => TypeClass::Float {
                order,
                bits,
                form: FloatForm::ieee(element.size_bytes),
            },
            _ => TypeClass::FixedText {
                utf8: false,
                padding: TextPadding::NullTerminated,
            },
        };
        TypeDescription {
            size_bytes: element.size_bytes,
            committed: None,
            class,
        }
    }

    /// The classic netCDF type with the same values, if there is one (byte order aside).
    #[must_use]
    pub fn of(datatype: &TypeDescription) -> Option<Self> {
        let whole = |bits: &BitRange| bits.offset == 0 && bits.precision == datatype.size_bytes * 8;
        match (&datatype.class, datatype.size_bytes) {
            (
                TypeClass::Integer {
                    signed: true, bits, ..
                },
                size,
            ) if whole(bits) => match size {
                1 => Some(Self::Byte),
                2 => Some(Self::Short),
                4 => Some(Self::Int),
                8 => Some(Self::Int64),
                _ => None,
            },
            (
                TypeClass::Integer {
                    signed: false,
                    bits,
                    ..
                },
                size,
            ) if whole(bits) => match size {
                1 => Some(Self::UByte),
                2 => Some(Self::UShort),
                4 => Some(Self::UInt),
                8 => Some(Self::UInt64),
                _ => None,
            },
            (TypeClass::Float { .. }, 4) if datatype.is_ieee() => Some(Self::Float),
            (TypeClass::Float { .. }, 8) if datatype.is_ieee() => Some(Self::Double),
            (TypeClass::FixedText { .. }, 1) => Some(Self::Char),
            _ => None,
        }
    }
}
