//! Ranks that write one file together, as one of them takes part.

use std::sync::Arc;

use frazil_types::sync::Mutex;

use super::super::cooperation::{Call, Cooperation, Indirect};
use super::super::errors::of_one_rank;
use super::super::options::WriterReport;
use super::super::partial::Begun;
use super::super::slab::Slab;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::io_ranks::{Done, Reply};
use super::link::Link;
use super::sink::RankChunks;
use super::wire::{Item, TextPut, encode};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// A rank's share in writing together.
pub(super) struct Ranks {
    chunks: RankChunks,
    pub(super) group: Mutex<RankGroup>,
}

/// What a rank needs for the calls that all make.
pub(super) struct RankGroup {
    pub(super) chunks: RankChunks,
    pub(super) link: Link,
    /// Texts put since the last commit.
    pub(super) texts: Vec<TextPut>,
    /// Of rank 0: those of all ranks, in the order of the ranks.
    pub(super) arrived_texts: Vec<TextPut>,
    /// Bytes that all ranks have put, as of the last commit.
    pub(super) raw_bytes: u64,
    pub(super) round_bytes: u64,
    /// Of an I/O rank: what one of its clients has defined, in words.
    pub(super) clients_items: Option<(usize, Vec<Item>)>,
}

impl Cooperation for Ranks {
    fn locate(&self, writer: &mut Writer, variable: &Variable) -> Result<()> {
        let mut placing = self.chunks.placing(&writer.submission);
        match placing.sound()?.books() {
            Some(books) => books.locate(variable).map(drop),
            // Rank 0 knows.
            None => Ok(()),
        }
    }

    fn put(
        &self,
        writer: &mut Writer,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        self.group.lock().link.note(&variable.path);
        writer.note_borders(variable, slab);
        writer.gather_put(variable, slab, bytes)
    }

    /// Rank 0 writes texts at the next commit.
    fn put_indirect(
        &self,
        _: &mut Writer,
        id: VariableId,
        slab: &Slab<'_>,
        values: Indirect<'_>,
    ) -> Result<()> {
        let Indirect::Texts(values) = values else {
            return Err(of_one_rank());
        };
        let put = TextPut::new(id, slab, values);
        self.group.lock().texts.push(put);
        Ok(())
    }

    /// A rank may have a small part of a chunk, and others the rest: values lie close, and are filled
    /// up at the commit.
    fn begin_chunk(
        &self,
        writer: &Writer,
        variable: &Variable,
        elements_put: u64,
        _: bool,
    ) -> Result<Begun> {
        let bytes = elements_put as usize * variable.element_bytes();
        Ok(Begun::Close(writer.buffers.take(bytes)))
    }

    fn call(&self, writer: &mut Writer, call: Call) -> Result<()> {
        let outcome = self.call_together(writer, call);
        outcome.map_err(|error| writer.submission.fail_together(error))
    }

    fn complete_report(&self, report: &mut WriterReport) {
        report.raw_bytes = self.group.lock().raw_bytes;
    }

    fn is_io_rank(&self) -> bool {
        !self.group.lock().link.clients().is_empty()
    }
}

impl Ranks {
    pub(super) fn new(chunks: RankChunks, link: Link, round_bytes: u64) -> Self {
        Self {
            chunks: chunks.clone(),
            group: Mutex::new(RankGroup {
                chunks,
                link,
                texts: Vec::new(),
                arrived_texts: Vec::new(),
                raw_bytes: 0,
                round_bytes,
                clients_items: None,
            }),
        }
    }

    /// Tells those that this rank writes for what came of a call.
    pub(super) fn tell_clients(
        &self,
        writer: &Writer,
        call: Call,
        outcome: &Result<()>,
    ) -> Result<()> {
        let (clients, raw_bytes) = {
            let team = self.group.lock();
            (team.link.clients(), team.raw_bytes)
        };
        if clients.is_empty() {
            return Ok(());
        }
        let message = outcome.clone().and_then(|()| {
            let variables = match call == Call::Close {
                true => writer.report()?.variables,
                false => Vec::new(),
            };
            encode(&Reply::Done(Done {
                counts: writer.submission.placing().sink.counts(),
                raw_bytes,
                omitted: writer.submission.omitted,
                variables,
            }))
        });
        let mut team = self.group.lock();
        for client in clients {
            team.link.hand_over(client, message.clone())?;
        }
        message.map(drop)
    }
}
