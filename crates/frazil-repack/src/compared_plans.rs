//! What plans of one file have in common that differ in goal, readers and precision.
//!
//! It lives as long as the comparison, and its size is bounded.

use std::cell::RefCell;

use frazil_options::options::PackOptions;
use frazil_precision::PrecisionDecisions;
use frazil_types::{DeflateEncoder, FilterPipeline, QuantizePlan};

use crate::known_sizes::KnownSizes;
use crate::planning::Planning;
use crate::shapes_tried::ShapesTried;
use frazil_file::error::Result;

/// Sizes of trials take no more than one byte in so many of the memory that there is.
const MEMORY_SHARE: u64 = 8;
/// Samples of all variables of a file together take no more, but for these few bytes of each: what a comparison takes
/// does not grow with the file.
const MOST_SAMPLED_BYTES: u64 = 8 << 20;
const LEAST_SAMPLED_BYTES: u64 = 4 << 10;

/// Chunks of a variable, and what each took.
type KnownChunks = Vec<(PackedChunks, Vec<u64>)>;

/// What the compared plans found so far.
pub(crate) struct ComparedPlans {
    /// What filters made of samples.
    pub(crate) sizes: KnownSizes,
    /// How values are rounded, and what it took to decide that: the same for all goals and readers.
    precision: RefCell<Option<(PrecisionDecisions, Planning)>>,
    /// Which chunk shapes were tried, and what that took: the same for all goals that try them, and all readers.
    shapes: RefCell<Option<(Vec<ShapesTried>, Planning)>>,
    /// By variable: what chunks took that were packed.
    chunks: RefCell<Vec<KnownChunks>>,
}

/// All that the sizes of some chunks of a variable depend on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedChunks {
    /// Extents of one.
    pub(crate) chunk: Vec<u64>,
    pub(crate) pipeline: FilterPipeline,
    pub(crate) deflate_encoder: Option<DeflateEncoder>,
    pub(crate) quantize: Option<QuantizePlan>,
    /// Their linear numbers.
    pub(crate) numbers: Vec<u64>,
}

impl ComparedPlans {
    pub(crate) fn new(options: &PackOptions) -> Self {
        Self {
            sizes: KnownSizes::within(options.resources.memory_bytes / MEMORY_SHARE),
            precision: RefCell::default(),
            shapes: RefCell::default(),
            chunks: RefCell::default(),
        }
    }

    /// Begins with plans of another precision.
    pub(crate) fn forget_precision(&self) {
        self.precision.replace(None);
        self.shapes.replace(None);
    }

    /// The precision of a plan, and what it took to `decide` it before; for `compared` plans that is done once.
    ///
    /// # Errors
    /// What deciding fails with.
    pub(crate) fn precision(
        compared: Option<&Self>,
        decide: impl FnOnce() -> Result<PrecisionDecisions>,
    ) -> Result<(PrecisionDecisions, Planning)> {
        found_once(compared.map(|compared| &compared.precision), decide)
    }

    /// The chunk shapes that a plan tried, and what it took to `find` that before; for `compared` plans that is done
    /// once.
    ///
    /// # Errors
    /// What trying them fails with.
    pub(crate) fn shapes(
        compared: Option<&Self>,
        find: impl FnOnce() -> Result<Vec<ShapesTried>>,
    ) -> Result<(Vec<ShapesTried>, Planning)> {
        found_once(compared.map(|compared| &compared.shapes), find)
    }

    /// What these chunks of a variable took, if plans before packed them.
    pub(crate) fn chunk_sizes(&self, variable: usize, chunks: &PackedChunks) -> Option<Vec<u64>> {
        let known = self.chunks.borrow();
        let mut of_variable = known.get(variable)?.iter();
        let found = of_variable.find(|(known, _)| known == chunks);
        found.map(|(_, sizes)| sizes.clone())
    }

    pub(crate) fn keep_chunk_sizes(&self, variable: usize, chunks: PackedChunks, sizes: &[u64]) {
        let mut known = self.chunks.borrow_mut();
        if known.len() <= variable {
            known.resize_with(variable + 1, Vec::new);
        }
        known[variable].push((chunks, sizes.to_vec()));
    }
}

/// What is `known`, and what it took to find that before; else it is found now, and kept if there is a place for it.
fn found_once<T: Clone>(
    known: Option<&RefCell<Option<(T, Planning)>>>,
    find: impl FnOnce() -> Result<T>,
) -> Result<(T, Planning)> {
    let Some(known) = known else {
        return Ok((find()?, Planning::default()));
    };
    if let Some(known) = &*known.borrow() {
        return Ok(known.clone());
    }
    let started = Planning::start();
    let found = find()?;
    let mut took = Planning::default();
    took.add(started);
    known.replace(Some((found.clone(), took)));
    Ok((found, Planning::default()))
}

/// How many bytes may be sampled of each variable; `wanted`: how many would be.
pub(crate) fn most_sampled_of_each(wanted: impl Iterator<Item = u64>) -> u64 {
    fair_share(wanted, MOST_SAMPLED_BYTES).max(LEAST_SAMPLED_BYTES)
}

/// The most for each of several that want so much, of `all` that there is: what those leave that want little goes to
/// the others.
pub(crate) fn fair_share(wanted: impl Iterator<Item = u64>, all: u64) -> u64 {
    let mut wanted: Vec<u64> = wanted.collect();
    wanted.sort_unstable();
    let (mut left, count) = (all, wanted.len() as u64);
    for (place, bytes) in wanted.into_iter().enumerate() {
        let share = left / (count - place as u64);
        if bytes > share {
            return share;
        }
        left -= bytes;
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_small_variables_leave_goes_to_the_others() {
        let share = |wanted: &[u64], all| fair_share(wanted.iter().copied(), all);
        assert_eq!(share(&[], 100), u64::MAX);
        assert_eq!(share(&[40, 60], 100), u64::MAX);
        assert_eq!(share(&[60, 61], 100), 50);
        assert_eq!(share(&[500, 10, 20, 500], 100), 35);
        assert_eq!(share(&[500; 200], 100), 0);
    }
}
