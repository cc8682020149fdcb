//! Writers against arrays in memory.

mod choices;
mod crash;
mod model;
mod outcome;
mod refusals;
mod requests;
#[path = "../../../../tests/support/sampling.rs"]
pub(super) mod sampling;
pub(super) mod script;
mod types;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{Block, MemoryBudget, PipelineError, Request, RunOptions, Task, run_ordered};
use frazil_types::Selection;

use frazil_file::input::Input;
use frazil_file::sources::{self, Access};

/// Shape and values of a variable, read by our own reader.
pub(crate) fn read(path: &Path, variable: &str) -> (Vec<u64>, Vec<u8>) {
    let input = Input::open(path).unwrap();
    let all = input.variables();
    // A variable named as a dimension it does not lie along has another name in HDF5.
    let shown = variable.replace("_nc4_non_coord_", "");
    let is_wanted = |v: &DatasetInfo| v.path == shown && !v.is_dimension_only;
    let number = all.iter().position(is_wanted);
    let paths = || all.iter().map(|v| &v.path).collect::<Vec<_>>();
    let number = number.unwrap_or_else(|| panic!("{variable} is not among {:?}", paths()));
    let info = &all[number];
    let elements = info.elements().unwrap() as usize;
    let source = match sources::access(&input, number, None).unwrap() {
        Access::Parallel(source, _) => source,
        Access::Nothing => return (info.shape.clone(), info.fill.repeat(elements)),
        _ => panic!("{variable} cannot be read in parallel"),
    };
    let task = Task {
        meta: (),
        requests: vec![Request::Values {
            source: 0,
            selection: Selection::whole(&info.shape),
        }],
        output_bytes: 0,
    };
    let options = RunOptions {
        threads: 1,
        budget: &MemoryBudget::new(1 << 30),
        cancel: &AtomicBool::new(false),
    };
    let mut values = Vec::new();
    let outcome = run_ordered(
        &[source],
        std::iter::once(task),
        &options,
        |(), mut blocks, _| match blocks.pop() {
            Some(Block::Values(block)) => Ok(block.to_vec()),
            _ => Ok(info.fill.repeat(elements)),
        },
        |(), bytes: Vec<u8>| {
            values = bytes;
            Ok::<(), PipelineError>(())
        },
    );
    if let Err(error) = outcome {
        panic!("{variable} cannot be read: {error}");
    }
    (info.shape.clone(), values)
}
