//! What the filters of a variable of the input mean for its copy.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_types::{FilterPipeline, FilterSpec, completed_values, filter_id};

/// Whether libhdf5 writes down a variable's filters as the input has them: its shuffle is always for the
/// size of the elements. Chunks of other files can be read, but not copied as they are.
pub(crate) fn keeps_filters(variable: &DatasetInfo) -> bool {
    let DatasetStorage::Chunked { pipeline, .. } = &variable.storage else {
        return true;
    };
    let is_kept = |filter: &FilterSpec| {
        filter.id != filter_id::SHUFFLE
            || completed_values(filter.id, &filter.cd_values, variable.element, &[])
                .is_some_and(|values| values == filter.cd_values)
    };
    pipeline.0.iter().all(is_kept)
}

/// A variable's Fletcher-32 stage, if it has one, without the rest of its filters.
pub(crate) fn checksum_only(variable: &DatasetInfo) -> FilterPipeline {
    let DatasetStorage::Chunked { pipeline, .. } = &variable.storage else {
        return FilterPipeline::default();
    };
    let is_checksum = |filter: &&FilterSpec| filter.id == filter_id::FLETCHER32;
    FilterPipeline(pipeline.0.iter().filter(is_checksum).cloned().collect())
}
