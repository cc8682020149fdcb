//! Addresses for all ranks' chunks, given by rank 0.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use frazil_container::hdf5::Hyperslab;
use serde::{Deserialize, Serialize};

use super::super::books::{Books, Counts};
use super::super::buffer::Buffer;
use super::super::errors::lost;
use super::super::held::Record;
use super::super::key::{Key, Name};
use super::super::lease::Lease;
use super::super::pack::CommitStep;
use super::super::summary::RoundingSummary;
use super::super::writer::Writer;
use super::lend::rounds;
use super::ranks::RankGroup;
use super::sink::RankChunks;
use super::wire::{Spot, TextPut, broken};
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};

/// Chunks that get their addresses at a time.
const BATCH: usize = 1 << 16;
/// How often a rank that waits for its packing looks for messages.
const LOOK: Duration = Duration::from_millis(50);

/// What a rank brings to rank 0.
#[derive(Debug, Serialize, Deserialize)]
enum Share {
    /// All its packed chunks.
    Records(Vec<Record>, Vec<(usize, RoundingSummary)>),
    /// What was told is done; these bytes are for rank 0.
    Written(Vec<Vec<u8>>),
}

/// What rank 0 says.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    /// These chunks, by number, move to these addresses: they are read now...
    Read(Vec<(usize, u64)>),
    /// ... and written now: all ranks have read theirs.
    Write,
    /// Where this rank's next chunks go, by the number of its record.
    Batch {
        spots: Vec<(usize, Spot)>,
        is_last: bool,
    },
    /// Everything is committed.
    Done {
        counts: Counts,
        omitted: u64,
        /// Space for what is packed next.
        lease: Option<Lease>,
    },
}

/// One rank's record among all.
pub(super) struct Entry {
    pub(super) rank: usize,
    pub(super) number: usize,
    pub(super) record: Record,
    /// Whether it gets a new place in space that was lent.
    pub(super) gets_place: bool,
    /// Where it lies when all moves are made, in space that was lent.
    pub(super) chosen: Option<u64>,
}

/// What rank 0 has to place.
struct Queue {
    chunks: RankChunks,
    entries: Vec<Entry>,
    /// Moves that are still to be made, in rounds, by rank.
    moves: VecDeque<Vec<Vec<(usize, u64)>>>,
    /// Whether the chunks of a round were read and are not written.
    is_read: bool,
    /// Whether chunks may be entered into the index.
    is_ready: bool,
    /// Where space that was lent ends now; `None`: none was.
    end: Option<u64>,
    next: usize,
    /// By rank: places whose bytes it sends.
    awaited: Vec<Vec<u64>>,
    omitted: u64,
}

/// A chunk on its way from one place of the output to another.
struct Moving {
    key: Key,
    bytes: Arc<Buffer>,
    to: u64,
}

impl Queue {
    /// By rank: the bytes and the number of the chunks that it brings.
    fn usage(&self, ranks: usize) -> Vec<(u64, u64)> {
        let mut usage = vec![(0, 0); ranks];
        for entry in self.entries.iter().filter(|entry| entry.gets_place) {
            usage[entry.rank].0 += entry.record.bytes;
            usage[entry.rank].1 += 1;
        }
        usage
    }
}

