//! How the variables of a new file lie in it: the chunk rule and the filter trial of `pack`.

use frazil_codec::Scratch;
use frazil_container::hdf5::OutputStorage;
use frazil_plan::{FilterOptions, ShapeInput, ShapePolicy, choose, choose_filters};
use frazil_types::{DeflateEncoder, FilterPipeline};

use super::NumberType;
use frazil_file::error::{Error, Result};

/// How one variable lies in a new file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Chunk shape in elements; `None`: contiguous, without filters.
    pub(crate) chunk: Option<Vec<u64>>,
    /// Filters in writing order.
    pub(crate) pipeline: FilterPipeline,
    /// Encoder behind a deflate filter.
    pub(crate) deflate_encoder: Option<DeflateEncoder>,
}

impl Layout {
    /// A layout without filters.
    pub(crate) fn unfiltered(chunk: Option<Vec<u64>>) -> Self {
        Self {
            chunk,
            pipeline: FilterPipeline::default(),
            deflate_encoder: None,
        }
    }

    /// Tries filters on `samples` of the values, as bytes; contiguous variables have none.
    pub(crate) fn by_trial(
        chunk: Option<Vec<u64>>,
        number: NumberType,
        samples: &[Vec<u8>],
    ) -> Result<Self> {
        let Some(extents) = &chunk else {
            return Ok(Self::unfiltered(None));
        };
        let element_bytes = number.size_bytes() as u64;
        let requests = FilterOptions {
            chunk_bytes: Some(
                extents
                    .iter()
                    .product::<u64>()
                    .saturating_mul(element_bytes),
            ),
            ..FilterOptions::default()
        };
        let mut scratch = Scratch::default();
        let choice = choose_filters(samples, number.element(), &requests, None, &mut scratch)
            .map_err(|error| Error::new(error.code(), error.to_string()))?;
        Ok(Self {
            chunk,
            pipeline: choice.pipeline,
            deflate_encoder: choice.deflate_encoder,
        })
    }

    /// The layout in the container's words.
    pub(super) fn storage(&self) -> OutputStorage {
        match &self.chunk {
            None => OutputStorage::Contiguous,
            Some(chunk) => OutputStorage::Chunked {
                chunk: chunk.clone(),
                pipeline: self.pipeline.clone(),
            },
        }
    }
}

/// The chunk shape of a variable of fixed `shape`, by the rule that `pack` follows; `None`:
/// contiguous, which only small variables are.
pub(crate) fn chunk_shape(shape: &[u64], number: NumberType) -> Option<Vec<u64>> {
    let input = ShapeInput {
        shape,
        unlimited: &vec![false; shape.len()],
        element_bytes: number.size_bytes(),
        current: None,
        dimension_names: &[],
        must_chunk: false,
    };
    choose(&input, &ShapePolicy::default()).chunk
}
