//! What all parallel runs of the facade share: thread counts, and errors in a user's words.

use std::sync::atomic::Ordering;

use frazil_codec::Scratch;
use frazil_pipeline::{
    ArraySource, Block, MemoryBudget, PipelineError, RunOptions, Task, run_ordered,
};
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::pipeline_error::from_pipeline;
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
            explain(error, self.input, self.sources, owner)
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
) -> Error {
    let source = error.source_index();
    let is_memory = error.code() == ErrorCode::MemoryBudget;
    let explained = from_pipeline(error, |source, chunk| place(sources, source, chunk));
    let named = explained.in_file(input.path());
    let named = match source.and_then(owner) {
        Some(i) => named.at_variable(&input.variables()[i].path),
        None => named,
    };
    match is_memory {
        true => named.with_cure("raise --memory, or choose smaller chunks with --chunks"),
        false => named,
    }
}

/// Names a chunk by its first element.
fn place(sources: &[ArraySource], source: usize, chunk: u64) -> String {
    match sources.get(source) {
        Some(array) => format!("the chunk at {:?}", array.grid.offset(chunk)),
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