impl Writer {
    /// Gives all packed chunks their places, and commits.
    pub(super) fn place_together(
        &mut self,
        team: &mut RankGroup,
        ready: Result<()>,
        is_end: bool,
    ) -> Result<()> {
        let ready = ready.and_then(|()| self.wait_packed(team));
        let chunks = &team.chunks;
        let mut records = Vec::new();
        let mut share = ready.and_then(|()| {
            let mut placing = chunks.placing(&self.submission);
            let sink = &mut placing.sink;
            // What is told of is in the file, and nothing comes later to a place given up.
            if let Err(error) = sink.finish_writes(false) {
                let last = sink.held.last_written().map(Name::from);
                return Err(last.map_or(error.clone(), |last| self.named(error, &last)));
            }
            records = sink.held.records();
            Ok(Share::Records(records.clone(), sink.take_roundings()))
        });
        let (mut queue, mut moving) = (None, Vec::new());
        let round_bytes = team.round_bytes;
        loop {
            let texts = &team.arrived_texts;
            let answer = team.link.consult(share, |link, shares| {
                let queue = match queue.as_mut() {
                    Some(queue) => self.take_written(queue, shares)?,
                    None => queue.insert(self.queue_up(chunks, shares, round_bytes)?),
                };
                self.next_answer(queue, texts, link.size(), is_end)
            })?;
            share = match answer {
                Answer::Read(moves) => self.read_round(chunks, &records, &moves).map(|read| {
                    moving = read;
                    Share::Written(Vec::new())
                }),
                Answer::Write => {
                    let written = self.write_round(chunks, &std::mem::take(&mut moving));
                    written.map(|()| Share::Written(Vec::new()))
                }
                Answer::Batch { spots, is_last } => {
                    let written = self.write_batch(chunks, &records, (&spots, is_last));
                    written.map(Share::Written)
                }
                Answer::Done {
                    counts,
                    omitted,
                    lease,
                } => {
                    let mut placing = chunks.placing(&self.submission);
                    placing.sink.counts = counts;
                    placing.sink.held.clear();
                    placing.sink.held.begin_lease(lease);
                    drop(placing);
                    self.submission.end_period(omitted);
                    return Ok(());
                }
            };
        }
    }

    /// Waits until everything is packed, and lets the others know that it goes on.
    fn wait_packed(&mut self, team: &mut RankGroup) -> Result<()> {
        while !self.submission.is_idle_within(LOOK) {
            team.link.note_work("packing")?;
        }
        self.submission.check()
    }

    /// Writes this rank's chunks; the bytes of those that rank 0 takes.
    fn write_batch(
        &self,
        chunks: &RankChunks,
        records: &[Record],
        (spots, is_last): (&[(usize, Spot)], bool),
    ) -> Result<Vec<Vec<u8>>> {
        let mut for_root = Vec::new();
        let mut placing = chunks.placing(&self.submission);
        let sink = &mut placing.sink;
        for &(number, spot) in spots {
            let record = records.get(number).ok_or_else(lost)?;
            if matches!(spot, Spot::Done | Spot::Omitted) {
                continue;
            }
            let found = sink.held_bytes(&Key::from(&record.name));
            let outcome = found.and_then(|found| {
                let found = found.ok_or_else(lost)?;
                match spot {
                    Spot::At(address) => sink.write_at(&found, address)?,
                    _ => for_root.push(found.to_vec()),
                }
                Ok(())
            });
            outcome.map_err(|error| self.named(error, &record.name))?;
        }
        // What is written at the end is what came last.
        let last = spots.last().and_then(|(number, _)| records.get(*number));
        let outcome = sink.finish_writes(is_last);
        outcome.map_err(|error| match last {
            Some(record) => self.named(error, &record.name),
            None => error,
        })?;
        Ok(for_root)
    }

    /// Reads chunks that are to be moved.
    fn read_round(
        &self,
        chunks: &RankChunks,
        records: &[Record],
        moves: &[(usize, u64)],
    ) -> Result<Vec<Moving>> {
        let mut placing = chunks.placing(&self.submission);
        let sink = &mut placing.sink;
        let read = moves.iter().map(|&(number, to)| {
            let name = &records.get(number).ok_or_else(lost)?.name;
            let key = Key::from(name);
            let bytes = sink.held_bytes(&key).and_then(|b| b.ok_or_else(lost));
            let bytes = bytes.map_err(|error| self.named(error, name))?;
            Ok(Moving { key, bytes, to })
        });
        read.collect()
    }

    /// Writes them where they belong.
    fn write_round(&self, chunks: &RankChunks, moving: &[Moving]) -> Result<()> {
        let mut placing = chunks.placing(&self.submission);
        let sink = &mut placing.sink;
        for Moving { key, bytes, to } in moving {
            let outcome = sink.write_at(bytes, *to);
            outcome.map_err(|error| self.named(error, &Name::from(key)))?;
            sink.held.note_written(key, *to);
        }
        // What is written at the end is what came last.
        let outcome = sink.finish_writes(false);
        outcome.map_err(|error| match moving.last() {
            Some(last) => self.named(error, &Name::from(&last.key)),
            None => error,
        })
    }

