//! A variable being written: what is fixed from its definition on, and its filters, decided once.

use std::sync::OnceLock;

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_container::classic::ClassicVariable;
use frazil_container::hdf5::OutputStorage;
use frazil_plan::{FilterWishes, choose_filters};
use frazil_types::{ByteOrder, DeflateEncoder, ElementType, FilterPipeline};

use super::layout::Layout;
use super::repeats::Repeats;
use crate::error::{Error, Result};

/// Samples for the trial: so many pieces of a chunk ...
const PIECES: usize = 4;
/// ... of so many bytes each.
const PIECE_BYTES: usize = 64 << 10;

/// A variable being written, shared by all threads.
pub(super) struct Variable {
    /// Position in the file's model.
    pub(super) number: usize,
    /// Absolute path.
    pub(super) path: String,
    pub(super) element: ElementType,
    /// The fill value, little-endian.
    pub(super) fill: Vec<u8>,
    /// Numbers of its dimensions.
    pub(super) dimensions: Vec<usize>,
    /// Lengths of its axes; `None`: unlimited.
    pub(super) limits: Vec<Option<u64>>,
    /// Chunk shape in elements; of a contiguous variable its whole shape.
    pub(super) chunk: Vec<u64>,
    /// Bytes of a chunk; they can be counted.
    pub(super) chunk_bytes: usize,
    pub(super) is_contiguous: bool,
    filters: OnceLock<Result<Filters>>,
    pub(super) repeats: Repeats,
}

/// The decided filters, bound to the variable's chunks.
#[derive(Debug, Clone)]
pub(super) struct Filters {
    pub(super) pipeline: FilterPipeline,
    pub(super) encoder: BoundEncoder,
    pub(super) decoder: BoundDecoder,
}

impl Variable {
    pub(super) fn new(
        number: usize,
        model: &ClassicVariable,
        limits: Vec<Option<u64>>,
        layout: Layout,
        repeats_bytes: usize,
    ) -> Self {
        let big = model.nc_type.element();
        let order = match big.order {
            ByteOrder::Big => ByteOrder::Little,
            other => other,
        };
        let mut fill = model.fill_value().to_be_bytes();
        fill.reverse();
        Self {
            number,
            path: format!("/{}", model.name),
            element: ElementType { order, ..big },
            fill,
            dimensions: model.dimensions.clone(),
            limits,
            chunk: layout.chunk,
            chunk_bytes: layout.chunk_bytes,
            is_contiguous: layout.is_contiguous,
            filters: OnceLock::new(),
            repeats: Repeats::new(repeats_bytes),
        }
    }

    pub(super) fn element_bytes(&self) -> usize {
        self.element.size_bytes
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
        element == self.fill && element.iter().all(|&byte| byte == 0)
    }

    /// The filters, once they are decided: waits for the job that decides them, which is an
    /// earlier one.
    pub(super) fn filters(&self) -> Result<&Filters> {
        self.filters.wait().as_ref().map_err(Clone::clone)
    }

    /// Decides the filters by trial on samples; without any: shuffle, and a middling level.
    pub(super) fn decide(&self, samples: &[Vec<u8>], scratch: &mut Scratch) {
        // Whatever happens, those who wait are told.
        let told = Told(self);
        let decided = self.by_trial(samples, scratch);
        // A variable is decided once: whoever came first was asked first.
        let _ = self.filters.set(decided);
        drop(told);
    }

    fn by_trial(&self, samples: &[Vec<u8>], scratch: &mut Scratch) -> Result<Filters> {
        let wishes = FilterWishes {
            chunk_bytes: Some(self.chunk_bytes as u64),
            ..FilterWishes::default()
        };
        let choice = choose_filters(samples, self.element, &wishes, None, scratch)
            .map_err(|error| Error::new(error.code(), error.to_string()))?;
        self.bind(choice.pipeline, choice.deflate_encoder)
    }

    fn bind(&self, pipeline: FilterPipeline, deflate: Option<DeflateEncoder>) -> Result<Filters> {
        let (size, bytes) = (self.element_bytes(), self.chunk_bytes);
        let wrap = |error: frazil_codec::CodecError| Error::new(error.code(), error.to_string());
        Ok(Filters {
            encoder: BoundEncoder::bind(&pipeline, deflate, size, bytes).map_err(wrap)?,
            decoder: BoundDecoder::bind(&pipeline, size, bytes).map_err(wrap)?,
            pipeline,
        })
    }

    /// How the variable lies in the file; waits as [`Self::filters`].
    pub(super) fn storage(&self) -> Result<OutputStorage> {
        if self.is_contiguous {
            return Ok(OutputStorage::Contiguous);
        }
        Ok(OutputStorage::Chunked {
            chunk: self.chunk.clone(),
            pipeline: self.filters()?.pipeline.clone(),
        })
    }
}

/// Makes sure that filters are decided, if only by an error.
struct Told<'a>(&'a Variable);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        let missing = || {
            Err(Error::new(
                frazil_types::ErrorCode::Internal,
                "the choice of filters failed",
            ))
        };
        self.0.filters.get_or_init(missing);
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
