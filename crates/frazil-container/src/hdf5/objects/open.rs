//! The objects of a file that was written before.

use super::{Linked, Objects, Scale, Variable};
use crate::error::Result;
use crate::ffi::dataset::Dataset;
use crate::ffi::{Handle, link};
use crate::schema::{DimensionId, GroupId, Schema, VariableId};

/// Where the objects of a schema are in a file.
#[derive(Debug, Default)]
pub(in crate::hdf5) struct Places {
    /// What the file calls each dimension.
    pub(in crate::hdf5) numbers: Vec<i32>,
    /// Dimensions that the file gives no number to.
    pub(in crate::hdf5) unnumbered: Vec<DimensionId>,
    /// What stands for each dimension; it is linked by the dimension's name.
    pub(in crate::hdf5) roles: Vec<Role>,
    /// Link name of each variable, and which axes have a scale.
    pub(in crate::hdf5) variables: Vec<(String, Vec<bool>)>,
}

/// What stands for a dimension in a file.
#[derive(Debug, Clone, Copy)]
pub(in crate::hdf5) enum Role {
    /// A dataset without values.
    Placeholder,
    /// The coordinate variable.
    Coordinate(VariableId),
    /// A coordinate variable that the schema has no place for.
    Foreign,
}

impl Objects {
    /// Opens all objects of a file.
    pub(in crate::hdf5) fn open(file: &Handle, schema: &Schema, places: &Places) -> Result<Self> {
        let mut objects = Self::new(file)?;
        objects.made_types = schema.types.len();
        objects.numbers.clone_from(&places.numbers);
        objects.unnumbered.clone_from(&places.unnumbered);
        for id in (0..schema.groups.len()).map(GroupId) {
            let group = link::open_group(&objects.root, &schema.group_path(id))?;
            objects.groups.push(Some(group));
        }
        for (id, (link, attached)) in places.variables.iter().enumerate() {
            let variable = &schema.variables[id];
            let linked = objects.open_dataset(variable.group, link);
            objects
                .last_variables
                .insert(variable.group, VariableId(id));
            objects.variables.push(Some(Variable {
                linked: linked.map_err(|e| e.at(&schema.variable_path(VariableId(id))))?,
                dimensions: variable.dimensions.clone(),
                attached: attached.clone(),
            }));
        }
        for (dimension, role) in schema.dimensions.iter().zip(&places.roles) {
            let open = || objects.open_dataset(dimension.group, &dimension.name);
            let scale = match role {
                Role::Placeholder => Scale::Placeholder(open()?),
                Role::Coordinate(variable) => Scale::Coordinate(*variable),
                Role::Foreign => Scale::Foreign(open()?),
            };
            objects.scales.push(scale);
        }
        objects.is_incomplete = false;
        Ok(objects)
    }

    fn open_dataset(&self, group: GroupId, link: &str) -> Result<Linked> {
        Ok(Linked {
            dataset: Dataset::open(self.group(group)?, link)?,
            group,
            link: link.to_owned(),
        })
    }
}
