//! Attributes.

use frazil_container::classic::{AttributeValue, NcType};

use super::user_types::number_of_defined;
use super::{Engine, count};
use crate::convert::convert;
use crate::names::{FILL_VALUE, MAX_NAME, check_name, check_sought, is_reserved};
use crate::status::{Answer, Refusal, Status};
use crate::types::{AttributeInquiry, AttributeValues, CText, GroupNumber, MemoryType, STRING};
use crate::user_types::UserValues;
use frazil_container::elements::Elements;
use frazil_container::hdf5::provenance;
use frazil_container::schema::{
    AttributeOwner, Fill, Schema, SchemaAttribute, SchemaValue, Text, ValueType, VariableId,
};
use frazil_options::names::sought;

/// The version of the superblock of files that are written here.
const SUPERBLOCK: i32 = 2;

impl Engine {
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
        let owner = self.owner(group, varid)?;
        let Some(memory) = memory.nc_type() else {
            return Err(Status::ECHAR.into());
        };
        let given = AttributeValue::from_native_bytes(memory, bytes);
        let new_bytes = given.len().wrapping_mul(type_bytes(nc_type));
        self.check_put(owner, name, new_bytes)?;
        if nc_type == 0 {
            return Err(Status::EBADTYPE.into());
        }
        let text = NcType::Char.number().cast_signed();
        if nc_type == STRING || (nc_type == text) != (memory == NcType::Char) {
            return Err(Status::ECHAR.into());
        }
        if nc_type < 0 {
            return Err(Status::EINVAL.into());
        }
        // Types from here on are those that programs define: there is none.
        if nc_type > STRING && !self.classic_model {
            return Err(Status::EBADTYPID.into());
        }
        let ValueType::Atomic(stored) = self.value_type(nc_type)? else {
            return Err(Status::ECHAR.into());
        };
        let (values, is_out) = convert(bytes, memory, stored, self.classic_model)?;
        let value = SchemaValue::Atomic(AttributeValue::from_native_bytes(stored, &values));
        self.put_checked(owner, name, value)?;
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
    }

    pub(crate) fn put_att_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        values: &[Text],
    ) -> Answer<()> {
        let owner = self.owner(group, varid)?;
        let new_bytes = values.len().wrapping_mul(type_bytes(STRING));
        self.check_put(owner, name, new_bytes)?;
        self.value_type(STRING)?;
        self.put_checked(owner, name, SchemaValue::Strings(values.to_vec()))
    }

    /// `nc_put_att` of values of a type that the program has defined.
    pub(crate) fn put_att_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        nc_type: i32,
        elements: Elements,
    ) -> Answer<()> {
        let owner = self.owner(group, varid)?;
        self.check_put(owner, name, elements.elements().len())?;
        if self.classic_model {
            return Err(Status::ESTRICTNC3.into());
        }
        self.user_types()
            .get(nc_type)
            .map_err(|_| Status::EBADTYPID)?;
        match self.defined_type(nc_type)? {
            ValueType::Defined(defined) => {
                let value = SchemaValue::Defined(defined, elements);
                self.put_checked(owner, name, value)
            }
            _ => Err(Status::EBADTYPE.into()),
        }
    }

    /// Whether an attribute of this name may be set now; `new_bytes` long.
    fn check_put(&mut self, owner: AttributeOwner, name: &str, new_bytes: usize) -> Answer<()> {
        if name.len() > MAX_NAME {
            return Err(Status::EBADNAME.into());
        }
        let name = &*check_name(name)?;
        let in_subgroup = matches!(owner, AttributeOwner::Group(id) if id != Schema::ROOT);
        if is_reserved(name) && !in_subgroup {
            return Err(Status::ENAMEINUSE.into());
        }
        let old = self.find(owner, name).ok().map(bytes_of);
        if old.is_none_or(|old| new_bytes > old) {
            self.enter_define_mode()?;
        }
        Ok(())
    }

    fn put_checked(&mut self, owner: AttributeOwner, name: &str, value: SchemaValue) -> Answer<()> {
        self.is_changed = true;
        match owner {
            AttributeOwner::Variable(variable) if name == FILL_VALUE => {
                self.put_fill_value(variable, value)
            }
            _ => Ok(self.writer.put_attribute(owner, name, value)?),
        }
    }

    fn put_fill_value(&mut self, variable: VariableId, value: SchemaValue) -> Answer<()> {
        let count = length_of(&value);
        if count != 1 {
            return Err(Refusal::new(
                Status::EINVAL,
                format!("{FILL_VALUE} is one value, not {count}"),
            ));
        }
        if !self.is_fill_changeable(variable) {
            // netCDF-C makes a variable anew whose values another program wrote.
            return Err(match self.is_new {
                true => Status::ELATEFILL.into(),
                false => Refusal::new(
                    Status::ENOTBUILT,
                    format!("{FILL_VALUE} of a variable that was in the file: not served here"),
                ),
            });
        }
        match (self.described(variable).value_type, value) {
            (ValueType::Atomic(nc_type), SchemaValue::Atomic(value))
                if value.nc_type() == nc_type =>
            {
                self.set_fill_value(variable, Fill::Value(value))
            }
            (ValueType::Defined(stored), SchemaValue::Defined(given, value)) if stored == given => {
                self.set_fill_value(variable, Fill::Element(value))
            }
            (ValueType::String, value @ SchemaValue::Strings(_)) => {
                let owner = AttributeOwner::Variable(variable);
                Ok(self.writer.put_attribute(owner, FILL_VALUE, value)?)
            }
            _ => Err(Refusal::new(
                Status::EBADTYPE,
                format!("{FILL_VALUE} has the type of its variable"),
            )),
        }
    }

    pub(crate) fn get_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        memory: MemoryType,
        out: &mut Vec<u8>,
    ) -> Answer<()> {
        let owner = self.owner(group, varid)?;
        if let Some(value) = special(owner, name) {
            // Of its own type, whatever is asked for.
            *out = value.to_native_bytes();
            return Ok(());
        }
        let attribute = self.find(owner, name)?;
        // Nothing is converted without an objection.
        if length_of(&attribute.value) == 0 {
            out.clear();
            return Ok(());
        }
        let SchemaValue::Atomic(values) = &attribute.value else {
            return Err(Status::EBADTYPE.into());
        };
        let Some(memory) = memory.nc_type() else {
            return Err(no_strings(values.nc_type()));
        };
        let bytes = values.to_native_bytes();
        let (values, is_out) = convert(&bytes, values.nc_type(), memory, self.classic_model)?;
        *out = values;
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
    }

    pub(crate) fn get_att_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<Vec<CText>> {
        match &self.find(self.owner(group, varid)?, name)?.value {
            SchemaValue::Strings(values) => Ok(values.iter().cloned().map(Some).collect()),
            SchemaValue::Defined(..) => Err(Status::EBADTYPE.into()),
            SchemaValue::Atomic(values) if values.is_empty() => Ok(Vec::new()),
            SchemaValue::Atomic(values) => Err(no_strings(values.nc_type())),
        }
    }

    pub(crate) fn inq_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeInquiry> {
        let owner = self.owner(group, varid)?;
        if let Some(value) = special(owner, name) {
            return Ok(AttributeInquiry {
                nc_type: value.nc_type().number().cast_signed(),
                length: value.len() as u64,
            });
        }
        let attribute = self.find(owner, name)?;
        let (nc_type, length) = match &attribute.value {
            SchemaValue::Atomic(values) => (values.nc_type().number().cast_signed(), values.len()),
            SchemaValue::Strings(values) => (STRING, values.len()),
            value @ SchemaValue::Defined(defined, _) => {
                (number_of_defined(*defined), length_of(value))
            }
        };
        Ok(AttributeInquiry {
            nc_type,
            length: length as u64,
        })
    }

    pub(crate) fn inq_attid(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<i32> {
        let owner = self.owner(group, varid)?;
        check_sought(name)?;
        if special(owner, name).is_some() {
            return Err(Status::EATTMETA.into());
        }
        let place = sought(name, |name| {
            self.visible(owner).position(|known| known.name == name)
        });
        place.map_or_else(|| Err(Status::ENOTATT.into()), count)
    }

    pub(crate) fn inq_attname(
        &mut self,
        group: GroupNumber,
        varid: i32,
        number: i32,
    ) -> Answer<String> {
        let owner = self.owner(group, varid)?;
        let place = usize::try_from(number).map_err(|_| Status::ENOTATT)?;
        let found = self.visible(owner).nth(place);
        let name = found.map(|attribute| attribute.name.clone());
        name.ok_or_else(|| Status::ENOTATT.into())
    }

    pub(crate) fn rename_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        new_name: &str,
    ) -> Answer<()> {
        if new_name.len() > MAX_NAME {
            return Err(Status::EMAXNAME.into());
        }
        self.group(group)?;
        let new_name = &*check_name(new_name)?;
        let owner = self.owner(group, varid)?;
        if self.find(owner, new_name).is_ok() {
            return Err(Status::ENAMEINUSE.into());
        }
        // By the name that it has: it may have been asked for in another form.
        let SchemaAttribute { name, value } = self.find(owner, name)?.clone();
        let name = name.as_str();
        if self.classic_model && !self.in_define_mode && new_name.len() > name.len() {
            return Err(Status::ENOTINDEFINE.into());
        }
        if let AttributeOwner::Variable(variable) = owner
            && new_name == FILL_VALUE
            && !self.is_fill_changeable(variable)
        {
            self.is_changed = true;
            return Ok(self.writer.rename_to_fill_value(variable, name)?);
        }
        let is_of_variable = matches!(owner, AttributeOwner::Variable(_));
        if is_of_variable && [name, new_name].contains(&FILL_VALUE) {
            self.put_checked(owner, new_name, value)?;
            return Ok(self.writer.delete_attribute(owner, name)?);
        }
        self.is_changed = true;
        Ok(self.writer.rename_attribute(owner, name, new_name)?)
    }

    pub(crate) fn del_att(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<()> {
        self.enter_define_mode()?;
        let owner = self.owner(group, varid)?;
        // As it is given: netCDF-C looks for no other form of it.
        if !self.visible(owner).any(|it| it.name == name) {
            return Err(Status::ENOTATT.into());
        }
        Ok(self.writer.delete_attribute(owner, name)?)
    }

    pub(crate) fn attribute(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeValues> {
        let owner = self.owner(group, varid)?;
        if let Some(value) = special(owner, name) {
            return Ok(AttributeValues::Atomic(value));
        }
        let attribute = self.find(owner, name)?;
        Ok(match &attribute.value {
            SchemaValue::Atomic(values) => AttributeValues::Atomic(values.clone()),
            SchemaValue::Strings(values) => AttributeValues::Strings(values.clone()),
            SchemaValue::Defined(defined, elements) => {
                let number = number_of_defined(*defined);
                AttributeValues::User(UserValues::new(number, elements.clone()))
            }
        })
    }

    pub(crate) fn put_attribute(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        values: &AttributeValues,
    ) -> Answer<()> {
        match values {
            AttributeValues::Strings(values) => self.put_att_strings(group, varid, name, values),
            AttributeValues::Atomic(values) => {
                let nc_type = values.nc_type();
                let number = nc_type.number().cast_signed();
                let memory = MemoryType::of(nc_type);
                let bytes = values.to_native_bytes();
                self.put_att(group, varid, name, number, memory, &bytes)
            }
            // Of another file, whose types have other numbers.
            AttributeValues::User(_) => Err(Status::ENOTBUILT.into()),
        }
    }

    fn find(&self, owner: AttributeOwner, name: &str) -> Answer<&SchemaAttribute> {
        check_sought(name)?;
        let found = sought(name, |name| self.schema().attribute(owner, name));
        let found = found.filter(|attribute| self.is_visible(owner, attribute));
        found.ok_or_else(|| Status::ENOTATT.into())
    }

    pub(super) fn visible(&self, owner: AttributeOwner) -> impl Iterator<Item = &SchemaAttribute> {
        let all = self.schema().attributes(owner).iter();
        all.filter(move |attribute| self.is_visible(owner, attribute))
    }

    fn is_visible(&self, owner: AttributeOwner, attribute: &SchemaAttribute) -> bool {
        !is_reserved(&attribute.name) && !self.is_shown_later(owner, &attribute.name)
    }
}

/// What groups have by name alone: it is listed nowhere.
fn special(owner: AttributeOwner, name: &str) -> Option<AttributeValue> {
    let AttributeOwner::Group(_) = owner else {
        return None;
    };
    match name {
        "_IsNetcdf4" => Some(AttributeValue::Int(vec![1])),
        "_SuperblockVersion" => Some(AttributeValue::Int(vec![SUPERBLOCK])),
        "_NCProperties" => Some(AttributeValue::Char(provenance().into_bytes())),
        _ => None,
    }
}

/// Why values are no strings.
pub(super) fn no_strings(nc_type: NcType) -> Refusal {
    match nc_type {
        NcType::Char => Status::ECHAR.into(),
        _ => Status::EBADTYPE.into(),
    }
}

/// Number of values.
fn length_of(value: &SchemaValue) -> usize {
    match value {
        SchemaValue::Atomic(values) => values.len(),
        SchemaValue::Strings(values) => values.len(),
        SchemaValue::Defined(_, elements) => elements.len(),
    }
}

/// Bytes of one value in memory; netCDF-C reckons with -1 for a string, and for what is no type.
fn type_bytes(nc_type: i32) -> usize {
    match MemoryType::of_number(nc_type) {
        Some(MemoryType::String) | None => usize::MAX,
        Some(memory) => memory.size_bytes(),
    }
}

fn bytes_of(attribute: &SchemaAttribute) -> usize {
    match &attribute.value {
        SchemaValue::Atomic(values) => values.len() * values.nc_type().size_bytes(),
        SchemaValue::Strings(values) => values.len().wrapping_mul(type_bytes(STRING)),
        SchemaValue::Defined(_, elements) => elements.elements().len(),
    }
}
