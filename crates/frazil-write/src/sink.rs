//! Where packed chunks go: the trait, and the side of a writer that hands them there.
//!
//! A writer gets its sink when it is made, and nothing asks later which one it has: [`LocalSink`]
//! writes a file of its own, `RankSink` holds chunks until all ranks commit, and `ClientSink` has
//! none, since another rank packs.
//!
//! [`LocalSink`]: super::local::LocalSink

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil_pipeline::PipelineError;

use super::books::Counts;
use super::key::Key;
use super::pack::{Packed, PackedChunk, Step, StoredChunk};
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};

/// Takes packed chunks, and steps between them, in the order in which they were submitted.
pub(super) trait ChunkSink: Send {
    /// Takes a chunk.
    fn take_chunk(&mut self, chunk: PackedChunk) -> Result<()>;

    /// Takes a step in its turn.
    fn take_step(&mut self, step: Step) -> Result<()>;

    /// Takes note that a chunk of a variable cannot be packed. An error ends the work; else it
    /// hinders no other variable.
    fn take_failure(&mut self, _variable: VariableId, error: Error) -> Result<()> {
        Err(error)
    }

    /// What went wrong with one variable, and hindered no other.
    fn failure_of_one(&self) -> Option<Error> {
        None
    }

    /// Drops bytes that were not written yet: something failed.
    fn drop_unwritten(&mut self) {}

    /// The stored bytes of a chunk that it took; `None`: there is none.
    fn read(&mut self, key: &Key) -> Result<Option<StoredChunk>>;

    /// Whether chunks that readers know without them may be left out before they come here; else it
    /// decides that itself.
    fn lets_omit(&self) -> bool {
        false
    }

    /// Moves chunks from memory to a scratch file; `false`: there were none.
    fn spill(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Bytes that ever went to that file.
    fn spilled_bytes(&self) -> u64 {
        0
    }

    /// What is in the file so far.
    fn counts(&self) -> Counts;

    /// The file that packed bytes are written to.
    #[cfg(test)]
    fn data_file(&mut self) -> Option<&mut super::data_file::DataFile> {
        None
    }
}

/// A sink, and the first error of what it took; one thread at a time has it.
pub(super) struct Placing<S: ?Sized = dyn ChunkSink> {
    path: PathBuf,
    failure: Option<Error>,
    has_failed: Arc<AtomicBool>,
    pub(super) sink: S,
}

impl<S> Placing<S> {
    /// The sink of a writer of the file at `path`.
    pub(super) fn new(path: &Path, sink: S) -> Self {
        Self {
            path: path.to_owned(),
            failure: None,
            has_failed: Arc::default(),
            sink,
        }
    }

    /// The sink, unless something has failed.
    pub(super) fn sound(&mut self) -> Result<&mut S> {
        match &self.failure {
            Some(error) => Err(error.clone()),
            None => Ok(&mut self.sink),
        }
    }
}

impl<S: ChunkSink + ?Sized> Placing<S> {
    /// Set once the first error is there.
    pub(super) fn has_failed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_failed)
    }

    /// The first error, if there was one; nothing is placed after it.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    /// Takes what came of a job.
    pub(super) fn take(&mut self, outcome: std::result::Result<Result<Packed>, PipelineError>) {
        if self.failure.is_some() {
            return;
        }
        let packed = outcome
            .unwrap_or_else(|error| Err(Error::new(error.code(), error.to_string())))
            .and_then(|packed| match packed {
                Packed::Nothing => Ok(()),
                Packed::Failed(id, error) => self.sink.take_failure(id, error),
                Packed::Chunk(chunk) => self.sink.take_chunk(chunk),
                Packed::Step(step) => self.sink.take_step(step),
            });
        if let Err(error) = packed {
            self.fail(error);
        }
    }

    /// Makes an error last, unless there is one.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        let error = error.in_file(&self.path);
        self.sink.drop_unwritten();
        self.has_failed.store(true, Ordering::Release);
        self.failure.get_or_insert(error).clone()
    }

    /// As [`Self::fail`]; the error comes in the place of an earlier one: all ranks have this one.
    pub(super) fn fail_together(&mut self, error: Error) -> Error {
        self.failure = None;
        self.fail(error)
    }
}
