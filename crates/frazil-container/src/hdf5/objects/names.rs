//! Names in the file: what each object is linked as, and how that changes.

use std::collections::BTreeMap;

use super::{Linked, Objects, Scale};
use crate::error::Result;
use crate::ffi::link;
use crate::hdf5::netcdf_names::NON_COORDINATE_PREFIX;
use crate::schema::{DimensionId, GroupId, Schema, VariableId};

/// Link name of an object while others give way.
const PASSING: &str = "_frazil_passing_";
/// `H5P_CRT_ORDER_TRACKED`.
const TRACKED: u32 = 1;

/// The link name of a variable.
pub(super) fn link_of(schema: &Schema, id: VariableId) -> String {
    let variable = &schema.variables[id.0];
    let is_taken = schema
        .dimension_in(variable.group, &variable.name)
        .is_some();
    if is_taken && schema.coordinate_of(id).is_none() {
        format!("{NON_COORDINATE_PREFIX}{}", variable.name)
    } else {
        variable.name.clone()
    }
}

/// An object that is linked in a group.
#[derive(Clone, Copy)]
enum Member {
    Placeholder(DimensionId),
    Variable(VariableId),
}

impl Objects {
    /// Brings a group's name in line with the schema; nothing if it is not in the file.
    pub(in crate::hdf5) fn rename_group(
        &mut self,
        schema: &Schema,
        id: GroupId,
        old: &str,
    ) -> Result<()> {
        let Some(parent) = schema.groups[id.0].parent else {
            return Ok(());
        };
        if self.groups.get(id.0).is_none_or(Option::is_none) {
            return Ok(());
        }
        self.number_old_scales()?;
        let parent_group = self.group(parent)?;
        let rename =
            |old: &str, new: &str| link::rename(parent_group, old, new, &self.link_creation);
        rename(old, &schema.groups[id.0].name)?;
        if !self.keeps_order(parent)? {
            return Ok(());
        }
        // A renamed link is the group's last one: those behind it follow, so that the order stays.
        for later in id.0 + 1..self.groups.len() {
            if schema.groups[later].parent == Some(parent) && self.groups[later].is_some() {
                let name = &schema.groups[later].name;
                rename(name, PASSING)?;
                rename(PASSING, name)?;
            }
        }
        Ok(())
    }

    /// Brings what a renamed dimension or variable (`old`: its name before) changes in line with
    /// the schema: links, and which variables are coordinates.
    pub(in crate::hdf5) fn settle_rename(&mut self, schema: &Schema, old: &str) -> Result<()> {
        let outcome = self.settle_names(schema);
        outcome.map_err(|error| error.in_part(&format!("rename {old}")))
    }

    /// Brings links and coordinates in line with the schema.
    pub(super) fn settle_names(&mut self, schema: &Schema) -> Result<()> {
        self.fit(schema);
        self.drop_old_coordinates(schema)?;
        for (group, members) in self.members() {
            if self.groups[group.0].is_some() {
                self.settle_links(schema, group, members)?;
            }
        }
        self.make_new_coordinates(schema)
    }

    /// Takes scales away that are no longer what the schema calls a dimension's coordinate.
    fn drop_old_coordinates(&mut self, schema: &Schema) -> Result<()> {
        let coordinates = schema.coordinates();
        for id in (0..self.scales.len()).map(DimensionId) {
            let wanted = coordinates.get(&id).filter(|v| self.is_defined(**v));
            let is_old = match &self.scales[id.0] {
                Scale::Missing => false,
                Scale::Coordinate(variable) => wanted != Some(variable),
                Scale::Placeholder(_) => wanted.is_some(),
                Scale::Foreign(linked) => linked.link != schema.dimensions[id.0].name,
            };
            if is_old {
                self.is_incomplete = true;
                self.take_scale(id)?;
            }
        }
        Ok(())
    }

