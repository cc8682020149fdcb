//! How variables are stored.

use frazil_codec::filters;
use frazil_container::classic::AttributeValue;
use frazil_container::model::{DatasetStorage, FillStatus, Variable};
use frazil_container::schema::VariableId;
use frazil_types::{ByteOrder, FilterSpec, filter_id};

use super::Reading;
use crate::environment::plugins_are_absent;
use crate::memory::atomic;
use crate::names::FILL_VALUE;
use crate::status::{Answer, Status};
use crate::types::{
    AttributeValues, ChunkCache, DeflateInquiry, FillInquiry, GLOBAL, GroupNumber, STRING, Storage,
};

/// `NC_ENDIAN_LITTLE` and `NC_ENDIAN_BIG`
const LITTLE: i32 = 1;
const BIG: i32 = 2;

impl Reading {
    fn stored(&self, group: GroupNumber, varid: i32) -> Answer<(VariableId, &Variable)> {
        let id = self.variable(group, varid)?;
        Ok((id, &self.reader.model().variables[id.0]))
    }

    fn filter(&self, group: GroupNumber, varid: i32, id: i32) -> Answer<Option<&FilterSpec>> {
        let VariableId(variable) = self.variable(group, varid)?;
        let mut filters = self.view.variables[variable].of.filters.iter();
        Ok(filters.find(|filter| filter.id == id))
    }

    pub(crate) fn inq_var_fill(&mut self, group: GroupNumber, varid: i32) -> Answer<FillInquiry> {
        let nc_type = self.inq_vartype(group, varid)?;
        if nc_type == STRING {
            // A fill value of a string variable is an attribute like any other.
            let value = self.get_att_strings(group, varid, FILL_VALUE);
            let value = value.unwrap_or_else(|_| vec![None]);
            let texts = value.into_iter().map(Option::unwrap_or_default).collect();
            return Ok(FillInquiry {
                no_fill: 0,
                value: AttributeValues::Strings(texts),
            });
        }
        let found = self.variable(group, varid)?;
        if let Some(memory) = &self.view.variables[found.0].of.memory {
            return self.user_fill(found, memory);
        }
        let nc_type = atomic(nc_type)?;
        let (id, variable) = self.stored(group, varid)?;
        let no_fill = variable.dataset.fill_status != FillStatus::User;
        let value = match no_fill {
            // netCDF-C gives none.
            true => vec![0; nc_type.size_bytes()],
            false => self.reader.fill_value(id)?,
        };
        Ok(FillInquiry {
            no_fill: i32::from(no_fill),
            value: AttributeValues::Atomic(AttributeValue::from_native_bytes(nc_type, &value)),
        })
    }

    pub(crate) fn inq_var_chunking(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(Storage, Vec<u64>)> {
        let (_, variable) = self.stored(group, varid)?;
        Ok(match &variable.dataset.storage {
            DatasetStorage::Chunked { chunk, .. } => (Storage::Chunked, chunk.clone()),
            DatasetStorage::Compact => (Storage::Compact, Vec::new()),
            _ => (Storage::Contiguous, Vec::new()),
        })
    }

    pub(crate) fn inq_var_deflate(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<DeflateInquiry> {
        let deflate = self.filter(group, varid, filter_id::DEFLATE)?;
        let level = deflate.and_then(|filter| filter.cd_values.first());
        Ok(DeflateInquiry {
            shuffle: self.filter(group, varid, filter_id::SHUFFLE)?.is_some(),
            deflate: deflate.is_some(),
            level: level.map_or(0, |level| level.cast_signed()),
        })
    }

    pub(crate) fn inq_var_fletcher32(&mut self, group: GroupNumber, varid: i32) -> Answer<bool> {
        Ok(self.filter(group, varid, filter_id::FLETCHER32)?.is_some())
    }

    pub(crate) fn inq_var_endian(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        let (id, variable) = self.stored(group, varid)?;
        if self.view.variables[id.0].of.memory.is_some() {
            return Ok(0);
        }
        Ok(match variable.datatype.number_order() {
            Some(ByteOrder::Big) => BIG,
            Some(_) => LITTLE,
            None => 0,
        })
    }

    pub(crate) fn inq_var_szip(&mut self, group: GroupNumber, varid: i32) -> Answer<(i32, i32)> {
        match self
            .filter(group, varid, filter_id::SZIP)?
            .map(|one| &*one.cd_values)
        {
            None => Ok((0, 0)),
            Some([mask, pixels, ..]) => Ok((mask.cast_signed(), pixels.cast_signed())),
            Some(_) => Err(Status::EFILTER.into()),
        }
    }

    pub(crate) fn inq_var_zstandard(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Option<i32>> {
        let zstd = self.filter(group, varid, filter_id::ZSTD)?;
        let level = zstd.and_then(|filter| filter.cd_values.first());
        Ok(level.map(|level| level.cast_signed()))
    }

    pub(crate) fn inq_var_filters(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Vec<FilterSpec>> {
        let VariableId(id) = self.variable(group, varid)?;
        let filters = self.view.variables[id].of.filters.iter();
        let shown = filters.map(|filter| FilterSpec::new(filter.id, filter.cd_values.clone()));
        Ok(shown.collect())
    }

    pub(crate) fn inq_filter_avail(&mut self, id: u32) -> Answer<()> {
        let mut ours = filters().iter();
        let is_ours = ours.any(|filter| filter.id == id.cast_signed() && filter.can_decode);
        if is_ours && !plugins_are_absent() {
            return Ok(());
        }
        self.library()?.inq_filter_avail(id)
    }

    pub(crate) fn inq_var_quantize(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(i32, i32)> {
        if varid == GLOBAL {
            return Err(Status::EGLOBAL.into());
        }
        let VariableId(id) = self.variable(group, varid)?;
        Ok(self.view.variables[id].of.quantized)
    }

    pub(crate) fn set_var_chunk_cache(
        &mut self,
        group: GroupNumber,
        varid: i32,
        cache: ChunkCache,
    ) -> Answer<()> {
        if !(0.0..=1.0).contains(&cache.preemption) {
            return Err(Status::EINVAL.into());
        }
        self.variable(group, varid)?;
        self.caches.insert((group, varid), cache);
        Ok(())
    }

    pub(crate) fn get_var_chunk_cache(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<ChunkCache> {
        self.variable(group, varid)?;
        let set = self.caches.get(&(group, varid));
        Ok(set.copied().unwrap_or_default())
    }
}
