//! How variables are stored: fill values, chunks, filters, rounding, byte order, caches.

use std::ffi::{c_int, c_void};

use frazil::netcdf::{Outcome, Status};

use crate::nc::integers::{MEGABYTE, cache, integer, store_cache};
use crate::nc::pointers::{list, store, store_all};
use crate::nc::storage::{chunk_cache, define_chunking, define_fill, set_chunk_cache, store_fill};
use crate::nc::{entries, table};
use crate::nf::order::{sizes, store_axes, variable};
use crate::nf::{size, value};

entries! {
    /// `NF_DEF_VAR_FILL`
    fn nf_def_var_fill_(
        ncid: *const c_int, varid: *const c_int, no_fill: *const c_int,
        fill_value: *const c_void,
    ) {
        let (varid, no_fill) = (variable(varid)?, value(no_fill)? != 0);
        table::with(value(ncid)?, |file, group| {
            define_fill(file, group, varid, no_fill, fill_value)
        })
    }

    /// `NF_INQ_VAR_FILL`
    fn nf_inq_var_fill_(
        ncid: *const c_int, varid: *const c_int, no_fill: *mut c_int, fill_value: *mut c_void,
    ) {
        let varid = variable(varid)?;
        let fill = table::with(value(ncid)?, |file, group| file.inq_var_fill(group, varid))?;
        store(no_fill, fill.no_fill);
        if fill.no_fill != 0 { Ok(()) } else { store_fill(fill_value, &fill.value) }
    }

    /// `NF_DEF_VAR_CHUNKING`
    fn nf_def_var_chunking_(
        ncid: *const c_int, varid: *const c_int, storage: *const c_int,
        chunksizes: *const c_int,
    ) {
        let (ncid, varid) = (value(ncid)?, variable(varid)?);
        define_chunking(ncid, varid, value(storage)?, |rank| sizes(chunksizes, rank).map(Some))
    }

    /// `NF_INQ_VAR_CHUNKING`
    fn nf_inq_var_chunking_(
        ncid: *const c_int, varid: *const c_int, storage: *mut c_int, chunksizes: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let (found, chunk) =
            table::with(value(ncid)?, |file, group| file.inq_var_chunking(group, varid))?;
        store(storage, found as c_int);
        store_axes(chunksizes, chunk.iter().map(|&size| integer(size)));
        Ok(())
    }

    /// `NF_DEF_VAR_DEFLATE`
    fn nf_def_var_deflate_(
        ncid: *const c_int, varid: *const c_int, shuffle: *const c_int, deflate: *const c_int,
        deflate_level: *const c_int,
    ) {
        let (varid, shuffle) = (variable(varid)?, value(shuffle)? != 0);
        let (deflate, level) = (value(deflate)? != 0, value(deflate_level)?);
        table::with(value(ncid)?, |file, group| {
            file.def_var_deflate(group, varid, shuffle, deflate, level)
        })
    }

    /// `NF_INQ_VAR_DEFLATE`
    fn nf_inq_var_deflate_(
        ncid: *const c_int, varid: *const c_int, shuffle: *mut c_int, deflate: *mut c_int,
        deflate_level: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let found =
            table::with(value(ncid)?, |file, group| file.inq_var_deflate(group, varid))?;
        store(shuffle, c_int::from(found.shuffle));
        store(deflate, c_int::from(found.deflate));
        store(deflate_level, found.level);
        Ok(())
    }

    /// `NF_DEF_VAR_ZSTANDARD`
    fn nf_def_var_zstandard_(
        ncid: *const c_int, varid: *const c_int, zstandard_level: *const c_int,
    ) {
        let (varid, level) = (variable(varid)?, value(zstandard_level)?);
        table::with(value(ncid)?, |file, group| file.def_var_zstandard(group, varid, level))
    }

    /// `NF_INQ_VAR_ZSTANDARD`
    fn nf_inq_var_zstandard_(
        ncid: *const c_int, varid: *const c_int, zstandard: *mut c_int,
        zstandard_level: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let level =
            table::with(value(ncid)?, |file, group| file.inq_var_zstandard(group, varid))?;
        store(zstandard, c_int::from(level.is_some()));
        if let Some(level) = level {
            store(zstandard_level, level);
        }
        Ok(())
    }

    /// `NF_DEF_VAR_SZIP`
    fn nf_def_var_szip_(
        ncid: *const c_int, varid: *const c_int, options_mask: *const c_int,
        pixels_per_block: *const c_int,
    ) {
        let varid = variable(varid)?;
        let (mask, pixels) = (value(options_mask)?, value(pixels_per_block)?);
        table::with(value(ncid)?, |file, group| file.def_var_szip(group, varid, mask, pixels))
    }

    /// `NF_INQ_VAR_SZIP`
    fn nf_inq_var_szip_(
        ncid: *const c_int, varid: *const c_int, options_mask: *mut c_int,
        pixels_per_block: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let (mask, pixels) =
            table::with(value(ncid)?, |file, group| file.inq_var_szip(group, varid))?;
        store(options_mask, mask);
        store(pixels_per_block, pixels);
        Ok(())
    }

    /// `NF_DEF_VAR_QUANTIZE`
    fn nf_def_var_quantize_(
        ncid: *const c_int, varid: *const c_int, quantize_mode: *const c_int,
        nsd: *const c_int,
    ) {
        let (varid, mode, digits) = (variable(varid)?, value(quantize_mode)?, value(nsd)?);
        table::with(value(ncid)?, |file, group| {
            file.def_var_quantize(group, varid, mode, digits)
        })
    }

    /// `NF_INQ_VAR_QUANTIZE`
    fn nf_inq_var_quantize_(
        ncid: *const c_int, varid: *const c_int, quantize_mode: *mut c_int, nsd: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let (mode, digits) =
            table::with(value(ncid)?, |file, group| file.inq_var_quantize(group, varid))?;
        store(quantize_mode, mode);
        store(nsd, digits);
        Ok(())
    }

    /// `NF_DEF_VAR_FLETCHER32`
    fn nf_def_var_fletcher32_(
        ncid: *const c_int, varid: *const c_int, fletcher32: *const c_int,
    ) {
        let (varid, checked) = (variable(varid)?, value(fletcher32)? != 0);
        table::with(value(ncid)?, |file, group| {
            file.def_var_fletcher32(group, varid, checked)
        })
    }

    /// `NF_INQ_VAR_FLETCHER32`
    fn nf_inq_var_fletcher32_(
        ncid: *const c_int, varid: *const c_int, fletcher32: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let found =
            table::with(value(ncid)?, |file, group| file.inq_var_fletcher32(group, varid))?;
        store(fletcher32, c_int::from(found));
        Ok(())
    }

    /// `NF_DEF_VAR_ENDIAN`
    fn nf_def_var_endian_(ncid: *const c_int, varid: *const c_int, endian: *const c_int) {
        let (varid, endian) = (variable(varid)?, value(endian)?);
        table::with(value(ncid)?, |file, group| file.def_var_endian(group, varid, endian))
    }

    /// `NF_INQ_VAR_ENDIAN`
    fn nf_inq_var_endian_(ncid: *const c_int, varid: *const c_int, endian: *mut c_int) {
        let varid = variable(varid)?;
        let found =
            table::with(value(ncid)?, |file, group| file.inq_var_endian(group, varid))?;
        store(endian, found);
        Ok(())
    }

    /// `NF_DEF_VAR_FILTER`
    fn nf_def_var_filter_(
        ncid: *const c_int, varid: *const c_int, filterid: *const c_int,
        nparams: *const c_int, params: *const c_int,
    ) {
        let (varid, id) = (variable(varid)?, value(filterid)? as u32);
        let parameters = list(params.cast::<u32>(), size(nparams)?)?;
        table::with(value(ncid)?, |file, group| {
            file.def_var_filter(group, varid, id, parameters)
        })
    }

    /// `NF_INQ_VAR_FILTER`: the first filter; number 0 if there is none.
    fn nf_inq_var_filter_(
        ncid: *const c_int, varid: *const c_int, filterid: *mut c_int, nparams: *mut c_int,
        params: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let filters =
            table::with(value(ncid)?, |file, group| file.inq_var_filters(group, varid))?;
        let first = filters.first();
        let parameters = first.map_or(&[][..], |filter| &filter.cd_values);
        store(filterid, first.map_or(0, |filter| filter.id));
        store(nparams, integer(parameters.len() as u64));
        store_all(params.cast::<u32>(), parameters);
        Ok(())
    }

    /// `NF_SET_CHUNK_CACHE`: bytes, slots, percent.
    fn nf_set_chunk_cache_(
        bytes: *const c_int, nelems: *const c_int, preemption: *const c_int,
    ) {
        let (bytes, slots, percent) = (value(bytes)?, value(nelems)?, value(preemption)?);
        check_cache(bytes, slots, percent)?;
        set_chunk_cache(cache(bytes, slots, percent, 1))
    }

    /// `NF_GET_CHUNK_CACHE`: bytes, slots, percent.
    fn nf_get_chunk_cache_(bytes: *mut c_int, nelems: *mut c_int, preemption: *mut c_int) {
        store_cache(chunk_cache(), 1, [bytes, nelems, preemption]);
        Ok(())
    }

    /// `NF_SET_VAR_CHUNK_CACHE`: mebibytes, slots, percent; negative ones mean HDF5's own.
    fn nf_set_var_chunk_cache_(
        ncid: *const c_int, varid: *const c_int, megabytes: *const c_int,
        nelems: *const c_int, preemption: *const c_int,
    ) {
        let varid = variable(varid)?;
        let (megabytes, slots, percent) = (value(megabytes)?, value(nelems)?, value(preemption)?);
        let cache = cache(megabytes, slots, percent, MEGABYTE);
        table::with(value(ncid)?, |file, group| file.set_var_chunk_cache(group, varid, cache))
    }

    /// `NF_GET_VAR_CHUNK_CACHE`: mebibytes, slots, percent.
    fn nf_get_var_chunk_cache_(
        ncid: *const c_int, varid: *const c_int, megabytes: *mut c_int, nelems: *mut c_int,
        preemption: *mut c_int,
    ) {
        let varid = variable(varid)?;
        let cache =
            table::with(value(ncid)?, |file, group| file.get_var_chunk_cache(group, varid))?;
        store_cache(cache, MEGABYTE, [megabytes, nelems, preemption]);
        Ok(())
    }
}

/// What `NF_SET_CHUNK_CACHE` refuses.
fn check_cache(bytes: c_int, slots: c_int, percent: c_int) -> Outcome<()> {
    match bytes > 0 && slots > 0 && (0..=100).contains(&percent) {
        true => Ok(()),
        false => Err(Status::EINVAL),
    }
}
