//! Attributes of groups and variables.

use std::ffi::{c_char, c_int, c_void};

use frazil::schema::{AttributeOwner, SchemaValue, ValueType};
use frazil::{AttributeValue, Result, Writer};

use crate::arguments::{c_string, elements, invalid, text, texts, value_type};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::writer::{frz_writer, group_id, variable_id, with_writer};

/// # Safety
/// `writer` as [`with_writer`], `name` as [`text`].
unsafe fn put(
    writer: *mut frz_writer,
    owner: impl FnOnce(&Writer) -> Result<AttributeOwner>,
    name: *const c_char,
    value: impl FnOnce() -> Result<SchemaValue>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let name = text(name, "name")?;
            let value = value()?;
            with_writer(writer, |writer| {
                let owner = owner(writer)?;
                if name == "_FillValue" && matches!(owner, AttributeOwner::Variable(_)) {
                    return Err(invalid("_FillValue is more than an attribute")
                        .with_cure("call frz_set_fill_value"));
                }
                writer.put_attribute(owner, name, value)
            })
        }
    })
}

fn of_variable(variable: c_int) -> impl FnOnce(&Writer) -> Result<AttributeOwner> {
    move |writer| variable_id(writer, variable).map(AttributeOwner::Variable)
}

fn of_group(group: c_int) -> impl FnOnce(&Writer) -> Result<AttributeOwner> {
    move |writer| group_id(writer, group).map(AttributeOwner::Group)
}

/// # Safety
/// `values` must be as the exported functions say.
unsafe fn values_of(
    type_number: c_int,
    length: usize,
    values: *const c_void,
) -> Result<SchemaValue> {
    match value_type(type_number)? {
        // SAFETY: the caller's promise.
        ValueType::String => Ok(SchemaValue::Strings(
            unsafe { texts(values, length) }?
                .into_iter()
                .map(Into::into)
                .collect(),
        )),
        ValueType::Atomic(nc_type) => {
            let size = length
                .checked_mul(nc_type.size_bytes())
                .ok_or_else(|| invalid("`length` is too large"))?;
            // SAFETY: the caller's promise.
            let bytes = unsafe { elements(values.cast::<u8>(), size, "values") }?;
            let value = AttributeValue::from_native_bytes(nc_type, bytes);
            Ok(SchemaValue::Atomic(value))
        }
        ValueType::Defined(_) => Err(invalid("no such type")),
    }
}

/// # Safety
/// `text` as [`c_string`].
unsafe fn characters(text: *const c_char) -> Result<SchemaValue> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { c_string(text, "text") }?.to_bytes().to_vec();
    Ok(SchemaValue::Atomic(AttributeValue::Char(bytes)))
}

/// Sets an attribute of a variable. It replaces an existing one of the same name.
///
/// `values` holds `length` elements of `type`, one of ::frz_type; for ::FRZ_STRING, pointers to
/// texts. It may be NULL if `length` is 0.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for an invalid name or type; set `_FillValue` with
/// ::frz_set_fill_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put_attribute(
    writer: *mut frz_writer,
    variable: c_int,
    name: *const c_char,
    r#type: c_int,
    length: usize,
    values: *const c_void,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        put(writer, of_variable(variable), name, || {
            values_of(r#type, length, values)
        })
    }
}

/// Sets an attribute of a variable to a text that a NUL ends, as ::FRZ_CHAR.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put_attribute_text(
    writer: *mut frz_writer,
    variable: c_int,
    name: *const c_char,
    text: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { put(writer, of_variable(variable), name, || characters(text)) }
}

/// Sets an attribute of a group; of ::FRZ_ROOT: a global one. Values as for ::frz_put_attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put_group_attribute(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    r#type: c_int,
    length: usize,
    values: *const c_void,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        put(writer, of_group(group), name, || {
            values_of(r#type, length, values)
        })
    }
}

/// Sets an attribute of a group to a text that a NUL ends, as ::FRZ_CHAR.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put_group_attribute_text(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    text: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { put(writer, of_group(group), name, || characters(text)) }
}

/// # Safety
/// `writer` as [`with_writer`], `name` as [`text`].
unsafe fn delete(
    writer: *mut frz_writer,
    owner: impl FnOnce(&Writer) -> Result<AttributeOwner>,
    name: *const c_char,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let name = text(name, "name")?;
            with_writer(writer, |writer| {
                let owner = owner(writer)?;
                writer.delete_attribute(owner, name)
            })
        }
    })
}

/// # Safety
/// `writer` as [`with_writer`], the names as [`text`].
unsafe fn rename(
    writer: *mut frz_writer,
    owner: impl FnOnce(&Writer) -> Result<AttributeOwner>,
    name: *const c_char,
    new_name: *const c_char,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let names = (text(name, "name")?, text(new_name, "new_name")?);
            with_writer(writer, |writer| {
                let owner = owner(writer)?;
                writer.rename_attribute(owner, names.0, names.1)
            })
        }
    })
}

/// Deletes an attribute of a variable.
///
/// Errors: ::FRZ_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_delete_attribute(
    writer: *mut frz_writer,
    variable: c_int,
    name: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { delete(writer, of_variable(variable), name) }
}

/// Gives an attribute of a variable another name.
///
/// Errors: ::FRZ_NOT_FOUND; ::FRZ_INVALID_ARGUMENT for a new name that is in use or invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_rename_attribute(
    writer: *mut frz_writer,
    variable: c_int,
    name: *const c_char,
    new_name: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { rename(writer, of_variable(variable), name, new_name) }
}

/// Deletes an attribute of a group; of ::FRZ_ROOT: a global one.
///
/// Errors: ::FRZ_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_delete_group_attribute(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { delete(writer, of_group(group), name) }
}

/// Gives an attribute of a group another name.
///
/// Errors: as ::frz_rename_attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_rename_group_attribute(
    writer: *mut frz_writer,
    group: c_int,
    name: *const c_char,
    new_name: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe { rename(writer, of_group(group), name, new_name) }
}
