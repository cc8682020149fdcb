//! Elements as they lie in the file.

use frazil_hdf5::{ExternalFile, FillStatus, Storage, TypeDescription};

use super::check_expandable;
use super::expand::{Expanded, InFile, expand_indirect, expand_plain};
use crate::error::{ContainerError, Result};
use crate::hdf5::dataset_info::DatasetInfo;
use crate::hdf5::scan::Hdf5Input;

/// One element of a dataset as it lies in the file: other than in memory if it leads elsewhere.
#[derive(Debug, Clone)]
pub struct StoredElement {
    /// What it is, members of compounds in the order of [`Hdf5Input::describe_datatype`].
    pub datatype: TypeDescription,
    /// That of the fill value; zeros where none was set, empty if they would be more than the file
    /// ([`DatasetInfo::has_oversized_elements`]).
    pub fill: Vec<u8>,
}

impl Hdf5Input {
    /// One element of a dataset as it lies in the file.
    ///
    /// # Errors
    /// If the dataset cannot be read.
    pub fn stored_element(&self, dataset: &DatasetInfo) -> Result<StoredElement> {
        let read = self.dataset(dataset)?;
        let fill = match read.fill.status {
            FillStatus::User => read.fill.value,
            _ if dataset.has_oversized_elements() => Vec::new(),
            FillStatus::Default | FillStatus::Undefined => vec![0; read.datatype.size_bytes],
        };
        Ok(StoredElement {
            datatype: read.datatype.in_order_of_memory(),
            fill,
        })
    }

    /// Expands elements as they lie in the file, of the type of a [`StoredElement`]; none is there more than
    /// `repeats` times.
    ///
    /// # Errors
    /// If they lead to nothing that can be read, or hold what has no meaning outside the file
    /// ([`TypeDescription::can_be_expanded`]).
    pub fn expand(
        &self,
        datatype: &TypeDescription,
        stored: &[u8],
        repeats: u64,
    ) -> Result<Expanded> {
        check_expandable(datatype)?;
        if !datatype.is_indirect() {
            return expand_plain(datatype, stored);
        }
        let count = stored.len() / datatype.size_bytes.max(1);
        self.with_metadata(|file| {
            file.begin_values(count as u64, repeats);
            let values = InFile::new((self, file), count, repeats);
            expand_indirect(&values, datatype, stored)
        })
    }

    /// The parts of other files that hold the values of a dataset in external storage, in their order.
    ///
    /// # Errors
    /// If the dataset cannot be read, or its storage is another.
    pub fn external_files(&self, dataset: &DatasetInfo) -> Result<Vec<ExternalFile>> {
        match self.dataset(dataset)?.storage {
            Storage::External(files) => Ok(files),
            _ => Err(ContainerError::Corrupt(
                "its values are not in other files any more".to_owned(),
            )),
        }
    }

    /// The values of a compact dataset, one after the other as they are stored.
    ///
    /// # Errors
    /// If the dataset cannot be read, is not compact, or holds other values than its shape says.
    pub fn compact_values(&self, dataset: &DatasetInfo) -> Result<Vec<u8>> {
        let read = self.dataset(dataset)?;
        let bytes = (read.extent.elements())
            .and_then(|elements| elements.checked_mul(read.datatype.size_bytes as u64));
        match read.storage {
            Storage::Compact(values) if bytes == Some(values.len() as u64) => Ok(values),
            _ => Err(ContainerError::Corrupt(
                "its compact values have another size than its shape says".to_owned(),
            )),
        }
    }
}
