//! What a file holds, as Python's dictionaries and lists.

use std::collections::HashMap;

use frazil::datatype::{
    AttributeDescription, DatasetStorage, Extent, FillStatus, TypeClass, TypeDescription,
};
use frazil::model::Variable;
use frazil::schema::VariableId;
use frazil::{ByteOrder, ElementClass, ElementType, Reader};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// One dictionary for each type of a file, shared by all that have it: most of a file's attributes and variables have one
/// of a few types.
struct Types<'py, 'model> {
    py: Python<'py>,
    known: HashMap<&'model TypeDescription, Bound<'py, PyDict>>,
}

impl<'py, 'model> Types<'py, 'model> {
    fn of(&mut self, of: &'model TypeDescription) -> PyResult<Bound<'py, PyDict>> {
        if let Some(known) = self.known.get(of) {
            return Ok(known.clone());
        }
        let described = datatype(self.py, of)?;
        self.known.insert(of, described.clone());
        Ok(described)
    }
}

/// Groups, dimensions and variables of an open file.
pub(crate) fn describe<'py>(py: Python<'py>, reader: &Reader) -> PyResult<Bound<'py, PyDict>> {
    let model = reader.model();
    let known = HashMap::new();
    let mut types = Types { py, known };
    let groups = PyList::empty(py);
    for group in &model.groups {
        let one = PyDict::new(py);
        one.set_item("path", &group.path)?;
        one.set_item("name", &group.name)?;
        one.set_item("parent", group.parent.map(|id| id.0))?;
        one.set_item("attributes", attributes(&mut types, &group.attributes)?)?;
        groups.append(one)?;
    }
    let dimensions = PyList::empty(py);
    for dimension in &model.dimensions {
        let one = PyDict::new(py);
        one.set_item("name", &dimension.name)?;
        one.set_item("group", dimension.group.0)?;
        one.set_item("length", dimension.length)?;
        one.set_item("is_unlimited", dimension.is_unlimited)?;
        one.set_item("is_phony", dimension.is_phony)?;
        dimensions.append(one)?;
    }
    let variables = PyList::empty(py);
    for (number, found) in model.variables.iter().enumerate() {
        variables.append(variable(&mut types, reader, VariableId(number), found)?)?;
    }
    let named_types = PyList::empty(py);
    for named in &model.types {
        named_types.append(types.of(&named.datatype)?)?;
    }
    let all = PyDict::new(py);
    all.set_item("types", named_types)?;
    all.set_item("groups", groups)?;
    all.set_item("dimensions", dimensions)?;
    all.set_item("variables", variables)?;
    Ok(all)
}

fn variable<'py, 'model>(
    types: &mut Types<'py, 'model>,
    reader: &Reader,
    id: VariableId,
    variable: &'model Variable,
) -> PyResult<Bound<'py, PyDict>> {
    let one = PyDict::new(types.py);
    one.set_item("name", &variable.name)?;
    one.set_item("group", variable.group.0)?;
    let dimensions: Vec<usize> = variable.dimensions.iter().map(|id| id.0).collect();
    one.set_item("dimensions", dimensions)?;
    one.set_item("shape", reader.model().shape(id))?;
    one.set_item("is_null", variable.dataset.is_null)?;
    one.set_item("type", types.of(&variable.datatype)?)?;
    let element = reader.element(id).map_err(crate::error::Failure::from)?;
    one.set_item("element", element_text(element))?;
    one.set_item("attributes", attributes(types, &variable.attributes)?)?;
    let (chunk, filters) = storage(variable);
    one.set_item("chunk", chunk)?;
    one.set_item("filters", filters)?;
    let has_fill_value = variable.dataset.fill_status == FillStatus::User;
    one.set_item("has_fill_value", has_fill_value)?;
    Ok(one)
}

/// Chunk shape, and the identifier and client data of each filter.
type Storage = (Option<Vec<u64>>, Vec<(i32, Vec<u32>)>);

/// How a variable is stored.
fn storage(variable: &Variable) -> Storage {
    match &variable.dataset.storage {
        DatasetStorage::Chunked {
            chunk, pipeline, ..
        } => {
            let filters = pipeline.0.iter();
            let filters = filters.map(|one| (one.id, one.cd_values.clone()));
            (Some(chunk.clone()), filters.collect())
        }
        _ => (None, Vec::new()),
    }
}

