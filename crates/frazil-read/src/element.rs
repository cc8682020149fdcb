//! The elements that a reader hands out, and the way to them from those in the file.

use frazil_container::hdf5::{FloatForm, TypeClass, TypeDescription};
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
    /// The bits that belong to the value become the whole integer.
    Widen,
    /// By libhdf5, to the element that is handed out.
    Library,
}

/// The elements that reading a variable gives, and how they come about.
///
/// Numbers are in this machine's order and use all their bits. Compounds, arrays inside elements,
/// opaque data, texts, and floats that do not fit into a `double` are as they lie in the file.
pub(super) fn handed_out(variable: &Variable) -> (ElementType, Conversion) {
    let stored = variable.dataset.element;
    let datatype = &variable.datatype;
    let as_stored = ElementType {
        order: ByteOrder::None,
        ..stored
    };
    if stored.class == ElementClass::Indirect {
        return (as_stored, Conversion::Library);
    }
    let Some((class, size_bytes)) = datatype.number() else {
        return match odd_number(datatype) {
            Some(element) => (element, Conversion::Library),
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
        return (element, Conversion::Widen);
    }
    // libhdf5 converts plain integers and floating point only.
    let is_plain = matches!(
        datatype.class,
        TypeClass::Integer { .. } | TypeClass::Float { .. }
    );
    if is_plain && !datatype.is_whole_number() && size_bytes >= least_bytes(class) {
        return (element, Conversion::Library);
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

/// libhdf5 knows no plain half-precision number to convert to.
fn least_bytes(class: ElementClass) -> usize {
    if class == ElementClass::Float { 4 } else { 1 }
}

/// A usual number that holds all values of an unusual one. Others stay as they lie in the file.
fn odd_number(datatype: &TypeDescription) -> Option<ElementType> {
    let size = datatype.size_bytes;
    let (class, size_bytes) = match &datatype.class {
        TypeClass::Float { form, .. } if fits_double(form) => (ElementClass::Float, 8),
        TypeClass::Integer { signed, .. } if size <= 8 => {
            let class = if *signed {
                ElementClass::SignedInteger
            } else {
                ElementClass::UnsignedInteger
            };
            (class, size.next_power_of_two())
        }
        _ => return None,
    };
    Some(ElementType {
        class,
        size_bytes,
        order: NATIVE,
    })
}

/// Whether binary64 has every number of this form, and libhdf5 can convert it.
fn fits_double(form: &FloatForm) -> bool {
    /// It writes numbers whose mantissa has its first bit stored, and does not read them.
    const FIRST_BIT_STORED: u8 = 1;
    let implied_bits = usize::from(form.normalisation == 0);
    // The largest exponent stands for infinity.
    form.normalisation != FIRST_BIT_STORED
        && form.mantissa_bits + implied_bits <= 53
        && form.exponent_bits <= 11
        && (1_usize << form.exponent_bits) <= form.bias.saturating_add(1025)
        && form.bias.saturating_add(form.mantissa_bits) <= 1075
}

/// One element of what chunks that are not stored hold, as handed out; for values that libhdf5
/// converts, [`super::generation::FileSnapshot::fill_inside`] asks it.
pub(super) fn fill_as_stored(variable: &Variable) -> Vec<u8> {
    let (element, conversion) = handed_out(variable);
    let mut fill = variable.dataset.fill.clone();
    match conversion {
        Conversion::Swap(unit) if fill.len() == element.size_bytes => {
            if let Some(unit) = unit {
                fill.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
            }
            fill
        }
        Conversion::Widen if fill.len() == element.size_bytes => {
            variable.datatype.widen_integers(&mut fill);
            fill
        }
        _ => vec![0; element.size_bytes],
    }
}
