//! Memory that the ranks on one machine share: long messages lie there, and what goes through the
//! [`Comm`](super::Comm) says where.
//!
//! MPI carries a long message on only while both ranks call it, piece by piece, and receivers wait
//! with a busy core. Where ranks share cores, that costs more than packing what is sent. Here the
//! sender copies a message to its part of a file in memory, and goes on; the receiver reads it when
//! it comes to it.
//!
//! The file has no name: the first rank of a machine makes it, and the others open it through that
//! process. So nothing is left behind, whatever happens to the ranks. Ranks that cannot (on other
//! systems than Linux, or in containers of their own) send messages.
//!
//! Each rank writes to its own part only, but for one byte before each message: the receiver says
//! there that it has read it, and then the place serves again.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use serde::{Deserialize, Serialize};

use super::ring::Ring;
use super::wire::broken;
use frazil_file::error::{Error, Result};

/// Shorter messages are no trouble for MPI.
const LEAST_BYTES: usize = 4 << 10;
/// Before each message; one of them is used, the others keep messages aligned.
const HEAD_BYTES: u64 = 64;
/// At the start of the file: its token.
const START_BYTES: u64 = 4096;

/// Environment variable that lets ranks exchange through MPI alone, if it is 0.
const SWITCH: &str = "FRAZIL_NODE_MEMORY";

/// What the byte before a message says.
const UNREAD: u8 = 1;
const READ: u8 = 0;

/// Where the file that a rank has made can be opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Offer {
    /// Ranks with the same see each other's processes.
    machine: String,
    process: u32,
    descriptor: i32,
    /// What the file begins with.
    token: u64,
}

/// A file that this rank has made, in case that it is the first of its machine.
pub(super) struct Offered {
    pub(super) offer: Offer,
    file: File,
}

impl Offered {
    /// `None`: memory cannot be shared here, or is not to be.
    pub(super) fn new() -> Option<Self> {
        if std::env::var_os(SWITCH).is_some_and(|value| value == "0") {
            return None;
        }
        let machine = machine()?;
        let (file, descriptor) = memory_file()?;
        let token = RandomState::new().build_hasher().finish();
        file.write_all_at(&token.to_le_bytes(), 0).ok()?;
        let offer = Offer {
            machine,
            process: std::process::id(),
            descriptor,
            token,
        };
        Some(Self { offer, file })
    }
}

/// The ranks of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SharedMemorySlot {
    /// Of the first of them.
    offer: Offer,
    ranks: Vec<usize>,
}

impl SharedMemorySlot {
    /// By rank: those of its machine; `None`: it is alone there.
    pub(super) fn of_all(offers: &[Option<Offer>]) -> Vec<Option<Self>> {
        let mut machines: BTreeMap<&str, Self> = BTreeMap::new();
        for (rank, offer) in offers.iter().enumerate() {
            let Some(offer) = offer else { continue };
            let seat = machines.entry(&offer.machine).or_insert_with(|| Self {
                offer: offer.clone(),
                ranks: Vec::new(),
            });
            seat.ranks.push(rank);
        }
        let seat_of = |offer: &Offer| machines.get(offer.machine.as_str());
        let seats = offers.iter().map(|offer| seat_of(offer.as_ref()?));
        seats
            .map(|seat| seat.filter(|seat| seat.ranks.len() > 1).cloned())
            .collect()
    }

    /// The first rank of the machine.
    pub(super) fn first(&self) -> usize {
        self.ranks[0]
    }
}

/// The memory of a machine, as one of its ranks sees it.
pub(super) struct Node {
    file: Arc<File>,
    ranks: Vec<usize>,
    /// Where this rank's part begins.
    start: u64,
    ring: Ring,
    /// Whether all of them are known to have it open.
    has_begun: bool,
}

impl Node {
    /// Opens the memory of the ranks at `seat`, of which each gets so many bytes; `None`: that
    /// cannot be.
    pub(super) fn join(
        own: Offered,
        seat: &SharedMemorySlot,
        rank: usize,
        bytes: u64,
    ) -> Option<Self> {
        let number = seat.ranks.iter().position(|&other| other == rank)?;
        let start = START_BYTES + number as u64 * bytes;
        // Whoever writes beyond it is killed.
        if start + bytes > longest_file() {
            return None;
        }
        let file = match number {
            0 => own.file,
            _ => open(&seat.offer)?,
        };
        Some(Self {
            file: Arc::new(file),
            ranks: seat.ranks.clone(),
            start,
            ring: Ring::new(bytes),
            has_begun: false,
        })
    }

