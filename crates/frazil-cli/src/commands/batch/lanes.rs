//! Several files at a time, within the threads and the memory of one run.
//!
//! A small file is over before its threads have met, so that many of them are worked on at a time with one
//! thread each; a large one has enough work for all threads, and gets all memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::{io, iter};

use frazil::Resources;

use super::{Account, Chosen, FileReport, Outcome};

/// Files of fewer bytes are small.
const SMALL_BYTES: u64 = 16 << 20;
/// Of fewer files than this, each has all threads: its progress and its table are shown.
const MANY: usize = 9;
/// What a file gets of the memory at least: each takes some 10 MiB beside its chunks.
const LEAST_SHARE_BYTES: u64 = 32 << 20;
/// The main thread of a file does little but wait for the packing threads.
const STACK_BYTES: usize = 4 << 20;

/// What one file gets of a run's threads and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) threads: usize,
    pub(crate) memory_bytes: u64,
}

impl Share {
    /// These limits, for work that this flag stops.
    pub(crate) fn resources(self, cancel: &Arc<AtomicBool>) -> Resources {
        Resources {
            threads: self.threads,
            memory_bytes: self.memory_bytes,
            cancel: Arc::clone(cancel),
        }
    }

    /// The share of one of `lanes` files at a time.
    fn of(resources: &Resources, lanes: usize) -> Self {
        let threads = all_threads(resources);
        match lanes {
            0 | 1 => Self {
                threads: resources.threads,
                memory_bytes: resources.memory_bytes,
            },
            lanes => Self {
                threads: (threads / lanes).max(1),
                memory_bytes: resources.memory_bytes / lanes as u64,
            },
        }
    }
}

fn all_threads(resources: &Resources) -> usize {
    match resources.threads {
        0 => thread::available_parallelism().map_or(1, std::num::NonZero::get),
        threads => threads,
    }
}

/// Whether there are so many files that each is told of in one line.
pub(super) fn are_many(files: usize) -> bool {
    files >= MANY
}

/// Files that are worked on together.
struct Phase {
    /// Their numbers.
    files: Vec<usize>,
    lanes: usize,
}

/// First small files, several at a time, then large ones; with a number of `jobs` all of them so many at a
/// time, as far as there is memory for each.
fn phases(chosen: &[Chosen], jobs: Option<usize>, resources: &Resources) -> [Phase; 2] {
    let room = (resources.memory_bytes / LEAST_SHARE_BYTES).max(1);
    let most = |lanes: usize| lanes.min(usize::try_from(room).unwrap_or(usize::MAX));
    let size = |one: &Chosen| one.path.metadata().map_or(0, |found| found.len());
    let all = 0..chosen.len();
    let (small, large) = match jobs {
        Some(_) => (all.collect(), Vec::new()),
        None if are_many(chosen.len()) => all.partition(|&i| size(&chosen[i]) < SMALL_BYTES),
        None => (Vec::new(), all.collect()),
    };
    let lanes = most(jobs.unwrap_or_else(|| all_threads(resources)));
    [
        Phase {
            files: small,
            lanes,
        },
        Phase {
            files: large,
            lanes: 1,
        },
    ]
}

/// Does `work` on each file and tells `account` what came of it. A file that does not fit into its share of
/// the memory is worked on once more, alone.
///
/// # Errors
/// Those of telling.
pub(crate) fn each<R: FileReport>(
    chosen: &[Chosen],
    jobs: Option<usize>,
    resources: &Resources,
    account: &mut Account<'_, R>,
    work: &(impl Fn(&Chosen, Share, &mut dyn frazil::Progress) -> Outcome<R> + Sync),
) -> io::Result<()> {
    let cancel = &*resources.cancel;
    let [mut shared, mut alone] = phases(chosen, jobs, resources);
    if shared.lanes > 1 {
        let share = Share::of(resources, shared.lanes);
        let task = |i: usize| work(&chosen[i], share, &mut frazil::Silent);
        at_a_time(&shared, cancel, &task, |i, outcome| {
            match outcome.needs_more_memory() {
                true => alone.files.push(i),
                false => account.finished(&chosen[i], outcome)?,
            }
            Ok(())
        })?;
    } else {
        shared.files.append(&mut alone.files);
        alone = shared;
    }
    let share = Share::of(resources, 1);
    for i in alone.files {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        let outcome = account.watched(&chosen[i], |progress| work(&chosen[i], share, progress));
        account.finished(&chosen[i], outcome)?;
    }
    Ok(())
}

/// Does `task` for each file of a phase, on as many threads as it has lanes.
fn at_a_time<R: Send>(
    phase: &Phase,
    cancel: &AtomicBool,
    task: &(impl Fn(usize) -> Outcome<R> + Sync),
    mut tell: impl FnMut(usize, Outcome<R>) -> io::Result<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let take = || match cancel.load(Ordering::Relaxed) {
        true => None,
        false => phase
            .files
            .get(next.fetch_add(1, Ordering::Relaxed))
            .copied(),
    };
    let lane = |sender: Sender<(usize, Outcome<R>)>| {
        for i in iter::from_fn(take) {
            if sender.send((i, task(i))).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for number in 0..phase.lanes.min(phase.files.len()) {
            let sender = sender.clone();
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, || lane(sender)) {
                Ok(_) => {}
                // Those that there are do the work.
                Err(_) if number > 0 => break,
                Err(error) => return Err(error),
            }
        }
        drop(sender);
        receiver
            .into_iter()
            .try_for_each(|(i, outcome)| tell(i, outcome))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(count: usize) -> Vec<Chosen> {
        let one = |i: usize| Chosen {
            path: format!("{i}.nc").into(),
            folder: "".into(),
            unlisted: None,
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn all_shares_together_are_no_more_than_the_whole() {
        for (threads, memory_bytes) in [(2, 256 << 20), (16, 64 << 20), (4, 1 << 20)] {
            let resources = Resources {
                threads,
                memory_bytes,
                ..Resources::default()
            };
            let [phase, _] = phases(&chosen(100), Some(8), &resources);
            let share = Share::of(&resources, phase.lanes);
            assert!(share.memory_bytes * phase.lanes as u64 <= memory_bytes);
            assert!(share.memory_bytes >= LEAST_SHARE_BYTES.min(memory_bytes));
            assert!(phase.lanes <= 8 && phase.files.len() == 100);
        }
    }

    #[test]
    fn few_files_have_all_threads_and_small_ones_of_many_one_each() {
        let resources = Resources {
            threads: 4,
            ..Resources::default()
        };
        let [shared, alone] = phases(&chosen(3), None, &resources);
        assert_eq!(
            (shared.files.len(), alone.files.len(), alone.lanes),
            (0, 3, 1)
        );
        let [shared, alone] = phases(&chosen(30), None, &resources);
        assert_eq!(
            (shared.files.len(), alone.files.len(), shared.lanes),
            (30, 0, 4)
        );
        assert_eq!(Share::of(&resources, 4).threads, 1);
    }
}
