//! Values: from the file to the caller's memory.

use frazil_container::classic::NcType;
use frazil_container::model::TypeClass;
use frazil_container::schema::VariableId;
use frazil_file::error::Error;
use frazil_types::ErrorCode;

use super::Reading;
use super::attributes::c_text;
use crate::convert::convert;
use crate::memory::{atomic, check_strings, check_text, zeroed};
use crate::region::Slab;
use crate::status::{Answer, Refusal, Status};
use crate::types::{CText, GroupNumber, MemorySpan, MemoryType, Region};

impl Reading {
    /// The elements that a call means.
    pub(super) fn slab<'a>(&self, id: VariableId, region: &Region<'a>) -> Answer<Slab<'a>> {
        let shape = &self.view.variables[id.0].shape;
        Slab::new(region, shape.len(), |axis| shape[axis])
    }

    pub(super) fn check(&self, id: VariableId, slab: &Slab<'_>) -> Answer<()> {
        let shape = &self.view.variables[id.0].shape;
        slab.check(|axis| Some(shape[axis]), false)
    }

    pub(crate) fn memory_span(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        is_put: bool,
    ) -> Answer<MemorySpan> {
        let id = self.variable(group, varid)?;
        let stored = self.view.variables[id.0].of.nc_type;
        check_text(stored, memory)?;
        let slab = self.slab(id, region)?;
        if !is_put {
            self.check(id, &slab)?;
            check_strings(stored, memory)?;
        }
        slab.span()
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
        let stored = self.view.variables[id.0].of.nc_type;
        check_text(stored, memory)?;
        let slab = self.slab(id, region)?;
        self.check(id, &slab)?;
        check_strings(stored, memory)?;
        let stored = atomic(stored)?;
        let memory = memory.nc_type().ok_or(Status::EBADTYPE)?;
        let outcome = self.read(id, &slab, (stored, memory), bytes);
        match outcome {
            Err(ReadFault::NotServed) => {
                let library = self.library()?;
                library.get(group, varid, region, MemoryType::of(memory), bytes)
            }
            Err(ReadFault::Refused(refusal)) => Err(refusal),
            Ok(true) => Err(Status::ERANGE.into()),
            Ok(false) => Ok(()),
        }
    }

    /// Whether a value was out of range.
    fn read(
        &self,
        id: VariableId,
        slab: &Slab<'_>,
        (stored, memory): (NcType, NcType),
        bytes: &mut [u8],
    ) -> Result<bool, ReadFault> {
        let selections = slab.selections();
        let elements = slab.elements()?;
        if stored == memory && !slab.is_mapped() {
            let wanted = elements.checked_mul(memory.size_bytes());
            let target = wanted.and_then(|wanted| bytes.get_mut(..wanted));
            let target = target.ok_or(Status::EINVAL)?;
            self.reader.read(id, &selections, target)?;
            return Ok(false);
        }
        let mut values = zeroed(elements, stored.size_bytes())?;
        self.reader.read(id, &selections, &mut values)?;
        let mut is_out = false;
        if stored != memory {
            (values, is_out) = convert(&values, stored, memory, self.view.is_classic)?;
        }
        slab.scatter(&values, bytes, memory.size_bytes())?;
        Ok(is_out)
    }

    pub(crate) fn get_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        values: &mut [Option<CText>],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let stored = self.view.variables[id.0].of.nc_type;
        check_text(stored, MemoryType::String)?;
        let slab = self.slab(id, region)?;
        self.check(id, &slab)?;
        check_strings(stored, MemoryType::String)?;
        match self.strings(id, &slab) {
            Ok(strings) => slab.scatter_strings(strings, values),
            Err(ReadFault::NotServed) => {
                (self.library()?).get_strings(group, varid, region, values)
            }
            Err(ReadFault::Refused(refusal)) => Err(refusal),
        }
    }

    fn strings(&self, id: VariableId, slab: &Slab<'_>) -> Result<Vec<CText>, ReadFault> {
        let selections = slab.selections();
        let datatype = &self.reader.model().variables[id.0].datatype;
        if let TypeClass::FixedText { .. } = datatype.class {
            let size = datatype.size_bytes;
            let mut texts = zeroed(slab.elements()?, size)?;
            self.reader.read(id, &selections, &mut texts)?;
            return Ok(texts.chunks_exact(size).map(c_text).map(Some).collect());
        }
        let values = self.reader.read_expanded(id, &selections)?;
        // Behind the length of each.
        let text = |i| c_text(values.element(i).get(8..).unwrap_or_default());
        let texts = (0..values.len()).map(|i| (!values.is_null(i)).then(|| text(i)));
        Ok(texts.collect())
    }
}

/// Why values were not read.
enum ReadFault {
    /// netCDF-C may be able to.
    NotServed,
    Refused(Refusal),
}

impl From<Error> for ReadFault {
    fn from(error: Error) -> Self {
        match error.code {
            ErrorCode::MissingFilter | ErrorCode::Unsupported => Self::NotServed,
            _ => Self::Refused(error.into()),
        }
    }
}

impl From<Status> for ReadFault {
    fn from(status: Status) -> Self {
        Self::Refused(status.into())
    }
}

impl From<Refusal> for ReadFault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
