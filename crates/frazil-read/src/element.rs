//! The elements that a reader hands out, and the way to them from those in the file.

use frazil_container::classic::NcType;
use frazil_container::hdf5::{FillStatus, NumberConversion, TypeClass, TypeDescription};
use frazil_container::model::Variable;
use frazil_types::{ByteOrder, ElementClass, ElementType};

/// This machine's byte order.
const NATIVE: ByteOrder = if cfg!(target_endian = "big") {
    ByteOrder::Big
} else {
    ByteOrder::Little
};

/// How elements come out of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// As they are, bytes of each unit of this many reversed.
    Swap(Option<usize>),
    /// As another number of this machine, which has the same value.
    Number,
    /// As they are, but for what follows texts.
    Texts,
    /// In their expanded form only: they lead elsewhere in the file.
    Expansion,
}

/// The elements that reading a variable gives, and how they come about.
///
/// Numbers are in this machine's order and use all their bits. Compounds, arrays inside elements,
/// opaque data, and floats that do not fit into a `double` are as they lie in the file, but for texts: what follows
/// them is filled up with NULs.
pub(super) fn handed_out(variable: &Variable) -> (ElementType, Conversion) {
    let stored = variable.dataset.element;
    let datatype = &variable.datatype;
    let as_stored = ElementType {
        order: ByteOrder::None,
        ..stored
    };
    if stored.class == ElementClass::Indirect {
        return (as_stored, Conversion::Expansion);
    }
    if datatype.holds_texts() {
        return (as_stored, Conversion::Texts);
    }
    let Some((class, size_bytes)) = datatype.number() else {
        return match odd_number(datatype) {
            Some(element) => (element, Conversion::Number),
            None => (as_bytes(as_stored), Conversion::Swap(None)),
        };
    };
    let is_enumeration = matches!(datatype.class, TypeClass::Enumeration { .. });
    let class = if is_enumeration {
        ElementClass::Enumeration
    } else {
        class
    };
    let element = ElementType {
        class,
        size_bytes,
        order: if size_bytes == 1 {
            ByteOrder::None
        } else {
            NATIVE
        },
    };
    if datatype.is_partial_integer() {
        return (element, Conversion::Number);
    }
    let is_foreign = size_bytes > 1 && datatype.number_order() != Some(NATIVE);
    (element, Conversion::Swap(is_foreign.then_some(size_bytes)))
}

/// No machine has integers of more than 8 bytes: they are handed out as bytes.
fn as_bytes(stored: ElementType) -> ElementType {
    let class = match stored.class {
        ElementClass::SignedInteger | ElementClass::UnsignedInteger => ElementClass::Opaque,
        class => class,
    };
    ElementType { class, ..stored }
}

/// A usual number that holds all values of an unusual one. Others stay as they lie in the file.
fn odd_number(datatype: &TypeDescription) -> Option<ElementType> {
    NumberConversion::of(datatype)?;
    let (class, size_bytes) = match &datatype.class {
        TypeClass::Float { .. } => (ElementClass::Float, 8),
        TypeClass::Integer { signed, .. } => {
            let class = if *signed {
                ElementClass::SignedInteger
            } else {
                ElementClass::UnsignedInteger
            };
            (class, datatype.size_bytes.next_power_of_two())
        }
        _ => return None,
    };
    Some(ElementType {
        class,
        size_bytes,
        order: NATIVE,
    })
}

/// Elements as they lie in the file, turned into those that are handed out.
pub(super) fn converted(variable: &Variable, stored: &[u8], target: &mut [u8]) {
    let (element, conversion) = handed_out(variable);
    match (conversion, NumberConversion::of(&variable.datatype)) {
        (Conversion::Number, Some(way)) => way.convert(stored, target, element.size_bytes),
        (Conversion::Swap(unit), _) => {
            let length = stored.len().min(target.len());
            target[..length].copy_from_slice(&stored[..length]);
            swap_units(target, unit);
        }
        (Conversion::Texts, _) => {
            let length = stored.len().min(target.len());
            target[..length].copy_from_slice(&stored[..length]);
            variable.datatype.clear_behind_texts(target);
        }
        _ => {}
    }
}

/// Reverses the bytes of each unit.
pub(super) fn swap_units(values: &mut [u8], unit: Option<usize>) {
    if let Some(unit) = unit.filter(|&unit| unit > 0) {
        values.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
}

/// One element of what chunks that are not stored hold, as handed out; empty: zeros.
pub(super) fn fill_inside(variable: &Variable) -> Vec<u8> {
    if variable.dataset.has_oversized_elements() {
        return Vec::new();
    }
    let mut fill = vec![0; handed_out(variable).0.size_bytes];
    converted(variable, &variable.dataset.fill, &mut fill);
    fill
}

/// One element of what readers of netCDF see where a variable is shorter than its unlimited
/// dimension: its own fill value, else that of its type. The attribute `_FillValue` counts for
/// nothing, as in netCDF-C.
pub(super) fn fill_outside(variable: &Variable) -> Vec<u8> {
    let has_own = variable.dataset.fill_status == FillStatus::User;
    let numbers = match &variable.datatype.class {
        TypeClass::Enumeration { base, .. } => base,
        _ => &variable.datatype,
    };
    match NcType::of(numbers).filter(|_| !has_own) {
        Some(nc_type) => nc_type.default_fill().to_native_bytes(),
        None => fill_inside(variable),
    }
}
