//! Dimension scales of a file that is read.

use frazil_hdf5::{Attribute, TypeClass};

use super::dataset_info::DatasetInfo;
use super::scan::{Hdf5Input, last_part};
use crate::error::Result;

impl Hdf5Input {
    /// Object address of the first scale attached to each axis, 0 where there is none; nothing if
    /// the dataset has no list of scales.
    pub(super) fn attached_scales(&self, dataset: &DatasetInfo) -> Result<Vec<u64>> {
        let list = self.attribute(&dataset.object_path, "DIMENSION_LIST")?;
        list.map_or(Ok(Vec::new()), |list| self.scale_addresses(&list))
    }

    /// Dimension names by axis where dimension scales name them, else empty strings.
    pub(super) fn dimension_names(&self, dataset: &DatasetInfo) -> Result<Vec<String>> {
        let rank = dataset.shape.len();
        let mut names = vec![String::new(); rank];
        if rank == 0 {
            return Ok(names);
        }
        let addresses = self.attached_scales(dataset)?;
        if addresses.is_empty() {
            if self.attribute(&dataset.object_path, "CLASS")?.is_some() {
                // A dimension scale: its first axis is the dimension it stands for.
                last_part(&dataset.path).clone_into(&mut names[0]);
            }
            return Ok(names);
        }
        for (axis, address) in addresses.into_iter().enumerate() {
            if let (Some(path), Some(name)) = (self.paths().get(&address), names.get_mut(axis)) {
                last_part(path).clone_into(name);
            }
        }
        Ok(names)
    }

    /// Object addresses of the first scale on each axis, 0 where there is none.
    fn scale_addresses(&self, list: &Attribute) -> Result<Vec<u64>> {
        let TypeClass::VariableLength { base } = &list.datatype.class else {
            return Ok(Vec::new());
        };
        if base.class != TypeClass::ObjectReference {
            return Ok(Vec::new());
        }
        self.with_metadata(|file| {
            let elements = list.values.chunks_exact(list.datatype.size_bytes);
            let first = |element| -> Result<u64> {
                let references = file.sequence(element, base.size_bytes)?;
                let first = references.get(..base.size_bytes).unwrap_or_default();
                Ok(frazil_hdf5::object_reference(first).unwrap_or_default())
            };
            elements.map(first).collect()
        })
    }
}
