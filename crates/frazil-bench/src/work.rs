//! All chunks of a file in memory, with what is to be done to each.

use std::collections::HashMap;
use std::path::Path;

use frazil::PackOptions;
use frazil_codec::{BoundDecoder, BoundEncoder, CodecError, Scratch};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_types::{ChunkGrid, FileExtent, StorageLayout, VariablePlan, is_all};
use serde::Serialize;

use crate::cut::cut;
use crate::error::Error;
use crate::input::{Input, Place, Variable};

/// The work of one round.
#[derive(Default)]
pub(crate) struct Work {
    /// What is done to chunks, per variable.
    pub(crate) recodings: Vec<Recoding>,
    /// The chunks of all variables, in file order.
    pub(crate) chunks: Vec<Chunk>,
    /// Bytes of the values in them, without padding.
    pub(crate) raw_bytes: u64,
    /// Variables that have values but no part in the loop.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A variable without a part in the loop.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LeftOut {
    /// Absolute path in the file.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: &'static str,
}

/// One chunk before the loop.
pub(crate) struct Chunk {
    /// Position in [`Work::recodings`].
    pub(crate) recoding: usize,
    /// As stored in the file, or cut from a whole array.
    pub(crate) bytes: Vec<u8>,
    /// Bit i set: filter i of the input's pipeline was not applied.
    pub(crate) filter_mask: u32,
}

/// What is done to the chunks of one variable.
pub(crate) struct Recoding {
    /// Absolute path in the file.
    pub(crate) variable: String,
    step: Step,
}

enum Step {
    /// Copied as stored.
    Copy,
    /// Decoded, unless they are stored without filters, and encoded.
    Recode {
        decoder: Option<BoundDecoder>,
        encoder: BoundEncoder,
        /// One element of fill value, if chunks of nothing else are not stored.
        omitted_fill: Option<Vec<u8>>,
    },
}

impl Recoding {
    /// What `frazil pack` would store for a chunk; `None` for nothing.
    pub(crate) fn apply(
        &self,
        chunk: &Chunk,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<u8>>, CodecError> {
        let Step::Recode {
            decoder,
            encoder,
            omitted_fill,
        } = &self.step
        else {
            return Ok(Some(chunk.bytes.clone()));
        };
        let decoded = match decoder {
            Some(decoder) => Some(decoder.decode(&chunk.bytes, chunk.filter_mask, scratch)?),
            None => None,
        };
        let values = decoded.as_ref().unwrap_or(&chunk.bytes);
        if omitted_fill
            .as_ref()
            .is_some_and(|fill| is_all(values, fill))
        {
            return Ok(None);
        }
        encoder.encode(values, scratch).map(Some)
    }
}

impl Work {
    /// Plans a file as `frazil pack` would with these options, and reads all its chunks.
    ///
    /// # Errors
    /// If the file cannot be planned or read.
    pub(crate) fn load(path: &Path, options: &PackOptions) -> Result<Self, Error> {
        let plan = frazil::plan(path, options, &mut frazil::Silent)?;
        let input = Input::open(path)?;
        let planned = plan.variables.iter().map(|one| (one.path.as_str(), one));
        let planned: HashMap<_, _> = planned.collect();
        let mut work = Self::default();
        for variable in input.variables() {
            let Some(plan) = planned.get(variable.path.as_str()) else {
                continue;
            };
            if let Some(reason) = work.add(&input, variable, plan)? {
                work.left_out.push(LeftOut {
                    path: variable.path.clone(),
                    reason,
                });
            }
        }
        Ok(work)
    }

    /// Adds the chunks of one variable; returns the reason if it is left out.
    fn add(
        &mut self,
        input: &Input,
        variable: &Variable,
        plan: &VariablePlan,
    ) -> Result<Option<&'static str>, Error> {
        if matches!(variable.place, Place::Nowhere) {
            return Ok(None);
        }
        if !variable.element.is_self_contained() {
            return Ok(Some("heap data or references"));
        }
        let StorageLayout::Chunked { chunk } = &plan.layout else {
            return Ok(Some("not chunked in the output"));
        };
        let grid = ChunkGrid::new(&variable.shape, chunk).ok_or_else(|| too_large(variable))?;
        match &variable.place {
            Place::Nowhere => Ok(None),
            Place::LibraryOnly => Ok(Some("compact, external or virtual in the input")),
            Place::Whole { extent, swap } => {
                let values = read_values(input, variable, extent, *swap)?;
                let recoding = self.begin(variable, recode(variable, plan, &grid, None)?);
                for index in 0..grid.chunk_count() {
                    let bytes = cut(&values, &grid, index, &variable.fill);
                    self.push(
                        Chunk {
                            recoding,
                            bytes,
                            filter_mask: 0,
                        },
                        variable,
                        &grid,
                        index,
                    );
                }
                Ok(None)
            }
            Place::Chunks(dataset) => self.add_stored(input, variable, dataset, plan, &grid),
        }
    }

