//! The caller's side of background work: what is decided, what was submitted, and room for more.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frazil_container::classic::ClassicModel;
use frazil_pipeline::{Background, Charge, MemoryBudget};
use parking_lot::{Mutex, MutexGuard};

use super::options::WriterOptions;
use super::pack::{ChunkJob, Content, Job, Packed, Place};
use super::partial::constant;
use super::placing::{Placing, PlacingOptions};
use super::store::{Key, Store};
use super::variable::{Variable, samples};
use crate::error::{Error, Result};
use crate::new_file::not_enough_memory;
use crate::options::Resources;
use crate::output::METADATA_BLOCK_BYTES;
use crate::run;

/// The output is defined, decided or not, once chunks of this part of the memory wait for it.
const WAITING_SHARE: u64 = 4;
/// Rewritten bytes that wait for a commit get this part of the memory.
const PENDING_SHARE: u64 = 8;
/// ... and not less than this: commits have a price.
const LEAST_PENDING_BYTES: u64 = 1 << 20;
/// What packed bytes may take beyond the raw ones.
const PACKED_SLACK_BYTES: u64 = 1024;

/// Hands chunks to the background threads.
pub(super) struct Submission {
    // Ended before the placer goes.
    background: Background<Job, Result<Packed>>,
    placing: Arc<Mutex<Placing>>,
    has_failed: Arc<AtomicBool>,
    resources: Resources,
    budget: Arc<MemoryBudget>,
    variables: Vec<Arc<Variable>>,
    /// By variable: whether a job decides its filters.
    is_decided: Vec<bool>,
    /// By variable: constant chunks that wait until its filters are decided.
    undecided: Vec<Vec<HeldConstant>>,
    is_defined: bool,
    /// Raw bytes submitted before the output is defined.
    waiting_bytes: u64,
    /// Chunks that have, or are about to have, values in the file.
    submitted: HashSet<Key>,
    pub(super) omitted: u64,
    pub(super) stalled: Duration,
}

/// A constant chunk whose variable's filters are not decided.
struct HeldConstant {
    key: Key,
    shape: Vec<u64>,
    element: Vec<u8>,
}

impl Submission {
    pub(super) fn start(
        path: &Path,
        model: ClassicModel,
        variables: Vec<Arc<Variable>>,
        memory_bytes: u64,
        options: &WriterOptions,
    ) -> Result<Self> {
        let has_failed = Arc::new(AtomicBool::new(false));
        let how = PlacingOptions {
            is_durable: options.durable,
            metadata_block_bytes: METADATA_BLOCK_BYTES,
            pending_limit_bytes: (memory_bytes / PENDING_SHARE).max(LEAST_PENDING_BYTES),
        };
        let placing = Placing::new(path, model, &how, Arc::clone(&has_failed))?;
        let placing = Arc::new(Mutex::new(placing));
        let threads = match options.synchronous {
            true => 0,
            false => run::threads(&options.resources),
        };
        let placer = Arc::clone(&placing);
        let background = Background::start(threads, Job::run, move |outcome| {
            placer.lock().take(outcome);
        });
        Ok(Self {
            background,
            placing,
            has_failed,
            resources: options.resources.clone(),
            budget: Arc::new(MemoryBudget::new(memory_bytes)),
            // Contiguous variables have no filters to decide.
            is_decided: variables.iter().map(|v| v.is_contiguous).collect(),
            undecided: variables.iter().map(|_| Vec::new()).collect(),
            variables,
            is_defined: false,
            waiting_bytes: 0,
            submitted: HashSet::new(),
            omitted: 0,
            stalled: Duration::ZERO,
        })
    }

