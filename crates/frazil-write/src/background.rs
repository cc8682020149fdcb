//! The caller's side of background work: what is decided, what was submitted, and room for more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frazil_pipeline::{Background, Charge};
use frazil_types::repeated_element;
use frazil_types::sync::{Mutex, MutexGuard};

use super::key::{Key, KeySet};
use super::options::Cores;
use super::pack::{ChooseJob, ChunkJob, Content, Job, Packed, Place, Step, StoredChunk};
use super::shared::{Division, Membership};
use super::sink::Placing;
use super::store::Store;
use super::variable::{Choice, Filters, Variable, samples};
use frazil_file::error::{Error, Result};
use frazil_file::resources::{Resources, not_enough_memory};

/// What packed bytes may take beyond the raw ones.
const PACKED_SLACK_BYTES: u64 = 1024;

/// A thread packs with intermediate results and tables of this many chunks' size.
const SCRATCH_CHUNKS: u64 = 3;

/// Chunks up to this size take less time to pack than threads to wake.
const SMALL_CHUNK_BYTES: usize = 4096;

/// Hands chunks to the background threads.
pub(super) struct PackQueue {
    // Ended before the placer goes.
    background: Background<Job, Result<Packed>>,
    placing: Arc<Mutex<Placing>>,
    has_failed: Arc<AtomicBool>,
    resources: Resources,
    /// The chunks being gathered.
    store: Store,
    /// What all writers of the process share.
    shared: Membership,
    /// The budget's at the start.
    memory_bytes: u64,
    /// Of that, what the caller has.
    left_bytes: u64,
    /// Of that, what background threads work with.
    scratch_bytes: u64,
    threads: u64,
    /// By variable.
    choices: Vec<Choices>,
    /// Chunks that have, or are about to have, values in the file; of ranks that write together those
    /// since their last commit.
    submitted: KeySet,
    /// Whether chunks that readers know without them are left out here.
    omits: bool,
    pub(super) omitted: u64,
    pub(super) stalled: Duration,
}

/// How far the choice of a variable's filters is.
#[derive(Default)]
struct Choices {
    /// The choice that chunks are packed by now.
    now: Option<Choice>,
    /// Whether it was made by trial, or leaves nothing open.
    is_final: bool,
    /// Constant chunks that wait for the first choice.
    held: Vec<HeldConstant>,
    /// Whether a chunk was handed on, or left out.
    has_any: bool,
}

/// A constant chunk whose variable has no filters yet.
struct HeldConstant {
    key: Key,
    shape: Vec<u64>,
    element: Vec<u8>,
}

impl PackQueue {
    /// Has so many threads work for this writer; none: every job is done by the call that submits it.
    pub(super) fn start(
        placing: Arc<Mutex<Placing>>,
        (threads, cores): (usize, &Cores),
        (division, store): (Division, &Store),
        resources: &Resources,
    ) -> Self {
        let known = placing.lock();
        let (has_failed, omits) = (known.has_failed(), known.sink.lets_omit());
        drop(known);
        let shared = Membership::join(division, store, Arc::downgrade(&placing));
        let placer = Arc::clone(&placing);
        let pool = (threads > 0).then(|| shared.pool(cores));
        let background = Background::start(pool, threads, Job::run, move |outcome| {
            placer.lock().take(outcome);
        });
        Self {
            background,
            placing,
            has_failed,
            resources: resources.clone(),
            store: store.clone(),
            shared,
            memory_bytes: division.in_use_bytes,
            left_bytes: 0,
            scratch_bytes: 0,
            threads: threads as u64,
            choices: Vec::new(),
            submitted: KeySet::default(),
            omits,
            omitted: 0,
            stalled: Duration::ZERO,
        }
    }

    /// What all writers of the process share.
    pub(super) fn shared(&self) -> &Membership {
        &self.shared
    }

    /// Makes room for what is known of one more variable.
    pub(super) fn add_variable(&mut self) {
        self.choices.push(Choices::default());
    }

    /// Forgets the variable that was added last; none of its values were submitted.
    pub(super) fn take_back_variable(&mut self) {
        self.choices.pop();
    }

    /// Has the placer take a step in its turn; does not wait.
    pub(super) fn pass_on(&mut self, step: Step) {
        self.background.submit(Job::Forward(step));
    }

