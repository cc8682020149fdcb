//! Dimensions.

use super::{Engine, count};
use crate::names::{check_name, check_sought};
use crate::status::{Answer, Refusal, Status};
use crate::types::{DimensionInquiry, GroupNumber, UNLIMITED};
use frazil_container::schema::{DimensionId, GroupId};
use frazil_options::names::sought;
use frazil_write::DimensionLength;
use frazil_write::check_length;

impl Engine {
    pub(crate) fn def_dim(&mut self, group: GroupNumber, name: &str, length: u64) -> Answer<i32> {
        let group = self.group(group)?;
        let is_unlimited = length == UNLIMITED;
        if self.classic_model {
            let mut all = self.schema().dimensions.iter();
            if is_unlimited && all.any(|dimension| dimension.is_unlimited) {
                return Err(Status::EUNLIMIT.into());
            }
            if !self.in_define_mode {
                return Err(Status::ENOTINDEFINE.into());
            }
        }
        let name = &*check_name(name)?;
        if self.classic_model && u32::try_from(length).is_err() {
            return Err(Status::EDIMSIZE.into());
        }
        check_length(name, length).map_err(|error| Refusal::of(Status::EDIMSIZE, error))?;
        self.check_free_dimension(group, name)?;
        self.enter_define_mode()?;
        let length = if is_unlimited {
            DimensionLength::Unlimited { expected: None }
        } else {
            DimensionLength::Fixed(length)
        };
        count(self.writer.add_dimension(group, name, length)?.0)
    }

    pub(crate) fn inq_dim(&mut self, group: GroupNumber, dimid: i32) -> Answer<DimensionInquiry> {
        let id = self.dimension(group, dimid)?;
        let dimension = &self.schema().dimensions[id.0];
        Ok(DimensionInquiry {
            name: dimension.name.clone(),
            length: dimension.length,
        })
    }

    pub(crate) fn inq_dimid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        if !name.starts_with('/') && name.contains('/') {
            return Err(Status::EINVAL.into());
        }
        let at = self.group(group)?;
        check_sought(name)?;
        if name.starts_with('/') {
            return self.dimension_at(name);
        }
        let schema = self.schema();
        let found = self
            .upwards(at)
            .find_map(|at| sought(name, |name| schema.dimension_in(at, name)));
        found.map_or_else(|| Err(Status::EBADDIM.into()), |id| count(id.0))
    }

    /// A dimension by its path from the root group.
    fn dimension_at(&mut self, path: &str) -> Answer<i32> {
        let (groups, name) = path.rsplit_once('/').unwrap_or_default();
        if groups.is_empty() {
            // netCDF-C takes it for no path.
            return Err(Status::EINVAL.into());
        }
        let at = self.inq_grp_full_ncid(GroupNumber::ROOT, groups)?;
        let at = self.group(at)?;
        let found = sought(name, |name| self.schema().dimension_in(at, name));
        // The status is netCDF-C's.
        found.map_or_else(|| Err(Status::EBADTYPE.into()), |id| count(id.0))
    }

    pub(crate) fn rename_dim(&mut self, group: GroupNumber, dimid: i32, name: &str) -> Answer<()> {
        let at = self.group(group)?;
        let name = &*check_name(name)?;
        let id = self.dimension(group, dimid)?;
        self.check_free_dimension(at, name)?;
        self.is_changed = true;
        Ok(self.writer.rename_dimension(id, name)?)
    }

    pub(crate) fn inq_dimids(
        &mut self,
        group: GroupNumber,
        include_parents: bool,
    ) -> Answer<Vec<i32>> {
        let group = self.group(group)?;
        let groups = self
            .upwards(group)
            .take(if include_parents { usize::MAX } else { 1 });
        let ids = groups.flat_map(|at| self.dimensions_of(at));
        let mut ids = ids.map(|id| count(id.0)).collect::<Answer<Vec<i32>>>()?;
        ids.sort_unstable();
        Ok(ids)
    }

    pub(crate) fn inq_unlimdims(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        let group = self.group(group)?;
        self.unlimited_of(group).map(|id| count(id.0)).collect()
    }

    pub(crate) fn inq_unlimdim(&mut self, group: GroupNumber) -> Answer<i32> {
        // netCDF-C means to look into the groups above too, but does not.
        let own = self.inq_unlimdims(group)?;
        Ok(own.first().copied().unwrap_or(-1))
    }

    /// A dimension by its number, which means the same in every group: as in netCDF-C, variables may have those of
    /// any group.
    pub(super) fn dimension(&self, group: GroupNumber, dimid: i32) -> Answer<DimensionId> {
        self.group(group)?;
        let id = usize::try_from(dimid).map_err(|_| Status::EBADDIM)?;
        if id < self.schema().dimensions.len() {
            Ok(DimensionId(id))
        } else {
            Err(Status::EBADDIM.into())
        }
    }

    fn check_free_dimension(&self, group: GroupId, name: &str) -> Answer<()> {
        if self.schema().dimension_in(group, name).is_some() {
            return Err(Status::ENAMEINUSE.into());
        }
        Ok(())
    }

    fn dimensions_of(&self, group: GroupId) -> impl Iterator<Item = DimensionId> + '_ {
        let dimensions = &self.schema().dimensions;
        let own = (0..dimensions.len()).filter(move |&id| dimensions[id].group == group);
        own.map(DimensionId)
    }

    pub(super) fn unlimited_of(&self, group: GroupId) -> impl Iterator<Item = DimensionId> + '_ {
        let found = self.found_unlimited.get(group.0).map_or(&[][..], |ids| ids);
        let own = self.dimensions_of(group);
        let later = own
            .filter(move |id| self.schema().dimensions[id.0].is_unlimited && !found.contains(id));
        found.iter().copied().chain(later)
    }

    /// The order in which netCDF-C finds the unlimited dimensions of a group in a file that was opened.
    pub(crate) fn remember_unlimited(&mut self, group: GroupNumber, ids: &[i32]) -> Answer<()> {
        let at = self.group(group)?;
        let found = ids.iter().map(|&dimid| self.dimension(group, dimid));
        let mut found = found.collect::<Answer<Vec<_>>>()?;
        // What is none of the group's stays out: whoever compares the orders sees it.
        found.retain(|id| self.unlimited_of(at).any(|own| own == *id));
        let needed = self.found_unlimited.len().max(at.0 + 1);
        self.found_unlimited.resize(needed, Vec::new());
        self.found_unlimited[at.0] = found;
        Ok(())
    }
}
