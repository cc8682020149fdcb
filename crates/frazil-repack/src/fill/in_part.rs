//! Packs some chunks and keeps nothing of them: predictions learn what they take.

use frazil_pipeline::MemoryBudget;

use super::owner_of;
use super::packing::{Batch, Packing, Step, packings};
use crate::routes::Decisions;
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::InputRun;

/// Bytes that chunks take, by variable: those of `chosen`, in its order; 0 for one that is not stored, since fill
/// values say it all.
///
/// # Errors
/// What packing them fails with.
pub(crate) fn pack_in_part(
    source: &Input,
    decisions: &Decisions,
    chosen: &[ChunkSubset],
    (resources, budget): (&Resources, &MemoryBudget),
) -> Result<Vec<Vec<u64>>> {
    let mut plans = packings(source, decisions)?;
    for (plan, chosen) in plans.iter_mut().zip(chosen) {
        match &mut plan.step {
            Step::Encode { tiles, .. } => *tiles = chosen.clone(),
            step => *step = Step::None,
        }
    }
    let mut found = vec![Vec::new(); plans.len()];
    let run = InputRun {
        input: source,
        sources: &decisions.sources,
        resources,
        budget,
    };
    run.run(
        plans.iter().flat_map(Packing::tasks),
        |number| owner_of(number, decisions),
        |batch: &Batch, blocks, scratch| {
            let variable = &source.variables()[batch.variable];
            let chunks = plans[batch.variable].pack(batch, blocks, scratch);
            let chunks = chunks.map_err(|error| error.at_variable(&variable.path))?;
            let sizes = chunks.iter().map(|chunk| {
                let chunk = chunk.as_ref();
                chunk.map_or(0, |chunk| chunk.bytes.len() as u64)
            });
            Ok(sizes.collect::<Vec<u64>>())
        },
        |batch, sizes| {
            found[batch.variable].extend(sizes);
            Ok(())
        },
    )?;
    Ok(found)
}
