//! What a copy has beside what it copies: attributes, and CF container variables.

use std::collections::HashSet;

use frazil_types::{ElementClass, ElementType};

use super::attribute_form::Form;
use crate::classic::{AttributeValue as Value, ClassicAttribute};
use crate::error::{ContainerError, Result};
use crate::ffi::attribute;
use crate::ffi::dataset::Dataset;
use crate::ffi::datatype::Datatype;
use crate::ffi::known::Class;
use crate::ffi::property::{HeaderForm, PropertyList};
use crate::ffi::{Handle, link};
use crate::schema::{SchemaAttribute, SchemaValue};
use frazil_hdf5::Extent;
use frazil_hdf5::FillTime;

/// What a copy has beside what it copies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Additions {
    /// Of the root group: attributes to write; one of the same name in the input is not copied.
    pub root: Vec<NewAttribute>,
    /// By the input's dataset number: attributes to write; one of the same name in the input is
    /// not copied.
    pub attributes: Vec<(usize, Vec<NewAttribute>)>,
    /// By the input's dataset number: names of attributes that are not copied.
    pub dropped: Vec<(usize, Vec<String>)>,
    /// By the input's dataset number: elements of another type than the input's.
    pub retyped: Vec<(usize, Retyped)>,
    /// New variables in the root group that carry nothing but attributes.
    pub containers: Vec<NewContainer>,
}

/// What becomes of a dataset's elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Retyped {
    /// Integers of 2 or 4 bytes.
    pub element: ElementType,
    /// One of them, as it lies in the file: the fill value.
    pub fill: Vec<u8>,
}

/// A scalar `char` variable of the root group without a value: what CF calls a container variable
/// (a grid mapping, a quantization).
#[derive(Debug, Clone, PartialEq)]
pub struct NewContainer {
    /// The variable's name; no object of the input's root group may have it.
    pub name: String,
    /// Its attributes in creation order.
    pub attributes: Vec<NewAttribute>,
}

/// An attribute that the input does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAttribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
}

/// A new attribute's value, stored in the form that netCDF-C gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// Text (`NC_CHAR`): one fixed-length string.
    Text(String),
    /// One small integer (`NC_SHORT`).
    Short(i16),
    /// One integer (`NC_INT`).
    Int(i32),
    /// One real number of single precision (`NC_FLOAT`).
    Float(f32),
    /// One real number (`NC_DOUBLE`).
    Double(f64),
}

impl NewAttribute {
    /// The attribute in the words of the netCDF-4 data model.
    #[must_use]
    pub fn to_schema(&self) -> SchemaAttribute {
        let ClassicAttribute { name, value } = self.to_classic();
        SchemaAttribute {
            name,
            value: SchemaValue::Atomic(value),
        }
    }

    /// The attribute in the words of the classic formats.
    #[must_use]
    pub fn to_classic(&self) -> ClassicAttribute {
        let value = match &self.value {
            AttributeValue::Text(text) => Value::Char(text.clone().into_bytes()),
            AttributeValue::Short(value) => Value::Short(vec![*value]),
            AttributeValue::Int(value) => Value::Int(vec![*value]),
            AttributeValue::Float(value) => Value::Float(vec![*value]),
            AttributeValue::Double(value) => Value::Double(vec![*value]),
        };
        ClassicAttribute {
            name: self.name.clone(),
            value,
        }
    }
}

impl Additions {
    /// Refuses numbers that no dataset has.
    pub(super) fn check(&self, datasets: usize) -> Result<()> {
        let attributes = self.attributes.iter().map(|(number, _)| *number);
        let dropped = self.dropped.iter().map(|(number, _)| *number);
        let retyped = self.retyped.iter().map(|(number, _)| *number);
        match attributes
            .chain(dropped)
            .chain(retyped)
            .find(|&n| n >= datasets)
        {
            Some(number) => Err(ContainerError::Internal(format!(
                "additions to dataset number {number}, which does not exist"
            ))),
            None => Ok(()),
        }
    }

    /// Names of the input's attributes that the root group's copy does not take over.
    pub(super) fn not_copied_of_root(&self) -> HashSet<&str> {
        self.root.iter().map(|new| new.name.as_str()).collect()
    }

    /// Writes the root group's new attributes, after those that were copied.
    pub(super) fn write_root_attributes(&self, root: &Handle) -> Result<()> {
        self.root.iter().try_for_each(|new| write(root, new))
    }

    /// Names of the input's attributes that a dataset's copy does not take over.
    pub(super) fn not_copied(&self, dataset: usize) -> HashSet<&str> {
        let dropped = of(&self.dropped, dataset).map(String::as_str);
        let replaced = of(&self.attributes, dataset).map(|new| new.name.as_str());
        dropped.chain(replaced).collect()
    }

