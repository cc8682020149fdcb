//! A look at what libhdf5 is about to read, and at what was written.

use super::expand::{InFile, expand_indirect};
use crate::error::Result;
use crate::hdf5::scan::Hdf5Input;

impl Hdf5Input {
    /// Reads what libhdf5 will read, since it may crash or loop where we give an error: all attributes
    /// with what they lead to, and the places of chunks that it decodes.
    ///
    /// # Errors
    /// If the file contradicts itself.
    pub fn check(&self) -> Result<()> {
        for path in self.paths().values() {
            self.check_attributes(path)
                .map_err(|error| error.at(path))?;
        }
        for dataset in self.datasets() {
            if !dataset.element.is_self_contained() {
                self.locate(dataset)
                    .map_err(|error| error.at(&dataset.object_path))?;
            }
        }
        Ok(())
    }

    fn check_attributes(&self, path: &str) -> Result<()> {
        self.with_metadata(|file| {
            for attribute in file.attributes(&self.object(file, path)?)? {
                let datatype = &attribute.datatype;
                if datatype.is_indirect() && datatype.can_be_expanded() {
                    let count = attribute.values.len() / datatype.size_bytes.max(1);
                    let values = InFile::new((self, file), count, 1);
                    expand_indirect(&values, datatype, &attribute.values)?;
                }
            }
            Ok(())
        })
    }
}
