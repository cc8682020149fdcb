//! A dataset's filters, ready to decode many chunks.

use frazil_types::{FilterPipeline, FilterSpec};

use super::stage::DecodeStage;
use crate::buffer::OutputSize;
use crate::error::invalid;
use crate::scratch::Scratch;
use crate::{CodecError, registry};

/// `H5Z_MAX_NFILTERS`: filters a pipeline holds at most, one per bit of the filter mask.
const MAX_FILTERS: usize = 32;
/// What intermediate results may exceed the chunk by, besides 1/64 of it: more than any registered
/// compressor but szip adds to bytes that it cannot shrink.
const GROWTH_BYTES: usize = 64 << 10;

/// Filters of a dataset bound to its element size and chunk size, ready to decode many chunks.
#[derive(Debug, Clone)]
pub struct BoundDecoder {
    stages: Vec<DecodeStage>,
    missing: Vec<FilterSpec>,
    chunk_bytes: usize,
    skips_checksums: bool,
    /// Whether `chunk_bytes` is what the bytes to decode claim.
    is_claimed: bool,
}

/// Where the decoded chunk goes.
enum Sink<'a> {
    Vec(&'a mut Vec<u8>),
    /// As long as the chunk.
    Slice(&'a mut [u8]),
}

impl Sink<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Vec(bytes) => bytes,
            Self::Slice(bytes) => bytes,
        }
    }

    /// Takes the whole chunk.
    fn take(self, chunk: &[u8]) {
        match self {
            Self::Vec(bytes) => bytes.extend_from_slice(chunk),
            Self::Slice(bytes) => bytes.copy_from_slice(chunk),
        }
    }
}

/// Where the bytes decoded so far lie.
#[derive(Clone, Copy)]
enum Held {
    Stored,
    Scratch,
    Result,
}

