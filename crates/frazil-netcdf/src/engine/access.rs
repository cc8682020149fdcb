//! Values: from the caller's memory to the writer, and back.

use std::borrow::Cow;

use frazil_container::classic::NcType;

use super::Engine;
use super::variables::number_of;
use crate::convert::convert;
use crate::memory::{check_strings, check_text};
use crate::region::Slab;
use crate::status::{Answer, Refusal, Status};
use crate::types::{CText, GroupNumber, MemorySpan, MemoryType, Region};
use frazil_container::schema::{Text, ValueType, VariableId};

impl Engine {
    pub(crate) fn memory_span(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        is_put: bool,
    ) -> Answer<MemorySpan> {
        let id = self.variable(group, varid)?;
        match self.slab(id, region, memory, is_put)? {
            Some(slab) => slab.span(),
            None => Ok(MemorySpan::default()),
        }
    }

    pub(crate) fn put(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &[u8],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let Some(slab) = self.slab(id, region, memory, true)? else {
            return Ok(());
        };
        let (stored, given) = self.number_types(id, memory)?;
        let mut values = slab.gather(bytes, given.size_bytes())?;
        let mut is_out = false;
        if given != stored {
            let (converted, any_out) = convert(&values, given, stored, self.classic_model)?;
            (values, is_out) = (Cow::Owned(converted), any_out);
        }
        self.put_slab(id, &slab, &values)?;
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
    }

    /// Puts elements as the file has them.
    pub(super) fn put_slab(
        &mut self,
        id: VariableId,
        slab: &Slab<'_>,
        values: &[u8],
    ) -> Answer<()> {
        if values.is_empty() {
            return Ok(());
        }
        let steps = slab.steps();
        self.note_put();
        Ok(self
            .writer
            .put(id, &slab.start, &slab.count, steps.as_deref(), values)?)
    }

    /// Reads elements as the file has them.
    pub(super) fn get_slab(&mut self, id: VariableId, slab: &Slab<'_>) -> Answer<Vec<u8>> {
        let steps = slab.steps();
        Ok(self
            .writer
            .read(id, &slab.start, &slab.count, steps.as_deref())?)
    }

    /// A variable that values of this type can be written to one by one as they are; with its rank.
    #[inline]
    pub(crate) fn plain_variable(
        &self,
        group: GroupNumber,
        varid: i32,
        memory: MemoryType,
    ) -> Option<(VariableId, usize)> {
        let place = usize::try_from(varid).ok()?;
        let id = *self.variables.get(usize::from(group.0))?.get(place)?;
        let described = self.described(id);
        let is_same = match described.value_type {
            ValueType::Atomic(stored) => memory.nc_type() == Some(stored),
            ValueType::String | ValueType::Defined(_) => false,
        };
        (is_same && !self.in_define_mode).then_some((id, described.dimensions.len()))
    }

    #[inline]
    pub(crate) fn put_element(
        &mut self,
        id: VariableId,
        start: &[u64],
        bytes: &[u8],
    ) -> Answer<bool> {
        self.note_put();
        Ok(self.writer.put_element(id, start, bytes)?)
    }

    pub(crate) fn get(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &mut [u8],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let Some(slab) = self.slab(id, region, memory, false)? else {
            return Ok(());
        };
        let (stored, wanted) = self.number_types(id, memory)?;
        if slab.elements()? == 0 {
            return Ok(());
        }
        if let Some(there) = self.committed(group, varid)? {
            return there
                .file
                .get(there.group, there.varid, region, memory, bytes);
        }
        let mut values = self.get_slab(id, &slab)?;
        let mut is_out = false;
        if stored != wanted {
            (values, is_out) = convert(&values, stored, wanted, self.classic_model)?;
        }
        slab.scatter(&values, bytes, wanted.size_bytes())?;
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
    }

    pub(crate) fn put_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        values: &[Text],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let Some(slab) = self.slab(id, region, MemoryType::String, true)? else {
            return Ok(());
        };
        let values = slab.gather_strings(values)?;
        if values.is_empty() {
            return Ok(());
        }
        let steps = slab.steps();
        self.note_put();
        Ok(self
            .writer
            .put_strings(id, &slab.start, &slab.count, steps.as_deref(), &values)?)
    }

    pub(crate) fn get_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        values: &mut [Option<CText>],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let Some(slab) = self.slab(id, region, MemoryType::String, false)? else {
            return Ok(());
        };
        if slab.elements()? == 0 {
            return Ok(());
        }
        if let Some(there) = self.committed(group, varid)? {
            return (there.file).get_strings(there.group, there.varid, region, values);
        }
        let steps = slab.steps();
        let strings = self
            .writer
            .read_strings(id, &slab.start, &slab.count, steps.as_deref())?;
        slab.scatter_strings(strings, values)
    }

    pub(super) fn note_put(&mut self) {
        self.is_put = true;
        self.is_changed = true;
    }

    /// The elements that a call means, within the variable; `None`: none, and the file stays in its mode.
    /// What is wrong is found in netCDF-C's order.
    pub(super) fn slab<'a>(
        &mut self,
        id: VariableId,
        region: &Region<'a>,
        memory: MemoryType,
        is_put: bool,
    ) -> Answer<Option<Slab<'a>>> {
        let stored = number_of(self.described(id).value_type);
        check_text(stored, memory)?;
        let is_mapped = region.map.is_some() && !self.described(id).dimensions.is_empty();
        if is_mapped {
            let slab = self.slab_of(id, region)?;
            let shape = self.schema().shape(id);
            let first_grows = self.has_records(id);
            if !slab.check_mapped(&shape, is_put, first_grows)? {
                return Ok(None);
            }
        }
        // Also where what follows is refused.
        self.enter_data_mode()?;
        let slab = self.slab_of(id, region)?;
        let checked = self.check_slab(id, &slab, is_put);
        checked.map_err(|refusal| match refusal.status {
            // netCDF-C moves elements one by one.
            Status::EEDGE if is_mapped => Refusal::new(Status::EINVALCOORDS, refusal.detail),
            _ => refusal,
        })?;
        check_strings(stored, memory)?;
        Ok(Some(slab))
    }

    fn slab_of<'a>(&self, id: VariableId, region: &Region<'a>) -> Answer<Slab<'a>> {
        let shape = self.schema().shape(id);
        Slab::new(region, shape.len(), |axis| shape[axis])
    }

    /// Whether the first axis is the first unlimited dimension of the variable's group.
    fn has_records(&self, id: VariableId) -> bool {
        let variable = self.described(id);
        let first = self.unlimited_of(variable.group).next();
        first.is_some() && variable.dimensions.first() == first.as_ref()
    }

    fn check_slab(&self, id: VariableId, slab: &Slab<'_>, is_put: bool) -> Answer<()> {
        let schema = self.schema();
        let dimensions = &schema.variables[id.0].dimensions;
        let dimension = |axis: usize| &schema.dimensions[dimensions[axis].0];
        let limit = |axis: usize| {
            let dimension = dimension(axis);
            (!is_put || !dimension.is_unlimited).then_some(dimension.length)
        };
        slab.check(limit, is_put)
    }

    /// The types of a variable's elements and of values in memory that can become such.
    fn number_types(&self, id: VariableId, memory: MemoryType) -> Answer<(NcType, NcType)> {
        match (self.described(id).value_type, memory.nc_type()) {
            (ValueType::Atomic(stored), Some(given)) => Ok((stored, given)),
            _ => Err(Status::EBADTYPE.into()),
        }
    }
}
