//! Chunk caches of variables.

use std::ffi::c_int;

use crate::invoke::{invoke_on, number};
use crate::library::Library;
use crate::values::done;

/// Bytes, slots, preemption.
pub(crate) type Cache = (usize, usize, f32);
/// What frazil tells of a variable where the program has set none.
const NONE: Cache = (64 << 20, 1000, 0.75);
/// `nc_set_var_chunk_cache`
type Set = unsafe extern "C" fn(c_int, c_int, usize, usize, f32) -> c_int;

/// The cache that the program has set for a variable of frazil's, if it has.
///
/// # Errors
/// Frazil's status.
pub(crate) fn cache_of(
    frazil: &'static Library,
    own: c_int,
    varid: c_int,
) -> Result<Option<Cache>, c_int> {
    let mut known: Cache = (0, 0, 0.0);
    let places = [
        number(varid),
        (&raw mut known.0) as usize,
        (&raw mut known.1) as usize,
        (&raw mut known.2) as usize,
    ];
    // SAFETY: frz_nc_get_var_chunk_cache with its arguments.
    done(unsafe { invoke_on(frazil, "nc_get_var_chunk_cache", own, places) })?;
    Ok((known != NONE).then_some(known))
}

/// Sets the cache of a variable in the program's own library.
///
/// # Errors
/// That library's status.
pub(crate) fn set_cache(
    (program, id): (&'static Library, c_int),
    varid: c_int,
    (bytes, slots, preemption): Cache,
) -> Result<(), c_int> {
    let Some(address) = program.symbol("nc_set_var_chunk_cache") else {
        return Ok(());
    };
    // SAFETY: nc_set_var_chunk_cache is of this type.
    let set = unsafe { std::mem::transmute::<usize, Set>(address) };
    // SAFETY: it checks its arguments.
    done(program.during(|| unsafe { set(id, varid, bytes, slots, preemption) }))
}
