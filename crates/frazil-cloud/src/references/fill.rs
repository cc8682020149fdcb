//! Zarr's fill value: what was never written reads as, and, for xarray, what stands for missing values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frazil_container::hdf5::expand_plain;
use frazil_container::model::{AttributeDescription, TypeClass, TypeDescription, Variable};

use super::attributes::FILL_VALUE;
use super::number::{Number, number};

/// A fill value as JSON, and whether it says what the attribute `_FillValue` says.
pub(super) struct Fill {
    pub(super) json: String,
    pub(super) is_of_attribute: bool,
}

/// The fill value of a variable.
///
/// xarray takes Zarr's fill value for `_FillValue`. So a variable without that attribute has none here, unless chunks
/// are missing that do not read as zeros.
pub(super) fn fill(variable: &Variable, has_missing: bool) -> Fill {
    let datatype = &variable.datatype;
    let stated = variable
        .attribute(FILL_VALUE)
        .and_then(|attribute| of_attribute(datatype, attribute));
    let unwritten = match has_missing {
        true => unwritten(variable),
        false => None,
    };
    match (stated, unwritten) {
        (Some(json), None) => Fill {
            json,
            is_of_attribute: true,
        },
        (stated, Some(json)) => Fill {
            is_of_attribute: stated.as_ref() == Some(&json),
            json,
        },
        (None, None) => Fill {
            json: "null".to_owned(),
            is_of_attribute: false,
        },
    }
}

/// What was never written reads as; `None`: zeros.
fn unwritten(variable: &Variable) -> Option<String> {
    let fill = &variable.dataset.fill;
    if fill.iter().all(|&byte| byte == 0) || variable.datatype.is_indirect() {
        return None;
    }
    let expanded = expand_plain(&variable.datatype, fill).ok()?;
    json(&variable.datatype, expanded.element(0))
}

fn of_attribute(datatype: &TypeDescription, attribute: &AttributeDescription) -> Option<String> {
    let first = attribute.values.as_ref()?;
    let is_text = matches!(attribute.datatype.class, TypeClass::FixedText { .. });
    match &datatype.class {
        TypeClass::FixedText { .. } if is_text => json(datatype, first.element(0)),
        TypeClass::FixedText { .. } => None,
        _ => {
            let value = number(&attribute.datatype, first.element(0))?;
            // Zarr wants a number of the array's kind.
            let as_integer = |value: f64| (value.fract() == 0.0).then_some(value as i128);
            let is_float = matches!(datatype.class, TypeClass::Float { .. });
            Some(match value {
                Number::Float(value) if !is_float => Number::Integer(as_integer(value)?).as_fill(),
                value => value.as_fill(),
            })
        }
    }
}

/// An expanded element: a number, or the bytes of anything else.
fn json(datatype: &TypeDescription, element: &[u8]) -> Option<String> {
    match &datatype.class {
        TypeClass::FixedText { .. } => {
            let mut bytes = element.to_vec();
            bytes.resize(datatype.size_bytes, 0);
            Some(format!("\"{}\"", STANDARD.encode(bytes)))
        }
        TypeClass::Opaque { .. } | TypeClass::Compound { .. } => {
            Some(format!("\"{}\"", STANDARD.encode(element)))
        }
        _ => number(datatype, element).map(Number::as_fill),
    }
}
