//! Filters: what a program asks for is honoured; where it asks for nothing, the writer decides.

use super::Engine;
use super::user_types::not_served;
use crate::environment::plugins_are_absent;
use crate::status::{Answer, Refusal, Status};
use crate::types::{DeflateInquiry, GroupNumber};
use frazil_container::schema::{ValueType, VariableId};
use frazil_types::{FilterPipeline, FilterSpec, filter_id};
use frazil_types::{completed_values, filter_name};
use frazil_write::{FilterRequest, LayoutRequest};

/// How szip codes: by entropy, or by nearest neighbours first (`H5_SZIP_EC_OPTION_MASK` and `_NN_`).
const SZIP_CODINGS: [u32; 2] = [4, 32];
/// Filters that every build of the netCDF library has inside.
const BUILT_IN: [i32; 3] = [
    filter_id::DEFLATE,
    filter_id::SHUFFLE,
    filter_id::FLETCHER32,
];

impl Engine {
    pub(crate) fn def_var_deflate(
        &mut self,
        group: GroupNumber,
        varid: i32,
        shuffle: bool,
        deflate: bool,
        level: i32,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        if shuffle {
            let shuffle = self.shuffle(id);
            self.ask_for(id, shuffle)?;
        }
        // As in netCDF-C, level 0 means no deflate at all, and a wrong one comes after shuffle.
        if deflate && level != 0 {
            let level = u32::try_from(level).ok().filter(|level| *level <= 9);
            let level = level
                .ok_or_else(|| Refusal::new(Status::EINVAL, "deflate levels go from 0 to 9"))?;
            self.ask_for(id, FilterSpec::new(filter_id::DEFLATE, vec![level]))?;
        }
        self.ask_for_nothing(id)
    }

