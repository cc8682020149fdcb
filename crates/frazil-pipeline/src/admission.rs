//! The way in: tasks are taken in order, one by one or, where they are small, a few at a time.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use frazil_codec::Scratch;
use frazil_types::sync::MutexGuard;

use crate::demand::{Demand, SMALL_TASK_BYTES};
use crate::error::guarded;
use crate::executor::{Run, State};
use crate::scheduler::{Admission, Small};
use crate::unpack::answer_alone;
use crate::{Block, PipelineError, RunStats, Task};

/// Most small tasks done together.
const GROUP_TASKS: usize = 32;

/// Where tasks come from. Locked before the scheduler, never after it.
pub(crate) struct Intake<I, M> {
    tasks: I,
    /// The next tasks: small ones that are admitted together, or one that found too little
    /// memory.
    pending: VecDeque<(M, Demand)>,
    is_done: bool,
}

impl<I, M> Intake<I, M> {
    pub(crate) fn new(tasks: I) -> Self {
        Self {
            tasks,
            pending: VecDeque::new(),
            is_done: false,
        }
    }
}

impl<'a, M, T, E, I, W> Run<'a, M, T, E, I, W>
where
    W: Fn(&M, Vec<Block>, &mut Scratch) -> Result<T, E> + Sync,
    E: From<PipelineError> + Send,
    I: Iterator<Item = Task<M>> + Send,
    M: Send,
    T: Send,
{
    /// Takes the next task in order and admits it if there is memory for it; small tasks that
    /// follow each other are taken together and done here.
    pub(crate) fn admit(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        scratch: &mut Scratch,
    ) -> Result<(), E> {
        // The intake stays locked until the tasks are admitted: that keeps the order.
        let (mut intake, refill) = MutexGuard::unlocked(state, || {
            let mut intake = self.intake.lock();
            let refill = guarded(|| self.refill(&mut intake));
            (intake, refill)
        });
        refill??;
        if intake.pending.is_empty() {
            state.set_exhausted();
            self.workers_wake.notify_all();
            self.deliverer_wakes.notify_all();
            return Ok(());
        }
        let mut group = Vec::new();
        let mut drawn_bytes = 0;
        while let Some((meta, demand)) = intake.pending.pop_front() {
            match state.try_admit(meta, demand, &mut drawn_bytes) {
                Admission::Small(small) => group.push(small),
                // One for each new batch, and one to look for the next task.
                Admission::Queued { batches } => self.wake(state, batches.max(1)),
                Admission::Blocked(meta, demand) => {
                    intake.pending.push_front((meta, demand));
                    break;
                }
            }
        }
        drop(intake);
        if group.is_empty() {
            return Ok(());
        }
        self.wake(state, 1);
        self.run_group(state, group, scratch)?;
        state.give_back(drawn_bytes);
        Ok(())
    }

    /// Takes the next task off the caller's iterator, and those after it as long as all are small.
    fn refill(&self, intake: &mut Intake<I, M>) -> Result<(), PipelineError> {
        if !intake.pending.is_empty() {
            return Ok(());
        }
        let budget_bytes = self.options.budget.capacity_bytes();
        let mut group_bytes = 0;
        while !intake.is_done
            && intake.pending.len() < GROUP_TASKS
            && group_bytes < SMALL_TASK_BYTES
        {
            let Some(task) = intake.tasks.next() else {
                intake.is_done = true;
                break;
            };
            let demand = Demand::new(self.sources, task.requests, task.output_bytes, budget_bytes)?;
            group_bytes += if demand.is_small_and_private() {
                demand.charge_bytes
            } else {
                SMALL_TASK_BYTES
            };
            intake.pending.push_back((task.meta, demand));
        }
        Ok(())
    }

    /// Does small tasks one after the other, from the first read to the result.
    fn run_group(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        group: Vec<Small<M>>,
        scratch: &mut Scratch,
    ) -> Result<(), E> {
        let mut stats = RunStats::default();
        let mut results = Vec::with_capacity(group.len());
        let outcome = MutexGuard::unlocked(state, || {
            guarded(|| {
                for small in group {
                    if self.options.cancel.load(Ordering::Relaxed) {
                        return Err(PipelineError::Interrupted.into());
                    }
                    results.push(self.run_small(small, scratch, &mut stats)?);
                }
                Ok(())
            })
        });
        state.stats.add_work(&stats);
        for (ticket, meta, result) in results {
            self.finish(state, ticket, meta, result);
        }
        outcome?
    }

    fn run_small(
        &self,
        small: Small<M>,
        scratch: &mut Scratch,
        stats: &mut RunStats,
    ) -> Result<(u64, M, T), E> {
        let assembly = small.assembly;
        answer_alone(self.sources, small.needs, &assembly, scratch, stats)?;
        let result = (self.work)(&small.meta, assembly.take_blocks(self.sources), scratch)?;
        Ok((small.ticket, small.meta, result))
    }
}
