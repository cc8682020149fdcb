//! The placer: defines the output, gives packed chunks their addresses in order, commits.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil_container::classic::ClassicModel;
use frazil_container::hdf5::{Additions, LiveOutput, OutputStorage, Placement};
use frazil_pipeline::PipelineError;
use frazil_types::{ErrorCode, FileAddress};

use super::data_file::DataFile;
use super::pack::{Packed, PackedChunk, named};
use super::store::Key;
use crate::error::{Error, Result};
use crate::input::from_container;

/// The placing side of a writer; one thread at a time has it.
pub(super) struct Placing {
    path: PathBuf,
    model: ClassicModel,
    pub(super) file: DataFile,
    is_durable: bool,
    metadata_block_bytes: u64,
    /// Rewritten bytes of earlier commits that may wait in memory for the next one.
    pending_limit_bytes: u64,
    output: Option<LiveOutput>,
    /// Chunks that were packed before the output could be defined.
    waiting: Vec<PackedChunk>,
    places: HashMap<Key, Stored>,
    /// Shape that each dataset has.
    shapes: Vec<Vec<u64>>,
    failure: Option<Error>,
    has_failed: Arc<AtomicBool>,
    has_commit: bool,
    pub(super) counts: Counts,
}

/// Where a chunk's bytes are.
#[derive(Debug, Clone, Copy)]
struct Stored {
    address: FileAddress,
    bytes: usize,
}

/// What was placed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Chunks placed, whether again or for the first time.
    pub(super) chunks: u64,
    /// Of those, chunks whose packed bytes had served before.
    pub(super) reused: u64,
    /// Bytes of all chunks in the file now.
    pub(super) stored_bytes: u64,
}

/// How a [`Placing`] goes about it.
pub(super) struct PlacingOptions {
    pub(super) is_durable: bool,
    pub(super) metadata_block_bytes: u64,
    pub(super) pending_limit_bytes: u64,
}