    pub(crate) fn inq_var_deflate(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<DeflateInquiry> {
        let filters = self.inq_var_filters(group, varid)?;
        let find = |id: i32| filters.iter().find(|filter| filter.id == id);
        let deflate = find(filter_id::DEFLATE);
        let level = deflate.and_then(|filter| filter.cd_values.first());
        Ok(DeflateInquiry {
            shuffle: find(filter_id::SHUFFLE).is_some(),
            deflate: deflate.is_some(),
            level: level.map_or(0, |level| level.cast_signed()),
        })
    }

    pub(crate) fn def_var_fletcher32(
        &mut self,
        group: GroupNumber,
        varid: i32,
        fletcher32: bool,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        if !fletcher32 {
            return Ok(());
        }
        self.ask_for(id, FilterSpec::new(filter_id::FLETCHER32, vec![]))
    }

    pub(crate) fn inq_var_fletcher32(&mut self, group: GroupNumber, varid: i32) -> Answer<bool> {
        let filters = self.inq_var_filters(group, varid)?;
        let mut filters = filters.iter();
        Ok(filters.any(|filter| filter.id == filter_id::FLETCHER32))
    }

    pub(crate) fn def_var_szip(
        &mut self,
        group: GroupNumber,
        varid: i32,
        options_mask: i32,
        pixels_per_block: i32,
    ) -> Answer<()> {
        let parameters = [options_mask, pixels_per_block].map(i32::cast_unsigned);
        let is_known = SZIP_CODINGS.contains(&parameters[0]);
        if !is_known || parameters[1] % 2 != 0 || parameters[1] > 32 {
            return Err(Status::EINVAL.into());
        }
        let outcome = self.def_var_filter(group, varid, 4, &parameters);
        outcome.map_err(|refusal| match refusal.status {
            Status::ENOFILTER => Refusal::new(Status::EFILTER, refusal.detail),
            _ => refusal,
        })
    }

    pub(crate) fn inq_var_szip(&mut self, group: GroupNumber, varid: i32) -> Answer<(i32, i32)> {
        let filters = self.inq_var_filters(group, varid)?;
        let szip = filters.iter().find(|filter| filter.id == filter_id::SZIP);
        Ok(match szip.map(|filter| filter.cd_values.as_slice()) {
            Some([options, pixels, ..]) => (options.cast_signed(), pixels.cast_signed()),
            _ => (0, 0),
        })
    }

    pub(crate) fn def_var_zstandard(
        &mut self,
        group: GroupNumber,
        varid: i32,
        level: i32,
    ) -> Answer<()> {
        if !(-131_072..=22).contains(&level) {
            return Err(Refusal::new(
                Status::EINVAL,
                "zstandard levels go from -131072 to 22",
            ));
        }
        let parameters = [level.cast_unsigned()];
        self.def_var_filter(group, varid, filter_id::ZSTD.cast_unsigned(), &parameters)
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
        group: GroupNumber,
        varid: i32,
        filter: u32,
        parameters: &[u32],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        self.inq_filter_avail(filter)?;
        let spec = match filter.cast_signed() {
            filter_id::SHUFFLE => self.shuffle(id),
            filter_id::FLETCHER32 => FilterSpec::new(filter_id::FLETCHER32, vec![]),
            filter_id::DEFLATE => match parameters {
                [level] if *level <= 9 => FilterSpec::new(filter_id::DEFLATE, vec![*level]),
                [_] => return Err(Status::EINVAL.into()),
                _ => return Err(Status::EFILTER.into()),
            },
            other => self.with_parameters(id, other, parameters)?,
        };
        self.ask_for(id, spec)
    }

    pub(crate) fn inq_var_filters(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Vec<FilterSpec>> {
        let id = self.variable(group, varid)?;
        Ok(match &self.writer.settings(id).filters {
            FilterRequest::Exactly(pipeline) => pipeline.0.iter().map(as_asked).collect(),
            FilterRequest::Ours => {
                let pipeline = self.writer.storage(id)?.filters;
                pipeline.unwrap_or_default().0
            }
        })
    }

    pub(crate) fn inq_filter_avail(&mut self, filter: u32) -> Answer<()> {
        let id = filter.cast_signed();
        let all = frazil_codec::filters();
        let known = all.iter().find(|known| known.id == id);
        let name = known.map_or("an unknown filter", |known| known.name);
        if !known.is_some_and(|known| known.can_encode) {
            let words = format!("filter {filter} ({name}) cannot be written by these calls");
            return Err(Refusal::new(Status::ENOFILTER, words));
        }
        if plugins_are_absent() && !BUILT_IN.contains(&id) {
            let words = format!(
                "filter {filter} ({name}) is not available: set HDF5_PLUGIN_PATH to the folder \
                 of the netCDF filter plugins (here FRAZIL_READABLE_BY=netcdf4 hides it)"
            );
            return Err(Refusal::new(Status::ENOFILTER, words));
        }
        Ok(())
    }

    /// A filter with the parameters that the program gives; the rest follows from the chunk when that
    /// is known, as libhdf5's own filters have it.
    fn with_parameters(&self, id: VariableId, filter: i32, given: &[u32]) -> Answer<FilterSpec> {
        let variable = self.described(id);
        // Long enough for every filter: what is wrong then is so for any chunk.
        let chunk = vec![64; variable.dimensions.len().max(1)];
        let element = variable.element();
        let values = element.and_then(|it| completed_values(filter, given, it, &chunk));
        if values.is_none() {
            let name = filter_name(filter).unwrap_or("not registered");
            let words = format!(
                "filter {filter} ({name}) cannot have the parameters {given:?} for `{}`",
                variable.name
            );
            return Err(Refusal::new(Status::EFILTER, words));
        }
        Ok(FilterSpec::new(filter, given.to_vec()))
    }

    fn shuffle(&self, id: VariableId) -> FilterSpec {
        let element = self.described(id).element();
        let size = element.map_or(size_of::<usize>(), |element| element.size_bytes);
        FilterSpec::new(filter_id::SHUFFLE, vec![size as u32])
    }

    /// What a program asks for is all that there is: frazil chooses no filters.
    fn ask_for_nothing(&mut self, id: VariableId) -> Answer<()> {
        self.set(id, |settings| {
            if let FilterRequest::Ours = settings.filters {
                settings.filters = FilterRequest::Exactly(FilterPipeline::default());
            }
        })
    }

    /// Adds a filter to those asked for before; one asked for again gets its new parameters.
    fn ask_for(&mut self, id: VariableId, wanted: FilterSpec) -> Answer<()> {
        if self.described(id).dimensions.is_empty() {
            return Err(Refusal::new(Status::EINVAL, "a scalar takes no filters"));
        }
        if matches!(self.described(id).value_type, ValueType::Defined(of) if of.is_indirect) {
            return Err(not_served("filters of strings or sequences"));
        }
        let mut pipeline = match &self.writer.settings(id).filters {
            FilterRequest::Exactly(pipeline) => pipeline.clone(),
            FilterRequest::Ours => FilterPipeline::default(),
        };
        match pipeline.position(wanted.id) {
            Some(place) => pipeline.0[place] = wanted,
            None => pipeline.0.insert(place_of(&pipeline, wanted.id), wanted),
        }
        check_compressors(&pipeline)?;
        let stated = self.remembered[id.0].chunk.clone();
        self.set(id, |settings| {
            // What has filters is chunked, whatever was said before.
            if !pipeline.is_empty() && settings.layout == LayoutRequest::Contiguous {
                settings.layout = stated.map_or(LayoutRequest::Ours, LayoutRequest::Chunked);
            }
            settings.filters = FilterRequest::Exactly(pipeline);
        })
    }
}

/// A filter as the program asked for it: shuffle gets its parameter in the file.
fn as_asked(filter: &FilterSpec) -> FilterSpec {
    match filter.id {
        filter_id::SHUFFLE => FilterSpec::new(filter.id, Vec::new()),
        _ => filter.clone(),
    }
}

/// Where netCDF-C puts a filter among those asked for before: the checksum first, then shuffle.
fn place_of(pipeline: &FilterPipeline, id: i32) -> usize {
    let has_checksum = pipeline.position(filter_id::FLETCHER32) == Some(0);
    match id {
        filter_id::FLETCHER32 => 0,
        filter_id::SHUFFLE => usize::from(has_checksum),
        _ => pipeline.0.len(),
    }
}

/// Refuses two compressors, of which the second has nothing left to do.
fn check_compressors(pipeline: &FilterPipeline) -> Answer<()> {
    let compressors = [filter_id::DEFLATE, filter_id::SZIP, filter_id::ZSTD];
    let asked: Vec<_> = (pipeline.0.iter())
        .filter(|filter| compressors.contains(&filter.id))
        .map(FilterSpec::display_name)
        .collect();
    if asked.len() < 2 {
        return Ok(());
    }
    let words = format!(
        "{} were requested for one variable, and the second would compress compressed data; \
         request only one of them",
        asked.join(" and ")
    );
    Err(Refusal::new(Status::EFILTER, words))
}
