//! Values that only libhdf5 can read, slab by slab on the calling thread.

use frazil_container::hdf5::{DatasetStorage, Expanded, expand_plain};
use frazil_pipeline::{Block, MemoryBudget, PipelineError, Request, RunOptions, Task, run_ordered};
use frazil_types::{ChunkGrid, ChunkRecord, ErrorCode, Selection};

use super::elements::{Unequal, compare_expanded};
use super::plan::{Pair, Side};
use super::tiles::Tiling;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::sources::{self, Access};
use frazil_file::storage_error::from_container;

/// Compares the values of a pair.
pub(super) fn compare(a: &Input, b: &Input, pair: &Pair, resources: &Resources) -> Result<Unequal> {
    let element_bytes = pair.a.datatype.size_bytes as u64;
    let slab = sources::slab_shape(&pair.shape, element_bytes, None);
    let grid = ChunkGrid::new(&pair.shape, &slab).ok_or_else(|| {
        Error::new(ErrorCode::Corrupt, "its size overflows")
            .in_file(a.path())
            .at_variable(&pair.path)
    })?;
    // What neither side wrote holds the fill value, which is compared already.
    let (grid_a, records_a) = stored_chunks(a, &pair.a, &grid)?;
    let (grid_b, records_b) = stored_chunks(b, &pair.b, &grid)?;
    let stored = [
        (&grid_a, records_a.as_deref()),
        (&grid_b, records_b.as_deref()),
    ];
    let mut all = Unequal::default();
    for number in Tiling::new(grid.clone(), stored).numbers() {
        run::check_cancel(resources)?;
        let part = grid.valid_box(number);
        let [first, second] = read_both(a, b, pair, &part, resources)?;
        let unequal = compare_expanded((&pair.a.datatype, &first), (&pair.b.datatype, &second));
        all.merge(unequal.in_array(&part, &pair.shape));
    }
    Ok(all)
}

/// A side's chunks, and which of them are stored (`None`: everything is).
fn stored_chunks(
    input: &Input,
    side: &Side,
    whole: &ChunkGrid,
) -> Result<(ChunkGrid, Option<Vec<ChunkRecord>>)> {
    let info = &input.variables()[side.variable];
    let name = |error: Error| error.in_file(input.path()).at_variable(&info.path);
    match (&info.storage, input.hdf5()) {
        (DatasetStorage::Chunked { chunk, .. }, Some(hdf5)) => {
            let records = hdf5.locate(info);
            let records = records.map_err(|error| name(from_container(error, input.path())))?;
            Ok((sources::grid(info, chunk).map_err(name)?, Some(records)))
        }
        (DatasetStorage::Contiguous { address: None }, Some(_)) => {
            Ok((whole.clone(), Some(Vec::new())))
        }
        _ => Ok((whole.clone(), None)),
    }
}

/// Values of the same box of both sides, numbers little-endian.
pub(super) fn read_both(
    a: &Input,
    b: &Input,
    pair: &Pair,
    part: &Selection,
    resources: &Resources,
) -> Result<[Expanded; 2]> {
    Ok([
        read(a, &pair.a, part, resources)?,
        read(b, &pair.b, part, resources)?,
    ])
}

fn read(input: &Input, side: &Side, part: &Selection, resources: &Resources) -> Result<Expanded> {
    let info = &input.variables()[side.variable];
    let outcome = match input.hdf5() {
        Some(hdf5) => hdf5.expanded_values(info, &side.datatype, part),
        None => expand_plain(&side.datatype, &read_classic(input, side, part, resources)?),
    };
    outcome.map_err(|error| from_container(error, input.path()).at_variable(&info.path))
}

/// Values of a classic variable, little-endian.
fn read_classic(
    input: &Input,
    side: &Side,
    part: &Selection,
    resources: &Resources,
) -> Result<Vec<u8>> {
    let Access::Parallel(source, _) = sources::access(input, side.variable, None)? else {
        return Err(Error::new(
            ErrorCode::Internal,
            "a classic variable without values",
        ));
    };
    let sources = [source];
    let budget = MemoryBudget::new(resources.memory_bytes);
    let options = RunOptions {
        threads: 1,
        budget: &budget,
        cancel: &resources.cancel,
    };
    let requests = vec![Request::Values {
        source: 0,
        selection: part.clone(),
    }];
    let task = Task {
        meta: (),
        requests,
        output_bytes: 0,
    };
    let mut values = Vec::new();
    run_ordered(
        &sources,
        std::iter::once(task),
        &options,
        |_: &(), blocks: Vec<Block>, _scratch| Ok::<_, PipelineError>(blocks),
        |(), blocks| {
            for block in blocks {
                if let Block::Values(block) = block {
                    values = block.into_vec();
                }
            }
            Ok(())
        },
    )
    .map_err(|error| run::explain(error, input, &sources, |_| Some(side.variable), resources))?;
    Ok(values)
}
