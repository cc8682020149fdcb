//! Plans and element types in short words.

use frazil_types::{
    ByteOrder, ElementClass, ElementType, ErrorBound, ProtectedValues, QuantizePlan, Rounding,
};

pub(crate) const SINGLE: ElementType = float(4, ByteOrder::Little);
pub(crate) const DOUBLE: ElementType = float(8, ByteOrder::Little);

pub(crate) const fn float(size_bytes: usize, order: ByteOrder) -> ElementType {
    ElementType {
        class: ElementClass::Float,
        size_bytes,
        order,
    }
}

pub(crate) fn bits(significant_bits: u32) -> Rounding {
    Rounding::BitRound { significant_bits }
}

pub(crate) fn granular(significant_digits: u32) -> Rounding {
    Rounding::GranularBitRound { significant_digits }
}

pub(crate) fn groom(significant_digits: u32) -> Rounding {
    Rounding::BitGroom { significant_digits }
}

/// Nothing but the rounding.
pub(crate) fn plain(rounding: Rounding) -> QuantizePlan {
    QuantizePlan {
        rounding,
        bound: ErrorBound::default(),
        protected: ProtectedValues::default(),
        keep_information: None,
        forced: false,
    }
}

/// BitRound with the fewest bits for a bound.
pub(crate) fn bounded(bound: ErrorBound) -> QuantizePlan {
    QuantizePlan {
        bound,
        ..plain(Rounding::BoundedBitRound {
            least_significant_bits: 0,
        })
    }
}

pub(crate) fn relative(share: f64) -> ErrorBound {
    ErrorBound {
        relative: Some(share),
        ..ErrorBound::default()
    }
}

pub(crate) fn absolute(error: f64) -> ErrorBound {
    ErrorBound {
        absolute: Some(error),
        ..ErrorBound::default()
    }
}

/// Every fixed algorithm with every number it accepts.
pub(crate) fn all_fixed(element: ElementType) -> Vec<Rounding> {
    let (most_bits, most_digits) = match element.size_bytes {
        4 => (23, 6),
        _ => (52, 15),
    };
    let digits = 1..=most_digits;
    (1..=most_bits)
        .map(bits)
        .chain(digits.clone().map(granular))
        .chain(digits.map(groom))
        .collect()
}
