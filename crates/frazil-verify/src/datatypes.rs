//! How two datatypes differ, in words.

use frazil_container::hdf5::{MemberDescription, TypeClass, TypeDescription};
use frazil_types::ByteOrder;

/// The first difference between two types; `None` if they are the same.
pub(crate) fn difference(a: &TypeDescription, b: &TypeDescription) -> Option<String> {
    if a == b {
        return None;
    }
    let what = class_difference(a, b)
        .or_else(|| {
            let sizes = (a.size_bytes != b.size_bytes)
                .then(|| format!("{} against {} bytes", a.size_bytes, b.size_bytes));
            sizes.or_else(|| committed_difference(a, b))
        })
        .unwrap_or_else(|| "different in detail".to_owned());
    Some(what)
}

/// A compound type whose members have no signs; other types stay as they are.
pub(crate) fn without_signs(datatype: &TypeDescription) -> TypeDescription {
    let mut datatype = datatype.clone();
    if let TypeClass::Compound { members } = &mut datatype.class {
        for member in members {
            if let TypeClass::Integer { signed, .. } = &mut member.datatype.class {
                *signed = false;
            }
        }
    }
    datatype
}

fn committed_difference(a: &TypeDescription, b: &TypeDescription) -> Option<String> {
    let say = |committed: &Option<String>| match committed.as_deref() {
        None => "not committed".to_owned(),
        Some("") => "committed without a name".to_owned(),
        Some(path) => format!("committed as {path}"),
    };
    (a.committed != b.committed)
        .then(|| format!("{} against {}", say(&a.committed), say(&b.committed)))
}

fn class_difference(a: &TypeDescription, b: &TypeDescription) -> Option<String> {
    if a.class == b.class {
        return None;
    }
    match (&a.class, &b.class) {
        (TypeClass::Compound { members: first }, TypeClass::Compound { members: second }) => {
            members_difference(first, second)
        }
        (
            TypeClass::Enumeration {
                base: base_a,
                members: first,
            },
            TypeClass::Enumeration {
                base: base_b,
                members: second,
            },
        ) => difference(base_a, base_b)
            .map(|what| format!("base of the enumeration: {what}"))
            .or_else(|| enumeration_difference(first, second)),
        (
            TypeClass::Array {
                base: base_a,
                shape: first,
            },
            TypeClass::Array {
                base: base_b,
                shape: second,
            },
        ) => {
            if first == second {
                difference(base_a, base_b).map(|what| format!("array element: {what}"))
            } else {
                Some(format!("array of {first:?} against {second:?}"))
            }
        }
        (TypeClass::VariableLength { base: first }, TypeClass::VariableLength { base: second }) => {
            difference(first, second).map(|what| format!("variable-length element: {what}"))
        }
        _ => {
            let (first, second) = (name(a), name(b));
            Some(match first == second {
                true => format!("{first} with other fields, or other padding bits"),
                false => format!("{first} against {second}"),
            })
        }
    }
}

fn members_difference(first: &[MemberDescription], second: &[MemberDescription]) -> Option<String> {
    for (a, b) in first.iter().zip(second) {
        if a.name != b.name {
            return Some(format!("member `{}` against `{}`", a.name, b.name));
        }
        if a.offset != b.offset {
            return Some(format!(
                "member `{}`: offset {} against {}",
                a.name, a.offset, b.offset
            ));
        }
        if let Some(what) = difference(&a.datatype, &b.datatype) {
            return Some(format!("member `{}`: {what}", a.name));
        }
    }
    (first.len() != second.len())
        .then(|| format!("{} against {} members", first.len(), second.len()))
}

fn enumeration_difference(
    first: &[(String, Vec<u8>)],
    second: &[(String, Vec<u8>)],
) -> Option<String> {
    for ((name_a, value_a), (name_b, value_b)) in first.iter().zip(second) {
        if name_a != name_b {
            return Some(format!("enumeration member `{name_a}` against `{name_b}`"));
        }
        if value_a != value_b {
            return Some(format!(
                "enumeration member `{name_a}`: value {} against {}",
                hex(value_a),
                hex(value_b)
            ));
        }
    }
    (first.len() != second.len()).then(|| {
        format!(
            "{} against {} enumeration members",
            first.len(),
            second.len()
        )
    })
}

/// Bytes of a little-endian number as hexadecimal digits.
pub(crate) fn hex(little_endian: &[u8]) -> String {
    let digits: String = little_endian
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("0x{digits}")
}