/// What a read gives: numpy's kind and the size in bytes; `O`: only expanded.
fn element_text(element: ElementType) -> String {
    let kind = match element.class {
        ElementClass::SignedInteger => "i",
        ElementClass::UnsignedInteger => "u",
        ElementClass::Float => "f",
        ElementClass::Text => "S",
        // The integers behind it, signed or not: the type says.
        ElementClass::Enumeration => "e",
        ElementClass::Opaque => "V",
        ElementClass::Indirect => return "O".to_owned(),
    };
    format!("{kind}{}", element.size_bytes)
}

/// Attributes: name, type, shape (`None`: no value at all), bytes (`None`: they mean nothing
/// outside the file).
fn attributes<'py, 'model>(
    types: &mut Types<'py, 'model>,
    list: &'model [AttributeDescription],
) -> PyResult<Bound<'py, PyList>> {
    let py = types.py;
    let all = PyList::empty(py);
    for attribute in list {
        let shape = match &attribute.extent {
            Extent::Null => None,
            Extent::Scalar => Some(Vec::new()),
            Extent::Simple { shape, .. } => Some(shape.clone()),
        };
        let values = attribute.values.as_ref();
        all.append((
            &attribute.name,
            types.of(&attribute.datatype)?,
            shape,
            values.map(|values| PyBytes::new(py, values.bytes())),
        ))?;
    }
    Ok(all)
}

/// A type: a dictionary with its `kind`, its `size` in bytes as stored, `number` (numpy's name of the type once elements
/// are expanded, if they are plain numbers), and what else there is.
fn datatype<'py>(py: Python<'py>, of: &TypeDescription) -> PyResult<Bound<'py, PyDict>> {
    let one = PyDict::new(py);
    one.set_item("size", of.size_bytes)?;
    one.set_item("committed", of.committed.as_deref())?;
    one.set_item("is_big", of.number_order() == Some(ByteOrder::Big))?;
    one.set_item("kind", kind(&of.class))?;
    one.set_item("number", number(of))?;
    match &of.class {
        TypeClass::Integer { signed, .. } => {
            one.set_item("signed", signed)?;
            one.set_item("is_partial", of.is_partial_integer())?;
        }
        // `_float` in `frazil/datatypes.py` knows the order.
        TypeClass::Float { bits, form, .. } => one.set_item(
            "form",
            (
                bits.precision,
                bits.offset,
                form.sign,
                form.exponent,
                form.exponent_bits,
                form.bias,
                form.mantissa,
                form.mantissa_bits,
                form.normalisation,
            ),
        )?,
        TypeClass::Enumeration { base, members } => {
            one.set_item("base", datatype(py, base)?)?;
            let named = PyDict::new(py);
            for (name, value) in members {
                named.set_item(name, PyBytes::new(py, value))?;
            }
            one.set_item("members", named)?;
        }
        TypeClass::Compound { members } => {
            let list = PyList::empty(py);
            for member in members {
                list.append((&member.name, member.offset, datatype(py, &member.datatype)?))?;
            }
            one.set_item("members", list)?;
        }
        TypeClass::Array { base, shape } => {
            one.set_item("base", datatype(py, base)?)?;
            one.set_item("shape", shape)?;
        }
        TypeClass::VariableLength { base } => one.set_item("base", datatype(py, base)?)?,
        TypeClass::Complex { part } => one.set_item("base", datatype(py, part)?)?,
        _ => {}
    }
    Ok(one)
}

/// Expanded numbers are little-endian and use all their bits.
fn number(of: &TypeDescription) -> Option<String> {
    let size = of.size_bytes;
    let letter = match &of.class {
        TypeClass::Integer { signed: true, .. } => 'i',
        TypeClass::Integer { .. } | TypeClass::Bitfield { .. } | TypeClass::Time { .. } => 'u',
        TypeClass::Float { .. } if of.is_ieee() => 'f',
        _ => return None,
    };
    matches!(size, 1 | 2 | 4 | 8).then(|| format!("<{letter}{size}"))
}

fn kind(class: &TypeClass) -> &'static str {
    match class {
        TypeClass::Integer { .. } => "integer",
        TypeClass::Float { .. } => "float",
        TypeClass::Bitfield { .. } => "bitfield",
        TypeClass::Time { .. } => "time",
        TypeClass::Complex { .. } => "complex",
        TypeClass::FixedText { .. } => "text",
        TypeClass::VariableText { .. } => "string",
        TypeClass::Opaque { .. } => "opaque",
        TypeClass::Enumeration { .. } => "enumeration",
        TypeClass::Compound { .. } => "compound",
        TypeClass::Array { .. } => "array",
        TypeClass::VariableLength { .. } => "vlen",
        TypeClass::ObjectReference | TypeClass::RegionReference | TypeClass::NewReference => {
            "reference"
        }
    }
}
