//! What one rank hands to another, both of which know that it comes.

use frazil_types::ErrorCode;

use super::super::arrived::Message;
use super::super::wire::{Failure, encode};
use super::Link;
use super::transport::{Kind, Mail};
use frazil_file::error::{Error, Result};

impl Link {
    /// Sends bytes, or why there are none, to a member of the group that waits for them.
    pub(in crate::parallel) fn hand(&mut self, to: usize, bytes: Result<Vec<u8>>) -> Result<()> {
        self.hand_over(self.number(to), bytes)
    }

    /// As [`Self::hand`], to a rank by its number among all.
    pub(in crate::parallel) fn hand_over(
        &mut self,
        to: usize,
        bytes: Result<Vec<u8>>,
    ) -> Result<()> {
        match bytes {
            Ok(bytes) => self.transport.send(to, Kind::Body, bytes),
            Err(error) => {
                let failure = Failure::on_rank(self.own_number(), &error);
                self.transport.send(to, Kind::Failure, encode(&failure)?)
            }
        }
    }

    /// As [`Self::hand`], of bytes that lie in pieces.
    pub(in crate::parallel) fn hand_pieces(&mut self, to: usize, pieces: &[&[u8]]) -> Result<()> {
        let to = self.number(to);
        self.transport.send_pieces(to, Kind::Body, pieces)
    }

    /// Waits for what a member of the group hands to this one.
    pub(in crate::parallel) fn take(&mut self, from: usize) -> Result<Message> {
        let from = self.number(from);
        let mail = self.wait_for(from)?;
        self.opened(mail)
    }

    /// As [`Self::take`], from a rank by its number among all.
    pub(in crate::parallel) fn take_from(&mut self, from: usize) -> Result<Vec<u8>> {
        let mail = self.wait_for(from)?;
        self.read(mail)
    }

    /// What has arrived from a rank, by its number among all; `None`: nothing that was not taken.
    ///
    /// # Errors
    /// What the rank sent in place of it; if the rank gave up.
    pub(in crate::parallel) fn arrived(&mut self, from: usize) -> Result<Option<Vec<u8>>> {
        let mail = self.transport.take(from);
        mail.map(|mail| self.read(mail)).transpose()
    }

    /// Fails if any rank has given its writer up.
    pub(in crate::parallel) fn check_complete(&self) -> Result<()> {
        match self.transport.first_gone() {
            Some(rank) => Err(self.given_up(rank)),
            None => Ok(()),
        }
    }

    pub(super) fn read(&self, mail: Mail) -> Result<Vec<u8>> {
        self.opened(mail).and_then(Message::into_bytes)
    }

    fn opened(&self, mail: Mail) -> Result<Message> {
        match mail {
            Mail::Body(message) => Ok(message),
            Mail::Failure(failure) => Err(failure.into_error()),
            Mail::Gone(first) => Err(self.given_up(first)),
        }
    }

    fn given_up(&self, rank: usize) -> Error {
        let cause = format!(
            "rank {rank} gave its writer up, while others call {}",
            self.call.name()
        );
        Error::new(ErrorCode::Interrupted, cause)
    }
}