    fn named(&self, error: Error, name: &Name) -> Error {
        let path = self.schema.variable_path(VariableId(name.variable));
        error.at_variable(&path)
    }

    // --- rank 0 ---

    /// Puts all ranks' chunks in order, and decides where they go if space was lent.
    fn queue_up(&self, chunks: &RankChunks, shares: Vec<Share>, round_bytes: u64) -> Result<Queue> {
        let mut entries = Vec::new();
        let mut placing = chunks.placing(&self.submission);
        let root = placing.sink.root()?;
        let ranks = shares.len();
        for (rank, share) in shares.into_iter().enumerate() {
            let Share::Records(records, roundings) = share else {
                return Err(broken("chunks come where there are none"));
            };
            for (number, summary) in roundings {
                let id = VariableId(number);
                root.books.merge_rounding(id, &summary.into());
            }
            for (number, record) in records.into_iter().enumerate() {
                let variable = self.variable(record.name.variable).ok_or_else(lost)?;
                entries.push(Entry {
                    rank,
                    number,
                    gets_place: root.gets_place(variable, &record),
                    chosen: None,
                    record,
                });
            }
        }
        entries.sort_by(|a, b| a.record.name.cmp(&b.record.name));
        let arrangement = root.arrange(&mut entries);
        let moves = arrangement.as_ref().map_or(&[][..], |found| &found.moves);
        let stored: Vec<&Entry> = entries.iter().filter(|entry| entry.gets_place).collect();
        Ok(Queue {
            chunks: chunks.clone(),
            moves: rounds(moves, &stored, ranks, round_bytes),
            is_read: false,
            is_ready: false,
            end: arrangement.map(|found| found.end),
            entries,
            next: 0,
            awaited: vec![Vec::new(); ranks],
            omitted: 0,
        })
    }

    /// All datasets are made before there are values, in the order of their definition.
    fn make_datasets(&self, books: &mut Books) -> Result<()> {
        for number in 0..self.details.len() {
            let id = VariableId(number);
            let is_text = self.schema.variables[number].value_type.is_indirect();
            let details = &self.details[number];
            if details.active.is_none() && details.existing.is_some() && !is_text {
                // Nobody has put to it.
                continue;
            }
            match &details.active {
                None => {
                    let shape = self.schema.first_shape(id);
                    books.prepare_indirect(id, &shape, &self.indirect_storage(id))?;
                }
                Some(variable) => {
                    let shape = self.schema.shape(id);
                    let outcome = books.prepare(variable, &shape);
                    outcome.map_err(|error| error.at_variable(&variable.path))?;
                }
            }
        }
        Ok(())
    }

    /// Writes texts in the order of their places, whoever has put them: of those for the same
    /// place the last one.
    fn write_texts(&self, books: &mut Books, puts: &[TextPut]) -> Result<()> {
        let mut texts = BTreeMap::new();
        for put in puts {
            texts.extend(put.elements().map(|(at, text)| ((put.variable, at), text)));
        }
        for ((number, at), text) in texts {
            let id = VariableId(number);
            let shape = self.schema.shape_up_to(id, |axis| at[axis] + 1);
            books.prepare_indirect(id, &shape, &self.indirect_storage(id))?;
            let slab = Hyperslab {
                start: &at,
                count: &vec![1; at.len()],
                stride: None,
            };
            let text = std::slice::from_ref(text);
            let outcome = books.with(|output| output.write_strings(id, Some(slab), text));
            outcome.map_err(|error| error.at_variable(&self.schema.variable_path(id)))?;
        }
        Ok(())
    }

