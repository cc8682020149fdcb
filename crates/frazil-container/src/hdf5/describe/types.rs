//! Datatypes as plain data.

use frazil_types::{ByteOrder, ElementClass};

use crate::classic::NcType;
use crate::ffi::number_form::{BitRange, FloatForm};

/// What one element is, down to the last bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeDescription {
    /// Bytes of one element in memory.
    pub size_bytes: usize,
    /// Path of the committed datatype that this is, if it is one (empty: one without a name).
    pub committed: Option<String>,
    /// Everything else.
    pub class: TypeClass,
}

/// How fixed-length text is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPadding {
    /// By a NUL.
    NullTerminated,
    /// Filled up with NULs.
    NullPadded,
    /// Filled up with spaces.
    SpacePadded,
}

/// The class of a datatype and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeClass {
    /// Two's complement or unsigned integer.
    Integer {
        /// Whether it has a sign.
        signed: bool,
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        bits: BitRange,
    },
    /// Floating point.
    Float {
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        bits: BitRange,
        /// Sign, exponent and mantissa.
        form: FloatForm,
    },
    /// A set of bits.
    Bitfield {
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        bits: BitRange,
    },
    /// `H5T_TIME`.
    Time {
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        bits: BitRange,
    },
    /// Real and imaginary part (HDF5 2.0).
    Complex {
        /// The type of each part.
        part: Box<TypeDescription>,
    },
    /// Text of fixed length.
    FixedText {
        /// UTF-8 rather than ASCII.
        utf8: bool,
        /// How it is ended.
        padding: TextPadding,
    },
    /// Text of any length.
    VariableText {
        /// UTF-8 rather than ASCII.
        utf8: bool,
        /// How it is ended.
        padding: TextPadding,
    },
    /// Bytes with a tag.
    Opaque {
        /// The tag.
        tag: String,
    },
    /// Named integers.
    Enumeration {
        /// The integer type.
        base: Box<TypeDescription>,
        /// Names with their values, little-endian, in the order of definition.
        members: Vec<(String, Vec<u8>)>,
    },
    /// A structure.
    Compound {
        /// Members in the order of definition.
        members: Vec<MemberDescription>,
    },
    /// An array inside an element.
    Array {
        /// One element of it.
        base: Box<TypeDescription>,
        /// Its shape.
        shape: Vec<u64>,
    },
    /// Any number of elements.
    VariableLength {
        /// One of them.
        base: Box<TypeDescription>,
    },
    /// A reference to an object.
    ObjectReference,
    /// A reference to a part of a dataset.
    RegionReference,
    /// A reference of HDF5 1.12 (`H5T_STD_REF`).
    NewReference,
}

/// One member of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberDescription {
    /// Its name.
    pub name: String,
    /// Where it begins inside the element, in bytes.
    pub offset: usize,
    /// What it is.
    pub datatype: TypeDescription,
}

impl TypeDescription {
    /// A classic netCDF type as netCDF-C writes it to HDF5, little-endian.
    #[must_use]
    pub fn of_classic(nc_type: NcType) -> Self {
        let element = nc_type.element();
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
        Self {
            size_bytes: element.size_bytes,
            committed: None,
            class,
        }
    }

    /// The same numbers, stored big-endian; other types stay as they are.
    #[must_use]
    pub fn big_endian(mut self) -> Self {
        if let TypeClass::Integer { order, .. } | TypeClass::Float { order, .. } = &mut self.class
            && self.size_bytes > 1
        {
            *order = ByteOrder::Big;
        }
        self
    }

    /// The classic netCDF type with the same values, if there is one (byte order aside).
    #[must_use]
    pub fn classic(&self) -> Option<NcType> {
        let whole = |bits: &BitRange| bits.offset == 0 && bits.precision == self.size_bytes * 8;
        match (&self.class, self.size_bytes) {
            (
                TypeClass::Integer {
                    signed: true, bits, ..
                },
                size,
            ) if whole(bits) => match size {
                1 => Some(NcType::Byte),
                2 => Some(NcType::Short),
                4 => Some(NcType::Int),
                8 => Some(NcType::Int64),
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
                1 => Some(NcType::UByte),
                2 => Some(NcType::UShort),
                4 => Some(NcType::UInt),
                8 => Some(NcType::UInt64),
                _ => None,
            },
            (TypeClass::Float { .. }, 4) if self.is_ieee() => Some(NcType::Float),
            (TypeClass::Float { .. }, 8) if self.is_ieee() => Some(NcType::Double),
            (TypeClass::FixedText { .. }, 1) => Some(NcType::Char),
            _ => None,
        }
    }

    /// The plain number that elements are, if they are one (byte order and padding bits aside):
    /// integers of 1 to 8 bytes, IEEE 754 floating point of 2, 4 and 8, enumerations and bit sets
    /// over such integers. `size_bytes` and class only; no order.
    #[must_use]
    pub fn number(&self) -> Option<(ElementClass, usize)> {
        let class = match &self.class {
            TypeClass::Integer { signed: true, .. } => ElementClass::SignedInteger,
            TypeClass::Integer { .. } | TypeClass::Bitfield { .. } => ElementClass::UnsignedInteger,
            TypeClass::Float { .. } if self.is_ieee() => ElementClass::Float,
            TypeClass::Enumeration { base, .. } => base.number()?.0,
            _ => return None,
        };
        matches!(self.size_bytes, 1 | 2 | 4 | 8).then_some((class, self.size_bytes))
    }

    /// Whether this is IEEE 754 binary16, binary32 or binary64 down to the last bit, in either byte
    /// order. What follows from the bits of a float (rounding, for one) may be done to these only.
    #[must_use]
    pub fn is_ieee(&self) -> bool {
        match &self.class {
            TypeClass::Float { order, bits, form } => form.is_ieee(self.size_bytes, *bits, *order),
            _ => false,
        }
    }

    /// Whether every bit of a number belongs to its value.
    #[must_use]
    pub fn is_whole_number(&self) -> bool {
        match &self.class {
            TypeClass::Integer { bits, .. }
            | TypeClass::Bitfield { bits, .. }
            | TypeClass::Float { bits, .. } => {
                bits.offset == 0 && bits.precision == self.size_bytes * 8
            }
            TypeClass::Enumeration { base, .. } => base.is_whole_number(),
            _ => false,
        }
    }

    /// Whether values have a meaning that can be written down outside the file: not so for
    /// references of HDF5 1.12.
    #[must_use]
    pub fn can_be_expanded(&self) -> bool {
        match &self.class {
            TypeClass::NewReference => false,
            TypeClass::Compound { members } => members
                .iter()
                .all(|member| member.datatype.can_be_expanded()),
            TypeClass::Array { base, .. } | TypeClass::VariableLength { base } => {
                base.can_be_expanded()
            }
            _ => true,
        }
    }

    /// The byte order of a plain number; `None` for everything else.
    #[must_use]
    pub fn number_order(&self) -> Option<ByteOrder> {
        match &self.class {
            TypeClass::Integer { order, .. }
            | TypeClass::Float { order, .. }
            | TypeClass::Bitfield { order, .. }
            | TypeClass::Time { order, .. } => Some(*order),
            TypeClass::Enumeration { base, .. } => base.number_order(),
            _ => None,
        }
    }
}
