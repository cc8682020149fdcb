//! Groups, dimensions and variables: adding them and finding them again.

use std::ffi::{c_char, c_int};

use frazil::schema::{GroupId, Schema};
use frazil::{DimensionLength, Error, ErrorCode, Result, VariableSettings, Writer};

use crate::arguments::{
    elements, elements_mut, not_negative, number, result_at, text, type_number, value_type,
};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::writer::{dimension_id, frz_writer, group_id, variable_id, with_writer};

/// The root group of every file.
pub const FRZ_ROOT: c_int = 0;

/// Calls `body` with the group and the name, and gives C the number it returns.
///
/// # Safety
/// `writer` as [`with_writer`], `name` as [`text`], `id` as [`result_at`].
unsafe fn in_group(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    id: *mut c_int,
    body: impl FnOnce(&mut Writer, GroupId, &str) -> Result<usize>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        let (name, id) = unsafe { (text(name, "name")?, result_at(id, "id")?) };
        // SAFETY: the caller's promise.
        let made = unsafe {
            with_writer(writer, |writer| {
                let group = group_id(writer, group)?;
                body(writer, group, name)
            })
        }?;
        *id = number(made)?;
        Ok(())
    })
}

/// Adds a group to the group `parent` (::FRZ_ROOT: the root group). `*id` becomes its number.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_add_group(
    writer: *mut frz_writer,
    parent: c_int,
    name: *const c_char,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, parent, name, id, |writer, parent, name| {
            Ok(writer.add_group(parent, name)?.0)
        })
    }
}

/// Adds a dimension of `length` elements to a group. `*id` becomes its number, with which
/// variables of this group and the groups below it can name it.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_add_dimension(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    length: u64,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, group, name, id, |writer, group, name| {
            let length = DimensionLength::Fixed(length);
            Ok(writer.add_dimension(group, name, length)?.0)
        })
    }
}

/// Adds a dimension that grows as it is written. `*id` becomes its number.
///
/// `expected_length` is the length that it will reach; 0: unknown. It only helps to choose chunk
/// shapes: the dimension may become longer or shorter.
///
/// Errors: as ::frz_add_dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_add_unlimited_dimension(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    expected_length: u64,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, group, name, id, |writer, group, name| {
            let expected = (expected_length > 0).then_some(expected_length);
            let length = DimensionLength::Unlimited { expected };
            Ok(writer.add_dimension(group, name, length)?.0)
        })
    }
}

/// Adds a variable to a group. `*id` becomes its number. Variables can be added at any time, also
/// after values were put and synced.
///
/// `type` is one of ::frz_type. `dimensions` holds the numbers of `rank` dimensions of this group
/// or the groups above it, the slowest first; it may be NULL if `rank` is 0: a scalar.
///
/// frazil chooses chunk shape, filters and levels, unless you set them with `frz_set_...` before
/// the variable's first values.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow, an
/// unknown type or dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_add_variable(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    r#type: c_int,
    rank: c_int,
    dimensions: *const c_int,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, group, name, id, |writer, group, name| {
            let value_type = value_type(r#type)?;
            let rank = not_negative(rank, "rank")?;
            let dimensions = elements(dimensions, rank, "dimensions")?
                .iter()
                .map(|&dimension| dimension_id(writer, dimension))
                .collect::<Result<Vec<_>>>()?;
            let settings = VariableSettings::default();
            Ok(writer
                .add_variable(group, name, value_type, &dimensions, settings)?
                .0)
        })
    }
}

/// Finds a group in the group `parent` by its name.
///
/// Errors: ::FRZ_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_find_group(
    writer: *mut frz_writer,
    parent: c_int,
    name: *const c_char,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, parent, name, id, |writer, parent, name| {
            let schema = writer.schema();
            let found = schema.group_in(parent, name);
            Ok(found
                .ok_or_else(|| missing(schema, parent, "group", name))?
                .0)
        })
    }
}

/// Finds a dimension of a group, or of the nearest group above it, by its name.
///
/// Errors: ::FRZ_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_find_dimension(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, group, name, id, |writer, group, name| {
            let schema = writer.schema();
            let mut at = Some(group);
            while let Some(here) = at {
                if let Some(found) = schema.dimension_in(here, name) {
                    return Ok(found.0);
                }
                at = schema.groups[here.0].parent;
            }
            Err(missing(schema, group, "dimension", name))
        })
    }
}

/// Finds a variable of a group by its name.
///
/// Errors: ::FRZ_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_find_variable(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    id: *mut c_int,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        in_group(writer, group, name, id, |writer, group, name| {
            let schema = writer.schema();
            let found = schema.variable_in(group, name);
            Ok(found
                .ok_or_else(|| missing(schema, group, "variable", name))?
                .0)
        })
    }
}

fn missing(schema: &Schema, group: GroupId, kind: &str, name: &str) -> Error {
    let cause = format!("{} has no {kind} `{name}`", schema.group_path(group));
    Error::new(ErrorCode::NotFound, cause)
}

/// Returns the length of a dimension. An unlimited one has the length as of the last put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_dimension_length(
    writer: *mut frz_writer,
    dimension: c_int,
    length: *mut u64,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            *result_at(length, "length")? = with_writer(writer, |writer| {
                let dimension = dimension_id(writer, dimension)?;
                Ok(writer.schema().dimensions[dimension.0].length)
            })?;
        }
        Ok(())
    })
}

/// Describes a variable: `*type` becomes one of ::frz_type, `*rank` the number of its dimensions,
/// `shape` their lengths as of the last put. Each of the three may be NULL; `shape` has room for as
/// many elements as the variable has dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_inquire_variable(
    writer: *mut frz_writer,
    variable: c_int,
    r#type: *mut c_int,
    rank: *mut c_int,
    shape: *mut u64,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (value_type, lengths) = unsafe {
            with_writer(writer, |writer| {
                let variable = variable_id(writer, variable)?;
                let schema = writer.schema();
                let value_type = schema.variables[variable.0].value_type;
                Ok((value_type, schema.shape(variable)))
            })
        }?;
        // SAFETY: not NULL where used; the rest is the caller's promise.
        unsafe {
            if !r#type.is_null() {
                *result_at(r#type, "type")? = type_number(value_type);
            }
            if !rank.is_null() {
                *result_at(rank, "rank")? = number(lengths.len())?;
            }
            if !shape.is_null() {
                elements_mut(shape, lengths.len(), "shape")?.copy_from_slice(&lengths);
            }
        }
        Ok(())
    })
}
