//! What all parallel runs of the facade share: thread counts, and errors in a user's words.

use std::sync::atomic::Ordering;

use frazil_codec::Scratch;
use frazil_pipeline::{
    ArraySource, Block, MemoryBudget, PipelineError, RunOptions, Task, run_ordered,
};
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::resources::Resources;
pub use crate::resources::{room_for, threads};

/// Stops where the user asked to.
///
/// # Errors
/// [`ErrorCode::Interrupted`] once the user asked to stop.
pub fn check_cancel(resources: &Resources) -> Result<()> {
    if resources.cancel.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorCode::Interrupted, "interrupted"));
    }
    Ok(())
}

/// The values of one input in a parallel run, and its limits.
#[derive(Debug, Clone, Copy)]
pub struct InputRun<'a> {
    /// The file that the sources are of.
    pub input: &'a Input,
    /// What tasks read from.
    pub sources: &'a [ArraySource],
    /// Threads, and when to stop.
    pub resources: &'a Resources,
    /// Where the memory comes from.
    pub budget: &'a MemoryBudget,
}

impl InputRun<'_> {
    /// Does the work of all tasks on threads, and has `take` take what came of it, in their order.
    ///
    /// `owner` gives the variable behind a source's number.
    ///
    /// # Errors
    /// The first error of `work`, of `take` or of reading; it names the file.
    pub fn run<M: Send, T: Send>(
        self,
        tasks: impl Iterator<Item = Task<M>> + Send,
        owner: impl Fn(usize) -> Option<usize>,
        work: impl Fn(&M, Vec<Block>, &mut Scratch) -> Result<T> + Sync,
        take: impl FnMut(M, T) -> Result<()>,
    ) -> Result<()> {
        let limits = (self.resources, self.budget);
        ordered(self.sources, tasks, limits, work, take, |error| {
            explain(error, self.input, self.sources, owner, self.resources)
        })
        .map_err(|error| error.in_file(self.input.path()))
    }
}

/// Does the work of all tasks on threads, and has `take` take what came of it, in their order;
/// `explain` puts an error of the run itself into a user's words.
///
/// # Errors
/// The first error of `work`, of `take` or of the run.
pub fn ordered<M: Send, T: Send>(
    sources: &[ArraySource],
    tasks: impl Iterator<Item = Task<M>> + Send,
    (resources, budget): (&Resources, &MemoryBudget),
    work: impl Fn(&M, Vec<Block>, &mut Scratch) -> Result<T> + Sync,
    mut take: impl FnMut(M, T) -> Result<()>,
    explain: impl FnOnce(PipelineError) -> Error,
) -> Result<()> {
    let options = RunOptions {
        threads: threads(resources),
        budget,
        cancel: &resources.cancel,
    };
    let outcome = run_ordered(
        sources,
        tasks,
        &options,
        |meta, blocks, scratch| work(meta, blocks, scratch).map_err(RunError::Facade),
        |meta, result| take(meta, result).map_err(RunError::Facade),
    );
    outcome.map(drop).map_err(|error| match error {
        RunError::Facade(error) => error,
        RunError::Pipeline(error) => explain(error),
    })
}

/// Puts a pipeline error into a user's words: file, variable, chunk, cause, cure.
///
/// `owner` gives the variable behind a source's number.
pub fn explain(
    error: PipelineError,
    input: &Input,
    sources: &[ArraySource],
    owner: impl Fn(usize) -> Option<usize>,
    resources: &Resources,
) -> Error {
    let code = error.code();
    let name = |error: Error, source: usize| {
        let error = error.in_file(input.path());
        match owner(source) {
            Some(i) => error.at_variable(&input.variables()[i].path),
            None => error,
        }
    };
    match error {
        PipelineError::Io {
            source_index,
            chunk,
            error,
        } => {
            let place = place(sources, source_index, chunk);
            let cause = if error.kind() == std::io::ErrorKind::UnexpectedEof {
                format!("the file ends before its values do ({place})")
            } else {
                format!("reading {place}: {error}")
            };
            let (code, cure) = Error::behind(&error).unwrap_or((code, None));
            let mut mapped = name(Error::new(code, cause), source_index);
            mapped.cure = cure;
            mapped
        }
        PipelineError::Decode {
            source_index,
            chunk,
            error,
        } => {
            let cause = format!("{}: {error}", place(sources, source_index, chunk));
            let mapped = name(Error::new(code, cause), source_index);
            if code == ErrorCode::Corrupt {
                mapped.with_cure("the file is damaged; copy it again from its source")
            } else {
                mapped
            }
        }
        PipelineError::ChunkTooLarge { needed_bytes, .. } => Error::new(
            code,
            format!(
                "one piece of work needs {} MiB of memory; {} MiB are allowed",
                needed_bytes.div_ceil(1 << 20),
                resources.memory_bytes >> 20
            ),
        )
        .in_file(input.path())
        .with_cure("raise --memory, or choose smaller chunks with --chunks"),
        PipelineError::Interrupted => {
            Error::new(ErrorCode::Interrupted, "interrupted").in_file(input.path())
        }
        other => Error::new(code, other.to_string()).in_file(input.path()),
    }
}

/// Names a chunk by its first element.
fn place(sources: &[ArraySource], source: usize, chunk: u64) -> String {
    match sources.get(source) {
        Some(array) => format!("chunk at {:?}", array.grid.offset(chunk)),
        None => format!("chunk {chunk}"),
    }
}

/// An error of a run: ours, or the pipeline's own.
enum RunError {
    /// Already in the facade's words.
    Facade(Error),
    /// Still to be explained.
    Pipeline(PipelineError),
}

impl From<PipelineError> for RunError {
    fn from(error: PipelineError) -> Self {
        Self::Pipeline(error)
    }
}
