//! Types that programs define, in files that are written: those whose elements lie in memory as this machine lays
//! them out. What points to texts or sequences goes to the writer with copies of these.
//!
//! A type is settled, and goes to the writer, when something is made of it or define mode ends. Whatever else
//! programs ask for is refused with `NC_ENOTBUILT`: another library serves it.

use frazil_container::classic::NcType;
use frazil_container::model::TypeDescription;
use frazil_container::native::{is_as_stored, native};
use frazil_container::schema::{DefinedType, TypeId, ValueType, VariableId};

use super::Engine;
use crate::names::check_name;
use crate::region::Slab;
use crate::status::{Answer, Refusal, Status};
use crate::types::{GroupNumber, MemoryType, Region, STRING};
use crate::user_types::{
    Elements, FIRST_USER_TYPE, Field, TypeKind, UserType, UserTypes, UserValues,
};

impl Engine {
    pub(crate) fn user_types(&self) -> &UserTypes {
        &self.types
    }

    /// Numbers the types of a file that was opened.
    pub(super) fn find_types(&mut self) -> Answer<()> {
        let mut types = UserTypes::default();
        for one in &self.schema().types {
            let group = u16::try_from(one.group.0).map_err(|_| Status::EBADID)?;
            let added = types.add(&one.name, GroupNumber(group), &one.datatype);
            added.map_err(|what| not_served(&format!("{}: {what} of the type", one.name)))?;
        }
        self.ended_types = self.schema().types.len();
        self.types = types;
        Ok(())
    }

    /// `nc_def_compound`, `nc_def_enum`, `nc_def_vlen`, `nc_def_opaque`: the type's number.
    pub(crate) fn def_type(
        &mut self,
        group: GroupNumber,
        name: &str,
        size_bytes: usize,
        kind: TypeKind,
    ) -> Answer<i32> {
        let name = &*check_name(name)?;
        let id = self.group(group)?;
        if self.classic_model {
            return Err(Status::ESTRICTNC3.into());
        }
        if self.is_parallel() {
            return Err(not_served("types of its own in a file of several ranks"));
        }
        self.enter_define_mode()?;
        let size_bytes = match &kind {
            TypeKind::VariableLength { base } => {
                self.known_bytes(*base)?;
                self.check_layout(*base)?;
                size_of::<(usize, usize)>()
            }
            TypeKind::Enumeration { base, .. } => self.known_bytes(*base)?,
            TypeKind::Compound(_) | TypeKind::Opaque if size_bytes == 0 => {
                return Err(Status::EINVAL.into());
            }
            TypeKind::Compound(_) | TypeKind::Opaque => size_bytes,
        };
        self.check_free(id, name)?;
        Ok(self.types.push(name, group, size_bytes, kind))
    }

    /// `nc_insert_compound`, `nc_insert_array_compound`
    pub(crate) fn insert_field(&mut self, nc_type: i32, field: Field) -> Answer<()> {
        let name = check_name(&field.name)?.into_owned();
        let TypeKind::Compound(_) = self.sought_type(nc_type)?.kind else {
            return Err(Status::EBADTYPE.into());
        };
        self.check_unsettled(nc_type)?;
        if field.nc_type >= nc_type {
            return Err(not_served("a member of a type that is defined later"));
        }
        self.known_bytes(field.nc_type)?;
        self.check_layout(field.nc_type)?;
        self.types.insert_field(nc_type, Field { name, ..field });
        Ok(())
    }

    /// `nc_insert_enum`: the value in this machine's byte order.
    pub(crate) fn insert_member(&mut self, nc_type: i32, name: &str, value: &[u8]) -> Answer<()> {
        let name = check_name(name)?.into_owned();
        let one = self.sought_type(nc_type)?;
        let TypeKind::Enumeration { .. } = one.kind else {
            return Err(Status::EBADTYPE.into());
        };
        let value = value.get(..one.size_bytes).ok_or(Status::EINVAL)?.to_vec();
        self.check_unsettled(nc_type)?;
        self.types.insert_member(nc_type, name, value);
        Ok(())
    }

    /// A type to which something is added.
    fn sought_type(&self, nc_type: i32) -> Answer<&UserType> {
        let missing = match nc_type > STRING {
            true => Status::EBADTYPID,
            false => Status::EBADTYPE,
        };
        self.types.get(nc_type).map_err(|_| missing.into())
    }

    /// Bytes of an element of a type. What comes of one that is not there, netCDF-C finds later.
    fn known_bytes(&self, nc_type: i32) -> Answer<usize> {
        let bytes = self.types.element_bytes(nc_type);
        bytes.map_err(|_| not_served("what is made of a type that is not there"))
    }

    /// Refuses a part of another type that lies otherwise in the file than in memory: netCDF-C takes it as it is in
    /// the file.
    fn check_layout(&self, nc_type: i32) -> Answer<()> {
        let place = usize::try_from(nc_type - FIRST_USER_TYPE).ok();
        let Some(stored) = place.and_then(|place| self.schema().types.get(place)) else {
            return Ok(());
        };
        let here = self.types.description(nc_type);
        match here.is_some_and(|here| is_as_stored(&stored.datatype, &here)) {
            true => Ok(()),
            false => Err(not_served("a part of an unusual type")),
        }
    }

    /// Whether define mode was left since a type was defined.
    pub(crate) fn is_type_ended(&self, nc_type: i32) -> bool {
        let place = usize::try_from(nc_type - FIRST_USER_TYPE).ok();
        place.is_some_and(|place| place < self.ended_types)
    }

