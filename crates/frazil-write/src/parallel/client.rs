//! The side of a rank that hands what it puts to an I/O rank.

use std::path::Path;

use super::super::errors::lost;
use super::super::options::WriterVariable;
use super::super::slab::Slab;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::RankGroup;
use super::agree::digest;
use super::io_ranks::{Coming, Done, Reply, Request};
use super::outbox::SendQueue;
use super::wire::{Call, TextPut, decode, encode};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// What a rank knows of the one that writes for it.
pub(crate) struct Client {
    io_rank: usize,
    outbox: SendQueue,
    /// Calls that the I/O rank has not answered yet.
    unanswered: usize,
    /// Whether this one tells it definitions in words, and of what digest it did so last.
    explains: Option<Option<u64>>,
    /// How all variables lie, once the file is closed.
    variables: Vec<WriterVariable>,
}

impl Client {
    pub(super) fn new(
        output: &Path,
        io_rank: usize,
        is_first: bool,
        window_bytes: u64,
        memory_bytes: u64,
    ) -> Self {
        Self {
            io_rank,
            outbox: SendQueue::new(output, window_bytes, memory_bytes),
            unanswered: 0,
            explains: is_first.then_some(None),
            variables: Vec::new(),
        }
    }

    /// How all variables lie; nothing before the file is closed.
    pub(crate) fn variables(&self) -> &[WriterVariable] {
        &self.variables
    }

    /// Bytes that went to a scratch file.
    pub(crate) fn spilled_bytes(&self) -> u64 {
        self.outbox.spilled_bytes()
    }

    /// Sends what may go on its way.
    fn send(&mut self, team: &mut RankGroup) -> Result<()> {
        while let Some(message) = self.outbox.next()? {
            team.link.hand_over(self.io_rank, Ok(message))?;
        }
        Ok(())
    }

    fn add(&mut self, team: &mut RankGroup, request: &Request, values: &[u8]) -> Result<()> {
        self.outbox.add(request, values)?;
        self.send(team)
    }

    /// What to tell of definitions with this digest.
    fn explain(&mut self, digest: u64) -> bool {
        match &mut self.explains {
            Some(last) => last.replace(digest) != Some(digest),
            None => false,
        }
    }
}

impl Writer {
    /// Whether this rank packs and writes for others
    /// ([`WriterOptions::io_ranks`](super::super::WriterOptions::io_ranks)).
    #[must_use]
    pub fn is_io_rank(&self) -> bool {
        let team = self.team.as_ref();
        team.is_some_and(|team| !team.link.clients().is_empty())
    }

    /// Both sides of a client; they are there wherever it is asked for.
    fn as_client(&mut self) -> Result<(&mut Client, &mut RankGroup)> {
        let client = self.client.as_mut();
        client
            .zip(self.team.as_mut())
            .map(|(c, t)| (&mut **c, &mut **t))
            .ok_or_else(lost)
    }

    /// Hands a put on, in parts that messages hold. Values whose rounding follows from the whole put
    /// stay together.
    pub(crate) fn hand_on(
        &mut self,
        variable: &Variable,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        self.look_for_replies()?;
        let (client, team) = self.as_client()?;
        let most = match variable.is_rounded_by_call() {
            true => usize::MAX,
            false => usize::try_from(client.outbox.batch_bytes()).unwrap_or(usize::MAX),
        };
        parts(slab, bytes, most, &mut |slab, bytes| {
            let request = Request::Put {
                variable: variable.id.0,
                start: slab.start.to_vec(),
                count: slab.count.to_vec(),
                stride: slab.stride.map(<[u64]>::to_vec),
                bytes: bytes.len() as u64,
            };
            client.add(team, &request, bytes)
        })
    }

    /// Hands texts on.
    pub(super) fn hand_on_texts(&mut self, put: TextPut) -> Result<()> {
        self.look_for_replies()?;
        let (client, team) = self.as_client()?;
        client.add(team, &Request::Texts(put), &[])
    }

    /// Tells of a block.
    pub(super) fn hand_on_block(&mut self, id: VariableId, slab: &Slab<'_>) -> Result<()> {
        let (client, team) = self.as_client()?;
        let request = Request::Block {
            variable: id.0,
            start: slab.start.to_vec(),
            count: slab.count.to_vec(),
        };
        client.add(team, &request, &[])
    }

    /// A call that all ranks make: everything put before goes to the I/O rank, which then does what
    /// is to be done. Only the end waits for that.
    pub(super) fn pass_on_call(&mut self, call: Call) -> Result<()> {
        let outcome = self.call_io_rank(call);
        if let Err(error) = &outcome {
            let (client, team) = self.as_client()?;
            // Best effort: who hears nothing waits its longest wait.
            let _ = team.link.hand_over(client.io_rank, Err(error.clone()));
        }
        outcome
    }

