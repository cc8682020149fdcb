//! Types as they are in the memory of programs on this machine.
//!
//! Source: `H5Tget_native_type` (libhdf5's `H5Tnative.c`), by which netCDF-C lays values out and tells types
//! apart.

use crate::classic::NcType;
use frazil_hdf5::{MemberDescription, TextPadding, TypeClass, TypeDescription};

/// Bytes of `char *`, and how it is aligned.
const POINTER: usize = 8;
/// Bytes of `nc_vlen_t`: a number and a pointer.
pub const SEQUENCE: usize = 16;

/// The type of the same values in memory, members of compounds in their order; `None`: netCDF-C has no such
/// type.
#[must_use]
pub fn native(stored: &TypeDescription) -> Option<TypeDescription> {
    Some(aligned(stored)?.0)
}

/// The type in memory, and how it is aligned.
fn aligned(stored: &TypeDescription) -> Option<(TypeDescription, usize)> {
    if let Some(nc_type) = NcType::of(stored) {
        let class = match nc_type {
            NcType::Char => stored.class.clone(),
            _ => nc_type.description().class,
        };
        let size = nc_type.size_bytes();
        return Some((of(class, size), size));
    }
    let class = stored.class.clone();
    Some(match &stored.class {
        TypeClass::VariableText { .. } => (of(class, POINTER), POINTER),
        TypeClass::Opaque { .. } => (of(class, stored.size_bytes), 1),
        TypeClass::Enumeration { base, members } => {
            let (base, alignment) = aligned(base)?;
            let size = base.size_bytes;
            let class = TypeClass::Enumeration {
                base: Box::new(base),
                members: members.clone(),
            };
            (of(class, size), alignment)
        }
        TypeClass::VariableLength { base } => {
            let base = Box::new(aligned(base)?.0);
            (of(TypeClass::VariableLength { base }, SEQUENCE), POINTER)
        }
        TypeClass::Array { base, shape } => {
            let (base, alignment) = aligned(base)?;
            let bytes =
                |bytes: usize, &length: &u64| usize::try_from(length).ok()?.checked_mul(bytes);
            let size = shape.iter().try_fold(base.size_bytes, bytes)?;
            let class = TypeClass::Array {
                base: Box::new(base),
                shape: shape.clone(),
            };
            (of(class, size), alignment)
        }
        TypeClass::Compound { members } => compound(members)?,
        _ => return None,
    })
}

/// A string as netCDF-C writes it.
#[must_use]
pub fn string() -> TypeDescription {
    let class = TypeClass::VariableText {
        utf8: true,
        padding: TextPadding::NullTerminated,
    };
    of(class, POINTER)
}

/// A structure: each member where it may be, the whole as the member that is aligned most.
fn compound(stored: &[MemberDescription]) -> Option<(TypeDescription, usize)> {
    let (mut end, mut most) = (0_usize, 1);
    let mut members = Vec::with_capacity(stored.len());
    for member in stored {
        let (datatype, alignment) = aligned(&member.datatype)?;
        let offset = end.checked_next_multiple_of(alignment)?;
        end = offset.checked_add(datatype.size_bytes)?;
        most = most.max(alignment);
        members.push(MemberDescription {
            name: member.name.clone(),
            offset,
            datatype,
        });
    }
    let size = end.checked_next_multiple_of(most)?;
    Some((of(TypeClass::Compound { members }, size), most))
}

fn of(class: TypeClass, size_bytes: usize) -> TypeDescription {
    TypeDescription {
        size_bytes,
        committed: None,
        class,
    }
}

/// A type in the form in which two are the same if netCDF-C takes one for the other: members in the order of
/// their names.
#[must_use]
pub fn comparable(native: &TypeDescription) -> TypeDescription {
    let boxed = |base: &TypeDescription| Box::new(comparable(base));
    let class = match &native.class {
        TypeClass::Compound { members } => {
            let mut members: Vec<_> = members
                .iter()
                .map(|member| MemberDescription {
                    name: member.name.clone(),
                    offset: member.offset,
                    datatype: comparable(&member.datatype),
                })
                .collect();
            members.sort_by(|one, other| one.name.cmp(&other.name));
            TypeClass::Compound { members }
        }
        TypeClass::Enumeration { base, members } => {
            let mut members = members.clone();
            members.sort();
            let base = boxed(base);
            TypeClass::Enumeration { base, members }
        }
        TypeClass::VariableLength { base } => TypeClass::VariableLength { base: boxed(base) },
        TypeClass::Array { base, shape } => TypeClass::Array {
            base: boxed(base),
            shape: shape.clone(),
        },
        class => class.clone(),
    };
    of(class, native.size_bytes)
}

/// Whether elements lie in the one form as they do in the other; what they point to counts by its own form.
#[must_use]
pub fn is_as_stored(stored: &TypeDescription, native: &TypeDescription) -> bool {
    stored.size_bytes == native.size_bytes
        && match (&stored.class, &native.class) {
            (TypeClass::Compound { members: one }, TypeClass::Compound { members: other }) => {
                let mut pairs = one.iter().zip(other);
                pairs.all(|(one, other)| {
                    one.offset == other.offset && is_as_stored(&one.datatype, &other.datatype)
                })
            }
            (TypeClass::Array { base: one, .. }, TypeClass::Array { base: other, .. })
            | (
                TypeClass::Enumeration { base: one, .. },
                TypeClass::Enumeration { base: other, .. },
            )
            | (
                TypeClass::VariableLength { base: one },
                TypeClass::VariableLength { base: other },
            ) => is_as_stored(one, other),
            (TypeClass::VariableText { .. }, TypeClass::VariableText { .. }) => true,
            (one, other) => one == other && cfg!(target_endian = "little"),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, datatype: TypeDescription, offset: usize) -> MemberDescription {
        MemberDescription {
            name: name.to_owned(),
            offset,
            datatype,
        }
    }

    #[test]
    fn members_move_to_where_the_machine_wants_them() {
        let packed = vec![
            member("a", NcType::Byte.description(), 0),
            member("b", NcType::Double.description().big_endian(), 1),
            member("c", NcType::Short.description(), 9),
        ];
        let packed = of(TypeClass::Compound { members: packed }, 11);
        let native = native(&packed).unwrap();
        let TypeClass::Compound { members } = &native.class else {
            panic!("no compound");
        };
        let offsets: Vec<_> = members.iter().map(|member| member.offset).collect();
        assert_eq!((offsets, native.size_bytes), (vec![0, 8, 16], 24));
        assert!(!is_as_stored(&packed, &native));
        assert!(is_as_stored(&native, &native));
    }

    #[test]
    fn the_order_of_members_makes_no_other_type() {
        let pair = |names: [(&str, usize); 2]| {
            let members = names.map(|(name, at)| member(name, NcType::Int.description(), at));
            let members = members.to_vec();
            comparable(&of(TypeClass::Compound { members }, 8))
        };
        assert_eq!(pair([("a", 0), ("b", 4)]), pair([("b", 4), ("a", 0)]));
        assert_ne!(pair([("a", 0), ("b", 4)]), pair([("a", 4), ("b", 0)]));
    }
}
