//! Addresses for all ranks' chunks, given by rank 0.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use frazil_container::hdf5::Hyperslab;
use serde::{Deserialize, Serialize};

use super::super::key::Key;
use super::super::pack::CommitStep;
use super::super::placing::Counts;
use super::super::writer::{Writer, lost};
use super::Team;
use super::wire::{Name, Record, Rounded, Spot, TextPut, broken};
use crate::error::{Error, Result};
use crate::input::from_container;
use crate::schema::VariableId;

/// Chunks that get their addresses at a time.
const BATCH: usize = 1 << 16;
/// How often a rank that waits for its packing looks for messages.
const LOOK: Duration = Duration::from_millis(50);

/// What a rank brings to rank 0.
#[derive(Debug, Serialize, Deserialize)]
enum Share {
    /// All its packed chunks.
    Records(Vec<Record>, Vec<Rounded>),
    /// The bytes of a batch are written; these are for rank 0.
    Written(Vec<Vec<u8>>),
}

/// What rank 0 says.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    /// Where this rank's next chunks go, by the number of its record.
    Batch {
        spots: Vec<(usize, Spot)>,
        is_last: bool,
    },
    /// Everything is committed.
    Done { counts: Counts, omitted: u64 },
}

/// One rank's record among all.
struct Entry {
    rank: usize,
    number: usize,
    record: Record,
}

/// What rank 0 has to place.
struct Queue {
    entries: Vec<Entry>,
    next: usize,
    /// By rank: places whose bytes it sends.
    awaited: Vec<Vec<u64>>,
    omitted: u64,
}

impl Writer {
    /// Gives all packed chunks their places, and commits.
    pub(super) fn place_together(
        &mut self,
        team: &mut Team,
        ready: Result<()>,
        is_end: bool,
    ) -> Result<()> {
        let ready = ready.and_then(|()| self.wait_packed(team));
        let mut records = Vec::new();
        let mut share = ready.and_then(|()| {
            let mut placing = self.submission.placing();
            records = placing.held()?.records();
            Ok(Share::Records(records.clone(), placing.take_roundings()))
        });
        let mut queue = None;
        loop {
            let texts = &team.arrived_texts;
            let answer = team.link.consult(share, |link, shares| {
                let queue = match queue.as_mut() {
                    Some(queue) => self.take_written(queue, shares)?,
                    None => queue.insert(self.queue_up(shares, texts)?),
                };
                self.next_batch(queue, link.size(), is_end)
            })?;
            share = match answer {
                Answer::Batch { spots, is_last } => {
                    let written = self.write_batch(&records, &spots, is_last);
                    written.map(Share::Written)
                }
                Answer::Done { counts, omitted } => {
                    let mut placing = self.submission.placing();
                    placing.counts = counts;
                    placing.held()?.clear();
                    drop(placing);
                    self.submission.end_period(omitted);
                    return Ok(());
                }
            };
        }
    }

    /// Waits until everything is packed, and lets the others know that it goes on.
    fn wait_packed(&mut self, team: &mut Team) -> Result<()> {
        while !self.submission.is_idle_within(LOOK) {
            team.link.note_work("packing")?;
        }
        self.submission.check()
    }

    /// Writes this rank's chunks; the bytes of those that rank 0 takes.
    fn write_batch(
        &mut self,
        records: &[Record],
        spots: &[(usize, Spot)],
        is_last: bool,
    ) -> Result<Vec<Vec<u8>>> {
        let mut for_root = Vec::new();
        let mut placing = self.submission.placing();
        for &(number, spot) in spots {
            let record = records.get(number).ok_or_else(lost)?;
            let bytes = || -> Result<Arc<Vec<u8>>> { Err(lost()) };
            let key = Key::from(&record.name);
            let found = placing.held()?.bytes(&key)?.map_or_else(bytes, Ok)?;
            let outcome = match spot {
                Spot::At(address) => placing.write_at(&found, address),
                Spot::Held => {
                    for_root.push(found.to_vec());
                    Ok(())
                }
                Spot::Omitted => Ok(()),
            };
            outcome.map_err(|error| self.named(error, &record.name))?;
        }
        // What is written at the end is what came last.
        let last = spots.last().and_then(|(number, _)| records.get(*number));
        let outcome = placing.finish_writes(is_last);
        outcome.map_err(|error| match last {
            Some(record) => self.named(error, &record.name),
            None => error,
        })?;
        Ok(for_root)
    }

    fn named(&self, error: Error, name: &Name) -> Error {
        let path = self.schema.variable_path(VariableId(name.variable));
        error.at_variable(&path)
    }

    // --- rank 0 ---

