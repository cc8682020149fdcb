//! What netCDF-C shows of a file: its objects by their numbers.

use std::collections::{BTreeMap, HashMap};

use frazil_container::model::{AttributeDescription, FileModel};
use frazil_container::schema::{DimensionId, GroupId, VariableId};
use frazil_read::Reader;

use super::served::{self, AttributeType, VariableType};
use crate::names::is_reserved;
use crate::types::GroupNumber;
use crate::user_types::UserTypes;

/// Types at most: each variable is compared with all of them.
const MOST_TYPES: usize = 1 << 12;

/// A file's objects.
#[derive(Debug)]
pub(super) struct View {
    /// By number: the root group first, each before those below it.
    pub(super) groups: Vec<GroupView>,
    /// By number, which need not be without gaps.
    pub(super) dimensions: BTreeMap<i32, DimensionId>,
    /// Their lengths, in the model's order.
    pub(super) lengths: Vec<u64>,
    /// In the model's order.
    pub(super) variables: Vec<VariableView>,
    /// Those that programs have defined.
    pub(super) types: UserTypes,
    /// Whether the file keeps to the classic model.
    pub(super) is_classic: bool,
}

/// A group.
#[derive(Debug, Default)]
pub(super) struct GroupView {
    /// Those just below.
    pub(super) children: Vec<GroupNumber>,
    /// In file order.
    pub(super) dimensions: Vec<DimensionId>,
    /// By number.
    pub(super) variables: Vec<VariableId>,
    /// Their numbers by name.
    pub(super) numbers: HashMap<String, i32>,
    pub(super) attributes: Vec<AttributeView>,
}

/// A variable.
#[derive(Debug)]
pub(super) struct VariableView {
    pub(super) of: VariableType,
    /// Numbers of its dimensions.
    pub(super) dimensions: Vec<i32>,
    /// Their lengths.
    pub(super) shape: Vec<u64>,
    pub(super) attributes: Vec<AttributeView>,
}

/// An attribute that readers see.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeView {
    /// Its place among all of its owner's.
    pub(super) place: usize,
    pub(super) of: AttributeType,
}

impl View {
    /// What netCDF-C would show; the error says why that is not known.
    pub(super) fn of(reader: &Reader) -> Result<Self, String> {
        let model = reader.model();
        served::check_file(reader)?;
        let mut view = Self {
            groups: Vec::with_capacity(model.groups.len()),
            dimensions: BTreeMap::new(),
            lengths: Vec::new(),
            variables: Vec::with_capacity(model.variables.len()),
            types: UserTypes::default(),
            is_classic: reader.format() == "netCDF-4 classic model",
        };
        let known = view.add_types(model)?;
        view.add_groups(model)?;
        view.add_dimensions(model)?;
        view.add_variables(model, &known)?;
        Ok(view)
    }

    /// Adds the types, in the order in which netCDF-C meets them; how many variables come before each.
    fn add_types(&mut self, model: &FileModel) -> Result<Vec<usize>, String> {
        if model.types.len() > MOST_TYPES {
            return Err("it has too many types".to_owned());
        }
        let mut named: Vec<_> = model.types.iter().collect();
        // Each group is looked through before those below it.
        named.sort_by_key(|one| one.group.map(|group| group.0));
        let mut before = Vec::with_capacity(named.len());
        for one in named {
            let group = one.group.and_then(|group| u16::try_from(group.0).ok());
            let group = group.ok_or_else(|| at(&one.name, "the place of the type"))?;
            let added = self.types.add(&one.name, GroupNumber(group), &one.stored);
            added.map_err(|what| at(&one.name, &format!("{what} of the type")))?;
            before.push(one.variables_before);
        }
        Ok(before)
    }

    fn add_groups(&mut self, model: &FileModel) -> Result<(), String> {
        for (number, group) in model.groups.iter().enumerate() {
            let own = u16::try_from(number).map_err(|_| "it has too many groups")?;
            self.groups.push(GroupView {
                attributes: visible(&group.attributes, &self.types)
                    .map_err(|why| at(&group.path, &why))?,
                ..GroupView::default()
            });
            if let Some(GroupId(parent)) = group.parent {
                self.groups[parent].children.push(GroupNumber(own));
            }
        }
        Ok(())
    }

    fn add_dimensions(&mut self, model: &FileModel) -> Result<(), String> {
        let mut in_file_order: Vec<_> = model.dimensions.iter().enumerate().collect();
        in_file_order.sort_by_key(|(_, dimension)| dimension.place);
        for (index, dimension) in in_file_order {
            let number = i32::try_from(dimension.number).map_err(|_| "a dimension's number")?;
            self.dimensions.insert(number, DimensionId(index));
            self.groups[dimension.group.0]
                .dimensions
                .push(DimensionId(index));
        }
        let length = |dimension: &frazil_container::model::Dimension| match dimension.is_unlimited {
            // netCDF-C asks the variables alone.
            true => 0,
            false => dimension.length,
        };
        self.lengths = model.dimensions.iter().map(length).collect();
        for variable in &model.variables {
            for (id, &extent) in variable.dimensions.iter().zip(&variable.dataset.shape) {
                let dimension = &model.dimensions[id.0];
                if dimension.is_unlimited && is_below(model, variable.group, dimension.group) {
                    self.lengths[id.0] = self.lengths[id.0].max(extent);
                }
            }
        }
        Ok(())
    }

    fn add_variables(&mut self, model: &FileModel, types_after: &[usize]) -> Result<(), String> {
        for (index, variable) in model.variables.iter().enumerate() {
            let path = model.variable_path(VariableId(index));
            let known = types_after.partition_point(|&before| before <= index);
            let of = served::variable(variable, &self.types, known);
            let of = of.map_err(|why| at(&path, &why))?;
            let attributes = visible(&variable.attributes, &self.types);
            let attributes = attributes.map_err(|why| at(&path, &why))?;
            let number = |id: &DimensionId| model.dimensions[id.0].number as i32;
            let group = &mut self.groups[variable.group.0];
            let varid = i32::try_from(group.variables.len()).map_err(|_| "too many variables")?;
            group.variables.push(VariableId(index));
            if group.numbers.insert(variable.name.clone(), varid).is_some() {
                return Err(at(&path, "there is another one of this name"));
            }
            self.variables.push(VariableView {
                of,
                dimensions: variable.dimensions.iter().map(number).collect(),
                shape: (variable.dimensions.iter())
                    .map(|id| self.lengths[id.0])
                    .collect(),
                attributes,
            });
        }
        Ok(())
    }
}

/// The attributes that readers see, in their order.
fn visible(all: &[AttributeDescription], types: &UserTypes) -> Result<Vec<AttributeView>, String> {
    let seen = all.iter().enumerate();
    let seen = seen.filter(|(_, attribute)| !is_reserved(&attribute.name));
    seen.map(|(place, attribute)| {
        let of = served::attribute(attribute, types)?;
        Ok(AttributeView { place, of })
    })
    .collect()
}

/// Whether a group is another one, or somewhere below it.
fn is_below(model: &FileModel, group: GroupId, above: GroupId) -> bool {
    let parent = |at: &GroupId| model.groups.get(at.0).and_then(|group| group.parent);
    std::iter::successors(Some(group), parent).any(|at| at == above)
}

fn at(path: &str, why: &str) -> String {
    format!("{path}: {why}")
}
