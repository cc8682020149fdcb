//! Trial encodings: what would the samples weigh under this pipeline?

use std::ops::Range;

use frazil_types::{
    DeflateEncoder, ElementType, FilterChain, FilterPipeline, FilterSpec, filter_id,
};

use crate::candidates::CandidateFilters;
use crate::error::PlanError;
use crate::fast_level::FASTEST_LEVEL;
use crate::features::Counted;
use crate::sample::{sample_shape, sample_window};
use crate::spread::{share, spread};
use crate::trial_sizes::TrialSizes;

/// The compressor behind an optional shuffle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compressor {
    /// A deflate stage whose file level is the encoder's own.
    Deflate(DeflateEncoder),
    /// A zstd stage of this level.
    Zstd(u32),
}

impl Compressor {
    pub(crate) fn encoder(self) -> Option<DeflateEncoder> {
        match self {
            Self::Deflate(encoder) => Some(encoder),
            Self::Zstd(_) => None,
        }
    }

    /// The stage as the file names it.
    pub(crate) fn spec(self) -> FilterSpec {
        match self {
            Self::Deflate(DeflateEncoder::Quick | DeflateEncoder::Fastest) => {
                deflate_spec(FASTEST_LEVEL)
            }
            Self::Deflate(DeflateEncoder::Libdeflate(level) | DeflateEncoder::Zlib(level)) => {
                // The format knows zlib's levels only.
                deflate_spec(level.clamp(1, 9).cast_unsigned())
            }
            Self::Zstd(level) => FilterSpec::new(filter_id::ZSTD, vec![level]),
        }
    }
}

/// A deflate stage that promises zlib's size at `level`.
pub(crate) fn deflate_spec(level: u32) -> FilterSpec {
    FilterSpec::new(filter_id::DEFLATE, vec![level])
}

/// A shuffle stage as libhdf5 stores it: its only value is the element's size.
pub(crate) fn shuffle_spec(element: ElementType) -> FilterSpec {
    let size = u32::try_from(element.size_bytes).unwrap_or(u32::MAX);
    FilterSpec::new(filter_id::SHUFFLE, vec![size])
}

/// Filters with what they made of the samples.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    /// As the variable's chunks will have them.
    pub(crate) pipeline: FilterPipeline,
    /// Encoder behind a deflate stage.
    pub(crate) encoder: Option<DeflateEncoder>,
    /// Bytes of all samples.
    pub(crate) bytes: u64,
    /// The standard error of their stored share.
    pub(crate) spread: f64,
}

/// Filters that were tried on samples.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedChain {
    /// Filters as a plan names them, `shuffle+deflate(4)`.
    pub filters: String,
    /// Stored bytes per raw byte of the samples.
    pub share: f64,
    /// Its standard error, where all of the samples were encoded.
    pub spread: Option<f64>,
}