    /// From now on messages can be put: all ranks have the memory open.
    pub(super) fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Puts a message, which lies in pieces, where rank `to` can read it; `None`: it must go another way.
    pub(super) fn put(&mut self, to: usize, pieces: &[&[u8]]) -> Option<Place> {
        let is_near = self.has_begun && self.ranks.binary_search(&to).is_ok();
        let message_bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        if message_bytes < LEAST_BYTES || !is_near {
            return None;
        }
        self.free_read();
        let bytes = message_bytes as u64;
        let space = self
            .ring
            .take(HEAD_BYTES + bytes.next_multiple_of(HEAD_BYTES))?;
        let at = self.start + space.start;
        if self.write(at, pieces).is_err() {
            // There is no memory for it.
            self.ring.free_newest();
            return None;
        }
        Some(Place { at, bytes })
    }

    fn write(&self, at: u64, pieces: &[&[u8]]) -> std::io::Result<()> {
        self.file.write_all_at(&[UNREAD], at)?;
        let mut place = at + HEAD_BYTES;
        for piece in pieces {
            self.file.write_all_at(piece, place)?;
            place += piece.len() as u64;
        }
        Ok(())
    }

    /// Gives places back whose messages were read.
    fn free_read(&mut self) {
        while let Some(oldest) = self.ring.oldest() {
            let mut state = [UNREAD];
            let outcome = self
                .file
                .read_exact_at(&mut state, self.start + oldest.start);
            if outcome.is_err() || state != [READ] {
                return;
            }
            self.ring.free_oldest();
        }
        // The receivers' reads come before what is written there next.
        fence(Ordering::SeqCst);
    }

    /// A message that another rank has put.
    pub(super) fn message(&self, place: Place) -> Shared {
        Shared {
            file: Arc::clone(&self.file),
            place,
        }
    }
}

/// Where a message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    at: u64,
    bytes: u64,
}

impl Place {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        [self.at.to_le_bytes(), self.bytes.to_le_bytes()].concat()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let &[at, bytes] = words else { return None };
        Some(Self {
            at: u64::from_le_bytes(at),
            bytes: u64::from_le_bytes(bytes),
        })
    }
}

/// A message in shared memory; its place serves again when this is dropped.
pub(super) struct Shared {
    file: Arc<File>,
    place: Place,
}

impl Shared {
    pub(super) fn len(&self) -> usize {
        self.place.bytes as usize
    }

    /// Reads from byte `from` on.
    pub(super) fn read(&self, from: usize, buffer: &mut [u8]) -> Result<()> {
        if from + buffer.len() > self.len() {
            return Err(broken("it ends early"));
        }
        let at = self.place.at + HEAD_BYTES + from as u64;
        let outcome = self.file.read_exact_at(buffer, at);
        outcome.map_err(|error| {
            let cause = format!("memory that ranks share cannot be read: {error}");
            Error::new(frazil_types::ErrorCode::Io, cause)
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        fence(Ordering::SeqCst);
        // Best effort: else the sender finds less room there.
        let _ = self.file.write_all_at(&[READ], self.place.at);
    }
}

/// What ranks have in common that see each other's processes: the machine since its start, and the
/// numbers of processes.
fn machine() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let processes = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), processes.display()))
}

fn open(offer: &Offer) -> Option<File> {
    let path = format!("/proc/{}/fd/{}", offer.process, offer.descriptor);
    let file = File::options().read(true).write(true).open(path).ok()?;
    let mut token = [0; 8];
    file.read_exact_at(&mut token, 0).ok()?;
    (u64::from_le_bytes(token) == offer.token).then_some(file)
}

#[cfg(target_os = "linux")]
fn memory_file() -> Option<(File, i32)> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, memfd_create};

    let file = File::from(memfd_create("frazil-ranks", MemfdFlags::CLOEXEC).ok()?);
    let descriptor = file.as_raw_fd();
    Some((file, descriptor))
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Option<(File, i32)> {
    None
}

