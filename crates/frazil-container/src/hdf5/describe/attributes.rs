//! Attributes as plain data.

use frazil_hdf5::{Attribute, Extent, TypeClass, TypeDescription};

use super::expand::{Expanded, InFile, Indirect, expand_indirect};
use crate::error::Result;
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

impl Hdf5Input {
    /// The attributes of the object at `path` (`/` for the root), in creation order.
    ///
    /// # Errors
    /// If the object or an attribute cannot be read.
    pub fn describe_attributes(&self, path: &str) -> Result<ObjectAttributes> {
        self.with_metadata(|file| {
            let object = self.object(file, path)?;
            let attributes = file.attributes(&object)?;
            let described = attributes.into_iter().map(|attribute| {
                let name = attribute.name.clone();
                let described = self.described_attribute(file, attribute);
                described.map_err(|error| error.in_part(&format!("attribute {name}")))
            });
            Ok(ObjectAttributes {
                list: described.collect::<Result<_>>()?,
                is_ordered: object.keeps_attribute_order(),
            })
        })
    }

    /// A text attribute of an object; `None` if there is none or it is not one text.
    ///
    /// # Errors
    /// If the object or the attribute cannot be read.
    pub fn text_attribute(&self, object: &str, name: &str) -> Result<Option<String>> {
        let Some(found) = self.attribute(object, name)? else {
            return Ok(None);
        };
        if found.extent.elements() != Some(1) {
            return Ok(None);
        }
        let text = match found.datatype.class {
            TypeClass::FixedText { .. } => found.values,
            TypeClass::VariableText { .. } => {
                self.with_metadata(|file| InFile::new((self, file), 1, 1).text(&found.values))?
            }
            _ => return Ok(None),
        };
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    }

    fn described_attribute(
        &self,
        file: &frazil_hdf5::File,
        attribute: Attribute,
    ) -> Result<AttributeDescription> {
        let datatype = &attribute.datatype.clone().in_order_of_memory();
        let values = match datatype.can_be_expanded() {
            true => {
                let count = attribute.values.len() / datatype.size_bytes.max(1);
                let values = InFile::new((self, file), count, 1);
                Some(expand_indirect(&values, datatype, &attribute.values)?)
            }
            false => None,
        };
        Ok(AttributeDescription {
            name: attribute.name,
            has_utf8_name: attribute.is_utf8,
            datatype: self.described(attribute.datatype, attribute.committed),
            extent: attribute.extent,
            values,
        })
    }
}
