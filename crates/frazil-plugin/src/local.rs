//! Client data values that depend on the dataset: element type and chunk shape.

use std::ffi::c_int;

use frazil_types::{ByteOrder, ElementClass, ElementType, completed_values};

use crate::host::Host;

/// `H5T_class_t`, `H5T_order_t`, `H5T_sign_t`.
const INTEGER: c_int = 0;
const FLOAT: c_int = 1;
const BIG_ENDIAN: c_int = 1;
const SIGNED: c_int = 1;

/// Completes the values of filter `id` in a creation property list; `None` if it cannot be applied,
/// else a status of success. Where no libhdf5 is found, the values stay as they are.
pub(crate) fn complete(id: i32, dcpl: i64, datatype: i64, space: i64) -> Option<c_int> {
    let Some(host) = Host::of(dcpl, datatype, space) else {
        return Some(1);
    };
    let (flags, given) = host.filter(dcpl, id)?;
    let chunk = host.chunk(dcpl)?;
    let values = completed_values(id, &given, element(&host, datatype), &chunk)?;
    if values == given {
        return Some(1);
    }
    host.set_filter(dcpl, id, flags, &values).then_some(1)
}

fn element(host: &Host, datatype: i64) -> ElementType {
    let (size_bytes, class, order, sign) = host.element(datatype);
    ElementType {
        class: match (class, sign) {
            (INTEGER, SIGNED) => ElementClass::SignedInteger,
            (INTEGER, _) => ElementClass::UnsignedInteger,
            (FLOAT, _) => ElementClass::Float,
            _ => ElementClass::Opaque,
        },
        size_bytes,
        order: match order {
            BIG_ENDIAN => ByteOrder::Big,
            _ => ByteOrder::Little,
        },
    }
}
