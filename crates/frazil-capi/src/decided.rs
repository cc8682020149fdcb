//! What frazil decided: how a variable is stored, and the plan of the file.

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use frazil::{Error, ErrorCode, Result, render_plan};

use crate::arguments::{elements_mut, result_at};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::writer::{frz_writer, variable_id, with_writer};

/// Returns how a variable is stored in the file, or how it would be stored if its first values came
/// now.
///
/// `*chunked` becomes 1, and `shape` the elements of a chunk along each dimension, the slowest
/// first; or it becomes 0 and `shape` is not touched: the values are one run of bytes. `*filters`
/// becomes a text like `shuffle+deflate(4)`, `none` if there are none, or NULL before the trial on
/// the first values. Free it with ::frz_free_strings and a length of 1. Each of the three may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_inquire_storage(
    writer: *mut frz_writer,
    variable: c_int,
    chunked: *mut c_int,
    shape: *mut u64,
    filters: *mut *mut c_char,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let storage = unsafe {
            with_writer(writer, |writer| {
                let variable = variable_id(writer, variable)?;
                writer.storage(variable)
            })
        }?;
        // SAFETY: not NULL where used; the rest is the caller's promise.
        unsafe {
            if !chunked.is_null() {
                *result_at(chunked, "chunked")? = c_int::from(storage.chunk.is_some());
            }
            if let Some(chunk) = storage.chunk.filter(|_| !shape.is_null()) {
                elements_mut(shape, chunk.len(), "shape")?.copy_from_slice(&chunk);
            }
            if !filters.is_null() {
                *result_at(filters, "filters")? = match storage.filters {
                    Some(pipeline) => owned(pipeline.summary())?,
                    None => ptr::null_mut(),
                };
            }
        }
        Ok(())
    })
}

/// Returns the plan so far, as JSON: chunk shape, filters and rounding of each variable that has
/// values, with reasons. `*plan` becomes a text that you free with ::frz_free_strings and a length
/// of 1. ::frz_options_set_plan uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_plan(writer: *mut frz_writer, plan: *mut *mut c_char) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let place = result_at(plan, "plan")?;
            let decided = with_writer(writer, |writer| writer.plan())?;
            *place = owned(render_plan(&decided)?)?;
        }
        Ok(())
    })
}

/// A text that C frees by `frz_free_strings`.
fn owned(text: String) -> Result<*mut c_char> {
    let text = CString::new(text)
        .map_err(|_| Error::new(ErrorCode::Internal, "a NUL within a text of frazil's"))?;
    Ok(text.into_raw())
}
