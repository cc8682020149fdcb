//! Files that netCDF-C serves: classic ones, and those that frazil's reader does not serve.

mod access;
mod attributes;
mod storage;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frazil_container::netcdf::{LibraryFile, LibraryStatus};
use frazil_read::Reader;

use crate::status::{Answer, Refusal, Status};
use crate::types::{
    DimensionInquiry, FORMAT_NETCDF4, FORMAT_NETCDF4_CLASSIC, GroupInquiry, GroupNumber, Mode,
    VariableInquiry,
};

/// A file in netCDF-C's hands.
#[derive(Debug)]
pub(crate) struct Bundled {
    file: LibraryFile,
    format: i32,
    is_writable: bool,
    in_define_mode: bool,
    /// Variables whose chunk cache was set.
    caches: BTreeSet<(GroupNumber, i32)>,
    path: PathBuf,
    /// Once a variable was met whose filters netCDF-C has no plugin for: frazil reads its values.
    reader: Option<Reader>,
    /// Those variables.
    ours_to_read: BTreeSet<(GroupNumber, i32)>,
}

impl From<LibraryStatus> for Refusal {
    fn from(status: LibraryStatus) -> Self {
        Status(status.0).into()
    }
}

impl Bundled {
    /// Creates a classic file.
    pub(crate) fn create(path: &Path, mode: Mode) -> Answer<Self> {
        let mut created = Self::new(LibraryFile::create(path, mode.0)?, path, true)?;
        created.in_define_mode = true;
        Ok(created)
    }

    /// Opens a file of any format; only classic ones can be written.
    pub(crate) fn open(path: &Path, mode: Mode) -> Answer<Self> {
        Self::new(
            LibraryFile::open(path, mode.0)?,
            path,
            mode.has(Mode::WRITE),
        )
    }

    fn new(file: LibraryFile, path: &Path, is_writable: bool) -> Answer<Self> {
        let format = file.inq_format(0)?;
        Ok(Self {
            file,
            format,
            is_writable,
            in_define_mode: false,
            caches: BTreeSet::new(),
            path: path.to_owned(),
            reader: None,
            ours_to_read: BTreeSet::new(),
        })
    }

    fn is_netcdf4(&self) -> bool {
        [FORMAT_NETCDF4, FORMAT_NETCDF4_CLASSIC].contains(&self.format)
    }

    /// Why a setting that only netCDF-4 variables have cannot be made here.
    fn no_setting<T>(&self) -> Answer<T> {
        if self.is_netcdf4() {
            Err(Status::EPERM.into())
        } else {
            Err(Status::ENOTNC4.into())
        }
    }

    pub(crate) fn redef(&mut self) -> Answer<()> {
        self.file.redef()?;
        self.in_define_mode = true;
        Ok(())
    }

    pub(crate) fn enddef(&mut self, _group: GroupNumber) -> Answer<()> {
        self.file.enddef()?;
        self.in_define_mode = false;
        Ok(())
    }

    pub(crate) fn enddef_with(
        &mut self,
        _group: GroupNumber,
        header_free: u64,
        variable_align: u64,
        variable_free: u64,
        record_align: u64,
    ) -> Answer<()> {
        let space = [header_free, variable_align, variable_free, record_align];
        self.file.enddef_with(space)?;
        self.in_define_mode = false;
        Ok(())
    }

    pub(crate) fn sync(&mut self) -> Answer<()> {
        Ok(self.file.sync()?)
    }

    pub(crate) fn close(mut self) -> Answer<()> {
        Ok(self.file.close()?)
    }

    pub(crate) fn abort(mut self) -> Answer<()> {
        Ok(self.file.abort()?)
    }

    pub(crate) fn set_fill(&mut self, mode: i32) -> Answer<i32> {
        Ok(self.file.set_fill(mode)?)
    }

    pub(crate) fn inq(&mut self, group: GroupNumber) -> Answer<GroupInquiry> {
        let group = group.0;
        let unlimited = self.file.inq_unlimdims(group);
        Ok(GroupInquiry {
            dimensions: self.file.inq_ndims(group)?,
            variables: self.file.inq_nvars(group)?,
            attributes: self.file.inq_natts(group)?,
            unlimited: match unlimited {
                Ok(all) => all.first().copied().unwrap_or(-1),
                Err(_) => self.file.inq_unlimdim(group)?,
            },
        })
    }

    pub(crate) fn inq_format(&mut self) -> Answer<i32> {
        Ok(self.format)
    }

    pub(crate) fn inq_format_extended(&mut self) -> Answer<(i32, i32)> {
        Ok(self.file.inq_format_extended()?)
    }

    pub(crate) fn inq_unlimdims(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        Ok(self.file.inq_unlimdims(group.0)?)
    }

    pub(crate) fn inq_unlimdim(&mut self, group: GroupNumber) -> Answer<i32> {
        Ok(self.file.inq_unlimdim(group.0)?)
    }

