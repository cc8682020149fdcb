//! Power cuts, simulated: of what was not waited for, any part may be on the medium, in any order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::script::{Script, holds, mix};
use crate::commit::faults::{self, Event};
use crate::hdf5::recover;

const SECTOR_BYTES: usize = 512;

/// Dice that fall the same way for the same seed.
struct Dice(u64, u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.1 += 1;
        mix(self.0, self.1) % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// The data file as the medium may have it, and how the system has it.
#[derive(Default)]
struct Medium {
    /// Waited for.
    safe: Vec<u8>,
    /// Writes and lengths since.
    pending: Vec<Event>,
    /// Journals by their content; the last is the newest. `None`: there is no such file.
    safe_journal: Option<Vec<u8>>,
    /// What the directory went through since it was waited for.
    pending_journals: Vec<Option<Vec<u8>>>,
    /// Whether the content of the journal being written is on the medium.
    content_is_safe: bool,
}

impl Medium {
    fn take(&mut self, event: &Event) {
        match event {
            Event::Write(..) | Event::SetBytes(_) => self.pending.push(event.clone()),
            Event::Sync => {
                for event in std::mem::take(&mut self.pending) {
                    apply(&mut self.safe, &event, |_| true);
                }
            }
            Event::CreateJournal => self.content_is_safe = false,
            Event::SyncJournal => self.content_is_safe = true,
            Event::NameJournal(content) => {
                let content = if self.content_is_safe {
                    content.clone()
                } else {
                    Vec::new()
                };
                self.pending_journals.push(Some(content));
            }
            Event::MarkJournal => {
                let mut marked = self.safe_journal.clone().unwrap_or_default();
                marked.push(b'A');
                self.pending_journals.push(Some(marked));
            }
            Event::RemoveJournal => self.pending_journals.push(None),
            Event::SyncDirectory => {
                if let Some(last) = self.pending_journals.pop() {
                    self.safe_journal = last;
                }
                self.pending_journals.clear();
            }
            Event::Reserve | Event::EndJournal => {}
        }
    }

    /// What is left when the power goes now.
    fn after_power_cut(&self, dice: &mut Dice) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut bytes = self.safe.clone();
        let mut lengths = vec![bytes.len()];
        for event in &self.pending {
            apply(&mut bytes, event, |_| dice.coin());
            lengths.push(bytes.len());
        }
        bytes.resize(lengths[dice.below(lengths.len() as u64) as usize], 0);
        let kept = dice.below(self.pending_journals.len() as u64 + 1) as usize;
        let journal = match kept.checked_sub(1) {
            None => self.safe_journal.clone(),
            Some(last) => self.pending_journals[last].clone(),
        };
        (bytes, journal)
    }
}

/// Applies one event to a file's bytes; of a write, the sectors that `keep` chooses.
fn apply(bytes: &mut Vec<u8>, event: &Event, mut keep: impl FnMut(usize) -> bool) {
    match event {
        Event::Write(address, new) => {
            let address = *address as usize;
            if bytes.len() < address + new.len() {
                bytes.resize(address + new.len(), 0);
            }
            let mut done = 0;
            while done < new.len() {
                let start = address + done;
                let end = new.len().min(done + SECTOR_BYTES - start % SECTOR_BYTES);
                if keep(start) {
                    bytes[start..address + end].copy_from_slice(&new[done..end]);
                }
                done = end;
            }
        }
        Event::SetBytes(length) => bytes.resize(*length as usize, 0),
        _ => {}
    }
}

fn journal_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".frazil-journal");
    PathBuf::from(name)
}

/// One step of the writer: what it asked for, and the step that was committed at its end.
struct Chapter {
    events: Vec<Event>,
    committed: u64,
}

/// Writes the script and notes all calls; each chapter ends with a step.
fn write(script: Script, path: &Path) -> Vec<Chapter> {
    let output = Script::create(path).unwrap();
    faults::record();
    let mut chapters = Vec::new();
    let mut committed = 0;
    for step in 0..script.steps {
        script
            .run(&output, path, step..step + 1, |step| committed = step)
            .unwrap();
        chapters.push(Chapter {
            events: faults::recorded(),
            committed,
        });
    }
    faults::clear();
    chapters
}

#[test]
fn power_cuts_lose_nothing_that_was_waited_for() {
    const CUTS_PER_CALL: u64 = 12;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let script = Script {
        seed: 5,
        steps: 32,
        every: 8,
        sync: true,
        rewrites: true,
    };
    let chapters = write(script, &path);
    let mut medium = Medium::default();
    let (mut acknowledged, mut calls, mut journals) = (0, 0, 0);
    for chapter in &chapters {
        for event in &chapter.events {
            medium.take(event);
            calls += 1;
            for cut in 0..CUTS_PER_CALL {
                let (bytes, journal) = medium.after_power_cut(&mut Dice(calls, cut << 32));
                journals += u64::from(journal.is_some());
                restore(&path, &bytes, journal);
                let found = recover(&path);
                let next = script.next_commit(acknowledged).min(script.steps);
                let states = [script.state(acknowledged), script.state(next)];
                let is_one = states.iter().any(|state| holds(&path, state).is_ok());
                assert!(
                    is_one || acknowledged == 0,
                    "call {calls}, cut {cut}: {found:?}, {:?}",
                    holds(&path, &states[0])
                );
                assert!(found.is_ok(), "call {calls}, cut {cut}: {found:?}");
            }
        }
        acknowledged = chapter.committed;
    }
    assert!(
        calls > 100 && journals > 100,
        "{calls} calls, {journals} journals"
    );
}

/// Gives the file (not another of the same name) what the medium has.
fn restore(path: &Path, bytes: &[u8], journal: Option<Vec<u8>>) {
    std::fs::write(path, bytes).unwrap();
    match journal {
        Some(content) => std::fs::write(journal_of(path), content).unwrap(),
        None => {
            let _ = std::fs::remove_file(journal_of(path));
        }
    }
}
