//! Groups, dimensions and variables.

use frazil_container::netcdf::normalized_name;
use frazil_container::schema::{DimensionId, VariableId};

use super::Reading;
use crate::names::MAX_NAME;
use crate::status::{Answer, Status};
use crate::types::{
    DimensionInquiry, FORMAT_NETCDF4, FORMAT_NETCDF4_CLASSIC, GroupInquiry, GroupNumber, Mode,
    VariableInquiry,
};

/// `NC_FORMATX_NC_HDF5`
const FORMAT_HDF5: i32 = 2;

impl Reading {
    pub(crate) fn sync(&mut self) -> Answer<()> {
        Ok(())
    }

    pub(crate) fn inq_format(&mut self) -> Answer<i32> {
        Ok(match self.view.is_classic {
            true => FORMAT_NETCDF4_CLASSIC,
            false => FORMAT_NETCDF4,
        })
    }

    pub(crate) fn inq_format_extended(&mut self) -> Answer<(i32, i32)> {
        Ok((FORMAT_HDF5, self.mode.0 | Mode::NETCDF4.0))
    }

    pub(crate) fn inq(&mut self, group: GroupNumber) -> Answer<GroupInquiry> {
        let unlimited = self.inq_unlimdim(group)?;
        let group = self.group(group)?;
        Ok(GroupInquiry {
            dimensions: count(group.dimensions.len()),
            variables: count(group.variables.len()),
            attributes: count(group.attributes.len()),
            unlimited,
        })
    }

    pub(crate) fn inq_unlimdims(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        let dimensions = &self.reader.model().dimensions;
        let ids = self.group(group)?.dimensions.iter();
        let unlimited = ids.filter(|id| dimensions[id.0].is_unlimited);
        Ok(unlimited.map(|&id| self.number(id)).collect())
    }

    pub(crate) fn inq_unlimdim(&mut self, group: GroupNumber) -> Answer<i32> {
        Ok(self.inq_unlimdims(group)?.first().copied().unwrap_or(-1))
    }

    pub(crate) fn inq_dim(&mut self, group: GroupNumber, dimid: i32) -> Answer<DimensionInquiry> {
        self.group(group)?;
        let id = self.view.dimensions.get(&dimid).ok_or(Status::EBADDIM)?;
        Ok(DimensionInquiry {
            name: self.reader.model().dimensions[id.0].name.clone(),
            length: self.view.lengths[id.0],
        })
    }