    /// The error that ended the background work, if one did.
    pub(super) fn check(&self) -> Result<()> {
        if self.has_failed.load(Ordering::Acquire) {
            return self.placing.lock().failure().map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// Waits until nothing is under way.
    pub(super) fn wait_idle(&self) {
        self.background.wait_idle();
    }

    /// The sink, once nothing is under way.
    pub(super) fn placing(&self) -> MutexGuard<'_, Placing> {
        self.wait_idle();
        self.placing.lock()
    }

    /// Does with less memory, with half of it at least. What is in use beyond that comes back as it
    /// is written.
    pub(super) fn leave_memory(&mut self, bytes: u64) {
        self.left_bytes = bytes;
        self.share_memory();
    }

    /// Leaves background threads what they need to pack chunks of so many bytes, an eighth of the
    /// memory at most.
    pub(super) fn leave_scratch(&mut self, chunk_bytes: usize) {
        let needed = self.threads * SCRATCH_CHUNKS * chunk_bytes as u64;
        let needed = needed.min(self.memory_bytes / 8);
        if needed > self.scratch_bytes {
            self.scratch_bytes = needed;
            self.share_memory();
        }
    }

    fn share_memory(&self) {
        self.shared.leave(self.left_bytes, self.scratch_bytes);
    }

    /// Chunks that were handed on and are not in the file yet.
    pub(super) fn under_way(&self) -> u64 {
        self.background.under_way()
    }

    /// Time that background threads have worked.
    pub(super) fn busy(&self) -> Duration {
        self.background.busy()
    }

    /// Whether a chunk has, or is about to have, values in the file.
    pub(super) fn is_submitted(&self, key: &Key) -> bool {
        self.submitted.contains(key)
    }

    /// Memory for `bytes`: waits for chunks under way, then spills chunks being gathered.
    pub(super) fn room(&mut self, bytes: u64) -> Result<Charge> {
        if let Some(charge) = self.shared.budget.charge(bytes) {
            return Ok(charge);
        }
        let began = Instant::now();
        let outcome = self.make_room(bytes);
        self.stalled += began.elapsed();
        outcome
    }

    fn make_room(&self, bytes: u64) -> Result<Charge> {
        let budget = &self.shared.budget;
        let mut may_wait = true;
        loop {
            if let Some(charge) = self.background.acquire(budget, bytes) {
                return Ok(charge);
            }
            self.check()?;
            let is_own = budget.used_bytes() + bytes > budget.capacity_bytes();
            if !is_own && std::mem::take(&mut may_wait) && self.shared.wait_for_others(bytes) {
                may_wait = true;
                continue;
            }
            if self.placing.lock().sink.spill()? || self.store.spill_oldest()? {
                continue;
            }
            if is_own {
                return Err(not_enough_memory(bytes, self.resources.memory_bytes));
            }
            if !self.shared.spill_others() {
                return Ok(budget.overdraw(bytes));
            }
        }
    }

    /// Memory for the packed bytes of a variable's chunk.
    pub(super) fn packed_room(&mut self, variable: &Variable) -> Result<Charge> {
        self.room(variable.chunk_bytes as u64 + PACKED_SLACK_BYTES)
    }

    /// Submits a chunk's values for packing; those that are one element over and over are known
    /// before any work.
    pub(super) fn submit(
        &mut self,
        place: Place,
        content: Content,
        content_charge: Charge,
        packed_charge: Charge,
    ) -> Result<()> {
        self.check()?;
        let variable = &*place.variable;
        let content = match content {
            Content::Values(values) if !variable.is_contiguous => Content::of(variable, values),
            other => other,
        };
        if let Content::Constant(element) = content {
            drop(content_charge);
            self.submit_constant(place, element, packed_charge);
        } else {
            self.submit_chunk(place, content, Some(content_charge), packed_charge);
        }
        Ok(())
    }

    /// Submits a chunk of one element over and over, unless readers know it anyway; before its
    /// variable has filters it waits for them.
    fn submit_constant(&mut self, place: Place, element: Vec<u8>, packed_charge: Charge) {
        let number = place.variable.id.0;
        let key = Key::from(&place);
        self.choices[number].has_any = true;
        let is_unstored = self.omits && !self.submitted.contains(&key);
        if place.variable.may_omit(&element) && is_unstored {
            self.omitted += 1;
        } else if self.choices[number].now.is_some() {
            self.submit_chunk(place, Content::Constant(element), None, packed_charge);
        } else {
            self.submitted.insert(key.clone());
            let shape = place.shape;
            self.choices[number].held.push(HeldConstant {
                key,
                shape,
                element,
            });
        }
    }

    fn submit_chunk(
        &mut self,
        place: Place,
        content: Content,
        content_charge: Option<Charge>,
        packed_charge: Charge,
    ) {
        self.submitted.insert(Key::from(&place));
        self.choices[place.variable.id.0].has_any = true;
        let choice = match place.variable.is_contiguous {
            true => None,
            false => self.choices[place.variable.id.0].now.clone(),
        };
        let is_omissible = content.is_omissible(&place.variable);
        let is_small = place.variable.chunk_bytes <= SMALL_CHUNK_BYTES;
        let job = Job::Chunk(ChunkJob {
            place,
            choice,
            content,
            content_charge,
            packed_charge,
            is_omissible,
        });
        match is_small {
            true => self.background.submit_small(job),
            false => self.background.submit(job),
        }
    }

    // --- several ranks ---

    /// Waits at most so long until nothing is under way; whether nothing is.
    pub(super) fn is_idle_within(&self, wait: Duration) -> bool {
        self.background.wait_idle_for(wait)
    }

    /// Chunks submitted since the last commit of all ranks.
    pub(super) fn submitted(&self) -> Vec<Key> {
        self.submitted.iter().cloned().collect()
    }

    /// Notes that all ranks have committed.
    pub(super) fn end_period(&mut self, omitted: u64) {
        self.submitted.clear();
        self.omitted += omitted;
    }

    // --- filters ---

    /// Whether a variable's filters are chosen by trial or by request.
    pub(super) fn is_decided(&self, number: usize) -> bool {
        self.choices[number].is_final
    }

    /// The filters that a variable's chunks are packed with; waits while they are being chosen.
    pub(super) fn filters(&self, number: usize) -> Option<Result<&Filters>> {
        let now = self.choices[number].now.as_ref()?;
        Some(now.wait().as_ref().map_err(Clone::clone))
    }

    /// Fixes a variable's filters without any trial; not for good if the encoder is open.
    pub(super) fn fix(&mut self, number: usize, filters: Filters, is_final: bool) {
        let choice = Choice::default();
        choice.get_or_init(|| Ok(filters));
        self.choices[number].now = Some(choice);
        self.choices[number].is_final = is_final;
    }

    /// Has a variable's filters chosen by these values, if they are not and the values are not one
    /// element over and over.
    pub(super) fn choose_by(&mut self, variable: &Arc<Variable>, values: &[u8]) {
        let size = variable.element_bytes();
        let is_open = !variable.is_contiguous && !self.choices[variable.id.0].is_final;
        if is_open && !values.is_empty() && repeated_element(values, size).is_none() {
            self.choices[variable.id.0].is_final = true;
            self.choose(variable, samples(values, size));
        }
    }

    /// Has a variable's filters chosen without values, if they are not chosen: its dataset must
    /// be made. How hard the encoder works stays open.
    pub(super) fn force(&mut self, variable: &Arc<Variable>) {
        if !variable.is_contiguous && self.choices[variable.id.0].now.is_none() {
            self.choose(variable, Vec::new());
        }
    }

    /// Has a choice made, and submits what waited for it.
    fn choose(&mut self, variable: &Arc<Variable>, samples: Vec<Vec<u8>>) {
        let choice = Choice::default();
        let known = &mut self.choices[variable.id.0];
        let before = known.now.replace(Arc::clone(&choice));
        let held = std::mem::take(&mut known.held);
        self.background.submit(Job::Choose(ChooseJob {
            variable: Arc::clone(variable),
            choice,
            before,
            samples,
        }));
        for held in held {
            let place = Place {
                variable: Arc::clone(variable),
                offset: held.key.offset,
                shape: held.shape,
            };
            // Packed constants are small, and most of them share their bytes.
            let packed_charge = self.shared.budget.free_charge();
            let content = Content::Constant(held.element);
            self.submit_chunk(place, content, None, packed_charge);
        }
    }

    /// The element that a chunk holds over and over which waits for its variable's filters.
    pub(super) fn held_constant(&self, key: &Key) -> Option<&[u8]> {
        let mut held = self.choices[key.variable].held.iter().rev();
        let found = held.find(|held| held.key == *key);
        found.map(|held| held.element.as_slice())
    }

    /// Notes chunks that another process has packed, and how many of a box were left out.
    pub(super) fn note_entered(&mut self, variable: usize, keys: Vec<Key>, omitted: u64) {
        self.submitted.extend(keys);
        self.choices[variable].has_any = true;
        self.omitted += omitted;
    }

    // --- what is in the file ---

    /// Whether a chunk of a variable was handed on, or left out.
    pub(super) fn has_any(&self, number: usize) -> bool {
        self.choices[number].has_any
    }

    /// Forgets the filters of a variable without any chunk.
    pub(super) fn reset(&mut self, number: usize) {
        self.choices[number] = Choices::default();
    }

    /// A charge for memory that is not counted: what a caller reads is the caller's.
    pub(super) fn no_room(&self) -> Charge {
        self.shared.budget.free_charge()
    }

    /// Notes that a chunk of an existing file has values.
    pub(super) fn note_existing(&mut self, key: Key) {
        self.submitted.insert(key);
    }

    /// The stored bytes of a chunk that was placed.
    pub(super) fn read_stored(&self, key: &Key) -> Result<Option<StoredChunk>> {
        self.placing.lock().sink.read(key)
    }

    /// Whether readers can open the file.
    pub(super) fn has_commit(&self) -> bool {
        self.placing.lock().sink.counts().commits > 0
    }

    /// Makes the error that all ranks have last.
    pub(super) fn fail_together(&self, error: Error) -> Error {
        self.placing.lock().fail_together(error)
    }

    /// Makes an error of the caller's side last.
    pub(super) fn fail(&self, error: Error) -> Error {
        self.placing.lock().fail(error)
    }
}
