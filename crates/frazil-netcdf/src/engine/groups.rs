//! Groups.

use super::{Engine, count};
use crate::names::{check_name, is_reserved};
use crate::status::{Answer, Status};
use crate::types::{GroupInquiry, GroupNumber};
use frazil_container::schema::{AttributeOwner, GroupId, Schema};

impl Engine {
    /// How many groups there are.
    pub(crate) fn groups(&self) -> u16 {
        u16::try_from(self.schema().groups.len()).unwrap_or(u16::MAX)
    }

    pub(crate) fn inq(&mut self, group: GroupNumber) -> Answer<GroupInquiry> {
        let unlimited = self.inq_unlimdims(group)?;
        let dimensions = self.inq_dimids(group, false)?.len();
        let id = self.group(group)?;
        let attributes = self.schema().attributes(AttributeOwner::Group(id)).iter();
        let visible = attributes.filter(|attribute| !is_reserved(&attribute.name));
        Ok(GroupInquiry {
            dimensions: count(dimensions)?,
            variables: count(self.variables[id.0].len())?,
            attributes: count(visible.count())?,
            unlimited: unlimited.first().copied().unwrap_or(-1),
        })
    }

    pub(crate) fn def_grp(&mut self, parent: GroupNumber, name: &str) -> Answer<GroupNumber> {
        let parent = self.group(parent)?;
        let name = &*check_name(name)?;
        self.check_free(parent, name)?;
        if self.classic_model {
            return Err(Status::ESTRICTNC3.into());
        }
        self.enter_define_mode()?;
        let number = u16::try_from(self.schema().groups.len()).map_err(|_| Status::EINVAL)?;
        let id = self.writer.add_group(parent, name)?;
        debug_assert_eq!(id.0, usize::from(number));
        self.variables.push(Vec::new());
        Ok(GroupNumber(number))
    }

    pub(crate) fn inq_grps(&mut self, group: GroupNumber) -> Answer<Vec<GroupNumber>> {
        let parent = self.group(group)?;
        Ok(self.children(parent).map(number).collect())
    }

    pub(crate) fn inq_grpname(&mut self, group: GroupNumber) -> Answer<String> {
        let id = self.group(group)?;
        Ok(self.schema().groups[id.0].name.clone())
    }

    pub(crate) fn inq_grpname_full(&mut self, group: GroupNumber) -> Answer<String> {
        let id = self.group(group)?;
        Ok(self.schema().group_path(id))
    }

    pub(crate) fn inq_grp_parent(&mut self, group: GroupNumber) -> Answer<GroupNumber> {
        let id = self.group(group)?;
        let parent = self.schema().groups[id.0].parent;
        parent.map(number).ok_or_else(|| Status::ENOGRP.into())
    }

    pub(crate) fn inq_grp_ncid(&mut self, group: GroupNumber, name: &str) -> Answer<GroupNumber> {
        let parent = self.group(group)?;
        let name = &*check_name(name)?;
        let found = self.schema().group_in(parent, name);
        found.map(number).ok_or_else(|| Status::ENOGRP.into())
    }

    pub(crate) fn inq_grp_full_ncid(
        &mut self,
        group: GroupNumber,
        path: &str,
    ) -> Answer<GroupNumber> {
        self.group(group)?;
        // netCDF-C takes every path from the group that was asked, also one that begins with a slash.
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() && group != GroupNumber::ROOT {
            return Err(Status::ENOGRP.into());
        }
        names.try_fold(group, |at, name| self.inq_grp_ncid(at, name))
    }

    pub(crate) fn rename_grp(&mut self, group: GroupNumber, name: &str) -> Answer<()> {
        let id = self.group(group)?;
        let Some(parent) = self.schema().groups[id.0].parent else {
            return Err(Status::EBADGRPID.into());
        };
        let name = &*check_name(name)?;
        self.check_free(parent, name)?;
        self.enter_define_mode()?;
        Ok(self.writer.rename_group(id, name)?)
    }

    pub(crate) fn inq_typeids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        self.group(group)?;
        let here = self
            .user_types()
            .all()
            .filter(|(_, one)| one.group == group);
        Ok(here.map(|(number, _)| number).collect())
    }

    /// Refuses a name that a group or variable of this group has.
    pub(super) fn check_free(&self, group: GroupId, name: &str) -> Answer<()> {
        let schema = self.schema();
        let number = number(group);
        let mut types = self.user_types().all();
        let is_taken = schema.group_in(group, name).is_some()
            || types.any(|(_, one)| one.is_named(number, name));
        if is_taken || schema.variable_in(group, name).is_some() {
            return Err(Status::ENAMEINUSE.into());
        }
        Ok(())
    }

    /// A group, then those above it up to the root group.
    pub(super) fn upwards(&self, group: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        std::iter::successors(Some(group), |at| self.schema().groups[at.0].parent)
    }

    fn children(&self, parent: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        let schema: &Schema = self.schema();
        (0..schema.groups.len())
            .map(GroupId)
            .filter(move |id| schema.groups[id.0].parent == Some(parent))
    }
}

/// A group's number; there are never more than its 16 bits count.
fn number(group: GroupId) -> GroupNumber {
    GroupNumber(group.0 as u16)
}
