//! Chunk shapes for reads, variable by variable; equal questions are answered once.

use std::cell::RefCell;
use std::collections::HashMap;

use frazil_plan::{
    AxisRole, Candidate, ExistingShape, GoalInput, ReadChoice, ReadGoal, ShapeInput,
    cache_for_reads, choose_for_reads, compare_for_reads, kept_for_reads,
};
use frazil_types::ReaderCache;

use super::AccessPattern;

/// Raw bytes by stored bytes of filtered chunks, as far as reading them goes: the true ratio would
/// differ from file to file of a stream, and shapes with it.
const ASSUMED_RATIO: f64 = 2.0;

/// A variable whose chunks are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its shape and element size.
    pub shape: ShapeInput<'a>,
    /// By axis: time, level, map or another.
    pub roles: &'a [AxisRole],
    /// By axis: what unlimited ones will become, where the caller knows.
    pub expected: &'a [Option<u64>],
    /// Whether chunks will be filtered.
    pub is_filtered: bool,
    /// Most raw bytes of a chunk.
    pub most_bytes: u64,
    /// Most records in a chunk.
    pub most_records: u64,
    /// The chunks that it has already.
    pub existing: ExistingShape,
}

/// What was compared for one variable, and the cache that its readers should use.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Shapes with their costs.
    pub candidates: Vec<Candidate>,
    /// A cache that serves the stated reads.
    pub cache: Option<ReaderCache>,
}

/// Answers for the variables of one file.
pub struct Chooser<'a> {
    goal: ReadGoal<'a>,
    answers: RefCell<HashMap<Key, ReadChoice>>,
    /// Of shapes that were decided: the variable, its chunk.
    compared: RefCell<HashMap<(Key, Vec<u64>), Findings>>,
}

/// Everything an answer depends on beside the goal.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    shape: Vec<u64>,
    unlimited: Vec<bool>,
    element_bytes: usize,
    current: Option<Vec<u64>>,
    names: Vec<String>,
    must_chunk: bool,
    roles: Vec<AxisRole>,
    expected: Vec<Option<u64>>,
    is_filtered: bool,
    most: (u64, u64),
    existing: u8,
}

impl Subject<'_> {
    fn key(&self) -> Key {
        Key {
            shape: self.shape.shape.to_vec(),
            unlimited: self.shape.unlimited.to_vec(),
            element_bytes: self.shape.element_bytes,
            current: self.shape.current.map(<[u64]>::to_vec),
            names: self.shape.dimension_names.to_vec(),
            must_chunk: self.shape.must_chunk,
            roles: self.roles.to_vec(),
            expected: self.expected.to_vec(),
            is_filtered: self.is_filtered,
            most: (self.most_bytes, self.most_records),
            existing: self.existing as u8,
        }
    }

    /// As the cost model wants it.
    pub fn input(&self) -> GoalInput<'_> {
        GoalInput {
            shape: self.shape,
            roles: self.roles,
            expected: self.expected,
            ratio: self.is_filtered.then_some(ASSUMED_RATIO),
            most_bytes: self.most_bytes,
            most_records: self.most_records,
        }
    }
}

impl<'a> Chooser<'a> {
    /// Chooses for the reads that `goal` states.
    pub fn new(goal: &'a AccessPattern) -> Self {
        Self {
            goal: goal.read_goal(),
            answers: RefCell::default(),
            compared: RefCell::default(),
        }
    }

    /// The chunk shape of one variable.
    pub fn choose(&self, subject: &Subject<'_>) -> ReadChoice {
        let mut answers = self.answers.borrow_mut();
        let answer = answers.entry(subject.key());
        answer
            .or_insert_with(|| choose_for_reads(&subject.input(), subject.existing, &self.goal))
            .clone()
    }

    /// What a chunk shape that was decided is beside others.
    pub fn compare(&self, subject: &Subject<'_>, chunk: &[u64]) -> Findings {
        let mut compared = self.compared.borrow_mut();
        let found = compared.entry((subject.key(), chunk.to_vec()));
        found
            .or_insert_with(|| {
                let (candidates, cache) = compare_for_reads(&subject.input(), chunk, &self.goal);
                Findings { candidates, cache }
            })
            .clone()
    }

    /// The chunk cache that a stock reader of a variable in these chunks should use.
    pub fn cache(&self, subject: &Subject<'_>, chunk: &[u64]) -> Option<ReaderCache> {
        cache_for_reads(&subject.input(), chunk, &self.goal)
    }

    /// Bytes of decoded chunks that a reader should keep of a variable in these chunks.
    pub fn kept_bytes(&self, subject: &Subject<'_>, chunk: &[u64]) -> u64 {
        kept_for_reads(&subject.input(), chunk, &self.goal)
    }
}
