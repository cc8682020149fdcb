//! Objects of a live file: defined, renamed and described at any time between commits.

use super::LiveOutput;
use crate::error::Result;
use crate::hdf5::OutputStorage;
use crate::hdf5::output::blame;
use crate::schema::{
    AttributeOwner, DimensionId, GroupId, Schema, SchemaAttribute, SchemaType, VariableId,
};

impl LiveOutput {
    /// Whether an object that has attributes is in the file.
    #[must_use]
    pub fn is_there(&self, owner: AttributeOwner) -> bool {
        self.objects.is_there(owner)
    }

    /// Whether a variable is in the file.
    #[must_use]
    pub fn is_defined(&self, variable: VariableId) -> bool {
        self.objects.is_defined(variable)
    }

    /// Creates a variable with its first shape ([`Schema::first_shape`]) and all its attributes, and the groups
    /// above it. [`Self::complete`] gives it its dimensions.
    ///
    /// A scalar is contiguous whatever `storage` says; [`OutputStorage::Keep`] is contiguous.
    ///
    /// # Errors
    /// If it is defined already or libhdf5 refuses.
    pub fn define_variable(
        &mut self,
        schema: &Schema,
        variable: VariableId,
        storage: &OutputStorage,
    ) -> Result<()> {
        let outcome = self.objects.define_variable(schema, variable, storage);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Makes the file a whole one, as it must be before each commit: creates groups and dimensions
    /// that are missing and gives variables their dimensions. Does nothing if nothing is left to
    /// do. All variables of the schema must be defined.
    ///
    /// # Errors
    /// If a variable is not defined or libhdf5 refuses.
    pub fn complete(&mut self, schema: &Schema) -> Result<()> {
        let outcome = self.objects.complete(schema);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Writes or replaces an attribute of an object that is in the file already; any other gets it
    /// when it is created. The root group counts as created with the first definition.
    ///
    /// # Errors
    /// If libhdf5 refuses, or a text holds a NUL.
    pub fn put_attribute(
        &mut self,
        owner: AttributeOwner,
        attribute: &SchemaAttribute,
        types: &[SchemaType],
    ) -> Result<()> {
        let outcome = self.objects.put_attribute(owner, attribute, types);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Deletes an attribute that is in the file already.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn delete_attribute(&mut self, owner: AttributeOwner, name: &str) -> Result<()> {
        let outcome = self.objects.delete_attribute(owner, name);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Renames a group, if it is in the file already; `schema` has its new name.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn rename_group(&mut self, schema: &Schema, group: GroupId, old: &str) -> Result<()> {
        let outcome = self.objects.rename_group(schema, group, old);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Renames a dimension; `schema` has its new name. A variable that has (or had) the dimension's
    /// name becomes (or is no longer) its coordinate variable.
    ///
    /// # Errors
    /// If libhdf5 refuses, or the dimension's coordinate variable is of a type that frazil does not
    /// write.
    pub fn rename_dimension(
        &mut self,
        schema: &Schema,
        dimension: DimensionId,
        old: &str,
    ) -> Result<()> {
        debug_assert!(dimension.0 < schema.dimensions.len());
        let outcome = self.objects.settle_rename(schema, old);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Renames a variable; `schema` has its new name. It may become a coordinate variable by that,
    /// or be none any longer.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn rename_variable(
        &mut self,
        schema: &Schema,
        variable: VariableId,
        old: &str,
    ) -> Result<()> {
        debug_assert!(variable.0 < schema.variables.len());
        let outcome = self.objects.settle_rename(schema, old);
        outcome.map_err(|error| blame(error, self.sink))
    }
}
