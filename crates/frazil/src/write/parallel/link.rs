//! Calls that all ranks make together, and the watch over them.
//!
//! Every collective step is one *consultation*: each rank sends rank 0 its share, rank 0 decides,
//! each rank gets its answer. A rank that failed says so in place of its share, and then all ranks
//! get that error; so no rank waits for one that has given up. Chunks are exchanged between ranks
//! directly.
//!
//! Where some ranks write for the others ([`super::io_ranks`]), both are groups of their own: those
//! of a group consult each other, and members are counted within it. What goes from group to group
//! is sent to, and taken from, ranks by their number among all.
//!
//! Long messages between ranks on one machine go through memory that these share ([`super::node`]).
//!
//! # The watch
//! Whoever waits for a rank gives up when nothing was heard of it for the longest wait. Rank 0
//! tells all others; its error names the ranks it waited for and what it heard of them last: ranks
//! tell rank 0 now and then which variable they put, and rank 0 tells those that wait for it that
//! it waits itself.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use frazil_types::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::comm::{Comm, CommError};
use super::letter::Letter;
use super::node::{Node, Offered, Place};
use super::wire::{Call, Failure, broken, decode, encode};
use crate::error::{Error, Result};

/// Longest message of a [`Comm`]; longer ones are cut.
const PART_BYTES: usize = 64 << 20;
/// Waiting ranks look for messages this often at first...
pub(super) const SHORTEST_NAP: Duration = Duration::from_micros(20);
/// ... and this often after a while.
const LONGEST_NAP: Duration = Duration::from_millis(2);
/// Ranks tell what they do at most this often.
const BETWEEN_NOTES: Duration = Duration::from_millis(200);
/// Rank 0 is what others wait for: they wait this much longer than it does, one part in so many.
const GRACE_SHARE: u32 = 4;

/// The first byte of a message.
mod kind {
    pub(super) const NOTE: u8 = 0;
    pub(super) const GONE: u8 = 1;
    pub(super) const BODY: u8 = 2;
    pub(super) const FAILURE: u8 = 3;
    /// Added to another one: the message lies in shared memory, and this says where.
    pub(super) const ELSEWHERE: u8 = 128;
}

/// What has arrived from a rank.
pub(super) enum Mail {
    Body(Letter),
    Failure(Failure),
    /// The rank's writer is no more.
    Gone,
}

/// What is known of another rank.
struct Peer {
    inbox: VecDeque<Mail>,
    /// The message whose parts are arriving.
    partial: Vec<u8>,
    note: String,
    heard: Instant,
    is_gone: bool,
}

/// The ranks that write one file, as one of them sees them.
pub(in crate::write) struct Link {
    comm: Box<dyn Comm>,
    /// Memory shared with other ranks.
    node: Option<Node>,
    /// All ranks.
    peers: Vec<Peer>,
    /// Those that this one consults, itself among them; the first of them decides.
    members: Range<usize>,
    /// Those of the other group that this one writes for.
    clients: Range<usize>,
    longest_wait: Duration,
    call: Call,
    noted: Option<(String, Instant)>,
    told: Instant,
    /// Why nothing can be done together any more.
    failure: Option<Error>,
    /// Whether a wait took too long: then nothing more is waited for.
    is_late: bool,
    is_closed: bool,
}

impl Link {
    pub(super) fn new(comm: Box<dyn Comm>, longest_wait: Duration) -> Self {
        let now = Instant::now();
        let peer = |_| Peer {
            inbox: VecDeque::new(),
            partial: Vec::new(),
            note: "create".to_owned(),
            heard: now,
            is_gone: false,
        };
        Self {
            peers: (0..comm.size()).map(peer).collect(),
            members: 0..comm.size(),
            clients: 0..0,
            comm,
            node: None,
            longest_wait,
            call: Call::Create,
            noted: None,
            told: now,
            failure: None,
            is_late: false,
            is_closed: false,
        }
    }

