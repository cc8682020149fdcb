//! Types that programs define: what they are.

use std::ffi::{c_char, c_int, c_longlong, c_void};

use frazil::netcdf::{
    Dataset, Field, GroupNumber, Outcome, Status, TypeKind, UserType, sought_name,
};

use crate::nc::pointers::{list, store, store_all, store_text, text};
use crate::nc::{entries, table, types};

/// `NC_VLEN`, `NC_OPAQUE`, `NC_ENUM` and `NC_COMPOUND`.
const VARIABLE_LENGTH: c_int = 13;
const OPAQUE: c_int = 14;
const ENUMERATION: c_int = 15;
const COMPOUND: c_int = 16;
/// `NC_EBADFIELD`
const BAD_FIELD: Status = Status(-119);
/// What a zero is that has no name: HDF5's fill value.
const UNNAMED: &str = "_UNDEFINED";

/// Calls `body` with a type of a file.
pub(crate) fn with<T>(
    ncid: c_int,
    xtype: c_int,
    body: impl FnOnce(&UserType) -> Outcome<T>,
) -> Outcome<T> {
    table::with(ncid, |file, _| body(file.user_types().get(xtype)?))
}

/// Number of the class, number of the base type, number of members.
fn outline(one: &UserType) -> (c_int, c_int, usize) {
    match &one.kind {
        TypeKind::Compound(fields) => (COMPOUND, 0, fields.len()),
        TypeKind::Enumeration { base, members } => (ENUMERATION, *base, members.len()),
        TypeKind::VariableLength { base } => (VARIABLE_LENGTH, *base, 0),
        TypeKind::Opaque => (OPAQUE, 0, 0),
    }
}

/// Places for what there is to say of a type.
struct Places {
    name: *mut c_char,
    size: *mut usize,
    base: *mut c_int,
    members: *mut usize,
}

/// Says what a type is, whatever class it has; then refuses any but the one that is asked for.
///
/// # Safety
/// Each place is NULL or has room.
unsafe fn describe(ncid: c_int, xtype: c_int, places: &Places, class: c_int) -> Outcome<()> {
    // SAFETY: as this function's.
    let found = with(ncid, xtype, |one| unsafe { Ok(tell(one, places)) })?;
    if found == class {
        Ok(())
    } else {
        Err(Status::EBADTYPE)
    }
}

/// Says what a type is; its class.
///
/// # Safety
/// Each place is NULL or has room.
unsafe fn tell(one: &UserType, places: &Places) -> c_int {
    let (class, base, members) = outline(one);
    // SAFETY: as this function's.
    unsafe {
        store_text(places.name, one.name.as_bytes());
        store(places.size, one.size_bytes);
        store(places.base, base);
        store(places.members, members);
    }
    class
}

/// A member of a compound.
fn field(one: &UserType, number: c_int) -> Outcome<&Field> {
    let TypeKind::Compound(fields) = &one.kind else {
        return Err(Status::EBADTYPE);
    };
    let number = usize::try_from(number).ok();
    number
        .and_then(|number| fields.get(number))
        .ok_or(BAD_FIELD)
}

/// Name and value of an integer.
type Member = (String, Vec<u8>);

/// Base and members of an enumeration.
fn enumeration(one: &UserType) -> Outcome<(c_int, &[Member])> {
    match &one.kind {
        TypeKind::Enumeration { base, members } => Ok((*base, members)),
        _ => Err(Status::EBADTYPE),
    }
}

/// An integer as netCDF-C compares it: what has 8 bytes as if it had a sign.
fn number_of(base: c_int, value: &[u8]) -> Option<i64> {
    Some(match (base, value.len()) {
        (1, 1) => i64::from(i8::from_ne_bytes(*value.first_chunk()?)),
        (7, 1) => i64::from(u8::from_ne_bytes(*value.first_chunk()?)),
        (3, 2) => i64::from(i16::from_ne_bytes(*value.first_chunk()?)),
        (8, 2) => i64::from(u16::from_ne_bytes(*value.first_chunk()?)),
        (4, 4) => i64::from(i32::from_ne_bytes(*value.first_chunk()?)),
        (9, 4) => i64::from(u32::from_ne_bytes(*value.first_chunk()?)),
        (10 | 11, 8) => i64::from_ne_bytes(*value.first_chunk()?),
        _ => return None,
    })
}

