//! Dimension scales of a file that is read.

use std::collections::HashMap;

use frazil_hdf5::{Attribute, File, Object, TypeClass};

use super::dataset_info::DatasetInfo;
use super::scan::{Hdf5Input, last_part};
use crate::error::Result;

/// What a dataset says of its axes.
pub(super) struct Axes {
    /// Object address of the first scale attached to each axis, 0 where there is none; nothing if
    /// the dataset has no list of scales.
    addresses: Vec<u64>,
    is_scale: bool,
}

impl Axes {
    pub(super) fn of(file: &File, dataset: &Object) -> Result<Self> {
        Ok(Self {
            addresses: attached_scales(file, dataset)?,
            is_scale: file.attribute(dataset, "CLASS")?.is_some(),
        })
    }

    /// Dimension names by axis where dimension scales name them, else empty strings; `paths` names
    /// objects by their addresses.
    pub(super) fn names(&self, dataset: &DatasetInfo, paths: &HashMap<u64, String>) -> Vec<String> {
        let mut names = vec![String::new(); dataset.shape.len()];
        if self.addresses.is_empty() && self.is_scale {
            // The first axis of a scale is the dimension it stands for.
            if let Some(name) = names.first_mut() {
                last_part(&dataset.path).clone_into(name);
            }
        }
        for (name, address) in names.iter_mut().zip(&self.addresses) {
            if let Some(path) = paths.get(address) {
                last_part(path).clone_into(name);
            }
        }
        names
    }
}

impl Hdf5Input {
    /// Object address of the first scale attached to each axis, 0 where there is none; nothing if
    /// the dataset has no list of scales.
    pub(super) fn attached_scales(&self, dataset: &DatasetInfo) -> Result<Vec<u64>> {
        self.with_metadata(|file| attached_scales(file, &file.object(dataset.object_address)?))
    }
}

fn attached_scales(file: &File, dataset: &Object) -> Result<Vec<u64>> {
    let list = file.attribute(dataset, "DIMENSION_LIST")?;
    list.map_or(Ok(Vec::new()), |list| scale_addresses(file, &list))
}

fn scale_addresses(file: &File, list: &Attribute) -> Result<Vec<u64>> {
    let TypeClass::VariableLength { base } = &list.datatype.class else {
        return Ok(Vec::new());
    };
    if base.class != TypeClass::ObjectReference {
        return Ok(Vec::new());
    }
    let first = |element| -> Result<u64> {
        let references = file.sequence(element, base.size_bytes)?;
        let first = references.get(..base.size_bytes).unwrap_or_default();
        Ok(frazil_hdf5::object_reference(first).unwrap_or_default())
    };
    let elements = list.values.chunks_exact(list.datatype.size_bytes);
    elements.map(first).collect()
}
