//! Which variables can be analysed, and the sources of their values.

use frazil_codec::Scratch;
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Task};
use frazil_types::{ByteOrder, ElementClass};

use super::Wanted;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::InputRun;
use frazil_file::sources::{self, Access, Stored};

/// The values of a variable, little-endian.
pub(super) struct Values {
    pub(super) source: ArraySource,
    /// Which chunks of it exist.
    pub(super) stored: Stored,
}

impl Values {
    /// What stands where nothing was written, if there is such a place. It is no data: values equal to
    /// it take no part, so that space that was never written need not be looked at.
    pub(super) fn unwritten(&self) -> Option<f64> {
        let Stored::Records(records) = &self.stored else {
            return None;
        };
        if records.len() as u64 == self.source.grid.chunk_count() {
            return None;
        }
        let fill = self.source.fill.as_slice();
        match fill.len() {
            4 => fill
                .try_into()
                .ok()
                .map(|fill| f64::from(f32::from_le_bytes(fill))),
            _ => fill.try_into().ok().map(f64::from_le_bytes),
        }
    }
}

/// What can be done about a variable.
pub(super) enum Prepared {
    Ready(Box<Values>),
    /// Nothing, and why.
    Obstacle(String),
}

/// What both passes share.
pub(super) struct Work<'a> {
    pub(super) input: &'a Input,
    /// The variables to analyse, in the order of the sources.
    pub(super) wanted: &'a [Wanted],
    pub(super) resources: &'a Resources,
    pub(super) budget: &'a MemoryBudget,
}

impl Work<'_> {
    pub(super) fn shape(&self, number: usize) -> &[u64] {
        &self.input.variables()[self.wanted[number].variable].shape
    }

    pub(super) fn element_bytes(&self, number: usize) -> usize {
        self.input.variables()[self.wanted[number].variable]
            .element
            .size_bytes
    }

    /// Does the work of all tasks on threads, and has `take` take what came of it, in their order.
    pub(super) fn run<M: Send, T: Send>(
        &self,
        sources: &[ArraySource],
        tasks: impl Iterator<Item = Task<M>> + Send,
        work: impl Fn(&M, Vec<Block>, &mut Scratch) -> Result<T> + Sync,
        take: impl FnMut(M, T) -> Result<()>,
    ) -> Result<()> {
        let run = InputRun {
            input: self.input,
            sources,
            resources: self.resources,
            budget: self.budget,
        };
        let owner = |source: usize| self.wanted.get(source).map(|one| one.variable);
        run.run(tasks, owner, work, take)
    }
}

/// Finds out how the values of a variable can be read.
pub(super) fn prepare(input: &Input, wanted: &Wanted) -> Result<Prepared> {
    let variable = &input.variables()[wanted.variable];
    let obstacle = |words: &str| Ok(Prepared::Obstacle(words.to_owned()));
    if variable.element.class != ElementClass::Float {
        return Ok(Prepared::Obstacle(variable.element.name()));
    }
    if !matches!(variable.element.size_bytes, 4 | 8) {
        return Ok(Prepared::Obstacle(format!(
            "{}; only float32 and float64 are understood",
            variable.element.name()
        )));
    }
    if variable.shape.iter().all(|&n| n == 1) {
        return obstacle("a single value");
    }
    let ready = |mut source: ArraySource, stored| {
        if variable.element.order == ByteOrder::Big {
            source.byte_swap = Some(source.element_bytes);
            source.fill.reverse();
        }
        Ok(Prepared::Ready(Box::new(Values { source, stored })))
    };
    match sources::access(input, wanted.variable, None)? {
        Access::Parallel(_, Stored::Records(records)) if records.is_empty() => {
            obstacle("no values were written")
        }
        Access::Apart(source) => ready(source, Stored::All),
        Access::Parallel(source, stored) => ready(source, stored),
        Access::Nothing => obstacle("no values were written"),
        Access::Library | Access::Indirect(..) | Access::Elsewhere(_) => {
            obstacle("stored so that only libhdf5 can read it")
        }
        Access::Undecodable(_, _, missing) => {
            Ok(Prepared::Obstacle(sources::missing_filter_text(&missing)))
        }
    }
}
