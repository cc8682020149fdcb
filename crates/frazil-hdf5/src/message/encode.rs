//! Encodes datatypes as messages, for who writes files.

use frazil_types::ByteOrder;

use crate::cursor::bytes_for;
use crate::datatype::{BitRange, FloatForm, TextPadding, TypeClass, TypeDescription};
use crate::text;

/// Versions of messages: the first, and that of HDF5 1.8.
const FIRST: u8 = 1;
const COMPACT: u8 = 3;
/// Longest tag that is filled up to a multiple of 8 bytes.
const LONGEST_FILLED_TAG: usize = 248;

impl TypeDescription {
    /// The type as a message that HDF5 1.8 reads, sizes and offsets as they are here; `None` if it has no such form:
    /// complex numbers, references of HDF5 1.12.
    #[must_use]
    pub fn to_message(&self) -> Option<Vec<u8>> {
        let size = u32::try_from(self.size_bytes).ok()?;
        let body = Body::of(self)?;
        let word = u32::from(body.class) | u32::from(body.version) << 4 | body.flags << 8;
        Some(
            [
                &word.to_le_bytes(),
                &size.to_le_bytes(),
                body.bytes.as_slice(),
            ]
            .concat(),
        )
    }
}

/// A message but for the size of elements.
struct Body {
    class: u8,
    version: u8,
    /// 24 bits of the class's own.
    flags: u32,
    bytes: Vec<u8>,
}

impl Body {
    fn of(datatype: &TypeDescription) -> Option<Self> {
        let body = |class, flags, bytes| Self {
            class,
            version: FIRST,
            flags,
            bytes,
        };
        Some(match &datatype.class {
            TypeClass::Integer {
                signed,
                order,
                bits,
            } => {
                let flags = order_flag(*order) | padding_flags(*bits) | u32::from(*signed) << 3;
                body(0, flags, bits_of(*bits)?)
            }
            TypeClass::Float { order, bits, form } => float(*order, *bits, form)?,
            TypeClass::Time { order, bits } => {
                body(2, order_flag(*order), short(bits.precision)?.to_vec())
            }
            TypeClass::FixedText { utf8, padding } => {
                body(3, text_flags(*padding) | u32::from(*utf8) << 4, Vec::new())
            }
            TypeClass::Bitfield { order, bits } => {
                let flags = order_flag(*order) | padding_flags(*bits);
                body(4, flags, bits_of(*bits)?)
            }
            TypeClass::Opaque { tag } => {
                let mut tag = text::bytes_of_text(tag);
                if tag.len() <= LONGEST_FILLED_TAG {
                    tag.resize(tag.len().next_multiple_of(8), 0);
                }
                body(5, u8::try_from(tag.len()).ok()?.into(), tag)
            }
            TypeClass::Compound { .. } => compound(datatype)?,
            TypeClass::ObjectReference => body(7, 0, Vec::new()),
            TypeClass::RegionReference => body(7, 1, Vec::new()),
            TypeClass::Enumeration { base, members } => enumeration(base, members)?,
            TypeClass::VariableLength { base } => sequence(base, 0)?,
            TypeClass::VariableText { utf8, padding } => {
                let flags = 1 | text_flags(*padding) << 4 | u32::from(*utf8) << 8;
                sequence(&character(), flags)?
            }
            TypeClass::Array { base, shape } => array(base, shape)?,
            TypeClass::Complex { .. } | TypeClass::NewReference => return None,
        })
    }
}

fn order_flag(order: ByteOrder) -> u32 {
    u32::from(order == ByteOrder::Big)
}

fn padding_flags(bits: BitRange) -> u32 {
    u32::from(bits.padding[0] & 1) << 1 | u32::from(bits.padding[1] & 1) << 2
}

fn short(number: usize) -> Option<[u8; 2]> {
    u16::try_from(number).ok().map(u16::to_le_bytes)
}

fn bits_of(bits: BitRange) -> Option<Vec<u8>> {
    Some([short(bits.offset)?, short(bits.precision)?].concat())
}

