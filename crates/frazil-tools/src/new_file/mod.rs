//! A new netCDF-4 file: defined from a model, then written chunk by chunk, in parallel and in
//! bounded memory.

mod layout;
mod number;

use std::path::{Path, PathBuf};

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::classic::ClassicModel;
use frazil_container::hdf5::{Additions, Hdf5Output, OutputTarget};
use frazil_pipeline::{MemoryBudget, Task};
use frazil_types::{ChunkGrid, ErrorCode};
use serde::Serialize;

pub(crate) use layout::{Layout, chunk_shape};
pub use number::NumberType;

use frazil_file::error::{Error, Result};
use frazil_file::output;
use frazil_file::pending::PendingOutput;
use frazil_file::pipeline_error::from_pipeline;
use frazil_file::placer::Placer;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::storage_error::from_container;

/// One variable of a new file, as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenVariable {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// Chunk shape in elements; `None` when contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// Bytes stored.
    pub stored_bytes: u64,
}

/// What a new file came to.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) variables: Vec<WrittenVariable>,
    pub file_bytes: u64,
    pub(crate) notices: Vec<String>,
}

/// One chunk to be written. A contiguous variable is one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Position of the variable in the model.
    pub(crate) variable: usize,
    /// Linear number of the chunk in the variable's grid.
    pub(crate) number: u64,
}

/// The file being written. Dropped without [`Self::finish`], it leaves nothing behind.
pub(crate) struct NewFile {
    target: PathBuf,
    output: Hdf5Output,
    variables: Vec<Variable>,
    // Dropped after the output that writes to it.
    pending: PendingOutput,
}

struct Variable {
    written: WrittenVariable,
    grid: ChunkGrid,
    element_bytes: usize,
    place: Place,
}

enum Place {
    /// Address of the first value.
    Contiguous(u64),
    Chunked(BoundEncoder),
}

impl NewFile {
    /// Defines a new file at `target` with everything in `model`; values are written afterwards.
    pub(crate) fn define(
        pending: PendingOutput,
        target: &Path,
        model: &ClassicModel,
        numbers: &[NumberType],
        layouts: &[Layout],
    ) -> Result<Self> {
        let shapes: Vec<Vec<u64>> = model.variables.iter().map(|v| model.shape(v)).collect();
        let raw_bytes = (shapes.iter().zip(numbers)).fold(0_u64, |sum, (shape, number)| {
            sum.saturating_add(raw_bytes(shape, *number).unwrap_or(u64::MAX))
        });
        let place = OutputTarget::File {
            path: pending.path(),
            metadata_block_bytes: output::metadata_block_bytes(raw_bytes),
        };
        let storage: Vec<_> = layouts.iter().map(Layout::storage).collect();
        let output =
            Hdf5Output::define_classic(model, false, place, &storage, &Additions::default())
                .map_err(|error| from_container(error, target))?;
        let mut variables = Vec::with_capacity(layouts.len());
        for (i, layout) in layouts.iter().enumerate() {
            let path = format!("/{}", model.variables[i].name);
            let variable = bind(&output, i, &shapes[i], numbers[i], layout)
                .map_err(|error| error.in_file(target).at_variable(&path))?;
            variables.push(Variable {
                written: WrittenVariable {
                    path,
                    ..variable.written
                },
                ..variable
            });
        }
        Ok(Self {
            target: target.to_owned(),
            output,
            variables,
            pending,
        })
    }

    /// Writes chunks in the order of `tiles`; `values` makes the bytes of one of them, padding
    /// included, and needs `work_bytes` per element to do so beside the result.
    ///
    /// Returns after the last one; may be called again for further chunks.
    pub(crate) fn write(
        &mut self,
        tiles: impl Iterator<Item = Tile> + Send,
        work_bytes: u64,
        values: impl Fn(Tile) -> Result<Vec<u8>> + Sync,
        limits: &Limits<'_>,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let mut placer = Placer::new(self.pending.file(), &self.target);
        let mut stored = vec![0_u64; self.variables.len()];
        let (variables, output) = (&self.variables, &self.output);
        let tasks = tiles.map(|tile| Task {
            meta: tile,
            requests: Vec::new(),
            output_bytes: variables[tile.variable].task_bytes(work_bytes),
        });
        let outcome = limits.run(
            tasks,
            |&tile, scratch| {
                let variable = &variables[tile.variable];
                values(tile).and_then(|raw| variable.pack(raw, scratch))
            },
            |tile, packed: Vec<u8>| {
                let variable = &variables[tile.variable];
                variable.place(output, &mut placer, tile, &packed)?;
                stored[tile.variable] += packed.len() as u64;
                progress.advance(variable.valid_bytes(tile.number));
                Ok(())
            },
        );
        outcome
            .and_then(|()| placer.flush())
            .map_err(|error| roomier(error.in_file(&self.target)))?;
        for (variable, bytes) in self.variables.iter_mut().zip(stored) {
            variable.written.stored_bytes += bytes;
        }
        Ok(())
    }

