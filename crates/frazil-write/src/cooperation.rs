//! With whom a writer writes its file: the trait that carries out what depends on that.
//!
//! A writer gets its cooperation when it is made, and nothing asks later which one it has:
//! [`Alone`] has the file to itself (and lets other processes pack for it), `Ranks` writes it
//! together with others, and `IoRankClient` hands everything to the rank that writes for it.

use std::sync::Arc;

use frazil_types::{ErrorCode, QuantizePlan};
use serde::{Deserialize, Serialize};

use super::alone::Alone;
use super::background::PackQueue;
use super::options::WriterReport;
use super::partial::Begun;
use super::slab::Slab;
use super::variable::{Filters, Variable};
use super::writer::Writer;
use frazil_container::elements::Elements;
use frazil_container::hdf5::TypeDescription;
use frazil_container::schema::{Text, VariableId};
use frazil_file::error::{Error, Result};

/// A call that ranks make together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Call {
    /// The file is made; no writer makes it later.
    Create,
    /// Definitions are compared, as far as there are others, and how variables lie is fixed.
    Define,
    /// Everything put so far becomes the file's state.
    Sync,
    /// The same at the end, and the file is closed.
    Close,
}

/// Elements that libhdf5 alone writes, because they point elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) enum Indirect<'a> {
    Texts(&'a [Text]),
    /// Of a type that the program has defined, with what they are in memory.
    Elements(&'a Elements, &'a TypeDescription),
}

/// What a writer does otherwise, by those it writes with. Defaults are those of ranks that write
/// together: they decide when they meet.
pub(super) trait Cooperation: Send + Sync {
    // --- definitions ---

    /// Says in the file how a variable is rounded that is about to get values.
    fn state_rounding(&self, _: &mut Writer, _: VariableId, _: &QuantizePlan) -> Result<()> {
        // Ranks do so when they meet, in the order of the definition.
        Ok(())
    }

    /// Fixes filters of a variable that are known without any trial.
    fn fix_filters(&self, queue: &mut PackQueue, variable: &Variable, filters: Filters) {
        // Ranks would find different encoders in their own values.
        queue.fix(variable.id.0, filters, true);
    }

    /// Looks where an existing file has the chunks of a variable.
    fn locate(&self, writer: &mut Writer, variable: &Variable) -> Result<()>;

    /// Notes a block that will be put.
    fn state_block(&self, writer: &mut Writer, id: VariableId, block: &Slab<'_>) -> Result<()> {
        writer.note_block(id, block);
        Ok(())
    }

    // --- puts ---

    /// Takes values that were looked at.
    fn put(
        &self,
        writer: &mut Writer,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()>;

    /// Takes texts that were looked at.
    fn put_indirect(
        &self,
        writer: &mut Writer,
        id: VariableId,
        slab: &Slab<'_>,
        values: Indirect<'_>,
    ) -> Result<()>;

    /// Memory for a chunk of which so many elements are about to be put; `is_full`: all that it has.
    fn begin_chunk(
        &self,
        writer: &Writer,
        variable: &Variable,
        elements_put: u64,
        is_full: bool,
    ) -> Result<Begun>;

    /// Whether a chunk of a variable is packed when it is complete; else it stays as it is.
    fn may_pack(&self, queue: &PackQueue, variable: &Variable) -> bool {
        // Ranks choose filters together, before anything is packed.
        variable.is_contiguous || queue.is_decided(variable.id.0)
    }

    /// Has a variable's filters chosen by the values of a chunk, if they are open.
    fn choose_by(&self, _: &mut PackQueue, _: &Arc<Variable>, _: &[u8]) {}

    // --- calls, errors and reports ---

    /// Makes a call. What goes wrong at a sync or close lasts.
    fn call(&self, writer: &mut Writer, call: Call) -> Result<()>;

    /// Whether after an error of this kind about one variable the others are still written.
    fn survives(&self, _: ErrorCode) -> bool {
        false
    }

    /// Adds to a report what this writer does not know by itself.
    fn complete_report(&self, _: &mut WriterReport) {}

    /// The writer's own file.
    ///
    /// # Errors
    /// With this cause, if others write it as well.
    fn alone(&self, cause: &str) -> Result<Alone> {
        Err(Error::new(ErrorCode::Unsupported, cause))
    }

    /// Whether other ranks write the same file.
    fn is_parallel(&self) -> bool {
        true
    }

    /// Whether this rank packs and writes for others.
    fn is_io_rank(&self) -> bool {
        false
    }
}
