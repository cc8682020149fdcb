//! Attributes as plain data.

use super::datatype;
use super::expand::{Expanded, Expander};
use super::types::TypeDescription;
use crate::error::Result;
use crate::ffi::Handle;
use crate::ffi::attribute::{self, Attribute};
use crate::ffi::dataspace::Extent;
use crate::ffi::{attribute_order, link, names};
use crate::hdf5::scan::Hdf5Input;

/// One attribute with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeDescription {
    /// Its name.
    pub name: String,
    /// Whether the name is said to be UTF-8 rather than ASCII.
    pub has_utf8_name: bool,
    /// Its type.
    pub datatype: TypeDescription,
    /// Its shape.
    pub extent: Extent,
    /// Its values; `None` if they mean nothing outside the file
    /// ([`TypeDescription::can_be_expanded`]).
    pub values: Option<Expanded>,
}

/// The attributes of one object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectAttributes {
    /// In creation order if that is kept, else as they come.
    pub list: Vec<AttributeDescription>,
    /// Whether the object keeps the order of creation.
    pub is_ordered: bool,
}

impl ObjectAttributes {
    /// The attribute of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&AttributeDescription> {
        self.list.iter().find(|attribute| attribute.name == name)
    }
}

/// Describes all attributes of the object at `path`.
pub(super) fn describe_all(input: &Hdf5Input, path: &str) -> Result<ObjectAttributes> {
    if let Some(dataset) = input.opened(path) {
        return describe_object(input, dataset.handle());
    }
    describe_object(input, &open(input, path)?)
}

fn describe_object(input: &Hdf5Input, object: &Handle) -> Result<ObjectAttributes> {
    let mut all = ObjectAttributes {
        list: Vec::new(),
        is_ordered: attribute_order::is_kept(object)?,
    };
    for name in names::of_attributes(object)? {
        let described =
            attribute::open(object, &name).and_then(|attribute| describe(input, &attribute));
        all.list
            .push(described.map_err(|error| error.in_part(&format!("attribute {name}")))?);
    }
    Ok(all)
}

fn open(input: &Hdf5Input, path: &str) -> Result<Handle> {
    if path == "/" {
        link::open_group(&input.file, "/")
    } else {
        link::open_object(&input.file, path)
    }
}

fn describe(input: &Hdf5Input, attribute: &Attribute) -> Result<AttributeDescription> {
    let name = attribute.name()?;
    let file_type = attribute.datatype()?;
    let extent = attribute.extent()?;
    let description = datatype::describe(&file_type, input.paths())?;
    let values = if description.can_be_expanded() {
        let memory = file_type.memory_copy()?;
        let raw = attribute.read(&memory, &extent, input.file_bytes())?;
        let expanded = Expander::new(input).expand_all(&description, &raw);
        memory.reclaim(&extent, raw)?;
        Some(expanded?)
    } else {
        None
    };
    Ok(AttributeDescription {
        name,
        has_utf8_name: attribute.has_utf8_name()?,
        datatype: description,
        extent,
        values,
    })
}
