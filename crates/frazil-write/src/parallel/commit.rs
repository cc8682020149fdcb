//! Calls that all ranks make.

use std::sync::Arc;

use super::super::errors::lost;
use super::super::key::{Key, Name};
use super::super::placing::Base;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::wire::{Agreement, Call, Claim};
use super::{RankGroup, duties};
use frazil_container::schema::{ValueType, VariableId};
use frazil_file::error::{Error, Result};

impl Writer {
    /// Compares the definitions of all ranks and fixes how variables lie. All ranks call it, or none:
    /// [`Self::sync`] and [`Self::close`] do the same first. Without other ranks, it looks whether
    /// values of all variables can be written as it is asked for.
    ///
    /// # Errors
    /// The error that the first value of a variable would give;
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if a rank has
    /// defined something else than rank 0, with its name; else the first error of any rank.
    pub fn end_definitions(&mut self) -> Result<()> {
        match self.commit_together(Call::Define) {
            Some(outcome) => self.end_step(outcome),
            None => self.check_definitions(),
        }
    }

    /// Whether other ranks write the same file.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        self.team.is_some()
    }

    /// Makes a call together with the other ranks; `None`: there are none.
    pub(crate) fn commit_together(&mut self, call: Call) -> Option<Result<()>> {
        self.team.as_ref()?;
        Some(match self.client {
            Some(_) => self.pass_on_call(call),
            None => self.call_together(call),
        })
    }

    fn call_together(&mut self, own: Call) -> Result<()> {
        loop {
            let (call, ready) = self.serve(own);
            let outcome = self.with_own_team(|writer, team| {
                team.link.begin(call)?;
                match call {
                    Call::Define => writer.define_with(team, ready),
                    Call::Create | Call::Sync | Call::Close => {
                        writer.commit_with(team, call, ready)
                    }
                }
            });
            let told = self.tell_clients(call, &outcome);
            outcome.and(told)?;
            if call == Call::Close {
                return self.with_own_team(|_, team| team.link.close());
            }
            if call == own {
                return Ok(());
            }
        }
    }

    /// Calls `body` with the team apart.
    pub(super) fn with_own_team<T>(
        &mut self,
        body: impl FnOnce(&mut Self, &mut RankGroup) -> Result<T>,
    ) -> Result<T> {
        let mut team = self.team.take().ok_or_else(lost)?;
        let outcome = body(self, &mut team);
        self.team = Some(team);
        outcome
    }

    fn define_with(&mut self, team: &mut RankGroup, ready: Result<()>) -> Result<()> {
        let ready = ready.and_then(|()| self.begin());
        let ready = ready.and_then(|()| self.settle_definitions());
        let agreement = self.agree(team, Call::Define, ready)?;
        let ready = self.follow_blocks(&agreement);
        self.lend_first(team, ready)
    }

    fn commit_with(&mut self, team: &mut RankGroup, call: Call, ready: Result<()>) -> Result<()> {
        let is_end = call == Call::Close;
        let ready = ready.and_then(|()| self.begin());
        let ready = ready.and_then(|()| self.settle_definitions());
        let agreement = self.agree(team, call, ready)?;
        let ready = self.take_over(team, &agreement, is_end);
        let mut keys = Vec::new();
        let share = ready.and_then(|()| {
            let (own, claims) = self.claims()?;
            keys = own;
            Ok(claims)
        });
        let round_bytes = team.round_bytes;
        let duties = team.link.consult(share, |_, claims: Vec<Vec<Claim>>| {
            // Variables of an existing file that only others put to.
            for claim in claims.iter().flatten() {
                self.active(VariableId(claim.name.variable))?;
            }
            let circumstances = duties::Circumstances {
                round_bytes,
                is_contiguous: &|number| self.variable(number).is_some_and(|v| v.is_contiguous),
                base: &|name| self.base(name),
            };
            Ok(duties::share_out(&claims, &circumstances))
        })?;
        let ready = self.exchange(team, &keys, &duties);
        let ready = self.choose_together(team, ready);
        let ready = ready.and_then(|()| self.pack_rest());
        self.place_together(team, ready, is_end)?;
        for details in &mut self.details {
            details.is_in_file = true;
        }
        self.uncommitted_bytes = 0;
        Ok(())
    }

    /// Fixes how all variables lie, and states how they are rounded, in the order of their
    /// definition.
    pub(super) fn settle_definitions(&mut self) -> Result<()> {
        let mut number = 0;
        // Statements may define one variable more.
        while number < self.details.len() {
            let id = VariableId(number);
            number += 1;
            let is_text = self.schema.variables[id.0].value_type == ValueType::String;
            if is_text || self.details[id.0].existing.is_some() {
                continue;
            }
            let variable = self.active(id)?;
            if !std::mem::replace(&mut self.details[id.0].is_stated, true)
                && let Some(plan) = &variable.quantize
            {
                self.state_rounding(id, plan)?;
            }
        }
        Ok(())
    }

    fn take_over(
        &mut self,
        team: &mut RankGroup,
        agreement: &Agreement,
        is_end: bool,
    ) -> Result<()> {
        team.raw_bytes = agreement.raw_bytes;
        let dimensions = self.schema.dimensions.iter_mut();
        for (dimension, &length) in dimensions.zip(&agreement.lengths) {
            dimension.length = length;
        }
        self.follow_blocks(agreement)?;
        self.cut_chunks(is_end, &agreement.is_begun)?;
        self.fold_own()
    }

    /// Packs what is still as it was put: now all filters are known.
    fn pack_rest(&mut self) -> Result<()> {
        for (key, _) in self.store.dirty() {
            let variable = self.active(VariableId(key.variable))?;
            let chunk = self.take_gathered(&key)?;
            let outcome = self.pack_gathered(&variable, key, chunk);
            outcome.map_err(|error| error.at_variable(&variable.path))?;
        }
        if self.options.keep_plan {
            self.put_plan()?;
        }
        self.submission.check()
    }

    pub(super) fn variable(&self, number: usize) -> Option<&Arc<Variable>> {
        self.details.get(number)?.active.as_ref()
    }

    /// Where the stored form of a chunk is.
    fn base(&self, name: &Name) -> Option<Base> {
        self.submission.stored_base(&Key::from(name))
    }

    /// Notes texts that rank 0 writes at the next commit.
    pub(crate) fn keep_texts(&mut self, put: super::TextPut) -> Result<()> {
        if self.client.is_some() {
            return self.hand_on_texts(put);
        }
        let team = self.team.as_mut().ok_or_else(lost)?;
        team.texts.push(put);
        Ok(())
    }

    /// Refuses to read what several ranks write.
    pub(crate) fn check_alone(&self) -> Result<()> {
        match self.team {
            None => Ok(()),
            Some(_) => Err(Error::new(
                frazil_types::ErrorCode::Unsupported,
                "values that several ranks write cannot be read back before the file is closed",
            )
            .in_file(&self.path)),
        }
    }
}
