//! Messages from one rank to another: how they are marked and cut, sent, and taken in.
//!
//! Long messages between ranks on one machine lie in memory that these share ([`Node`]), and only
//! their place goes through the [`Comm`], as all other messages do.

use std::collections::VecDeque;
use std::time::Instant;

use frazil_types::ErrorCode;

use super::super::arrived::Message;
use super::super::comm::{Comm, CommError};
use super::super::node::{Node, Offered, Place};
use super::super::wire::{Failure, broken, decode};
use frazil_file::error::{Error, Result};

/// Longest message of a [`Comm`]; longer ones are cut.
const PART_BYTES: usize = 64 << 20;

/// What a message is: its last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the sender is doing.
    Note = 0,
    /// The sender's writer is no more; the body says which rank was the first to give up.
    Gone = 1,
    Body = 2,
    /// Why there is no body.
    Failure = 3,
}

impl Kind {
    /// Added to the byte: the message lies in shared memory, and this says where.
    const ELSEWHERE: u8 = 128;

    /// The kind, and whether the message lies elsewhere.
    fn from_byte(byte: u8) -> (Self, bool) {
        let kind = match byte & !Self::ELSEWHERE {
            0 => Self::Note,
            1 => Self::Gone,
            3 => Self::Failure,
            _ => Self::Body,
        };
        (kind, byte & Self::ELSEWHERE != 0)
    }
}

/// What has arrived from a rank, to be taken by whoever waits for it.
pub(super) enum Mail {
    Body(Message),
    Failure(Failure),
    /// The rank's writer is no more, since this one gave up.
    Gone(usize),
}

/// What is known of another rank.
pub(super) struct Peer {
    inbox: VecDeque<Mail>,
    /// The message whose parts are arriving.
    partial: Vec<u8>,
    /// What it said last that it does.
    pub(super) note: String,
    /// When anything came from it last.
    pub(super) heard: Instant,
    /// Its writer is no more, since this rank gave up: itself, or one that it heard of.
    gone: Option<usize>,
}

impl Peer {
    fn new() -> Self {
        Self {
            inbox: VecDeque::new(),
            partial: Vec::new(),
            note: "create".to_owned(),
            heard: Instant::now(),
            gone: None,
        }
    }

    /// Whether nothing of it waits to be taken.
    pub(super) fn is_silent(&self) -> bool {
        self.inbox.is_empty()
    }

    /// Adds a part of a message; the last one completes it, without its last byte.
    fn assemble(&mut self, mut part: Vec<u8>) -> Result<Option<(u8, Vec<u8>)>> {
        let is_last = part.pop().ok_or_else(|| broken("it is empty"))?;
        match self.partial.is_empty() {
            true => self.partial = part,
            false => self.partial.extend_from_slice(&part),
        }
        if is_last == 0 {
            return Ok(None);
        }
        let mut message = std::mem::take(&mut self.partial);
        let kind = message.pop().ok_or_else(|| broken("it has no kind"))?;
        Ok(Some((kind, message)))
    }

    fn deliver(&mut self, kind: Kind, message: Message) -> Result<()> {
        match kind {
            Kind::Note => {
                self.note = String::from_utf8_lossy(&message.into_bytes()?).into_owned();
            }
            Kind::Gone => {
                let first = decode(&message.into_bytes()?)?;
                self.gone = Some(first);
                self.inbox.push_back(Mail::Gone(first));
            }
            Kind::Failure => {
                let failure = decode(&message.into_bytes()?)?;
                self.inbox.push_back(Mail::Failure(failure));
            }
            Kind::Body => self.inbox.push_back(Mail::Body(message)),
        }
        Ok(())
    }
}

/// The way to all other ranks, by their numbers among all.
pub(super) struct Transport {
    comm: Box<dyn Comm>,
    /// Memory shared with other ranks.
    node: Option<Node>,
    /// All ranks.
    peers: Vec<Peer>,
}

impl Transport {
    pub(super) fn new(comm: Box<dyn Comm>) -> Self {
        Self {
            peers: (0..comm.size()).map(|_| Peer::new()).collect(),
            comm,
            node: None,
        }
    }

    /// The ranks do not end together.
    pub(super) fn part(&mut self) {
        self.comm.part();
    }

    /// This rank's number among all.
    pub(super) fn number(&self) -> usize {
        self.comm.rank()
    }

    /// All ranks.
    pub(super) fn size(&self) -> usize {
        self.peers.len()
    }

    pub(super) fn peer(&self, rank: usize) -> &Peer {
        &self.peers[rank]
    }

    /// The rank that was the first to give its writer up, as far as this one has heard.
    pub(super) fn first_gone(&self) -> Option<usize> {
        self.peers.iter().find_map(|peer| peer.gone)
    }

    /// The oldest message of a rank that was not taken.
    pub(super) fn take(&mut self, rank: usize) -> Option<Mail> {
        self.peers[rank].inbox.pop_front()
    }

