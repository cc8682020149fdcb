//! Values of types that programs define.

use frazil_container::hdf5::expand_plain;
use frazil_container::schema::VariableId;

use super::Reading;
use super::served::InMemory;
use crate::status::{Answer, Status};
use crate::types::{AttributeValues, FillInquiry, GroupNumber, Region};
use crate::user_types::{UserTypes, UserValues};

impl Reading {
    pub(crate) fn user_types(&self) -> &UserTypes {
        &self.view.types
    }

    /// Values of such a type; `None`: they are in `bytes`.
    pub(crate) fn get_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        bytes: &mut [u8],
    ) -> Answer<Option<UserValues>> {
        let id = self.variable(group, varid)?;
        let of = &self.view.variables[id.0].of;
        let memory = of.memory.as_ref().ok_or(Status::EBADTYPE)?;
        let slab = self.slab(id, region)?;
        self.check(id, &slab)?;
        let wanted = slab.elements()?.checked_mul(memory.native.size_bytes);
        let target = wanted.and_then(|wanted| bytes.get_mut(..wanted));
        let target = target.ok_or(Status::EINVAL)?;
        let selections = slab.selections();
        if memory.is_as_stored {
            self.reader.read(id, &selections, target)?;
            return Ok(None);
        }
        let expanded = self.reader.read_expanded(id, &selections)?;
        let values = UserValues::of(of.nc_type, &memory.native, &expanded)?;
        if memory.native.is_indirect() {
            return Ok(Some(values));
        }
        match values.elements() {
            elements if elements.len() == target.len() => target.copy_from_slice(elements),
            _ => return Err(Status::EHDFERR.into()),
        }
        Ok(None)
    }

    /// The fill value of a variable of such a type.
    pub(super) fn user_fill(&self, id: VariableId, memory: &InMemory) -> Answer<FillInquiry> {
        let view = &self.view.variables[id.0].of;
        let variable = &self.reader.model().variables[id.0];
        let values = if !view.has_fill || memory.native.is_indirect() {
            // netCDF-C gives none, or one without anything in it.
            UserValues::zeros(view.nc_type, &memory.native)?
        } else {
            let expanded = expand_plain(&variable.datatype, &variable.dataset.fill);
            let expanded = expanded.map_err(|_| Status::EHDFERR)?;
            UserValues::of(view.nc_type, &memory.native, &expanded)?
        };
        Ok(FillInquiry {
            no_fill: i32::from(!view.has_fill),
            value: AttributeValues::User(values),
        })
    }
}
