//! Datatypes as plain data.

use frazil_types::{ByteOrder, ElementClass, ElementType};

/// What one element is, down to the last bit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeDescription {
    /// Bytes of one element in memory.
    pub size_bytes: usize,
    /// Path of the committed datatype that this is, if it is one (empty: one without a name).
    pub committed: Option<String>,
    /// Everything else.
    pub class: TypeClass,
}

/// How fixed-length text is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextPadding {
    /// By a NUL.
    NullTerminated,
    /// Filled up with NULs.
    NullPadded,
    /// Filled up with spaces.
    SpacePadded,
}

impl TextPadding {
    /// How long the text in an element is.
    #[must_use]
    pub fn length_of(self, element: &[u8]) -> usize {
        match self {
            Self::NullTerminated | Self::NullPadded => {
                let end = element.iter().position(|&byte| byte == 0);
                end.unwrap_or(element.len())
            }
            Self::SpacePadded => {
                let last = element.iter().rposition(|&byte| byte != b' ');
                last.map_or(0, |last| last + 1)
            }
        }
    }
}

/// The class of a datatype and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberDescription {
    /// Its name.
    pub name: String,
    /// Where it begins inside the element, in bytes.
    pub offset: usize,
    /// What it is.
    pub datatype: TypeDescription,
}

impl TypeDescription {
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

/// Which bits of an element carry its value; the others are padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// Number of significant bits.
    pub precision: usize,
    /// Number of the lowest significant bit.
    pub offset: usize,
    /// What the others are said to be: those below, those above, and those between the fields of
    /// a floating-point number. 0 zeros, 1 ones, 2 whatever they are.
    pub padding: [u8; 3],
}

/// The fields of a floating-point type, in bits from the lowest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatForm {
    /// Position of the sign bit.
    pub sign: usize,
    /// Position of the exponent.
    pub exponent: usize,
    /// Bits of the exponent.
    pub exponent_bits: usize,
    /// What is added to the exponent.
    pub bias: usize,
    /// Position of the mantissa.
    pub mantissa: usize,
    /// Bits of the mantissa.
    pub mantissa_bits: usize,
    /// How the mantissa is normalised: 0 its first bit is implied, 1 it is stored, 2 not at all.
    pub normalisation: u8,
}

impl FloatForm {
    /// That of IEEE 754 binary16, binary32 or binary64.
    #[must_use]
    pub fn ieee(size_bytes: usize) -> Self {
        let (exponent_bits, bias, mantissa_bits) = match size_bytes {
            2 => (5, 15, 10),
            4 => (8, 127, 23),
            _ => (11, 1023, 52),
        };
        Self {
            sign: size_bytes * 8 - 1,
            exponent: mantissa_bits,
            exponent_bits,
            bias,
            mantissa: 0,
            mantissa_bits,
            normalisation: 0,
        }
    }

    /// Whether an element of this form, size, bits and order is an IEEE 754 number and nothing else.
    #[must_use]
    pub fn is_ieee(self, size_bytes: usize, bits: BitRange, order: ByteOrder) -> bool {
        matches!(size_bytes, 2 | 4 | 8)
            && (bits.precision, bits.offset) == (size_bytes * 8, 0)
            && self == Self::ieee(size_bytes)
            && order != ByteOrder::None
    }
}

impl TypeDescription {
    /// Whether the type is or holds one of which `is_one` is true, at any depth.
    fn holds(&self, is_one: &dyn Fn(&TypeClass) -> bool) -> bool {
        is_one(&self.class)
            || match &self.class {
                TypeClass::Compound { members } => {
                    members.iter().any(|member| member.datatype.holds(is_one))
                }
                TypeClass::Array { base, .. }
                | TypeClass::VariableLength { base }
                | TypeClass::Enumeration { base, .. }
                | TypeClass::Complex { part: base } => base.holds(is_one),
                _ => false,
            }
    }

