//! Values: from the caller's memory to netCDF-C, and back.

use frazil_container::classic::NcType;
use frazil_container::netcdf::LibraryStatus;

use super::{Bundled, atomic};
use crate::netcdf::convert::convert;
use crate::netcdf::create::FORMAT_NETCDF4_CLASSIC;
use crate::netcdf::region::Slab;
use crate::netcdf::status::{Answer, Refusal, Status};
use crate::netcdf::types::{GroupNumber, MemorySpan, MemoryType, Region};

impl Bundled {
    /// The elements that a call means, with the current lengths of the variable's axes.
    fn slab<'a>(
        &self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'a>,
    ) -> Answer<(Slab<'a>, Vec<u64>)> {
        let variable = self.file.inq_var(group.0, varid)?;
        let length = |&dimid: &i32| Ok(self.file.inq_dim(group.0, dimid)?.length);
        let shape: Vec<u64> = variable
            .dimensions
            .iter()
            .map(length)
            .collect::<Answer<_>>()?;
        let slab = Slab::new(region, shape.len(), |axis| shape[axis])?;
        Ok((slab, shape))
    }

    pub(in crate::netcdf) fn memory_span(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        _memory: MemoryType,
        is_put: bool,
    ) -> Answer<MemorySpan> {
        let (slab, shape) = self.slab(group, varid, region)?;
        if !is_put {
            slab.check(|axis| Some(shape[axis]), false)?;
        }
        slab.span()
    }

    pub(in crate::netcdf) fn put(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &[u8],
    ) -> Answer<()> {
        if !self.is_writable {
            return Err(Status::EPERM.into());
        }
        let Some(memory) = memory.nc_type() else {
            return Err(self.no_strings(group, varid));
        };
        let (slab, _) = self.slab(group, varid, region)?;
        let values = slab.gather(bytes, memory.size_bytes())?;
        let place = (&*slab.start, &*slab.count);
        let variable = (group.0, varid);
        Ok(self
            .file
            .put_vars(variable, place, slab.stride, memory, &values)?)
    }

    pub(in crate::netcdf) fn get(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &mut [u8],
    ) -> Answer<()> {
        let Some(memory) = memory.nc_type() else {
            return Err(self.no_strings(group, varid));
        };
        let (slab, shape) = self.slab(group, varid, region)?;
        let stored = self.file.inq_vartype(group.0, varid)?;
        // netCDF-C rounds the values of a quantized variable once more when it converts them, and
        // writes beyond the caller's memory as it does: it gets none to convert.
        let read_as = if self.is_netcdf4() {
            atomic(stored)?
        } else {
            memory
        };
        if (read_as == NcType::Char) != (memory == NcType::Char) {
            return Err(Status::ECHAR.into());
        }
        slab.check(|axis| Some(shape[axis]), false)?;
        let mut values = memory_of(slab.elements()?, read_as.size_bytes())?;
        let place = (&*slab.start, &*slab.count);
        let variable = (group.0, varid);
        let status = self
            .file
            .get_vars(variable, place, slab.stride, read_as, &mut values);
        match status {
            Ok(()) | Err(LibraryStatus(-60)) => {}
            Err(status) => return Err(status.into()),
        }
        let mut is_out = status.is_err();
        if read_as != memory {
            let is_classic = self.format == FORMAT_NETCDF4_CLASSIC;
            (values, is_out) = convert(&values, read_as, memory, is_classic)?;
        }
        slab.scatter(&values, bytes, memory.size_bytes())?;
        if is_out {
            return Err(Status::ERANGE.into());
        }
        Ok(())
    }

    pub(in crate::netcdf) fn put_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        _region: &Region<'_>,
        _values: &[String],
    ) -> Answer<()> {
        if !self.is_writable {
            return Err(Status::EPERM.into());
        }
        Err(self.no_strings(group, varid))
    }

    pub(in crate::netcdf) fn get_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        values: &mut [Option<String>],
    ) -> Answer<()> {
        let (slab, shape) = self.slab(group, varid, region)?;
        slab.check(|axis| Some(shape[axis]), false)?;
        let place = (&*slab.start, &*slab.count);
        let strings = self
            .file
            .get_strings((group.0, varid), place, slab.stride)?;
        slab.scatter_strings(strings, values)
    }

    /// Why a variable's values are no strings.
    fn no_strings(&self, group: GroupNumber, varid: i32) -> Refusal {
        match self.file.inq_vartype(group.0, varid) {
            Ok(nc_type) if nc_type == NcType::Char.number().cast_signed() => Status::ECHAR.into(),
            Ok(_) => Status::EBADTYPE.into(),
            Err(status) => status.into(),
        }
    }
}

/// Zeroed memory for so many elements.
fn memory_of(elements: usize, size: usize) -> Answer<Vec<u8>> {
    let mut memory = Vec::new();
    let bytes = elements.checked_mul(size);
    let bytes = bytes.filter(|&bytes| memory.try_reserve_exact(bytes).is_ok());
    memory.resize(bytes.ok_or(Status::ENOMEM)?, 0);
    Ok(memory)
}
