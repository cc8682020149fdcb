//! How variables are stored: fill values, chunks, filters, rounding, byte order, caches.

use std::ffi::{c_char, c_int, c_uint, c_void};

use frazil::FilterSpec;
use frazil::filter_id::{BLOSC, BZIP2};
use frazil::netcdf::{AttributeValues, ChunkCache, Dataset, GroupNumber, Outcome, STRING, Status};

use frazil::schema::Text;

use crate::global::Global;
use crate::nc::pointers::{list, store, store_all};
use crate::nc::slab::{Axes, Variable};
use crate::nc::strings::{allocated, owned};
use crate::nc::user_values::{collect, deliver};
use crate::nc::{entries, table, types};

/// What netCDF-C begins with: 64 MiB, 1000 slots.
static CHUNK_CACHE: Global<ChunkCache> = Global::new(ChunkCache {
    size_bytes: 64 << 20,
    slots: 1000,
    preemption: 0.75,
});

/// The cache that HDF5 gives a dataset of itself.
pub(crate) const HDF5_CHUNK_CACHE: ChunkCache = ChunkCache {
    size_bytes: 1 << 20,
    slots: 521,
    preemption: 0.75,
};

/// `nc_get_chunk_cache`: what was set, kept for the caller's sake.
pub(crate) fn chunk_cache() -> ChunkCache {
    CHUNK_CACHE.with(|cache| *cache)
}

/// `nc_set_chunk_cache`. The interface keeps it for the process; frazil's memory is set elsewhere.
pub(crate) fn set_chunk_cache(cache: ChunkCache) -> Outcome<()> {
    if !(0.0..=1.0).contains(&cache.preemption) {
        return Err(Status::EINVAL);
    }
    CHUNK_CACHE.with(|kept| *kept = cache);
    Ok(())
}

/// The filter of this number, if the variable has it.
fn filter(ncid: c_int, varid: c_int, id: i32) -> Outcome<Option<FilterSpec>> {
    let filters = table::with(ncid, |file, group| file.inq_var_filters(group, varid))?;
    Ok(filters.into_iter().find(|filter| filter.id == id))
}

/// `nc_def_var_fill`
///
/// # Safety
/// `value` is NULL or points to one value of the variable's type.
pub(crate) unsafe fn define_fill(
    file: &mut Dataset,
    group: GroupNumber,
    varid: c_int,
    no_fill: bool,
    value: *const c_void,
) -> Outcome<()> {
    if value.is_null() || no_fill {
        return file.def_var_fill(group, varid, no_fill, None);
    }
    let nc_type = match file.inq_vartype(group, varid) {
        Ok(nc_type) => nc_type,
        // What else is wrong comes first: the file may not be written at all.
        Err(status) => {
            return file
                .def_var_fill(group, varid, no_fill, None)
                .and(Err(status));
        }
    };
    if nc_type == STRING {
        // SAFETY: as this function's.
        let texts = unsafe { owned(value.cast(), 1) }?;
        return file.def_var_fill_text(group, varid, texts.first().unwrap_or(&Text::default()));
    }
    if !types::is_atomic(nc_type) {
        // SAFETY: as this function's.
        let element = unsafe { collect(file.user_types(), nc_type, value, 1) }?;
        return file.def_var_fill_user(group, varid, element);
    }
    let size = types::describe(nc_type)?.1;
    // SAFETY: as this function's.
    let bytes = unsafe { list(value.cast::<u8>(), size) }?;
    file.def_var_fill(group, varid, no_fill, Some(bytes))
}

/// Hands a fill value back.
///
/// # Safety
/// `place` is NULL or has room for one value of the type.
pub(crate) unsafe fn store_fill(place: *mut c_void, value: &AttributeValues) -> Outcome<()> {
    if place.is_null() {
        return Ok(());
    }
    match value {
        // SAFETY: as this function's.
        AttributeValues::Atomic(value) => unsafe {
            store_all(place.cast(), &value.to_native_bytes());
        },
        AttributeValues::Strings(values) => {
            let text = allocated(values.first().map_or(&[][..], |text| text))?;
            // SAFETY: as this function's.
            unsafe { place.cast::<*mut c_char>().write(text) };
        }
        // SAFETY: as this function's.
        AttributeValues::User(values) => unsafe { deliver(values, place) }?,
    }
    Ok(())
}

