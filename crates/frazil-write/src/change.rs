//! Changes of what a file holds beside values: made at once in the writer's own schema, and in the
//! file when the chunks that were handed on before are placed.

use frazil_container::hdf5::LiveOutput;

use frazil_container::schema::{
    AttributeOwner, DimensionId, GroupId, Schema, SchemaAttribute, SchemaDimension, SchemaGroup,
    SchemaType, SchemaVariable, VariableId,
};

/// One change of a schema.
#[derive(Debug, Clone)]
pub(super) enum Change {
    AddGroup(SchemaGroup),
    AddType(Box<SchemaType>),
    AddDimension(SchemaDimension),
    AddVariable(Box<SchemaVariable>),
    /// The variable that was added last goes again; its dataset is not made yet.
    TakeBackVariable,
    /// Other settings of a variable whose dataset is not made yet.
    SetVariable(VariableId, Box<SchemaVariable>),
    PutAttribute(AttributeOwner, SchemaAttribute),
    DeleteAttribute(AttributeOwner, String),
    RenameAttribute(AttributeOwner, String, String),
    RenameGroup(GroupId, String),
    RenameDimension(DimensionId, String),
    RenameVariable(VariableId, String),
}

impl Change {
    /// Makes the change in a schema.
    pub(super) fn apply(&self, schema: &mut Schema) {
        match self {
            Self::AddGroup(group) => schema.groups.push(group.clone()),
            Self::AddType(one) => schema.types.push((**one).clone()),
            Self::AddDimension(dimension) => schema.dimensions.push(dimension.clone()),
            Self::AddVariable(variable) => schema.variables.push((**variable).clone()),
            Self::TakeBackVariable => drop(schema.variables.pop()),
            Self::SetVariable(id, variable) => schema.variables[id.0] = (**variable).clone(),
            Self::PutAttribute(owner, attribute) => {
                schema.put_attribute(*owner, attribute.clone());
            }
            Self::DeleteAttribute(owner, name) => {
                schema.attributes_mut(*owner).retain(|a| a.name != *name);
            }
            Self::RenameAttribute(owner, old, new) => {
                let mut all = schema.attributes_mut(*owner).iter_mut();
                if let Some(attribute) = all.find(|a| a.name == *old) {
                    attribute.name.clone_from(new);
                }
            }
            Self::RenameGroup(id, name) => schema.rename_group(*id, name),
            Self::RenameDimension(id, name) => schema.rename_dimension(*id, name),
            Self::RenameVariable(id, name) => schema.rename_variable(*id, name),
        }
    }

    /// Makes the change in the file and in the schema that stands for it. Objects that are not in
    /// the file yet come to it later, as the schema then has them; so do values of attributes.
    pub(super) fn carry_out(
        &self,
        schema: &mut Schema,
        output: &mut LiveOutput,
    ) -> frazil_container::Result<()> {
        let old_name = match self {
            Self::RenameGroup(id, _) => schema.groups[id.0].name.clone(),
            Self::RenameDimension(id, _) => schema.dimensions[id.0].name.clone(),
            Self::RenameVariable(id, _) => schema.variables[id.0].name.clone(),
            _ => String::new(),
        };
        self.apply(schema);
        match self {
            Self::AddGroup(_)
            | Self::AddType(_)
            | Self::AddDimension(_)
            | Self::AddVariable(_)
            | Self::TakeBackVariable
            | Self::SetVariable(..)
            | Self::PutAttribute(..) => Ok(()),
            // It is put under its new name, as netCDF-C does.
            Self::DeleteAttribute(owner, name) | Self::RenameAttribute(owner, name, _) => {
                output.delete_attribute(*owner, name)
            }
            Self::RenameGroup(id, _) => output.rename_group(schema, *id, &old_name),
            Self::RenameDimension(id, _) => output.rename_dimension(schema, *id, &old_name),
            Self::RenameVariable(id, _) => output.rename_variable(schema, *id, &old_name),
        }
    }
}
