//! Consultations: every rank gives its share, rank 0 decides, every rank gets its answer.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::wire::{Failure, broken, decode, encode};
use super::Link;
use super::transport::Kind;
use frazil_file::error::{Error, Result};

impl Link {
    /// Every rank gives its share, rank 0 decides from all of them (in the order of the ranks), and
    /// every rank gets its answer.
    ///
    /// # Errors
    /// That of the lowest rank whose share is an error, else that of `decide`: the same on all
    /// ranks, and nothing can be done together after it. If ranks cannot be reached, or do not
    /// answer for too long.
    pub(in crate::parallel) fn consult<S, A>(
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
        match shares.and_then(|shares| decide(self, shares)) {
            Ok(answers) => self.answer(answers),
            Err(error) => Err(self.refuse(&error)?),
        }
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
            shares.push(self.read(mail).and_then(|bytes| decode(&bytes)));
        }
        shares.into_iter().collect()
    }

    /// Sends all others their answers; returns rank 0's own.
    fn answer<A: Serialize>(&mut self, answers: Vec<A>) -> Result<A> {
        let mut own = Err(broken("no answer for rank 0"));
        for (member, answer) in answers.into_iter().enumerate() {
            match member {
                0 => own = Ok(answer),
                _ => {
                    let to = self.number(member);
                    self.transport.send(to, Kind::Body, encode(&answer)?)?;
                }
            }
        }
        own
    }

    /// Tells all others why there is no answer; returns what rank 0 itself fails with.
    fn refuse(&mut self, error: &Error) -> Result<Error> {
        let failure = Failure::on_rank(self.own_number(), error);
        let bytes = encode(&failure)?;
        for member in 1..self.size() {
            let to = self.number(member);
            self.transport.send(to, Kind::Failure, bytes.clone())?;
        }
        Ok(failure.into_error())
    }

    fn follow<S: Serialize, A: DeserializeOwned>(&mut self, share: Result<S>) -> Result<A> {
        let root = self.members.start;
        let share = share.and_then(|share| encode(&share));
        self.hand_over(root, share)?;
        let answer = self.take_from(root)?;
        decode(&answer)
    }
}