/// The most bytes that a file of this process may have.
fn longest_file() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize);
    limit.current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of one machine with so many bytes each.
    fn nodes(ranks: usize, bytes: u64) -> Vec<Node> {
        let offered: Vec<_> = (0..ranks).map(|_| Offered::new().unwrap()).collect();
        let offers: Vec<_> = offered.iter().map(|o| Some(o.offer.clone())).collect();
        let seats = SharedMemorySlot::of_all(&offers);
        // In descending order: the first one's file must live until all have opened it.
        let join = |(rank, own): (usize, Offered)| {
            let seat = seats[rank].as_ref().unwrap();
            let mut node = Node::join(own, seat, rank, bytes).unwrap();
            assert!(
                node.put(0, &[&[0; LEAST_BYTES]]).is_none(),
                "nobody has begun"
            );
            node.begin();
            node
        };
        let nodes = offered.into_iter().enumerate().rev().map(join);
        let mut nodes: Vec<_> = nodes.collect();
        nodes.reverse();
        nodes
    }

    fn bytes_of(message: &Shared) -> Vec<u8> {
        let mut bytes = vec![0; message.len()];
        message.read(0, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn messages_of_odd_sizes_arrive_whole() {
        let mut nodes = nodes(3, 100_000);
        let mut waiting = Vec::new();
        for number in 0..200_usize {
            let (from, to) = (number % 3, (number + 1) % 3);
            let bytes = LEAST_BYTES + number * 97 % 9001;
            let text: Vec<u8> = (0..bytes).map(|i| (i * number) as u8).collect();
            let (first, rest) = text.split_at(number * 31 % bytes);
            let Some(place) = nodes[from].put(to, &[first, &[], rest]) else {
                // There is room again when what was sent is read, in whatever order.
                assert!(waiting.len() > 10);
                waiting.reverse();
                for (message, text) in waiting.drain(..) {
                    assert!(bytes_of(&message) == text);
                }
                continue;
            };
            let place = Place::from_bytes(&place.to_bytes()).unwrap();
            waiting.push((nodes[to].message(place), text));
        }
    }

    #[test]
    fn what_does_not_fit_goes_another_way() {
        let mut nodes = nodes(2, 10_000);
        assert!(nodes[0].put(1, &[&[0; LEAST_BYTES - 1]]).is_none());
        assert!(nodes[0].put(2, &[&[0; LEAST_BYTES]]).is_none());
        assert!(nodes[0].put(1, &[&[0; 10_000]]).is_none());
        let place = nodes[0].put(1, &[&[7; 4000], &[7; 5000]]).unwrap();
        assert!(nodes[0].put(1, &[&[0; LEAST_BYTES]]).is_none());
        let message = nodes[1].message(place);
        assert!(message.read(8999, &mut [0; 2]).is_err());
        drop(message);
        assert!(nodes[0].put(1, &[&[8; 9000]]).is_some());
        // The other one's part is its own.
        assert!(nodes[1].put(0, &[&[9; 9000]]).is_some());
    }

    #[test]
    fn ranks_sit_with_those_of_their_machine() {
        let offer = |machine: &str| {
            Some(Offer {
                machine: machine.to_owned(),
                process: 1,
                descriptor: 2,
                token: 3,
            })
        };
        let offers = [
            offer("a"),
            offer("b"),
            None,
            offer("a"),
            offer("c"),
            offer("b"),
        ];
        let seats = SharedMemorySlot::of_all(&offers);
        let ranks = |rank: usize| seats[rank].as_ref().map(|seat| seat.ranks.clone());
        assert_eq!(ranks(0), Some(vec![0, 3]));
        assert_eq!(ranks(5), Some(vec![1, 5]));
        assert_eq!((ranks(2), ranks(4)), (None, None));
    }

    #[test]
    fn another_file_is_not_taken_for_it() {
        let own = Offered::new().unwrap();
        assert!(open(&own.offer).is_some());
        let mut other = own.offer.clone();
        other.token ^= 1;
        assert!(open(&other).is_none());
        other.descriptor = 99_999;
        assert!(open(&other).is_none());
    }
}
