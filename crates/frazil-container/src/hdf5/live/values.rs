//! Values of a live file that go through libhdf5: contiguous variables and strings.

use super::LiveOutput;
use super::behind::copied;
use crate::elements::Elements;
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::dataspace::Hyperslab;
use crate::ffi::datatype::Datatype;
use crate::ffi::known::Class;
use crate::ffi::variable_length;
use crate::hdf5::TypeDescription;
use crate::hdf5::attribute_form::Texts;
use crate::hdf5::committed_types::in_memory;
use crate::hdf5::output::blame;
use crate::schema::{Text, VariableId};
use frazil_hdf5::Extent;

impl LiveOutput {
    /// Writes a part of a variable (row-major, in the bytes of its stored type); everything if
    /// there is no selection.
    ///
    /// # Errors
    /// If the bytes do not fit or cannot be written.
    pub fn write_values(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
        bytes: &[u8],
    ) -> Result<()> {
        let dataset = self.objects.dataset(variable)?;
        let memory = dataset.datatype()?.memory_copy()?;
        if memory.holds_variable_length()? {
            return Err(strings_are_texts());
        }
        dataset
            .write(&memory, selection, bytes)
            .map_err(|error| blame(error, self.sink))
    }

    /// Reads a part of a variable as [`Self::write_values`] takes it, as of the last write.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_values(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
    ) -> Result<Vec<u8>> {
        let dataset = self.objects.dataset(variable)?;
        let memory = dataset.datatype()?.memory_copy()?;
        if memory.holds_variable_length()? {
            return Err(strings_are_texts());
        }
        let elements = elements(dataset, selection)?;
        let outcome = dataset.read(&memory, selection, elements);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Writes a part of a variable of strings (row-major); everything if there is no selection.
    ///
    /// # Errors
    /// If their number does not fit, one holds a NUL, or they cannot be written.
    pub fn write_strings<T: AsRef<[u8]>>(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
        strings: &[T],
    ) -> Result<()> {
        let (dataset, memory) = self.strings(variable)?;
        let texts = Texts::new(strings)?;
        dataset
            .write(&memory, selection, &texts.pointers())
            .map_err(|error| blame(error, self.sink))
    }

    /// Reads a part of a variable of strings; those never written are empty or the fill value. `None` is one that
    /// is not there.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_strings(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
    ) -> Result<Vec<Option<Text>>> {
        let (dataset, memory) = self.strings(variable)?;
        let elements = elements(dataset, selection)?;
        let raw = dataset.read(&memory, selection, elements)?;
        let mut strings = Vec::new();
        for element in raw.chunks_exact(memory.size_bytes()?) {
            let text = variable_length::variable_text_bytes(element)?;
            strings.push(text.map(Text::from));
        }
        let shape = vec![elements];
        let max_shape = vec![Some(elements)];
        memory.reclaim(&Extent::Simple { shape, max_shape }, raw)?;
        Ok(strings)
    }

    /// Writes a part of a variable whose elements point elsewhere, of this type in memory; everything if there is
    /// no selection.
    ///
    /// # Errors
    /// If their number does not fit, or they cannot be written.
    pub fn write_elements(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
        native: &TypeDescription,
        elements: &Elements,
    ) -> Result<()> {
        let dataset = self.objects.dataset(variable)?;
        let (memory, pinned) = (in_memory(native)?, elements.pinned()?);
        dataset
            .write(&memory, selection, &pinned.elements)
            .map_err(|error| blame(error, self.sink))
    }

    /// Reads a part of a variable as [`Self::write_elements`] takes it.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_elements(
        &self,
        variable: VariableId,
        selection: Option<Hyperslab<'_>>,
        native: &TypeDescription,
    ) -> Result<Elements> {
        let dataset = self.objects.dataset(variable)?;
        let memory = in_memory(native)?;
        let count = elements(dataset, selection)?;
        let raw = dataset.read(&memory, selection, count)?;
        let found = copied(native, &raw);
        let shape = vec![count];
        let max_shape = vec![Some(count)];
        memory.reclaim(&Extent::Simple { shape, max_shape }, raw)?;
        found
    }

    /// A variable of strings with its type in memory.
    fn strings(&self, variable: VariableId) -> Result<(&Dataset, Datatype)> {
        let dataset = self.objects.dataset(variable)?;
        let memory = dataset.datatype()?.memory_copy()?;
        if memory.class()? == Class::String && memory.is_variable_text()? {
            return Ok((dataset, memory));
        }
        Err(ContainerError::Internal(
            "no variable of strings".to_owned(),
        ))
    }
}

fn elements(dataset: &Dataset, selection: Option<Hyperslab<'_>>) -> Result<u64> {
    let elements = match selection {
        Some(slab) => slab.elements(),
        None => dataset.extent()?.elements(),
    };
    elements.ok_or_else(|| ContainerError::Corrupt("variable size overflows".to_owned()))
}

fn strings_are_texts() -> ContainerError {
    ContainerError::Internal("strings have no bytes of their own".to_owned())
}
