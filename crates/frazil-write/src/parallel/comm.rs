//! How the processes that write one file reach each other.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// What a [`Comm`] could not do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CommError(pub String);

/// Messages between the ranks that write one file together: all that frazil asks of MPI.
///
/// Only the thread that calls the writer uses it (`MPI_THREAD_FUNNELED` is enough), and no call
/// waits for another rank. Long messages may go another way, through memory that the ranks on one
/// machine share ([`Self::shares_memory`]).
pub trait Comm: Send {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Begins to send a message, which arrives behind those sent to that rank before.
    ///
    /// # Errors
    /// If the rank cannot be reached.
    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), CommError>;

    /// A message that has arrived, and from whom; `None`: there is none yet.
    ///
    /// # Errors
    /// If messages cannot be received.
    fn receive(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError>;

    /// Lets what was sent go on its way; `true`: all of it has left.
    ///
    /// # Errors
    /// If something cannot be sent.
    fn progress(&mut self) -> Result<bool, CommError>;

    /// The ranks do not end together: some may be gone, and messages may stay unread. What all of them must do
    /// together cannot be done any more.
    fn part(&mut self) {}

    /// Whether long messages between ranks on one machine had better go through memory that these
    /// share, where the system allows it: on all ranks the same. Not for ranks that are threads of
    /// one process: their messages need no copies.
    fn shares_memory(&self) -> bool {
        false
    }
}

/// Ranks that are threads of one process, or a single one.
#[derive(Debug)]
pub struct LocalComm {
    rank: usize,
    peers: Vec<Sender<(usize, Vec<u8>)>>,
    arrived: Receiver<(usize, Vec<u8>)>,
    /// What this rank sent to itself.
    own: VecDeque<Vec<u8>>,
}

impl LocalComm {
    /// So many ranks, at least one, which reach each other wherever they are in this process.
    #[must_use]
    pub fn group(size: usize) -> Vec<Self> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..size.max(1)).map(|_| channel()).unzip();
        let ranks = receivers.into_iter().enumerate();
        ranks
            .map(|(rank, arrived)| Self {
                rank,
                peers: senders.clone(),
                arrived,
                own: VecDeque::new(),
            })
            .collect()
    }
}

impl Comm for LocalComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.peers.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), CommError> {
        if to == self.rank {
            self.own.push_back(message);
            return Ok(());
        }
        let peer = self.peers.get(to);
        let peer = peer.ok_or_else(|| CommError(format!("there is no rank {to}")))?;
        // Whoever has gone hears nothing any more; whether that matters, the receiver finds out.
        let _ = peer.send((self.rank, message));
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        if let Some(message) = self.own.pop_front() {
            return Ok(Some((self.rank, message)));
        }
        match self.arrived.try_recv() {
            Ok(message) => Ok(Some(message)),
            // A single rank has a sender of its own: it is never alone.
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(None),
        }
    }

    fn progress(&mut self) -> Result<bool, CommError> {
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_order() {
        let mut ranks = LocalComm::group(2);
        let mut one = ranks.pop().unwrap();
        let mut zero = ranks.pop().unwrap();
        for number in 0..3 {
            zero.send(1, vec![number]).unwrap();
        }
        assert!(zero.receive().unwrap().is_none());
        for number in 0..3 {
            assert_eq!(one.receive().unwrap(), Some((0, vec![number])));
        }
        one.send(1, vec![9]).unwrap();
        assert_eq!(one.receive().unwrap(), Some((1, vec![9])));
        assert!(zero.send(2, Vec::new()).is_err());
    }
}
