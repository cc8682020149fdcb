//! How variables are stored: fill values, chunks, byte order, rounding.

use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::elements::Elements;

use super::user_types::{not_served, number_of_defined};
use super::{Engine, NOFILL};
use crate::names::FILL_VALUE;
use crate::status::{Answer, Refusal, Status};
use crate::types::{AttributeValues, ChunkCache, FillInquiry, GLOBAL, GroupNumber, Storage};
use crate::user_types::UserValues;
use frazil_container::schema::{AttributeOwner, Fill, SchemaValue, Text, ValueType, VariableId};
use frazil_precision::names::{NETCDF_BITGROOM, NETCDF_BITROUND, NETCDF_GRANULAR};
use frazil_types::{PrecisionRequest, QuantizeAlgorithm};
use frazil_write::PrecisionStatement;
use frazil_write::{FilterRequest, LayoutRequest, VariableSettings};

/// `NC_ENDIAN_LITTLE`.
pub(super) const ENDIAN_LITTLE: i32 = 1;
/// `NC_ENDIAN_BIG`.
pub(super) const ENDIAN_BIG: i32 = 2;
/// A chunk's bytes must be counted by 32 bits.
const MAX_CHUNK_BYTES: u64 = u32::MAX as u64;
/// A chunk that nobody states is no larger.
const MOST_DEFAULT_BYTES: u64 = 4 << 20;
/// The most that compact storage takes.
const MAX_COMPACT_BYTES: u64 = 65_536;

/// netCDF's quantization modes, and the attributes that tell of them in a file.
const QUANTIZE_MODES: [(i32, QuantizeAlgorithm, &str); 3] = [
    (1, QuantizeAlgorithm::BitGroom, NETCDF_BITGROOM),
    (2, QuantizeAlgorithm::GranularBitRound, NETCDF_GRANULAR),
    (3, QuantizeAlgorithm::BitRound, NETCDF_BITROUND),
];

impl Engine {
    pub(crate) fn def_var_fill(
        &mut self,
        group: GroupNumber,
        varid: i32,
        no_fill: bool,
        value: Option<&[u8]>,
    ) -> Answer<()> {
        refuse_global(varid)?;
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        let value_type = self.described(id).value_type;
        let fill = match (value_type, no_fill, value) {
            (ValueType::String, true, _) => return Err(Status::EINVAL.into()),
            (ValueType::Defined(of), true, _) if of.is_indirect => {
                return Err(not_served("strings or sequences without a fill value"));
            }
            (_, true, _) => Fill::Nothing,
            (_, false, None) => match &self.writer.settings(id).fill {
                Fill::Nothing => Fill::Default,
                other => other.clone(),
            },
            (ValueType::Atomic(nc_type), false, Some(bytes)) => {
                if bytes.len() != nc_type.size_bytes() {
                    return Err(Status::EINVAL.into());
                }
                Fill::Value(AttributeValue::from_native_bytes(nc_type, bytes))
            }
            // Its values are no bytes alone: they go by other calls.
            (ValueType::String | ValueType::Defined(_), false, Some(_)) => {
                return Err(Status::EBADTYPE.into());
            }
        };
        self.remembered[id.0].is_unfilled_by_mode = false;
        match fill {
            fill @ Fill::Value(_) => self.set_last(id, fill),
            fill => self.set(id, |settings| settings.fill = fill),
        }
    }

    /// Sets a fill value whose attribute comes last.
    fn set_last(&mut self, id: VariableId, fill: Fill) -> Answer<()> {
        self.set(id, |settings| settings.fill = Fill::Default)?;
        self.set(id, |settings| settings.fill = fill)
    }

