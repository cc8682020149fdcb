//! Putting and reading boxes of values.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use frazil::schema::{Schema, Text, ValueType, VariableId};
use frazil::{Error, ErrorCode, Result, Writer};

use crate::arguments::{elements, elements_mut, invalid, texts, type_name, value_type};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::writer::{frz_writer, variable_id, with_writer};

/// A box of a variable's elements.
struct Selection<'a> {
    variable: VariableId,
    start: Vec<u64>,
    count: Vec<u64>,
    stride: Option<&'a [u64]>,
    value_type: ValueType,
    elements: usize,
}

/// Where the values of a call lie in a variable, as C says it.
#[derive(Clone, Copy)]
struct Place {
    variable: c_int,
    start: *const u64,
    count: *const u64,
    stride: *const u64,
    type_number: c_int,
}

impl Place {
    /// Checks what C says against the variable.
    ///
    /// # Safety
    /// Each pointer is NULL or points to as many elements as the variable has dimensions.
    unsafe fn selection<'a>(self, writer: &Writer) -> Result<Selection<'a>> {
        let variable = variable_id(writer, self.variable)?;
        let schema = writer.schema();
        let value_type = checked_type(writer, variable, self.type_number)?;
        let rank = schema.variables[variable.0].dimensions.len();
        let optional = |pointer: *const u64, name| {
            // SAFETY: the caller's promise.
            (!pointer.is_null()).then(|| unsafe { elements(pointer, rank, name) })
        };
        let start = match optional(self.start, "start") {
            Some(start) => start?.to_vec(),
            None => vec![0; rank],
        };
        let count = match optional(self.count, "count") {
            Some(count) => count?.to_vec(),
            None if self.stride.is_null() => (schema.shape(variable).iter().zip(&start))
                .map(|(length, start)| length.saturating_sub(*start))
                .collect(),
            None => return Err(invalid("`count` is NULL, but `stride` is not")),
        };
        let elements = count
            .iter()
            .try_fold(1_usize, |all, &one| {
                all.checked_mul(usize::try_from(one).ok()?)
            })
            .ok_or_else(|| invalid("`count` has too many elements"))?;
        Ok(Selection {
            variable,
            start,
            count,
            stride: optional(self.stride, "stride").transpose()?,
            value_type,
            elements,
        })
    }
}

impl Selection<'_> {
    /// Bytes of all elements, each of `element_bytes`.
    fn bytes(&self, element_bytes: usize) -> Result<usize> {
        (self.elements.checked_mul(element_bytes))
            .ok_or_else(|| invalid("`count` has too many elements"))
    }
}

/// Does what a call asks for at its place.
///
/// # Safety
/// As [`with_writer`] and [`Place::selection`].
unsafe fn at_place(
    writer: *mut frz_writer,
    place: Place,
    work: impl FnOnce(&mut Writer, &Selection<'_>) -> Result<()>,
) -> frz_status {
    guarded(|| {
        // SAFETY: as this function's.
        unsafe {
            with_writer(writer, |writer| {
                let chosen = place.selection(writer)?;
                work(writer, &chosen)
            })
        }
    })
}

/// The variable's type, which must be the one that the caller states.
fn checked_type(writer: &Writer, variable: VariableId, type_number: c_int) -> Result<ValueType> {
    let stated = value_type(type_number)?;
    let schema = writer.schema();
    if schema.variables[variable.0].value_type == stated {
        return Ok(stated);
    }
    Err(other_type(schema, variable, stated))
}

/// The error about values that are not of the variable's type.
#[cold]
pub(crate) fn other_type(schema: &Schema, variable: VariableId, stated: ValueType) -> Error {
    let found = type_name(schema.variables[variable.0].value_type);
    let stated = type_name(stated);
    invalid(format!("holds {found}, but the values are {stated}"))
        .at_variable(&schema.variable_path(variable))
}

/// Puts a box of values into a variable. The call copies the values: you may reuse their memory
/// when it returns.
///
/// `start` (default, if NULL: zeros) and `count` (default: up to the end of each dimension as it is
/// now) have one element for each dimension of the variable, the slowest first. `stride` (default:
/// ones) puts into every stride-th element of the variable; `count` is the number of elements put.
/// An unlimited dimension grows as needed.
///
/// `values` holds the product of `count` elements, the last dimension varying fastest. `type`, one
/// of ::frz_type, is their type, which must be the variable's own type. For ::FRZ_STRING, they are
/// pointers to texts.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for another type or a box that is not within the dimensions;
/// also those of chunks that were put by earlier calls: ::FRZ_NO_SPACE, ::FRZ_IO...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    count: *const u64,
    stride: *const u64,
    r#type: c_int,
    values: *const c_void,
) -> frz_status {
    let place = Place {
        variable,
        start,
        count,
        stride,
        type_number: r#type,
    };
    // SAFETY: the caller's promises.
    unsafe {
        at_place(writer, place, |writer, chosen| {
            put_selected(writer, chosen, values)
        })
    }
}

