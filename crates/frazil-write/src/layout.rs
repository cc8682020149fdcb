//! Chunk shapes, chosen before a variable's first value is stored: by the rule of `pack`, and such
//! that the chunks that one record begins can be gathered in memory.

use super::borders::Borders;
use super::errors::refused;
use super::settings::LayoutRequest;
use frazil_container::schema::{Schema, VariableId};
use frazil_file::counting;
use frazil_file::error::{Error, Result};
use frazil_options::chunk_goal::{AccessPattern, Chooser, Subject, roles_of_schema};
use frazil_plan::{
    ExistingShape, MAX_CHUNK_BYTES, ShapeInput, ShapePolicy, apply_override, choose,
};
use frazil_precision::rules::{Matcher, VariableRule};
use frazil_types::ErrorCode;

/// Records that a chunk is planned for where nobody said how many there will be.
const GUESSED_RECORDS: u64 = 1024;
/// The chunks that are begun by one record take this part of the memory, one part in so many.
const RECORDS_SHARE: u64 = 4;
/// One chunk takes at most this part of the memory.
const CHUNK_SHARE: u64 = 8;
/// Where commits come before chunks are full, chunks of more bytes than this are cut to the records
/// between two commits: smaller ones cost less to write again than to divide.
const REWRITTEN_BYTES: u64 = 16 << 10;
/// Chunks that go by the ranks' borders have at least one part in so many of the bytes that they
/// would have without...
const LEAST_SHARE: u64 = 4;
/// ... and at most so many times as many.
const MOST_TIMES: u64 = 2;
/// What is not compressed takes space beyond the ends of the variable, too. Where nobody knows how
/// many records will come, its chunks have no more of them than one, or than these bytes hold...
const PLAIN_RECORDS_BYTES: u64 = 64 << 10;
/// ... and ranks' borders may cost one part in so many.
const PLAIN_WASTE_SHARE: u64 = 16;

/// How one variable lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Chunk shape in elements; the whole shape if contiguous.
    pub(super) chunk: Vec<u64>,
    pub(super) chunk_bytes: usize,
    pub(super) is_contiguous: bool,
}

/// What chunk shapes depend on beside the variable.
pub(super) struct Circumstances<'a> {
    pub(super) schema: &'a Schema,
    /// By dimension: the length that an unlimited one is expected to get.
    pub(super) expected: &'a [Option<u64>],
    pub(super) memory_bytes: u64,
    /// Bytes of one record of all variables together.
    pub(super) records_bytes: u64,
    /// Records between two commits, if commits come faster than chunks fill.
    pub(super) records_per_commit: Option<u64>,
    /// Where ranks' puts begin and end, if chunks go by that.
    pub(super) borders: Option<&'a Borders>,
    /// What chunk shapes are to serve.
    pub(super) chunk_goal: &'a AccessPattern,
    /// Whether it is known that the variable's chunks are not compressed.
    pub(super) is_plain: bool,
}