/// `nc_inq_typeid`: the number of a type by its name, in the group, above it, or anywhere.
pub(crate) fn by_name(file: &mut Dataset, group: GroupNumber, name: &str) -> Outcome<c_int> {
    if !name.starts_with('/') && name.contains('/') {
        return Err(Status::EINVAL);
    }
    if let Some((folder, last)) = name.strip_prefix('/').and(name.rsplit_once('/')) {
        if folder.is_empty() {
            return Err(Status::EINVAL);
        }
        let group = file.inq_grp_full_ncid(GroupNumber::ROOT, &sought_name(folder)?)?;
        let last = sought_name(last)?;
        return in_group(file, group, &last).ok_or(Status::EBADTYPE);
    }
    let name = sought_name(name)?;
    let mut at = Some(group);
    while let Some(here) = at {
        if let Some(found) = in_group(file, here, &name) {
            return Ok(found);
        }
        at = file.inq_grp_parent(here).ok();
    }
    let mut all = file.user_types().all();
    let found = all.find(|(_, one)| one.name == name);
    found.map(|(number, _)| number).ok_or(Status::EBADTYPE)
}

fn in_group(file: &Dataset, group: GroupNumber, name: &str) -> Option<c_int> {
    let mut all = file.user_types().all();
    let found = all.find(|(_, one)| one.group == group && one.name == name);
    found.map(|(number, _)| number)
}

/// `nc_inq_type_equal` of two types that programs have defined.
fn are_equal(first: (c_int, c_int), second: (c_int, c_int)) -> Outcome<bool> {
    for (ncid, nc_type) in [first, second] {
        with(ncid, nc_type, |_| Ok(()))?;
        // netCDF-C compares what is in the files.
        if !table::with(ncid, |file, _| Ok(file.is_type_ended(nc_type)))? {
            return Err(Status::EHDFERR);
        }
    }
    // One file is held at a time.
    let one = with(first.0, first.1, |one| Ok(one.form().clone()))?;
    with(second.0, second.1, |other| Ok(*other.form() == one))
}

/// Adds a member to a compound.
///
/// # Safety
/// Each pointer is NULL or good for what is read there.
unsafe fn insert(
    (ncid, xtype): (c_int, c_int),
    name: *const c_char,
    (offset, field_typeid): (usize, c_int),
    shape: Vec<i32>,
) -> Outcome<()> {
    // SAFETY: as this function's.
    let name = unsafe { text(name) }?.to_owned();
    let nc_type = field_typeid;
    let field = Field {
        name,
        offset,
        nc_type,
        shape,
    };
    table::with(ncid, |file, _| file.insert_field(xtype, field))
}

