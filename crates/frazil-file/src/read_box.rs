//! One box of an array, read on the calling thread.

use frazil_pipeline::{
    ArraySource, Block, MemoryBudget, PipelineError, Request, RunOptions, Task, run_ordered,
};
use frazil_types::Selection;

use crate::resources::Resources;

/// Elements of a box as they lie in the file.
///
/// # Errors
/// If they cannot be read or decoded, or take more memory than is allowed.
pub fn read_box(
    source: &[ArraySource; 1],
    part: &Selection,
    resources: &Resources,
) -> Result<Vec<u8>, PipelineError> {
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
        source,
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
    )?;
    Ok(values)
}