    /// What this rank could share with those on its machine.
    pub(super) fn offered(&self) -> Option<Offered> {
        let has_others = self.comm.shares_memory() && self.comm.size() > 1;
        has_others.then(Offered::new).flatten()
    }

    /// From now on others may put messages into memory that they share with this rank.
    pub(super) fn open_memory(&mut self, node: Option<Node>) {
        self.node = node;
    }

    /// From now on this rank puts long messages there, too, or nobody does.
    pub(super) fn share_memory(&mut self, is_shared: bool) {
        match &mut self.node {
            Some(node) if is_shared => node.begin(),
            node => *node = None,
        }
    }

    // --- sending ---

    pub(super) fn send(&mut self, to: usize, kind: Kind, body: Vec<u8>) -> Result<()> {
        match self.send_on_node(to, kind, &[&body])? {
            true => Ok(()),
            false => self.send_by_comm(to, kind as u8, body),
        }
    }

    /// As [`Self::send`], of bytes that lie in pieces.
    pub(super) fn send_pieces(&mut self, to: usize, kind: Kind, pieces: &[&[u8]]) -> Result<()> {
        match self.send_on_node(to, kind, pieces)? {
            true => Ok(()),
            false => self.send_by_comm(to, kind as u8, pieces.concat()),
        }
    }

    /// Puts a long message where a rank on this machine can read it, and tells it where; `false`:
    /// it must go another way.
    fn send_on_node(&mut self, to: usize, kind: Kind, pieces: &[&[u8]]) -> Result<bool> {
        let Some(place) = self.node.as_mut().and_then(|node| node.put(to, pieces)) else {
            return Ok(false);
        };
        self.send_by_comm(to, kind as u8 | Kind::ELSEWHERE, place.to_bytes())?;
        Ok(true)
    }

    fn send_by_comm(&mut self, to: usize, kind: u8, mut body: Vec<u8>) -> Result<()> {
        if body.len() < PART_BYTES {
            // The usual case, and without a copy.
            body.extend([kind, 1]);
            return self.send_part(to, body);
        }
        for part in cut(&body, kind, PART_BYTES) {
            self.send_part(to, part)?;
        }
        Ok(())
    }

    /// Sends a part of a message; its last byte says whether it is the last one.
    fn send_part(&mut self, to: usize, part: Vec<u8>) -> Result<()> {
        (self.comm.send(to, part)).map_err(|error| unreachable(&error))
    }

    // --- taking in ---

    /// Carries on what was sent; whether all of it has left.
    pub(super) fn progress(&mut self) -> Result<bool> {
        self.comm.progress().map_err(|error| unreachable(&error))
    }

    /// Takes in what has arrived; whether everything that was sent has left.
    pub(super) fn poll(&mut self) -> Result<bool> {
        let has_sent = self.progress()?;
        while let Some((rank, part)) = self.comm.receive().map_err(|error| unreachable(&error))? {
            self.take_in(rank, part)?;
        }
        Ok(has_sent)
    }

    /// Takes in a part of a message.
    fn take_in(&mut self, rank: usize, part: Vec<u8>) -> Result<()> {
        let peer = self.peers.get_mut(rank);
        let peer = peer.ok_or_else(|| broken("it comes from no rank"))?;
        peer.heard = Instant::now();
        let Some((byte, message)) = peer.assemble(part)? else {
            return Ok(());
        };
        let (kind, is_elsewhere) = Kind::from_byte(byte);
        let message = match is_elsewhere {
            false => Message::Own(message),
            true => (self.node.as_ref().zip(Place::from_bytes(&message)))
                .map(|(node, place)| Message::Shared(node.message(place)))
                .ok_or_else(|| broken("it lies nowhere"))?,
        };
        peer.deliver(kind, message)
    }
}

/// The parts of a message that is longer than a part may be; each says at its end whether it is the
/// last one.
fn cut(body: &[u8], kind: u8, longest: usize) -> impl Iterator<Item = Vec<u8>> {
    let whole = body.len() / longest;
    (0..=whole).map(move |number| {
        let rest = &body[number * longest..];
        match number == whole {
            true => [rest, &[kind, 1]].concat(),
            false => [&rest[..longest], &[0]].concat(),
        }
    })
}

fn unreachable(error: &CommError) -> Error {
    Error::new(
        ErrorCode::Io,
        format!("the other ranks cannot be reached: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_cut_comes_together_again() {
        let kind = Kind::Body as u8;
        for length in 0..=9_u8 {
            let body: Vec<u8> = (0..length).collect();
            let mut parts: Vec<Vec<u8>> = cut(&body, kind, 4).collect();
            assert!(parts.iter().all(|part| part.len() <= 4 + 2), "{parts:?}");
            let mut peer = Peer::new();
            let last = parts.pop().unwrap();
            for part in parts {
                assert_eq!(peer.assemble(part).unwrap(), None);
            }
            assert_eq!(peer.assemble(last).unwrap(), Some((kind, body)));
            assert!(peer.partial.is_empty());
        }
        assert!(Peer::new().assemble(Vec::new()).is_err());
        assert!(Peer::new().assemble(vec![1]).is_err());
    }
}
