//! Chunks of which several ranks have values: sent to their owners, and made whole there.

use std::collections::{BTreeMap, BTreeSet};

use frazil_codec::Scratch;

use super::super::books::Stored;
use super::super::errors::lost;
use super::super::key::Key;
use super::super::mask::Mask;
use super::super::partial::PartialChunk;
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::parts::{Arrived, Foreign, Parcel, unpack};
use super::ranks::RankGroup;
use super::sink::RankChunks;
use super::wire::{Assignment, Claim, Owned};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// This rank, as one that gets others' values, and room for them.
struct Recipient {
    rank: usize,
    /// What it has packed.
    chunks: RankChunks,
    buffer: Vec<u8>,
}

impl Writer {
    /// Packs what is in a chunk together with an earlier form of it that is packed, but not
    /// committed.
    pub(super) fn fold_own(&mut self) -> Result<()> {
        let dirty = self.store.dirty();
        let has_base = |(key, has_base): (Key, bool)| has_base.then_some(key);
        let folded: Vec<Key> = dirty.into_iter().filter_map(has_base).collect();
        if !folded.is_empty() {
            // Else what is being packed goes on beside the exchange.
            self.submission.wait_idle();
        }
        for key in folded {
            self.flush_chunk(key, true, true)?;
        }
        self.submission.check()
    }

    /// All chunks that this rank has values of, packed or not.
    pub(super) fn claims(&mut self) -> Result<(Vec<Key>, Vec<Claim>)> {
        let mut all = BTreeMap::new();
        for key in self.submission.submitted() {
            let variable = self.active(VariableId(key.variable))?;
            all.insert(key, (true, variable.chunk_bytes as u64));
        }
        for (key, written) in self.store.gathered() {
            let variable = self.active(VariableId(key.variable))?;
            let is_whole = written >= variable.writable_elements(&key.offset);
            let size = variable.element_bytes();
            let mask_bytes = Mask::bytes_for(variable.chunk_bytes / size) as u64;
            all.insert(key, (is_whole, written * size as u64 + mask_bytes));
        }
        let claims = all.iter().map(|(key, &(is_whole, bytes))| Claim {
            name: key.into(),
            is_whole,
            bytes,
        });
        let claims = claims.collect();
        Ok((all.into_keys().collect(), claims))
    }

    /// Sends values to the owners of their chunks, and makes whole those that this rank owns.
    ///
    /// Every message that others wait for is sent, if only with the error that happened before.
    pub(super) fn exchange(
        &mut self,
        team: &mut RankGroup,
        keys: &[Key],
        assignments: &Assignment,
    ) -> Result<()> {
        let mut outcome = assignments.drops.iter().try_for_each(|&claim| {
            let key = keys.get(claim).ok_or_else(lost)?;
            self.drop_claim(&team.chunks, key)
        });
        let mut recipient = Recipient {
            rank: team.link.rank(),
            chunks: team.chunks.clone(),
            buffer: Vec::new(),
        };
        for round in 0..assignments.rounds {
            let sent = self.send_round(team, keys, assignments, round, &outcome);
            outcome = outcome.and(sent);
            let owned: Vec<&Owned> = assignments
                .owns
                .iter()
                .filter(|o| o.round == round)
                .collect();
            let received = receive_round(team, &owned);
            let mut arrived = outcome.and(received);
            outcome = match &mut arrived {
                Ok(arrived) => owned.iter().try_for_each(|owned| {
                    let foreign = arrived.remove(&owned.name).unwrap_or_default();
                    self.make_whole(&mut recipient, owned, foreign)
                }),
                Err(error) => Err(error.clone()),
            };
            outcome = outcome.and(team.link.note_work("putting chunks together").map(drop));
        }
        outcome
    }

    fn drop_claim(&mut self, chunks: &RankChunks, key: &Key) -> Result<()> {
        if self.store.find(key).is_some() || self.store.is_spilled(key) {
            let variable = self.active(VariableId(key.variable))?;
            return self.take_gathered(key, &variable).map(drop);
        }
        let mut placing = chunks.placing(&self.submission);
        placing.sink.held.forget(key);
        Ok(())
    }

    // --- messages ---

    fn send_round(
        &mut self,
        team: &mut RankGroup,
        keys: &[Key],
        assignments: &Assignment,
        round: usize,
        ready: &Result<()>,
    ) -> Result<()> {
        let mut by_rank: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for handing in assignments.sends.iter().filter(|send| send.round == round) {
            by_rank.entry(handing.to).or_default().push(handing.claim);
        }
        let mut outcome = ready.clone();
        for (to, claims) in by_rank {
            outcome = outcome.and_then(|()| self.send_to(team, to, keys, &claims));
            if let Err(error) = &outcome {
                team.link.hand(to, Err(error.clone()))?;
            }
        }
        outcome
    }

    /// Sends an owner this rank's values of its chunks.
    fn send_to(
        &mut self,
        team: &mut RankGroup,
        owner: usize,
        keys: &[Key],
        claims: &[usize],
    ) -> Result<()> {
        let mut parcel = Parcel::default();
        for (number, &claim) in claims.iter().enumerate() {
            let key = keys.get(claim).ok_or_else(lost)?;
            let variable = self.active(VariableId(key.variable))?;
            let chunk = self.take_gathered(key, &variable)?;
            parcel.add(key.into(), chunk, variable.element_bytes());
            let is_last = number + 1 == claims.len();
            if is_last || parcel.is_full() {
                parcel.seal(is_last)?;
                team.link.hand_pieces(owner, &parcel.pieces())?;
                parcel.clear();
            }
        }
        Ok(())
    }

