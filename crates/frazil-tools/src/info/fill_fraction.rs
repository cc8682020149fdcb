//! Which share of a variable's elements is the fill value.

use frazil_container::hdf5::{DatasetInfo, FillStatus, FillTime, expand_plain};
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, Task};
use frazil_types::{ChunkGrid, Selection};

use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::{self, InputRun};
use frazil_file::sources::{self, Access, Stored};
use frazil_file::storage_error::from_container;

/// Small chunks are looked at together until they make up this many bytes.
const BATCH_BYTES: u64 = 256 << 10;

/// A variable whose stored chunks are to be looked at.
struct Count {
    /// Position in the caller's list.
    position: usize,
    grid: ChunkGrid,
    /// Numbers of stored chunks; `None`: all.
    stored: Option<Vec<u64>>,
    element_bytes: u64,
    fill: Vec<u8>,
}

/// The share of fill values of each of these variables; `None` where there is no telling.
pub(super) fn count(
    input: &Input,
    variables: &[usize],
    resources: &Resources,
) -> Result<Vec<Option<f64>>> {
    let mut fractions = vec![None; variables.len()];
    let mut arrays = Vec::new();
    let mut counts = Vec::new();
    for (position, &number) in variables.iter().enumerate() {
        run::check_cancel(resources)?;
        let variable = &input.variables()[number];
        if !variable.element.is_self_contained() {
            // Heap data and references have no fill value to count.
            continue;
        }
        match sources::access(input, number, None)? {
            Access::Parallel(source, stored) => {
                counts.push(Count::new(position, &source, &stored));
                arrays.push(source);
            }
            Access::Apart(source) => {
                counts.push(Count::new(position, &source, &Stored::All));
                arrays.push(source);
            }
            Access::Nothing => fractions[position] = nothing_stored(variable),
            Access::Library => fractions[position] = through_library(input, variable, resources)?,
            Access::Undecodable(..) | Access::Indirect(..) | Access::Elsewhere(_) => {}
        }
    }
    let found = run_counts(input, variables, &arrays, &counts, resources)?;
    for (count, stored_fills) in counts.iter().zip(found) {
        let elements = input.variables()[variables[count.position]]
            .elements()
            .unwrap_or(0);
        let fills = stored_fills.saturating_add(elements.saturating_sub(count.stored_elements()));
        fractions[count.position] = Some(fills as f64 / elements.max(1) as f64);
    }
    Ok(fractions)
}

/// Elements that were never written are fill values, unless nobody ever sees these.
fn nothing_stored(variable: &DatasetInfo) -> Option<f64> {
    let is_empty = variable.is_null || variable.shape.contains(&0);
    let is_undefined =
        variable.fill_time == FillTime::Never || variable.fill_status == FillStatus::Undefined;
    (!is_empty && !is_undefined).then_some(1.0)
}

impl Count {
    fn new(position: usize, source: &ArraySource, stored: &Stored) -> Self {
        let stored = match stored {
            Stored::All => None,
            Stored::Records(records) => Some(records.iter().map(|record| record.index).collect()),
        };
        Self {
            position,
            grid: source.grid.clone(),
            stored,
            element_bytes: source.element_bytes as u64,
            fill: source.fill.clone(),
        }
    }

    fn chunks(&self) -> Box<dyn Iterator<Item = u64> + Send + '_> {
        match &self.stored {
            None => Box::new(0..self.grid.chunk_count()),
            Some(list) => Box::new(list.iter().copied()),
        }
    }

    /// Elements of the array that lie in stored chunks.
    fn stored_elements(&self) -> u64 {
        match &self.stored {
            None => Selection::whole(self.grid.shape()).elements().unwrap_or(0),
            Some(list) => list
                .iter()
                .filter_map(|&chunk| self.grid.valid_box(chunk).elements())
                .sum(),
        }
    }

    fn tasks(&self, number: usize) -> impl Iterator<Item = Task<usize>> + Send + '_ {
        let chunk_bytes = self
            .grid
            .chunk_elements()
            .saturating_mul(self.element_bytes)
            .max(1);
        let per_batch = (BATCH_BYTES / chunk_bytes).clamp(1, 256) as usize;
        let mut chunks = self.chunks();
        std::iter::from_fn(move || {
            let requests: Vec<Request> = chunks
                .by_ref()
                .take(per_batch)
                .map(|chunk| Request::Values {
                    source: number,
                    selection: self.grid.valid_box(chunk),
                })
                .collect();
            let task = Task {
                meta: number,
                requests,
                output_bytes: 0,
            };
            (!task.requests.is_empty()).then_some(task)
        })
    }
}