    /// As [`Self::def_var_fill`], with one element of a type that the program has defined.
    pub(crate) fn def_var_fill_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        element: Elements,
    ) -> Answer<()> {
        refuse_global(varid)?;
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        self.remembered[id.0].is_unfilled_by_mode = false;
        self.set_last(id, Fill::Element(element))
    }

    /// Sets `_FillValue`, which keeps its place among the attributes if it is there.
    pub(super) fn set_fill_value(&mut self, id: VariableId, fill: Fill) -> Answer<()> {
        let owner = AttributeOwner::Variable(id);
        if self.schema().attribute(owner, FILL_VALUE).is_none() {
            self.set_late(id, |settings| settings.fill = Fill::Default)?;
        }
        self.set_late(id, |settings| settings.fill = fill)
    }

    pub(crate) fn def_var_fill_text(
        &mut self,
        group: GroupNumber,
        varid: i32,
        text: &Text,
    ) -> Answer<()> {
        refuse_global(varid)?;
        let id = self.variable(group, varid)?;
        if !self.holds_strings(id) {
            return Err(Status::EBADTYPE.into());
        }
        self.check_changeable(id)?;
        let value = SchemaValue::Strings(vec![text.clone()]);
        let owner = AttributeOwner::Variable(id);
        Ok(self.writer.put_attribute(owner, FILL_VALUE, value)?)
    }

    pub(super) fn holds_strings(&self, id: VariableId) -> bool {
        self.described(id).value_type == ValueType::String
    }

    pub(crate) fn inq_var_fill(&mut self, group: GroupNumber, varid: i32) -> Answer<FillInquiry> {
        let id = self.variable(group, varid)?;
        let fill = &self.described(id).fill;
        let value = match (self.described(id).value_type, fill) {
            (ValueType::Defined(defined), _) => {
                let element = self.described(id).fill_element();
                let elements = element.ok_or(Status::EBADTYPE)?;
                AttributeValues::User(UserValues::new(number_of_defined(defined), elements))
            }
            (ValueType::String, _) => {
                let own = self
                    .schema()
                    .attribute(AttributeOwner::Variable(id), FILL_VALUE);
                let texts = match own.map(|attribute| &attribute.value) {
                    Some(SchemaValue::Strings(texts)) => texts.clone(),
                    _ => vec![Text::default()],
                };
                return Ok(FillInquiry {
                    no_fill: 0,
                    value: AttributeValues::Strings(texts),
                });
            }
            (ValueType::Atomic(_), Fill::Value(value)) => AttributeValues::Atomic(value.clone()),
            (ValueType::Atomic(nc_type), _) => AttributeValues::Atomic(nc_type.default_fill()),
        };
        Ok(FillInquiry {
            no_fill: match (fill, self.remembered[id.0].is_unfilled_by_mode) {
                // As netCDF-C tells it.
                (Fill::Nothing, true) => NOFILL,
                (Fill::Nothing, false) => 1,
                _ => 0,
            },
            value,
        })
    }

    pub(crate) fn def_var_chunking(
        &mut self,
        group: GroupNumber,
        varid: i32,
        storage: i32,
        chunk: Option<&[u64]>,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        let limits = self.schema().limits(id);
        let is_contiguous = [Storage::Contiguous, Storage::Compact].map(|it| it as i32);
        let layout = if storage == Storage::Chunked as i32 {
            if limits.is_empty() {
                return Err(Status::EINVAL.into());
            }
            if let Some(chunk) = chunk {
                self.check_chunk(id, &limits, chunk)?;
            }
            // netCDF-C takes a leading 0 for its own defaults; here they are ours.
            let stated = match chunk {
                None => self.remembered[id.0].chunk.clone(),
                Some([0, ..]) => None,
                Some(chunk) => Some(with_defaults(chunk, &limits)),
            };
            self.remembered[id.0].chunk.clone_from(&stated);
            match stated {
                None => self.our_chunks(id, &limits)?,
                Some(chunk) => LayoutRequest::Chunked(chunk),
            }
        } else {
            self.check_unchunked(id, &limits, storage)?;
            if !is_contiguous.contains(&storage) {
                // A number that means no storage changes nothing, as in netCDF-C.
                return Ok(());
            }
            LayoutRequest::Contiguous
        };
        self.set(id, |settings| settings.layout = layout)?;
        self.remembered[id.0].is_compact = storage == Storage::Compact as i32;
        Ok(())
    }

    /// Our own chunk shape; of what we would not cut, the whole shape: it was asked for chunks.
    fn our_chunks(&mut self, id: VariableId, limits: &[Option<u64>]) -> Answer<LayoutRequest> {
        self.set(id, |settings| settings.layout = LayoutRequest::Ours)?;
        if self.writer.storage(id)?.chunk.is_some() {
            return Ok(LayoutRequest::Ours);
        }
        let mut chunk: Vec<u64> = limits.iter().map(|limit| limit.unwrap_or(1)).collect();
        let bytes = |chunk: &[u64]| {
            (chunk.iter()).fold(self.element_bytes(id), |bytes, &n| bytes.saturating_mul(n))
        };
        while bytes(&chunk) > MOST_DEFAULT_BYTES
            && let Some(longest) = chunk.iter_mut().max()
            && *longest > 1
        {
            *longest = longest.div_ceil(2);
        }
        Ok(LayoutRequest::Chunked(chunk))
    }

    fn check_chunk(&self, id: VariableId, limits: &[Option<u64>], chunk: &[u64]) -> Answer<()> {
        if chunk.len() != limits.len() {
            return Err(Status::EINVAL.into());
        }
        let bytes = (chunk.iter()).try_fold(self.element_bytes(id), |bytes, &extent| {
            bytes.checked_mul(extent)
        });
        let too_long = |(&extent, limit): (&u64, &Option<u64>)| {
            limit.is_some_and(|limit| limit > 0 && extent > limit)
        };
        if bytes.is_none_or(|bytes| bytes > MAX_CHUNK_BYTES)
            || chunk.iter().zip(limits).any(too_long)
        {
            return Err(Status::EBADCHUNK.into());
        }
        Ok(())
    }

    fn check_unchunked(&self, id: VariableId, limits: &[Option<u64>], storage: i32) -> Answer<()> {
        let has_filters = match &self.writer.settings(id).filters {
            FilterRequest::Exactly(pipeline) => !pipeline.is_empty(),
            FilterRequest::Ours => false,
        };
        if has_filters || limits.iter().any(Option::is_none) {
            return Err(Refusal::new(
                Status::EINVAL,
                "a variable with an unlimited dimension or with filters must be chunked",
            ));
        }
        let lengths = limits.iter().flatten();
        let bytes = lengths.fold(self.element_bytes(id), |bytes, &length| {
            bytes.saturating_mul(length)
        });
        match storage {
            // Compact storage is an economy of HDF5's; the values lie contiguous here.
            2 if bytes > MAX_COMPACT_BYTES => Err(Status::EVARSIZE.into()),
            _ => Ok(()),
        }
    }

    pub(crate) fn inq_var_chunking(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(Storage, Vec<u64>)> {
        let id = self.variable(group, varid)?;
        let chunk = match &self.writer.settings(id).layout {
            LayoutRequest::Chunked(chunk) => Some(chunk.clone()),
            LayoutRequest::Contiguous => None,
            LayoutRequest::Ours => self.writer.storage(id)?.chunk,
        };
        Ok(match chunk {
            Some(chunk) => (Storage::Chunked, chunk),
            None if self.remembered[id.0].is_compact => (Storage::Compact, Vec::new()),
            None => (Storage::Contiguous, Vec::new()),
        })
    }

    pub(crate) fn def_var_endian(
        &mut self,
        group: GroupNumber,
        varid: i32,
        endian: i32,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let value_type = self.described(id).value_type;
        let has_order = !matches!(
            value_type,
            ValueType::Atomic(NcType::Char) | ValueType::String | ValueType::Defined(_)
        );
        self.check_changeable(id)?;
        if !has_order {
            return Err(Status::EINVAL.into());
        }
        // Any number is told again; those that mean no order mean this machine's.
        let is_big_endian =
            endian == ENDIAN_BIG || (endian != ENDIAN_LITTLE && cfg!(target_endian = "big"));
        self.set(id, |settings| settings.is_big_endian = is_big_endian)?;
        self.remembered[id.0].endian = endian;
        Ok(())
    }

    /// What a file says of a variable, and the writer does not know.
    pub(crate) fn remember_stored(
        &mut self,
        group: GroupNumber,
        varid: i32,
        endian: i32,
        is_compact: bool,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let remembered = &mut self.remembered[id.0];
        (remembered.endian, remembered.is_compact) = (endian, is_compact);
        Ok(())
    }

    /// Why values cannot be put into a variable of a file that was opened, if so.
    pub(crate) fn why_not_put(&self, group: GroupNumber, varid: i32) -> Answer<Option<String>> {
        let id = self.variable(group, varid)?;
        Ok(self
            .writer
            .check_existing(id)
            .err()
            .map(|error| error.cause))
    }

    pub(crate) fn inq_var_endian(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        let id = self.variable(group, varid)?;
        Ok(self.remembered[id.0].endian)
    }

    pub(crate) fn def_var_quantize(
        &mut self,
        group: GroupNumber,
        varid: i32,
        mode: i32,
        nsd: i32,
    ) -> Answer<()> {
        refuse_global(varid)?;
        let id = self.variable(group, varid)?;
        self.check_changeable(id)?;
        let precision = if mode == 0 {
            None
        } else {
            let known = QUANTIZE_MODES.iter().find(|(number, ..)| *number == mode);
            let (_, algorithm, _) = *known.ok_or(Status::EINVAL)?;
            Some(self.precision(id, algorithm, nsd)?)
        };
        self.set(id, |settings| {
            settings.precision = precision;
            settings.statement = PrecisionStatement::NetCdf;
        })
    }

    fn precision(
        &self,
        id: VariableId,
        algorithm: QuantizeAlgorithm,
        nsd: i32,
    ) -> Answer<PrecisionRequest> {
        let in_bits = algorithm == QuantizeAlgorithm::BitRound;
        let most = match (self.described(id).value_type, in_bits) {
            (ValueType::Atomic(NcType::Float), false) => 6,
            (ValueType::Atomic(NcType::Double), false) => 15,
            (ValueType::Atomic(NcType::Float), true) => 23,
            (ValueType::Atomic(NcType::Double), true) => 52,
            _ => {
                return Err(Refusal::new(
                    Status::EINVAL,
                    "only float and double variables can be quantized",
                ));
            }
        };
        let kept = u32::try_from(nsd).ok();
        let kept = kept.filter(|kept| (1..=most).contains(kept));
        let Some(kept) = kept else {
            let unit = if in_bits { "bits" } else { "digits" };
            let words = format!("nsd = {nsd}: 1 to {most} significant {unit} can be kept");
            return Err(Refusal::new(Status::EINVAL, words));
        };
        Ok(PrecisionRequest {
            algorithm: Some(algorithm),
            significant_bits: in_bits.then_some(kept),
            significant_digits: (!in_bits).then_some(kept),
            // The program asked for this very variable, as netCDF-C rounds it whatever it is.
            force: Some(true),
            ..PrecisionRequest::default()
        })
    }

    pub(crate) fn inq_var_quantize(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<(i32, i32)> {
        refuse_global(varid)?;
        let id = self.variable(group, varid)?;
        if let Some(request) = &self.writer.settings(id).precision {
            let kept = request.significant_bits.or(request.significant_digits);
            let asked = QUANTIZE_MODES
                .iter()
                .find(|it| Some(it.1) == request.algorithm);
            if let (Some((mode, ..)), Some(kept)) = (asked, kept) {
                return Ok((*mode, kept.cast_signed()));
            }
        }
        let attributes = self.schema().attributes(AttributeOwner::Variable(id));
        let stated = attributes.iter().find_map(|attribute| {
            let known = QUANTIZE_MODES.iter().find(|it| it.2 == attribute.name)?;
            match &attribute.value {
                SchemaValue::Atomic(AttributeValue::Int(values)) => {
                    Some((known.0, *values.first()?))
                }
                _ => None,
            }
        });
        Ok(stated.unwrap_or_default())
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
        let id = self.variable(group, varid)?;
        self.remembered[id.0].cache = Some(cache);
        Ok(())
    }

    pub(crate) fn get_var_chunk_cache(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<ChunkCache> {
        let id = self.variable(group, varid)?;
        Ok(self.remembered[id.0].cache.unwrap_or_default())
    }

    /// Changes settings, as long as that is possible.
    pub(super) fn set(
        &mut self,
        id: VariableId,
        change: impl FnOnce(&mut VariableSettings),
    ) -> Answer<()> {
        self.check_changeable(id)?;
        self.set_late(id, change)
    }

    /// As [`Self::set`], also after define mode was left.
    pub(super) fn set_late(
        &mut self,
        id: VariableId,
        change: impl FnOnce(&mut VariableSettings),
    ) -> Answer<()> {
        let mut settings = self.writer.settings(id).clone();
        change(&mut settings);
        Ok(self.writer.set_settings(id, settings)?)
    }

    pub(super) fn check_changeable(&self, id: VariableId) -> Answer<()> {
        if self.is_changeable(id) {
            return Ok(());
        }
        Err(Refusal::new(
            Status::ELATEDEF,
            "the variable already has values, or define mode was left since it was defined",
        ))
    }

    /// Whether an attribute tells of rounding that was asked for here: netCDF-C shows it when the file is
    /// opened again.
    pub(super) fn is_shown_later(&self, owner: AttributeOwner, name: &str) -> bool {
        let AttributeOwner::Variable(id) = owner else {
            return false;
        };
        let settings = self.writer.settings(id);
        settings.precision.is_some()
            && settings.statement == PrecisionStatement::NetCdf
            && QUANTIZE_MODES.iter().any(|mode| mode.2 == name)
    }

    /// Whether a variable may still get another fill value.
    pub(super) fn is_fill_changeable(&self, id: VariableId) -> bool {
        let group = self.described(id).group.0;
        let place = self.variables[group].binary_search(&id).unwrap_or_default();
        let is_settled = self.ended.get(group).is_some_and(|&ended| place < ended);
        !is_settled && self.writer.is_changeable(id)
    }

    /// Whether it can still be said how a variable is stored.
    pub(super) fn is_changeable(&self, id: VariableId) -> bool {
        id.0 >= self.defined && self.writer.is_changeable(id)
    }

    fn element_bytes(&self, id: VariableId) -> u64 {
        let size = self.described(id).value_type.size_bytes();
        size.unwrap_or(size_of::<usize>()) as u64
    }
}

/// Refuses `NC_GLOBAL` where netCDF-C has a status of its own for it.
fn refuse_global(varid: i32) -> Answer<()> {
    match varid {
        GLOBAL => Err(Status::EGLOBAL.into()),
        _ => Ok(()),
    }
}

/// A chunk shape; where an extent is 0, the whole axis, or 1 along an unlimited one.
fn with_defaults(chunk: &[u64], limits: &[Option<u64>]) -> Vec<u64> {
    let extents = chunk.iter().zip(limits);
    let extent = |(&extent, limit): (&u64, &Option<u64>)| match extent {
        0 => limit.unwrap_or(1).max(1),
        extent => extent,
    };
    extents.map(extent).collect()
}
