//! Values: from the caller's memory to the writer, and back.

use std::borrow::Cow;

use frazil_container::classic::NcType;

use super::Engine;
use super::attributes::no_strings;
use crate::convert::convert;
use crate::region::Slab;
use crate::status::{Answer, Status};
use crate::types::{GroupNumber, MemorySpan, MemoryType, Region};
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
        self.check_memory(id, memory)?;
        // As in netCDF-C also where what follows is refused.
        self.enter_data_mode()?;
        self.slab(id, region, is_put)?.span()
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
        let (stored, given) = self.number_types(id, memory)?;
        self.enter_data_mode()?;
        let slab = self.slab(id, region, true)?;
        let mut values = slab.gather(bytes, given.size_bytes())?;
        let mut is_out = false;
        if given != stored {
            let (converted, any_out) = convert(&values, given, stored, self.classic_model)?;
            (values, is_out) = (Cow::Owned(converted), any_out);
        }
        if !values.is_empty() {
            let steps = slab.steps();
            self.note_put();
            self.writer
                .put(id, &slab.start, &slab.count, steps.as_deref(), &values)?;
        }
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
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
            ValueType::String => false,
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
        let (stored, wanted) = self.number_types(id, memory)?;
        self.enter_data_mode()?;
        let slab = self.slab(id, region, false)?;
        if slab.elements()? == 0 {
            return Ok(());
        }
        let steps = slab.steps();
        let mut values = self
            .writer
            .read(id, &slab.start, &slab.count, steps.as_deref())?;
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
        self.check_memory(id, MemoryType::String)?;
        self.enter_data_mode()?;
        let slab = self.slab(id, region, true)?;
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
        values: &mut [Option<Text>],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.check_memory(id, MemoryType::String)?;
        self.enter_data_mode()?;
        let slab = self.slab(id, region, false)?;
        if slab.elements()? == 0 {
            return Ok(());
        }
        let steps = slab.steps();
        let strings = self
            .writer
            .read_strings(id, &slab.start, &slab.count, steps.as_deref())?;
        slab.scatter_strings(strings, values)
    }

    fn note_put(&mut self) {
        self.is_put = true;
        self.is_changed = true;
    }

    /// The elements that a call means, within the variable.
    fn slab<'a>(&self, id: VariableId, region: &Region<'a>, is_put: bool) -> Answer<Slab<'a>> {
        let schema = self.schema();
        let dimensions = &schema.variables[id.0].dimensions;
        let dimension = |axis: usize| &schema.dimensions[dimensions[axis].0];
        let slab = Slab::new(region, dimensions.len(), |axis| dimension(axis).length)?;
        let limit = |axis: usize| {
            let dimension = dimension(axis);
            (!is_put || !dimension.is_unlimited).then_some(dimension.length)
        };
        slab.check(limit, is_put)?;
        Ok(slab)
    }

    /// The types of a variable's elements and of values in memory that can become such.
    fn number_types(&self, id: VariableId, memory: MemoryType) -> Answer<(NcType, NcType)> {
        self.check_memory(id, memory)?;
        match (self.described(id).value_type, memory.nc_type()) {
            (ValueType::Atomic(stored), Some(given)) => Ok((stored, given)),
            _ => Err(Status::EBADTYPE.into()),
        }
    }

    /// Text is no number, and neither is a string.
    fn check_memory(&self, id: VariableId, memory: MemoryType) -> Answer<()> {
        match (self.described(id).value_type, memory.nc_type()) {
            (ValueType::String, None) => Ok(()),
            (ValueType::String, Some(given)) => Err(no_strings(given)),
            (ValueType::Atomic(stored), None) => Err(no_strings(stored)),
            (ValueType::Atomic(stored), Some(given)) => {
                if (stored == NcType::Char) != (given == NcType::Char) {
                    return Err(Status::ECHAR.into());
                }
                Ok(())
            }
        }
    }
}