    // --- making chunks whole ---

    fn make_whole(
        &mut self,
        recipient: &mut Recipient,
        owned: &Owned,
        foreign: Vec<Foreign>,
    ) -> Result<()> {
        let key = Key::from(&owned.name);
        let variable = self.active(VariableId(key.variable))?;
        let outcome = self.assembled(recipient, &key, &variable, owned.base, foreign);
        let outcome = outcome.and_then(|chunk| match self.may_pack(&variable) {
            true => self.pack_gathered(&variable, key, chunk),
            false => {
                self.store.insert(key, chunk);
                Ok(())
            }
        });
        outcome.map_err(|error| error.at_variable(&variable.path))
    }

    /// A chunk's values: of the file, and over them those of the ranks in ascending order.
    fn assembled(
        &mut self,
        recipient: &mut Recipient,
        key: &Key,
        variable: &Variable,
        base: Option<Stored>,
        foreign: Vec<Foreign>,
    ) -> Result<PartialChunk> {
        let rank = recipient.rank;
        let size = variable.element_bytes();
        let mut own = self.own_values(&recipient.chunks, key, variable)?;
        // Others' values go into this rank's own chunk, unless it has newer ones of the same
        // elements.
        let replaces =
            |own: &PartialChunk, part: &Foreign| part.rank < rank && own.mask.overlaps(&part.mask);
        let mut chunk = match own.take_if(|own| !foreign.iter().any(|part| replaces(own, part))) {
            Some(mut own) => {
                own.spread(size, |bytes| self.buffers.zeroed(bytes));
                own
            }
            None => self.unwritten_chunk(key, variable)?,
        };
        for part in foreign {
            if part.rank > rank
                && let Some(own) = own.take()
            {
                chunk.overlay(&own.mask, &own.written(size), size)?;
            }
            part.overlay(&mut chunk, size, &mut recipient.buffer)?;
        }
        if let Some(own) = own {
            chunk.overlay(&own.mask, &own.written(size), size)?;
        }
        chunk.fill_rest(&variable.fill);
        if !chunk.is_complete() {
            self.fill_up(&recipient.chunks, &mut chunk, variable, base)?;
        }
        chunk.is_dirty = true;
        Ok(chunk)
    }

    /// What this rank has of a chunk, unpacked.
    fn own_values(
        &mut self,
        chunks: &RankChunks,
        key: &Key,
        variable: &Variable,
    ) -> Result<Option<PartialChunk>> {
        if self.store.find(key).is_some() || self.store.is_spilled(key) {
            return self.take_gathered(key, variable).map(Some);
        }
        if !self.submission.is_submitted(key) {
            return Ok(None);
        }
        let packed = chunks.placing(&self.submission).sink.held_bytes(key)?;
        let packed = packed.ok_or_else(lost)?;
        let mut chunk = self.unwritten_chunk(key, variable)?;
        let values = self.unpacked(variable, &packed, 0)?;
        chunk.write(0, &values, variable.element_bytes());
        Ok(Some(chunk))
    }

    fn unwritten_chunk(&mut self, key: &Key, variable: &Variable) -> Result<PartialChunk> {
        let size = variable.element_bytes();
        let elements = variable.chunk_bytes / size;
        let charge = self.submission.room(variable.gathered_bytes())?;
        Ok(PartialChunk::unfilled(
            self.buffers.zeroed(variable.chunk_bytes),
            Mask::new(elements),
            variable.writable_elements(&key.offset),
            false,
            charge,
        ))
    }

    /// Gives elements that nobody has written the values that they have in the file.
    fn fill_up(
        &self,
        chunks: &RankChunks,
        chunk: &mut PartialChunk,
        variable: &Variable,
        base: Option<Stored>,
    ) -> Result<()> {
        let size = variable.element_bytes();
        if variable.is_contiguous && self.details[variable.id.0].is_in_file {
            let mut placing = chunks.placing(&self.submission);
            let books = &placing.sound()?.root()?.books;
            let values = books.with(|output| output.read_values(variable.id, None))?;
            chunk.merge(&values, size);
        } else if let Some(base) = base {
            let stored = chunks.placing(&self.submission).sink.read_stored(&base)?;
            let values = self.unpacked(variable, &stored, base.filter_mask)?;
            chunk.merge(&values, size);
        }
        Ok(())
    }

    fn unpacked(&self, variable: &Variable, stored: &[u8], filter_mask: u32) -> Result<Vec<u8>> {
        let filters = self.submission.filters(variable.id.0).ok_or_else(lost)??;
        filters.unpack(stored, filter_mask, &mut Scratch::default())
    }
}

/// What the ranks send in one round for the chunks that this rank owns.
fn receive_round(team: &mut RankGroup, owned: &[&Owned]) -> Result<Arrived> {
    let senders: BTreeSet<usize> = owned.iter().flat_map(|o| o.from.iter().copied()).collect();
    let mut arrived = Arrived::new();
    let mut outcome = Ok(());
    for rank in senders {
        let received = receive_from(team, rank, &mut arrived);
        outcome = outcome.and(received);
    }
    outcome.map(|()| arrived)
}

fn receive_from(team: &mut RankGroup, rank: usize, arrived: &mut Arrived) -> Result<()> {
    while !unpack(rank, team.link.take(rank)?, arrived)? {}
    Ok(())
}
