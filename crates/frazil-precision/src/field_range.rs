//! The smallest and largest ordinary value of whole variables, for linear rounding.

use frazil_codec::{CodecError, ordinary_range};
use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{ArraySource, Block, ChunkIndex, MemoryBudget, Request, Task};
use frazil_types::{ElementType, ProtectedValues};

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::InputRun;

/// A variable whose values are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Its number in [`Input::variables`].
    pub variable: usize,
    /// Its number among the sources.
    pub source: usize,
}

/// A variable whose range is wanted.
pub(crate) struct Field<'a> {
    pub place: Place,
    pub protected: &'a ProtectedValues,
}

/// Finds the ranges of some variables, in one parallel pass over their values; `None` where a
/// variable has no ordinary value.
///
/// # Errors
/// If values cannot be read or decoded.
pub(crate) fn field_ranges(
    input: &Input,
    fields: &[Field<'_>],
    sources: &[ArraySource],
    resources: &Resources,
    budget: &MemoryBudget,
) -> Result<Vec<Option<[f64; 2]>>> {
    let places: Vec<Place> = fields.iter().map(|one| one.place).collect();
    let look = |number: usize, values: &[u8], element| {
        ordinary_range(values, fields[number].protected, element)
    };
    let mut ranges: Vec<Option<[f64; 2]>> = vec![None; fields.len()];
    let take = |number: usize, found| ranges[number] = union(ranges[number], found);
    look_at_all(input, &places, sources, (resources, budget), look, take)?;
    Ok(ranges)
}

/// Calls `look` with the values of some variables, by their number among `fields`, in one parallel pass;
/// and `take` with what it found, in order.
///
/// # Errors
/// If values cannot be read or decoded, or `look` fails.
pub(super) fn look_at_all<T: Send>(
    input: &Input,
    fields: &[Place],
    sources: &[ArraySource],
    (resources, budget): (&Resources, &MemoryBudget),
    look: impl Fn(usize, &[u8], ElementType) -> std::result::Result<T, CodecError> + Sync,
    mut take: impl FnMut(usize, T),
) -> Result<()> {
    for (number, one) in fields.iter().enumerate() {
        let (source, variable) = (&sources[one.source], &input.variables()[one.variable]);
        if is_partly_absent(source) {
            let found = look(number, &source.fill, variable.element);
            take(number, found.map_err(|error| from_codec(&error, variable))?);
        }
    }
    let tasks = fields.iter().enumerate().flat_map(|(number, one)| {
        let source = &sources[one.source];
        stored_chunks(source).map(move |chunk| Task {
            meta: number,
            requests: vec![Request::Values {
                source: one.source,
                selection: source.grid.valid_box(chunk),
            }],
            output_bytes: 0,
        })
    });
    let run = InputRun {
        input,
        sources,
        resources,
        budget,
    };
    run.run(
        tasks,
        |source| {
            let found = fields.iter().find(|one| one.source == source);
            found.map(|one| one.variable)
        },
        |&number: &usize, blocks, _scratch| {
            let variable = &input.variables()[fields[number].variable];
            let values = blocks.iter().filter_map(|block| match block {
                Block::Values(values) => Some(values),
                Block::Stored { .. } | Block::Absent => None,
            });
            let found = values.map(|values| look(number, values, variable.element));
            found
                .collect::<std::result::Result<Vec<T>, _>>()
                .map_err(|error| from_codec(&error, variable))
        },
        |number, found| {
            found.into_iter().for_each(|one| take(number, one));
            Ok(())
        },
    )
}

/// The chunks that are stored, however many there could be.
fn stored_chunks(source: &ArraySource) -> Box<dyn Iterator<Item = u64> + Send + '_> {
    match &source.index {
        ChunkIndex::Stored(chunks) => {
            let numbers = chunks.records().iter().map(|record| record.index);
            Box::new(numbers.filter(|&number| number < source.grid.chunk_count()))
        }
        ChunkIndex::Computed(_) => Box::new(0..source.grid.chunk_count()),
    }
}

/// Whether some chunks are not stored: they hold nothing but the fill value.
pub(super) fn is_partly_absent(source: &ArraySource) -> bool {
    match &source.index {
        ChunkIndex::Stored(chunks) => (chunks.len() as u64) < source.grid.chunk_count(),
        ChunkIndex::Computed(_) => false,
    }
}

fn from_codec(error: &CodecError, variable: &DatasetInfo) -> Error {
    Error::new(error.code(), error.to_string()).at_variable(&variable.path)
}

fn union(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (a, b) {
        (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_parts_make_the_range_of_the_whole() {
        assert_eq!(union(None, None), None);
        assert_eq!(union(Some([1.0, 2.0]), None), Some([1.0, 2.0]));
        assert_eq!(
            union(Some([1.0, 2.0]), Some([-1.0, 1.5])),
            Some([-1.0, 2.0])
        );
    }
}
