//! Values: from the caller's memory to netCDF-C, and back.

use frazil_container::classic::NcType;
use frazil_container::netcdf::LibraryStatus;
use frazil_container::schema::Text;
use frazil_read::{Reader, ReaderOptions};

use super::Bundled;
use crate::convert::convert;
use crate::environment::plugins_are_absent;
use crate::memory::{atomic, check_strings, check_text, zeroed};
use crate::region::Slab;
use crate::status::{Answer, Refusal, Status};
use crate::types::{CText, FORMAT_NETCDF4_CLASSIC, GroupNumber, MemorySpan, MemoryType, Region};

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

    /// What netCDF-C looks at before it looks where the values are to go or come from.
    fn check_values(
        &self,
        group: GroupNumber,
        varid: i32,
        memory: MemoryType,
        is_put: bool,
    ) -> Answer<()> {
        if !self.is_netcdf4() {
            if is_put && !self.is_writable {
                return Err(Status::EPERM.into());
            }
            if self.in_define_mode {
                return Err(Status::EINDEFINE.into());
            }
        }
        let stored = self.file.inq_vartype(group.0, varid)?;
        check_text(stored, memory)?;
        match self.is_netcdf4() {
            true => Ok(()),
            false => check_strings(stored, memory),
        }
    }

    /// What netCDF-C looks at first when it reads a classic file.
    fn check_origins(&self, group: GroupNumber, varid: i32, region: &Region<'_>) -> Answer<()> {
        let (Some(start), false) = (region.start, self.is_netcdf4()) else {
            return Ok(());
        };
        let dimensions = self.file.inq_var(group.0, varid)?.dimensions;
        let is_record = dimensions.first() == Some(&self.file.inq_unlimdim(group.0)?);
        let mut exceeds_records = false;
        for (axis, (&dimid, &origin)) in dimensions.iter().zip(start).enumerate() {
            let length = self.file.inq_dim(group.0, dimid)?.length;
            let count = (region.count).map_or(1, |count| count.get(axis).copied().unwrap_or(0));
            // Without a stride, records of a file that is being written come last.
            if axis == 0 && is_record && region.stride.is_none() && self.is_writable {
                exceeds_records = origin.saturating_add(count) > length;
            } else if origin > length || (origin == length && count > 0) {
                return Err(Status::EINVALCOORDS.into());
            }
            // With one, one axis is looked at after the other.
            if (region.stride).is_some_and(|all| all.get(axis).is_some_and(|&step| step <= 0)) {
                return Err(Status::ESTRIDE.into());
            }
        }
        if exceeds_records {
            return Err(Status::EEDGE.into());
        }
        Ok(())
    }

    pub(crate) fn memory_span(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        is_put: bool,
    ) -> Answer<MemorySpan> {
        self.check_values(group, varid, memory, is_put)?;
        if !is_put {
            self.check_origins(group, varid, region)?;
        }
        let (slab, shape) = self.slab(group, varid, region)?;
        if !is_put {
            slab.check(|axis| Some(shape[axis]), false)?;
            check_strings(self.file.inq_vartype(group.0, varid)?, memory)?;
        }
        slab.span()
    }

    pub(crate) fn put(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &[u8],
    ) -> Answer<()> {
        if !self.is_writable {
            self.check_values(group, varid, memory, true)?;
            return Err(Status::EPERM.into());
        }
        let memory = memory.nc_type().ok_or(Status::EBADTYPE)?;
        let (slab, _) = self.slab(group, varid, region)?;
        let values = slab.gather(bytes, memory.size_bytes())?;
        let place = (&*slab.start, &*slab.count);
        let variable = (group.0, varid);
        Ok(self
            .file
            .put_vars(variable, place, slab.stride, memory, &values)?)
    }

    pub(crate) fn get(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        memory: MemoryType,
        bytes: &mut [u8],
    ) -> Answer<()> {
        self.check_values(group, varid, memory, false)?;
        self.check_origins(group, varid, region)?;
        let (slab, shape) = self.slab(group, varid, region)?;
        slab.check(|axis| Some(shape[axis]), false)?;
        let stored = self.file.inq_vartype(group.0, varid)?;
        check_strings(stored, memory)?;
        let memory = memory.nc_type().ok_or(Status::EBADTYPE)?;
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
        let mut values = zeroed(slab.elements()?, read_as.size_bytes())?;
        let place = (&*slab.start, &*slab.count);
        let variable = (group.0, varid);
        let status = match self.ours_to_read.contains(&(group, varid)) {
            false => (self.file).get_vars(variable, place, slab.stride, read_as, &mut values),
            true => Err(LibraryStatus(Status::ENOFILTER.0)),
        };
        let mut is_out = false;
        match status {
            Ok(()) => {}
            Err(LibraryStatus(-60)) => is_out = true,
            Err(status) => {
                let found = self.decode_values(group, varid, &slab, status.into())?;
                if found.len() != values.len() {
                    return Err(Status::EHDFERR.into());
                }
                values = found;
            }
        }
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

    /// The values of a slab that netCDF-C could not read for want of a filter plugin.
    fn decode_values(
        &mut self,
        group: GroupNumber,
        varid: i32,
        slab: &Slab<'_>,
        refusal: Refusal,
    ) -> Answer<Vec<u8>> {
        let may_be_filter = [Status::EHDFERR, Status::EFILTER, Status::ENOFILTER];
        let is_ours = self.is_netcdf4() && !self.is_writable && !plugins_are_absent();
        if !is_ours || !may_be_filter.contains(&refusal.status) {
            return Err(refusal);
        }
        let stored = atomic(self.file.inq_vartype(group.0, varid)?)?;
        let name = self.file.inq_var(group.0, varid)?.name;
        let folder = self.file.inq_grpname_full(group.0)?;
        let reader = match &mut self.reader {
            Some(open) => open,
            none => none.insert(Reader::open(&self.path, &ReaderOptions::default())?),
        };
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        let id = reader.model().variable(&path).ok_or(refusal)?;
        let mut values = zeroed(slab.elements()?, stored.size_bytes())?;
        reader.read(id, &slab.selections(), &mut values)?;
        self.ours_to_read.insert((group, varid));
        Ok(values)
    }

    pub(crate) fn put_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        _region: &Region<'_>,
        _values: &[Text],
    ) -> Answer<()> {
        self.check_values(group, varid, MemoryType::String, true)?;
        if !self.is_writable {
            return Err(Status::EPERM.into());
        }
        Err(Status::EBADTYPE.into())
    }

    pub(crate) fn get_strings(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        values: &mut [Option<CText>],
    ) -> Answer<()> {
        check_text(self.file.inq_vartype(group.0, varid)?, MemoryType::String)?;
        let (slab, shape) = self.slab(group, varid, region)?;
        slab.check(|axis| Some(shape[axis]), false)?;
        let place = (&*slab.start, &*slab.count);
        let strings = self
            .file
            .get_strings((group.0, varid), place, slab.stride)?;
        slab.scatter_strings(strings, values)
    }
}
