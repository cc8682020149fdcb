//! How variables are stored.

use frazil_container::classic::AttributeValue;
use frazil_container::schema::Text;

use super::Bundled;
use crate::environment::plugins_are_absent;
use crate::memory::atomic;
use crate::status::{Answer, Status};
use crate::types::{
    AttributeValues, ChunkCache, DeflateInquiry, FillInquiry, GroupNumber, STRING, Storage,
};
use frazil_types::{FilterSpec, filter_id};

impl Bundled {
    pub(crate) fn def_var_fill(
        &mut self,
        group: GroupNumber,
        varid: i32,
        no_fill: bool,
        value: Option<&[u8]>,
    ) -> Answer<()> {
        if !self.is_writable {
            return Err(Status::EPERM.into());
        }
        Ok(self.file.def_var_fill(group.0, varid, no_fill, value)?)
    }

    pub(crate) fn def_var_fill_text(
        &mut self,
        group: GroupNumber,
        varid: i32,
        _text: &Text,
    ) -> Answer<()> {
        self.file.inq_vartype(group.0, varid)?;
        self.no_setting()
    }

    pub(crate) fn inq_var_fill(&mut self, group: GroupNumber, varid: i32) -> Answer<FillInquiry> {
        let nc_type = self.file.inq_vartype(group.0, varid)?;
        if nc_type == STRING {
            // A fill value of a string variable is an attribute like any other.
            let value = self.file.get_att_strings(group.0, varid, "_FillValue");
            let value = value.unwrap_or_else(|_| vec![None]);
            let texts = value.into_iter().map(Option::unwrap_or_default).collect();
            return Ok(FillInquiry {
                no_fill: 0,
                value: AttributeValues::Strings(texts),
            });
        }
        let (no_fill, value) = self.file.inq_var_fill(group.0, varid)?;
        Ok(FillInquiry {
            no_fill: i32::from(no_fill),
            value: AttributeValues::Atomic(AttributeValue::from_native_bytes(
                atomic(nc_type)?,
                &value,
            )),
        })
    }

    pub(crate) fn def_var_chunking(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _storage: i32,
        _chunk: Option<&[u64]>,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_chunking(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(Storage, Vec<u64>)> {
        let (storage, chunk) = self.file.inq_var_chunking(group.0, varid)?;
        Ok(match storage {
            0 => (Storage::Chunked, chunk),
            2 => (Storage::Compact, Vec::new()),
            _ => (Storage::Contiguous, Vec::new()),
        })
    }

    pub(crate) fn def_var_deflate(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _shuffle: bool,
        _deflate: bool,
        _level: i32,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_deflate(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<DeflateInquiry> {
        let [shuffle, deflate, level] = self.file.inq_var_deflate(group.0, varid)?;
        Ok(DeflateInquiry {
            shuffle: shuffle != 0,
            deflate: deflate != 0,
            level,
        })
    }

    pub(crate) fn def_var_fletcher32(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _fletcher32: bool,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_fletcher32(&mut self, group: GroupNumber, varid: i32) -> Answer<bool> {
        Ok(self.file.inq_var_fletcher32(group.0, varid)? != 0)
    }

    pub(crate) fn def_var_endian(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _endian: i32,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_endian(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        Ok(self.file.inq_var_endian(group.0, varid)?)
    }

    pub(crate) fn def_var_szip(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _options_mask: i32,
        _pixels_per_block: i32,
    ) -> Answer<()> {
        self.no_filter()
    }

    /// As [`Self::no_setting`]; netCDF-C asks first whether the file is in define mode.
    fn no_filter(&self) -> Answer<()> {
        if self.is_netcdf4() {
            return Err(Status::EINDEFINE.into());
        }
        self.no_setting()
    }

    pub(crate) fn inq_var_szip(&mut self, group: GroupNumber, varid: i32) -> Answer<(i32, i32)> {
        Ok(self.file.inq_var_szip(group.0, varid)?)
    }

    pub(crate) fn def_var_zstandard(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _level: i32,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_zstandard(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Option<i32>> {
        let filters = self.inq_var_filters(group, varid)?;
        let zstd = filters.iter().find(|filter| filter.id == filter_id::ZSTD);
        let level = zstd.and_then(|filter| filter.cd_values.first());
        Ok(level.map(|level| level.cast_signed()))
    }

    pub(crate) fn def_var_filter(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _id: u32,
        _parameters: &[u32],
    ) -> Answer<()> {
        self.no_filter()
    }

    pub(crate) fn inq_var_filters(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Vec<FilterSpec>> {
        let filters = self.file.inq_var_filters(group.0, varid)?;
        let spec =
            |(id, parameters): (u32, Vec<u32>)| FilterSpec::new(id.cast_signed(), parameters);
        Ok(filters.into_iter().map(spec).collect())
    }

    pub(crate) fn inq_filter_avail(&mut self, id: u32) -> Answer<()> {
        let mut ours = frazil_codec::filters().iter();
        let is_ours = ours.any(|filter| filter.id == id.cast_signed() && filter.can_decode);
        if is_ours && self.is_netcdf4() && !plugins_are_absent() {
            return Ok(());
        }
        Ok(self.file.inq_filter_avail(id)?)
    }

    pub(crate) fn def_var_quantize(
        &mut self,
        _group: GroupNumber,
        _varid: i32,
        _mode: i32,
        _nsd: i32,
    ) -> Answer<()> {
        self.no_setting()
    }

    pub(crate) fn inq_var_quantize(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(i32, i32)> {
        Ok(self.file.inq_var_quantize(group.0, varid)?)
    }

    pub(crate) fn set_var_chunk_cache(
        &mut self,
        group: GroupNumber,
        varid: i32,
        cache: ChunkCache,
    ) -> Answer<()> {
        self.get_var_chunk_cache(group, varid)?;
        if !(0.0..=1.0).contains(&cache.preemption) {
            return Err(Status::EINVAL.into());
        }
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (bytes, slots) = (number(cache.size_bytes), number(cache.slots));
        self.file
            .set_var_chunk_cache(group.0, varid, (bytes, slots, cache.preemption))?;
        self.caches.insert((group, varid));
        Ok(())
    }

    /// What netCDF-C has been told, if anything.
    pub(crate) fn get_var_chunk_cache(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<ChunkCache> {
        self.file.inq_vartype(group.0, varid)?;
        if !self.is_netcdf4() {
            return Err(Status::ENOTNC4.into());
        }
        if !self.caches.contains(&(group, varid)) {
            return Ok(ChunkCache::default());
        }
        let (bytes, slots, preemption) = self.file.get_var_chunk_cache(group.0, varid)?;
        Ok(ChunkCache {
            size_bytes: bytes as u64,
            slots: slots as u64,
            preemption,
        })
    }
}
