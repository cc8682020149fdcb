//! The smallest and largest ordinary value of whole variables, for linear rounding.

use frazil_codec::ordinary_range;
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, RunOptions, Task, run_ordered};
use frazil_types::ProtectedValues;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::Resources;
use crate::run::{self, RunError};

/// A variable whose range is wanted.
pub(crate) struct Field<'a> {
    /// Its number in [`Input::variables`].
    pub(crate) variable: usize,
    /// Its number among the sources.
    pub(crate) source: usize,
    pub(crate) protected: &'a ProtectedValues,
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
    let mut ranges: Vec<Option<[f64; 2]>> = vec![None; fields.len()];
    let tasks = fields.iter().enumerate().flat_map(|(number, one)| {
        let grid = &sources[one.source].grid;
        (0..grid.chunk_count()).map(move |tile| Task {
            meta: number,
            requests: vec![Request::Values {
                source: one.source,
                selection: grid.valid_box(tile),
            }],
            output_bytes: 0,
        })
    });
    let options = RunOptions {
        threads: run::threads(resources),
        budget,
        cancel: &resources.cancel,
    };
    let outcome = run_ordered(
        sources,
        tasks,
        &options,
        |&number: &usize, blocks, _scratch| range_of(input, &fields[number], &blocks),
        |number, range| {
            ranges[number] = union(ranges[number], range);
            Ok(())
        },
    );
    match outcome {
        Ok(_) => Ok(ranges),
        Err(RunError::Facade(error)) => Err(error.in_file(input.path())),
        Err(RunError::Pipeline(error)) => {
            let owner = |source| {
                let found = fields.iter().find(|one| one.source == source);
                found.map(|one| one.variable)
            };
            Err(run::explain(error, input, sources, owner, resources))
        }
    }
}

fn range_of(
    input: &Input,
    field: &Field<'_>,
    blocks: &[Block],
) -> std::result::Result<Option<[f64; 2]>, RunError> {
    let variable = &input.variables()[field.variable];
    let mut range = None;
    for block in blocks {
        let Block::Values(values) = block else {
            continue;
        };
        let found = ordinary_range(values, field.protected, variable.element).map_err(|error| {
            let error = Error::new(error.code(), error.to_string());
            RunError::Facade(error.at_variable(&variable.path))
        })?;
        range = union(range, found);
    }
    Ok(range)
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
