//! The attributes of a variable or file as texts and numbers, whatever kind of file they come from.

use frazil_container::classic::{AttributeValue, ClassicAttribute};
use frazil_container::hdf5::{AttributeDescription, ObjectAttributes, TypeClass};
use frazil_container::schema::{SchemaAttribute, SchemaValue};

/// The attributes of one object.
#[derive(Debug, Clone, Default)]
pub struct Attributes(Vec<(String, Value)>);

/// One attribute's value, as far as conventions use such values.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    /// Without blanks at its end; several texts are joined by blanks.
    Text(String),
    Numbers(Vec<f64>),
    Other,
}

impl Attributes {
    /// The attributes of an HDF5 object.
    pub(crate) fn of_hdf5(attributes: &ObjectAttributes) -> Self {
        Self::of_descriptions(&attributes.list)
    }

    /// The attributes of an object of an open file.
    pub fn of_descriptions(attributes: &[AttributeDescription]) -> Self {
        let pair = |attribute: &AttributeDescription| (attribute.name.clone(), value_of(attribute));
        Self(attributes.iter().map(pair).collect())
    }

    /// The attributes of a classic file or variable.
    pub fn of_classic(attributes: &[ClassicAttribute]) -> Self {
        let pair = |attribute: &ClassicAttribute| {
            (attribute.name.clone(), classic_value(&attribute.value))
        };
        Self(attributes.iter().map(pair).collect())
    }

    /// The attributes of an object that is being written.
    pub fn of_schema(attributes: &[SchemaAttribute]) -> Self {
        let pair = |attribute: &SchemaAttribute| {
            let value = match &attribute.value {
                SchemaValue::Atomic(value) => classic_value(value),
                SchemaValue::Strings(texts) => {
                    Value::Text(joined(texts.iter().map(ToString::to_string)))
                }
                SchemaValue::Defined(..) => Value::Other,
            };
            (attribute.name.clone(), value)
        };
        Self(attributes.iter().map(pair).collect())
    }

    /// Whether there is an attribute of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// A text attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// All text attributes by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(name, value)| match value {
            Value::Text(text) => Some((name.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// The numbers of a numeric attribute; empty if there is none.
    pub fn numbers(&self, name: &str) -> &[f64] {
        match self.value(name) {
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The only number of a numeric attribute.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.numbers(name) {
            [number] => Some(*number),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }
}

fn value_of(attribute: &AttributeDescription) -> Value {
    let Some(values) = &attribute.values else {
        return Value::Other;
    };
    let elements = (0..values.len()).map(|i| values.element(i));
    match &attribute.datatype.class {
        // Some writers store a text as an array of single characters.
        TypeClass::FixedText { .. } if attribute.datatype.size_bytes == 1 => {
            Value::Text(text(values.bytes()))
        }
        TypeClass::FixedText { .. } => Value::Text(joined(elements.map(text))),
        // A length of eight bytes goes before each text.
        TypeClass::VariableText { .. } => Value::Text(joined(
            elements.map(|element| text(element.get(8..).unwrap_or_default())),
        )),
        TypeClass::Integer { .. } | TypeClass::Float { .. } => elements
            .map(|element| number(attribute, element))
            .collect::<Option<_>>()
            .map_or(Value::Other, Value::Numbers),
        _ => Value::Other,
    }
}

/// Texts as one, blanks between them.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    texts.join(" ").trim_end().to_owned()
}

/// Bytes as text, up to a NUL, without blanks at the end.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    let bytes = &bytes[..end.unwrap_or(bytes.len())];
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

/// A little-endian number as `f64`; 64-bit integers beyond 2^53 lose their last digits.
fn number(attribute: &AttributeDescription, bytes: &[u8]) -> Option<f64> {
    let mut wide = [0_u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let unused = 64_u32.checked_sub(u32::try_from(bytes.len() * 8).ok()?)?;
    match (&attribute.datatype.class, bytes.len()) {
        (TypeClass::Float { .. }, _) if !attribute.datatype.is_ieee() => None,
        (TypeClass::Float { .. }, 4) => Some(f64::from(f32::from_bits(unsigned as u32))),
        (TypeClass::Float { .. }, 8) => Some(f64::from_bits(unsigned)),
        (TypeClass::Integer { signed: true, .. }, _) => {
            Some(((unsigned << unused) as i64 >> unused) as f64)
        }
        (TypeClass::Integer { .. }, _) => Some(unsigned as f64),
        _ => None,
    }
}

fn classic_value(value: &AttributeValue) -> Value {
    let numbers = match value {
        AttributeValue::Char(bytes) => return Value::Text(text(bytes)),
        AttributeValue::Byte(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::UByte(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::Short(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::UShort(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::Int(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::UInt(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::Float(values) => values.iter().map(|&n| f64::from(n)).collect(),
        AttributeValue::Double(values) => values.clone(),
        AttributeValue::Int64(values) => values.iter().map(|&n| n as f64).collect(),
        AttributeValue::UInt64(values) => values.iter().map(|&n| n as f64).collect(),
    };
    Value::Numbers(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classic_attributes_are_texts_and_numbers() {
        let attribute = |name: &str, value| ClassicAttribute {
            name: name.to_owned(),
            value,
        };
        let attributes = Attributes::of_classic(&[
            attribute("units", AttributeValue::Char(b"K  \0".to_vec())),
            attribute("valid_range", AttributeValue::Float(vec![-1.5, 2.5])),
            attribute("n", AttributeValue::Short(vec![-3])),
        ]);
        assert_eq!(attributes.text("units"), Some("K"));
        assert_eq!(attributes.numbers("valid_range"), [-1.5, 2.5]);
        assert_eq!(attributes.number("n"), Some(-3.0));
        assert_eq!(attributes.number("valid_range"), None);
        assert!(attributes.has("n") && !attributes.has("m"));
        assert!(attributes.numbers("units").is_empty());
    }
}