entries! {
    /// `nc_def_compound`
    fn frz_nc_def_compound(
        ncid: c_int, size: usize, name: *const c_char, typeidp: *mut c_int,
    ) {
        let (name, kind) = (text(name)?, TypeKind::Compound(Vec::new()));
        store(typeidp, table::with(ncid, |file, group| file.def_type(group, name, size, kind))?);
        Ok(())
    }

    /// `nc_def_opaque`
    fn frz_nc_def_opaque(ncid: c_int, size: usize, name: *const c_char, xtypep: *mut c_int) {
        let (name, kind) = (text(name)?, TypeKind::Opaque);
        store(xtypep, table::with(ncid, |file, group| file.def_type(group, name, size, kind))?);
        Ok(())
    }

    /// `nc_def_vlen`
    fn frz_nc_def_vlen(
        ncid: c_int, name: *const c_char, base_typeid: c_int, xtypep: *mut c_int,
    ) {
        let (name, kind) = (text(name)?, TypeKind::VariableLength { base: base_typeid });
        store(xtypep, table::with(ncid, |file, group| file.def_type(group, name, 0, kind))?);
        Ok(())
    }

    /// `nc_def_enum`
    fn frz_nc_def_enum(
        ncid: c_int, base_typeid: c_int, name: *const c_char, typeidp: *mut c_int,
    ) {
        let kind = TypeKind::Enumeration { base: base_typeid, members: Vec::new() };
        let name = text(name)?;
        store(typeidp, table::with(ncid, |file, group| file.def_type(group, name, 0, kind))?);
        Ok(())
    }

    /// `nc_insert_compound`
    fn frz_nc_insert_compound(
        ncid: c_int, xtype: c_int, name: *const c_char, offset: usize, field_typeid: c_int,
    ) {
        insert((ncid, xtype), name, (offset, field_typeid), Vec::new())
    }

    /// `nc_insert_array_compound`
    fn frz_nc_insert_array_compound(
        ncid: c_int, xtype: c_int, name: *const c_char, offset: usize, field_typeid: c_int,
        ndims: c_int, dim_sizes: *const c_int,
    ) {
        let rank = usize::try_from(ndims).map_err(|_| Status::EINVAL)?;
        let shape = list(dim_sizes, rank)?.to_vec();
        insert((ncid, xtype), name, (offset, field_typeid), shape)
    }

    /// `nc_insert_enum`
    fn frz_nc_insert_enum(
        ncid: c_int, xtype: c_int, name: *const c_char, value: *const c_void,
    ) {
        let name = text(name)?;
        table::with(ncid, |file, _| {
            // What is no type has no bytes.
            let size = file.user_types().get(xtype).map_or(0, |one| one.size_bytes);
            let value = list(value.cast::<u8>(), size.min(8))?;
            file.insert_member(xtype, name, value)
        })
    }

    /// `nc_inq_user_type`
    fn frz_nc_inq_user_type(
        ncid: c_int, xtype: c_int, name: *mut c_char, size: *mut usize, base_nc_typep: *mut c_int,
        nfieldsp: *mut usize, classp: *mut c_int,
    ) {
        let places = Places { name, size, base: base_nc_typep, members: nfieldsp };
        let class = with(ncid, xtype, |one| Ok(tell(one, &places)))?;
        store(classp, class);
        Ok(())
    }

    /// `nc_inq_type_equal`: whether two types are the same.
    fn frz_nc_inq_type_equal(
        ncid1: c_int, typeid1: c_int, ncid2: c_int, typeid2: c_int, equalp: *mut c_int,
    ) {
        table::with_any_group(ncid1, |_, _| Ok(()))?;
        if equalp.is_null() {
            return Ok(());
        }
        if typeid1 <= 0 || typeid2 <= 0 {
            return Err(Status::EINVAL);
        }
        let are_defined = [typeid1, typeid2].map(|one| !types::is_atomic(one));
        let is_equal = match are_defined {
            [true, true] => are_equal((ncid1, typeid1), (ncid2, typeid2))?,
            _ => typeid1 == typeid2,
        };
        store(equalp, c_int::from(is_equal));
        Ok(())
    }

    /// `nc_inq_compound`
    fn frz_nc_inq_compound(
        ncid: c_int, xtype: c_int, name: *mut c_char, sizep: *mut usize, nfieldsp: *mut usize,
    ) {
        let base = std::ptr::null_mut();
        describe(ncid, xtype, &Places { name, size: sizep, base, members: nfieldsp }, COMPOUND)
    }

    /// `nc_inq_compound_name`
    fn frz_nc_inq_compound_name(ncid: c_int, xtype: c_int, name: *mut c_char) {
        let (size, base, members) = Default::default();
        describe(ncid, xtype, &Places { name, size, base, members }, COMPOUND)
    }

    /// `nc_inq_compound_size`
    fn frz_nc_inq_compound_size(ncid: c_int, xtype: c_int, sizep: *mut usize) {
        with(ncid, xtype, |one| {
            store(sizep, one.size_bytes);
            if outline(one).0 == COMPOUND { Ok(()) } else { Err(Status::EBADTYPE) }
        })
    }

    /// `nc_inq_compound_nfields`
    fn frz_nc_inq_compound_nfields(ncid: c_int, xtype: c_int, nfieldsp: *mut usize) {
        with(ncid, xtype, |one| {
            let (class, _, members) = outline(one);
            store(nfieldsp, members);
            if class == COMPOUND { Ok(()) } else { Err(Status::EBADTYPE) }
        })
    }

    /// `nc_inq_compound_field`
    fn frz_nc_inq_compound_field(
        ncid: c_int, xtype: c_int, fieldid: c_int, name: *mut c_char, offsetp: *mut usize,
        field_typeidp: *mut c_int, ndimsp: *mut c_int, dim_sizesp: *mut c_int,
    ) {
        with(ncid, xtype, |one| {
            let field = field(one, fieldid)?;
            store_text(name, field.name.as_bytes());
            store(offsetp, field.offset);
            store(field_typeidp, field.nc_type);
            store(ndimsp, field.shape.len() as c_int);
            store_all(dim_sizesp, &field.shape);
            Ok(())
        })
    }

    /// `nc_inq_compound_fieldname`
    fn frz_nc_inq_compound_fieldname(
        ncid: c_int, xtype: c_int, fieldid: c_int, name: *mut c_char,
    ) {
        with(ncid, xtype, |one| {
            store_text(name, field(one, fieldid)?.name.as_bytes());
            Ok(())
        })
    }

    /// `nc_inq_compound_fieldoffset`
    fn frz_nc_inq_compound_fieldoffset(
        ncid: c_int, xtype: c_int, fieldid: c_int, offsetp: *mut usize,
    ) {
        with(ncid, xtype, |one| {
            store(offsetp, field(one, fieldid)?.offset);
            Ok(())
        })
    }

    /// `nc_inq_compound_fieldtype`
    fn frz_nc_inq_compound_fieldtype(
        ncid: c_int, xtype: c_int, fieldid: c_int, field_typeidp: *mut c_int,
    ) {
        with(ncid, xtype, |one| {
            store(field_typeidp, field(one, fieldid)?.nc_type);
            Ok(())
        })
    }

    /// `nc_inq_compound_fieldndims`
    fn frz_nc_inq_compound_fieldndims(
        ncid: c_int, xtype: c_int, fieldid: c_int, ndimsp: *mut c_int,
    ) {
        with(ncid, xtype, |one| {
            store(ndimsp, field(one, fieldid)?.shape.len() as c_int);
            Ok(())
        })
    }

    /// `nc_inq_compound_fielddim_sizes`
    fn frz_nc_inq_compound_fielddim_sizes(
        ncid: c_int, xtype: c_int, fieldid: c_int, dim_sizesp: *mut c_int,
    ) {
        with(ncid, xtype, |one| {
            store_all(dim_sizesp, &field(one, fieldid)?.shape);
            Ok(())
        })
    }

    /// `nc_inq_compound_fieldindex`
    fn frz_nc_inq_compound_fieldindex(
        ncid: c_int, xtype: c_int, name: *const c_char, fieldidp: *mut c_int,
    ) {
        let name = text(name)?;
        with(ncid, xtype, |one| {
            let TypeKind::Compound(fields) = &one.kind else {
                return Err(Status::EBADTYPE);
            };
            let name = sought_name(name)?;
            let found = fields.iter().position(|field| field.name == name);
            store(fieldidp, found.ok_or(BAD_FIELD)? as c_int);
            Ok(())
        })
    }

    /// `nc_inq_vlen`
    fn frz_nc_inq_vlen(
        ncid: c_int, xtype: c_int, name: *mut c_char, datum_sizep: *mut usize,
        base_nc_typep: *mut c_int,
    ) {
        let members = std::ptr::null_mut();
        let places = Places { name, size: datum_sizep, base: base_nc_typep, members };
        describe(ncid, xtype, &places, VARIABLE_LENGTH)
    }

    /// `nc_inq_opaque`
    fn frz_nc_inq_opaque(ncid: c_int, xtype: c_int, name: *mut c_char, sizep: *mut usize) {
        let (base, members) = Default::default();
        describe(ncid, xtype, &Places { name, size: sizep, base, members }, OPAQUE)
    }

    /// `nc_inq_enum`
    fn frz_nc_inq_enum(
        ncid: c_int, xtype: c_int, name: *mut c_char, base_nc_typep: *mut c_int,
        base_sizep: *mut usize, num_membersp: *mut usize,
    ) {
        let places = Places { name, size: base_sizep, base: base_nc_typep, members: num_membersp };
        describe(ncid, xtype, &places, ENUMERATION)
    }

    /// `nc_inq_enum_member`
    fn frz_nc_inq_enum_member(
        ncid: c_int, xtype: c_int, idx: c_int, name: *mut c_char, value: *mut c_void,
    ) {
        with(ncid, xtype, |one| {
            let (_, members) = enumeration(one)?;
            let found = usize::try_from(idx).ok().and_then(|idx| members.get(idx));
            let (known, number) = found.ok_or(Status::EINVAL)?;
            store_text(name, known.as_bytes());
            store_all(value.cast(), number);
            Ok(())
        })
    }

    /// `nc_inq_enum_ident`
    fn frz_nc_inq_enum_ident(
        ncid: c_int, xtype: c_int, value: c_longlong, identifier: *mut c_char,
    ) {
        with(ncid, xtype, |one| {
            let (base, members) = enumeration(one)?;
            let is_it = |number: &[u8]| number_of(base, number) == Some(value);
            let found = members.iter().find(|(_, number)| is_it(number));
            match found {
                Some((name, _)) => store_text(identifier, name.as_bytes()),
                None if value == 0 => store_text(identifier, UNNAMED.as_bytes()),
                None => return Err(Status::EINVAL),
            }
            Ok(())
        })
    }
}
