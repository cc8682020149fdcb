//! Calls that all ranks make.

use std::sync::Arc;

use super::super::cooperation::Call;
use super::super::key::Key;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::chunk_owners;
use super::ranks::{RankGroup, Ranks};
use super::wire::{Agreement, Claim};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

impl Ranks {
    /// Makes a call together with the other ranks.
    pub(super) fn call_together(&self, writer: &mut Writer, own: Call) -> Result<()> {
        loop {
            let (call, ready) = self.serve(writer, own);
            let outcome = self.make_call(writer, call, ready);
            let told = self.tell_clients(writer, call, &outcome);
            outcome.and(told)?;
            if call == Call::Close {
                return self.group.lock().link.close();
            }
            if call == own {
                return Ok(());
            }
        }
    }

    fn make_call(&self, writer: &mut Writer, call: Call, ready: Result<()>) -> Result<()> {
        let mut team = self.group.lock();
        team.link.begin(call)?;
        match call {
            Call::Define => writer.define_with(&mut team, ready),
            Call::Create | Call::Sync | Call::Close => writer.commit_with(&mut team, call, ready),
        }
    }
}

impl Writer {
    fn define_with(&mut self, team: &mut RankGroup, ready: Result<()>) -> Result<()> {
        let ready = ready.and_then(|()| self.begin());
        let ready = ready.and_then(|()| self.settle_definitions());
        let agreement = self.agree_in(team, Call::Define, ready)?;
        let ready = self.follow_blocks(&agreement);
        self.lend_first(team, ready)
    }

    fn commit_with(&mut self, team: &mut RankGroup, call: Call, ready: Result<()>) -> Result<()> {
        let is_end = call == Call::Close;
        let ready = ready.and_then(|()| self.begin());
        let ready = ready.and_then(|()| self.settle_definitions());
        let agreement = self.agree_in(team, call, ready)?;
        team.raw_bytes = agreement.raw_bytes;
        let ready = self.take_over(&agreement, is_end);
        let mut keys = Vec::new();
        let share = ready.and_then(|()| {
            let (own, claims) = self.claims()?;
            keys = own;
            Ok(claims)
        });
        let (round_bytes, chunks) = (team.round_bytes, &team.chunks);
        let assignments = team.link.consult(share, |_, claims: Vec<Vec<Claim>>| {
            // Variables of an existing file that only others put to.
            for claim in claims.iter().flatten() {
                self.active(VariableId(claim.name.variable))?;
            }
            let circumstances = chunk_owners::Circumstances {
                round_bytes,
                is_contiguous: &|number| self.variable(number).is_some_and(|v| v.is_contiguous),
                base: &|name| chunks.stored(&Key::from(name)),
            };
            Ok(chunk_owners::share_out(&claims, &circumstances))
        })?;
        let ready = self.exchange(team, &keys, &assignments);
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
            let is_text = self.schema.variables[id.0].value_type.is_indirect();
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

    /// Comes together with the others; keeps what all of them have put.
    fn agree_in(
        &mut self,
        team: &mut RankGroup,
        call: Call,
        ready: Result<()>,
    ) -> Result<Agreement> {
        let texts = std::mem::take(&mut team.texts);
        let (agreement, arrived_texts) = self.agree(&mut team.link, call, texts, ready)?;
        team.arrived_texts = arrived_texts;
        Ok(agreement)
    }

    fn take_over(&mut self, agreement: &Agreement, is_end: bool) -> Result<()> {
        self.take_lengths(agreement);
        self.follow_blocks(agreement)?;
        self.cut_chunks(is_end, &agreement.is_begun)?;
        self.fold_own()
    }

    /// Takes over the longest of all ranks' lengths.
    pub(super) fn take_lengths(&mut self, agreement: &Agreement) {
        let dimensions = self.schema.dimensions.iter_mut();
        for (dimension, &length) in dimensions.zip(&agreement.lengths) {
            dimension.length = length;
        }
    }

    /// Packs what is still as it was put: now all filters are known.
    fn pack_rest(&mut self) -> Result<()> {
        for (key, _) in self.store.dirty() {
            let variable = self.active(VariableId(key.variable))?;
            let chunk = self.take_gathered(&key, &variable)?;
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
}