    fn check_unsettled(&self, nc_type: i32) -> Answer<()> {
        let settled = self.schema().types.len();
        let place = usize::try_from(nc_type - FIRST_USER_TYPE).ok();
        if self.is_type_ended(nc_type) {
            return Err(Status::ETYPDEFINED.into());
        }
        match place.is_some_and(|place| place < settled) {
            true => Err(not_served(
                "more members of a type of which something is made",
            )),
            false => Ok(()),
        }
    }

    /// Hands all types to the writer that it does not have yet.
    pub(super) fn settle_types(&mut self) -> Answer<()> {
        loop {
            let next = self.types.all().nth(self.schema().types.len());
            let next = next.map(|(nc_type, one)| (nc_type, one.name.clone(), one.group));
            let Some((nc_type, name, group)) = next else {
                return Ok(());
            };
            let datatype = self.types.description(nc_type);
            let datatype = datatype.ok_or_else(|| not_served("a type without members"))?;
            self.types.settle(nc_type, &datatype);
            let group = self.group(group)?;
            let added = self.writer.add_type(group, &name, datatype);
            added.map_err(|error| not_served(&error.to_string()))?;
        }
    }

    /// When define mode ends: the types are what they are.
    pub(super) fn end_types(&mut self) -> Answer<()> {
        self.settle_types()?;
        self.ended_types = self.schema().types.len();
        Ok(())
    }

    /// A type with elements that lie in memory as this machine lays them out.
    pub(super) fn defined_type(&mut self, nc_type: i32) -> Answer<ValueType> {
        self.types.get(nc_type)?;
        self.settle_types()?;
        let index = usize::try_from(nc_type - FIRST_USER_TYPE).map_err(|_| Status::EBADTYPE)?;
        let stored = &self
            .schema()
            .types
            .get(index)
            .ok_or(Status::EBADTYPE)?
            .datatype;
        let is_usual = |native: TypeDescription| is_as_stored(stored, &native);
        if !native(stored).is_some_and(is_usual) {
            return Err(not_served("values laid out in an unusual way"));
        }
        let known = self.types.get(nc_type)?;
        let base = match known.kind {
            TypeKind::Enumeration { base, .. } => u32::try_from(base).ok(),
            _ => None,
        };
        Ok(ValueType::Defined(DefinedType {
            id: TypeId(index),
            size_bytes: stored.size_bytes,
            base: base.and_then(NcType::from_number),
            is_indirect: known.is_indirect,
        }))
    }

    /// `nc_put_vars` of a variable whose type a program has defined: `bytes` as they are in memory.
    pub(crate) fn put_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        bytes: &[u8],
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        let defined = self.defined_type_of(id)?;
        if defined.is_indirect {
            return Err(Status::EBADTYPE.into());
        }
        let Some(slab) = self.slab(id, region, MemoryType::UChar, true)? else {
            return Ok(());
        };
        let values = slab.gather(bytes, defined.size_bytes)?;
        self.put_slab(id, &slab, &values)
    }

    /// As [`Self::put_user`], of elements that point to texts or sequences.
    pub(crate) fn put_elements(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        elements: &Elements,
    ) -> Answer<()> {
        let id = self.variable(group, varid)?;
        self.defined_type_of(id)?;
        let Some(slab) = self.slab(id, region, MemoryType::UChar, true)? else {
            return Ok(());
        };
        if elements.is_empty() {
            return Ok(());
        }
        let steps = slab.steps();
        self.note_put();
        let (start, count) = (&slab.start, &slab.count);
        Ok(self
            .writer
            .put_elements(id, start, count, steps.as_deref(), elements)?)
    }

    /// As [`Self::put_user`], to read: the values are in `bytes`.
    pub(crate) fn get_user(
        &mut self,
        group: GroupNumber,
        varid: i32,
        region: &Region<'_>,
        bytes: &mut [u8],
    ) -> Answer<Option<UserValues>> {
        let id = self.variable(group, varid)?;
        let defined = self.defined_type_of(id)?;
        let slab: Option<Slab<'_>> = self.slab(id, region, MemoryType::UChar, false)?;
        let Some(slab) = slab.filter(|slab| slab.elements().is_ok_and(|elements| elements > 0))
        else {
            return Ok(None);
        };
        if defined.is_indirect {
            let steps = slab.steps();
            let (start, count) = (&slab.start, &slab.count);
            let found = self
                .writer
                .read_elements(id, start, count, steps.as_deref())?;
            return Ok(Some(UserValues::new(number_of_defined(defined), found)));
        }
        let values = self.get_slab(id, &slab)?;
        slab.scatter(&values, bytes, defined.size_bytes)?;
        Ok(None)
    }

    fn defined_type_of(&self, id: VariableId) -> Answer<DefinedType> {
        match self.described(id).value_type {
            ValueType::Defined(defined) => Ok(defined),
            _ => Err(Status::EBADTYPE.into()),
        }
    }
}

/// netCDF's number of a type that a program has defined.
pub(super) fn number_of_defined(defined: DefinedType) -> i32 {
    i32::try_from(defined.id.0).map_or(i32::MAX, |index| FIRST_USER_TYPE + index)
}

/// What another library serves.
pub(super) fn not_served(what: &str) -> Refusal {
    Refusal::new(Status::ENOTBUILT, format!("{what}: not served here"))
}

impl UserType {
    /// Whether it is the type of this name in a group.
    pub(super) fn is_named(&self, group: GroupNumber, name: &str) -> bool {
        self.group == group && self.name == name
    }
}
