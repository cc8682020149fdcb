//! Ranks that pack and write for the others: who is who, and what they say to each other.
//!
//! With [`WriterOptions::io_ranks`](super::super::WriterOptions::io_ranks) the last ranks are *I/O
//! ranks*. They are a team of their own, which writes the file as any team does. The others are its
//! *clients*: each hands what it puts to one I/O rank, which puts it in its place ([`super::serve`]),
//! and goes on ([`super::client`]). All definitions are made on all ranks; a client has no file.
//!
//! What a client sends arrives in the order in which it was sent, and ends with the call that all
//! make. It may be on its way only as far as the I/O rank has memory set aside for it; more waits
//! with the client ([`super::outbox`]), so that a put never waits. In a call that all make the
//! client waits until everything has been taken, not until it is packed or written. What became of
//! that it learns at the next such call; at the close at once.

use std::ops::Range;

use frazil_types::ErrorCode;
use serde::{Deserialize, Serialize};

use super::super::books::Counts;
use super::super::cooperation::Call;
use super::super::options::WriterVariable;
use super::wire::{Item, TextPut};
use frazil_file::error::{Error, Result};

/// I/O ranks set this part of their memory aside for what is on its way to them, one part in so
/// many.
pub(super) const INBOX_SHARE: u64 = 4;

/// One rank's place among ranks of which some write for the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Division {
    /// The rank's group.
    pub(super) members: Range<usize>,
    /// Whom the rank writes for.
    pub(super) clients: Range<usize>,
    /// Who writes for the rank, and for how many in all; `None`: itself.
    pub(super) io_rank: Option<(usize, usize)>,
    /// Whether the rank is the first of those.
    pub(super) is_first: bool,
    /// The rank that has the file open in libhdf5.
    pub(super) root: usize,
}

impl Division {
    /// # Errors
    /// If there are not as many others as I/O ranks.
    pub(super) fn of(ranks: usize, io_ranks: usize, rank: usize) -> Result<Self> {
        let others = ranks.saturating_sub(io_ranks);
        if io_ranks > others {
            let cause = format!("{io_ranks} of {ranks} ranks cannot write for the others");
            let error = Error::new(ErrorCode::InvalidArgument, cause);
            return Err(error.with_cure("have at most half of the ranks write for the others"));
        }
        if io_ranks == 0 {
            return Ok(Self {
                members: 0..ranks,
                clients: 0..0,
                io_rank: None,
                is_first: false,
                root: 0,
            });
        }
        let clients_of =
            |number: usize| others * number / io_ranks..others * (number + 1) / io_ranks;
        if rank >= others {
            return Ok(Self {
                members: others..ranks,
                clients: clients_of(rank - others),
                io_rank: None,
                is_first: false,
                root: others,
            });
        }
        let mut all = (0..io_ranks).map(|number| (others + number, clients_of(number)));
        let found = all.find(|(_, clients)| clients.contains(&rank));
        Ok(Self {
            members: 0..others,
            clients: 0..0,
            is_first: (found.as_ref()).is_some_and(|(_, clients)| clients.start == rank),
            io_rank: found.map(|(io_rank, clients)| (io_rank, clients.len())),
            root: others,
        })
    }
}

/// What a client tells its I/O rank.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// A put; so many bytes of values follow.
    Put {
        variable: usize,
        start: Vec<u64>,
        count: Vec<u64>,
        stride: Option<Vec<u64>>,
        bytes: u64,
    },
    Texts(TextPut),
    /// A block that it will put.
    Block {
        variable: usize,
        start: Vec<u64>,
        count: Vec<u64>,
    },
    /// It is in a call that all make, and all that it handed over before has been sent.
    Come(Coming),
}

/// What a client brings to a call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Coming {
    pub(super) call: Call,
    /// Of all that it has defined.
    pub(super) digest: u64,
    /// That in words: from one client, when it is not what it was.
    pub(super) items: Option<Vec<Item>>,
}

/// What an I/O rank tells a client.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// So many bytes of its messages have been taken.
    Taken(u64),
    /// A call is over.
    Done(Done),
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) counts: Counts,
    /// Bytes that all ranks have put.
    pub(super) raw_bytes: u64,
    pub(super) omitted: u64,
    /// At the end: how all variables lie.
    pub(super) variables: Vec<WriterVariable>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_written_for_by_one() {
        for (ranks, io_ranks) in [(2, 1), (5, 1), (5, 2), (16, 3), (16, 8)] {
            let divisions: Vec<Division> = (0..ranks)
                .map(|rank| Division::of(ranks, io_ranks, rank).unwrap())
                .collect();
            for (rank, division) in divisions.iter().enumerate() {
                assert!(division.members.contains(&rank));
                assert_eq!(division.root, ranks - io_ranks);
                match division.io_rank {
                    Some((io_rank, clients)) => {
                        assert!(divisions[io_rank].clients.contains(&rank));
                        assert_eq!(divisions[io_rank].clients.len(), clients);
                    }
                    None => assert!(rank >= ranks - io_ranks && !division.clients.is_empty()),
                }
            }
        }
        assert!(Division::of(1, 1, 0).is_err() && Division::of(5, 3, 0).is_err());
        let alone = Division::of(3, 0, 2).unwrap();
        assert_eq!((alone.members, alone.io_rank, alone.root), (0..3, None, 0));
    }
}
