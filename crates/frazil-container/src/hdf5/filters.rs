//! Filters of datasets that are read through libhdf5.

use frazil_types::{FilterPipeline, FilterSpec};

use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::{filter, filter_decoder};

/// What filters may add to a chunk, between them.
const GROWTH_BYTES: u64 = 64 << 10;

impl Hdf5Input {
    /// Whether libhdf5 can decode with this filter (built in, or a plugin on its path).
    ///
    /// # Errors
    /// If libhdf5 cannot be asked.
    pub fn has_plugin(&self, filter_id: i32) -> Result<bool> {
        filter::is_available(filter_id)
    }

    /// Filters that libhdf5 cannot undo, neither by itself nor through a plugin nor with the codec's
    /// help ([`super::decode_filters_with`]).
    ///
    /// Plugins are loaded, and the codec's help is called in, before anything else takes the filters'
    /// places.
    ///
    /// # Errors
    /// If libhdf5 cannot be asked.
    pub fn missing_filters(&self, pipeline: &FilterPipeline) -> Result<Vec<FilterSpec>> {
        let mut missing = Vec::new();
        for spec in &pipeline.0 {
            if !filter::can_decode(spec)? {
                missing.push(spec.clone());
            }
        }
        Ok(missing)
    }

    /// Runs `work`, which reads values of a dataset through libhdf5, with everything at hand that
    /// undoes the dataset's filters.
    pub(super) fn through_filters<T>(
        &self,
        dataset: &DatasetInfo,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let DatasetStorage::Chunked {
            chunk, pipeline, ..
        } = &dataset.storage
        else {
            return work();
        };
        if pipeline.is_empty() {
            return work();
        }
        let missing = self.missing_filters(pipeline)?;
        filter_decoder::reading(chunk_bytes(dataset, chunk), work).map_err(|error| {
            match (error, missing.into_iter().next()) {
                (ContainerError::Hdf5 { .. } | ContainerError::Corrupt(_), Some(filter)) => {
                    ContainerError::MissingFilter(filter)
                }
                (error, _) => error,
            }
        })
    }
}

/// Bytes of a chunk at most, as it lies in the file.
fn chunk_bytes(dataset: &DatasetInfo, chunk: &[u64]) -> usize {
    // A text is a pointer of 8 bytes in memory and takes 16 in the file.
    let element_bytes = dataset.element.size_bytes.saturating_mul(2) as u64;
    let bytes = chunk
        .iter()
        .fold(element_bytes, |n, &extent| n.saturating_mul(extent));
    let limit = bytes
        .saturating_add(bytes / 64)
        .saturating_add(GROWTH_BYTES);
    usize::try_from(limit).unwrap_or(usize::MAX)
}