    /// Whether elements are or hold texts of fixed length behind which something may stand, single characters aside.
    #[must_use]
    pub fn holds_texts(&self) -> bool {
        match &self.class {
            TypeClass::FixedText { padding, .. } => {
                self.size_bytes > 1 && *padding != TextPadding::NullPadded
            }
            TypeClass::Compound { members } => {
                members.iter().any(|member| member.datatype.holds_texts())
            }
            TypeClass::Array { base, .. } => base.holds_texts(),
            _ => false,
        }
    }

    /// Fills what follows texts of fixed length in elements up with NULs, as libhdf5 does for programs: files have
    /// spaces there, or leftovers. Where NULs are part of a text it stays as it is.
    pub fn clear_behind_texts(&self, elements: &mut [u8]) {
        if !self.holds_texts() {
            return;
        }
        for element in elements.chunks_exact_mut(self.size_bytes.max(1)) {
            match &self.class {
                TypeClass::FixedText { padding, .. } => {
                    let length = padding.length_of(element);
                    element[length..].fill(0);
                }
                TypeClass::Compound { members } => {
                    for member in members {
                        let part = element.get_mut(member.offset..);
                        let part = part.and_then(|part| part.get_mut(..member.datatype.size_bytes));
                        member.datatype.clear_behind_texts(part.unwrap_or_default());
                    }
                }
                TypeClass::Array { base, .. } => base.clear_behind_texts(element),
                _ => {}
            }
        }
    }

    /// Whether elements are or hold references.
    #[must_use]
    pub fn holds_references(&self) -> bool {
        self.holds(&|class| {
            matches!(
                class,
                TypeClass::ObjectReference | TypeClass::RegionReference | TypeClass::NewReference
            )
        })
    }

    /// Whether elements point into a heap of the file, or to its objects.
    #[must_use]
    pub fn is_indirect(&self) -> bool {
        self.holds(&|class| {
            matches!(
                class,
                TypeClass::VariableText { .. }
                    | TypeClass::VariableLength { .. }
                    | TypeClass::ObjectReference
                    | TypeClass::RegionReference
                    | TypeClass::NewReference
            )
        })
    }

    /// Class, size and byte order of one element as it lies in the file.
    #[must_use]
    pub fn element(&self) -> ElementType {
        let class = match &self.class {
            _ if self.is_indirect() => ElementClass::Indirect,
            TypeClass::Integer { signed: true, .. } => ElementClass::SignedInteger,
            TypeClass::Integer { .. } => ElementClass::UnsignedInteger,
            TypeClass::Float { .. } if self.is_ieee() => ElementClass::Float,
            TypeClass::FixedText { .. } => ElementClass::Text,
            TypeClass::Enumeration { .. } => ElementClass::Enumeration,
            _ => ElementClass::Opaque,
        };
        let order = match &self.class {
            TypeClass::Integer { order, .. }
            | TypeClass::Float { order, .. }
            | TypeClass::Bitfield { order, .. } => *order,
            _ => ByteOrder::None,
        };
        ElementType {
            class,
            size_bytes: self.size_bytes,
            order,
        }
    }
}

/// Makes of a little-endian integer, whose value is in some of its bits, the same in all of them. Those of more than
/// 16 bytes stay as they are.
pub fn widen(number: &mut [u8], bits: BitRange, signed: bool) {
    let mut wide = [0_u8; 16];
    let size = number.len();
    let is_whole = bits.offset == 0 && bits.precision >= size * 8;
    if is_whole || size > wide.len() || bits.offset + bits.precision > size * 8 {
        return;
    }
    wide[..size].copy_from_slice(number);
    let unused = (u128::BITS as usize - bits.precision) as u32;
    let Some(left) = (u128::from_le_bytes(wide) >> bits.offset).checked_shl(unused) else {
        return;
    };
    let value = match signed {
        true => ((left as i128) >> unused) as u128,
        false => left >> unused,
    };
    number.copy_from_slice(&value.to_le_bytes()[..size]);
}

