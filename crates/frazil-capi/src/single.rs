//! Putting single values: the shortest way from C into a chunk.

use std::ffi::{c_char, c_int};

use frazil::NcType;
use frazil::schema::ValueType;

use crate::arguments::elements;
use crate::guard::guarded;
use crate::status::frz_status;
use crate::values::other_type;
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
    nc_type: NcType,
    value: &[u8],
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            with_writer(writer, |writer| {
                let variable = variable_id(writer, variable)?;
                let described = &writer.schema().variables[variable.0];
                let stated = ValueType::Atomic(nc_type);
                if described.value_type != stated {
                    return Err(other_type(writer.schema(), variable, stated));
                }
                let start = elements(start, described.dimensions.len(), "start")?;
                let many;
                let count = if let Some(ones) = ONES.get(..start.len()) {
                    ones
                } else {
                    many = vec![1; start.len()];
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
    unsafe { put_one(writer, variable, start, NcType::Char, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Byte, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::UByte, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Short, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::UShort, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Int, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::UInt, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Int64, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::UInt64, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Float, &value) }
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
    unsafe { put_one(writer, variable, start, NcType::Double, &value) }
}
