//! How datasets are created: layout and filters.

use frazil_types::FilterPipeline;

use super::OutputStorage;
use super::dataset_info::{DatasetInfo, DatasetStorage};
use crate::error::Result;
use crate::ffi::filter;
use crate::ffi::property::{HeaderForm, PropertyList};

/// The creation list of an output dataset, but for its fill value and what a virtual one is mapped onto.
pub(super) fn creation_list(
    info: &DatasetInfo,
    storage: &OutputStorage,
    header: HeaderForm,
) -> Result<PropertyList> {
    let creation = PropertyList::dataset_create(header)?;
    match storage {
        OutputStorage::Contiguous => creation.set_contiguous()?,
        OutputStorage::Chunked { chunk, pipeline } => set_chunked(&creation, chunk, pipeline)?,
        OutputStorage::Keep => match &info.storage {
            DatasetStorage::Compact => creation.set_compact()?,
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => {
                set_chunked(&creation, chunk, pipeline)?;
            }
            DatasetStorage::Contiguous { .. } | DatasetStorage::External => {
                creation.set_contiguous()?;
            }
            DatasetStorage::Virtual => {}
        },
    }
    creation.set_fill_time(info.fill_time)?;
    Ok(creation)
}

/// Sets chunked layout; filters need not be there, since chunks come encoded.
pub(super) fn set_chunked(
    creation: &PropertyList,
    chunk: &[u64],
    pipeline: &FilterPipeline,
) -> Result<()> {
    for stage in &pipeline.0 {
        filter::accept_encoded(stage)?;
    }
    creation.set_chunked(chunk, pipeline)
}