    /// Puts all ranks' chunks in order; makes all datasets, and writes all texts.
    fn queue_up(&mut self, shares: Vec<Share>, texts: &[TextPut]) -> Result<Queue> {
        let mut entries = Vec::new();
        let mut placing = self.submission.placing();
        let ranks = shares.len();
        for (rank, share) in shares.into_iter().enumerate() {
            let Share::Records(records, roundings) = share else {
                return Err(broken("chunks come where there are none"));
            };
            for rounded in roundings {
                placing.merge_rounding(VariableId(rounded.variable), &rounded.stats());
            }
            let numbered = records.into_iter().enumerate();
            entries.extend(numbered.map(|(number, record)| Entry {
                rank,
                number,
                record,
            }));
        }
        drop(placing);
        entries.sort_by(|a, b| a.record.name.cmp(&b.record.name));
        self.make_datasets()?;
        self.write_texts(texts)?;
        Ok(Queue {
            entries,
            next: 0,
            awaited: vec![Vec::new(); ranks],
            omitted: 0,
        })
    }

    /// All datasets are made before there are values, in the order of their definition.
    fn make_datasets(&mut self) -> Result<()> {
        for number in 0..self.details.len() {
            let id = VariableId(number);
            if self.details[number].active.is_none() {
                let storage = self.strings_storage(id);
                let lengths = self.lengths();
                let mut placing = self.submission.placing();
                placing.plain_output(id, &lengths, &storage)?;
            } else if let Some(variable) = &self.details[number].active {
                let shape = self.schema.shape(id);
                let outcome = self.submission.placing().prepare(variable, &shape);
                outcome.map_err(|error| error.at_variable(&variable.path))?;
            }
        }
        Ok(())
    }

    /// Writes texts in the order of their places, whoever has put them: of those for the same
    /// place the last one.
    fn write_texts(&mut self, puts: &[TextPut]) -> Result<()> {
        let mut texts = BTreeMap::new();
        for put in puts {
            texts.extend(put.elements().map(|(at, text)| ((put.variable, at), text)));
        }
        for ((number, at), text) in texts {
            let id = VariableId(number);
            let slab = Hyperslab {
                start: &at,
                count: &vec![1; at.len()],
                stride: None,
            };
            let mut placing = self.submission.placing();
            let outcome =
                placing
                    .output()?
                    .write_strings(id, Some(slab), std::slice::from_ref(text));
            outcome.map_err(|error| {
                let error = from_container(error, &self.path);
                error.at_variable(&self.schema.variable_path(id))
            })?;
        }
        Ok(())
    }

    /// Takes the bytes that belong to places of the last commit.
    fn take_written<'a>(
        &mut self,
        queue: &'a mut Queue,
        shares: Vec<Share>,
    ) -> Result<&'a mut Queue> {
        let mut placing = self.submission.placing();
        for (share, places) in shares.into_iter().zip(&mut queue.awaited) {
            let Share::Written(all) = share else {
                return Err(broken("it is of another step"));
            };
            if all.len() != places.len() {
                return Err(broken("it has other chunks than were asked for"));
            }
            for (bytes, address) in all.iter().zip(places.drain(..)) {
                placing.supply(address, bytes)?;
            }
        }
        placing.limit_pending()?;
        drop(placing);
        Ok(queue)
    }

    fn next_batch(&mut self, queue: &mut Queue, ranks: usize, is_end: bool) -> Result<Vec<Answer>> {
        if queue.next == queue.entries.len() && queue.next > 0 || queue.entries.is_empty() {
            return self.done(queue.omitted, ranks, is_end);
        }
        let mut spots = vec![Vec::new(); ranks];
        let mut placing = self.submission.placing();
        let (mut placed, mut held_bytes) = (0, 0);
        while let Some(entry) = queue.entries.get(queue.next) {
            if placed == BATCH || held_bytes > placing.pending_limit_bytes {
                break;
            }
            let variable = self.details[entry.record.name.variable].active.as_ref();
            let variable = variable.ok_or_else(lost)?;
            let (spot, address) = placing.place_record(variable, &entry.record)?;
            match spot {
                Spot::Held => {
                    held_bytes += entry.record.bytes;
                    queue.awaited[entry.rank].push(address);
                }
                Spot::Omitted => queue.omitted += u64::from(entry.record.is_omissible),
                Spot::At(_) => {}
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

    fn done(&mut self, omitted: u64, ranks: usize, is_end: bool) -> Result<Vec<Answer>> {
        let mut placing = self.submission.placing();
        placing.commit(&CommitStep {
            lengths: self.lengths(),
            variables: self.details.iter().map(|d| d.active.clone()).collect(),
        })?;
        if is_end {
            placing.finish()?;
        }
        let done = |_| Answer::Done {
            counts: placing.counts,
            omitted,
        };
        Ok((0..ranks).map(done).collect())
    }
}
