//! Chunk shapes, chosen at definition: by the rule of `pack`, and such that the chunks that one
//! record begins can be gathered in memory.

use frazil_container::classic::ClassicModel;
use frazil_plan::{ShapeInput, ShapePolicy, choose};
use frazil_types::ErrorCode;

use super::definition::{FileDefinition, VariableDefinition, refused};
use crate::error::{Error, Result};

/// Records that a chunk is planned for where nobody said how many there will be.
const GUESSED_RECORDS: u64 = 1024;
/// The chunks that are begun by one record take this part of the memory, one part in so many.
const RECORDS_SHARE: u64 = 4;
/// One chunk takes at most this part of the memory.
const CHUNK_SHARE: u64 = 8;

/// How one variable lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Chunk shape in elements; the whole shape if contiguous.
    pub(super) chunk: Vec<u64>,
    pub(super) chunk_bytes: usize,
    pub(super) is_contiguous: bool,
}

/// Chooses how every variable lies, in the order of the definition.
///
/// # Errors
/// For chunk shapes asked for that cannot be, or that `memory_bytes` cannot gather.
pub(super) fn layouts(
    definition: &FileDefinition,
    model: &ClassicModel,
    memory_bytes: u64,
) -> Result<Vec<Layout>> {
    let records = records_at_once(definition, memory_bytes);
    let variables = definition.variables().iter();
    variables
        .zip(&model.variables)
        .map(|(variable, in_model)| {
            layout(definition, variable, records, memory_bytes)
                .map_err(|error| error.at_variable(&format!("/{}", in_model.name)))
        })
        .collect()
}

fn layout(
    definition: &FileDefinition,
    variable: &VariableDefinition,
    records: u64,
    memory_bytes: u64,
) -> Result<Layout> {
    let limits = definition.limits(variable);
    let size = variable.nc_type.size_bytes();
    let chunk = match &variable.chunk {
        Some(asked) => Some(as_asked(asked, &limits)?),
        None => ours(definition, variable, records, memory_bytes),
    };
    let is_contiguous = chunk.is_none();
    // Only variables without unlimited axes are contiguous.
    let chunk = chunk.unwrap_or_else(|| limits.iter().flatten().copied().collect());
    let bytes = chunk
        .iter()
        .try_fold(size as u64, |product, &n| product.checked_mul(n))
        .filter(|&bytes| bytes <= frazil_plan::MAX_CHUNK_BYTES)
        .ok_or_else(|| refused("the chunks have more bytes than the format allows"))?;
    if bytes > memory_bytes / CHUNK_SHARE {
        return Err(Error::new(
            ErrorCode::MemoryBudget,
            format!(
                "chunks of {bytes} bytes cannot be gathered: one may have an eighth of the \
                 {memory_bytes} bytes of memory that are allowed"
            ),
        )
        .with_cure("allow more memory, or smaller chunks"));
    }
    Ok(Layout {
        chunk,
        chunk_bytes: usize::try_from(bytes).map_err(|_| refused("the chunks are too large"))?,
        is_contiguous,
    })
}

/// The shape that the user wants, no longer than fixed axes are.
fn as_asked(asked: &[u64], limits: &[Option<u64>]) -> Result<Vec<u64>> {
    if asked.len() != limits.len() || asked.contains(&0) || asked.is_empty() {
        return Err(refused(format!(
            "no chunk shape for {} axes: {asked:?}",
            limits.len()
        )));
    }
    let pairs = asked.iter().zip(limits);
    Ok(pairs
        .map(|(&n, limit)| limit.map_or(n, |length| n.min(length)))
        .collect())
}

fn ours(
    definition: &FileDefinition,
    variable: &VariableDefinition,
    records: u64,
    memory_bytes: u64,
) -> Option<Vec<u64>> {
    let limits = definition.limits(variable);
    let expected = definition.expected(variable);
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
    let input = ShapeInput {
        shape: &shape,
        unlimited: &limits.iter().map(Option::is_none).collect::<Vec<_>>(),
        element_bytes: variable.nc_type.size_bytes(),
        current: None,
        dimension_names: &[],
        must_chunk: false,
    };
    let policy = ShapePolicy::default();
    let target_bytes = policy.target_bytes.min(memory_bytes / CHUNK_SHARE / 2);
    let policy = ShapePolicy {
        target_bytes,
        ..policy
    };
    choose(&input, &policy).chunk
}

/// How many records of all variables together fit into the memory set aside for chunks that wait
/// for further records; at least one.
fn records_at_once(definition: &FileDefinition, memory_bytes: u64) -> u64 {
    let record_bytes = |variable: &VariableDefinition| {
        let limits = definition.limits(variable);
        let expected = definition.expected(variable);
        match limits.first() {
            Some(None) => (1..limits.len())
                .map(|axis| limits[axis].or(expected[axis]).unwrap_or(1))
                .fold(variable.nc_type.size_bytes() as u64, u64::saturating_mul),
            _ => 0,
        }
    };
    let variables = definition.variables().iter();
    let all = variables.map(record_bytes).fold(0, u64::saturating_add);
    (memory_bytes / RECORDS_SHARE / all.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::NcType;

    fn shape(lengths: &[Option<u64>], memory_bytes: u64) -> Layout {
        let mut definition = FileDefinition::default();
        let axes: Vec<_> = (lengths.iter().enumerate())
            .map(|(i, length)| match length {
                Some(n) => definition.add_dimension(format!("d{i}"), *n),
                None => definition.add_unlimited(format!("d{i}"), None),
            })
            .collect();
        definition.add_variable(VariableDefinition::new("v", NcType::Float, &axes));
        let model = definition.model().unwrap();
        layouts(&definition, &model, memory_bytes)
            .unwrap()
            .remove(0)
    }

    #[test]
    fn a_record_that_fills_the_memory_is_cut_by_records() {
        let model_field = [None, Some(32), Some(384), Some(768)];
        let layout = shape(&model_field, 64 << 20);
        assert_eq!(layout.chunk[0], 1);
        assert!((256 << 10..=1 << 20).contains(&layout.chunk_bytes));
        let series = shape(&[None], 64 << 20);
        assert!(series.chunk[0] >= 1024);
    }

    #[test]
    fn small_fixed_variables_are_contiguous() {
        assert!(shape(&[Some(10), Some(10)], 64 << 20).is_contiguous);
        assert!(shape(&[], 64 << 20).is_contiguous);
    }

    #[test]
    fn chunks_asked_for_must_fit() {
        let mut definition = FileDefinition::default();
        let x = definition.add_dimension("x", 100);
        let variable = VariableDefinition::new("v", NcType::Double, &[x]);
        definition.add_variable(variable.clone().with_chunk(&[200]));
        let model = definition.model().unwrap();
        let fits = layouts(&definition, &model, 8000).unwrap();
        assert_eq!(fits[0].chunk, [100]);
        let error = layouts(&definition, &model, 4000).unwrap_err();
        assert_eq!(error.code, ErrorCode::MemoryBudget);
        let mut wrong = FileDefinition::default();
        wrong.add_dimension("x", 100);
        wrong.add_variable(variable.with_chunk(&[2, 2]));
        assert!(layouts(&wrong, &wrong.model().unwrap(), 8000).is_err());
    }
}
