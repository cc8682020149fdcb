//! Work on values of an input's variables, in parallel, while their chunks and filters are decided.

use frazil_codec::Scratch;
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Task};

use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::InputRun;
use frazil_file::sources::AccessPath;

/// What such a run needs of its surroundings.
#[derive(Clone, Copy)]
pub(crate) struct SampleRun<'a> {
    pub input: &'a Input,
    pub reaches: &'a [AccessPath],
    pub resources: &'a Resources,
    pub budget: &'a MemoryBudget,
}

impl SampleRun<'_> {
    /// Does the work of all tasks, which are about the variables that `variable_of` names, and hands on what came of
    /// it in their order.
    ///
    /// # Errors
    /// If values cannot be read or the work fails; the error names file and variable.
    pub(crate) fn run<M: Send, T: Send>(
        self,
        sources: &[ArraySource],
        tasks: Vec<Task<M>>,
        variable_of: impl Fn(&M) -> usize + Sync,
        work: impl Fn(&M, Vec<Block>, &mut Scratch) -> Result<T> + Sync,
        mut done: impl FnMut(M, T),
    ) -> Result<()> {
        let run = InputRun {
            input: self.input,
            sources,
            resources: self.resources,
            budget: self.budget,
        };
        run.run(
            tasks.into_iter(),
            |source| owner_of(source, self.reaches),
            |meta, blocks, scratch| {
                work(meta, blocks, scratch).map_err(|error| {
                    let variable = &self.input.variables()[variable_of(meta)];
                    error.at_variable(&variable.path)
                })
            },
            |meta, result| {
                done(meta, result);
                Ok(())
            },
        )
    }
}

fn owner_of(source: usize, reaches: &[AccessPath]) -> Option<usize> {
    reaches.iter().position(|reach| match reach {
        AccessPath::Parallel(number, _) | AccessPath::Undecodable(number, _, _) => {
            *number == source
        }
        AccessPath::Library | AccessPath::Nothing => false,
    })
}