    /// Makes variables scales that became coordinates.
    fn make_new_coordinates(&mut self, schema: &Schema) -> Result<()> {
        for (dimension, variable) in schema.coordinates() {
            let is_missing = matches!(self.scales[dimension.0], Scale::Missing);
            if is_missing && self.is_defined(variable) {
                self.is_incomplete = true;
                self.detach_all(variable)?;
                self.make_coordinate(schema, variable, dimension)?;
            }
        }
        Ok(())
    }

    /// Gives the datasets of a group the links that the schema wants.
    fn settle_links(
        &mut self,
        schema: &Schema,
        group: GroupId,
        members: Vec<Member>,
    ) -> Result<()> {
        let wanted: Vec<String> = members.iter().map(|m| wanted_link(schema, *m)).collect();
        let changes = |(member, link): (&Member, &String)| {
            let linked = self.linked(*member);
            let is_late = matches!(member, Member::Variable(id) if self.late.contains(id));
            is_late || linked.is_some_and(|linked| linked.link != *link)
        };
        let Some(first) = members.iter().zip(&wanted).position(changes) else {
            return Ok(());
        };
        self.is_incomplete = true;
        self.number_old_scales()?;
        // A renamed link is the group's last one: those behind it follow, so that the order stays.
        let follows = self.keeps_order(group)?;
        let mut moving = Vec::new();
        for (member, link) in members.into_iter().zip(wanted).skip(first) {
            let has_changed = self
                .linked(member)
                .is_some_and(|linked| linked.link != link);
            if has_changed || (follows && matches!(member, Member::Variable(_))) {
                let passing = format!("{PASSING}{}", moving.len());
                self.rename_link(group, member, &passing)?;
                moving.push((member, link));
            }
        }
        for (member, link) in moving {
            self.rename_link(group, member, &link)?;
            if let Member::Variable(id) = member {
                self.late.remove(&id);
            }
        }
        Ok(())
    }

    /// By group: datasets that stand for dimensions, then variables.
    fn members(&self) -> BTreeMap<GroupId, Vec<Member>> {
        let mut all: BTreeMap<GroupId, Vec<Member>> = BTreeMap::new();
        for (number, scale) in self.scales.iter().enumerate() {
            if let Scale::Placeholder(linked) = scale {
                let member = Member::Placeholder(DimensionId(number));
                all.entry(linked.group).or_default().push(member);
            }
        }
        for (number, variable) in self.variables.iter().enumerate() {
            if let Some(variable) = variable {
                let member = Member::Variable(VariableId(number));
                all.entry(variable.linked.group).or_default().push(member);
            }
        }
        all
    }

    fn linked(&self, member: Member) -> Option<&Linked> {
        match member {
            Member::Placeholder(id) => match self.scales.get(id.0)? {
                Scale::Placeholder(linked) => Some(linked),
                _ => None,
            },
            Member::Variable(id) => self.variable(id).ok().map(|variable| &variable.linked),
        }
    }

    fn rename_link(&mut self, group: GroupId, member: Member, new: &str) -> Result<()> {
        if let Some(linked) = self.linked(member) {
            link::rename(self.group(group)?, &linked.link, new, &self.link_creation)?;
        }
        match member {
            Member::Placeholder(id) => {
                if let Some(Scale::Placeholder(linked)) = self.scales.get_mut(id.0) {
                    new.clone_into(&mut linked.link);
                }
            }
            Member::Variable(id) => {
                if let Some(Some(variable)) = self.variables.get_mut(id.0) {
                    new.clone_into(&mut variable.linked.link);
                }
            }
        }
        Ok(())
    }

    /// Whether a group keeps the order in which its links were made.
    fn keeps_order(&self, group: GroupId) -> Result<bool> {
        let flags = link::group_creation(self.group(group)?)?.link_order()?;
        Ok(flags & TRACKED != 0)
    }
}

fn wanted_link(schema: &Schema, member: Member) -> String {
    match member {
        Member::Placeholder(id) => schema.dimensions[id.0].name.clone(),
        Member::Variable(id) => link_of(schema, id),
    }
}
