//! Waiting for other ranks, and the watch over them.
//!
//! Whoever waits for a rank gives up when nothing was heard of it for the longest wait. Rank 0
//! tells all others; its error names the ranks it waited for and what it heard of them last: ranks
//! tell rank 0 now and then which variable they put, and rank 0 tells those that wait for it that
//! it waits itself.

use std::fmt::Arguments;
use std::time::{Duration, Instant};

use frazil_types::ErrorCode;

use super::Link;
use super::transport::{Kind, Mail};
use frazil_file::error::{Error, Result};

/// Waiting ranks look for messages this often at first...
pub(in crate::parallel) const SHORTEST_NAP: Duration = Duration::from_micros(20);
/// ... and this often after a while: ranks wait for each other many times in a row, and looking
/// costs a microsecond.
pub(in crate::parallel) const LONGEST_NAP: Duration = Duration::from_micros(250);
/// Ranks tell what they do at most this often.
const BETWEEN_NOTES: Duration = Duration::from_millis(200);
/// Rank 0 is what others wait for: they wait this much longer than it does, one part in so many.
const GRACE_SHARE: u32 = 4;
/// Ranks that an error names.
const MOST_NAMED: usize = 8;

impl Link {
    /// The next message of a rank, by its number among all.
    ///
    /// # Errors
    /// If nothing is heard of the rank for too long, or none can be reached.
    pub(super) fn wait_for(&mut self, rank: usize) -> Result<Mail> {
        let began = Instant::now();
        let mut nap = SHORTEST_NAP;
        loop {
            let has_sent = self.poll()?;
            if let Some(mail) = self.transport.take(rank) {
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
        let silent = self.transport.peer(rank).heard.max(began).elapsed();
        if silent >= limit || self.is_late {
            self.is_late = true;
            return Err(self.late(rank, began));
        }
        self.tell(format_args!("waiting for rank {rank}"))
    }

    /// Which ranks are late, where they were last, and who waited.
    pub(super) fn late(&self, rank: usize, began: Instant) -> Error {
        let missing = match self.is_root() && self.members.contains(&rank) {
            true => rank..self.members.end,
            false => rank..rank + 1,
        };
        let missing: Vec<String> = missing
            .filter(|&rank| self.transport.peer(rank).is_silent())
            .take(MOST_NAMED)
            .map(|rank| self.last_heard(rank))
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

    fn last_heard(&self, rank: usize) -> String {
        let peer = self.transport.peer(rank);
        let ago = peer.heard.elapsed().as_secs_f64();
        format!("rank {rank} (last heard of {ago:.1} s ago: {})", peer.note)
    }

    // --- what a rank tells of itself ---

    /// Says now and then what this rank does to those that wait for it.
    fn tell(&mut self, what: Arguments<'_>) -> Result<()> {
        if self.told.elapsed() <= self.longest_wait / GRACE_SHARE {
            return Ok(());
        }
        self.told = Instant::now();
        let note = format!("{what} in {}", self.call.name());
        let own = match self.is_root() {
            true => self.members.start + 1..self.members.end,
            false => self.members.start..self.members.start + 1,
        };
        for rank in own.chain(self.clients()) {
            (self.transport).send(rank, Kind::Note, note.as_bytes().to_vec())?;
        }
        Ok(())
    }

    /// Tells those that wait for this rank that it is at work; as [`Self::poll`].
    pub(in crate::parallel) fn note_work(&mut self, what: &str) -> Result<bool> {
        self.tell(format_args!("{what}"))?;
        self.poll()
    }

    /// Tells rank 0 now and then which variable this rank puts.
    pub(crate) fn note(&mut self, variable: &str) {
        if self.failure.is_none() && !self.is_root() && self.is_news(variable) {
            self.noted = Some((variable.to_owned(), Instant::now()));
            let note = format!("put of `{variable}`").into_bytes();
            // The next call that all ranks make finds out why, if that fails.
            let _ = self.transport.send(self.members.start, Kind::Note, note);
        }
        let _ = self.transport.progress();
    }

    fn is_news(&self, variable: &str) -> bool {
        self.noted.as_ref().is_none_or(|(last, when)| {
            let wait = match last == variable {
                true => 5 * BETWEEN_NOTES,
                false => BETWEEN_NOTES,
            };
            when.elapsed() >= wait
        })
    }
}