    /// What becomes of a dataset's elements; `None`: they keep their type.
    pub(super) fn retyped(&self, dataset: usize) -> Option<&Retyped> {
        let own = self.retyped.iter().find(|(number, _)| *number == dataset);
        own.map(|(_, retyped)| retyped)
    }

    /// A dataset's new attributes.
    pub(super) fn new_attributes(&self, dataset: usize) -> impl Iterator<Item = &NewAttribute> {
        of(&self.attributes, dataset)
    }

    /// Writes a dataset's new attributes, after those that were copied.
    pub(super) fn write_attributes(&self, dataset: usize, object: &Handle) -> Result<()> {
        self.new_attributes(dataset)
            .try_for_each(|new| write(object, new))
    }

    /// Creates the container variables, after all objects that were copied.
    pub(super) fn write_containers(&self, file: &Handle) -> Result<()> {
        if self.containers.is_empty() {
            return Ok(());
        }
        let root = link::open_group(file, "/")?;
        for container in &self.containers {
            write_container(&root, container)
                .map_err(|error| error.at(&format!("/{}", container.name)))?;
        }
        Ok(())
    }
}

/// All items that a list of pairs holds for a dataset.
fn of<T>(pairs: &[(usize, Vec<T>)], dataset: usize) -> impl Iterator<Item = &T> {
    let own = pairs.iter().filter(move |(number, _)| *number == dataset);
    own.flat_map(|(_, items)| items)
}

/// Creates one container variable the way netCDF-C creates `char name ;`: a contiguous scalar of
/// one-byte text that never gets space.
fn write_container(root: &Handle, container: &NewContainer) -> Result<()> {
    let datatype = Datatype::text(1, false)?;
    let creation = PropertyList::dataset_create(HeaderForm::ORDERED)?;
    creation.set_contiguous()?;
    creation.set_fill_time(FillTime::IfSet)?;
    creation.set_fill_value(&datatype, Some(&[0]))?;
    let (name, links) = (&container.name, link::link_creation()?);
    let variable = Dataset::create(root, name, &datatype, &Extent::Scalar, &links, &creation)?;
    let attributes = &container.attributes;
    attributes
        .iter()
        .try_for_each(|new| write(variable.handle(), new))
}

/// Writes one new attribute in netCDF-C's form.
fn write(object: &Handle, new: &NewAttribute) -> Result<()> {
    let outcome =
        Form::of(&new.to_schema().value, &[]).and_then(|form| form.create(object, &new.name));
    outcome.map_err(|error| error.in_part(&format!("attribute {}", new.name)))
}

/// Replaces the value of an attribute that [`write`] wrote; form and size stay.
pub(super) fn replace(object: &Handle, new: &NewAttribute) -> Result<()> {
    replace_value(object, new).map_err(|error| error.in_part(&format!("attribute {}", new.name)))
}

impl AttributeValue {
    /// Class, size and little-endian bytes of a number; of a text, its bytes as one element.
    #[must_use]
    pub fn number(&self) -> ((ElementClass, usize), Vec<u8>) {
        let (class, bytes) = match self {
            Self::Text(text) => (ElementClass::Text, text.clone().into_bytes()),
            Self::Short(value) => (ElementClass::SignedInteger, value.to_le_bytes().to_vec()),
            Self::Int(value) => (ElementClass::SignedInteger, value.to_le_bytes().to_vec()),
            Self::Float(value) => (ElementClass::Float, value.to_le_bytes().to_vec()),
            Self::Double(value) => (ElementClass::Float, value.to_le_bytes().to_vec()),
        };
        ((class, bytes.len()), bytes)
    }
}

fn replace_value(object: &Handle, new: &NewAttribute) -> Result<()> {
    let mismatch = |what: &str| Err(ContainerError::Internal(what.to_owned()));
    let Some(attribute) = attribute::open_by_name(object, &new.name)? else {
        return mismatch("there is none whose value could be replaced");
    };
    let datatype = attribute.datatype()?;
    let ((class, _), bytes) = new.value.number();
    let class = match class {
        ElementClass::Text => Class::String,
        ElementClass::Float => Class::Float,
        _ => Class::Integer,
    };
    let extent = attribute.extent()?;
    if datatype.class()? != class || datatype.size_bytes()? != bytes.len() {
        return mismatch("the new value has another type or length than the old one");
    }
    if extent.elements() != Some(1) {
        return mismatch("the old value is not a single one");
    }
    attribute.write(&datatype, &extent, &bytes)
}