impl BoundDecoder {
    /// Binds `pipeline` to elements of `element_bytes` and chunks of `chunk_bytes` (whole chunk,
    /// padding included).
    ///
    /// Filters that this build cannot decode are remembered ([`Self::missing`]); they are an error
    /// only for chunks that they were applied to.
    ///
    /// # Errors
    /// [`CodecError::InvalidParameters`]: client data values that a filter cannot work with, more
    /// than 32 filters, or a chunk that is no whole number of elements.
    pub fn bind(
        pipeline: &FilterPipeline,
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, CodecError> {
        Self::bind_used(pipeline, 0, element_bytes, chunk_bytes)
    }

    /// As [`Self::bind`], where no chunk went through the filters whose bit is set in `unused`: a filter that cannot
    /// work with its client data values is skipped for every chunk by libhdf5, and is an error here only for chunks
    /// that say they went through it.
    ///
    /// # Errors
    /// As [`Self::bind`], for the other filters.
    pub fn bind_used(
        pipeline: &FilterPipeline,
        unused: u32,
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, CodecError> {
        check_sizes(pipeline, element_bytes, chunk_bytes)?;
        let mut stages = Vec::with_capacity(pipeline.0.len());
        let mut missing = Vec::new();
        for (i, spec) in pipeline.0.iter().enumerate() {
            let stage = match DecodeStage::bind(spec) {
                Err(_) if unused & (1 << i) != 0 => DecodeStage::missing(spec),
                bound => {
                    let stage = bound?;
                    if matches!(stage, DecodeStage::Missing { .. }) {
                        missing.push(spec.clone());
                    }
                    stage
                }
            };
            stages.push(stage);
        }
        Ok(Self {
            stages,
            missing,
            chunk_bytes,
            skips_checksums: false,
            is_claimed: false,
        })
    }

    /// Takes the chunk's length for what it is where nobody but the chunk states it: a claim. Memory
    /// grows with what is decoded.
    #[must_use]
    pub(crate) fn believes_nothing(mut self) -> Self {
        self.is_claimed = true;
        self
    }

    /// Takes Fletcher-32 checksums off without looking whether they are right.
    #[must_use]
    pub fn skip_checksums(mut self) -> Self {
        self.skips_checksums = true;
        self
    }

    /// Filters of the pipeline that this build cannot decode; [`crate::cure_for`] says what to do.
    #[must_use]
    pub fn missing(&self) -> &[FilterSpec] {
        &self.missing
    }

    /// Length of a decoded chunk in bytes.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// Whether there are no filters: stored bytes are the chunk.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.stages.is_empty()
    }

    /// Decodes one stored chunk; the result is exactly [`Self::chunk_bytes`] long.
    ///
    /// Bit i of `filter_mask` says that filter i of the pipeline was not applied. Whatever `stored`
    /// holds, memory stays within a small multiple of the chunk.
    ///
    /// # Errors
    /// [`CodecError::MissingFilter`], [`CodecError::Corrupt`], [`CodecError::Checksum`] or
    /// [`CodecError::WrongSize`].
    pub fn decode(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        let mut result = Vec::new();
        self.run(stored, filter_mask, Sink::Vec(&mut result), scratch)?;
        Ok(result)
    }

    /// As [`Self::decode`], into `out`, which must be [`Self::chunk_bytes`] long.
    ///
    /// # Errors
    /// As [`Self::decode`]; what `out` holds then means nothing.
    pub fn decode_into(
        &self,
        stored: &[u8],
        filter_mask: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), CodecError> {
        OutputSize::Exact(self.chunk_bytes).check(out.len())?;
        self.run(stored, filter_mask, Sink::Slice(out), scratch)
    }

    /// Decodes what a chunk's start was stored as: some programs end the last chunk of an array
    /// where the values end. The result is not longer than [`Self::chunk_bytes`].
    ///
    /// # Errors
    /// As [`Self::decode`]; [`CodecError::WrongSize`] only for what is too long.
    pub fn decode_start(
        &self,
        stored: &[u8],
        filter_mask: u32,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        let at_most = OutputSize::AtMost(self.longest());
        let applied = (self.stages.iter().enumerate()).filter(|(i, _)| filter_mask & (1 << i) == 0);
        let mut held = stored.to_vec();
        for (_, stage) in applied.rev() {
            if let Some(prefix) = stage.decoded_prefix(&held, self.skips_checksums) {
                held.truncate(prefix?);
            } else {
                let mut decoded = Vec::new();
                stage.decode(&held, &mut decoded, at_most, &mut scratch.codecs)?;
                held = decoded;
            }
        }
        OutputSize::AtMost(self.chunk_bytes).check(held.len())?;
        Ok(held)
    }

    fn run(
        &self,
        stored: &[u8],
        filter_mask: u32,
        mut sink: Sink<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), CodecError> {
        let (steps, count) = self.steps(filter_mask);
        let steps = steps[..count].iter().rev().flatten();
        let mut to_move = steps.clone().filter(|(s, _)| !s.is_prefix()).count();
        let Scratch {
            front,
            back,
            codecs,
        } = scratch;
        let mut held = Held::Stored;
        let mut length = stored.len();
        for &(stage, size) in steps {
            let encoded = match held {
                Held::Stored => &stored[..length],
                Held::Scratch => &front[..length],
                Held::Result => &sink.bytes()[..length],
            };
            if let Some(prefix) = stage.decoded_prefix(encoded, self.skips_checksums) {
                length = prefix?;
                continue;
            }
            // Only the last step that moves bytes makes the result.
            let encoded = match held {
                Held::Stored => &stored[..length],
                _ => &front[..length],
            };
            to_move -= 1;
            match &mut sink {
                Sink::Vec(result) if to_move == 0 => {
                    stage.decode(encoded, result, size, codecs)?;
                    (length, held) = (result.len(), Held::Result);
                }
                Sink::Slice(out) if to_move == 0 && size == OutputSize::Exact(out.len()) => {
                    stage.decode_slice(encoded, out, codecs)?;
                    (length, held) = (out.len(), Held::Result);
                }
                _ => {
                    stage.decode(encoded, back, size, codecs)?;
                    std::mem::swap(front, back);
                    (length, held) = (front.len(), Held::Scratch);
                }
            }
        }
        OutputSize::Exact(self.chunk_bytes).check(length)?;
        match (held, sink) {
            (Held::Result, Sink::Vec(result)) => result.truncate(length),
            (Held::Result, Sink::Slice(_)) => {}
            (Held::Stored, sink) => sink.take(&stored[..length]),
            (Held::Scratch, sink) => sink.take(&front[..length]),
        }
        Ok(())
    }

    /// The longest that a chunk is between filters.
    fn longest(&self) -> usize {
        let usual = self.chunk_bytes + self.chunk_bytes / 64 + GROWTH_BYTES;
        let stages = self.stages.iter();
        stages.fold(usual, |bytes, stage| stage.longest_encoded(bytes))
    }

    /// The filters that were applied, in writing order, each with what is known about the length of
    /// its decoded form; and how many slots of the array are in use.
    fn steps(
        &self,
        filter_mask: u32,
    ) -> ([Option<(&DecodeStage, OutputSize)>; MAX_FILTERS], usize) {
        let mut steps = [None; MAX_FILTERS];
        let limit = self.longest();
        let mut known = Some(self.chunk_bytes);
        for (i, stage) in self.stages.iter().enumerate() {
            if filter_mask & (1 << i) != 0 {
                continue;
            }
            let size = match known {
                _ if self.is_claimed => OutputSize::Stated(known.unwrap_or(limit)),
                Some(bytes) => OutputSize::Exact(bytes),
                None => OutputSize::AtMost(limit),
            };
            steps[i] = Some((stage, size));
            known = known.and_then(|bytes| stage.encoded_bytes(bytes));
        }
        (steps, self.stages.len())
    }
}

/// The checks that decoder and encoder share.
pub(crate) fn check_sizes(
    pipeline: &FilterPipeline,
    element_bytes: usize,
    chunk_bytes: usize,
) -> Result<(), CodecError> {
    if pipeline.0.len() > MAX_FILTERS {
        return Err(invalid("pipeline", "more than 32 filters"));
    }
    if element_bytes == 0 || !chunk_bytes.is_multiple_of(element_bytes) {
        let reason = format!("{chunk_bytes} bytes are no chunk of {element_bytes}-byte elements");
        return Err(invalid("pipeline", reason));
    }
    if chunk_bytes > registry::MAX_CHUNK_BYTES {
        return Err(invalid("pipeline", "the chunk does not fit in memory"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use frazil_types::filter_id;

    use super::*;

    fn pipeline(specs: &[(i32, &[u32])]) -> FilterPipeline {
        let bind = |&(id, values): &(i32, &[u32])| FilterSpec::new(id, values.to_vec());
        FilterPipeline(specs.iter().map(bind).collect())
    }

    #[test]
    fn without_filters_stored_bytes_are_the_chunk() {
        let decoder = BoundDecoder::bind(&FilterPipeline::default(), 4, 8).unwrap();
        assert!(decoder.is_identity());
        let mut scratch = Scratch::default();
        assert_eq!(decoder.decode(&[7; 8], 0, &mut scratch).unwrap(), [7; 8]);
        let short = decoder.decode(&[7; 4], 0, &mut scratch);
        let (got, expected) = (4, 8);
        assert_eq!(short, Err(CodecError::WrongSize { got, expected }));
    }

    #[test]
    fn an_unknown_filter_hurts_only_the_chunks_it_was_applied_to() {
        let pipeline = pipeline(&[(filter_id::LZO, &[1]), (filter_id::FLETCHER32, &[])]);
        let decoder = BoundDecoder::bind(&pipeline, 1, 3).unwrap();
        assert_eq!(decoder.missing(), &pipeline.0[..1]);
        let mut stored = b"ice".to_vec();
        crate::filter::fletcher32::encode(&mut stored);
        let mut scratch = Scratch::default();
        assert_eq!(decoder.decode(&stored, 1, &mut scratch).unwrap(), b"ice");
        assert_eq!(decoder.decode(b"ice", 3, &mut scratch).unwrap(), b"ice");
        let refused = decoder.decode(&stored, 0, &mut scratch).unwrap_err();
        assert_eq!(refused.code(), frazil_types::ErrorCode::MissingFilter);
    }

    #[test]
    fn a_chunk_that_ends_with_the_values_is_decoded_as_far_as_it_goes() {
        let pipeline = pipeline(&[
            (filter_id::SHUFFLE, &[4]),
            (filter_id::DEFLATE, &[4]),
            (filter_id::FLETCHER32, &[]),
        ]);
        let raw: Vec<u8> = (0..100_u32).flat_map(u32::to_le_bytes).collect();
        let mut scratch = Scratch::default();
        let short = crate::BoundEncoder::bind(&pipeline, None, 4, raw.len()).unwrap();
        let stored = short.encode(&raw, &mut scratch).unwrap();
        let decoder = BoundDecoder::bind(&pipeline, 4, 4 * 128).unwrap();
        let refused = decoder.decode(&stored, 0, &mut scratch);
        assert!(matches!(refused, Err(CodecError::WrongSize { .. })));
        let start = decoder.decode_start(&stored, 0, &mut scratch);
        assert_eq!(start.unwrap(), raw);
        let narrow = BoundDecoder::bind(&pipeline, 4, 4 * 99).unwrap();
        assert!(narrow.decode_start(&stored, 0, &mut scratch).is_err());
    }

    #[test]
    fn client_data_that_cannot_be_is_refused() {
        for (id, values) in [
            (filter_id::DEFLATE, &[10][..]),
            (filter_id::DEFLATE, &[]),
            (filter_id::SHUFFLE, &[0]),
            (filter_id::SHUFFLE, &[4, 4]),
        ] {
            let unusable = pipeline(&[(id, values)]);
            let unused = BoundDecoder::bind_used(&unusable, 1, 4, 8).unwrap();
            let mut scratch = Scratch::default();
            assert_eq!(unused.decode(&[7; 8], 1, &mut scratch), Ok(vec![7; 8]));
            assert!(unused.decode(&[7; 8], 0, &mut scratch).is_err());
            let bound = BoundDecoder::bind(&unusable, 4, 8);
            assert!(
                matches!(bound, Err(CodecError::InvalidParameters { .. })),
                "{id} {values:?}"
            );
        }
        assert!(BoundDecoder::bind(&FilterPipeline::default(), 3, 8).is_err());
        let many = FilterPipeline(vec![FilterSpec::new(filter_id::FLETCHER32, vec![]); 33]);
        assert!(BoundDecoder::bind(&many, 4, 8).is_err());
    }
}
