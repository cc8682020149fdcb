//! What the axes of variables are, by what their files say.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use frazil_container::model::{FileModel, Variable};
use frazil_container::schema::{AttributeOwner, DimensionId, Schema, VariableId};
use frazil_plan::{AxisFacts, AxisRole, axis_roles};

use super::AccessPattern;
use frazil_file::attributes::Attributes;
use frazil_file::coordinate::coordinate;
use frazil_file::error::Result;
use frazil_file::input::Input;

/// The roles of the axes of all variables of a file, in file order.
///
/// # Errors
/// If attributes of coordinate variables cannot be read.
pub fn roles_of_input(input: &Input, goal: &AccessPattern) -> Result<Vec<Vec<AxisRole>>> {
    let mut known = HashMap::new();
    let variables = 0..input.variables().len();
    variables
        .map(|number| roles_with(input, number, goal, &mut known))
        .collect()
}

/// The roles of the axes of one variable of a file.
///
/// # Errors
/// If attributes of coordinate variables cannot be read.
pub fn roles_of(input: &Input, number: usize, goal: &AccessPattern) -> Result<Vec<AxisRole>> {
    roles_with(input, number, goal, &mut HashMap::new())
}

/// `known`: attributes of coordinate variables that were read already.
fn roles_with(
    input: &Input,
    number: usize,
    goal: &AccessPattern,
    known: &mut HashMap<usize, Attributes>,
) -> Result<Vec<AxisRole>> {
    let variable = &input.variables()[number];
    let names: Vec<&str> = (0..variable.shape.len())
        .map(|axis| {
            variable
                .dimension_names
                .get(axis)
                .map_or("", String::as_str)
        })
        .collect();
    let coordinates: Vec<Option<usize>> = names
        .iter()
        .map(|name| coordinate(input, &variable.path, name))
        .collect();
    for &i in coordinates.iter().flatten() {
        if let Entry::Vacant(place) = known.entry(i) {
            place.insert(input.attributes(Some(i))?);
        }
    }
    let axes = names.iter().zip(&coordinates);
    let facts: Vec<AxisFacts<'_>> = axes
        .map(|(name, i)| facts(name, goal, i.and_then(|i| known.get(&i))))
        .collect();
    Ok(axis_roles(&facts))
}

/// The roles of the axes of a variable that is being written.
pub fn roles_of_schema(schema: &Schema, id: VariableId, goal: &AccessPattern) -> Vec<AxisRole> {
    let dimensions = &schema.variables[id.0].dimensions;
    let attributes: Vec<Option<Attributes>> = dimensions
        .iter()
        .map(|&dimension| {
            let coordinate = schema.coordinate_variable(dimension)?;
            let owner = AttributeOwner::Variable(coordinate);
            Some(Attributes::of_schema(schema.attributes(owner)))
        })
        .collect();
    let axes = dimensions.iter().zip(&attributes);
    let facts: Vec<AxisFacts<'_>> = axes
        .map(|(dimension, found)| {
            let name = schema.dimensions[dimension.0].name.as_str();
            facts(name, goal, found.as_ref())
        })
        .collect();
    axis_roles(&facts)
}

/// The roles of the axes of a variable of an open file; none where the file has none.
pub fn roles_of_model(model: &FileModel, id: VariableId, goal: &AccessPattern) -> Vec<AxisRole> {
    let Some(variable) = model.variables.get(id.0) else {
        return Vec::new();
    };
    let attributes: Vec<Option<Attributes>> = variable
        .dimensions
        .iter()
        .map(|&dimension| {
            let coordinate = coordinate_in_model(model, dimension)?;
            let attributes = &model.variables.get(coordinate.0)?.attributes;
            Some(Attributes::of_descriptions(attributes))
        })
        .collect();
    let axes = variable.dimensions.iter().zip(&attributes);
    let facts: Vec<AxisFacts<'_>> = axes
        .map(|(dimension, found)| {
            let name = model.dimensions.get(dimension.0);
            let name = name.map_or("", |dimension| dimension.name.as_str());
            facts(name, goal, found.as_ref())
        })
        .collect();
    axis_roles(&facts)
}

/// The variable of a dimension's name in the dimension's group.
fn coordinate_in_model(model: &FileModel, dimension: DimensionId) -> Option<VariableId> {
    let of = model
        .dimensions
        .get(dimension.0)
        .filter(|one| !one.is_phony)?;
    let is_it = |variable: &Variable| variable.name == of.name && variable.group == of.group;
    model.variables.iter().position(is_it).map(VariableId)
}

fn facts<'a>(
    name: &'a str,
    goal: &AccessPattern,
    attributes: Option<&'a Attributes>,
) -> AxisFacts<'a> {
    let text = |name: &str| attributes.and_then(|attributes| attributes.text(name));
    AxisFacts {
        name,
        stated: goal.stated_role(name),
        axis: text("axis"),
        cartesian_axis: text("cartesian_axis"),
        standard_name: text("standard_name"),
        units: text("units"),
        positive: text("positive"),
    }
}
