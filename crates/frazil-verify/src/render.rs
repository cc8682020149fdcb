//! Expanded values as people read them.

use frazil_container::hdf5::{TypeClass, TypeDescription};

use super::datatypes::hex;

/// Longest rendering, in characters.
const MAX_CHARACTERS: usize = 120;
/// Elements of an array that are shown.
const MAX_ELEMENTS: usize = 8;

/// `a against b`; where both read alike, with their bytes.
pub(crate) fn against(
    (type_a, a): (&TypeDescription, &[u8]),
    (type_b, b): (&TypeDescription, &[u8]),
) -> String {
    let (text_a, text_b) = (render(type_a, a), render(type_b, b));
    if text_a == text_b {
        let (hex_a, hex_b) = (shorten(hex(a)), shorten(hex(b)));
        format!("{text_a} against {text_b} (bytes {hex_a} against {hex_b})")
    } else {
        format!("{text_a} against {text_b}")
    }
}

/// One expanded element.
pub(crate) fn render(datatype: &TypeDescription, expanded: &[u8]) -> String {
    let mut rest = expanded;
    shorten(element(datatype, &mut rest))
}

fn element(datatype: &TypeDescription, rest: &mut &[u8]) -> String {
    match &datatype.class {
        TypeClass::Integer { signed, bits, .. } => {
            integer(take(rest, datatype.size_bytes), *signed, bits.precision)
        }
        TypeClass::Float { .. } => float(take(rest, datatype.size_bytes)),
        TypeClass::Bitfield { .. } | TypeClass::Time { .. } | TypeClass::Opaque { .. } => {
            hex(take(rest, datatype.size_bytes))
        }
        TypeClass::FixedText { .. } => text(take(rest, datatype.size_bytes)),
        TypeClass::VariableText { .. } => text(take_counted(rest)),
        TypeClass::Complex { part } => {
            let (real, imaginary) = (element(part, rest), element(part, rest));
            format!("({real}, {imaginary}i)")
        }
        TypeClass::Enumeration { base, members } => {
            let value = take(rest, base.size_bytes);
            match members.iter().find(|(_, known)| known == value) {
                Some((name, _)) => name.clone(),
                None => element(base, &mut { value }),
            }
        }
        TypeClass::Compound { members } => {
            let parts: Vec<String> = members
                .iter()
                .map(|member| format!("{}: {}", member.name, element(&member.datatype, rest)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        TypeClass::Array { base, shape } => {
            let count = shape
                .iter()
                .fold(1_u64, |product, &n| product.saturating_mul(n));
            several(base, count, rest)
        }
        TypeClass::VariableLength { base } => {
            let count = take_count(rest);
            several(base, count, rest)
        }
        TypeClass::ObjectReference | TypeClass::RegionReference => {
            let path = take_counted(rest);
            if path.is_empty() {
                "a reference to nothing".to_owned()
            } else {
                format!("a reference to {}", String::from_utf8_lossy(path))
            }
        }
        TypeClass::NewReference => "a reference".to_owned(),
    }
}

fn several(base: &TypeDescription, count: u64, rest: &mut &[u8]) -> String {
    let mut parts = Vec::new();
    for i in 0..count {
        if rest.is_empty() {
            break;
        }
        // The bytes must be passed over even if they are not shown.
        let part = element(base, rest);
        if i < MAX_ELEMENTS as u64 {
            parts.push(part);
        } else if i == MAX_ELEMENTS as u64 {
            parts.push(format!("... {count} in all"));
        }
    }
    format!("[{}]", parts.join(", "))
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    let (taken, behind) = rest.split_at(bytes.min(rest.len()));
    *rest = behind;
    taken
}

fn take_count(rest: &mut &[u8]) -> u64 {
    take(rest, 8)
        .try_into()
        .map(u64::from_le_bytes)
        .unwrap_or(0)
}

fn take_counted<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let count = take_count(rest);
    take(rest, usize::try_from(count).unwrap_or(usize::MAX))
}

fn integer(little_endian: &[u8], signed: bool, precision: usize) -> String {
    if little_endian.len() > 16 {
        return hex(little_endian);
    }
    let mut wide = [0_u8; 16];
    wide[..little_endian.len()].copy_from_slice(little_endian);
    let number = u128::from_le_bytes(wide);
    if !signed || precision == 0 || precision > 128 {
        return number.to_string();
    }
    let unused = u32::try_from(128 - precision).unwrap_or(0);
    ((number << unused).cast_signed() >> unused).to_string()
}

fn float(little_endian: &[u8]) -> String {
    let (text, is_nan) = if let Ok(bytes) = little_endian.try_into() {
        let number = f32::from_le_bytes(bytes);
        (format!("{number:?}"), number.is_nan())
    } else if let Ok(bytes) = little_endian.try_into() {
        let number = f64::from_le_bytes(bytes);
        (format!("{number:?}"), number.is_nan())
    } else {
        (hex(little_endian), false)
    };
    if is_nan {
        format!("NaN({})", hex(little_endian))
    } else {
        text
    }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    format!("{:?}", String::from_utf8_lossy(&bytes[..end]))
}

fn shorten(text: String) -> String {
    if text.chars().count() <= MAX_CHARACTERS {
        return text;
    }
    let mut short: String = text.chars().take(MAX_CHARACTERS).collect();
    short.push_str("...");
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::NcType;
    use frazil_container::hdf5::TextPadding;

    fn of(nc_type: NcType) -> TypeDescription {
        nc_type.description()
    }

    #[test]
    fn numbers_read_as_numbers() {
        assert_eq!(render(&of(NcType::Short), &(-7_i16).to_le_bytes()), "-7");
        assert_eq!(render(&of(NcType::UByte), &[200]), "200");
        assert_eq!(
            render(&of(NcType::Float), &(-0.0_f32).to_le_bytes()),
            "-0.0"
        );
        let nan = 0x7fc0_0001_u32.to_le_bytes();
        assert_eq!(render(&of(NcType::Float), &nan), "NaN(0x7fc00001)");
        assert_eq!(render(&of(NcType::Double), &99.5_f64.to_le_bytes()), "99.5");
    }

    #[test]
    fn heap_data_read_as_what_they_hold() {
        let class = TypeClass::VariableText {
            utf8: true,
            padding: TextPadding::NullTerminated,
        };
        let string = TypeDescription {
            size_bytes: 8,
            committed: None,
            class,
        };
        let mut expanded = 2_u64.to_le_bytes().to_vec();
        expanded.extend(b"ab");
        assert_eq!(render(&string, &expanded), "\"ab\"");
        let class = TypeClass::VariableLength {
            base: Box::new(of(NcType::Int)),
        };
        let list = TypeDescription {
            size_bytes: 16,
            committed: None,
            class,
        };
        let mut expanded = 2_u64.to_le_bytes().to_vec();
        expanded.extend([1_i32, -1].map(i32::to_le_bytes).concat());
        assert_eq!(render(&list, &expanded), "[1, -1]");
    }

    #[test]
    fn values_that_read_alike_show_their_bytes() {
        let text = of(NcType::Char);
        let what = against((&text, b"\0"), (&text, b""));
        assert_eq!(what, "\"\" against \"\" (bytes 0x00 against 0x)");
    }
}