    /// The chunk grid of a variable.
    pub(crate) fn grid(&self, variable: usize) -> &ChunkGrid {
        &self.variables[variable].grid
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(self) -> Result<Written> {
        let target = self.target;
        self.output
            .finish(None)
            .map_err(|error| roomier(from_container(error, &target)))?;
        let notices = self.pending.commit(false)?;
        let metadata = target
            .metadata()
            .map_err(|error| Error::io(&error, "inspect", &target))?;
        Ok(Written {
            variables: self.variables.into_iter().map(|v| v.written).collect(),
            file_bytes: metadata.len(),
            notices,
        })
    }
}

impl Variable {
    /// The bytes of one chunk as they are stored.
    fn pack(&self, raw: Vec<u8>, scratch: &mut Scratch) -> Result<Vec<u8>> {
        match &self.place {
            Place::Contiguous(_) => Ok(raw),
            Place::Chunked(encoder) => encoder
                .encode(&raw, scratch)
                .map_err(|error| Error::new(error.code(), error.to_string())),
        }
    }

    /// Places the stored bytes of one chunk.
    fn place(
        &self,
        output: &Hdf5Output,
        placer: &mut Placer<'_>,
        tile: Tile,
        packed: &[u8],
    ) -> Result<()> {
        match &self.place {
            Place::Contiguous(address) => placer.write(*address, packed),
            Place::Chunked(_) => {
                let offset = self.grid.offset(tile.number);
                placer.chunk(output, tile.variable, &offset, 0, packed)
            }
        }
    }

    fn task_bytes(&self, work_bytes: u64) -> u64 {
        let raw = (self.grid.chunk_elements())
            .saturating_mul(work_bytes.saturating_add(self.element_bytes as u64));
        let encoded = match &self.place {
            Place::Contiguous(_) => 0,
            Place::Chunked(encoder) => encoder.encode_bound() as u64,
        };
        raw.saturating_add(encoded)
    }

    fn valid_bytes(&self, number: u64) -> u64 {
        let elements = self.grid.valid_box(number).elements().unwrap_or(0);
        elements.saturating_mul(self.element_bytes as u64)
    }
}

/// Allocates or binds what writing variable `i` needs; its path is left open.
fn bind(
    output: &Hdf5Output,
    i: usize,
    shape: &[u64],
    number: NumberType,
    layout: &Layout,
) -> Result<Variable> {
    let too_large = || Error::new(ErrorCode::Unsupported, "has more bytes than can be counted");
    let element_bytes = number.size_bytes();
    let raw_bytes = raw_bytes(shape, number).ok_or_else(too_large)?;
    let extents = layout.chunk.as_deref().unwrap_or(shape);
    let grid = ChunkGrid::new(shape, extents).ok_or_else(too_large)?;
    let place = match &layout.chunk {
        None => Place::Contiguous(
            output
                .place_contiguous(i, raw_bytes)
                .map_err(|error| Error::new(error.code(), error.to_string()))?,
        ),
        Some(_) => {
            let chunk_bytes = usize::try_from(grid.chunk_elements())
                .ok()
                .and_then(|elements| elements.checked_mul(element_bytes))
                .ok_or_else(too_large)?;
            let encoder = BoundEncoder::bind(
                &layout.pipeline,
                layout.deflate_encoder,
                element_bytes,
                chunk_bytes,
            )
            .map_err(|error| Error::new(error.code(), error.to_string()))?;
            Place::Chunked(encoder)
        }
    };
    Ok(Variable {
        written: WrittenVariable {
            path: String::new(),
            element: number.name(),
            shape: shape.to_vec(),
            chunk: layout.chunk.clone(),
            filters: layout.pipeline.summary(),
            raw_bytes,
            stored_bytes: 0,
        },
        grid,
        element_bytes,
        place,
    })
}

/// Bytes of a whole variable; `None` on overflow.
pub(crate) fn raw_bytes(shape: &[u64], number: NumberType) -> Option<u64> {
    shape
        .iter()
        .try_fold(number.size_bytes() as u64, |n, &extent| {
            n.checked_mul(extent)
        })
}

/// Threads, memory and the user's request to stop, shared by all runs of one operation.
pub(crate) struct Limits<'a> {
    pub resources: &'a Resources,
    pub(crate) budget: MemoryBudget,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(resources: &'a Resources) -> Self {
        Self {
            resources,
            budget: MemoryBudget::new(resources.memory_bytes),
        }
    }

    /// Does the work of tasks that read nothing on threads, and has `take` take what came of it, in
    /// their order.
    pub(crate) fn run<M: Send, T: Send>(
        &self,
        tasks: impl Iterator<Item = Task<M>> + Send,
        work: impl Fn(&M, &mut Scratch) -> Result<T> + Sync,
        take: impl FnMut(M, T) -> Result<()>,
    ) -> Result<()> {
        let work = |meta: &M, _, scratch: &mut Scratch| work(meta, scratch);
        run::ordered(
            &[],
            tasks,
            (self.resources, &self.budget),
            work,
            take,
            |error| from_pipeline(error, |_, piece| format!("piece {piece}")),
        )
    }
}

/// Adds a cure to the error of a full disk.
fn roomier(error: Error) -> Error {
    match error.code {
        ErrorCode::NoSpace if error.cure.is_none() => {
            error.with_cure("free some space, or write to another disk")
        }
        _ => error,
    }
}