/// Counts fill values in stored chunks, in parallel.
fn run_counts(
    input: &Input,
    variables: &[usize],
    arrays: &[ArraySource],
    counts: &[Count],
    resources: &Resources,
) -> Result<Vec<u64>> {
    let run = InputRun {
        input,
        sources: arrays,
        resources,
        budget: &MemoryBudget::new(resources.memory_bytes),
    };
    let mut found = vec![0_u64; counts.len()];
    run.run(
        counts
            .iter()
            .enumerate()
            .flat_map(|(number, count)| count.tasks(number)),
        |number| counts.get(number).map(|count| variables[count.position]),
        |&number: &usize, blocks, _scratch| {
            let fill = &counts[number].fill;
            let equal = |block: &Block| match block {
                Block::Values(values) => equal_elements(values, fill),
                Block::Stored { .. } | Block::Absent => 0,
            };
            Ok(blocks.iter().map(equal).sum::<u64>())
        },
        |number, equal| {
            found[number] += equal;
            Ok(())
        },
    )?;
    Ok(found)
}

/// Elements that are bit for bit the fill value.
fn equal_elements(values: &[u8], fill: &[u8]) -> u64 {
    fn count<const N: usize>(values: &[u8], fill: &[u8; N]) -> u64 {
        values
            .as_chunks::<N>()
            .0
            .iter()
            .filter(|&element| element == fill)
            .count() as u64
    }
    match fill {
        [a] => count(values, &[*a]),
        [a, b] => count(values, &[*a, *b]),
        [a, b, c, d] => count(values, &[*a, *b, *c, *d]),
        [a, b, c, d, e, f, g, h] => count(values, &[*a, *b, *c, *d, *e, *f, *g, *h]),
        [] => 0,
        fill => values
            .chunks_exact(fill.len())
            .filter(|&element| element == fill)
            .count() as u64,
    }
}

/// Counts slab by slab what only libhdf5 can read.
fn through_library(
    input: &Input,
    variable: &DatasetInfo,
    resources: &Resources,
) -> Result<Option<f64>> {
    let Some(hdf5) = input.hdf5() else {
        return Ok(None);
    };
    let named = |error| from_container(error, input.path()).at_variable(&variable.path);
    let datatype = hdf5.describe_datatype(variable).map_err(named)?;
    if variable.has_oversized_elements() {
        return Ok(None);
    }
    let fill = expand_plain(&datatype, &variable.fill).map_err(named)?;
    let element_bytes = variable.element.size_bytes as u64;
    let grid = sources::grid(
        variable,
        &sources::slab_shape(&variable.shape, element_bytes, None),
    )?;
    let mut fills = 0_u64;
    for slab in 0..grid.chunk_count() {
        run::check_cancel(resources)?;
        let part = grid.valid_box(slab);
        let values = hdf5
            .expanded_values(variable, &datatype, &part)
            .map_err(named)?;
        fills += equal_elements(values.bytes(), fill.element(0));
    }
    Ok(variable
        .elements()
        .map(|elements| fills as f64 / elements.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::equal_elements;

    #[test]
    fn elements_of_every_size_are_counted() {
        for size in 1..10 {
            let fill: Vec<u8> = (1..=size).collect();
            let other: Vec<u8> = (2..=size + 1).collect();
            let values = [fill.clone(), other, fill.clone()].concat();
            assert_eq!(equal_elements(&values, &fill), 2, "{size}");
        }
        assert_eq!(equal_elements(&[0; 8], &[]), 0);
    }
}