/// `nc_def_var_chunking`: `chunk` reads the chunk shape, given the rank.
pub(crate) fn define_chunking(
    ncid: c_int,
    varid: c_int,
    storage: c_int,
    chunk: impl FnOnce(usize) -> Outcome<Option<Axes<u64>>>,
) -> Outcome<()> {
    table::with(ncid, |file, group| {
        let rank = Variable { file, group, varid }.rank()?;
        let chunk = chunk(rank)?;
        file.def_var_chunking(group, varid, storage, chunk.as_deref())
    })
}

entries! {
    /// `nc_def_var_fill`
    fn frz_nc_def_var_fill(
        ncid: c_int, varid: c_int, no_fill: c_int, fill_value: *const c_void,
    ) {
        table::with_any_group(ncid, |file, group| {
            define_fill(file, group, varid, no_fill != 0, fill_value)
        })
    }

    /// `nc_inq_var_fill`
    fn frz_nc_inq_var_fill(
        ncid: c_int, varid: c_int, no_fill: *mut c_int, fill_valuep: *mut c_void,
    ) {
        let fill = table::with(ncid, |file, group| file.inq_var_fill(group, varid))?;
        store(no_fill, fill.no_fill);
        // netCDF-C leaves the caller's value alone where there is none.
        if fill.no_fill != 0 { Ok(()) } else { store_fill(fill_valuep, &fill.value) }
    }

    /// `nc_def_var_chunking`
    fn frz_nc_def_var_chunking(
        ncid: c_int, varid: c_int, storage: c_int, chunksizesp: *const usize,
    ) {
        define_chunking(ncid, varid, storage, |rank| {
            if chunksizesp.is_null() {
                return Ok(None);
            }
            let sizes = list(chunksizesp, rank)?;
            Ok(Some(sizes.iter().map(|&size| size as u64).collect()))
        })
    }

    /// `nc_inq_var_chunking`
    fn frz_nc_inq_var_chunking(
        ncid: c_int, varid: c_int, storagep: *mut c_int, chunksizesp: *mut usize,
    ) {
        let (storage, chunk) =
            table::with(ncid, |file, group| file.inq_var_chunking(group, varid))?;
        let sizes: Axes<usize> = chunk.iter().map(|&size| size as usize).collect();
        store(storagep, storage as c_int);
        store_all(chunksizesp, &sizes);
        Ok(())
    }

    /// `nc_def_var_deflate`
    fn frz_nc_def_var_deflate(
        ncid: c_int, varid: c_int, shuffle: c_int, deflate: c_int, deflate_level: c_int,
    ) {
        table::with(ncid, |file, group| {
            file.def_var_deflate(group, varid, shuffle != 0, deflate != 0, deflate_level)
        })
    }

    /// `nc_inq_var_deflate`
    fn frz_nc_inq_var_deflate(
        ncid: c_int, varid: c_int, shufflep: *mut c_int, deflatep: *mut c_int,
        deflate_levelp: *mut c_int,
    ) {
        let found = table::with(ncid, |file, group| file.inq_var_deflate(group, varid))?;
        store(shufflep, c_int::from(found.shuffle));
        store(deflatep, c_int::from(found.deflate));
        store(deflate_levelp, found.level);
        Ok(())
    }

    /// `nc_def_var_fletcher32`
    fn frz_nc_def_var_fletcher32(ncid: c_int, varid: c_int, fletcher32: c_int) {
        table::with(ncid, |file, group| file.def_var_fletcher32(group, varid, fletcher32 != 0))
    }

    /// `nc_inq_var_fletcher32`
    fn frz_nc_inq_var_fletcher32(ncid: c_int, varid: c_int, fletcher32p: *mut c_int) {
        let found = table::with(ncid, |file, group| file.inq_var_fletcher32(group, varid))?;
        store(fletcher32p, c_int::from(found));
        Ok(())
    }

    /// `nc_def_var_endian`
    fn frz_nc_def_var_endian(ncid: c_int, varid: c_int, endian: c_int) {
        table::with(ncid, |file, group| file.def_var_endian(group, varid, endian))
    }

    /// `nc_inq_var_endian`
    fn frz_nc_inq_var_endian(ncid: c_int, varid: c_int, endianp: *mut c_int) {
        store(endianp, table::with(ncid, |file, group| file.inq_var_endian(group, varid))?);
        Ok(())
    }

    /// `nc_def_var_quantize`
    fn frz_nc_def_var_quantize(ncid: c_int, varid: c_int, quantize_mode: c_int, nsd: c_int) {
        table::with_any_group(ncid, |file, group| {
            file.def_var_quantize(group, varid, quantize_mode, nsd)
        })
    }

    /// `nc_inq_var_quantize`
    fn frz_nc_inq_var_quantize(
        ncid: c_int, varid: c_int, quantize_modep: *mut c_int, nsdp: *mut c_int,
    ) {
        let (mode, digits) =
            table::with_any_group(ncid, |file, group| file.inq_var_quantize(group, varid))?;
        store(quantize_modep, mode);
        store(nsdp, digits);
        Ok(())
    }

    /// `nc_def_var_szip`
    fn frz_nc_def_var_szip(
        ncid: c_int, varid: c_int, options_mask: c_int, pixels_per_block: c_int,
    ) {
        table::with(ncid, |file, group| {
            file.def_var_szip(group, varid, options_mask, pixels_per_block)
        })
    }

    /// `nc_inq_var_szip`
    fn frz_nc_inq_var_szip(
        ncid: c_int, varid: c_int, options_maskp: *mut c_int, pixels_per_blockp: *mut c_int,
    ) {
        let (mask, pixels) = table::with(ncid, |file, group| file.inq_var_szip(group, varid))?;
        store(options_maskp, mask);
        store(pixels_per_blockp, pixels);
        Ok(())
    }

    /// `nc_def_var_zstandard`
    fn frz_nc_def_var_zstandard(ncid: c_int, varid: c_int, level: c_int) {
        table::with(ncid, |file, group| file.def_var_zstandard(group, varid, level))
    }

    /// `nc_inq_var_zstandard`
    fn frz_nc_inq_var_zstandard(
        ncid: c_int, varid: c_int, hasfilterp: *mut c_int, levelp: *mut c_int,
    ) {
        let level = table::with(ncid, |file, group| file.inq_var_zstandard(group, varid))?;
        store(hasfilterp, c_int::from(level.is_some()));
        if let Some(level) = level {
            store(levelp, level);
        }
        Ok(())
    }

    /// `nc_def_var_bzip2`
    fn frz_nc_def_var_bzip2(ncid: c_int, varid: c_int, level: c_int) {
        let level = u32::try_from(level).ok().filter(|level| (1..=9).contains(level));
        let level = level.ok_or(Status::EINVAL)?;
        table::with(ncid, |file, group| {
            file.def_var_filter(group, varid, BZIP2 as u32, &[level])
        })
    }

    /// `nc_inq_var_bzip2`
    fn frz_nc_inq_var_bzip2(
        ncid: c_int, varid: c_int, hasfilterp: *mut c_int, levelp: *mut c_int,
    ) {
        let found = filter(ncid, varid, BZIP2)?;
        store(hasfilterp, c_int::from(found.is_some()));
        if let Some(filter) = found {
            store(levelp, *filter.cd_values.first().ok_or(Status::EFILTER)? as c_int);
        }
        Ok(())
    }

    /// `nc_def_var_blosc`
    fn frz_nc_def_var_blosc(
        ncid: c_int, varid: c_int, subcompressor: c_uint, level: c_uint, blocksize: c_uint,
        addshuffle: c_uint,
    ) {
        if addshuffle > 2 || subcompressor > 5 {
            return Err(Status::EINVAL);
        }
        let parameters = [0, 0, 0, blocksize, level, addshuffle, subcompressor];
        table::with(ncid, |file, group| {
            file.def_var_filter(group, varid, BLOSC as u32, &parameters)
        })
    }

    /// `nc_inq_var_blosc`
    fn frz_nc_inq_var_blosc(
        ncid: c_int, varid: c_int, hasfilterp: *mut c_int, subcompressorp: *mut c_uint,
        levelp: *mut c_uint, blocksizep: *mut c_uint, addshufflep: *mut c_uint,
    ) {
        let found = filter(ncid, varid, BLOSC)?;
        store(hasfilterp, c_int::from(found.is_some()));
        if let Some(filter) = found {
            let &[_, _, _, blocksize, level, addshuffle, subcompressor] =
                filter.cd_values.as_slice()
            else {
                return Err(Status::EFILTER);
            };
            store(blocksizep, blocksize);
            store(levelp, level);
            store(addshufflep, addshuffle);
            store(subcompressorp, subcompressor);
        }
        Ok(())
    }

    /// `nc_def_var_filter`
    fn frz_nc_def_var_filter(
        ncid: c_int, varid: c_int, id: c_uint, nparams: usize, parms: *const c_uint,
    ) {
        let parameters = list(parms, nparams)?;
        table::with(ncid, |file, group| file.def_var_filter(group, varid, id, parameters))
    }

    /// `nc_inq_var_filter`: the first filter; number 0 if there is none.
    fn frz_nc_inq_var_filter(
        ncid: c_int, varid: c_int, idp: *mut c_uint, nparams: *mut usize, params: *mut c_uint,
    ) {
        let filters = table::with(ncid, |file, group| file.inq_var_filters(group, varid))?;
        let Some(first) = filters.first() else {
            store(idp, 0);
            return Ok(());
        };
        store(idp, first.id as c_uint);
        store(nparams, first.cd_values.len());
        store_all(params, &first.cd_values);
        Ok(())
    }

    /// `nc_inq_var_filter_ids`
    fn frz_nc_inq_var_filter_ids(
        ncid: c_int, varid: c_int, nfilters: *mut usize, filterids: *mut c_uint,
    ) {
        let filters = table::with(ncid, |file, group| file.inq_var_filters(group, varid))?;
        let ids: Vec<c_uint> = filters.iter().map(|filter| filter.id as c_uint).collect();
        store(nfilters, ids.len());
        store_all(filterids, &ids);
        Ok(())
    }

    /// `nc_inq_var_filter_info`
    fn frz_nc_inq_var_filter_info(
        ncid: c_int, varid: c_int, id: c_uint, nparams: *mut usize, params: *mut c_uint,
    ) {
        let found = filter(ncid, varid, id as i32)?.ok_or(Status::ENOFILTER)?;
        store(nparams, found.cd_values.len());
        store_all(params, &found.cd_values);
        Ok(())
    }

    /// `nc_inq_filter_avail`
    fn frz_nc_inq_filter_avail(ncid: c_int, id: c_uint) {
        table::with_any_group(ncid, |file, _| file.inq_filter_avail(id))
    }

    /// `nc_set_chunk_cache`
    fn frz_nc_set_chunk_cache(size: usize, nelems: usize, preemption: f32) {
        set_chunk_cache(ChunkCache { size_bytes: size as u64, slots: nelems as u64, preemption })
    }

    /// `nc_get_chunk_cache`
    fn frz_nc_get_chunk_cache(sizep: *mut usize, nelemsp: *mut usize, preemptionp: *mut f32) {
        let cache = chunk_cache();
        store(sizep, cache.size_bytes as usize);
        store(nelemsp, cache.slots as usize);
        store(preemptionp, cache.preemption);
        Ok(())
    }

    /// `nc_set_var_chunk_cache`
    fn frz_nc_set_var_chunk_cache(
        ncid: c_int, varid: c_int, size: usize, nelems: usize, preemption: f32,
    ) {
        let cache = ChunkCache { size_bytes: size as u64, slots: nelems as u64, preemption };
        table::with_any_group(ncid, |file, group| file.set_var_chunk_cache(group, varid, cache))
    }

    /// `nc_get_var_chunk_cache`
    fn frz_nc_get_var_chunk_cache(
        ncid: c_int, varid: c_int, sizep: *mut usize, nelemsp: *mut usize,
        preemptionp: *mut f32,
    ) {
        let cache = table::with(ncid, |file, group| file.get_var_chunk_cache(group, varid))?;
        store(sizep, cache.size_bytes as usize);
        store(nelemsp, cache.slots as usize);
        store(preemptionp, cache.preemption);
        Ok(())
    }
}