    /// This rank's number in its group.
    pub(super) fn rank(&self) -> usize {
        self.comm.rank() - self.members.start
    }

    /// Ranks of this rank's group.
    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    pub(super) fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// The number among all ranks of a member of this rank's group.
    pub(super) fn number(&self, member: usize) -> usize {
        self.members.start + member
    }

    /// This rank's number among all ranks.
    pub(super) fn own_number(&self) -> usize {
        self.comm.rank()
    }

    /// The ranks that this one writes for, by their numbers among all.
    pub(super) fn clients(&self) -> Range<usize> {
        self.clients.clone()
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

    /// From now on this rank consults these ranks only, and writes for those `clients`.
    pub(super) fn divide(&mut self, members: Range<usize>, clients: Range<usize>) {
        self.members = members;
        self.clients = clients;
    }

    /// Begins a call that all ranks make.
    ///
    /// # Errors
    /// The one that ended an earlier call.
    pub(super) fn begin(&mut self, call: Call) -> Result<()> {
        self.call = call;
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Every rank gives its share, rank 0 decides from all of them (in the order of the ranks), and
    /// every rank gets its answer.
    ///
    /// # Errors
    /// That of the lowest rank whose share is an error, else that of `decide`: the same on all
    /// ranks, and nothing can be done together after it. If ranks cannot be reached, or do not
    /// answer for too long.
    pub(super) fn consult<S, A>(
        &mut self,
        share: Result<S>,
        decide: impl FnOnce(&mut Self, Vec<S>) -> Result<Vec<A>>,
    ) -> Result<A>
    where
        S: Serialize + DeserializeOwned,
        A: Serialize + DeserializeOwned,
    {
        self.begin(self.call)?;
        let outcome = match self.is_root() {
            true => self.lead(share, decide),
            false => self.follow(share),
        };
        outcome.inspect_err(|error| self.failure = Some(error.clone()))
    }

    fn lead<S, A>(
        &mut self,
        share: Result<S>,
        decide: impl FnOnce(&mut Self, Vec<S>) -> Result<Vec<A>>,
    ) -> Result<A>
    where
        S: DeserializeOwned,
        A: Serialize,
    {
        let shares = self.collect(share);
        let answers = shares.and_then(|shares| decide(self, shares));
        let mut own = Err(broken("no answer for rank 0"));
        match answers {
            Ok(answers) => {
                for (member, answer) in answers.into_iter().enumerate() {
                    match member {
                        0 => own = Ok(answer),
                        _ => self.post(self.number(member), kind::BODY, encode(&answer)?)?,
                    }
                }
            }
            Err(error) => {
                let failure = Failure::on_rank(self.own_number(), &error);
                let bytes = encode(&failure)?;
                for member in 1..self.size() {
                    self.post(self.number(member), kind::FAILURE, bytes.clone())?;
                }
                own = Err(failure.into_error());
            }
        }
        own
    }

    /// All ranks' shares. An error of one of them comes only when all have come: so nothing that
    /// was sent is left lying.
    fn collect<S: DeserializeOwned>(&mut self, share: Result<S>) -> Result<Vec<S>> {
        let number = self.own_number();
        let own = share.map_err(|error| Failure::on_rank(number, &error).into_error());
        let mut shares = vec![own];
        for member in 1..self.size() {
            let rank = self.number(member);
            let mail = self.wait_for(rank)?;
            shares.push(self.read(rank, mail).and_then(|bytes| decode(&bytes)));
        }
        shares.into_iter().collect()
    }

    fn follow<S: Serialize, A: DeserializeOwned>(&mut self, share: Result<S>) -> Result<A> {
        let root = self.members.start;
        let share = share.and_then(|share| encode(&share));
        self.hand_over(root, share)?;
        let mail = self.wait_for(root)?;
        self.read(root, mail).and_then(|bytes| decode(&bytes))
    }

    /// Sends bytes, or why there are none, to a member of the group that waits for them.
    pub(super) fn hand(&mut self, to: usize, bytes: Result<Vec<u8>>) -> Result<()> {
        self.hand_over(self.number(to), bytes)
    }

    /// As [`Self::hand`], to a rank by its number among all.
    pub(super) fn hand_over(&mut self, to: usize, bytes: Result<Vec<u8>>) -> Result<()> {
        match bytes {
            Ok(bytes) => self.post(to, kind::BODY, bytes),
            Err(error) => {
                let failure = Failure::on_rank(self.own_number(), &error);
                self.post(to, kind::FAILURE, encode(&failure)?)
            }
        }
    }

    /// As [`Self::hand`]; the bytes are gone, and their memory stays if it is not needed.
    pub(super) fn hand_from(&mut self, to: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let to = self.number(to);
        if !self.post_on_node(to, kind::BODY, bytes)? {
            self.post_by_comm(to, kind::BODY, std::mem::take(bytes))?;
        }
        bytes.clear();
        Ok(())
    }

    /// Waits for what a member of the group hands to this one.
    pub(super) fn take(&mut self, from: usize) -> Result<Letter> {
        let from = self.number(from);
        let mail = self.wait_for(from)?;
        self.opened(from, mail)
    }

    /// As [`Self::take`], from a rank by its number among all.
    pub(super) fn take_from(&mut self, from: usize) -> Result<Vec<u8>> {
        let mail = self.wait_for(from)?;
        self.read(from, mail)
    }

    /// What has arrived from a rank, by its number among all; `None`: nothing that was not taken.
    ///
    /// # Errors
    /// What the rank sent in place of it; if the rank gave up.
    pub(super) fn arrived(&mut self, from: usize) -> Result<Option<Vec<u8>>> {
        let mail = self.peers[from].inbox.pop_front();
        mail.map(|mail| self.read(from, mail)).transpose()
    }

    /// Fails if any rank has given its writer up.
    pub(super) fn check_complete(&self) -> Result<()> {
        match self.peers.iter().position(|peer| peer.is_gone) {
            Some(rank) => self.opened(rank, Mail::Gone).map(drop),
            None => Ok(()),
        }
    }

    fn read(&self, rank: usize, mail: Mail) -> Result<Vec<u8>> {
        self.opened(rank, mail).and_then(Letter::into_bytes)
    }

    fn opened(&self, rank: usize, mail: Mail) -> Result<Letter> {
        match mail {
            Mail::Body(letter) => Ok(letter),
            Mail::Failure(failure) => Err(failure.into_error()),
            Mail::Gone => {
                let cause = format!(
                    "rank {rank} gave its writer up, while others call {}",
                    self.call.name()
                );
                Err(Error::new(ErrorCode::Interrupted, cause))
            }
        }
    }

    // --- waiting ---

    fn wait_for(&mut self, rank: usize) -> Result<Mail> {
        let began = Instant::now();
        let mut nap = SHORTEST_NAP;
        loop {
            let has_sent = self.poll()?;
            if let Some(mail) = self.peers[rank].inbox.pop_front() {
                return Ok(mail);
            }
            self.watch(rank, began)?;
            std::thread::sleep(nap);
            // MPI carries large messages on only when it is called, piece by piece, and the
            // receiver spins meanwhile.
            nap = match has_sent {
                true => (nap * 2).min(LONGEST_NAP),
                false => SHORTEST_NAP,
            };
        }
    }

    /// Ends a wait that takes too long.
    fn watch(&mut self, rank: usize, began: Instant) -> Result<()> {
        let mut limit = self.longest_wait;
        // Those wait for others themselves.
        if rank == self.members.start || !self.members.contains(&rank) {
            limit += limit / GRACE_SHARE;
        }
        let silent = self.peers[rank].heard.max(began).elapsed();
        if silent >= limit || self.is_late {
            self.is_late = true;
            return Err(self.late(rank, began));
        }
        if self.told.elapsed() > self.longest_wait / GRACE_SHARE {
            self.told = Instant::now();
            let note = format!("waiting for rank {rank} in {}", self.call.name());
            self.tell(&note)?;
        }
        Ok(())
    }

    /// Says what this rank does to those that wait for it.
    fn tell(&mut self, note: &str) -> Result<()> {
        let own = match self.is_root() {
            true => self.members.start + 1..self.members.end,
            false => self.members.start..self.members.start + 1,
        };
        for rank in own.chain(self.clients()) {
            self.post(rank, kind::NOTE, note.as_bytes().to_vec())?;
        }
        Ok(())
    }

    /// Which ranks are late, where they were last, and who waited.
    fn late(&self, rank: usize, began: Instant) -> Error {
        let missing = match self.is_root() && self.members.contains(&rank) {
            true => rank..self.members.end,
            false => rank..rank + 1,
        };
        let silent = |rank: &usize| self.peers[*rank].inbox.is_empty();
        let missing: Vec<String> = missing
            .filter(silent)
            .take(8)
            .map(|rank| {
                let peer = &self.peers[rank];
                let ago = peer.heard.elapsed().as_secs_f64();
                format!("rank {rank} (last heard of {ago:.1} s ago: {})", peer.note)
            })
            .collect();
        let cause = format!(
            "rank {} waited {:.1} s in {} for {}",
            self.own_number(),
            began.elapsed().as_secs_f64(),
            self.call.name(),
            missing.join(", ")
        );
        Error::new(ErrorCode::Interrupted, cause).with_cure(
            "every rank must make the calls that end definitions, sync and close; allow a longer \
             wait where that takes long",
        )
    }

    /// Takes in what has arrived; whether everything that was sent has left.
    pub(super) fn poll(&mut self) -> Result<bool> {
        let has_sent = (self.comm.progress()).map_err(|error| unreachable(&error))?;
        while let Some((rank, part)) = self.comm.receive().map_err(|error| unreachable(&error))? {
            self.take_in(rank, part)?;
        }
        Ok(has_sent)
    }

    /// Takes in a part of a message.
    fn take_in(&mut self, rank: usize, mut part: Vec<u8>) -> Result<()> {
        let peer = self.peers.get_mut(rank);
        let peer = peer.ok_or_else(|| broken("it comes from no rank"))?;
        peer.heard = Instant::now();
        let is_last = part.pop().ok_or_else(|| broken("it is empty"))?;
        match peer.partial.is_empty() {
            true => peer.partial = part,
            false => peer.partial.extend_from_slice(&part),
        }
        if is_last == 0 {
            return Ok(());
        }
        let mut message = std::mem::take(&mut peer.partial);
        let kind = message.pop().ok_or_else(|| broken("it has no kind"))?;
        let letter = match kind & kind::ELSEWHERE {
            0 => Letter::Own(message),
            _ => (self.node.as_ref().zip(Place::from_bytes(&message)))
                .map(|(node, place)| Letter::Shared(node.message(place)))
                .ok_or_else(|| broken("it lies nowhere"))?,
        };
        match kind & !kind::ELSEWHERE {
            kind::NOTE => peer.note = String::from_utf8_lossy(&letter.into_bytes()?).into_owned(),
            kind::GONE => {
                peer.is_gone = true;
                peer.inbox.push_back(Mail::Gone);
            }
            kind::FAILURE => {
                let failure = decode(&letter.into_bytes()?)?;
                peer.inbox.push_back(Mail::Failure(failure));
            }
            _ => peer.inbox.push_back(Mail::Body(letter)),
        }
        Ok(())
    }

    fn post(&mut self, to: usize, kind: u8, body: Vec<u8>) -> Result<()> {
        match self.post_on_node(to, kind, &body)? {
            true => Ok(()),
            false => self.post_by_comm(to, kind, body),
        }
    }

    /// Puts a long message where a rank on this machine can read it, and tells it where; `false`:
    /// it must go another way.
    fn post_on_node(&mut self, to: usize, kind: u8, body: &[u8]) -> Result<bool> {
        match self.node.as_mut().and_then(|node| node.put(to, body)) {
            Some(place) => {
                let kind = kind | kind::ELSEWHERE;
                self.post_by_comm(to, kind, place.to_bytes()).map(|()| true)
            }
            None => Ok(false),
        }
    }

    fn post_by_comm(&mut self, to: usize, kind: u8, mut body: Vec<u8>) -> Result<()> {
        if body.len() < PART_BYTES {
            // The usual case, and without a copy.
            body.extend([kind, 1]);
            let sent = self.comm.send(to, body);
            return sent.map_err(|error| unreachable(&error));
        }
        let parts = (body.len() + 1).div_ceil(PART_BYTES);
        for number in 0..parts {
            let from = (number * PART_BYTES).min(body.len());
            let end = (from + PART_BYTES).min(body.len());
            let is_last = number + 1 == parts;
            let mut part = Vec::with_capacity(end - from + 2);
            part.extend_from_slice(&body[from..end]);
            if is_last {
                part.push(kind);
            }
            part.push(u8::from(is_last));
            self.comm
                .send(to, part)
                .map_err(|error| unreachable(&error))?;
        }
        Ok(())
    }

    // --- what a rank tells of itself ---

    /// Tells rank 0 now and then what this rank does.
    pub(in crate::write) fn note(&mut self, variable: &str) {
        let is_news = self.noted.as_ref().is_none_or(|(last, when)| {
            let wait = match last == variable {
                true => 5 * BETWEEN_NOTES,
                false => BETWEEN_NOTES,
            };
            when.elapsed() >= wait
        });
        if is_news && self.failure.is_none() && !self.is_root() {
            self.noted = Some((variable.to_owned(), Instant::now()));
            // The next call that all ranks make finds out why, if that fails.
            let root = self.members.start;
            let _ = self.post(
                root,
                kind::NOTE,
                format!("put of `{variable}`").into_bytes(),
            );
        }
        let _ = self.comm.progress();
    }

    /// Tells those that wait for this rank that it is at work; as [`Self::poll`].
    pub(super) fn note_work(&mut self, what: &str) -> Result<bool> {
        if self.told.elapsed() > self.longest_wait / GRACE_SHARE {
            self.told = Instant::now();
            let note = format!("{what} in {}", self.call.name());
            self.tell(&note)?;
        }
        self.poll()
    }

    /// Ends the work together: waits until everything sent has left.
    ///
    /// # Errors
    /// If that takes too long.
    pub(super) fn close(&mut self) -> Result<()> {
        self.is_closed = true;
        let began = Instant::now();
        while !self.comm.progress().map_err(|error| unreachable(&error))? {
            if began.elapsed() > self.longest_wait {
                return Err(self.late(self.members.start, began));
            }
            std::thread::sleep(LONGEST_NAP);
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.is_closed || self.failure.is_some() {
            // Best effort: the others know already; what they were told leaves if it can.
            let began = Instant::now();
            while matches!(self.comm.progress(), Ok(false)) && began.elapsed().as_secs() < 1 {
                std::thread::sleep(LONGEST_NAP);
            }
            return;
        }
        for rank in 0..self.peers.len() {
            if rank != self.own_number() {
                // Best effort: who hears nothing waits its longest wait.
                let _ = self.post(rank, kind::GONE, Vec::new());
            }
        }
        let _ = self.comm.progress();
    }
}

fn unreachable(error: &CommError) -> Error {
    Error::new(
        ErrorCode::Io,
        format!("the other ranks cannot be reached: {error}"),
    )
}
