//! The side of a rank that hands what it puts to an I/O rank.

use std::path::Path;
use std::sync::Arc;

use frazil_types::sync::Mutex;

use super::super::books::Counts;
use super::super::cooperation::{Call, Cooperation, Indirect};
use super::super::errors::{lost, of_one_rank};
use super::super::key::Key;
use super::super::options::{WriterReport, WriterVariable};
use super::super::pack::{PackedChunk, Step, StoredChunk};
use super::super::partial::Begun;
use super::super::sink::{ChunkSink, Placing};
use super::super::slab::Slab;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::agree::digest;
use super::io_ranks::{Coming, Reply, Request};
use super::link::Link;
use super::outbox::SendQueue;
use super::wire::{TextPut, decode};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// A rank that has no file, with the one that writes for it.
pub(super) struct IoRankClient {
    sink: Arc<Mutex<Placing<ClientSink>>>,
    client: Mutex<Client>,
}

/// What a client's file has, as far as it was told. Nothing is packed here.
#[derive(Default)]
struct ClientSink {
    counts: Counts,
}

/// What a rank knows of the one that writes for it.
struct Client {
    link: Link,
    io_rank: usize,
    outbox: SendQueue,
    /// Calls that the I/O rank has not answered yet.
    unanswered: usize,
    /// Whether this one tells it definitions in words, and of what digest it did so last.
    explains: Option<Option<u64>>,
    /// Bytes that all ranks have put, as of the last commit.
    raw_bytes: u64,
    /// How all variables lie, once the file is closed.
    variables: Vec<WriterVariable>,
}

impl ChunkSink for ClientSink {
    fn take_chunk(&mut self, _: PackedChunk) -> Result<()> {
        Err(lost())
    }

    fn take_step(&mut self, _: Step) -> Result<()> {
        // The other rank makes the same definitions.
        Ok(())
    }

