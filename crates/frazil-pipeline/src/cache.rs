//! Which decoded chunks are around, who waits for which, and which to let go first.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Source number and linear chunk number.
pub(crate) type ChunkKey = (usize, u64);

/// One request of one admitted task that waits for a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dependent {
    /// The task's number in admission order.
    pub(crate) ticket: u64,
    /// Position of the request in the task.
    pub(crate) request: usize,
}

/// What the hint says about a chunk when a request asks for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forecast {
    /// Requests that need the chunk over the whole run, this one included.
    pub(crate) total_uses: u64,
    /// When the next one comes: larger is later.
    pub(crate) next_use: u64,
}

/// How a demand for a chunk is met.
#[derive(Debug)]
pub(crate) enum Demanded {
    /// Nobody has it: the caller has it fetched.
    Fresh,
    /// It is being fetched for somebody; the dependent is noted.
    Awaited,
    /// It is here. [`ChunkTable::unpin`] when done with it.
    Resident(Arc<Vec<u8>>),
}

#[derive(Debug)]
enum State {
    /// To be decoded by some worker.
    Awaited(Vec<Dependent>),
    /// Kept for later; `pins` tasks are copying from it.
    Resident { chunk: Arc<Vec<u8>>, pins: usize },
    /// Decoded once and let go although it will be needed again.
    Released,
}

#[derive(Debug)]
struct Entry {
    state: State,
    /// Requests still to come after the ones known.
    future_uses: u64,
    next_use: u64,
}

/// Decoded chunks in progress and at hand. Only counts and hands out; charges are the caller's.
#[derive(Debug, Default)]
pub(crate) struct ChunkTable {
    entries: HashMap<ChunkKey, Entry>,
    /// Resident chunks that nobody copies from, ordered by next use.
    evictable: BTreeSet<(usize, u64, u64)>,
    /// Chunks asked for again after they had been let go.
    pub(crate) decoded_again: u64,
}

impl ChunkTable {
    /// A request asks for a chunk. The forecast's `total_uses` counts at the chunk's first use
    /// only; without a forecast no later use is expected.
    pub(crate) fn demand(
        &mut self,
        key: ChunkKey,
        dependent: Dependent,
        forecast: Option<Forecast>,
    ) -> Demanded {
        let next_use = forecast.map_or(u64::MAX, |forecast| forecast.next_use);
        let Some(entry) = self.entries.get_mut(&key) else {
            let total_uses = forecast.map_or(1, |forecast| forecast.total_uses);
            let entry = Entry {
                state: State::Awaited(vec![dependent]),
                future_uses: total_uses.saturating_sub(1),
                next_use,
            };
            self.entries.insert(key, entry);
            return Demanded::Fresh;
        };
        entry.future_uses = entry.future_uses.saturating_sub(1);
        let before = std::mem::replace(&mut entry.next_use, next_use);
        match &mut entry.state {
            State::Awaited(dependents) => {
                dependents.push(dependent);
                Demanded::Awaited
            }
            State::Resident { chunk, pins } => {
                *pins += 1;
                self.evictable.remove(&(key.0, before, key.1));
                Demanded::Resident(Arc::clone(chunk))
            }
            State::Released => {
                entry.state = State::Awaited(vec![dependent]);
                self.decoded_again += 1;
                Demanded::Fresh
            }
        }
    }

    /// If one dependent is all that ever needs the chunk, takes it and forgets the chunk.
    pub(crate) fn take_only_dependent(&mut self, key: ChunkKey) -> Option<Dependent> {
        let entry = self.entries.get(&key)?;
        let State::Awaited(dependents) = &entry.state else {
            return None;
        };
        let &[dependent] = dependents.as_slice() else {
            return None;
        };
        if entry.future_uses > 0 {
            return None;
        }
        self.entries.remove(&key);
        Some(dependent)
    }

    /// Takes the dependents that have gathered so far; more may come before the chunk is settled.
    pub(crate) fn take_dependents(&mut self, key: ChunkKey) -> Vec<Dependent> {
        match self.entries.get_mut(&key).map(|entry| &mut entry.state) {
            Some(State::Awaited(dependents)) => std::mem::take(dependents),
            _ => Vec::new(),
        }
    }

    /// Whether a decoded chunk will be needed by tasks to come.
    pub(crate) fn is_needed_later(&self, key: ChunkKey) -> bool {
        self.entries
            .get(&key)
            .is_some_and(|entry| entry.future_uses > 0)
    }

