//! A variable being written: what is fixed from its first value on.

use std::sync::{Arc, OnceLock};

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_container::hdf5::OutputStorage;
use frazil_plan::{
    FilterOptions, PlanError, ShuffleRequest, choose_filters, fastest_deflate_encoder,
    has_fastest_deflate,
};
use frazil_types::{
    DeflateEncoder, ElementType, FilterPipeline, QuantizeAlgorithm, QuantizePlan, Selection,
    filter_id,
};
use serde::{Deserialize, Serialize};

use super::buffers::Buffers;
use super::layout::Layout;
use super::partial::PartialChunk;
use super::repeats::Repeats;
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};
use frazil_options::filter_options::ChoiceOptions;
use frazil_precision::{RoundingStats, VariableRounding};

/// Samples for the trial: so many pieces of a chunk ...
const PIECES: usize = 4;
/// ... of so many bytes each.
const PIECE_BYTES: usize = 64 << 10;

/// Smaller chunks stay as they are: the entry in the file's index alone takes 32 bytes and more.
const LEAST_PACKED_BYTES: usize = 256;

/// A variable being written, shared by all threads.
pub(super) struct Variable {
    pub(super) id: VariableId,
    /// Absolute path.
    pub(super) path: String,
    /// The elements as they are stored.
    pub(super) element: ElementType,
    /// The fill value as it is stored.
    pub(super) fill: Vec<u8>,
    /// Whether absent chunks read as the fill value.
    pub(super) has_fill: bool,
    /// Numbers of its dimensions.
    pub(super) dimensions: Vec<usize>,
    /// Lengths of its axes; `None`: unlimited.
    pub(super) limits: Vec<Option<u64>>,
    /// Chunk shape in elements; of a contiguous variable its whole shape.
    pub(super) chunk: Vec<u64>,
    /// Bytes of a chunk; they can be counted.
    pub(super) chunk_bytes: usize,
    pub(super) is_contiguous: bool,
    /// What filters are chosen by.
    pub(super) requests: ChoiceOptions,
    /// The filters in the file: of the first choice.
    stored: OnceLock<FilterPipeline>,
    /// Filters as asked for which there is more than one encoder.
    asked: OnceLock<FilterPipeline>,
    pub(super) quantize: Option<QuantizePlan>,
    /// By chunk.
    rounding: Option<VariableRounding>,
    pub(super) repeats: Repeats,
    pub(super) buffers: Arc<Buffers>,
}

/// A choice of filters that somebody may wait for.
pub(super) type Choice = Arc<OnceLock<Result<Filters>>>;

/// Decided filters, bound to a variable's chunks.
#[derive(Debug, Clone)]
pub(super) struct Filters {
    pub(super) pipeline: FilterPipeline,
    pub(super) deflate: Option<DeflateEncoder>,
    pub(super) encoder: BoundEncoder,
    pub(super) decoder: BoundDecoder,
    pub(super) reason: String,
}

/// Filters that were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenFilters {
    /// In writing order.
    pub pipeline: FilterPipeline,
    /// The encoder behind a deflate stage.
    pub deflate: Option<DeflateEncoder>,
    /// Why, in one line.
    pub reason: String,
}

impl From<&Filters> for ChosenFilters {
    fn from(filters: &Filters) -> Self {
        Self {
            pipeline: filters.pipeline.clone(),
            deflate: filters.deflate,
            reason: filters.reason.clone(),
        }
    }
}

impl Filters {
    /// The values of a stored chunk.
    pub(super) fn unpack(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>> {
        let decoded = self.decoder.decode(stored, filter_mask, scratch);
        decoded.map_err(|error| Error::new(error.code(), error.to_string()))
    }
}

/// What a [`Variable`] is made of.
pub(super) struct Origin {
    pub(super) id: VariableId,
    pub(super) path: String,
    pub(super) element: ElementType,
    pub(super) fill: Vec<u8>,
    pub(super) has_fill: bool,
    pub(super) dimensions: Vec<usize>,
    pub(super) limits: Vec<Option<u64>>,
    pub(super) layout: Layout,
    pub(super) requests: ChoiceOptions,
    pub(super) quantize: Option<QuantizePlan>,
    pub(super) repeats: Repeats,
    pub(super) buffers: Arc<Buffers>,
}

impl Variable {
    pub(super) fn new(origin: Origin) -> Result<Self> {
        // Elements are numbered by the lengths as they are: only inner axes count, and of those
        // unlimited ones are taken for endless.
        let numbering: Vec<u64> = origin.limits.iter().map(|l| l.unwrap_or(1 << 16)).collect();
        let quantize = origin.quantize;
        let bind = |plan| VariableRounding::bind(plan, origin.element, &numbering);
        let by_chunk = quantize.as_ref().filter(|plan| !is_linear(plan));
        let rounding = by_chunk.map(bind).transpose()?;
        Ok(Self {
            id: origin.id,
            path: origin.path,
            element: origin.element,
            fill: origin.fill,
            has_fill: origin.has_fill,
            dimensions: origin.dimensions,
            limits: origin.limits,
            chunk: origin.layout.chunk,
            chunk_bytes: origin.layout.chunk_bytes,
            is_contiguous: origin.layout.is_contiguous,
            requests: origin.requests,
            stored: OnceLock::new(),
            asked: OnceLock::new(),
            quantize,
            rounding,
            repeats: origin.repeats,
            buffers: origin.buffers,
        })
    }

