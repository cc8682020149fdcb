//! What an HDF5 file's objects are, as plain data that can be compared without libhdf5: datatypes,
//! attributes, fill values, and values in a form that means the same in every file.

mod attributes;
mod check;
mod data_model;
mod expand;
pub(super) mod memory_form;
pub(super) mod netcdf;
mod regular;
mod stored;

use frazil_hdf5::{Extent, FillStatus, TypeDescription, VirtualPart};
use frazil_types::Selection;

pub use attributes::{AttributeDescription, ObjectAttributes};
pub use expand::{Expanded, expand_plain};
pub use netcdf::{ClassicView, Obstacle};
pub use stored::StoredElement;

use super::contents::EntryKind;
use super::dataset_info::DatasetInfo;
use super::links::{Found, Links};
use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::dataspace::Hyperslab;
use expand::{InFile, InMemory, expand_indirect};

/// Where a path leads that is a dataset's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatasetPlace {
    /// To the dataset of this number.
    Here(usize),
    /// To what is at a path in another file.
    Elsewhere {
        /// The other file, as the link has it.
        file: String,
        /// The path in it.
        path: String,
    },
}

impl Hdf5Input {
    /// A dataset's element type.
    ///
    /// # Errors
    /// If the dataset or its type cannot be read.
    pub fn describe_datatype(&self, dataset: &DatasetInfo) -> Result<TypeDescription> {
        let read = self.dataset(dataset)?;
        Ok(self.described(read.datatype, read.committed))
    }

    /// The type behind a committed datatype's path.
    ///
    /// # Errors
    /// If there is no such object or it cannot be read.
    pub fn describe_named_datatype(&self, path: &str) -> Result<TypeDescription> {
        self.with_metadata(|file| {
            let object = self.object(file, path)?;
            let datatype = file.datatype(&object)?;
            Ok(self.described(datatype, Some(object.address())))
        })
    }

    /// The type behind a committed datatype's path, as it lies in the file.
    ///
    /// # Errors
    /// As [`Self::describe_named_datatype`].
    pub fn stored_named_datatype(&self, path: &str) -> Result<TypeDescription> {
        self.with_metadata(|file| Ok(file.datatype(&self.object(file, path)?)?))
    }

    /// The comment of the object at `path` (`/` for the root); `None` if it has none.
    ///
    /// # Errors
    /// If the object cannot be read.
    pub fn comment(&self, path: &str) -> Result<Option<String>> {
        self.with_metadata(|file| Ok(self.object(file, path)?.comment()))
    }

    /// What a virtual dataset is mapped onto, in the order of the file.
    ///
    /// # Errors
    /// If the dataset cannot be read.
    pub fn virtual_parts(&self, dataset: &DatasetInfo) -> Result<Vec<VirtualPart>> {
        self.with_metadata(|file| {
            let read = file.dataset(&file.object(dataset.object_address)?)?;
            Ok(file.virtual_parts(&read)?)
        })
    }

    /// The dataset at a path from the root, through links; `None` if nothing is there.
    ///
    /// # Errors
    /// If another object is there, or a link that only its author's program can follow.
    pub fn dataset_at(&self, path: &str) -> Result<Option<DatasetPlace>> {
        let found = match Links::new(self.contents()).find(path) {
            Found::Nothing => return Ok(None),
            Found::Elsewhere { file, path } => {
                let file = file.to_owned();
                return Ok(Some(DatasetPlace::Elsewhere { file, path }));
            }
            Found::Entry(entry) => &entry.kind,
        };
        let what = match found {
            EntryKind::Dataset(number) => return Ok(Some(DatasetPlace::Here(*number))),
            EntryKind::UserDefined { .. } => "leads where only its author's program can go",
            _ => "is no dataset",
        };
        Err(ContainerError::Unsupported(format!("{path} {what}")))
    }

    /// A dataset's shape and how far it may grow.
    ///
    /// # Errors
    /// If the dataset cannot be read.
    pub fn extent(&self, dataset: &DatasetInfo) -> Result<Extent> {
        let mut extent = self.dataset(dataset)?.extent;
        extent.set_shape(&dataset.shape);
        Ok(extent)
    }