    pub(crate) fn inq_dimid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        let Some(sought) = sought(name).filter(|name| !name.contains('/')) else {
            return self.library()?.inq_dimid(group, name);
        };
        self.group(group)?;
        let model = self.reader.model();
        let mut at = Some(usize::from(group.0));
        while let Some(here) = at {
            let ids = &self.view.groups[here].dimensions;
            if let Some(&id) = ids.iter().find(|id| model.dimensions[id.0].name == sought) {
                return Ok(self.number(id));
            }
            at = model.groups[here].parent.map(|parent| parent.0);
        }
        Err(Status::EBADDIM.into())
    }

    pub(crate) fn inq_dimids(
        &mut self,
        group: GroupNumber,
        include_parents: bool,
    ) -> Answer<Vec<i32>> {
        self.group(group)?;
        let groups = &self.reader.model().groups;
        let mut found = Vec::new();
        let mut at = Some(usize::from(group.0));
        while let Some(here) = at {
            let ids = &self.view.groups[here].dimensions;
            found.extend(ids.iter().map(|&id| self.number(id)));
            let above = groups[here].parent.map(|parent| parent.0);
            at = above.filter(|_| include_parents);
        }
        found.sort_unstable();
        Ok(found)
    }

    pub(crate) fn inq_grps(&mut self, group: GroupNumber) -> Answer<Vec<GroupNumber>> {
        Ok(self.group(group)?.children.clone())
    }

    pub(crate) fn inq_grpname(&mut self, group: GroupNumber) -> Answer<String> {
        self.group(group)?;
        Ok(self.reader.model().groups[usize::from(group.0)]
            .name
            .clone())
    }

    pub(crate) fn inq_grpname_full(&mut self, group: GroupNumber) -> Answer<String> {
        self.group(group)?;
        Ok(self.reader.model().groups[usize::from(group.0)]
            .path
            .clone())
    }

    pub(crate) fn inq_grp_parent(&mut self, group: GroupNumber) -> Answer<GroupNumber> {
        self.group(group)?;
        let parent = self.reader.model().groups[usize::from(group.0)].parent;
        let parent = parent.and_then(|parent| u16::try_from(parent.0).ok());
        parent.map(GroupNumber).ok_or_else(|| Status::ENOGRP.into())
    }

    pub(crate) fn inq_grp_ncid(&mut self, group: GroupNumber, name: &str) -> Answer<GroupNumber> {
        match self.child(group, name)? {
            Some(found) => Ok(found),
            None => self.library()?.inq_grp_ncid(group, name),
        }
    }

    /// As netCDF-C, from the group that is asked, even if the path begins with a slash.
    pub(crate) fn inq_grp_full_ncid(
        &mut self,
        group: GroupNumber,
        path: &str,
    ) -> Answer<GroupNumber> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let mut at = Some(group);
        for name in &names {
            at = at.map_or(Ok(None), |here| self.child(here, name))?;
        }
        match at {
            Some(found) if !names.is_empty() => Ok(found),
            _ => self.library()?.inq_grp_full_ncid(group, path),
        }
    }

    fn child(&self, group: GroupNumber, name: &str) -> Answer<Option<GroupNumber>> {
        let Some(sought) = sought(name) else {
            return Ok(None);
        };
        let groups = &self.reader.model().groups;
        let mut below = self.group(group)?.children.iter();
        let found = below.find(|child| groups[usize::from(child.0)].name == sought);
        Ok(found.copied())
    }

    pub(crate) fn inq_typeids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        self.group(group)?;
        let here = self.view.types.all().filter(|(_, one)| one.group == group);
        Ok(here.map(|(number, _)| number).collect())
    }

    pub(crate) fn inq_var(&mut self, group: GroupNumber, varid: i32) -> Answer<VariableInquiry> {
        let id = self.variable(group, varid)?;
        let view = &self.view.variables[id.0];
        Ok(VariableInquiry {
            name: self.reader.model().variables[id.0].name.clone(),
            nc_type: view.of.nc_type,
            dimensions: view.dimensions.clone(),
            attributes: count(view.attributes.len()),
        })
    }

    pub(crate) fn inq_varndims(&mut self, group: GroupNumber, varid: i32) -> Answer<usize> {
        let VariableId(id) = self.variable(group, varid)?;
        Ok(self.view.variables[id].dimensions.len())
    }

    pub(crate) fn inq_vartype(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        let VariableId(id) = self.variable(group, varid)?;
        Ok(self.view.variables[id].of.nc_type)
    }

    pub(crate) fn inq_varid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        let Some(sought) = sought(name) else {
            return self.library()?.inq_varid(group, name);
        };
        let found = self.group(group)?.numbers.get(&*sought);
        found.copied().ok_or_else(|| Status::ENOTVAR.into())
    }

    pub(crate) fn inq_varids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        let variables = self.group(group)?.variables.len();
        Ok((0..count(variables)).collect())
    }

    fn number(&self, id: DimensionId) -> i32 {
        // Checked when the file was opened.
        self.reader.model().dimensions[id.0].number as i32
    }
}

/// A number of objects, which are counted in 32 bits.
fn count(objects: usize) -> i32 {
    i32::try_from(objects).unwrap_or(i32::MAX)
}

/// A name as netCDF-C looks it up; `None`: netCDF-C says what is wrong with it.
pub(super) fn sought(name: &str) -> Option<String> {
    normalized_name(name).filter(|name| name.len() <= MAX_NAME)
}
