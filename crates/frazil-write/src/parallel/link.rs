//! Calls that all ranks make together, and the watch over them.
//!
//! Every collective step is one *consultation* ([`consult`]): each rank sends rank 0 its share,
//! rank 0 decides, each rank gets its answer. A rank that failed says so in place of its share, and
//! then all ranks get that error; so no rank waits for one that has given up. Chunks are exchanged
//! between ranks directly ([`exchange`]). No rank waits for ever ([`watch`]).
//!
//! Where some ranks write for the others ([`super::io_ranks`]), both are groups of their own: those
//! of a group consult each other, and members are counted within it. What goes from group to group
//! is sent to, and taken from, ranks by their number among all ([`transport`]).

mod consult;
mod exchange;
mod transport;
mod watch;

use std::ops::Range;
use std::time::{Duration, Instant};

use super::super::cooperation::Call;
use super::comm::Comm;
use super::node::{Node, Offered};
use super::wire::encode;
use frazil_file::error::{Error, Result};
use transport::{Kind, Transport};
pub(super) use watch::{LONGEST_NAP, SHORTEST_NAP};

/// The ranks that write one file, as one of them sees them.
pub(crate) struct Link {
    transport: Transport,
    /// Those that this one consults, itself among them; the first of them decides.
    members: Range<usize>,
    /// Those of the other group that this one writes for.
    clients: Range<usize>,
    longest_wait: Duration,
    call: Call,
    /// The variable that rank 0 was told of last, and when.
    noted: Option<(String, Instant)>,
    /// When those that wait for this rank were told last what it does.
    told: Instant,
    /// Why nothing can be done together any more.
    failure: Option<Error>,
    /// Whether a wait took too long: then nothing more is waited for.
    is_late: bool,
    is_closed: bool,
}

impl Link {
    pub(super) fn new(comm: Box<dyn Comm>, longest_wait: Duration) -> Self {
        Self {
            members: 0..comm.size(),
            clients: 0..0,
            transport: Transport::new(comm),
            longest_wait,
            call: Call::Create,
            noted: None,
            told: Instant::now(),
            failure: None,
            is_late: false,
            is_closed: false,
        }
    }

    /// This rank's number in its group.
    pub(super) fn rank(&self) -> usize {
        self.own_number() - self.members.start
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
        self.transport.number()
    }

    /// The ranks that this one writes for, by their numbers among all.
    pub(super) fn clients(&self) -> Range<usize> {
        self.clients.clone()
    }

    /// From now on this rank consults these ranks only, and writes for those `clients`.
    pub(super) fn divide(&mut self, members: Range<usize>, clients: Range<usize>) {
        self.members = members;
        self.clients = clients;
    }

    /// What this rank could share with those on its machine.
    pub(super) fn offered(&self) -> Option<Offered> {
        self.transport.offered()
    }

    /// From now on others may put messages into memory that they share with this rank.
    pub(super) fn open_memory(&mut self, node: Option<Node>) {
        self.transport.open_memory(node);
    }

    /// From now on this rank puts long messages there, too, or nobody does.
    pub(super) fn share_memory(&mut self, is_shared: bool) {
        self.transport.share_memory(is_shared);
    }

    /// Begins a call that all ranks make.
    ///
    /// # Errors
    /// The one that ended an earlier call.
    pub(super) fn begin(&mut self, call: Call) -> Result<()> {
        self.call = call;
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Takes in what has arrived; whether everything that was sent has left.
    pub(super) fn poll(&mut self) -> Result<bool> {
        self.transport.poll()
    }

    /// Ends the work together: waits until everything sent has left.
    ///
    /// # Errors
    /// If that takes too long.
    pub(super) fn close(&mut self) -> Result<()> {
        self.is_closed = true;
        let began = Instant::now();
        while !self.transport.progress()? {
            if began.elapsed() > self.longest_wait {
                return Err(self.late(self.members.start, began));
            }
            std::thread::sleep(LONGEST_NAP);
        }
        Ok(())
    }

    /// Lets leave what leaves within a second.
    fn send_off(&mut self) {
        let began = Instant::now();
        while matches!(self.transport.progress(), Ok(false)) && began.elapsed().as_secs() < 1 {
            std::thread::sleep(LONGEST_NAP);
        }
    }

    /// Tells all others that this rank writes no more, and which rank was the first to give up:
    /// one that had to do so as well is not to blame.
    fn give_up(&mut self) {
        let first = self.transport.first_gone().unwrap_or(self.own_number());
        let Ok(message) = encode(&first) else { return };
        for rank in 0..self.transport.size() {
            if rank != self.own_number() {
                // Best effort: who hears nothing waits its longest wait.
                let _ = self.transport.send(rank, Kind::Gone, message.clone());
            }
        }
        let _ = self.transport.progress();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.is_closed || self.failure.is_some() {
            self.transport.part();
        }
        match self.is_closed || self.failure.is_some() {
            // The others know already; what they were told leaves if it can.
            true => self.send_off(),
            false => self.give_up(),
        }
    }
}