impl Circumstances<'_> {
    /// Chooses how a variable of numbers lies.
    ///
    /// # Errors
    /// For chunk shapes asked for that cannot be, or that the memory cannot gather.
    pub(super) fn layout(&self, id: VariableId, request: &LayoutRequest) -> Result<Layout> {
        let limits = self.schema.limits(id);
        let size = element_bytes(self.schema, id);
        let chunk = match request {
            LayoutRequest::Chunked(asked) => {
                let pairs = asked.iter().zip(&limits);
                Some(
                    pairs
                        .map(|(&n, limit)| limit.map_or(n, |length| n.min(length)))
                        .collect(),
                )
            }
            LayoutRequest::Contiguous => None,
            LayoutRequest::Ours => self.ours(id, &limits),
        };
        let is_contiguous = chunk.is_none();
        // Only variables without unlimited axes are contiguous.
        let chunk: Vec<u64> = chunk.unwrap_or_else(|| limits.iter().flatten().copied().collect());
        let chunk_bytes = check_gathered(&chunk, size, !is_contiguous, self.memory_bytes)?;
        Ok(Layout {
            chunk,
            chunk_bytes,
            is_contiguous,
        })
    }

    /// The layout with the chunk extents that rules state of the variable.
    ///
    /// # Errors
    /// As [`Self::layout`]; for a dimension that a rule names and the variable lacks.
    pub(super) fn with_extents(
        &self,
        id: VariableId,
        layout: Layout,
        rules: &[VariableRule],
    ) -> Result<Layout> {
        let names = dimension_names(self.schema, id);
        let extents = Matcher::new(rules)?.chunks(&self.schema.variable_path(id), &names);
        if extents.is_empty() {
            return Ok(layout);
        }
        let limits = self.schema.limits(id);
        let input = ShapeInput {
            shape: &self.schema.shape(id),
            unlimited: &limits.iter().map(Option::is_none).collect::<Vec<_>>(),
            element_bytes: element_bytes(self.schema, id),
            current: None,
            dimension_names: &names,
            must_chunk: true,
        };
        let chunk = apply_override(&layout.chunk, &input, &extents);
        let chunk = chunk.map_err(|error| Error::new(error.code(), error.to_string()))?;
        self.layout(id, &LayoutRequest::Chunked(chunk))
    }

    fn ours(&self, id: VariableId, limits: &[Option<u64>]) -> Option<Vec<u64>> {
        let shape = self.chunk_of(id, limits, self.records_at_once())?;
        let Some(records) = self.records_per_commit else {
            return Some(shape);
        };
        let size = element_bytes(self.schema, id) as u64;
        let bytes = shape
            .iter()
            .fold(size, |product, &n| product.saturating_mul(n));
        let is_cut = limits.first() == Some(&None) && shape[0] > records && bytes > REWRITTEN_BYTES;
        if !is_cut {
            return Some(shape);
        }
        // So many records that a chunk is not smaller than what may be written again: chunks of few
        // records are as wide as a record.
        let record_bytes = self.record_bytes(id).max(1);
        let records = records.max(REWRITTEN_BYTES / record_bytes).min(shape[0]);
        self.chunk_of(id, limits, records)
    }

    /// Our chunk shape if at most `records` records wait for each other.
    fn chunk_of(&self, id: VariableId, limits: &[Option<u64>], records: u64) -> Option<Vec<u64>> {
        if self.chunk_goal.is_stated() {
            return self.chunk_for_reads(id, limits, records);
        }
        let expected = self.expected_of(id);
        let is_open = expected.first() == Some(&None);
        let records = match self.is_plain && is_open {
            true => records.min((PLAIN_RECORDS_BYTES / self.record_bytes(id).max(1)).max(1)),
            false => records,
        };
        let shape: Vec<u64> = (0..limits.len())
            .map(|axis| {
                let guess = expected[axis].unwrap_or(GUESSED_RECORDS).max(1);
                match limits[axis] {
                    Some(length) => length,
                    None if axis == 0 => guess.min(records),
                    None => guess,
                }
            })
            .collect();
        let planned = self.planned(id, limits, &shape)?;
        let uncut = self.uncut(id, limits, &shape, &planned);
        Some(uncut.unwrap_or(planned))
    }

    /// Our chunk shape within the ranks' blocks, if that is not too small or large.
    fn uncut(
        &self,
        id: VariableId,
        limits: &[Option<u64>],
        shape: &[u64],
        planned: &[u64],
    ) -> Option<Vec<u64>> {
        let borders = self.borders?;
        let cell = borders.cell(shape);
        let chunk = self.planned(id, limits, &cell).unwrap_or(cell);
        let chunk = borders.uncut(&chunk);
        let elements = |shape: &[u64]| shape.iter().fold(1, |all, &n| u64::saturating_mul(all, n));
        let (found, wanted) = (elements(&chunk), elements(planned));
        let most = self.memory_bytes / CHUNK_SHARE / element_bytes(self.schema, id).max(1) as u64;
        let most = wanted.saturating_mul(MOST_TIMES).min(most.max(wanted));
        let is_wasteful = self.is_plain && {
            let axes = limits.iter().zip(&chunk);
            let fixed = axes.filter_map(|(limit, &edge)| limit.map(|length| (length, edge)));
            let (stored, used) = fixed.fold((1_f64, 1_f64), |(stored, used), (length, edge)| {
                let padded = length.div_ceil(edge.max(1)) as f64 * edge as f64;
                (stored * padded, used * length as f64)
            });
            (stored - used) * PLAIN_WASTE_SHARE as f64 > used
        };
        let fits = (wanted / LEAST_SHARE..=most).contains(&found) && !is_wasteful;
        fits.then_some(chunk)
    }

    /// The rule of `pack` for an array of this shape; `None`: contiguous.
    fn planned(&self, id: VariableId, limits: &[Option<u64>], shape: &[u64]) -> Option<Vec<u64>> {
        let input = ShapeInput {
            shape,
            unlimited: &limits.iter().map(Option::is_none).collect::<Vec<_>>(),
            element_bytes: element_bytes(self.schema, id),
            current: None,
            dimension_names: &[],
            must_chunk: false,
        };
        let policy = ShapePolicy::default();
        let target_bytes = policy.target_bytes.min(self.memory_bytes / CHUNK_SHARE / 2);
        let policy = ShapePolicy {
            target_bytes,
            ..policy
        };
        choose(&input, &policy).chunk
    }

    /// The same for the reads that are stated.
    fn chunk_for_reads(
        &self,
        id: VariableId,
        limits: &[Option<u64>],
        records: u64,
    ) -> Option<Vec<u64>> {
        let names = dimension_names(self.schema, id);
        let known = self.expected_of(id);
        let expected: Vec<Option<u64>> = (0..limits.len())
            .map(|axis| known[axis].or_else(|| self.chunk_goal.expected_length(&names[axis])))
            .collect();
        let shape: Vec<u64> = limits.iter().map(|limit| limit.unwrap_or(0)).collect();
        let unlimited: Vec<bool> = limits.iter().map(Option::is_none).collect();
        let roles = roles_of_schema(self.schema, id, self.chunk_goal);
        let subject = Subject {
            shape: ShapeInput {
                shape: &shape,
                unlimited: &unlimited,
                element_bytes: element_bytes(self.schema, id),
                current: None,
                dimension_names: &names,
                must_chunk: false,
            },
            roles: &roles,
            expected: &expected,
            is_filtered: true,
            most_bytes: self.memory_bytes / CHUNK_SHARE / 2,
            most_records: match limits.first() {
                Some(None) => records,
                _ => u64::MAX,
            },
            existing: ExistingShape::Replace,
        };
        Chooser::new(self.chunk_goal).choose(&subject).choice.chunk
    }

    /// Lengths that a variable's unlimited axes are expected to get.
    fn expected_of(&self, id: VariableId) -> Vec<Option<u64>> {
        let dimensions = self.schema.variables[id.0].dimensions.iter();
        dimensions.map(|id| self.expected[id.0]).collect()
    }

    fn record_bytes(&self, id: VariableId) -> u64 {
        record_bytes(self.schema, self.expected, id)
    }

    /// How many records of all variables together fit into the memory set aside for chunks that
    /// wait for further records; at least one.
    fn records_at_once(&self) -> u64 {
        (self.memory_bytes / RECORDS_SHARE / self.records_bytes.max(1)).max(1)
    }
}