fn text_flags(padding: TextPadding) -> u32 {
    match padding {
        TextPadding::NullTerminated => 0,
        TextPadding::NullPadded => 1,
        TextPadding::SpacePadded => 2,
    }
}

fn float(order: ByteOrder, bits: BitRange, form: &FloatForm) -> Option<Body> {
    /// Both bits of the order that VAX has.
    const VAX: u32 = 0x41;
    let (version, order) = match order {
        ByteOrder::None => (COMPACT, VAX),
        order => (FIRST, order_flag(order)),
    };
    let normalisation = match form.normalisation {
        0 => 2,
        1 => 1,
        _ => 0,
    };
    let sign = u32::from(u8::try_from(form.sign).ok()?);
    let flags = order
        | padding_flags(bits)
        | u32::from(bits.padding[2] & 1) << 3
        | normalisation << 4
        | sign << 8;
    let mut bytes = bits_of(bits)?;
    for field in [
        form.exponent,
        form.exponent_bits,
        form.mantissa,
        form.mantissa_bits,
    ] {
        bytes.push(u8::try_from(field).ok()?);
    }
    bytes.extend(u32::try_from(form.bias).ok()?.to_le_bytes());
    Some(Body {
        class: 1,
        version,
        flags,
        bytes,
    })
}

fn name(name: &str) -> Vec<u8> {
    let mut bytes = text::bytes_of_text(name);
    bytes.push(0);
    bytes
}

fn compound(datatype: &TypeDescription) -> Option<Body> {
    let TypeClass::Compound { members } = &datatype.class else {
        return None;
    };
    let offset_bytes = bytes_for(datatype.size_bytes as u64);
    let mut bytes = Vec::new();
    for member in members {
        bytes.extend(name(&member.name));
        bytes.extend(&(member.offset as u64).to_le_bytes()[..offset_bytes]);
        bytes.extend(member.datatype.to_message()?);
    }
    Some(Body {
        class: 6,
        version: COMPACT,
        flags: u16::try_from(members.len()).ok()?.into(),
        bytes,
    })
}

fn enumeration(base: &TypeDescription, members: &[(String, Vec<u8>)]) -> Option<Body> {
    let mut bytes = base.to_message()?;
    members
        .iter()
        .for_each(|(member, _)| bytes.extend(name(member)));
    for (_, value) in members {
        match base.number_order() {
            Some(ByteOrder::Big) => bytes.extend(value.iter().rev()),
            _ => bytes.extend(value),
        }
    }
    Some(Body {
        class: 8,
        version: COMPACT,
        flags: u16::try_from(members.len()).ok()?.into(),
        bytes,
    })
}

/// What texts of any length consist of, as libhdf5 writes it.
fn character() -> TypeDescription {
    TypeDescription {
        size_bytes: 1,
        committed: None,
        class: TypeClass::Integer {
            signed: false,
            order: ByteOrder::Little,
            bits: BitRange {
                precision: 8,
                offset: 0,
                padding: [0; 3],
            },
        },
    }
}

/// No older than what it consists of.
fn sequence(base: &TypeDescription, flags: u32) -> Option<Body> {
    Some(Body {
        class: 9,
        version: Body::of(base)?.version,
        flags,
        bytes: base.to_message()?,
    })
}

