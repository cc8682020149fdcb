//! Facts in words.

use frazil_hdf5::{Extent, TypeClass, TypeDescription, text};

/// A name without spaces.
pub(crate) fn shown(name: &str) -> String {
    text::bytes_of_text(name)
        .escape_ascii()
        .to_string()
        .replace(' ', "_")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn extent_text(extent: &Extent) -> String {
    match extent {
        Extent::Null => "null".to_owned(),
        Extent::Scalar => "scalar".to_owned(),
        Extent::Simple { shape, max_shape } => {
            let most: Vec<String> = max_shape
                .iter()
                .map(|most| most.map_or("-".to_owned(), |n| n.to_string()))
                .collect();
            let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!("({})({})", shape.join(","), most.join(","))
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one line for each class")]
pub(crate) fn type_text(datatype: &TypeDescription) -> String {
    let size = datatype.size_bytes;
    match &datatype.class {
        TypeClass::Integer {
            signed,
            order,
            bits,
        } => {
            format!(
                "int{size}{}{order:?}{}.{}",
                u8::from(*signed),
                bits.precision,
                bits.offset
            )
        }
        TypeClass::Float { order, bits, form } => format!(
            "float{size}{order:?}{}.{}.{}.{}.{}.{}.{}.{}",
            bits.precision,
            bits.offset,
            form.sign,
            form.exponent,
            form.exponent_bits,
            form.mantissa,
            form.mantissa_bits,
            form.bias
        ),
        TypeClass::Bitfield { order, bits } => {
            format!("bits{size}{order:?}{}.{}", bits.precision, bits.offset)
        }
        TypeClass::Time { order, .. } => format!("time{size}{order:?}"),
        TypeClass::Complex { part } => format!("complex[{}]", type_text(part)),
        TypeClass::FixedText { utf8, padding } => {
            format!("text{size}{}{padding:?}", u8::from(*utf8))
        }
        TypeClass::VariableText { utf8, padding } => format!("vtext{}{padding:?}", u8::from(*utf8)),
        TypeClass::Opaque { tag } => format!("opaque{size}{}", shown(tag)),
        TypeClass::Enumeration { base, members } => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}={}", shown(name), hex(value)))
                .collect();
            format!("enum[{}]{{{}}}", type_text(base), members.join(","))
        }
        TypeClass::Compound { members } => {
            let is_plain = !datatype.is_indirect();
            let member = |m: &frazil_hdf5::MemberDescription| {
                let offset = if is_plain {
                    m.offset.to_string()
                } else {
                    String::new()
                };
                format!("{}@{offset}{}", shown(&m.name), type_text(&m.datatype))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!(
                "compound{}{{{}}}",
                if is_plain {
                    size.to_string()
                } else {
                    String::new()
                },
                members.join(",")
            )
        }
        TypeClass::Array { base, shape } => {
            format!("array{shape:?}[{}]", type_text(base)).replace(' ', "")
        }
        TypeClass::VariableLength { base } => format!("vlen[{}]", type_text(base)),
        TypeClass::ObjectReference => "object".to_owned(),
        TypeClass::RegionReference => "region".to_owned(),
        TypeClass::NewReference => "reference".to_owned(),
    }
}
