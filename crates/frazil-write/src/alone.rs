//! A writer that has its file to itself: chunks are placed as they come, filters chosen by the first
//! values.

use std::path::Path;
use std::sync::Arc;

use frazil_container::hdf5::{ExistingFile, Hyperslab, LiveOutput, OutputStorage};
use frazil_types::sync::{Mutex, MutexGuard};
use frazil_types::{ErrorCode, QuantizePlan};

use super::background::PackQueue;
use super::books::Books;
use super::cooperation::{Call, Cooperation, Indirect};
use super::local::LocalSink;
use super::options::WriterOptions;
use super::pack::concerns_one_variable;
use super::partial::Begun;
use super::shared::Division;
use super::sink::Placing;
use super::slab::Slab;
use super::variable::{Filters, Variable};
use super::writer::Writer;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// The file of a writer that has no others beside it.
#[derive(Clone)]
pub(super) struct Alone(Arc<Mutex<Placing<LocalSink>>>);

impl Cooperation for Alone {
    fn state_rounding(
        &self,
        writer: &mut Writer,
        id: VariableId,
        plan: &QuantizePlan,
    ) -> Result<()> {
        writer.state_rounding(id, plan)
    }

    fn fix_filters(&self, queue: &mut PackQueue, variable: &Variable, filters: Filters) {
        queue.fix(variable.id.0, filters, !variable.has_open_encoder());
    }

    fn locate(&self, writer: &mut Writer, variable: &Variable) -> Result<()> {
        let mut placing = self.placing(&writer.submission);
        placing.sound()?.flush()?;
        let keys = placing.sink.books.locate(variable)?;
        drop(placing);
        keys.into_iter()
            .for_each(|key| writer.submission.note_existing(key));
        Ok(())
    }

    fn put(
        &self,
        writer: &mut Writer,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        if writer.completes_records(&variable.dimensions, slab) {
            writer.commit(self, false)?;
        }
        // A commit may have cut the chunks anew.
        let variable = writer.active(variable.id)?;
        writer.gather_put(&variable, slab, bytes)
    }

    fn put_indirect(
        &self,
        writer: &mut Writer,
        id: VariableId,
        slab: &Slab<'_>,
        values: Indirect<'_>,
    ) -> Result<()> {
        let shape = writer.schema.shape_up_to(id, |axis| slab.end(axis));
        let storage = writer.indirect_storage(id);
        let queue = &writer.submission;
        let outcome = (self.prepare_indirect(queue, id, &shape, &storage)).and_then(|_| {
            self.with_file(queue, |output| {
                let place = Some(hyperslab(slab));
                match values {
                    Indirect::Texts(texts) => output.write_strings(id, place, texts),
                    Indirect::Elements(elements, native) => {
                        output.write_elements(id, place, native, elements)
                    }
                }
            })
        });
        writer.details[id.0].is_in_file = true;
        outcome.map_err(|error| {
            let path = writer.schema.variable_path(id);
            writer.submission.fail(error.at_variable(&path))
        })
    }

    fn begin_chunk(
        &self,
        writer: &Writer,
        variable: &Variable,
        _: u64,
        is_full: bool,
    ) -> Result<Begun> {
        let (buffers, bytes) = (&writer.buffers, variable.chunk_bytes);
        if is_full {
            return Ok(Begun::Zeros(buffers.filled(&[0], bytes)));
        }
        // A contiguous variable of an existing file is gathered as a whole.
        let is_there = variable.is_contiguous && writer.details[variable.id.0].existing.is_some();
        Ok(Begun::Filled(match is_there {
            true => self.read_values(&writer.submission, variable.id)?.into(),
            false => buffers.filled(&variable.fill, bytes / variable.element_bytes()),
        }))
    }

    fn may_pack(&self, _: &PackQueue, _: &Variable) -> bool {
        true
    }

    fn choose_by(&self, queue: &mut PackQueue, variable: &Arc<Variable>, values: &[u8]) {
        queue.choose_by(variable, values);
    }

    fn call(&self, writer: &mut Writer, call: Call) -> Result<()> {
        let outcome = match call {
            Call::Create => Ok(()),
            // An error is of the call, and nothing is lost.
            Call::Define => return writer.check_definitions(),
            Call::Sync => self.sync(writer),
            Call::Close => self.close(writer),
        };
        outcome.map_err(|error| writer.submission.fail(error))
    }

    fn survives(&self, code: ErrorCode) -> bool {
        concerns_one_variable(code)
    }

    fn alone(&self, _: &str) -> Result<Alone> {
        Ok(self.clone())
    }

    fn is_parallel(&self) -> bool {
        false
    }
}

impl Alone {
    /// A sink for an output that is new, or existed with these objects.
    pub(super) fn new(
        path: &Path,
        output: LiveOutput,
        existing: Option<&ExistingFile>,
        options: &WriterOptions,
    ) -> Result<Self> {
        let memory_bytes = Division::of(options.resources.memory_bytes).memory_bytes;
        let books = Books::new(path, output, existing, options.durable, memory_bytes);
        let placing = Placing::new(path, LocalSink::new(path, books)?);
        Ok(Self(Arc::new(Mutex::new(placing))))
    }

    /// What background threads hand packed chunks to.
    pub(super) fn sink(&self) -> Arc<Mutex<Placing>> {
        Arc::clone(&self.0) as _
    }

    /// The sink, once nothing is under way.
    pub(super) fn placing(&self, queue: &PackQueue) -> MutexGuard<'_, Placing<LocalSink>> {
        queue.wait_idle();
        self.0.lock()
    }

    fn sync(&self, writer: &mut Writer) -> Result<()> {
        writer.commit(self, false)?;
        writer.submission.wait_idle();
        writer.submission.check()
    }

    fn close(&self, writer: &mut Writer) -> Result<()> {
        writer.commit(self, true)?;
        let mut placing = self.placing(&writer.submission);
        placing.sound()?.books.finish()
    }

    /// Does something with the file, once everything is in it.
    pub(super) fn with_file<T>(
        &self,
        queue: &PackQueue,
        work: impl FnOnce(&LiveOutput) -> frazil_container::Result<T>,
    ) -> Result<T> {
        let mut placing = self.placing(queue);
        let sink = placing.sound()?;
        sink.flush()?;
        sink.books.with(work)
    }

    /// All values of a contiguous variable that are in the file.
    pub(super) fn read_values(&self, queue: &PackQueue, id: VariableId) -> Result<Vec<u8>> {
        self.with_file(queue, |output| output.read_values(id, None))
    }

    /// Makes the dataset of a variable whose elements point elsewhere, or lets it grow to `shape`; the shape that it has then.
    pub(super) fn prepare_indirect(
        &self,
        queue: &PackQueue,
        id: VariableId,
        shape: &[u64],
        storage: &OutputStorage,
    ) -> Result<Vec<u64>> {
        let mut placing = self.placing(queue);
        let shape = placing.sink.books.prepare_indirect(id, shape, storage)?;
        placing.sound().map(|_| shape)
    }
}

/// A slab in libhdf5's words.
pub(super) fn hyperslab<'a>(slab: &Slab<'a>) -> Hyperslab<'a> {
    Hyperslab {
        start: slab.start,
        count: slab.count,
        stride: slab.stride,
    }
}