/// Names of a variable's dimensions.
pub(super) fn dimension_names(schema: &Schema, id: VariableId) -> Vec<String> {
    let dimensions = schema.variables[id.0].dimensions.iter();
    dimensions
        .map(|id| schema.dimensions[id.0].name.clone())
        .collect()
}

/// The bytes of a chunk, or of a contiguous variable, which is gathered in memory as a whole.
pub(super) fn check_gathered(
    chunk: &[u64],
    element_bytes: usize,
    is_chunk: bool,
    memory_bytes: u64,
) -> Result<usize> {
    let product = |product: u64, &edge: &u64| product.checked_mul(edge);
    let bytes = chunk.iter().try_fold(element_bytes as u64, product);
    let bytes = bytes.filter(|&bytes| !is_chunk || bytes <= MAX_CHUNK_BYTES);
    let Some(bytes) = bytes else {
        return Err(refused(format!(
            "chunks of {} have more bytes than the format allows, 2^32 - 1",
            counting::shape(chunk)
        )));
    };
    if bytes > memory_bytes / CHUNK_SHARE {
        let what = match is_chunk {
            true => "chunks of",
            false => "a contiguous variable of",
        };
        return Err(Error::new(
            ErrorCode::MemoryBudget,
            format!(
                "{what} {bytes} bytes cannot be gathered: an eighth of the {memory_bytes} bytes of \
                 memory that are allowed may be taken by one"
            ),
        )
        .with_cure("allow more memory, or smaller chunks"));
    }
    usize::try_from(bytes).map_err(|_| refused("the chunks are too large"))
}

/// Bytes of one record of a variable as far as they are known; 0 without records.
pub(super) fn record_bytes(schema: &Schema, expected: &[Option<u64>], id: VariableId) -> u64 {
    let axes: Vec<_> = (schema.variables[id.0].dimensions.iter())
        .map(|id| (&schema.dimensions[id.0], expected[id.0]))
        .collect();
    match axes.split_first() {
        Some(((first, _), inner)) if first.is_unlimited => inner
            .iter()
            .map(|(dimension, expected)| match dimension.is_unlimited {
                true => expected.unwrap_or(1),
                false => dimension.length,
            })
            .fold(element_bytes(schema, id) as u64, u64::saturating_mul),
        _ => 0,
    }
}

/// Bytes of one element; strings, which are never gathered, count as nothing.
pub(super) fn element_bytes(schema: &Schema, id: VariableId) -> usize {
    schema.variables[id.0].value_type.size_bytes().unwrap_or(0)
}

#[cfg(test)]
#[path = "tests/layout.rs"]
mod tests;
