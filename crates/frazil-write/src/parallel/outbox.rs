//! What a rank hands to the one that writes for it, on its way or waiting for it.

use std::collections::VecDeque;
use std::path::Path;

use serde::Serialize;

use super::super::scratch_file::ScratchFile;
use super::wire::encode;
use frazil_file::error::Result;

/// Small requests go together in messages of about so many bytes.
const BATCH_BYTES: u64 = 1 << 20;

/// Messages in the order in which they were made: as many as the receiver has memory for are on
/// their way, others wait in memory, and what is too much for that in a scratch file.
pub(super) struct SendQueue {
    /// Requests that are not in a message yet.
    batch: Vec<u8>,
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    under_way_bytes: u64,
    /// Bytes that may be under way, if there is more than one message.
    window_bytes: u64,
    memory_bytes: u64,
    scratch: ScratchFile,
}

enum Waiting {
    Memory(Vec<u8>),
    /// An address in the scratch file, and bytes.
    Spilled(u64, usize),
}

impl SendQueue {
    pub(super) fn new(output: &Path, window_bytes: u64, memory_bytes: u64) -> Self {
        Self {
            batch: Vec::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            under_way_bytes: 0,
            window_bytes: window_bytes.max(1),
            memory_bytes,
            scratch: ScratchFile::beside(output),
        }
    }

    /// Bytes of a message; one request may be more.
    pub(super) fn batch_bytes(&self) -> u64 {
        BATCH_BYTES.min(self.window_bytes)
    }

    /// Bytes ever written to the scratch file.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.scratch.written_bytes()
    }

    /// Adds a request and the values that belong to it.
    ///
    /// # Errors
    /// If the scratch file cannot be written.
    pub(super) fn add(&mut self, request: &impl Serialize, values: &[u8]) -> Result<()> {
        let head = encode(request)?;
        let bytes = self.batch.len() + head.len() + values.len();
        if bytes as u64 > self.batch_bytes() {
            self.seal()?;
        }
        if self.batch.is_empty() {
            let whole = (head.len() + values.len()).max(self.batch_bytes() as usize);
            // A message gets two bytes more on its way.
            self.batch.reserve(whole + 2);
        }
        self.batch.extend_from_slice(&head);
        self.batch.extend_from_slice(values);
        match self.batch.len() as u64 >= self.batch_bytes() {
            true => self.seal(),
            false => Ok(()),
        }
    }

    /// Makes a message of what was added.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(super) fn seal(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let message = std::mem::take(&mut self.batch);
        let bytes = message.len() as u64;
        let in_use = self.waiting_bytes + self.under_way_bytes;
        // What goes at once needs no place to wait.
        let goes_on = self.waiting.is_empty() && self.has_room(bytes);
        if goes_on || in_use + bytes <= self.memory_bytes {
            self.waiting_bytes += bytes;
            self.waiting.push_back(Waiting::Memory(message));
        } else {
            let address = self.scratch.write(&message, &[])?;
            let spilled = Waiting::Spilled(address, message.len());
            self.waiting.push_back(spilled);
        }
        Ok(())
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.under_way_bytes == 0 || self.under_way_bytes + bytes <= self.window_bytes
    }

    /// The next message, if it may go on its way.
    ///
    /// # Errors
    /// If the scratch file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let bytes = match self.waiting.front() {
            Some(Waiting::Memory(message)) => message.len(),
            Some(&Waiting::Spilled(_, bytes)) => bytes,
            None => return Ok(None),
        };
        if !self.has_room(bytes as u64) {
            return Ok(None);
        }
        let message = match self.waiting.pop_front() {
            Some(Waiting::Memory(message)) => {
                self.waiting_bytes -= bytes as u64;
                message
            }
            Some(Waiting::Spilled(address, bytes)) => {
                let message = self.scratch.read(address, bytes)?;
                self.scratch.free(address, bytes);
                message
            }
            None => return Ok(None),
        };
        self.under_way_bytes += bytes as u64;
        Ok(Some(message))
    }

    /// Notes that so many bytes have been taken.
    pub(super) fn note_taken(&mut self, bytes: u64) {
        self.under_way_bytes = self.under_way_bytes.saturating_sub(bytes);
    }

    /// Whether everything is on its way.
    pub(super) fn is_sent(&self) -> bool {
        self.batch.is_empty() && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_order_within_window_and_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut outbox = SendQueue::new(&folder.path().join("out.nc"), 100, 250);
        for number in 0..20_u8 {
            outbox.add(&number, &[number; 60]).unwrap();
        }
        outbox.seal().unwrap();
        assert!(outbox.spilled_bytes() > 0);
        let mut seen = Vec::new();
        while !outbox.is_sent() {
            let message = outbox.next().unwrap().unwrap();
            assert_eq!(outbox.next().unwrap(), None, "the window is full");
            assert_eq!(message.len(), 61);
            seen.push(message[0]);
            outbox.note_taken(61);
        }
        assert_eq!(seen, (0..20).collect::<Vec<u8>>());
    }

    #[test]
    fn small_requests_go_together_and_large_ones_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut outbox = SendQueue::new(&folder.path().join("out.nc"), 1000, 10_000);
        for _ in 0..10 {
            outbox.add(&1_u8, &[7; 9]).unwrap();
        }
        outbox.add(&1_u8, &[7; 5000]).unwrap();
        outbox.add(&2_u8, &[]).unwrap();
        outbox.seal().unwrap();
        let mut bytes = Vec::new();
        while let Some(message) = outbox.next().unwrap() {
            outbox.note_taken(message.len() as u64);
            bytes.push(message.len());
        }
        assert_eq!(bytes, [100, 5001, 1]);
    }
}