/// The samples of one variable, ready to be encoded over and over.
pub(crate) struct Trial<'a> {
    samples: &'a [Vec<u8>],
    element: ElementType,
    /// Shape of the output's chunks in elements; empty if it is not known.
    chunk: &'a [u64],
    encodings: &'a mut dyn TrialSizes,
    /// Bytes of the samples by those of them that lie inside the array: chunks at its edges stick out.
    padding: f64,
    /// What was encoded already: no trial is made twice.
    known: Vec<((bool, Compressor), u64)>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        samples: &'a [Vec<u8>],
        element: ElementType,
        chunk: &'a [u64],
        encodings: &'a mut dyn TrialSizes,
        padding: f64,
    ) -> Self {
        Self {
            samples,
            element,
            chunk,
            encodings,
            padding,
            known: Vec::new(),
        }
    }

    pub(crate) fn element(&self) -> ElementType {
        self.element
    }

    /// What the samples say about the variable.
    pub(crate) fn features(&self) -> Counted<'a> {
        Counted::new(self.samples, self.element, self.chunk)
    }

    /// The filters of a chain for this variable.
    pub(crate) fn resolve(&self, chain: &FilterChain) -> FilterPipeline {
        chain.resolve(self.element, self.chunk)
    }

    /// Bytes of all samples as they are, inside the array.
    pub(crate) fn raw_bytes(&self) -> u64 {
        let bytes: usize = self.samples.iter().map(Vec::len).sum();
        (bytes as f64 / self.padding).round() as u64
    }

    /// Bytes of all samples, each encoded as a chunk of its own.
    pub(crate) fn encoded_bytes(
        &mut self,
        shuffle: bool,
        compressor: Compressor,
    ) -> Result<u64, PlanError> {
        let key = (shuffle, compressor);
        if let Some(&(_, bytes)) = self.known.iter().find(|(known, _)| *known == key) {
            return Ok(bytes);
        }
        let mut stages = Vec::new();
        if shuffle {
            stages.push(shuffle_spec(self.element));
        }
        stages.push(compressor.spec());
        let sizes = self.sizes(&stages, compressor.encoder())?;
        let total = sizes.iter().map(|&(_, stored)| stored as u64).sum();
        self.known.push((key, total));
        Ok(total)
    }

    /// Stored bytes by raw bytes of all samples with the filters of a candidate, or of the middle of each:
    /// one byte in `one_in`; and the standard error of that.
    pub(crate) fn share_in_part(
        &mut self,
        candidate: &CandidateFilters,
        one_in: usize,
    ) -> Result<(f64, f64), PlanError> {
        let part_of = |sample: &'a Vec<u8>| match one_in {
            1 => &sample[..],
            _ => &sample[self.part(sample.len(), sample.len() / one_in)],
        };
        let full = self.samples.iter().filter(|sample| !sample.is_empty());
        let parts: Vec<&[u8]> = full.map(part_of).collect();
        let sizes = self.sizes_in_chain(&parts, candidate.chain(), candidate.encoder())?;
        let share = self.share_inside(&sizes).unwrap_or(0.0);
        Ok((share, spread(&sizes)))
    }

    /// Of every sample that holds any bytes, how many it has, and how many with the filters of a chain, which are
    /// those for a chunk of its size.
    pub(crate) fn sizes_of_chain(
        &mut self,
        chain: &FilterChain,
        encoder: Option<DeflateEncoder>,
    ) -> Result<Vec<(usize, usize)>, PlanError> {
        let samples: Vec<&[u8]> = self.samples.iter().map(Vec::as_slice).collect();
        self.sizes_in_chain(&samples, chain, encoder)
    }

    /// The same of samples, or of whole elements of them, each encoded as a chunk of its own.
    fn sizes_in_chain(
        &mut self,
        runs: &[&[u8]],
        chain: &FilterChain,
        encoder: Option<DeflateEncoder>,
    ) -> Result<Vec<(usize, usize)>, PlanError> {
        let (element, chunk) = (self.element, self.chunk);
        let filters = |bytes: usize| {
            let elements = bytes / element.size_bytes;
            chain.resolve(element, &sample_shape(elements as u64, chunk))
        };
        let sizes = self
            .encodings
            .sizes(runs, &filters, encoder, element.size_bytes);
        Ok(sizes?)
    }

    /// Of every sample that holds any bytes, how many it has, and how many with these filters.
    pub(crate) fn sizes(
        &mut self,
        stages: &[FilterSpec],
        encoder: Option<DeflateEncoder>,
    ) -> Result<Vec<(usize, usize)>, PlanError> {
        let samples = self.samples.iter().map(Vec::as_slice);
        self.sizes_of(samples, stages, encoder)
    }

    /// As [`Self::sizes`], of values of the variable that need not be its samples.
    pub(crate) fn sizes_of<'v>(
        &mut self,
        values: impl Iterator<Item = &'v [u8]>,
        stages: &[FilterSpec],
        encoder: Option<DeflateEncoder>,
    ) -> Result<Vec<(usize, usize)>, PlanError> {
        let pipeline = FilterPipeline(stages.to_vec());
        let values: Vec<&[u8]> = values.collect();
        let size = self.element.size_bytes;
        let sizes = self
            .encodings
            .sizes(&values, &|_| pipeline.clone(), encoder, size);
        Ok(sizes?)
    }

    /// Stored bytes of samples by those of their raw bytes that lie inside the array; `sizes`: raw and stored
    /// bytes of each, or of parts of them. `None`: nothing is stored.
    pub(crate) fn share_inside(&self, sizes: &[(usize, usize)]) -> Option<f64> {
        Some(share(sizes)? * self.padding)
    }

    /// The samples, cut into windows of so many bytes.
    pub(crate) fn windows(&self, bytes: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let samples = self.samples.iter();
        samples.flat_map(move |sample| sample.chunks(bytes))
    }

    /// The middle of a sample of `length` bytes, about `wanted` of them: whole rows of the fastest axis where
    /// that holds some, else whole elements.
    fn part(&self, length: usize, wanted: usize) -> Range<usize> {
        let size = self.element.size_bytes;
        let row = self.chunk.last().map_or(1, |&n| n.max(1)) as usize;
        let unit = match row.saturating_mul(size) <= wanted {
            true => row * size,
            false => size,
        };
        sample_window(length, unit, wanted)
    }
}
