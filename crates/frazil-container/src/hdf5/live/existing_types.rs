//! The types that programs have defined in a file that is opened to be written on.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`. Variables and attributes have copies of the types that have names: each is
//! of the first one that looks like its own in memory.

use crate::classic::NcType;
use crate::elements::Elements;
use crate::hdf5::{AttributeDescription, Expanded, TypeClass, TypeDescription};
use crate::native::{comparable, is_as_stored, native};
use crate::schema::{DefinedType, SchemaValue, TypeId, ValueType};

/// Types by their numbers.
#[derive(Default)]
pub(super) struct FoundTypes(Vec<Option<TypeDescription>>);

impl FoundTypes {
    /// Adds a type as it lies in the file; as it is in memory.
    pub(super) fn add(&mut self, stored: TypeDescription) -> TypeDescription {
        self.0.push(native(&stored).as_ref().map(comparable));
        stored.in_memory()
    }

    /// The type of elements; `None`: netCDF has none for them, or it is one that nobody asked for.
    pub(super) fn value_type(&self, datatype: &TypeDescription) -> Option<ValueType> {
        match datatype.class {
            TypeClass::VariableText { .. } => Some(ValueType::String),
            TypeClass::FixedText { .. } if datatype.size_bytes > 1 => Some(ValueType::String),
            _ => match NcType::of(datatype) {
                Some(nc_type) => Some(ValueType::Atomic(nc_type)),
                None => self.defined(datatype).map(|(of, _)| ValueType::Defined(of)),
            },
        }
    }

    /// Values of an attribute of such a type.
    pub(super) fn values(&self, attribute: &AttributeDescription) -> Option<SchemaValue> {
        let (of, native) = self.defined(&attribute.datatype)?;
        let none = Expanded::default();
        let values = attribute.values.as_ref().unwrap_or(&none);
        let values = Elements::of(&native, values.iter()).ok()?;
        Some(SchemaValue::Defined(of, values))
    }

    /// The type with a name of which elements are, and what they are in memory.
    fn defined(&self, datatype: &TypeDescription) -> Option<(DefinedType, TypeDescription)> {
        let native = native(datatype)?;
        let sought = Some(comparable(&native));
        let number = self.0.iter().position(|known| *known == sought)?;
        let base = match &native.class {
            TypeClass::Enumeration { base, .. } => NcType::of(base),
            _ => None,
        };
        let of = DefinedType {
            id: TypeId(number),
            size_bytes: native.size_bytes,
            base,
            is_indirect: native.is_indirect(),
        };
        Some((of, native))
    }
}

/// Whether elements lie in a file as they do in memory.
pub(super) fn lies_as_in_memory(datatype: &TypeDescription) -> bool {
    native(datatype).is_some_and(|native| is_as_stored(datatype, &native))
}