    /// The error that ended the background work, if one did.
    pub(super) fn check(&self) -> Result<()> {
        if self.has_failed.load(Ordering::Acquire) {
            return self.placing.lock().failure().map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// The placer, once nothing is under way.
    pub(super) fn placing(&self) -> MutexGuard<'_, Placing> {
        self.background.wait_idle();
        self.placing.lock()
    }

    /// Time that background threads have worked.
    pub(super) fn busy(&self) -> Duration {
        self.background.busy()
    }

    /// Whether a chunk has, or is about to have, values in the file.
    pub(super) fn is_submitted(&self, key: &Key) -> bool {
        self.submitted.contains(key)
    }

    /// Memory for `bytes`: waits for chunks under way, then spills chunks of `store`.
    pub(super) fn room(&mut self, bytes: u64, store: &mut Store) -> Result<Charge> {
        if let Some(charge) = self.budget.charge(bytes) {
            return Ok(charge);
        }
        let began = Instant::now();
        let outcome = self.make_room(bytes, store);
        self.stalled += began.elapsed();
        outcome
    }

    fn make_room(&self, bytes: u64, store: &mut Store) -> Result<Charge> {
        loop {
            if let Some(charge) = self.background.acquire(&self.budget, bytes) {
                return Ok(charge);
            }
            self.check()?;
            if !store.spill_oldest()? {
                return Err(not_enough_memory(bytes, &self.resources));
            }
        }
    }

    /// Memory for the packed bytes of a variable's chunk.
    pub(super) fn packed_room(&mut self, variable: &Variable, store: &mut Store) -> Result<Charge> {
        self.room(variable.chunk_bytes as u64 + PACKED_SLACK_BYTES, store)
    }

    /// Submits a chunk's values for packing; those that are one element over and over are known
    /// before any work.
    pub(super) fn submit(
        &mut self,
        key: Key,
        shape: Vec<u64>,
        content: Content,
        content_charge: Charge,
        packed_charge: Charge,
    ) -> Result<()> {
        self.check()?;
        let variable = &self.variables[key.variable];
        let content = match content {
            Content::Values(values) if !variable.is_contiguous => {
                match constant(&values, variable.element_bytes()) {
                    Some(element) => Content::Constant(element.to_vec()),
                    None => {
                        let samples = || samples(&values, variable.element_bytes());
                        let samples = (!self.is_decided[key.variable]).then(samples);
                        if let Some(samples) = samples {
                            self.decide(key.variable, samples)?;
                        }
                        Content::Values(values)
                    }
                }
            }
            other => other,
        };
        if let Content::Constant(element) = content {
            drop(content_charge);
            return self.submit_constant(key, shape, element, packed_charge);
        }
        self.waiting_bytes += content_charge.bytes();
        self.submit_chunk(key, shape, content, Some(content_charge), packed_charge);
        self.define_if_due()
    }

    /// Submits a chunk of one element over and over, unless readers know it anyway; before its
    /// filters are decided it waits for them.
    fn submit_constant(
        &mut self,
        key: Key,
        shape: Vec<u64>,
        element: Vec<u8>,
        packed_charge: Charge,
    ) -> Result<()> {
        let number = key.variable;
        if self.variables[number].may_omit(&element) && !self.submitted.contains(&key) {
            self.omitted += 1;
        } else if self.is_decided[number] {
            let content = Content::Constant(element);
            self.submit_chunk(key, shape, content, None, packed_charge);
        } else {
            self.submitted.insert(key.clone());
            let held = HeldConstant {
                key,
                shape,
                element,
            };
            self.undecided[number].push(held);
        }
        Ok(())
    }

    fn submit_chunk(
        &mut self,
        key: Key,
        shape: Vec<u64>,
        content: Content,
        content_charge: Option<Charge>,
        packed_charge: Charge,
    ) {
        self.submitted.insert(key.clone());
        self.background.submit(Job::Chunk(ChunkJob {
            place: Place {
                variable: Arc::clone(&self.variables[key.variable]),
                offset: key.offset,
                shape,
            },
            content,
            content_charge,
            packed_charge,
        }));
    }

    /// Whether a job decides a variable's filters.
    pub(super) fn is_decided(&self, number: usize) -> bool {
        self.is_decided[number]
    }

    /// Has a variable's filters decided by these values unless they are one element over and over.
    pub(super) fn decide_by(&mut self, number: usize, values: &[u8]) -> Result<()> {
        let size = self.variables[number].element_bytes();
        match constant(values, size) {
            None if !values.is_empty() => self.decide(number, samples(values, size)),
            _ => Ok(()),
        }
    }

    /// Has a variable's filters decided, if they are not, and submits what waited for that.
    fn decide(&mut self, number: usize, samples: Vec<Vec<u8>>) -> Result<()> {
        if std::mem::replace(&mut self.is_decided[number], true) {
            return Ok(());
        }
        self.background.submit(Job::Decide {
            variable: Arc::clone(&self.variables[number]),
            samples,
        });
        for held in std::mem::take(&mut self.undecided[number]) {
            // Packed constants are small, and most of them share their bytes.
            let packed_charge = self.budget.charge(0);
            let packed_charge =
                packed_charge.ok_or_else(|| not_enough_memory(0, &self.resources))?;
            let content = Content::Constant(held.element);
            self.submit_chunk(held.key, held.shape, content, None, packed_charge);
        }
        Ok(())
    }

    /// Has the output defined once all variables are decided or too much waits for it.
    fn define_if_due(&mut self) -> Result<()> {
        let limit_bytes = self.budget.capacity_bytes() / WAITING_SHARE;
        let is_due = self.is_decided.iter().all(|&is| is) || self.waiting_bytes > limit_bytes;
        if is_due { self.define() } else { Ok(()) }
    }

    /// Has the output defined. Variables without a chunk to try filters on get shuffle and deflate.
    pub(super) fn define(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_defined, true) {
            return Ok(());
        }
        for number in 0..self.variables.len() {
            self.decide(number, Vec::new())?;
        }
        self.background.submit(Job::Define(self.variables.clone()));
        Ok(())
    }

    /// The stored bytes of a chunk that was placed.
    pub(super) fn read_stored(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.placing.lock().read(key)
    }

    /// Whether readers can open the file.
    pub(super) fn has_commit(&self) -> bool {
        self.placing.lock().has_commit()
    }

    /// Makes an error of the caller's side last.
    pub(super) fn fail(&self, error: Error) -> Error {
        self.placing.lock().fail(error)
    }
}
