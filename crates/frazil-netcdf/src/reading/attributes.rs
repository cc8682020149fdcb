//! Attributes.

use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::model::{AttributeDescription, Expanded, TypeClass};
use frazil_container::native::native;
use frazil_container::schema::Text;

use super::Reading;
use super::inquiries::sought;
use super::served::AttributeType;
use super::view::AttributeView;
use crate::convert::convert;
use crate::memory::atomic;
use crate::names::is_reserved;
use crate::status::{Answer, Status};
use crate::types::{
    AttributeInquiry, AttributeValues, CText, GLOBAL, GroupNumber, MemoryType, STRING,
};
use crate::user_types::UserValues;

/// An attribute with its number.
struct Found<'a> {
    number: i32,
    of: AttributeType,
    attribute: &'a AttributeDescription,
}

impl Reading {
    #[expect(clippy::too_many_arguments, reason = "the arguments of nc_put_att")]
    pub(crate) fn put_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        nc_type: i32,
        memory: MemoryType,
        bytes: &[u8],
    ) -> Answer<()> {
        let library = self.library()?;
        library.put_att(group, varid, name, nc_type, memory, bytes)
    }

    pub(crate) fn get_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        memory: MemoryType,
        out: &mut Vec<u8>,
    ) -> Answer<()> {
        let found = self.attribute_named(group, varid, name)?;
        if let (Some(found), Some(memory)) = (found, memory.nc_type())
            && let Ok(stored) = atomic(found.of.nc_type)
        {
            let is_text = |nc_type| nc_type == NcType::Char;
            if found.of.length == 0 {
                out.clear();
                return Ok(());
            }
            if is_text(stored) == is_text(memory) {
                let values = native_values(&found, stored);
                let (values, is_out) = convert(&values, stored, memory, self.view.is_classic)?;
                *out = values;
                return match is_out {
                    true => Err(Status::ERANGE.into()),
                    false => Ok(()),
                };
            }
        }
        self.library()?.get_att(group, varid, name, memory, out)
    }

    pub(crate) fn get_att_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<Vec<CText>> {
        if let Some(found) = self.attribute_named(group, varid, name)?
            && found.of.nc_type == STRING
        {
            return Ok(strings(found.attribute));
        }
        self.library()?.get_att_strings(group, varid, name)
    }

    pub(crate) fn inq_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeInquiry> {
        if let Some(found) = self.attribute_named(group, varid, name)? {
            return Ok(AttributeInquiry {
                nc_type: found.of.nc_type,
                length: found.of.length,
            });
        }
        self.library()?.inq_att(group, varid, name)
    }

    pub(crate) fn inq_attid(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<i32> {
        if let Some(found) = self.attribute_named(group, varid, name)? {
            return Ok(found.number);
        }
        self.library()?.inq_attid(group, varid, name)
    }

    pub(crate) fn inq_attname(
        &mut self,
        group: GroupNumber,
        varid: i32,
        number: i32,
    ) -> Answer<String> {
        let (all, seen) = self.attributes_of(group, varid)?;
        let found = usize::try_from(number).ok().and_then(|n| seen.get(n));
        let found = found.ok_or(Status::ENOTATT)?;
        Ok(all[found.place].name.clone())
    }

    pub(crate) fn attribute(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeValues> {
        let Some(found) = self.attribute_named(group, varid, name)? else {
            return self.library()?.attribute(group, varid, name);
        };
        if found.of.nc_type == STRING {
            let texts = strings(found.attribute).into_iter();
            let texts = texts.map(Option::unwrap_or_default);
            return Ok(AttributeValues::Strings(texts.collect()));
        }
        if let Some(native) = native(&found.attribute.datatype).filter(|_| found.of.is_user()) {
            let none = Expanded::default();
            let values = found.attribute.values.as_ref().unwrap_or(&none);
            let values = UserValues::of(found.of.nc_type, &native, values)?;
            return Ok(AttributeValues::User(values));
        }
        let stored = atomic(found.of.nc_type)?;
        let values = AttributeValue::from_native_bytes(stored, &native_values(&found, stored));
        Ok(AttributeValues::Atomic(values))
    }

    /// The attribute of a name; `None`: netCDF-C answers for such names.
    ///
    /// # Errors
    /// `NC_ENOTVAR`, `NC_ENOTATT`.
    fn attribute_named(
        &self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<Option<Found<'_>>> {
        let (all, seen) = self.attributes_of(group, varid)?;
        // Some of the format's own are shown by their names alone.
        let Some(sought) = sought(name).filter(|name| !is_reserved(name)) else {
            return Ok(None);
        };
        let place = seen.iter().position(|view| all[view.place].name == sought);
        let place = place.ok_or(Status::ENOTATT)?;
        Ok(Some(Found {
            number: i32::try_from(place).unwrap_or(i32::MAX),
            of: seen[place].of,
            attribute: &all[seen[place].place],
        }))
    }

    /// All attributes of a group or variable, and those that readers see.
    fn attributes_of(
        &self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(&[AttributeDescription], &[AttributeView])> {
        let model = self.reader.model();
        if varid == GLOBAL {
            let view = self.group(group)?;
            return Ok((
                &model.groups[usize::from(group.0)].attributes,
                &view.attributes,
            ));
        }
        let id = self.variable(group, varid)?;
        let view = &self.view.variables[id.0];
        Ok((&model.variables[id.0].attributes, &view.attributes))
    }
}

/// Numbers or characters in this machine's order.
fn native_values(found: &Found<'_>, stored: NcType) -> Vec<u8> {
    let values = found.attribute.values.as_ref();
    let mut bytes = values.map_or(Vec::new(), |values| values.bytes().to_vec());
    if cfg!(target_endian = "big") {
        let numbers = bytes.chunks_exact_mut(stored.size_bytes());
        numbers.for_each(<[u8]>::reverse);
    }
    bytes
}

/// Texts up to their NULs, as C has them.
fn strings(attribute: &AttributeDescription) -> Vec<CText> {
    let Some(values) = &attribute.values else {
        return Vec::new();
    };
    // Behind the length of each, where that is not fixed.
    let skipped = match attribute.datatype.class {
        TypeClass::VariableText { .. } => 8,
        _ => 0,
    };
    let text = |i| c_text(values.element(i).get(skipped..).unwrap_or_default());
    let texts = (0..values.len()).map(|i| (!values.is_null(i)).then(|| text(i)));
    texts.collect()
}

/// A text up to its NUL.
pub(super) fn c_text(bytes: &[u8]) -> Text {
    let end = bytes.iter().position(|&byte| byte == 0);
    Text::from(&bytes[..end.unwrap_or(bytes.len())])
}