    pub(super) fn element_bytes(&self) -> usize {
        self.element.size_bytes
    }

    /// Memory that a chunk takes while it is gathered.
    pub(super) fn gathered_bytes(&self) -> u64 {
        PartialChunk::bytes_for(self.chunk_bytes, self.element_bytes())
    }

    /// Elements of the chunk that begins at `offset` that somebody may write: those within the
    /// fixed axes.
    pub(super) fn writable_elements(&self, offset: &[u64]) -> u64 {
        (0..self.chunk.len())
            .map(|axis| match self.limits[axis] {
                Some(length) => self.chunk[axis].min(length.saturating_sub(offset[axis])),
                None => self.chunk[axis],
            })
            .product()
    }

    /// Whether a chunk of this one element need not be stored: readers give the fill value where
    /// there is no chunk, and some give zeros whatever the fill value is.
    pub(super) fn may_omit(&self, element: &[u8]) -> bool {
        self.has_fill && element == self.fill && element.iter().all(|&byte| byte == 0)
    }

    /// Whether values are rounded before they are gathered.
    pub(super) fn is_rounded_by_call(&self) -> bool {
        self.quantize.as_ref().is_some_and(is_linear)
    }

    /// Rounds a chunk's values and proves the result; `None`: they stay as they are.
    pub(super) fn round(
        &self,
        values: &[u8],
        offset: &[u64],
    ) -> Result<Option<(Vec<u8>, RoundingStats)>> {
        let Some(rounding) = &self.rounding else {
            return Ok(None);
        };
        let part = Selection {
            start: offset.to_vec(),
            count: self.chunk.clone(),
        };
        rounding.round(values, &part).map(Some)
    }

    /// Filters that are known without any trial; with deflate at its fastest level, and no word
    /// about its encoder, that one is open.
    pub(super) fn exactly(
        &self,
        pipeline: &FilterPipeline,
        deflate: Option<DeflateEncoder>,
    ) -> Result<Filters> {
        self.stored.get_or_init(|| pipeline.clone());
        if deflate.is_none() && has_fastest_deflate(pipeline) {
            self.asked.get_or_init(|| pipeline.clone());
        }
        let deflate = deflate.or_else(|| encoder_of(pipeline));
        self.bind(pipeline.clone(), deflate, self.requests.origin.clone())
    }

    /// Whether filters are fixed, but a better encoder may be found by trial.
    pub(super) fn has_open_encoder(&self) -> bool {
        self.asked.get().is_some()
    }

    /// Whether chunks are so small that packing them takes more than it saves.
    pub(super) fn is_tiny(&self) -> bool {
        self.chunk_bytes < LEAST_PACKED_BYTES
    }

    /// No filters, for a variable of tiny chunks.
    pub(super) fn unpacked(&self) -> Result<Filters> {
        let none = FilterPipeline::default();
        self.stored.get_or_init(|| none.clone());
        let reason = format!("chunks of less than {LEAST_PACKED_BYTES} bytes");
        self.bind(none, None, reason)
    }

    /// The filters of a variable that is not worth a trial.
    pub(super) fn untried(&self) -> Result<Filters> {
        self.choose(&[], &mut Scratch::default())
    }

    /// Chooses filters by trial on samples (rounded, as they will be stored); without any:
    /// shuffle, and a middling level. Where an earlier choice is in the file already, only its
    /// effort is open.
    pub(super) fn choose(&self, samples: &[Vec<u8>], scratch: &mut Scratch) -> Result<Filters> {
        let wrap = |error: PlanError| Error::new(error.code(), error.to_string());
        if let Some(asked) = self.asked.get() {
            let encoder = fastest_deflate_encoder(samples, self.element, asked, scratch);
            return self.exactly(asked, Some(encoder.map_err(wrap)?));
        }
        let before = self.stored.get();
        let requests = FilterOptions {
            chunk_bytes: Some(self.chunk_bytes as u64),
            reader_level: self.requests.readers,
            goal: self.requests.goal,
            weighing: self.requests.weighing.clone(),
            chunk: self.chunk.clone(),
            shuffle: match before {
                Some(stored) if stored.contains(filter_id::SHUFFLE) => ShuffleRequest::On,
                Some(_) => ShuffleRequest::Off,
                None => ShuffleRequest::Auto,
            },
            only: before.map(kin),
            ..FilterOptions::default()
        };
        let choice =
            choose_filters(samples, self.element, &requests, None, scratch).map_err(wrap)?;
        let stored = self.stored.get_or_init(|| choice.pipeline.clone());
        if stored.decodes_like(&choice.pipeline) {
            let mut deflate = choice.deflate_encoder;
            if has_fastest_deflate(&choice.pipeline) && !samples.is_empty() {
                let filters = &choice.pipeline;
                let encoder = fastest_deflate_encoder(samples, self.element, filters, scratch);
                deflate = Some(encoder.map_err(wrap)?);
            }
            return self.bind(choice.pipeline, deflate, choice.reason);
        }
        // Not worth compressing, but the file says that it is compressed.
        self.bind(stored.clone(), encoder_of(stored), choice.reason)
    }

