//! How the values of an input are looked at before anything is decided.

use frazil_pipeline::{ArraySource, MemoryBudget};

use frazil_file::resources::Resources;
use frazil_file::sources::AccessPath;

/// Values of an input's variables, and the means to look at them.
#[derive(Clone, Copy)]
pub struct ReachableValues<'a> {
    /// How each variable can be reached.
    pub reaches: &'a [AccessPath],
    /// The sources that `reaches` refers to.
    pub sources: &'a [ArraySource],
    /// Threads and memory to use.
    pub resources: &'a Resources,
    /// Memory shared with what runs at the same time.
    pub budget: &'a MemoryBudget,
}
