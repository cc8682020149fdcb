//! Types as Zarr names them: as numpy does.

use frazil_container::model::{MemberDescription, TypeClass, TypeDescription};
use frazil_types::{ByteOrder, ElementClass};
use serde_json::{Value, json};

use super::Refusal;

/// The name of a type as it lies in the file: `"<f4"`, or a list of members.
pub(super) fn dtype(datatype: &TypeDescription) -> Result<Value, Refusal> {
    match &datatype.class {
        TypeClass::Compound { members } => compound(members, datatype.size_bytes),
        _ => simple(datatype).map(Value::from),
    }
}

fn simple(datatype: &TypeDescription) -> Result<String, Refusal> {
    let size = datatype.size_bytes;
    if let Some((class, size)) = datatype.number() {
        let letter = match class {
            ElementClass::SignedInteger => 'i',
            ElementClass::UnsignedInteger => 'u',
            _ => 'f',
        };
        return match datatype.is_whole_number() {
            true => Ok(format!("{}{letter}{size}", order(datatype, size))),
            false => Err(Refusal::new("Zarr has no numbers with unused bits")),
        };
    }
    match &datatype.class {
        TypeClass::Complex { part } if part.is_ieee() && matches!(part.size_bytes, 4 | 8) => {
            Ok(format!("{}c{size}", order(part, size)))
        }
        TypeClass::FixedText { .. } => Ok(format!("|S{size}")),
        TypeClass::Opaque { .. } => Ok(format!("|V{size}")),
        other => Err(Refusal::new(format!("Zarr has no {}", words(other)))),
    }
}

fn order(datatype: &TypeDescription, size: usize) -> char {
    match datatype.number_order() {
        _ if size == 1 => '|',
        Some(ByteOrder::Big) => '>',
        _ => '<',
    }
}

/// Members must follow each other without gaps: numpy's names of types know no offsets.
fn compound(members: &[MemberDescription], size_bytes: usize) -> Result<Value, Refusal> {
    let mut list = Vec::new();
    let mut end = 0;
    for member in members {
        if member.offset != end {
            return Err(padding());
        }
        end += member.datatype.size_bytes;
        list.push(match &member.datatype.class {
            TypeClass::Array { base, shape } => json!([member.name, dtype(base)?, shape]),
            _ => json!([member.name, dtype(&member.datatype)?]),
        });
    }
    match end == size_bytes {
        true => Ok(Value::Array(list)),
        false => Err(padding()),
    }
}

fn padding() -> Refusal {
    Refusal::new("Zarr has no compounds with gaps between their members")
}

fn words(class: &TypeClass) -> &'static str {
    match class {
        TypeClass::Integer { .. } => "integers of this size",
        TypeClass::Float { .. } => "floating point of this form",
        TypeClass::Bitfield { .. } => "bit sets of this size",
        TypeClass::Time { .. } => "times of HDF5",
        TypeClass::Complex { .. } => "complex numbers of this form",
        TypeClass::VariableText { .. } => "strings inside compounds",
        TypeClass::Enumeration { .. } => "enumerations of this size",
        TypeClass::Array { .. } => "arrays inside elements",
        TypeClass::VariableLength { .. } => "sequences of variable length",
        TypeClass::ObjectReference | TypeClass::RegionReference | TypeClass::NewReference => {
            "references to objects"
        }
        TypeClass::FixedText { .. } | TypeClass::Opaque { .. } | TypeClass::Compound { .. } => {
            "elements of this kind"
        }
    }
}
