//! Attributes as JSON, as kerchunk converts them: one value stands alone, several are a list.

use frazil_container::model::{AttributeDescription, Extent, TypeClass};
use serde_json::Value;

use super::Refusal;
use super::number::number;

/// The name of the attribute that becomes Zarr's fill value.
pub(super) const FILL_VALUE: &str = "_FillValue";

/// Attributes as one JSON object, and those that have no place in it.
pub(super) struct Attributes {
    pub(super) json: String,
    pub(super) left_out: Vec<(String, Refusal)>,
}

/// Those of a group.
pub(super) fn of_group(list: &[AttributeDescription]) -> Attributes {
    described(list, None)
}

/// Those of a variable with its dimensions; `without` the fill value, where it is said elsewhere.
pub(super) fn of_variable(
    list: &[AttributeDescription],
    dimensions: &[String],
    without: bool,
) -> Attributes {
    let kept: Vec<AttributeDescription> = list
        .iter()
        .filter(|attribute| !(without && attribute.name == FILL_VALUE))
        .cloned()
        .collect();
    described(&kept, Some(dimensions))
}

fn described(list: &[AttributeDescription], dimensions: Option<&[String]>) -> Attributes {
    let mut parts = Vec::new();
    let mut left_out = Vec::new();
    if let Some(dimensions) = dimensions {
        let names: Vec<String> = dimensions.iter().map(|name| quoted(name)).collect();
        parts.push(format!("\"_ARRAY_DIMENSIONS\":[{}]", names.join(",")));
    }
    for attribute in list {
        match value(attribute) {
            Some(value) => parts.push(format!("{}:{value}", quoted(&attribute.name))),
            None => left_out.push((
                attribute.name.clone(),
                Refusal::new("its values are neither numbers nor texts"),
            )),
        }
    }
    Attributes {
        json: format!("{{{}}}", parts.join(",")),
        left_out,
    }
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn value(attribute: &AttributeDescription) -> Option<String> {
    if attribute.extent == Extent::Null {
        return Some("\"\"".to_owned());
    }
    let values = attribute.values.as_ref()?;
    let elements = (0..values.len()).map(|i| element(attribute, values.element(i)));
    let mut elements: Vec<String> = elements.collect::<Option<_>>()?;
    match elements.len() {
        1 => elements.pop(),
        _ => Some(format!("[{}]", elements.join(","))),
    }
}

fn element(attribute: &AttributeDescription, bytes: &[u8]) -> Option<String> {
    let text = |bytes: &[u8]| quoted(&String::from_utf8_lossy(bytes));
    match &attribute.datatype.class {
        TypeClass::FixedText { .. } => {
            let end = bytes.iter().position(|&byte| byte == 0);
            Some(text(&bytes[..end.unwrap_or(bytes.len())]))
        }
        // Behind their length.
        TypeClass::VariableText { .. } => bytes.get(8..).map(text),
        _ => number(&attribute.datatype, bytes).map(super::number::Number::in_attributes),
    }
}
