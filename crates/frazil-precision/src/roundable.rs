//! Which types of values can be rounded at all: IEEE 754's binary32 and binary64, no others.

use frazil_container::hdf5::{DatasetInfo, TypeClass, TypeDescription};
use frazil_types::{ElementClass, ElementType};

use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::storage_error::from_container;

/// Floating point with other bits than those of IEEE 754, as HDF5 can describe it.
const OTHER_FLOATS: &str = "floating point other than IEEE 754's binary32 and binary64";

/// Why the type of a variable cannot be rounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeObstacle {
    /// In a user's words, for one or several variables.
    pub reason: String,
    /// Whether elements are or hold numbers: whoever asks for precision may have meant them.
    pub has_numbers: bool,
}

/// Why values of a variable cannot be rounded, whatever is asked; `None`: they can.
///
/// # Errors
/// If the datatype cannot be read.
pub fn type_obstacle(input: &Input, variable: &DatasetInfo) -> Result<Option<TypeObstacle>> {
    let element = variable.element;
    let (ElementClass::Opaque | ElementClass::Indirect, Some(hdf5)) = (element.class, input.hdf5())
    else {
        return Ok(element_obstacle(element));
    };
    let datatype = hdf5
        .describe_datatype(variable)
        .map_err(|error| from_container(error, input.path()).at_variable(&variable.path))?;
    Ok(Some(described_obstacle(&datatype)))
}

/// As [`type_obstacle`], where class and size say all.
pub fn element_obstacle(element: ElementType) -> Option<TypeObstacle> {
    let (reason, has_numbers) = match (element.class, element.size_bytes) {
        (ElementClass::Float, 4 | 8) => return None,
        (ElementClass::Float, size) => (format!("floating point of {} bits", 8 * size), true),
        (ElementClass::SignedInteger | ElementClass::UnsignedInteger, _) => {
            ("integers".to_owned(), true)
        }
        (ElementClass::Enumeration, _) => ("enumerations".to_owned(), false),
        (ElementClass::Text, _) => ("text".to_owned(), false),
        (ElementClass::Opaque | ElementClass::Indirect, _) => {
            ("no plain numbers".to_owned(), false)
        }
    };
    Some(TypeObstacle {
        reason,
        has_numbers,
    })
}

/// What elements are, in a few words; floating point of other bits than IEEE 754's by that name.
///
/// # Errors
/// If the datatype cannot be read.
pub(crate) fn element_kind(input: &Input, variable: &DatasetInfo) -> Result<String> {
    let is_other_float = |obstacle: &TypeObstacle| obstacle.reason == OTHER_FLOATS;
    let obstacle = type_obstacle(input, variable)?.filter(is_other_float);
    Ok(obstacle.map_or_else(|| variable.element.name(), |obstacle| obstacle.reason))
}

fn described_obstacle(datatype: &TypeDescription) -> TypeObstacle {
    let reason = match &datatype.class {
        TypeClass::Float { .. } => OTHER_FLOATS,
        TypeClass::Complex { .. } => "complex numbers",
        TypeClass::Compound { .. } => "compounds",
        TypeClass::Array { .. } => "arrays inside elements",
        TypeClass::VariableLength { .. } => "elements of variable length",
        TypeClass::FixedText { .. } | TypeClass::VariableText { .. } => "text",
        _ => "no plain numbers",
    };
    TypeObstacle {
        reason: reason.to_owned(),
        has_numbers: holds_floats(datatype),
    }
}

fn holds_floats(datatype: &TypeDescription) -> bool {
    match &datatype.class {
        TypeClass::Float { .. } => true,
        TypeClass::Complex { part: base }
        | TypeClass::Array { base, .. }
        | TypeClass::VariableLength { base } => holds_floats(base),
        TypeClass::Compound { members } => {
            members.iter().any(|member| holds_floats(&member.datatype))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::ByteOrder;

    #[test]
    fn only_two_types_can_be_rounded() {
        let element = |class, size_bytes| ElementType {
            class,
            size_bytes,
            order: ByteOrder::Big,
        };
        for size in [4, 8] {
            assert_eq!(element_obstacle(element(ElementClass::Float, size)), None);
        }
        for (class, size) in [
            (ElementClass::Float, 2),
            (ElementClass::Float, 16),
            (ElementClass::Opaque, 4),
            (ElementClass::Enumeration, 4),
            (ElementClass::UnsignedInteger, 8),
        ] {
            assert!(
                element_obstacle(element(class, size)).is_some(),
                "{class:?}"
            );
        }
    }
}
