//! The standard chunk shape: good for maps and for series, and the existing one where that will do.
//!
//! Shapes chosen by default (`u` marks an unlimited axis; chunks touched by a map and by a series):
//!
//! | shape | element | chunk | KiB | map | series |
//! |---|---|---|---|---|---|
//! | (1560, 128, 256) | 4 B | (98, 32, 64) | 784 | 16 | 16 |
//! | (98128, 277, 349) | 4 B | (439, 18, 25) | 772 | 224 | 224 |
//! | (28, 201, 2, 80) | 4 B | (14, 101, 2, 40) | 442 | 2 | 2 |
//! | (1460, 37, 721, 1440) | 4 B | (18, 1, 81, 160) | 911 | 81 | 82 |
//! | (365, 50, 17, 192, 288) | 4 B | (22, 3, 1, 48, 72) | 891 | 16 | 17 |
//! | (1u, 37, 721, 1440) | 4 B | (1, 3, 241, 360) | 1017 | 12 | 1 |
//! | (10, 721, 1440) | 4 B | (1, 241, 480) | 452 | 9 | 10 |
//! | (0u, 180, 360) | 4 B | (64, 45, 90) | 1013 | 16 | 16 |
//! | (8760, 5000) | 4 B | (674, 385) | 1014 | 13 | 13 |
//! | (1000000u, 2) | 8 B | (62500, 2) | 977 | 1 | 16 |
//! | (3650u) | 8 B | (3650) | 29 | - | 1 |
//! | (1000000000) | 8 B | (131062) | 1024 | - | 7630 |
//! | (100), scalars | 8 B | contiguous | | | |
//!
//! (An axis without records counts as 1024 of them.)

use super::balance::Balance;
use super::read_cost::{ReadCosts, bytes_of};
use crate::explain;
use crate::index::index_bytes;

/// Wanted uncompressed bytes of a chunk: 1 MiB.
///
/// Reaching a chunk (index look-up, request, seek or network round trip) costs about as much as
/// fetching and decoding between 5 KB (page cache) and several MiB (object store) of data; 1 MiB
/// lies between, and reads cost at most a quarter more than their best at four times less or
/// more. It is also the default chunk cache of HDF5 before 2.0: larger chunks are decoded again
/// for every read call that touches them. And a terabyte then has a million chunks, which the
/// index still bears.
pub const DEFAULT_TARGET_BYTES: u64 = 1 << 20;

/// Bounds of the target: below, the index grows large and compressors lack context; above, a
/// point costs too much and memory budgets hold too few chunks.
const TARGET_BOUNDS: std::ops::RangeInclusive<u64> = (64 << 10)..=(4 << 20);

/// HDF5 stores a chunk's size in 32 bits.
pub const MAX_CHUNK_BYTES: u64 = u32::MAX as u64;

/// An existing shape is kept while no read fetches more than this many times the bytes it would
/// fetch with the balanced shape: keeping it means copying chunks without decoding them.
pub const KEEP_FACTOR: f64 = 2.5;

/// Existing chunks outside these bytes are replaced however well they serve the reads counted:
/// below, the number of chunks is the cost; above, memory is.
const KEEP_BYTES: std::ops::RangeInclusive<u64> = (16 << 10)..=(8 << 20);

/// Fixed-size variables below this are stored contiguously, unless only bytes count: a chunk index alone
/// takes about 2 KiB.
const CONTIGUOUS_BYTES: u64 = 8 << 10;

/// What an unlimited axis without records counts as.
const GUESSED_RECORDS: u64 = 1024;

/// A variable whose chunk shape is wanted.
#[derive(Debug, Clone, Copy)]
pub struct ShapeInput<'a> {
    /// Current shape in elements, slowest axis first.
    pub shape: &'a [u64],
    /// Which axes are unlimited; same rank as `shape`.
    pub unlimited: &'a [bool],
    /// Size of one element in bytes.
    pub element_bytes: usize,
    /// Existing chunk shape; `None` if contiguous.
    pub current: Option<&'a [u64]>,
    /// Dimension names; empty where the file has none.
    pub dimension_names: &'a [String],
    /// Something that must stay needs chunks (an existing checksum): contiguous is no choice.
    pub must_chunk: bool,
}

/// What becomes of an existing chunk shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExistingShape {
    /// Kept where it serves reads nearly as well as the balanced one ([`KEEP_FACTOR`]).
    #[default]
    KeepIfGood,
    /// Always kept, contiguous layout included where the variable allows it.
    KeepAlways,
    /// Ignored.
    Replace,
}

/// How chunk shapes are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapePolicy {
    /// What becomes of an existing chunk shape.
    pub existing: ExistingShape,
    /// Wanted uncompressed bytes of a chunk, taken into 64 KiB to 4 MiB.
    pub target_bytes: u64,
    /// Only bytes count: whatever an index of chunks does not outweigh is chunked. Filters must then be
    /// compared with their index ([`FilterOptions::index_bytes`](crate::FilterOptions)).
    pub only_bytes_count: bool,
}

impl Default for ShapePolicy {
    fn default() -> Self {
        Self {
            existing: ExistingShape::default(),
            target_bytes: DEFAULT_TARGET_BYTES,
            only_bytes_count: false,
        }
    }
}

