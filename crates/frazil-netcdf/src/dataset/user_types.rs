//! Types that programs define.

use std::collections::VecDeque;

use super::Dataset;
use crate::create::Backend;
use crate::engine::Engine;
use crate::status::{Answer, Outcome, Status};
use crate::types::{GroupNumber, Region};
use crate::user_types::{Elements, Field, TypeKind, UserTypes, UserValues};

impl Dataset {
    /// The types that programs have defined.
    #[must_use]
    pub fn user_types(&self) -> &UserTypes {
        static NONE: UserTypes = UserTypes::NONE;
        match &self.backend {
            Backend::Reading(reading) => reading.user_types(),
            Backend::Engine(engine) => engine.user_types(),
            Backend::Bundled(_) | Backend::Closed(_) => &NONE,
        }
    }

    /// The type that is like one of another file, as `nc_copy_att` looks for it: in a group, then in those above it,
    /// then in all.
    ///
    /// # Errors
    /// `NC_EBADTYPE` if there is none.
    pub fn like_type(&mut self, group: GroupNumber, other: (&UserTypes, i32)) -> Outcome<i32> {
        let mut at = Some(group);
        while let Some(here) = at {
            if let Some(found) = self.user_types().first_like(here, other) {
                return Ok(found);
            }
            at = self.inq_grp_parent(here).ok();
        }
        let mut groups = VecDeque::from([GroupNumber::ROOT]);
        while let Some(here) = groups.pop_front() {
            if let Some(found) = self.user_types().first_like(here, other) {
                return Ok(found);
            }
            groups.extend(self.inq_grps(here)?);
        }
        Err(Status::EBADTYPE)
    }

    /// Whether define mode was left since a type was defined.
    #[must_use]
    pub fn is_type_ended(&self, nc_type: i32) -> bool {
        match &self.backend {
            Backend::Engine(engine) => engine.is_type_ended(nc_type),
            _ => true,
        }
    }

    /// `nc_get_vars` of a variable whose type a program has defined. `None`: the values are in `bytes`, as they
    /// are in memory; else they are what comes back, which points to something.
    ///
    /// # Errors
    /// As `nc_get_vars`; `NC_EBADTYPE` if the type is netCDF's own.
    pub fn get_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        bytes: &mut [u8],
    ) -> Outcome<Option<UserValues>> {
        let answer = match &mut self.backend {
            Backend::Reading(reading) => reading.get_user(group, varid, region, bytes),
            Backend::Engine(engine) => engine.get_user(group, varid, region, bytes),
            Backend::Bundled(_) => Err(Status::EBADTYPE.into()),
            Backend::Closed(_) => Err(Status::EBADID.into()),
        };
        self.outcome(answer)
    }

    /// `nc_put_vars` of a variable whose type a program has defined: `bytes` as they are in memory.
    ///
    /// # Errors
    /// As `nc_put_vars`; `NC_ENOTBUILT` for what only netCDF-C writes.
    pub fn put_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        bytes: &[u8],
    ) -> Outcome<()> {
        self.written(|engine| engine.put_user(group, varid, region, bytes))
    }

    /// As [`Self::put_user`], of elements that point to texts or sequences.
    ///
    /// # Errors
    /// As [`Self::put_user`].
    pub fn put_elements(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        elements: &Elements,
    ) -> Outcome<()> {
        self.written(|engine| engine.put_elements(group, varid, region, elements))
    }

    /// `nc_def_compound`, `nc_def_enum`, `nc_def_vlen`, `nc_def_opaque`: the type's number. The size counts for
    /// compounds and opaque bytes only.
    ///
    /// # Errors
    /// As those.
    pub fn def_type(
        &mut self,
        group: GroupNumber,
        name: &str,
        size_bytes: usize,
        kind: TypeKind,
    ) -> Outcome<i32> {
        self.written(|engine| engine.def_type(group, name, size_bytes, kind))
    }

    /// `nc_insert_compound`, `nc_insert_array_compound`
    ///
    /// # Errors
    /// As those.
    pub fn insert_field(&mut self, nc_type: i32, field: Field) -> Outcome<()> {
        self.written(|engine| engine.insert_field(nc_type, field))
    }

    /// `nc_insert_enum`: the value in this machine's byte order.
    ///
    /// # Errors
    /// As that.
    pub fn insert_member(&mut self, nc_type: i32, name: &str, value: &[u8]) -> Outcome<()> {
        self.written(|engine| engine.insert_member(nc_type, name, value))
    }

    /// `nc_put_att` of values of a type that a program has defined.
    ///
    /// # Errors
    /// As `nc_put_att`; `NC_ENOTBUILT` for what only netCDF-C writes.
    pub fn put_att_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        name: &str,
        nc_type: i32,
        elements: Elements,
    ) -> Outcome<()> {
        self.written(|engine| engine.put_att_user(group, varid, name, nc_type, elements))
    }

    /// `nc_def_var_fill` of a variable whose type a program has defined: one element.
    ///
    /// # Errors
    /// As `nc_def_var_fill`.
    pub fn def_var_fill_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        element: Elements,
    ) -> Outcome<()> {
        self.written(|engine| engine.def_var_fill_user(group, varid, element))
    }

    /// What only a file has that the writer writes.
    fn written<T>(&mut self, call: impl FnOnce(&mut Engine) -> Answer<T>) -> Outcome<T> {
        let answer = match &mut self.backend {
            Backend::Engine(engine) => call(engine),
            Backend::Reading(_) => Err(Status::EPERM.into()),
            Backend::Bundled(_) => Err(Status::ENOTNC4.into()),
            Backend::Closed(_) => Err(Status::EBADID.into()),
        };
        self.outcome(answer)
    }
}
