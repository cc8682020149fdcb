//! Dimension scales of a file that is read.

use super::dataset_info::DatasetInfo;
use super::scan::{Hdf5Input, last_part};
use crate::error::Result;
use crate::ffi::known::Class;
use crate::ffi::{attribute, variable_length};

impl Hdf5Input {
    /// Object address of the first scale attached to each axis, 0 where there is none; nothing if
    /// the dataset has no list of scales.
    pub(super) fn attached_scales(&self, dataset: &DatasetInfo) -> Result<Vec<u64>> {
        let open = self.open_dataset(&dataset.object_path)?;
        match attribute::open_by_name(open.handle(), "DIMENSION_LIST")? {
            Some(list) => scale_addresses(&list, self.file_bytes()),
            None => Ok(Vec::new()),
        }
    }

    /// Dimension names by axis where dimension scales name them, else empty strings.
    pub(super) fn dimension_names(&self, dataset: &DatasetInfo) -> Result<Vec<String>> {
        let rank = dataset.shape.len();
        let mut names = vec![String::new(); rank];
        if rank == 0 {
            return Ok(names);
        }
        let open = self.open_dataset(&dataset.object_path)?;
        let addresses = self.attached_scales(dataset)?;
        if addresses.is_empty() {
            if attribute::open_by_name(open.handle(), "CLASS")?.is_some() {
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
}

/// Object addresses of the first scale on each axis, 0 where there is none.
fn scale_addresses(list: &attribute::Attribute, file_bytes: u64) -> Result<Vec<u64>> {
    let file_type = list.datatype()?;
    if file_type.class()? != Class::VariableLength || file_type.base()?.class()? != Class::Reference
    {
        return Ok(Vec::new());
    }
    let memory = file_type.memory_copy()?;
    let extent = list.extent()?;
    let value = list.read(&memory, &extent, file_bytes)?;
    let mut addresses = Vec::new();
    for element in value.chunks_exact(memory.size_bytes()?) {
        let references = variable_length::variable_length_bytes(element, 8)?;
        let first = references.get(..8).and_then(|bytes| bytes.try_into().ok());
        addresses.push(first.map_or(0, u64::from_ne_bytes));
    }
    memory.reclaim(&extent, value)?;
    Ok(addresses)
}