/// A short name with what may differ inside one class.
pub(crate) fn name(datatype: &TypeDescription) -> String {
    let bits = datatype.size_bytes * 8;
    let order_word = |order: &ByteOrder| match order {
        ByteOrder::Little if bits > 8 => " little-endian",
        ByteOrder::Big if bits > 8 => " big-endian",
        _ => "",
    };
    let precise = |precision: usize, offset: usize| {
        if offset == 0 && precision == bits {
            String::new()
        } else {
            format!(" ({precision} bits from bit {offset})")
        }
    };
    match &datatype.class {
        TypeClass::Integer {
            signed,
            order,
            bits: range,
        } => {
            let sign = if *signed { "int" } else { "uint" };
            let range = precise(range.precision, range.offset);
            format!("{sign}{bits}{}{range}", order_word(order))
        }
        TypeClass::Float {
            order,
            bits: range,
            form,
        } => {
            let range = precise(range.precision, range.offset);
            let fields = match (form.exponent_bits, form.mantissa_bits) {
                (8, 23) | (11, 52) if datatype.is_ieee() => String::new(),
                (8, 23) | (11, 52) => format!(" (bias {})", form.bias),
                (exponent, mantissa) => format!(" ({exponent}+{mantissa} bits)"),
            };
            format!("float{bits}{}{range}{fields}", order_word(order))
        }
        TypeClass::Bitfield { order, .. } => format!("bitfield{bits}{}", order_word(order)),
        TypeClass::Time { order, .. } => format!("time{bits}{}", order_word(order)),
        TypeClass::Complex { .. } => format!("complex{bits}"),
        TypeClass::FixedText { utf8, padding } => {
            format!(
                "text({}, {}, {padding:?})",
                datatype.size_bytes,
                encoding(*utf8)
            )
        }
        TypeClass::VariableText { utf8, padding } => {
            format!("string({}, {padding:?})", encoding(*utf8))
        }
        TypeClass::Opaque { tag } => format!("opaque({}, {tag:?})", datatype.size_bytes),
        TypeClass::Enumeration { .. } => format!("enum{bits}"),
        TypeClass::Compound { .. } => format!("compound({})", datatype.size_bytes),
        TypeClass::Array { base, shape } => format!("{}{shape:?}", name(base)),
        TypeClass::VariableLength { base } => format!("vlen of {}", name(base)),
        TypeClass::ObjectReference => "object reference".to_owned(),
        TypeClass::RegionReference => "region reference".to_owned(),
        TypeClass::NewReference => "reference of HDF5 1.12".to_owned(),
    }
}

fn encoding(utf8: bool) -> &'static str {
    if utf8 { "UTF-8" } else { "ASCII" }
}

/// Whether expanded values of both types mean the same if their bytes do.
pub(crate) fn are_comparable(a: &TypeDescription, b: &TypeDescription) -> bool {
    let numbers = |wide: bool| wide && a.size_bytes == b.size_bytes;
    match (&a.class, &b.class) {
        (TypeClass::Integer { signed: first, .. }, TypeClass::Integer { signed: second, .. }) => {
            numbers(first == second)
        }
        (TypeClass::Float { form: first, .. }, TypeClass::Float { form: second, .. }) => {
            numbers(first == second)
        }
        (TypeClass::Bitfield { .. }, TypeClass::Bitfield { .. })
        | (TypeClass::Time { .. }, TypeClass::Time { .. })
        | (TypeClass::FixedText { .. }, TypeClass::FixedText { .. })
        | (TypeClass::Opaque { .. }, TypeClass::Opaque { .. }) => numbers(true),
        (TypeClass::Complex { part: first }, TypeClass::Complex { part: second })
        | (
            TypeClass::Enumeration { base: first, .. },
            TypeClass::Enumeration { base: second, .. },
        )
        | (TypeClass::VariableLength { base: first }, TypeClass::VariableLength { base: second }) => {
            are_comparable(first, second)
        }
        (
            TypeClass::Array {
                base: first,
                shape: shape_a,
            },
            TypeClass::Array {
                base: second,
                shape: shape_b,
            },
        ) => shape_a == shape_b && are_comparable(first, second),
        (TypeClass::Compound { members: first }, TypeClass::Compound { members: second }) => {
            first.len() == second.len()
                && first
                    .iter()
                    .zip(second)
                    .all(|(a, b)| are_comparable(&a.datatype, &b.datatype))
        }
        (TypeClass::VariableText { .. }, TypeClass::VariableText { .. })
        | (TypeClass::ObjectReference, TypeClass::ObjectReference)
        | (TypeClass::RegionReference, TypeClass::RegionReference) => true,
        _ => false,
    }
}

/// Whether raw elements of both types are equal exactly if their bytes are, padding aside.
pub(crate) fn have_same_layout(a: &TypeDescription, b: &TypeDescription) -> bool {
    a.size_bytes == b.size_bytes && a.class == b.class
}

/// The type with a plain number's bytes in little-endian order.
pub(crate) fn little_endian(mut datatype: TypeDescription) -> TypeDescription {
    match &mut datatype.class {
        TypeClass::Integer { order, .. }
        | TypeClass::Float { order, .. }
        | TypeClass::Bitfield { order, .. }
        | TypeClass::Time { order, .. } => *order = ByteOrder::Little,
        TypeClass::Enumeration { base, .. } => **base = little_endian((**base).clone()),
        _ => {}
    }
    datatype
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::NcType;

    fn compound(offset: usize, member: NcType) -> TypeDescription {
        let datatype = member.description();
        let members = vec![MemberDescription {
            name: "x".into(),
            offset,
            datatype,
        }];
        TypeDescription {
            size_bytes: 16,
            committed: None,
            class: TypeClass::Compound { members },
        }
    }

    #[test]
    fn the_place_of_a_difference_is_named() {
        let base = compound(0, NcType::Int);
        assert_eq!(difference(&base, &base), None);
        assert_eq!(
            difference(&base, &compound(8, NcType::Int)).unwrap(),
            "member `x`: offset 0 against 8"
        );
        assert_eq!(
            difference(&base, &compound(0, NcType::Float)).unwrap(),
            "member `x`: int32 little-endian against float32 little-endian"
        );
        let named = TypeDescription {
            committed: Some("/t".into()),
            ..base.clone()
        };
        let what = difference(&base, &named).unwrap();
        assert_eq!(what, "not committed against committed as /t");
        assert!(are_comparable(&base, &named) && have_same_layout(&base, &named));
    }

    #[test]
    fn signs_and_sizes_cannot_be_compared() {
        let of = NcType::description;
        assert!(!are_comparable(&of(NcType::Int), &of(NcType::UInt)));
        assert!(!are_comparable(&of(NcType::Int), &of(NcType::Short)));
        assert!(are_comparable(&of(NcType::Double), &of(NcType::Double)));
    }
}