    /// Filters that another process has chosen.
    pub(super) fn adopted(&self, choice: ChosenFilters) -> Result<Filters> {
        self.stored.get_or_init(|| choice.pipeline.clone());
        self.bind(choice.pipeline, choice.deflate, choice.reason)
    }

    fn bind(
        &self,
        pipeline: FilterPipeline,
        deflate: Option<DeflateEncoder>,
        reason: String,
    ) -> Result<Filters> {
        let (size, bytes) = (self.element_bytes(), self.chunk_bytes);
        let wrap = |error: frazil_codec::CodecError| Error::new(error.code(), error.to_string());
        Ok(Filters {
            encoder: BoundEncoder::bind(&pipeline, deflate, size, bytes).map_err(wrap)?,
            decoder: BoundDecoder::bind(&pipeline, size, bytes).map_err(wrap)?,
            deflate,
            pipeline,
            reason,
        })
    }

    /// The filters in the file, once they are known.
    pub(super) fn stored_filters(&self) -> Option<&FilterPipeline> {
        self.stored.get()
    }

    /// How the variable lies in the file; its filters are known.
    pub(super) fn storage(&self) -> Result<OutputStorage> {
        if self.is_contiguous {
            return Ok(OutputStorage::Contiguous);
        }
        let stored = self.stored.get().ok_or_else(|| {
            let cause = "a dataset is made before its filters are known";
            Error::new(frazil_types::ErrorCode::Internal, cause)
        })?;
        Ok(OutputStorage::Chunked {
            chunk: self.chunk.clone(),
            pipeline: stored.clone(),
        })
    }
}

fn is_linear(plan: &QuantizePlan) -> bool {
    plan.rounding.algorithm() == QuantizeAlgorithm::Linear
}

/// The encoder for a deflate stage whose level somebody stated, as long as no values are known.
fn encoder_of(pipeline: &FilterPipeline) -> Option<DeflateEncoder> {
    if has_fastest_deflate(pipeline) {
        return Some(DeflateEncoder::Fastest);
    }
    let stage = pipeline.position(filter_id::DEFLATE)?;
    let level = pipeline.0[stage].cd_values.first().copied().unwrap_or(1);
    Some(DeflateEncoder::Libdeflate(
        i32::try_from(level).map_or(1, |level| level.clamp(1, 12)),
    ))
}

/// The filters of which those of a file are that were chosen without values.
fn kin(stored: &FilterPipeline) -> &'static [i32] {
    if stored.is_empty() {
        &[]
    } else if stored.contains(filter_id::ZSTD) {
        &[filter_id::SHUFFLE, filter_id::ZSTD]
    } else {
        &[filter_id::SHUFFLE, filter_id::DEFLATE]
    }
}

/// Pieces of a chunk, spread over it.
pub(super) fn samples(values: &[u8], element_bytes: usize) -> Vec<Vec<u8>> {
    if values.len() <= PIECES * PIECE_BYTES {
        return match values {
            [] => Vec::new(),
            all => vec![all.to_vec()],
        };
    }
    let step = values.len() / PIECES;
    (0..PIECES)
        .map(|piece| {
            let middle = piece * step + (step - PIECE_BYTES) / 2;
            let from = middle / element_bytes * element_bytes;
            values[from..from + PIECE_BYTES].to_vec()
        })
        .collect()
}

impl Variable {
    /// Samples as they will be stored.
    pub(super) fn rounded(&self, samples: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let Some(rounding) = &self.rounding else {
            return Ok(samples);
        };
        let rank = self.chunk.len();
        let one = |sample: Vec<u8>| {
            let elements = (sample.len() / self.element_bytes()) as u64;
            let mut part = Selection::whole(&vec![1; rank]);
            if let Some(last) = part.count.last_mut() {
                *last = elements;
            }
            rounding.round(&sample, &part).map(|(rounded, _)| rounded)
        };
        samples.into_iter().map(one).collect()
    }
}