impl TypeDescription {
    /// Whether this is an integer, or an enumeration of such, of 1, 2, 4 or 8 bytes of which some bits belong to no
    /// value.
    #[must_use]
    pub fn is_partial_integer(&self) -> bool {
        match &self.class {
            TypeClass::Integer { .. } => {
                matches!(self.size_bytes, 1 | 2 | 4 | 8) && !self.is_whole_number()
            }
            TypeClass::Enumeration { base, .. } => base.is_partial_integer(),
            _ => false,
        }
    }
}

/// Bytes that libhdf5 gives values in memory that point elsewhere: `char *`, `hvl_t`, the two old kinds of references,
/// and the new one.
const TEXT_IN_MEMORY: usize = 8;
const SEQUENCE_IN_MEMORY: usize = 16;
const OBJECT_IN_MEMORY: usize = 8;
const REGION_IN_MEMORY: usize = 12;
const REFERENCE_IN_MEMORY: usize = 64;

impl TypeDescription {
    /// The type as it lies in a file, members of compounds in the order in which [`Self::in_memory`] has them.
    #[must_use]
    pub fn in_order_of_memory(mut self) -> Self {
        if !self.is_indirect() {
            return self;
        }
        match &mut self.class {
            TypeClass::VariableLength { base } | TypeClass::Array { base, .. } => {
                **base = base.as_ref().clone().in_order_of_memory();
            }
            TypeClass::Compound { members } => {
                members.sort_by_key(|member| member.offset);
                for member in members {
                    member.datatype = member.datatype.clone().in_order_of_memory();
                }
            }
            _ => {}
        }
        self
    }

    /// The type as libhdf5 lays its elements out in memory: what points into a heap has the size of a pointer, and members
    /// of compounds move accordingly, in the order of their offsets.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        if !self.is_indirect() {
            return self;
        }
        match &mut self.class {
            TypeClass::VariableText { .. } => self.size_bytes = TEXT_IN_MEMORY,
            TypeClass::VariableLength { base } => {
                **base = base.as_ref().clone().in_memory();
                self.size_bytes = SEQUENCE_IN_MEMORY;
            }
            TypeClass::ObjectReference => self.size_bytes = OBJECT_IN_MEMORY,
            TypeClass::RegionReference => self.size_bytes = REGION_IN_MEMORY,
            TypeClass::NewReference => self.size_bytes = REFERENCE_IN_MEMORY,
            TypeClass::Array { base, .. } => {
                let count = self.size_bytes / base.size_bytes.max(1);
                **base = base.as_ref().clone().in_memory();
                self.size_bytes = count * base.size_bytes;
            }
            TypeClass::Compound { members } => {
                members.sort_by_key(|member| member.offset);
                let (mut grown, mut shrunk) = (0, 0);
                for member in members {
                    let before = member.datatype.size_bytes;
                    member.offset = member.offset + grown - shrunk;
                    member.datatype = member.datatype.clone().in_memory();
                    let after = member.datatype.size_bytes;
                    grown += after.saturating_sub(before);
                    shrunk += before.saturating_sub(after);
                }
                self.size_bytes = self.size_bytes + grown - shrunk;
            }
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_text_is_cleared_but_for_nuls_that_count() {
        let text = |padding| TypeDescription {
            size_bytes: 5,
            committed: None,
            class: TypeClass::FixedText {
                utf8: false,
                padding,
            },
        };
        let cleared = |padding| {
            let mut elements = *b"ab\0z a b  ";
            text(padding).clear_behind_texts(&mut elements);
            elements
        };
        assert_eq!(&cleared(TextPadding::NullTerminated), b"ab\0\0\0a b  ");
        assert_eq!(&cleared(TextPadding::SpacePadded), b"ab\0z\0a b\0\0");
        assert_eq!(&cleared(TextPadding::NullPadded), b"ab\0z a b  ");
    }
}
