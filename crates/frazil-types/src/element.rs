//! What one array element is, as far as bytes are concerned.

use serde::{Deserialize, Serialize};

/// Order of the bytes of one element in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first (classic netCDF).
    Big,
    /// Single bytes, text, opaque and compound data: no order applies to the whole element.
    None,
}

/// The class of an element: decides which transforms make sense for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementClass {
    /// Two's complement integer.
    SignedInteger,
    /// Unsigned integer.
    UnsignedInteger,
    /// IEEE 754 binary floating point, in either byte order; no other kind of it.
    Float,
    /// Fixed-length text.
    Text,
    /// Enumeration over an integer.
    Enumeration,
    /// Compound, array, opaque, bitfield, time, or floating point other than IEEE 754's: fixed size,
    /// no pointers inside.
    Opaque,
    /// Holds heap references (variable-length data, strings) or object references: bytes of this
    /// class mean nothing outside their own file and are never copied as they are.
    Indirect,
}

/// Class, size and byte order of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ElementType {
    /// The element's class.
    pub class: ElementClass,
    /// Size of one element in bytes; never 0.
    pub size_bytes: usize,
    /// Byte order in the file.
    pub order: ByteOrder,
}

impl ElementType {
    /// Whether chunks of this element may be moved between files byte by byte.
    #[must_use]
    pub fn is_self_contained(&self) -> bool {
        self.class != ElementClass::Indirect
    }

    /// Short name as ncdump and numpy users know it: `float32`, `int16`, `text`, `opaque(12)`.
    #[must_use]
    pub fn name(&self) -> String {
        let bits = self.size_bytes * 8;
        match self.class {
            ElementClass::SignedInteger => format!("int{bits}"),
            ElementClass::UnsignedInteger => format!("uint{bits}"),
            ElementClass::Float => format!("float{bits}"),
            ElementClass::Text if self.size_bytes == 1 => "char".to_owned(),
            ElementClass::Text => format!("text({})", self.size_bytes),
            ElementClass::Enumeration => format!("enum{bits}"),
            ElementClass::Opaque => format!("opaque({})", self.size_bytes),
            ElementClass::Indirect => "vlen".to_owned(),
        }
    }
}
/// The element that all of `values` are, bit for bit, if there is one. An element has
/// `element_bytes`.
#[must_use]
pub fn repeated_element(values: &[u8], element_bytes: usize) -> Option<&[u8]> {
    let element = values.get(..element_bytes)?;
    let is_repeated =
        element_bytes > 0 && values[..values.len() - element_bytes] == values[element_bytes..];
    is_repeated.then_some(element)
}

/// Whether values are one element over and over, at least once.
#[must_use]
pub fn is_all(values: &[u8], element: &[u8]) -> bool {
    repeated_element(values, element.len()) == Some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_elements_are_told_by_their_bits() {
        let repeated = |values, bytes| repeated_element(values, bytes);
        assert_eq!(repeated(&[1, 2, 1, 2, 1, 2], 2), Some([1, 2].as_slice()));
        assert_eq!(repeated(&[1, 2, 1, 3], 2), None);
        assert_eq!(repeated(&[7, 7], 2), Some([7, 7].as_slice()));
        assert_eq!(repeated(&[7], 2), None);
        assert_eq!(repeated(&[7], 0), None);
        assert!(is_all(&[7, 7], &[7]) && !is_all(&[7, 8], &[7]) && !is_all(&[], &[7]));
    }
}