/// # Safety
/// `values` must hold what `chosen` says.
unsafe fn put_selected(
    writer: &mut Writer,
    chosen: &Selection<'_>,
    values: *const c_void,
) -> Result<()> {
    let Selection {
        variable,
        start,
        count,
        stride,
        ..
    } = chosen;
    match chosen.value_type {
        ValueType::Defined(_) => Err(invalid("no such type")),
        ValueType::Atomic(nc_type) => {
            let size = chosen.bytes(nc_type.size_bytes())?;
            // SAFETY: the caller's promise.
            let bytes = unsafe { elements(values.cast::<u8>(), size, "values") }?;
            writer.put(*variable, start, count, *stride, bytes)
        }
        ValueType::String => {
            // SAFETY: the caller's promise.
            let values = unsafe { texts(values, chosen.elements) }?;
            let values: Vec<Text> = values.into_iter().map(Into::into).collect();
            writer.put_strings(*variable, start, count, *stride, &values)
        }
    }
}

/// Reads a box of values back, including values that no ::frz_sync has committed yet. Elements that
/// were never written hold the fill value.
///
/// Arguments as for ::frz_put; `values` has room for the product of `count` elements. For
/// ::FRZ_STRING, they become pointers to texts, to be freed by ::frz_free_strings.
///
/// Errors: as ::frz_put; a box beyond the present length of an unlimited dimension is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_read(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    count: *const u64,
    stride: *const u64,
    r#type: c_int,
    values: *mut c_void,
) -> frz_status {
    let place = Place {
        variable,
        start,
        count,
        stride,
        type_number: r#type,
    };
    // SAFETY: the caller's promises.
    unsafe {
        at_place(writer, place, |writer, chosen| {
            read_selected(writer, chosen, values)
        })
    }
}

/// # Safety
/// `values` must have room for what `chosen` says.
unsafe fn read_selected(
    writer: &mut Writer,
    chosen: &Selection<'_>,
    values: *mut c_void,
) -> Result<()> {
    let Selection {
        variable,
        start,
        count,
        stride,
        ..
    } = chosen;
    match chosen.value_type {
        ValueType::Defined(_) => return Err(invalid("no such type")),
        ValueType::Atomic(nc_type) => {
            let size = chosen.bytes(nc_type.size_bytes())?;
            // SAFETY: the caller's promise.
            let room = unsafe { elements_mut(values.cast::<u8>(), size, "values") }?;
            let bytes = writer.read(*variable, start, count, *stride)?;
            check_length(bytes.len(), room.len())?;
            room.copy_from_slice(&bytes);
        }
        ValueType::String => {
            let (values, length) = (values.cast::<*mut c_char>(), chosen.elements);
            // SAFETY: the caller's promise.
            let room = unsafe { elements_mut(values, length, "values") }?;
            let found = writer.read_strings(*variable, start, count, *stride)?;
            check_length(found.len(), room.len())?;
            let texts = found.into_iter().map(|text| {
                // The interface has no text that is not there.
                CString::new(text.unwrap_or_default()).map_err(|_| {
                    Error::new(ErrorCode::Unsupported, "a text holds a NUL, which C cannot")
                })
            });
            let texts: Vec<CString> = texts.collect::<Result<_>>()?;
            for (place, text) in room.iter_mut().zip(texts) {
                *place = text.into_raw();
            }
        }
    }
    Ok(())
}

fn check_length(found: usize, wanted: usize) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let cause = format!("read {found} where {wanted} were requested");
    Err(Error::new(ErrorCode::Internal, cause))
}

/// Frees texts that ::frz_read and other functions returned, and sets the pointers to NULL. NULL is
/// allowed, for `texts` and for each of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_free_strings(length: usize, texts: *mut *mut c_char) {
    if texts.is_null() {
        return;
    }
    // SAFETY: `length` pointers, as the caller promises.
    let Ok(texts) = (unsafe { elements_mut(texts, length, "texts") }) else {
        return;
    };
    for text in texts {
        let text = std::mem::replace(text, ptr::null_mut());
        if !text.is_null() {
            // SAFETY: made by CString::into_raw in this crate, as the caller promises.
            drop(unsafe { CString::from_raw(text) });
        }
    }
}