fn array(base: &TypeDescription, shape: &[u64]) -> Option<Body> {
    let mut bytes = vec![u8::try_from(shape.len()).ok()?];
    for &length in shape {
        bytes.extend(u32::try_from(length).ok()?.to_le_bytes());
    }
    bytes.extend(base.to_message()?);
    Some(Body {
        class: 10,
        version: COMPACT,
        flags: 0,
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;
    use crate::datatype::MemberDescription;
    use crate::input::NumberSizes;
    use crate::message::datatype;

    fn of(size_bytes: usize, class: TypeClass) -> TypeDescription {
        TypeDescription {
            size_bytes,
            committed: None,
            class,
        }
    }

    fn bits(precision: usize, offset: usize, padding: [u8; 3]) -> BitRange {
        BitRange {
            precision,
            offset,
            padding,
        }
    }

    fn integer(size_bytes: usize, order: ByteOrder) -> TypeDescription {
        let class = TypeClass::Integer {
            signed: true,
            order,
            bits: bits(size_bytes * 8 - 3, 2, [1, 0, 0]),
        };
        of(size_bytes, class)
    }

    fn float(order: ByteOrder, form: FloatForm) -> TypeDescription {
        let class = TypeClass::Float {
            order,
            bits: bits(32, 0, [0, 1, 1]),
            form,
        };
        of(4, class)
    }

    /// One type of every class.
    fn all() -> Vec<TypeDescription> {
        let stored = FloatForm {
            normalisation: 1,
            ..FloatForm::ieee(4)
        };
        let big = integer(2, ByteOrder::Big);
        let padding = TextPadding::SpacePadded;
        let values = [("lo".to_owned(), vec![1, 0]), ("hi".to_owned(), vec![0, 2])];
        let enumeration = TypeClass::Enumeration {
            base: Box::new(big.clone()),
            members: values.to_vec(),
        };
        let array = TypeClass::Array {
            base: Box::new(big.clone()),
            shape: vec![2, 3],
        };
        let order = ByteOrder::Big;
        let opaque = |length: usize| TypeClass::Opaque {
            tag: "t".repeat(length),
        };
        vec![
            big.clone(),
            integer(8, ByteOrder::Little),
            float(ByteOrder::Little, FloatForm::ieee(4)),
            float(ByteOrder::Big, stored),
            float(ByteOrder::None, FloatForm::ieee(4)),
            of(
                4,
                TypeClass::Time {
                    order,
                    bits: bits(32, 0, [0; 3]),
                },
            ),
            of(
                9,
                TypeClass::FixedText {
                    utf8: true,
                    padding,
                },
            ),
            of(
                3,
                TypeClass::Bitfield {
                    order,
                    bits: bits(20, 4, [0, 1, 0]),
                },
            ),
            of(5, opaque(3)),
            of(5, opaque(250)),
            of(2, enumeration),
            of(12, array),
            of(
                16,
                TypeClass::VariableText {
                    utf8: true,
                    padding,
                },
            ),
            of(
                16,
                TypeClass::VariableLength {
                    base: Box::new(big),
                },
            ),
            of(8, TypeClass::ObjectReference),
            of(12, TypeClass::RegionReference),
        ]
    }

    fn decoded(message: &[u8]) -> TypeDescription {
        let sizes = NumberSizes {
            address: 8,
            length: 8,
        };
        let mut at = Cursor::new(message, sizes);
        let datatype = datatype::decode(&mut at).unwrap();
        assert!(at.rest().is_empty());
        datatype
    }

    #[test]
    fn every_type_comes_back() {
        let mut members = Vec::new();
        let mut offset = 0;
        for datatype in all() {
            assert_eq!(decoded(&datatype.to_message().unwrap()), datatype);
            let size = datatype.size_bytes;
            let name = format!("at {offset} é");
            members.push(MemberDescription {
                name,
                offset,
                datatype,
            });
            offset += size + 1;
        }
        let compound = of(offset, TypeClass::Compound { members });
        let nested = TypeClass::VariableLength {
            base: Box::new(compound.clone()),
        };
        for datatype in [compound, of(16, nested)] {
            assert_eq!(decoded(&datatype.to_message().unwrap()), datatype);
        }
    }

    #[test]
    fn what_hdf5_1_8_does_not_know_has_no_message() {
        let part = Box::new(float(ByteOrder::Little, FloatForm::ieee(4)));
        let complex = of(8, TypeClass::Complex { part });
        assert!(complex.to_message().is_none());
        let base = Box::new(of(64, TypeClass::NewReference));
        assert!(
            of(16, TypeClass::VariableLength { base })
                .to_message()
                .is_none()
        );
    }
}
