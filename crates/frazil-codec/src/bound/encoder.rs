//! A dataset's filters, ready to encode many chunks.

use frazil_types::{DeflateEncoder, FilterPipeline};

use super::decoder::check_sizes;
use super::stage::EncodeStage;
use crate::CodecError;
use crate::buffer::OutputSize;
use crate::scratch::Scratch;

/// Filters of a dataset bound to its element size and chunk size, ready to encode many chunks.
///
/// All filters are applied to every chunk: the filter mask of what it makes is always 0. The same
/// chunk gives the same bytes, whatever the scratch held before.
#[derive(Debug, Clone)]
pub struct BoundEncoder {
    stages: Vec<EncodeStage>,
    chunk_bytes: usize,
}

impl BoundEncoder {
    /// Binds `pipeline` to elements of `element_bytes` and chunks of `chunk_bytes` (whole chunk,
    /// padding included). `deflate` chooses the encoder behind a deflate filter; `None` means
    /// libdeflate at the level in the pipeline.
    ///
    /// # Errors
    /// [`CodecError::CannotEncode`] for a filter that is only decoded here;
    /// [`CodecError::InvalidParameters`] for client data values, levels or sizes that cannot be.
    pub fn bind(
        pipeline: &FilterPipeline,
        deflate: Option<DeflateEncoder>,
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, CodecError> {
        check_sizes(pipeline, element_bytes, chunk_bytes)?;
        let mut stages = Vec::with_capacity(pipeline.0.len());
        let mut known = Some(chunk_bytes);
        for spec in &pipeline.0 {
            let stage = EncodeStage::bind(spec, deflate, element_bytes)?;
            match known {
                Some(bytes) => stage.check_input(bytes)?,
                None => stage.check_any_input()?,
            }
            known = known.and_then(|bytes| stage.encoded_bytes(bytes));
            stages.push(stage);
        }
        Ok(Self {
            stages,
            chunk_bytes,
        })
    }

    /// Bytes that an encoded chunk needs at most.
    #[must_use]
    pub fn encode_bound(&self) -> usize {
        let bound = |bytes, stage: &EncodeStage| stage.encode_bound(bytes);
        self.stages.iter().fold(self.chunk_bytes, bound)
    }

    /// Encodes one whole chunk; the result has no spare capacity.
    ///
    /// # Errors
    /// [`CodecError::WrongSize`] if `raw` is no whole chunk; [`CodecError::EncodeFailed`].
    pub fn encode(&self, raw: &[u8], scratch: &mut Scratch) -> Result<Vec<u8>, CodecError> {
        self.encode_in(raw, scratch).map(<[u8]>::to_vec)
    }

    /// As [`Self::encode`]; the result is in the scratch (or `raw`, where there is no filter).
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_in<'a>(
        &self,
        raw: &'a [u8],
        scratch: &'a mut Scratch,
    ) -> Result<&'a [u8], CodecError> {
        OutputSize::Exact(self.chunk_bytes).check(raw.len())?;
        let Scratch {
            front,
            back,
            codecs,
        } = scratch;
        for (number, stage) in self.stages.iter().enumerate() {
            let current = if number == 0 { raw } else { &front[..] };
            stage.encode(current, back, codecs)?;
            std::mem::swap(front, back);
        }
        Ok(if self.stages.is_empty() { raw } else { front })
    }
}
