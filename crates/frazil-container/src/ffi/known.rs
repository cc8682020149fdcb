//! What the numbers stand for that libhdf5 returns for its enumerations.
//!
//! Files choose many of them. They cross as plain numbers (see [`super::api`]), and only those that
//! are listed here become values.

use std::ffi::c_int;

use hdf5_sys::h5d::H5D_layout_t;
use hdf5_sys::h5s::H5S_class_t;
use hdf5_sys::h5t::H5T_class_t;

use super::handle::failure;
use crate::error::{ContainerError, Result};

/// A datatype's class, as far as copying and comparing go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Integer,
    Float,
    Time,
    String,
    Bitfield,
    Opaque,
    Compound,
    Reference,
    Enumeration,
    VariableLength,
    Array,
    Complex,
}

/// What a number stands for that libhdf5 returned for an enumeration. Files choose such numbers:
/// one without a name is an error, never a value.
///
/// # Errors
/// libhdf5's own, for a negative number; [`ContainerError::Corrupt`] for one that `names` lacks.
pub(super) fn known<T: Copy>(number: c_int, what: &str, names: &[(c_int, T)]) -> Result<T> {
    match names.iter().find(|(known, _)| *known == number) {
        Some((_, value)) => Ok(*value),
        None if number < 0 => Err(failure(&format!("read the {what}"))),
        None => Err(ContainerError::Corrupt(format!(
            "no {what} has the number {number}"
        ))),
    }
}

pub(super) const DATATYPE_CLASSES: [(c_int, Class); 12] = [
    (H5T_class_t::H5T_INTEGER as c_int, Class::Integer),
    (H5T_class_t::H5T_FLOAT as c_int, Class::Float),
    (H5T_class_t::H5T_TIME as c_int, Class::Time),
    (H5T_class_t::H5T_STRING as c_int, Class::String),
    (H5T_class_t::H5T_BITFIELD as c_int, Class::Bitfield),
    (H5T_class_t::H5T_OPAQUE as c_int, Class::Opaque),
    (H5T_class_t::H5T_COMPOUND as c_int, Class::Compound),
    (H5T_class_t::H5T_REFERENCE as c_int, Class::Reference),
    (H5T_class_t::H5T_ENUM as c_int, Class::Enumeration),
    (H5T_class_t::H5T_VLEN as c_int, Class::VariableLength),
    (H5T_class_t::H5T_ARRAY as c_int, Class::Array),
    (H5T_class_t::H5T_COMPLEX as c_int, Class::Complex),
];

pub(super) const DATASPACE_CLASSES: [(c_int, H5S_class_t); 3] = [
    (H5S_class_t::H5S_SCALAR as c_int, H5S_class_t::H5S_SCALAR),
    (H5S_class_t::H5S_SIMPLE as c_int, H5S_class_t::H5S_SIMPLE),
    (H5S_class_t::H5S_NULL as c_int, H5S_class_t::H5S_NULL),
];

pub(super) const LAYOUTS: [(c_int, H5D_layout_t); 4] = [
    (
        H5D_layout_t::H5D_COMPACT as c_int,
        H5D_layout_t::H5D_COMPACT,
    ),
    (
        H5D_layout_t::H5D_CONTIGUOUS as c_int,
        H5D_layout_t::H5D_CONTIGUOUS,
    ),
    (
        H5D_layout_t::H5D_CHUNKED as c_int,
        H5D_layout_t::H5D_CHUNKED,
    ),
    (
        H5D_layout_t::H5D_VIRTUAL as c_int,
        H5D_layout_t::H5D_VIRTUAL,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_name_are_damage() {
        let names = [(0, 'a'), (4, 'b')];
        assert_eq!(known(4, "letter", &names).unwrap(), 'b');
        for number in 1..=255 {
            let found = known(number, "letter", &names);
            match number {
                4 => assert!(found.is_ok()),
                _ => assert!(matches!(found, Err(ContainerError::Corrupt(_))), "{number}"),
            }
        }
        assert!(matches!(
            known(-1, "letter", &names),
            Err(ContainerError::Hdf5 { .. })
        ));
    }
}