    pub(crate) fn def_dim(&mut self, group: GroupNumber, name: &str, length: u64) -> Answer<i32> {
        Ok(self.file.def_dim(group.0, name, length)?)
    }

    pub(crate) fn inq_dim(&mut self, group: GroupNumber, dimid: i32) -> Answer<DimensionInquiry> {
        let dimension = self.file.inq_dim(group.0, dimid)?;
        Ok(DimensionInquiry {
            name: dimension.name,
            length: dimension.length,
        })
    }

    pub(crate) fn inq_dimid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        Ok(self.file.inq_dimid(group.0, name)?)
    }

    pub(crate) fn rename_dim(&mut self, group: GroupNumber, dimid: i32, name: &str) -> Answer<()> {
        Ok(self.file.rename_dim(group.0, dimid, name)?)
    }

    pub(crate) fn inq_dimids(
        &mut self,
        group: GroupNumber,
        include_parents: bool,
    ) -> Answer<Vec<i32>> {
        Ok(if include_parents {
            self.file.inq_all_dimids(group.0)?
        } else {
            self.file.inq_dimids(group.0)?
        })
    }

    pub(crate) fn def_grp(&mut self, parent: GroupNumber, _name: &str) -> Answer<GroupNumber> {
        self.file.inq_natts(parent.0)?;
        Err(match self.format {
            FORMAT_NETCDF4 => Status::EPERM.into(),
            FORMAT_NETCDF4_CLASSIC => Status::ESTRICTNC3.into(),
            _ => Status::ENOTNC4.into(),
        })
    }

    pub(crate) fn inq_grps(&mut self, group: GroupNumber) -> Answer<Vec<GroupNumber>> {
        let ids = self.file.inq_grps(group.0)?;
        Ok(ids.into_iter().map(number_of).collect())
    }

    pub(crate) fn inq_grpname(&mut self, group: GroupNumber) -> Answer<String> {
        Ok(self.file.inq_grpname(group.0)?)
    }

    pub(crate) fn inq_grpname_full(&mut self, group: GroupNumber) -> Answer<String> {
        Ok(self.file.inq_grpname_full(group.0)?)
    }

    pub(crate) fn inq_grp_parent(&mut self, group: GroupNumber) -> Answer<GroupNumber> {
        Ok(number_of(self.file.inq_grp_parent(group.0)?))
    }

    pub(crate) fn inq_grp_ncid(&mut self, group: GroupNumber, name: &str) -> Answer<GroupNumber> {
        Ok(number_of(self.file.inq_grp_ncid(group.0, name)?))
    }

    pub(crate) fn inq_grp_full_ncid(
        &mut self,
        group: GroupNumber,
        path: &str,
    ) -> Answer<GroupNumber> {
        Ok(number_of(self.file.inq_grp_full_ncid(group.0, path)?))
    }

    pub(crate) fn rename_grp(&mut self, group: GroupNumber, name: &str) -> Answer<()> {
        match self.def_grp(group, name) {
            Err(refusal) if refusal.status == Status::ESTRICTNC3 => Err(Status::EPERM.into()),
            other => other.map(|_| ()),
        }
    }

    pub(crate) fn inq_typeids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        Ok(self.file.inq_typeids(group.0)?)
    }

    pub(crate) fn def_var(
        &mut self,
        group: GroupNumber,
        name: &str,
        nc_type: i32,
        dimids: &[i32],
    ) -> Answer<i32> {
        Ok(self.file.def_var(group.0, name, nc_type, dimids)?)
    }

    pub(crate) fn inq_var(&mut self, group: GroupNumber, varid: i32) -> Answer<VariableInquiry> {
        let variable = self.file.inq_var(group.0, varid)?;
        Ok(VariableInquiry {
            name: variable.name,
            nc_type: variable.nc_type,
            dimensions: variable.dimensions,
            attributes: variable.attributes,
        })
    }

    pub(crate) fn inq_varndims(&mut self, group: GroupNumber, varid: i32) -> Answer<usize> {
        let rank = self.file.inq_varndims(group.0, varid)?;
        usize::try_from(rank).map_err(|_| Status::EMAXDIMS.into())
    }

    pub(crate) fn inq_vartype(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        Ok(self.file.inq_vartype(group.0, varid)?)
    }

    pub(crate) fn inq_varid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        Ok(self.file.inq_varid(group.0, name)?)
    }

    pub(crate) fn inq_varids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        Ok(self.file.inq_varids(group.0)?)
    }

    pub(crate) fn rename_var(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<()> {
        Ok(self.file.rename_var(group.0, varid, name)?)
    }
}

/// A group's number from netCDF-C's id.
fn number_of(id: i32) -> GroupNumber {
    GroupNumber((id & 0xffff) as u16)
}