    fn add_stored(
        &mut self,
        input: &Input,
        variable: &Variable,
        dataset: &DatasetInfo,
        plan: &VariablePlan,
        grid: &ChunkGrid,
    ) -> Result<Option<&'static str>, Error> {
        let DatasetStorage::Chunked {
            chunk,
            pipeline,
            raw_partial_edges,
        } = &dataset.storage
        else {
            return Ok(Some("not chunked in the input"));
        };
        if chunk != grid.chunk() {
            return Ok(Some("its chunk shape changes"));
        }
        let step = if plan.copy_raw {
            Step::Copy
        } else {
            let bytes = chunk_bytes(variable, grid)?;
            let decoder = BoundDecoder::bind(pipeline, variable.element.size_bytes, bytes)
                .map_err(Error::codec(&variable.path))?;
            if !decoder.missing().is_empty() {
                return Ok(Some("its filters are decoded by plugins of libhdf5"));
            }
            recode(variable, plan, grid, Some(decoder))?
        };
        let recoding = self.begin(variable, step);
        for record in input.locate(dataset)? {
            let extent = FileExtent::contiguous(record.address, record.stored_bytes);
            let bytes = input.read(&extent)?;
            let is_raw = *raw_partial_edges && grid.is_partial_edge(record.index);
            let filter_mask = if is_raw { u32::MAX } else { record.filter_mask };
            self.push(
                Chunk {
                    recoding,
                    bytes,
                    filter_mask,
                },
                variable,
                grid,
                record.index,
            );
        }
        Ok(None)
    }

    /// Begins a variable; the position of its recoding.
    fn begin(&mut self, variable: &Variable, step: Step) -> usize {
        self.recodings.push(Recoding {
            variable: variable.path.clone(),
            step,
        });
        self.recodings.len() - 1
    }

    fn push(&mut self, chunk: Chunk, variable: &Variable, grid: &ChunkGrid, index: u64) {
        let elements = grid.valid_box(index).elements().unwrap_or(0);
        self.raw_bytes += elements.saturating_mul(variable.element.size_bytes as u64);
        self.chunks.push(chunk);
    }
}

fn recode(
    variable: &Variable,
    plan: &VariablePlan,
    grid: &ChunkGrid,
    decoder: Option<BoundDecoder>,
) -> Result<Step, Error> {
    let (element_bytes, bytes) = (variable.element.size_bytes, chunk_bytes(variable, grid)?);
    let encoder = BoundEncoder::bind(&plan.pipeline, plan.deflate_encoder, element_bytes, bytes)
        .map_err(Error::codec(&variable.path))?;
    Ok(Step::Recode {
        decoder: decoder.filter(|decoder| !decoder.is_identity()),
        encoder,
        omitted_fill: variable.omits_fill.then(|| variable.fill.clone()),
    })
}

/// All values of a variable that lies in one piece, little-endian where its output is.
fn read_values(
    input: &Input,
    variable: &Variable,
    extent: &FileExtent,
    swap: bool,
) -> Result<Vec<u8>, Error> {
    let mut values = input.read(extent)?;
    if swap {
        values
            .chunks_exact_mut(variable.element.size_bytes)
            .for_each(<[u8]>::reverse);
    }
    Ok(values)
}

fn chunk_bytes(variable: &Variable, grid: &ChunkGrid) -> Result<usize, Error> {
    usize::try_from(grid.chunk_elements())
        .ok()
        .and_then(|elements| elements.checked_mul(variable.element.size_bytes))
        .ok_or_else(|| too_large(variable))
}

fn too_large(variable: &Variable) -> Error {
    Error::Variable {
        variable: variable.path.clone(),
        what: "its chunks are beyond counting",
    }
}
