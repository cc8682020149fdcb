//! What a virtual dataset is mapped onto.

use super::dataspace;
use super::handle::{Handle, api, check, own, read_name};
use super::property::PropertyList;
use super::region;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::Extent;

/// More sources than this are not believed.
const MAX_SOURCES: usize = 1 << 24;

/// A part of a virtual dataset, and where its values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualSource {
    /// The part, in words.
    pub part: String,
    /// The file with the values (`.`: this one); `%b` stands for a number in names of series.
    pub file: String,
    /// Path of the dataset in it.
    pub dataset: String,
    /// Shape of that dataset.
    pub shape: Extent,
    /// The part of it, in words.
    pub source_part: String,
}

impl PropertyList {
    /// What a virtual dataset's creation list maps it onto, in the order of the file.
    pub(crate) fn virtual_sources(&self) -> Result<Vec<VirtualSource>> {
        let _guard = library_lock();
        let mut count = 0;
        // SAFETY: a live property list and a valid out-pointer.
        let status = unsafe { (api().H5Pget_virtual_count)(self.0.id(), &raw mut count) };
        check(status, "count the sources of virtual data")?;
        if count > MAX_SOURCES {
            return Err(ContainerError::Unsupported(format!(
                "virtual data with {count} sources"
            )));
        }
        (0..count).map(|i| self.virtual_source(i)).collect()
    }

    fn virtual_source(&self, i: usize) -> Result<VirtualSource> {
        const DOING: &str = "read a source of virtual data";
        // SAFETY: a live property list and the number of a mapping that it has.
        let (part, source) = unsafe {
            (
                (api().H5Pget_virtual_vspace)(self.0.id(), i),
                (api().H5Pget_virtual_srcspace)(self.0.id(), i),
            )
        };
        let (part, source): (Handle, Handle) = (own(part, DOING)?, own(source, DOING)?);
        Ok(VirtualSource {
            part: region::selected_pattern(&part)?.to_string(),
            // SAFETY: read_name passes a buffer of the size it states.
            file: read_name(DOING, |buffer, size| unsafe {
                (api().H5Pget_virtual_filename)(self.0.id(), i, buffer, size)
            })?,
            // SAFETY: as above.
            dataset: read_name(DOING, |buffer, size| unsafe {
                (api().H5Pget_virtual_dsetname)(self.0.id(), i, buffer, size)
            })?,
            shape: dataspace::read_extent(&source)?,
            source_part: region::selected_pattern(&source)?.to_string(),
        })
    }
}
