//! How large the metadata of an output become.

use frazil_container::hdf5::{DatasetInfo, Hdf5Output, OutputTarget};

use crate::copying;
use crate::define::define;
use crate::fill::{self, Placed};
use crate::routes::{CopyPlan, Decisions};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::output;
use frazil_file::resources::Resources;
use frazil_file::storage_error::{from_container, from_copying};
use frazil_types::LayoutProfile;

/// How metadata are measured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measure<'a> {
    /// They lie in blocks of so many bytes, with what is left of these; `None`: in one block.
    pub metadata_block_bytes: Option<u64>,
    /// With these, texts and the like are copied, too, into memory.
    pub(crate) heaps: Option<&'a Resources>,
}

/// Room for metadata that are not measured: heap data, and rounding of libhdf5's allocations.
const SLACK_BYTES: u64 = 4 << 10;

/// The blocks that metadata of the output lie in: all in one, where the layout demands it.
pub(crate) fn block_bytes(
    layout: LayoutProfile,
    source: &Input,
    decisions: &Decisions,
) -> Result<u64> {
    match layout {
        LayoutProfile::Cmip7 => {
            let bytes = measure_metadata(source, decisions, Measure::default())?;
            Ok(bytes.saturating_add(SLACK_BYTES))
        }
        LayoutProfile::Standard => Ok(output::metadata_block_bytes(source.file_bytes())),
    }
}

/// How many bytes of metadata the output will have: everything is defined and placed once, into
/// nothing. In one block, sizes of chunks do not matter to their index, so one byte stands for each.
pub(crate) fn measure_metadata(
    source: &Input,
    decisions: &Decisions,
    how: Measure<'_>,
) -> Result<u64> {
    let target = OutputTarget::Measure {
        metadata_block_bytes: how.metadata_block_bytes,
    };
    let output = define(source, target, decisions)?;
    let raw_bytes = match how.heaps {
        Some(resources) => copy_heaps(source, &output, decisions, resources)?,
        None => 0,
    };
    let in_file = |error: Error| error.in_file(source.path());
    // Blocks end where values lie behind them, and what is left of them stays empty.
    let placed = match how.metadata_block_bytes {
        Some(_) => fill::place_as_foretold(source, &output, decisions).map_err(in_file)?,
        None => {
            fill::place_without_bytes(&output, decisions).map_err(in_file)?;
            Placed::default()
        }
    };
    let finished = output
        .finish(source.hdf5())
        .map_err(|error| from_container(error, source.path()))?;
    let end = match how.heaps {
        Some(_) => finished.written_end.max(finished.metadata_end),
        None => finished.metadata_end,
    };
    Ok(end
        .max(placed.end)
        .saturating_sub(raw_bytes.saturating_add(placed.bytes)))
}

/// Whether a variable's values are copied into heaps: texts, sequences, references.
pub(crate) fn lies_in_heaps(variable: &DatasetInfo, route: &CopyPlan) -> bool {
    matches!(route, CopyPlan::Library) && !variable.element.is_self_contained()
}

/// Copies what lies in heaps; bytes of the variables themselves, which are no metadata.
fn copy_heaps(
    source: &Input,
    output: &Hdf5Output,
    decisions: &Decisions,
    resources: &Resources,
) -> Result<u64> {
    let mut raw_bytes = 0;
    let variables = source.variables().iter().zip(&decisions.routes);
    for (i, (variable, route)) in variables.enumerate() {
        if lies_in_heaps(variable, route) {
            copying::copy_values(source, i, (output, source.path()), resources)?;
            let stored = output.stored_bytes(i);
            raw_bytes += stored.map_err(|e| from_copying(e, source.path(), source.path()))?;
        }
    }
    Ok(raw_bytes)
}