    /// All known dependents have got the chunk. It stays if it is needed later and `keep` has it.
    pub(crate) fn settle(&mut self, key: ChunkKey, keep: Option<Arc<Vec<u8>>>) {
        let Some(entry) = self.entries.get_mut(&key) else {
            return;
        };
        if entry.future_uses == 0 {
            self.entries.remove(&key);
            return;
        }
        entry.state = match keep {
            Some(chunk) => {
                self.evictable.insert((key.0, entry.next_use, key.1));
                State::Resident { chunk, pins: 0 }
            }
            None => State::Released,
        };
    }

    /// A task is done copying from a resident chunk. Returns the bytes freed by its last use.
    pub(crate) fn unpin(&mut self, key: ChunkKey) -> u64 {
        let Some(entry) = self.entries.get_mut(&key) else {
            return 0;
        };
        let State::Resident { chunk, pins } = &mut entry.state else {
            return 0;
        };
        *pins -= 1;
        if *pins > 0 {
            return 0;
        }
        if entry.future_uses > 0 {
            self.evictable.insert((key.0, entry.next_use, key.1));
            return 0;
        }
        let freed = chunk.len() as u64;
        self.entries.remove(&key);
        freed
    }

    /// Lets the chunk with the latest next use go. Returns its bytes, `None` if there is none.
    pub(crate) fn evict(&mut self) -> Option<u64> {
        let (source, _, chunk) = self.evictable.pop_last()?;
        let entry = self.entries.get_mut(&(source, chunk))?;
        match std::mem::replace(&mut entry.state, State::Released) {
            State::Resident { chunk, .. } => Some(chunk.len() as u64),
            // Only resident chunks are in the set.
            State::Awaited(_) | State::Released => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependent(ticket: u64) -> Dependent {
        Dependent { ticket, request: 0 }
    }

    fn forecast(total_uses: u64, next_use: u64) -> Option<Forecast> {
        Some(Forecast {
            total_uses,
            next_use,
        })
    }

    fn keep(bytes: usize) -> Option<Arc<Vec<u8>>> {
        Some(Arc::new(vec![0; bytes]))
    }

    #[test]
    fn the_second_request_waits_for_the_first_ones_chunk() {
        let mut table = ChunkTable::default();
        assert!(matches!(
            table.demand((0, 1), dependent(1), None),
            Demanded::Fresh
        ));
        assert!(matches!(
            table.demand((0, 1), dependent(2), None),
            Demanded::Awaited
        ));
        assert_eq!(table.take_only_dependent((0, 1)), None);
        assert_eq!(table.take_dependents((0, 1)), [dependent(1), dependent(2)]);
        table.settle((0, 1), keep(8));
        assert!(table.entries.is_empty(), "no use was forecast");
    }

    #[test]
    fn a_chunk_goes_with_its_last_use() {
        let mut table = ChunkTable::default();
        table.demand((0, 1), dependent(1), forecast(2, 5));
        assert_eq!(table.take_only_dependent((0, 1)), None);
        table.take_dependents((0, 1));
        table.settle((0, 1), keep(8));
        let found = table.demand((0, 1), dependent(2), forecast(2, u64::MAX));
        assert!(matches!(found, Demanded::Resident(_)));
        assert_eq!(table.evict(), None, "pinned");
        assert_eq!(table.unpin((0, 1)), 8);
        assert!(table.entries.is_empty() && table.evictable.is_empty());
    }

    #[test]
    fn the_chunk_needed_last_is_evicted_first_and_counts_as_decoded_again() {
        let mut table = ChunkTable::default();
        for (chunk, next_use) in [(1, 10), (2, 30), (3, 20)] {
            table.demand((0, chunk), dependent(chunk), forecast(2, next_use));
            table.take_dependents((0, chunk));
            table.settle((0, chunk), keep(chunk as usize));
        }
        assert_eq!(table.evict(), Some(2));
        assert_eq!(table.evict(), Some(3));
        let again = table.demand((0, 2), dependent(9), forecast(2, u64::MAX));
        assert!(matches!(again, Demanded::Fresh));
        assert_eq!(table.decoded_again, 1);
        assert_eq!(table.take_only_dependent((0, 2)), Some(dependent(9)));
    }
}
