//! Putting single values: the shortest way from C into a chunk.

use std::ffi::{c_char, c_int};

use frazil::Result;

use crate::arguments::{elements, frz_type};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::values::checked_type;
use crate::writer::{frz_writer, variable_id, with_writer};

/// Ones, as many as a variable has dimensions at most in any library (`H5S_MAX_RANK`).
const ONES: [u64; 32] = [1; 32];

/// Puts one element.
///
/// # Safety
/// `writer` as [`with_writer`]; `start` has as many elements as the variable has dimensions.
#[inline]
unsafe fn put_one(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value_type: frz_type,
    value: &[u8],
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            with_writer(writer, |writer| -> Result<()> {
                let variable = variable_id(writer, variable)?;
                checked_type(writer, variable, value_type as c_int)?;
                let rank = writer.schema().variables[variable.0].dimensions.len();
                let start = elements(start, rank, "start")?;
                let many;
                let count = if let Some(ones) = ONES.get(..rank) {
                    ones
                } else {
                    many = vec![1; rank];
                    &many
                };
                writer.put(variable, start, count, None, value)
            })
        }
    })
}

/// Puts one character at `start`, which has one element for each dimension of the variable, the
/// slowest first, and may be NULL for a scalar. The variable's type must be ::FRZ_CHAR.
///
/// These functions make single values cheap: loops over elements need no buffers of their own.
/// Errors: as ::frz_put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_char(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: c_char,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_CHAR, &value) }
}

/// Puts one value of a variable of type ::FRZ_INT8; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_int8(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: i8,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_INT8, &value) }
}

/// Puts one value of a variable of type ::FRZ_UINT8; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_uint8(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: u8,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_UINT8, &value) }
}

/// Puts one value of a variable of type ::FRZ_INT16; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_int16(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: i16,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_INT16, &value) }
}

/// Puts one value of a variable of type ::FRZ_UINT16; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_uint16(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: u16,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_UINT16, &value) }
}

/// Puts one value of a variable of type ::FRZ_INT32; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_int32(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: i32,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_INT32, &value) }
}

/// Puts one value of a variable of type ::FRZ_UINT32; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_uint32(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: u32,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_UINT32, &value) }
}

/// Puts one value of a variable of type ::FRZ_INT64; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_int64(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: i64,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_INT64, &value) }
}

/// Puts one value of a variable of type ::FRZ_UINT64; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_uint64(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: u64,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_UINT64, &value) }
}

/// Puts one value of a variable of type ::FRZ_FLOAT; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_float(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: f32,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_FLOAT, &value) }
}

/// Puts one value of a variable of type ::FRZ_DOUBLE; as ::frz_put1_char.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_put1_double(
    writer: *mut frz_writer,
    variable: c_int,
    start: *const u64,
    value: f64,
) -> frz_status {
    let value = value.to_ne_bytes();
    // SAFETY: the caller's promises.
    unsafe { put_one(writer, variable, start, frz_type::FRZ_DOUBLE, &value) }
}
