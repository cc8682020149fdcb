//! Chunks that are being decoded at the moment: whoever misses one of them waits instead of
//! decoding it as well.
//!
//! A flight begins when a thread takes a chunk in hand, not when it learns that it wants it, and no
//! thread waits for another's flight before all of its own have landed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frazil_types::sync::{Condvar, Mutex};

use super::chunk_cache::ChunkKey;
use super::context::ReadContext;
use crate::PipelineError;

/// Between two looks at whether the user has interrupted.
const WAIT: Duration = Duration::from_millis(50);

/// Chunks that are being decoded, of all files of the process.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<ChunkKey, Arc<Flight>>>);

/// One chunk that somebody decodes.
#[derive(Default)]
pub(super) struct Flight {
    state: Mutex<State>,
    landed: Condvar,
}

#[derive(Default)]
struct State {
    is_awaited: bool,
    /// Nothing inside: it was not kept for others, or could not be decoded.
    outcome: Option<Option<Arc<Vec<u8>>>>,
}

/// Who decodes a chunk.
pub(super) enum Claim<'a> {
    /// The one who asked.
    Mine(Ticket<'a>),
    /// Somebody else, who knows that the chunk is awaited.
    Theirs(Arc<Flight>),
}

/// The duty to decode a chunk.
pub(super) struct Ticket<'a> {
    flights: &'a Flights,
    key: ChunkKey,
    flight: Arc<Flight>,
    is_listed: bool,
}

impl Flights {
    /// Takes a chunk in hand, unless somebody has.
    pub(super) fn begin(&self, key: ChunkKey) -> Claim<'_> {
        let mut flights = self.0.lock();
        if let Some(flight) = flights.get(&key) {
            flight.state.lock().is_awaited = true;
            return Claim::Theirs(Arc::clone(flight));
        }
        let flight = Arc::<Flight>::default();
        flights.insert(key, Arc::clone(&flight));
        Claim::Mine(Ticket {
            flights: self,
            key,
            flight,
            is_listed: true,
        })
    }
}

impl Ticket<'_> {
    /// Nobody else comes to wait from now on.
    fn leave_list(&mut self) {
        if std::mem::take(&mut self.is_listed) {
            self.flights.0.lock().remove(&self.key);
        }
    }

    /// Hands the chunk over to those who wait for it; `chunk` makes it if there are any.
    pub(super) fn land(mut self, chunk: impl FnOnce() -> Arc<Vec<u8>>) {
        self.leave_list();
        let mut state = self.flight.state.lock();
        let handed = state.is_awaited.then(chunk);
        state.outcome = Some(handed);
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.leave_list();
        let mut state = self.flight.state.lock();
        state.outcome.get_or_insert(None);
        if state.is_awaited {
            self.flight.landed.notify_all();
        }
    }
}

impl Flight {
    /// The decoded chunk, as soon as there is; `None`: decode it yourself.
    pub(super) fn wait(
        &self,
        context: &ReadContext<'_>,
    ) -> Result<Option<Arc<Vec<u8>>>, PipelineError> {
        let mut state = self.state.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return Ok(outcome.clone());
            }
            context.check()?;
            self.landed.wait_for(&mut state, WAIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn theirs(claim: Claim<'_>) -> Arc<Flight> {
        match claim {
            Claim::Theirs(flight) => flight,
            Claim::Mine(_) => panic!("nobody else has it in hand"),
        }
    }

    fn mine(claim: Claim<'_>) -> Ticket<'_> {
        match claim {
            Claim::Mine(ticket) => ticket,
            Claim::Theirs(_) => panic!("somebody else has it in hand"),
        }
    }

    #[test]
    fn those_who_wait_get_the_chunk_and_those_who_fail_hold_nobody_up() {
        let flights = Flights::default();
        let cancel = AtomicBool::new(false);
        let context = ReadContext {
            threads: 1,
            cancel: &cancel,
        };
        let first = mine(flights.begin((1, 2)));
        let waiting = theirs(flights.begin((1, 2)));
        mine(flights.begin((1, 3))).land(|| panic!("nobody waits for it"));
        first.land(|| Arc::new(vec![7]));
        assert_eq!(waiting.wait(&context).unwrap().unwrap()[..], [7]);

        let failing = mine(flights.begin((1, 2)));
        let waiting = theirs(flights.begin((1, 2)));
        drop(failing);
        assert!(waiting.wait(&context).unwrap().is_none());

        let slow = mine(flights.begin((1, 2)));
        let waiting = theirs(flights.begin((1, 2)));
        cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(
            waiting.wait(&context),
            Err(PipelineError::Interrupted)
        ));
        drop(slow);
        assert!(flights.0.lock().is_empty());
    }
}
