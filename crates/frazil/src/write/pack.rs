//! What background threads do: decide filters, and make chunks ready to be placed.

use std::sync::Arc;

use frazil_codec::Scratch;
use frazil_container::hdf5::OutputStorage;
use frazil_pipeline::Charge;

use super::partial::Mask;
use super::repeats;
use super::variable::{Filters, Variable};
use crate::error::{Error, Result};

/// A piece of background work. Jobs that need a variable's filters come after the one that
/// decides them.
pub(super) enum Job {
    /// Decide a variable's filters by these samples of its values.
    Decide {
        variable: Arc<Variable>,
        samples: Vec<Vec<u8>>,
    },
    /// Make a chunk ready to be placed.
    Chunk(ChunkJob),
    /// All filters are decided: the output can be defined.
    Define(Vec<Arc<Variable>>),
}

/// A chunk to be packed.
pub(super) struct ChunkJob {
    pub(super) place: Place,
    pub(super) content: Content,
    /// For the content; goes back when it is packed.
    pub(super) content_charge: Option<Charge>,
    /// For the packed bytes; goes back when they are placed.
    pub(super) packed_charge: Charge,
}

/// Where a chunk belongs.
pub(super) struct Place {
    pub(super) variable: Arc<Variable>,
    /// Its first element.
    pub(super) offset: Box<[u64]>,
    /// The variable's shape when the chunk was complete.
    pub(super) shape: Vec<u64>,
}

/// What a chunk holds.
pub(super) enum Content {
    Values(Vec<u8>),
    /// This element over and over.
    Constant(Vec<u8>),
    /// Values where the mask says so, elsewhere those of the stored chunk.
    Merge {
        values: Vec<u8>,
        mask: Mask,
        stored: Vec<u8>,
    },
}

/// What came of a job.
pub(super) enum Packed {
    Nothing,
    Chunk(PackedChunk),
    /// How each variable lies.
    Define(Vec<OutputStorage>),
}

/// A chunk ready to be placed.
pub(super) struct PackedChunk {
    pub(super) place: Place,
    pub(super) bytes: Arc<Vec<u8>>,
    /// Whether an equal chunk was packed before.
    pub(super) is_reused: bool,
    // Held until the chunk is placed.
    _charge: Charge,
}

impl Job {
    pub(super) fn run(self, scratch: &mut Scratch) -> Result<Packed> {
        match self {
            Self::Decide { variable, samples } => {
                variable.decide(&samples, scratch);
                Ok(Packed::Nothing)
            }
            Self::Chunk(job) => job.run(scratch).map(Packed::Chunk),
            Self::Define(variables) => {
                let all = variables.iter().map(|variable| {
                    let storage = variable.storage();
                    storage.map_err(|error| error.at_variable(&variable.path))
                });
                Ok(Packed::Define(all.collect::<Result<_>>()?))
            }
        }
    }
}

impl ChunkJob {
    fn run(self, scratch: &mut Scratch) -> Result<PackedChunk> {
        let Self {
            place,
            content,
            content_charge,
            mut packed_charge,
        } = self;
        let (bytes, is_reused) =
            pack(&place.variable, content, scratch).map_err(|error| named(error, &place))?;
        drop(content_charge);
        packed_charge.shrink_to(bytes.len() as u64);
        Ok(PackedChunk {
            place,
            bytes,
            is_reused,
            _charge: packed_charge,
        })
    }
}

/// Names the variable and the chunk that an error concerns.
pub(super) fn named(mut error: Error, place: &Place) -> Error {
    error.cause = format!("chunk at {:?}: {}", place.offset, error.cause);
    error.at_variable(&place.variable.path)
}

/// The bytes of a chunk as they are stored, and whether they served before.
fn pack(
    variable: &Variable,
    content: Content,
    scratch: &mut Scratch,
) -> Result<(Arc<Vec<u8>>, bool)> {
    if variable.is_contiguous {
        return Ok((Arc::new(values_of(variable, content)), false));
    }
    let filters = variable.filters()?;
    match content {
        Content::Constant(element) => {
            if let Some(packed) = variable.repeats.find_constant(&element) {
                return Ok((packed, true));
            }
            let values = element.repeat(variable.chunk_bytes / element.len());
            let packed = Arc::new(encode(filters, &values, scratch)?);
            variable.repeats.remember_constant(element, &packed);
            Ok((packed, false))
        }
        Content::Merge {
            mut values,
            mask,
            stored,
        } => {
            let base = (filters.decoder.decode(&stored, 0, scratch))
                .map_err(|error| Error::new(error.code(), error.to_string()))?;
            mask.merge(&mut values, &base, variable.element_bytes());
            pack_values(variable, filters, &values, scratch)
        }
        Content::Values(values) => pack_values(variable, filters, &values, scratch),
    }
}

fn pack_values(
    variable: &Variable,
    filters: &Filters,
    values: &[u8],
    scratch: &mut Scratch,
) -> Result<(Arc<Vec<u8>>, bool)> {
    if filters.pipeline.is_empty() {
        return Ok((Arc::new(values.to_vec()), false));
    }
    let hash = repeats::hash(values);
    let found = (variable.repeats).find(hash, values, &filters.decoder, scratch);
    if let Some(packed) = found {
        return Ok((packed, true));
    }
    let packed = Arc::new(encode(filters, values, scratch)?);
    variable.repeats.remember(hash, &packed);
    Ok((packed, false))
}

fn encode(filters: &Filters, values: &[u8], scratch: &mut Scratch) -> Result<Vec<u8>> {
    let outcome = filters.encoder.encode(values, scratch);
    outcome.map_err(|error| Error::new(error.code(), error.to_string()))
}

/// A contiguous variable's values; it always has them all in memory.
fn values_of(variable: &Variable, content: Content) -> Vec<u8> {
    match content {
        Content::Values(values) | Content::Merge { values, .. } => values,
        Content::Constant(element) => element.repeat(variable.chunk_bytes / element.len()),
    }
}