    fn call_io_rank(&mut self, call: Call) -> Result<()> {
        let (_, team) = self.as_client()?;
        team.link.begin(call)?;
        let ready = self.begin().and_then(|()| self.settle_definitions());
        let ready = ready.and_then(|()| self.wait_for_answers());
        let agreement = self.with_own_team(|writer, team| writer.agree(team, call, ready))?;
        let dimensions = self.schema.dimensions.iter_mut();
        for (dimension, &length) in dimensions.zip(&agreement.lengths) {
            dimension.length = length;
        }
        let items = self.items(false);
        let digest = digest(&items);
        let (client, team) = self.as_client()?;
        team.raw_bytes = agreement.raw_bytes;
        let come = Request::Come(Coming {
            call,
            digest,
            items: client.explain(digest).then_some(items),
        });
        client.outbox.add(&come, &[])?;
        client.outbox.seal()?;
        client.unanswered += 1;
        self.empty_outbox()?;
        if call == Call::Close {
            self.wait_for_answers()?;
            let (_, team) = self.as_client()?;
            return team.link.close();
        }
        Ok(())
    }

    // --- replies ---

    /// Takes in what the I/O rank has said; does not wait.
    fn look_for_replies(&mut self) -> Result<()> {
        let (_, team) = self.as_client()?;
        team.link.poll()?;
        loop {
            let (client, team) = self.as_client()?;
            let Some(reply) = team.link.arrived(client.io_rank)? else {
                return client.send(team);
            };
            self.take_reply(&reply)?;
        }
    }

    fn wait_for_reply(&mut self) -> Result<()> {
        let (client, team) = self.as_client()?;
        let reply = team.link.take_from(client.io_rank)?;
        self.take_reply(&reply)
    }

    fn take_reply(&mut self, reply: &[u8]) -> Result<()> {
        let (client, team) = self.as_client()?;
        match decode(reply)? {
            Reply::Taken(bytes) => client.outbox.note_taken(bytes),
            Reply::Done(done) => {
                client.unanswered = client.unanswered.saturating_sub(1);
                client.variables = done.variables;
                team.raw_bytes = done.raw_bytes;
                self.submission.omitted = done.omitted;
                self.submission.placing().counts = done.counts;
            }
        }
        Ok(())
    }

    fn wait_for_answers(&mut self) -> Result<()> {
        while self.as_client()?.0.unanswered > 0 {
            self.wait_for_reply()?;
        }
        Ok(())
    }

    /// Sends everything; waits where the I/O rank has no memory for it yet.
    fn empty_outbox(&mut self) -> Result<()> {
        loop {
            let (client, team) = self.as_client()?;
            client.send(team)?;
            if client.outbox.is_sent() {
                return Ok(());
            }
            self.wait_for_reply()?;
        }
    }

    // --- the I/O rank's side of it ---

    /// Tells those that this rank writes for what came of a call.
    pub(super) fn tell_clients(&mut self, call: Call, outcome: &Result<()>) -> Result<()> {
        let Some(team) = self.team.as_ref().filter(|t| !t.link.clients().is_empty()) else {
            return Ok(());
        };
        let (clients, raw_bytes) = (team.link.clients(), team.raw_bytes);
        let message = outcome.clone().and_then(|()| {
            let is_end = call == Call::Close;
            let variables = match is_end {
                true => self.report()?.variables,
                false => Vec::new(),
            };
            encode(&Reply::Done(Done {
                counts: self.submission.placing().counts,
                raw_bytes,
                omitted: self.submission.omitted,
                variables,
            }))
        });
        let team = self.team.as_mut().ok_or_else(lost)?;
        for client in clients {
            team.link.hand_over(client, message.clone())?;
        }
        message.map(drop)
    }
}

/// Cuts a put along its outer axes into parts of at most `most` bytes, or one element.
fn parts(
    slab: &Slab<'_>,
    bytes: &[u8],
    most: usize,
    take: &mut impl FnMut(&Slab<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let outer = slab.count.iter().position(|&count| count > 1);
    let Some(axis) = outer.filter(|_| bytes.len() > most) else {
        return take(slab, bytes);
    };
    let rows = usize::try_from(slab.count[axis]).map_err(|_| lost())?;
    let row_bytes = bytes.len() / rows;
    let at_once = (most / row_bytes.max(1)).max(1);
    let (mut start, mut count) = (slab.start.to_vec(), slab.count.to_vec());
    for piece in bytes.chunks((at_once * row_bytes).max(1)) {
        count[axis] = (piece.len() / row_bytes) as u64;
        let part = Slab {
            start: &start,
            count: &count,
            stride: slab.stride,
        };
        parts(&part, piece, most, take)?;
        start[axis] += count[axis] * slab.stride(axis);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of the put comes once, in order, with its place.
    #[test]
    fn parts_are_the_put() {
        let count = [3, 1, 4, 5];
        let bytes: Vec<u8> = (0..60).collect();
        for most in [1, 2, 5, 9, 13, 20, 59, 60] {
            let stride = [2, 1, 3, 1];
            let slab = Slab {
                start: &[7, 0, 1, 2],
                count: &count,
                stride: Some(&stride),
            };
            let mut seen = Vec::new();
            parts(&slab, &bytes, most, &mut |part, bytes| {
                assert!(bytes.len() <= most && !bytes.is_empty());
                for (i, &byte) in bytes.iter().enumerate() {
                    let mut rest = i as u64;
                    let mut number = 0;
                    let mut step = 1;
                    for axis in (0..4).rev() {
                        let at = part.start[axis] + rest % part.count[axis] * stride[axis];
                        rest /= part.count[axis];
                        number += (at - slab.start[axis]) / stride[axis] * step;
                        step *= count[axis];
                    }
                    assert_eq!(number, u64::from(byte));
                    seen.push(byte);
                }
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, bytes);
        }
    }
}
