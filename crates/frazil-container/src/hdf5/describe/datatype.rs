//! Reads a datatype into plain data.

use std::collections::HashMap;

use super::types::{MemberDescription, TextPadding, TypeClass, TypeDescription};
use crate::error::Result;
use crate::ffi::datatype::{Datatype, ReferenceKind};
use crate::ffi::known::Class;
use crate::ffi::link;
use frazil_types::ByteOrder;

/// Describes a type; `paths` names the file's objects by address.
pub(super) fn describe(
    datatype: &Datatype,
    paths: &HashMap<u64, String>,
) -> Result<TypeDescription> {
    let committed = if datatype.is_committed()? {
        let address = link::object_address(datatype.handle())?;
        Some(paths.get(&address).cloned().unwrap_or_default())
    } else {
        None
    };
    let class = describe_class(datatype, paths)?;
    Ok(TypeDescription {
        size_bytes: datatype.size_bytes()?,
        committed,
        class,
    })
}

fn describe_class(datatype: &Datatype, paths: &HashMap<u64, String>) -> Result<TypeClass> {
    let base = || {
        datatype
            .base()
            .and_then(|base| describe(&base, paths))
            .map(Box::new)
    };
    let order = || datatype.byte_order();
    let bits = || datatype.bit_range();
    Ok(match datatype.class()? {
        Class::Integer => TypeClass::Integer {
            signed: datatype.is_signed()?,
            order: order()?,
            bits: bits()?,
        },
        Class::Float => TypeClass::Float {
            order: order()?,
            bits: bits()?,
            form: datatype.float_form()?,
        },
        Class::Time => TypeClass::Time {
            order: order()?,
            bits: bits()?,
        },
        Class::Bitfield => TypeClass::Bitfield {
            order: order()?,
            bits: bits()?,
        },
        Class::Complex => TypeClass::Complex { part: base()? },
        Class::String => describe_text(datatype)?,
        Class::Opaque => TypeClass::Opaque {
            tag: datatype.opaque_tag()?,
        },
        Class::Compound => describe_compound(datatype, paths)?,
        Class::Enumeration => describe_enumeration(datatype, base()?)?,
        Class::VariableLength => TypeClass::VariableLength { base: base()? },
        Class::Array => TypeClass::Array {
            base: base()?,
            shape: datatype.array_shape()?,
        },
        Class::Reference => match datatype.reference_kind()? {
            ReferenceKind::Object => TypeClass::ObjectReference,
            ReferenceKind::Region => TypeClass::RegionReference,
            ReferenceKind::New => TypeClass::NewReference,
        },
    })
}

fn describe_text(datatype: &Datatype) -> Result<TypeClass> {
    let (utf8, padding) = datatype.text_form()?;
    let padding = match padding {
        1 => TextPadding::NullPadded,
        2 => TextPadding::SpacePadded,
        _ => TextPadding::NullTerminated,
    };
    Ok(if datatype.is_variable_text()? {
        TypeClass::VariableText { utf8, padding }
    } else {
        TypeClass::FixedText { utf8, padding }
    })
}

fn describe_compound(datatype: &Datatype, paths: &HashMap<u64, String>) -> Result<TypeClass> {
    let mut members = Vec::new();
    for i in 0..datatype.member_count()? {
        let member = datatype.member(i)?;
        members.push(MemberDescription {
            name: member.name,
            offset: member.offset,
            datatype: describe(&member.datatype, paths)?,
        });
    }
    Ok(TypeClass::Compound { members })
}

fn describe_enumeration(datatype: &Datatype, base: Box<TypeDescription>) -> Result<TypeClass> {
    let is_big = base.number_order() == Some(ByteOrder::Big);
    let mut members = Vec::new();
    for i in 0..datatype.member_count()? {
        let mut value = datatype.enum_value(i)?;
        if is_big {
            value.reverse();
        }
        members.push((datatype.member_name(i)?, value));
    }
    Ok(TypeClass::Enumeration { base, members })
}
