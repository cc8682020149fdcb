//! Chunk shapes and caches in plain integers: what netCDF-C offers to Fortran.

use std::ffi::c_int;

use frazil::netcdf::{ChunkCache, Storage};

use crate::nc::pointers::{list, store};
use crate::nc::storage::{HDF5_CHUNK_CACHE, define_chunking};
use crate::nc::{entries, table};

/// Variables' caches come in these units, so that a default integer holds their size.
pub(crate) const MEGABYTE: u64 = 1 << 20;

/// A length as Fortran's default integers can hold it.
pub(crate) fn integer(length: u64) -> c_int {
    c_int::try_from(length).unwrap_or(c_int::MAX)
}

/// A cache in Fortran's integers: `unit` bytes, slots, percent. Negative ones mean HDF5's own.
pub(crate) fn cache(size: c_int, slots: c_int, percent: c_int, unit: u64) -> ChunkCache {
    let own = HDF5_CHUNK_CACHE;
    ChunkCache {
        size_bytes: u64::try_from(size).map_or(own.size_bytes, |size| size * unit),
        slots: u64::try_from(slots).unwrap_or(own.slots),
        preemption: match percent {
            0.. => percent as f32 / 100.0,
            _ => own.preemption,
        },
    }
}

/// Hands a cache back in Fortran's integers.
///
/// # Safety
/// Each place is NULL or can be written.
pub(crate) unsafe fn store_cache(
    cache: ChunkCache,
    unit: u64,
    [size, slots, percent]: [*mut c_int; 3],
) {
    // SAFETY: as this function's.
    unsafe {
        store(size, integer(cache.size_bytes / unit));
        store(slots, integer(cache.slots));
        store(percent, (cache.preemption * 100.0) as c_int);
    }
}

entries! {
    /// `nc_def_var_chunking_ints`
    fn frz_nc_def_var_chunking_ints(
        ncid: c_int, varid: c_int, storage: c_int, chunksizesp: *mut c_int,
    ) {
        define_chunking(ncid, varid, storage, |rank| {
            if chunksizesp.is_null() {
                return Ok(None);
            }
            let sizes = list(chunksizesp.cast_const(), rank)?.iter();
            Ok(Some(sizes.map(|&size| i64::from(size).cast_unsigned()).collect()))
        })
    }

    /// `nc_inq_var_chunking_ints`
    fn frz_nc_inq_var_chunking_ints(
        ncid: c_int, varid: c_int, storagep: *mut c_int, chunksizesp: *mut c_int,
    ) {
        let (storage, chunk) =
            table::with(ncid, |file, group| file.inq_var_chunking(group, varid))?;
        store(storagep, storage as c_int);
        if storage == Storage::Chunked && !chunksizesp.is_null() {
            for (axis, &extent) in chunk.iter().enumerate() {
                store(chunksizesp.add(axis), integer(extent));
            }
        }
        Ok(())
    }

    /// `nc_set_var_chunk_cache_ints`: megabytes, slots, percent.
    fn frz_nc_set_var_chunk_cache_ints(
        ncid: c_int, varid: c_int, size: c_int, nelems: c_int, preemption: c_int,
    ) {
        let cache = cache(size, nelems, preemption, MEGABYTE);
        table::with(ncid, |file, group| file.set_var_chunk_cache(group, varid, cache))
    }

    /// `nc_get_var_chunk_cache_ints`
    fn frz_nc_get_var_chunk_cache_ints(
        ncid: c_int, varid: c_int, sizep: *mut c_int, nelemsp: *mut c_int,
        preemptionp: *mut c_int,
    ) {
        let cache = table::with(ncid, |file, group| file.get_var_chunk_cache(group, varid))?;
        store_cache(cache, MEGABYTE, [sizep, nelemsp, preemptionp]);
        Ok(())
    }
}