    fn read(&mut self, _: &Key) -> Result<Option<StoredChunk>> {
        Ok(None)
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl Cooperation for IoRankClient {
    fn locate(&self, _: &mut Writer, _: &Variable) -> Result<()> {
        Ok(())
    }

    /// Tells of a block.
    fn state_block(&self, _: &mut Writer, id: VariableId, block: &Slab<'_>) -> Result<()> {
        let request = Request::Block {
            variable: id.0,
            start: block.start.to_vec(),
            count: block.count.to_vec(),
        };
        self.client.lock().add(&request, &[])
    }

    /// Hands a put on, in parts that messages hold. Values whose rounding follows from the whole put
    /// stay together.
    fn put(
        &self,
        writer: &mut Writer,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        let mut client = self.client.lock();
        client.link.note(&variable.path);
        writer.note_borders(variable, slab);
        self.look_for_replies(writer, &mut client)?;
        let most = match variable.is_rounded_by_call() {
            true => usize::MAX,
            false => usize::try_from(client.outbox.batch_bytes()).unwrap_or(usize::MAX),
        };
        slab.cut(bytes, most, &mut |slab, bytes| {
            let request = Request::Put {
                variable: variable.id.0,
                start: slab.start.to_vec(),
                count: slab.count.to_vec(),
                stride: slab.stride.map(<[u64]>::to_vec),
                bytes: bytes.len() as u64,
            };
            client.add(&request, bytes)
        })?;
        writer.grow(&variable.dimensions, slab);
        writer.raw_bytes += bytes.len() as u64;
        Ok(())
    }

    fn put_indirect(
        &self,
        writer: &mut Writer,
        id: VariableId,
        slab: &Slab<'_>,
        values: Indirect<'_>,
    ) -> Result<()> {
        let Indirect::Texts(values) = values else {
            return Err(of_one_rank());
        };
        let mut client = self.client.lock();
        self.look_for_replies(writer, &mut client)?;
        let put = TextPut::new(id, slab, values);
        client.add(&Request::Texts(put), &[])
    }

    fn begin_chunk(&self, _: &Writer, _: &Variable, _: u64, _: bool) -> Result<Begun> {
        Err(lost())
    }

    fn call(&self, writer: &mut Writer, call: Call) -> Result<()> {
        let outcome = self.pass_on_call(writer, call);
        outcome.map_err(|error| writer.submission.fail_together(error))
    }

    fn complete_report(&self, report: &mut WriterReport) {
        let client = self.client.lock();
        report.raw_bytes = client.raw_bytes;
        report.spilled_bytes += client.outbox.spilled_bytes();
        if !client.variables.is_empty() {
            report.variables.clone_from(&client.variables);
        }
    }
}

impl Client {
    /// Sends what may go on its way.
    fn send(&mut self) -> Result<()> {
        while let Some(message) = self.outbox.next()? {
            self.link.hand_over(self.io_rank, Ok(message))?;
        }
        Ok(())
    }

    fn add(&mut self, request: &Request, values: &[u8]) -> Result<()> {
        self.outbox.add(request, values)?;
        self.send()
    }

    /// What to tell of definitions with this digest.
    fn explain(&mut self, digest: u64) -> bool {
        match &mut self.explains {
            Some(last) => last.replace(digest) != Some(digest),
            None => false,
        }
    }
}

impl IoRankClient {
    /// A client of this rank, which is its first one or not. `window_bytes` of what it hands on may be
    /// under way.
    pub(super) fn new(
        output: &Path,
        link: Link,
        (io_rank, is_first): (usize, bool),
        window_bytes: u64,
        memory_bytes: u64,
    ) -> Self {
        let sink = Placing::new(output, ClientSink::default());
        Self {
            sink: Arc::new(Mutex::new(sink)),
            client: Mutex::new(Client {
                link,
                io_rank,
                outbox: SendQueue::new(output, window_bytes, memory_bytes),
                unanswered: 0,
                explains: is_first.then_some(None),
                raw_bytes: 0,
                variables: Vec::new(),
            }),
        }
    }

    /// What stands for the file here.
    pub(super) fn sink(&self) -> Arc<Mutex<Placing>> {
        Arc::clone(&self.sink) as _
    }

    /// A call that all ranks make: everything put before goes to the I/O rank, which then does what
    /// is to be done. Only the end waits for that.
    fn pass_on_call(&self, writer: &mut Writer, call: Call) -> Result<()> {
        let mut client = self.client.lock();
        let outcome = self.call_io_rank(writer, &mut client, call);
        if let Err(error) = &outcome {
            let io_rank = client.io_rank;
            // Best effort: who hears nothing waits its longest wait.
            let _ = client.link.hand_over(io_rank, Err(error.clone()));
        }
        outcome
    }

    fn call_io_rank(&self, writer: &mut Writer, client: &mut Client, call: Call) -> Result<()> {
        client.link.begin(call)?;
        let ready = writer.begin().and_then(|()| writer.settle_definitions());
        let ready = ready.and_then(|()| self.wait_for_answers(writer, client));
        let (agreement, _) = writer.agree(&mut client.link, call, Vec::new(), ready)?;
        writer.take_lengths(&agreement);
        let items = writer.items(false);
        let digest = digest(&items);
        client.raw_bytes = agreement.raw_bytes;
        let come = Request::Come(Coming {
            call,
            digest,
            items: client.explain(digest).then_some(items),
        });
        client.outbox.add(&come, &[])?;
        client.outbox.seal()?;
        client.unanswered += 1;
        self.empty_outbox(writer, client)?;
        if call == Call::Close {
            self.wait_for_answers(writer, client)?;
            return client.link.close();
        }
        Ok(())
    }

    // --- replies ---

    /// Takes in what the I/O rank has said; does not wait.
    fn look_for_replies(&self, writer: &mut Writer, client: &mut Client) -> Result<()> {
        client.link.poll()?;
        while let Some(reply) = client.link.arrived(client.io_rank)? {
            self.take_reply(writer, client, &reply)?;
        }
        client.send()
    }

    fn wait_for_reply(&self, writer: &mut Writer, client: &mut Client) -> Result<()> {
        let reply = client.link.take_from(client.io_rank)?;
        self.take_reply(writer, client, &reply)
    }

    fn take_reply(&self, writer: &mut Writer, client: &mut Client, reply: &[u8]) -> Result<()> {
        match decode(reply)? {
            Reply::Taken(bytes) => client.outbox.note_taken(bytes),
            Reply::Done(done) => {
                client.unanswered = client.unanswered.saturating_sub(1);
                client.variables = done.variables;
                client.raw_bytes = done.raw_bytes;
                writer.submission.omitted = done.omitted;
                self.sink.lock().sink.counts = done.counts;
            }
        }
        Ok(())
    }

    fn wait_for_answers(&self, writer: &mut Writer, client: &mut Client) -> Result<()> {
        while client.unanswered > 0 {
            self.wait_for_reply(writer, client)?;
        }
        Ok(())
    }

    /// Sends everything; waits where the I/O rank has no memory for it yet.
    fn empty_outbox(&self, writer: &mut Writer, client: &mut Client) -> Result<()> {
        loop {
            client.send()?;
            if client.outbox.is_sent() {
                return Ok(());
            }
            self.wait_for_reply(writer, client)?;
        }
    }
}