    /// Takes the bytes that belong to places of the last commit.
    fn take_written<'a>(&self, queue: &'a mut Queue, shares: Vec<Share>) -> Result<&'a mut Queue> {
        let mut placing = queue.chunks.placing(&self.submission);
        for (share, places) in shares.into_iter().zip(&mut queue.awaited) {
            let Share::Written(all) = share else {
                return Err(broken("it is of another step"));
            };
            if all.len() != places.len() {
                return Err(broken("it has other chunks than were asked for"));
            }
            for (bytes, address) in all.iter().zip(places.drain(..)) {
                placing.sink.root()?.supply(address, bytes)?;
            }
        }
        if queue.is_ready {
            placing.sink.limit_pending()?;
        }
        drop(placing);
        Ok(queue)
    }

    fn next_answer(
        &self,
        queue: &mut Queue,
        texts: &[TextPut],
        ranks: usize,
        is_end: bool,
    ) -> Result<Vec<Answer>> {
        if std::mem::take(&mut queue.is_read) {
            return Ok((0..ranks).map(|_| Answer::Write).collect());
        }
        if let Some(round) = queue.moves.pop_front() {
            queue.is_read = true;
            return Ok(round.into_iter().map(Answer::Read).collect());
        }
        if !std::mem::replace(&mut queue.is_ready, true) {
            let mut placing = queue.chunks.placing(&self.submission);
            let root = placing.sound()?.root()?;
            if let Some(end) = queue.end {
                root.take_back(end)?;
            }
            self.make_datasets(&mut root.books)?;
            self.write_texts(&mut root.books, texts)?;
        }
        self.next_batch(queue, ranks, is_end)
    }

    fn next_batch(&self, queue: &mut Queue, ranks: usize, is_end: bool) -> Result<Vec<Answer>> {
        if queue.next == queue.entries.len() && queue.next > 0 || queue.entries.is_empty() {
            return self.done(queue, ranks, is_end);
        }
        let mut spots = vec![Vec::new(); ranks];
        let mut placing = queue.chunks.placing(&self.submission);
        let sink = &mut placing.sink;
        let limit_bytes = sink.root()?.books.pending_limit_bytes;
        let (mut placed, mut held_bytes) = (0, 0);
        while let Some(entry) = queue.entries.get(queue.next) {
            if placed == BATCH || held_bytes > limit_bytes {
                break;
            }
            let variable = self.details[entry.record.name.variable].active.as_ref();
            let variable = variable.ok_or_else(lost)?;
            let (spot, address) = sink.place_record(variable, &entry.record, entry.chosen)?;
            if let Some(chosen) = entry.chosen.filter(|_| spot != Spot::Done) {
                let gap = (chosen, entry.record.bytes);
                sink.root()?.lending.add_gap(gap);
            }
            match spot {
                Spot::Held => {
                    held_bytes += entry.record.bytes;
                    queue.awaited[entry.rank].push(address);
                }
                Spot::Omitted => queue.omitted += u64::from(entry.record.is_omissible),
                Spot::At(_) | Spot::Done => {}
            }
            spots[entry.rank].push((entry.number, spot));
            (placed, queue.next) = (placed + 1, queue.next + 1);
        }
        let is_last = queue.next == queue.entries.len();
        let answers = spots.into_iter();
        Ok(answers
            .map(|spots| Answer::Batch { spots, is_last })
            .collect())
    }

    fn done(&self, queue: &Queue, ranks: usize, is_end: bool) -> Result<Vec<Answer>> {
        let mut placing = queue.chunks.placing(&self.submission);
        placing.sink.commit(&CommitStep {
            lengths: self.lengths(),
            variables: self.details.iter().map(|d| d.active.clone()).collect(),
        })?;
        let root = placing.sound()?.root()?;
        let mut leases = vec![None; ranks];
        if is_end {
            root.books.finish()?;
        } else if self.options.follow_ranks {
            root.expect_usage(&queue.usage(ranks));
            leases = root.lend(ranks)?;
        }
        let counts = root.books.counts;
        let done = |lease| Answer::Done {
            counts,
            omitted: queue.omitted,
            lease,
        };
        Ok(leases.into_iter().map(done).collect())
    }
}
