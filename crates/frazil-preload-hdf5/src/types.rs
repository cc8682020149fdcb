//! Types of elements: which are plain bytes, and which libhdf5 converts without more ado.

use crate::handles::Owned;
use crate::library::{Functions, Hid};

/// `H5T_class_t`
const INTEGER: i32 = 0;
const FLOAT: i32 = 1;
const BITFIELD: i32 = 4;
const STRING: i32 = 3;
const OPAQUE: i32 = 5;
const COMPOUND: i32 = 6;
const ENUM: i32 = 8;
const ARRAY: i32 = 10;
const COMPLEX: i32 = 11;
/// Types in types that are looked into.
const DEEPEST: usize = 16;

/// How values in memory become those in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// They are the same bytes.
    Same,
    /// Numbers of other types: libhdf5 converts them.
    Converted,
    /// Only `H5Dwrite` does it.
    Other,
}

/// What a program's type in memory is for a type in the file.
pub(crate) fn values(hdf5: &Functions, memory: Hid, file: Hid) -> Values {
    // SAFETY: both are types.
    let (equal, classes) = unsafe {
        let equal = (hdf5.H5Tequal)(memory, file);
        (
            equal,
            [(hdf5.H5Tget_class)(memory), (hdf5.H5Tget_class)(file)],
        )
    };
    let is_number = |class: &i32| [INTEGER, FLOAT].contains(class);
    match equal {
        1.. if is_plain(hdf5, file, 0) => Values::Same,
        0 if classes.iter().all(is_number) => Values::Converted,
        _ => Values::Other,
    }
}

/// Whether values are the bytes that are stored: no addresses of strings or of other objects.
fn is_plain(hdf5: &Functions, datatype: Hid, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let inner_is_plain = |inner: Hid| {
        let inner = Owned::new(inner, hdf5.H5Tclose);
        inner.is_some_and(|inner| is_plain(hdf5, inner.id, depth + 1))
    };
    // SAFETY: a type; members by their numbers.
    unsafe {
        match (hdf5.H5Tget_class)(datatype) {
            INTEGER | FLOAT | BITFIELD | OPAQUE | ENUM | COMPLEX => true,
            STRING => (hdf5.H5Tis_variable_str)(datatype) == 0,
            ARRAY => inner_is_plain((hdf5.H5Tget_super)(datatype)),
            COMPOUND => {
                let members = u32::try_from((hdf5.H5Tget_nmembers)(datatype)).unwrap_or(0);
                members > 0
                    && (0..members)
                        .all(|member| inner_is_plain((hdf5.H5Tget_member_type)(datatype, member)))
            }
            _ => false,
        }
    }
}