/// A chosen layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkChoice {
    /// Chunk shape in elements; `None`: contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Whether the shape, or the reads it is for, were asked for: then it holds without filters, too.
    pub is_stated: bool,
    /// Why, in one line.
    pub reason: String,
}

impl ChunkChoice {
    fn contiguous(reason: String) -> Self {
        Self {
            chunk: None,
            is_stated: false,
            reason,
        }
    }

    fn chunked(chunk: &[u64], reason: String) -> Self {
        Self {
            chunk: Some(chunk.to_vec()),
            is_stated: false,
            reason,
        }
    }
}

impl ShapeInput<'_> {
    /// Whether an axis may grow.
    pub(crate) fn is_unlimited(&self, axis: usize) -> bool {
        self.unlimited.get(axis).copied().unwrap_or(false)
    }

    /// Whether HDF5 must chunk the variable, or a filter that stays needs it.
    fn needs_chunks(&self) -> bool {
        !self.shape.is_empty() && (self.must_chunk || self.unlimited.contains(&true))
    }

    /// The shape to plan for: an unlimited axis without records counts as a modest number of them,
    /// a fixed axis of length 0 as one element.
    pub(crate) fn planned_shape(&self) -> Vec<u64> {
        (0..self.shape.len())
            .map(|axis| match self.shape[axis] {
                0 if self.is_unlimited(axis) => GUESSED_RECORDS,
                0 => 1,
                length => length,
            })
            .collect()
    }

    /// The existing chunk shape if it is usable at all.
    pub(crate) fn usable_current(&self) -> Option<&[u64]> {
        self.current.filter(|chunk| {
            chunk.len() == self.shape.len()
                && !chunk.contains(&0)
                && bytes_of(chunk, self.element_bytes) <= MAX_CHUNK_BYTES
        })
    }
}

/// Chooses a chunk shape, or contiguous layout, for one variable.
///
/// The shape serves two reads: a *map*, all of the last two axes at one point of the others, and
/// a *series*, all of the first axis at one point of the others; along middle axes (levels,
/// ensemble members) a profile counts as much as a series. Extents are at least 1 and never
/// larger than the data; a chunk has at most the policy's target bytes unless one element is
/// larger than that.
#[must_use]
pub fn choose(input: &ShapeInput<'_>, policy: &ShapePolicy) -> ChunkChoice {
    if policy.existing == ExistingShape::KeepAlways {
        if let Some(chunk) = input.usable_current() {
            return ChunkChoice {
                is_stated: true,
                ..ChunkChoice::chunked(chunk, explain::kept_asked())
            };
        }
        if !input.needs_chunks() {
            return ChunkChoice::contiguous(explain::contiguous_asked());
        }
    }
    if !input.needs_chunks() {
        let raw_bytes = bytes_of(input.shape, input.element_bytes);
        if raw_bytes == 0 {
            return ChunkChoice::contiguous(explain::contiguous_empty());
        }
        let least = match policy.only_bytes_count {
            true => index_bytes(input.shape, input.shape),
            false => CONTIGUOUS_BYTES,
        };
        if raw_bytes < least || input.shape.is_empty() {
            return ChunkChoice::contiguous(explain::contiguous_small(raw_bytes));
        }
    }
    let planned = input.planned_shape();
    let balanced = balanced_shape(&planned, input.element_bytes, policy.target_bytes);
    if policy.existing == ExistingShape::KeepIfGood
        && let Some(kept) = keep_current(input, &planned, &balanced)
    {
        return kept;
    }
    let reason = reason_for(&planned, &balanced, input.element_bytes);
    ChunkChoice::chunked(&balanced, reason)
}

fn balanced_shape(planned: &[u64], element_bytes: usize, target_bytes: u64) -> Vec<u64> {
    let raw_bytes = bytes_of(planned, element_bytes);
    Balance {
        shape: planned,
        element_bytes,
        target_bytes: target_bytes.clamp(*TARGET_BOUNDS.start(), *TARGET_BOUNDS.end()),
        least_bytes: raw_bytes.min(*TARGET_BOUNDS.start()),
    }
    .shape()
}

/// The existing shape, if no read suffers much from it.
fn keep_current(input: &ShapeInput<'_>, planned: &[u64], balanced: &[u64]) -> Option<ChunkChoice> {
    let current = input.usable_current()?;
    let raw_bytes = bytes_of(planned, input.element_bytes);
    let chunk_bytes = bytes_of(current, input.element_bytes);
    let smallest = raw_bytes.min(*KEEP_BYTES.start());
    if current != balanced && !(smallest..=*KEEP_BYTES.end()).contains(&chunk_bytes) {
        return None;
    }
    let costs = ReadCosts::new(planned, current, input.element_bytes);
    let factor = costs.worst_factor(&ReadCosts::new(planned, balanced, input.element_bytes));
    (factor <= KEEP_FACTOR).then(|| ChunkChoice::chunked(current, explain::kept_good(factor)))
}

fn reason_for(planned: &[u64], chunk: &[u64], element_bytes: usize) -> String {
    let chunk_bytes = bytes_of(chunk, element_bytes);
    if chunk == planned {
        return explain::single_chunk(chunk_bytes);
    }
    if let (&[length], &[extent]) = (planned, chunk) {
        return explain::even(length.div_ceil(extent), chunk_bytes);
    }
    explain::balanced(&ReadCosts::new(planned, chunk, element_bytes), chunk_bytes)
}