    /// The fill value that the file's author set, expanded; `None` if it is the library's default
    /// or undefined.
    ///
    /// # Errors
    /// If the dataset cannot be read.
    pub fn expanded_fill(
        &self,
        dataset: &DatasetInfo,
        datatype: &TypeDescription,
    ) -> Result<Option<Expanded>> {
        if dataset.fill_status != FillStatus::User || !datatype.can_be_expanded() {
            return Ok(None);
        }
        self.with_metadata(|file| {
            let read = file.dataset(&file.object(dataset.object_address)?)?;
            let datatype = read.datatype.in_order_of_memory();
            let values = InFile::new((self, file), 1, 1);
            expand_indirect(&values, &datatype, &read.fill.value).map(Some)
        })
    }

    /// Reads a box of a dataset through libhdf5 and expands it; `datatype` is the dataset's own
    /// description. The box must lie inside the dataset.
    ///
    /// # Errors
    /// If values cannot be read, or hold what has no meaning outside the file
    /// ([`TypeDescription::can_be_expanded`]).
    pub fn expanded_values(
        &self,
        dataset: &DatasetInfo,
        datatype: &TypeDescription,
        selection: &Selection,
    ) -> Result<Expanded> {
        let slab = Hyperslab::dense(&selection.start, &selection.count);
        self.expanded_slab(dataset, datatype, slab)
    }

    /// As [`Self::expanded_values`], for any regular part.
    ///
    /// # Errors
    /// As [`Self::expanded_values`].
    pub fn expanded_slab(
        &self,
        dataset: &DatasetInfo,
        datatype: &TypeDescription,
        slab: Hyperslab<'_>,
    ) -> Result<Expanded> {
        check_expandable(datatype)?;
        let open = self.open_dataset(&dataset.object_path)?;
        let memory = open.datatype()?.memory_copy()?;
        let elements = slab.elements().ok_or_else(|| {
            ContainerError::Corrupt("it claims more elements than can be counted".to_owned())
        })?;
        let is_scalar = slab.count.is_empty();
        let selection = (!is_scalar).then_some(slab);
        let raw = self.through_filters(dataset, || open.read(&memory, selection, elements))?;
        let expanded =
            self.with_metadata(|file| expand_indirect(&InMemory(self, file), datatype, &raw));
        let extent = if is_scalar {
            Extent::Scalar
        } else {
            Extent::Simple {
                shape: slab.count.to_vec(),
                max_shape: slab.count.iter().map(|&n| Some(n)).collect(),
            }
        };
        memory.reclaim(&extent, raw)?;
        expanded
    }

    /// Reads a regular part of a dataset of fixed-size elements through libhdf5 into `values`, as they
    /// lie in the file.
    ///
    /// # Errors
    /// If values cannot be read; [`ContainerError::Internal`] if `values` does not hold the part, or
    /// elements point into the file's heap.
    pub fn read_slab(
        &self,
        dataset: &DatasetInfo,
        slab: Hyperslab<'_>,
        values: &mut [u8],
    ) -> Result<()> {
        if !dataset.element.is_self_contained() {
            return Err(ContainerError::Internal(
                "elements that point into the heap".to_owned(),
            ));
        }
        let open = self.open_dataset(&dataset.object_path)?;
        let memory = open.datatype()?.memory_copy()?;
        let is_scalar = slab.count.is_empty();
        let selection = (!is_scalar).then_some(slab);
        self.through_filters(dataset, || open.read_into(&memory, selection, values))
    }
}

/// Values of some types have no meaning outside their file.
fn check_expandable(datatype: &TypeDescription) -> Result<()> {
    match datatype.can_be_expanded() {
        true => Ok(()),
        false => Err(ContainerError::Unsupported(
            "references of HDF5 1.12 (H5T_STD_REF) cannot be read here".to_owned(),
        )),
    }
}