impl Placing {
    /// A placer for the file at `path`, which exists and is empty.
    pub(super) fn new(
        path: &Path,
        model: ClassicModel,
        options: &PlacingOptions,
        has_failed: Arc<AtomicBool>,
    ) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: DataFile::open(path)?,
            is_durable: options.is_durable,
            metadata_block_bytes: options.metadata_block_bytes,
            pending_limit_bytes: options.pending_limit_bytes,
            output: None,
            waiting: Vec::new(),
            places: HashMap::new(),
            shapes: model.variables.iter().map(|v| model.shape(v)).collect(),
            failure: None,
            has_failed,
            has_commit: false,
            counts: Counts::default(),
            model,
        })
    }

    /// The first error, if there was one; nothing is placed after it.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    /// Whether readers can open the file.
    pub(super) fn has_commit(&self) -> bool {
        self.has_commit
    }

    /// Takes what came of a job.
    pub(super) fn take(&mut self, outcome: std::result::Result<Result<Packed>, PipelineError>) {
        if self.failure.is_some() {
            return;
        }
        let packed = outcome
            .unwrap_or_else(|error| Err(Error::new(error.code(), error.to_string())))
            .and_then(|packed| self.place(packed));
        if let Err(error) = packed {
            self.fail(error);
        }
    }

    pub(super) fn fail(&mut self, error: Error) -> Error {
        let error = error.in_file(&self.path);
        self.waiting.clear();
        self.has_failed.store(true, Ordering::Release);
        self.failure.get_or_insert(error).clone()
    }

    fn place(&mut self, packed: Packed) -> Result<()> {
        match packed {
            Packed::Nothing => Ok(()),
            Packed::Chunk(chunk) if self.output.is_none() => {
                self.waiting.push(chunk);
                Ok(())
            }
            Packed::Chunk(chunk) => self.place_chunk(&chunk),
            Packed::Define(storage) => {
                self.define(&storage)?;
                let waiting = std::mem::take(&mut self.waiting);
                waiting
                    .into_iter()
                    .try_for_each(|chunk| self.place_chunk(&chunk))
            }
        }
    }

    fn define(&mut self, storage: &[OutputStorage]) -> Result<()> {
        let output = LiveOutput::create(
            &self.path,
            &self.model,
            false,
            storage,
            &Additions::default(),
            self.metadata_block_bytes,
        );
        self.output = Some(output.map_err(|error| from_container(error, &self.path))?);
        Ok(())
    }

    fn place_chunk(&mut self, chunk: &PackedChunk) -> Result<()> {
        let outcome = self.place_in(chunk);
        outcome.map_err(|error| named(error, &chunk.place))
    }

    fn place_in(&mut self, chunk: &PackedChunk) -> Result<()> {
        let wrap = |error| from_container(error, &self.path);
        let output = self.output.as_ref().ok_or_else(undefined)?;
        let place = &chunk.place;
        let number = place.variable.number;
        if place.variable.is_contiguous {
            let outcome = output.write_values(number, None, &chunk.bytes);
            outcome.map_err(wrap)?;
            self.note(chunk, 0);
            return self.limit_pending();
        }
        extend(output, number, &mut self.shapes[number], &place.shape).map_err(wrap)?;
        let placed = output.place_chunk(number, &place.offset, 0, &chunk.bytes);
        let placement = placed.map_err(wrap)?;
        if let Placement::WriteAt(address) = placement {
            let outcome = self.file.write(&chunk.bytes, address);
            outcome.map_err(|error| Error::io(&error, "write", &self.path))?;
        }
        self.note(chunk, placement.address());
        self.limit_pending()
    }

    fn note(&mut self, chunk: &PackedChunk, address: FileAddress) {
        let key = Key {
            variable: chunk.place.variable.number,
            offset: chunk.place.offset.clone(),
        };
        let bytes = chunk.bytes.len();
        let before = self.places.insert(key, Stored { address, bytes });
        self.counts.chunks += 1;
        self.counts.reused += u64::from(chunk.is_reused);
        self.counts.stored_bytes += bytes as u64;
        self.counts.stored_bytes -= before.map_or(0, |stored| stored.bytes as u64);
    }

    /// Rewritten bytes wait in memory for a commit: many of them bring it about.
    fn limit_pending(&mut self) -> Result<()> {
        let pending = self.output.as_ref().map_or(0, LiveOutput::pending_bytes);
        if pending > self.pending_limit_bytes {
            self.commit_now()?;
        }
        Ok(())
    }

    /// The stored bytes of a chunk that was placed; `None`: it was not.
    pub(super) fn read(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        let (Some(stored), Some(output)) = (self.places.get(key), &self.output) else {
            return Ok(None);
        };
        let mut bytes = vec![0; stored.bytes];
        let outcome = output.read(stored.address, &mut bytes);
        outcome.map_err(|error| from_container(error, &self.path))?;
        Ok(Some(bytes))
    }

    /// Brings all datasets to these shapes and makes everything placed the file's state.
    pub(super) fn commit(&mut self, shapes: &[Vec<u64>]) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let outcome = self.extend_all(shapes).and_then(|()| self.commit_now());
        outcome.map_err(|error| self.fail(error))
    }

    fn extend_all(&mut self, shapes: &[Vec<u64>]) -> Result<()> {
        let output = self.output.as_ref().ok_or_else(undefined)?;
        for (number, shape) in shapes.iter().enumerate() {
            extend(output, number, &mut self.shapes[number], shape)
                .map_err(|error| from_container(error, &self.path))?;
        }
        Ok(())
    }

    fn commit_now(&mut self) -> Result<()> {
        let output = self.output.as_ref().ok_or_else(undefined)?;
        let outcome = output.commit(self.is_durable);
        outcome.map_err(|error| from_container(error, &self.path))?;
        self.has_commit = true;
        Ok(())
    }

    /// As [`Self::commit`], and closes the file.
    pub(super) fn finish(&mut self, shapes: &[Vec<u64>]) -> Result<()> {
        self.commit(shapes)?;
        let output = self.output.take().ok_or_else(undefined)?;
        let outcome = output.finish(self.is_durable);
        outcome.map_err(|error| self.fail(from_container(error, &self.path)))
    }
}

/// Lets a dataset grow to `wanted` along each axis where it is shorter.
fn extend(
    output: &LiveOutput,
    dataset: usize,
    shape: &mut [u64],
    wanted: &[u64],
) -> frazil_container::Result<()> {
    if shape.iter().zip(wanted).all(|(now, want)| now >= want) {
        return Ok(());
    }
    for (now, &want) in shape.iter_mut().zip(wanted) {
        *now = want.max(*now);
    }
    output.extend(dataset, shape)
}

fn undefined() -> Error {
    Error::new(ErrorCode::Internal, "the output is not defined yet")
}
