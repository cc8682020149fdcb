//! Attributes.

use frazil_container::classic::AttributeValue;
use frazil_container::schema::Text;

use super::Bundled;
use crate::memory::atomic;
use crate::status::{Answer, Refusal, Status};
use crate::types::{AttributeInquiry, AttributeValues, CText, GroupNumber, MemoryType, STRING};

impl Bundled {
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
        let Some(memory) = memory.nc_type() else {
            return Err(Status::EINVAL.into());
        };
        let owner = (group.0, varid);
        Ok(self.file.put_att(owner, name, nc_type, memory, bytes)?)
    }

    pub(crate) fn put_att_strings(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _name: &str,
        _values: &[Text],
    ) -> Answer<()> {
        if self.is_netcdf4() || !self.is_writable {
            return Err(Status::EPERM.into());
        }
        Err(Refusal::new(
            Status::ESTRICTNC3,
            "classic files hold no attributes of strings; use text",
        ))
    }

    pub(crate) fn get_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        memory: MemoryType,
        out: &mut Vec<u8>,
    ) -> Answer<()> {
        let Some(memory) = memory.nc_type() else {
            return Err(Status::EINVAL.into());
        };
        let (values, status) = self.file.get_att((group.0, varid), name, memory)?;
        *out = values;
        Ok(status?)
    }

    pub(crate) fn get_att_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<Vec<CText>> {
        Ok(self.file.get_att_strings(group.0, varid, name)?)
    }

    pub(crate) fn inq_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeInquiry> {
        let (nc_type, length) = self.file.inq_att(group.0, varid, name)?;
        Ok(AttributeInquiry { nc_type, length })
    }

    pub(crate) fn inq_attid(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<i32> {
        Ok(self.file.inq_attid(group.0, varid, name)?)
    }

    pub(crate) fn inq_attname(
        &mut self,
        group: GroupNumber,
        varid: i32,
        number: i32,
    ) -> Answer<String> {
        Ok(self.file.inq_attname(group.0, varid, number)?)
    }

    pub(crate) fn rename_att(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        new_name: &str,
    ) -> Answer<()> {
        Ok(self.file.rename_att(group.0, varid, name, new_name)?)
    }

    pub(crate) fn del_att(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<()> {
        Ok(self.file.del_att(group.0, varid, name)?)
    }

    pub(crate) fn attribute(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
    ) -> Answer<AttributeValues> {
        let (nc_type, _) = self.file.inq_att(group.0, varid, name)?;
        if nc_type == STRING {
            let values = self.file.get_att_strings(group.0, varid, name)?;
            let texts = values.into_iter().map(Option::unwrap_or_default);
            return Ok(AttributeValues::Strings(texts.collect()));
        }
        let nc_type = atomic(nc_type)?;
        let (values, _) = self.file.get_att((group.0, varid), name, nc_type)?;
        let values = AttributeValue::from_native_bytes(nc_type, &values);
        Ok(AttributeValues::Atomic(values))
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
            AttributeValues::User(_) => Err(Status::EBADTYPE.into()),
            AttributeValues::Atomic(values) => {
                let nc_type = values.nc_type();
                let bytes = values.to_native_bytes();
                let number = nc_type.number().cast_signed();
                Ok(self
                    .file
                    .put_att((group.0, varid), name, number, nc_type, &bytes)?)
            }
        }
    }
}
