//! Dimensions of a test field and their coordinates, as climate models name them.

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicVariable, NcType,
};
use frazil_types::Selection;

/// One dimension: its name, its coordinate's attributes, and where its first and last cell end.
struct Known {
    name: &'static str,
    attributes: &'static [(&'static str, &'static str)],
    values: Spacing,
}

/// Values of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spacing {
    /// From this number on, one more for each element.
    Counted(f64),
    /// Centres of equal cells between two ends.
    Cells(f64, f64),
}

/// Slowest first; a field of fewer dimensions has the last ones.
const KNOWN: [Known; 4] = [
    Known {
        name: "time",
        attributes: &[
            ("standard_name", "time"),
            ("units", "days since 2000-01-01"),
            ("calendar", "standard"),
            ("axis", "T"),
        ],
        values: Spacing::Counted(0.0),
    },
    Known {
        name: "lev",
        attributes: &[
            ("long_name", "level number"),
            ("units", "1"),
            ("positive", "up"),
            ("axis", "Z"),
        ],
        values: Spacing::Counted(1.0),
    },
    Known {
        name: "lat",
        attributes: &[
            ("standard_name", "latitude"),
            ("units", "degrees_north"),
            ("axis", "Y"),
        ],
        values: Spacing::Cells(-90.0, 90.0),
    },
    Known {
        name: "lon",
        attributes: &[
            ("standard_name", "longitude"),
            ("units", "degrees_east"),
            ("axis", "X"),
        ],
        values: Spacing::Cells(0.0, 360.0),
    },
];

/// The most dimensions that a field may have.
pub(super) const MOST: usize = KNOWN.len();

fn known(rank: usize) -> &'static [Known] {
    &KNOWN[MOST - rank.min(MOST)..]
}

/// The dimensions of a field.
pub(super) fn dimensions(shape: &[u64]) -> Vec<ClassicDimension> {
    let dimension = |(known, &length): (&Known, &u64)| ClassicDimension {
        name: known.name.to_owned(),
        length,
        is_record: false,
    };
    known(shape.len())
        .iter()
        .zip(shape)
        .map(dimension)
        .collect()
}

/// The coordinate variables of a field. One of a single dimension has none: it would be as large
/// as the field.
pub(super) fn coordinates(shape: &[u64]) -> Vec<ClassicVariable> {
    if shape.len() < 2 {
        return Vec::new();
    }
    let variable = |(id, known): (usize, &Known)| ClassicVariable {
        name: known.name.to_owned(),
        dimensions: vec![id],
        attributes: (known.attributes.iter())
            .map(|&(name, value)| text(name, value))
            .collect(),
        nc_type: NcType::Double,
    };
    known(shape.len())
        .iter()
        .enumerate()
        .map(variable)
        .collect()
}

/// Values of the coordinate of `axis`; beyond the axis they go on.
pub(super) fn coordinate_values(shape: &[u64], axis: usize, part: &Selection) -> Vec<f64> {
    let (Some(&start), Some(&count)) = (part.start.first(), part.count.first()) else {
        return Vec::new();
    };
    let length = shape[axis] as f64;
    let value = |element: u64| match known(shape.len())[axis].values {
        Spacing::Counted(first) => first + element as f64,
        Spacing::Cells(from, to) => from + (element as f64 + 0.5) * ((to - from) / length),
    };
    (start..start.saturating_add(count)).map(value).collect()
}

/// A text attribute.
pub(super) fn text(name: &str, value: &str) -> ClassicAttribute {
    ClassicAttribute {
        name: name.to_owned(),
        value: AttributeValue::Char(value.as_bytes().to_vec()),
    }
}

/// A numeric attribute of doubles.
pub(super) fn doubles(name: &str, values: &[f64]) -> ClassicAttribute {
    ClassicAttribute {
        name: name.to_owned(),
        value: AttributeValue::Double(values.to_vec()),
    }
}
