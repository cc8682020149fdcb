//! Values of variables: `put` and `get` of one element, of slabs with strides and maps, of all.

use std::ffi::{c_char, c_int, c_long, c_void};

use frazil::netcdf::{Dataset, GroupNumber, MemoryType, Outcome, Status};
use smallvec::SmallVec;

use crate::nc::entries;
use crate::nc::pointers::list;
use crate::nc::slab::{Axes, Slab, Variable};
use crate::nc::{strings, table, types};

/// `NC_EMAPTYPE`: maps are for netCDF's own types.
const BAD_MAP_TYPE: Status = Status(-121);

/// C's pointers to a slab's numbers; NULL where none is given.
#[derive(Clone, Copy)]
struct Place {
    start: *const usize,
    count: *const usize,
    stride: *const isize,
    map: *const isize,
    /// Whether the origin must be given: all calls but those for a whole variable.
    needs_start: bool,
    /// Whether a missing `count` means one element instead of the whole shape.
    is_element: bool,
    /// Whether the call can have a map.
    is_mapped: bool,
}

impl Place {
    /// The whole variable, one value after the other.
    const WHOLE: Self = Self {
        start: std::ptr::null(),
        count: std::ptr::null(),
        stride: std::ptr::null(),
        map: std::ptr::null(),
        needs_start: false,
        is_element: false,
        is_mapped: false,
    };

    fn element(start: *const usize) -> Self {
        Self {
            start,
            needs_start: true,
            is_element: true,
            ..Self::WHOLE
        }
    }

    fn slab(start: *const usize, count: *const usize) -> Self {
        Self {
            start,
            count,
            needs_start: true,
            ..Self::WHOLE
        }
    }

    fn strided(self, stride: *const isize) -> Self {
        Self { stride, ..self }
    }

    fn mapped(self, map: *const isize) -> Self {
        Self {
            map,
            is_mapped: true,
            ..self
        }
    }

    /// The numbers behind the pointers.
    ///
    /// # Safety
    /// Each pointer is NULL or to as many numbers as the variable has axes.
    unsafe fn read(&self, variable: &mut Variable<'_>) -> Outcome<Slab> {
        let rank = variable.rank()?;
        if self.needs_start && self.start.is_null() && rank > 0 {
            return Err(Status::EINVALCOORDS);
        }
        // SAFETY: as this function's; NULL is not read.
        let (start, count, stride, map) = unsafe {
            (
                axes(self.start, rank, |&n| n as u64)?,
                axes(self.count, rank, |&n| n as u64)?,
                axes(self.stride, rank, |&n| n as i64)?,
                axes(self.map, rank, |&n| n as i64)?,
            )
        };
        let count = match count {
            None if !self.is_element && start.is_some() => Some(variable.shape()?),
            count => count,
        };
        let map = map.or_else(|| {
            self.is_mapped
                .then(|| in_rows(count.as_ref(), stride.as_ref()))?
        });
        // A scalar's only element has no coordinates.
        let start = start.or_else(|| (rank == 0 && self.is_element).then(Axes::new));
        Ok(Slab {
            start,
            count,
            stride,
            map,
        })
    }
}

/// The map that a call without one means if it has steps: one element after the other.
fn in_rows(count: Option<&Axes<u64>>, stride: Option<&Axes<i64>>) -> Option<Axes<i64>> {
    let count = count.filter(|_| stride.is_some_and(|stride| stride.iter().any(|&n| n != 1)))?;
    let mut distance = 1_i64;
    let mut map: Axes<i64> = SmallVec::with_capacity(count.len());
    for &elements in count.iter().rev() {
        map.insert(0, distance);
        distance = distance.saturating_mul(i64::try_from(elements).unwrap_or(i64::MAX));
    }
    Some(map)
}

/// Numbers of axes; `None` for NULL.
///
/// # Safety
/// `values` is NULL or holds `rank` numbers.
unsafe fn axes<T, U>(
    values: *const T,
    rank: usize,
    convert: impl Fn(&T) -> U,
) -> Outcome<Option<Axes<U>>> {
    if values.is_null() {
        return Ok(None);
    }
    // SAFETY: as this function's.
    let values = unsafe { list(values, rank) }?;
    Ok(Some(values.iter().map(convert).collect()))
}

/// Writes values; `memory` is their type, `None`: the variable's own.
///
/// # Safety
/// `place` as in [`Place::read`]; `data` is NULL or holds what the slab covers.
unsafe fn put(
    ncid: c_int,
    varid: c_int,
    place: Place,
    memory: Option<MemoryType>,
    data: *const c_void,
) -> Outcome<()> {
    table::with(ncid, |file, group| {
        if let (Some(memory), true) = (memory, place.map.is_null() && place.stride.is_null()) {
            let (count, is_element) = (place.count, place.is_element || !place.count.is_null());
            let index = Index {
                rank: None,
                first: place.start,
                count,
            };
            // SAFETY: as this function's.
            if is_element && unsafe { put_element((file, group, varid), &index, memory, data) }? {
                return Ok(());
            }
        }
        let mut variable = Variable { file, group, varid };
        let memory = match in_memory(&mut variable, memory, &place)? {
            InMemory::Atomic(memory) => memory,
            InMemory::Defined(nc_type) => {
                // SAFETY: as this function's.
                return unsafe {
                    let slab = place.read(&mut variable)?;
                    variable.put_user(&slab, nc_type, data)
                };
            }
        };
        // SAFETY: as this function's.
        unsafe {
            let slab = match place.read(&mut variable) {
                // What else is wrong comes first: the file may not be written at all.
                Err(Status::ENOTVAR) => return variable.refuse_put(memory),
                slab => slab?,
            };
            variable.put(&slab, memory, data)
        }
    })
}

/// What values are in memory.
enum InMemory {
    /// Those of a type of netCDF's own.
    Atomic(MemoryType),
    /// Those of a type that a program has defined.
    Defined(c_int),
}

/// What the values of a call are; `memory` as in [`put`].
fn in_memory(
    variable: &mut Variable<'_>,
    memory: Option<MemoryType>,
    place: &Place,
) -> Outcome<InMemory> {
    if let Some(memory) = memory {
        return Ok(InMemory::Atomic(memory));
    }
    let nc_type = variable.nc_type()?;
    match types::is_atomic(nc_type) {
        true => Ok(InMemory::Atomic(types::memory(nc_type)?)),
        false if place.is_mapped => Err(BAD_MAP_TYPE),
        false => Ok(InMemory::Defined(nc_type)),
    }
}

/// More axes than variables have that are written value by value.
const FEW_AXES: usize = 8;

/// C's pointers to the place of what may be one element.
struct Index {
    /// How many numbers are there, if the caller knows it.
    rank: Option<usize>,
    first: *const usize,
    /// NULL: it is one.
    count: *const usize,
}

/// Writes one value of the variable's own type the short way; `false`: there is none, or there are
/// more values, and nothing was done.
///
/// # Safety
/// The pointers in `index` are NULL or to as many numbers as the variable has axes, or else as it
/// says; `data` is NULL or holds what is put.
#[inline]
unsafe fn put_element(
    (file, group, varid): (&mut Dataset, GroupNumber, c_int),
    index: &Index,
    memory: MemoryType,
    data: *const c_void,
) -> Outcome<bool> {
    let Some((variable, axes)) = file.plain_variable(group, varid, memory) else {
        return Ok(false);
    };
    let is_other = index.rank.is_some_and(|rank| rank != axes);
    if is_other || axes > FEW_AXES || index.first.is_null() || data.is_null() {
        return Ok(false);
    }
    let count = match index.count.is_null() {
        true => &[],
        // SAFETY: as this function's; not NULL.
        false => unsafe { list(index.count, axes) }?,
    };
    if count.iter().any(|&elements| elements != 1) {
        return Ok(false);
    }
    let mut start = [0; FEW_AXES];
    // SAFETY: as this function's; not NULL.
    let (first, bytes) = unsafe {
        (
            list(index.first, axes)?,
            list(data.cast::<u8>(), memory.size_bytes())?,
        )
    };
    for (start, &index) in start.iter_mut().zip(first) {
        *start = index as u64;
    }
    file.put_element(variable, &start[..axes], bytes)
}

/// Reads values; as [`put`].
///
/// # Safety
/// As [`put`]; `data` can be written.
unsafe fn get(
    ncid: c_int,
    varid: c_int,
    place: Place,
    memory: Option<MemoryType>,
    data: *mut c_void,
) -> Outcome<()> {
    table::with(ncid, |file, group| {
        let mut variable = Variable { file, group, varid };
        let memory = match in_memory(&mut variable, memory, &place)? {
            InMemory::Atomic(memory) => memory,
            InMemory::Defined(nc_type) => {
                // SAFETY: as this function's.
                return unsafe {
                    let slab = place.read(&mut variable)?;
                    variable.get_user(&slab, nc_type, data)
                };
            }
        };
        // SAFETY: as this function's.
        unsafe {
            let slab = place.read(&mut variable)?;
            variable.get(&slab, memory, data)
        }
    })
}

/// One exported pair of functions for a way to address elements.
macro_rules! pair {
    ($slab:literal, $suffix:literal, $put:ident, $get:ident, $in:ty, $out:ty, $memory:expr,
     ($($argument:ident: $type:ty),*), $place:expr) => {
        /// Writes values, as netCDF-C's function of this name.
        ///
        /// # Safety
        /// Every pointer is NULL or good for what the interface reads there.
        #[unsafe(export_name = concat!("frz_nc_put_", $slab, $suffix))]
        unsafe extern "C" fn $put(
            ncid: c_int, varid: c_int, $($argument: $type,)* op: $in,
        ) -> c_int {
            // SAFETY: the caller vouches for its pointers; NULL is checked for.
            crate::nc::run(|| unsafe { put(ncid, varid, $place, $memory, op.cast()) })
        }

        /// Reads values, as netCDF-C's function of this name.
        ///
        /// # Safety
        /// Every pointer is NULL or good for what the interface reads or writes there.
        #[unsafe(export_name = concat!("frz_nc_get_", $slab, $suffix))]
        unsafe extern "C" fn $get(
            ncid: c_int, varid: c_int, $($argument: $type,)* ip: $out,
        ) -> c_int {
            // SAFETY: the caller vouches for its pointers; NULL is checked for.
            crate::nc::run(|| unsafe { get(ncid, varid, $place, $memory, ip.cast()) })
        }
    };
}

/// The exported functions for values of one type in memory.
macro_rules! family {
    ($module:ident, $suffix:literal, $in:ty, $out:ty, $memory:expr) => {
        mod $module {
            use super::*;

            pair!("var", $suffix, put_var, get_var, $in, $out, $memory, (), Place::WHOLE);
            pair!("var1", $suffix, put_var1, get_var1, $in, $out, $memory,
                (index: *const usize), Place::element(index));
            pair!("vara", $suffix, put_vara, get_vara, $in, $out, $memory,
                (start: *const usize, count: *const usize), Place::slab(start, count));
            pair!("vars", $suffix, put_vars, get_vars, $in, $out, $memory,
                (start: *const usize, count: *const usize, stride: *const isize),
                Place::slab(start, count).strided(stride));
            pair!("varm", $suffix, put_varm, get_varm, $in, $out, $memory,
                (start: *const usize, count: *const usize, stride: *const isize,
                 imap: *const isize),
                Place::slab(start, count).strided(stride).mapped(imap));
        }
    };
}

/// `long` has the size of `int` or of `long long`.
const LONG: MemoryType = match size_of::<c_long>() {
    4 => MemoryType::Int,
    _ => MemoryType::Int64,
};

family!(untyped, "", *const c_void, *mut c_void, None);
family!(
    text,
    "_text",
    *const c_char,
    *mut c_char,
    Some(MemoryType::Text)
);
family!(schar, "_schar", *const i8, *mut i8, Some(MemoryType::SChar));
family!(uchar, "_uchar", *const u8, *mut u8, Some(MemoryType::UChar));
family!(ubyte, "_ubyte", *const u8, *mut u8, Some(MemoryType::UChar));
family!(
    short,
    "_short",
    *const i16,
    *mut i16,
    Some(MemoryType::Short)
);
family!(
    ushort,
    "_ushort",
    *const u16,
    *mut u16,
    Some(MemoryType::UShort)
);
family!(int, "_int", *const i32, *mut i32, Some(MemoryType::Int));
family!(uint, "_uint", *const u32, *mut u32, Some(MemoryType::UInt));
family!(long, "_long", *const c_long, *mut c_long, Some(LONG));
family!(
    longlong,
    "_longlong",
    *const i64,
    *mut i64,
    Some(MemoryType::Int64)
);
family!(
    ulonglong,
    "_ulonglong",
    *const u64,
    *mut u64,
    Some(MemoryType::UInt64)
);
family!(
    float,
    "_float",
    *const f32,
    *mut f32,
    Some(MemoryType::Float)
);
family!(
    double,
    "_double",
    *const f64,
    *mut f64,
    Some(MemoryType::Double)
);
family!(
    string,
    "_string",
    *mut *const c_char,
    *mut *mut c_char,
    Some(MemoryType::String)
);

/// The memory type of a number; `NC_NAT` (0) is the variable's own.
fn memory_of(memtype: c_int) -> Outcome<Option<MemoryType>> {
    match memtype {
        0 => Ok(None),
        number => types::memory(number).map(Some),
    }
}

/// Ours: the origin, the shape and the stride may all be missing.
fn loose(
    start: *const usize,
    count: *const usize,
    stride: *const isize,
    imap: *const isize,
) -> Place {
    let place = Place::slab(start, count).strided(stride);
    Place {
        needs_start: false,
        // Without a map it is a call with steps, whose checks are others.
        ..if imap.is_null() {
            place
        } else {
            place.mapped(imap)
        }
    }
}

entries! {
    /// Writes a slab from an array that lies in memory as `imap` says, in elements; NULL: row-major.
    fn frz_nc_put_array(
        ncid: c_int, varid: c_int, start: *const usize, count: *const usize,
        stride: *const isize, imap: *const isize, data: *const c_void, memtype: c_int,
    ) {
        put(ncid, varid, loose(start, count, stride, imap), memory_of(memtype)?, data)
    }

    /// Writes one value at `index`, which has `rank` numbers, if there is a short way: `*done`
    /// becomes 1. Else it becomes 0, and nothing is done.
    fn frz_nc_put_element(
        ncid: c_int, varid: c_int, rank: usize, index: *const usize, data: *const c_void,
        memtype: c_int, done: *mut c_int,
    ) {
        let Some(memory) = memory_of(memtype)? else {
            return Ok(());
        };
        let index = Index {
            rank: Some(rank),
            first: index,
            count: std::ptr::null(),
        };
        let is_done = table::with(ncid, |file, group| {
            put_element((file, group, varid), &index, memory, data)
        })?;
        if let Some(done) = done.as_mut() {
            *done = c_int::from(is_done);
        }
        Ok(())
    }

    /// Reads a slab into an array that lies in memory as `imap` says, in elements; NULL: row-major.
    fn frz_nc_get_array(
        ncid: c_int, varid: c_int, start: *const usize, count: *const usize,
        stride: *const isize, imap: *const isize, data: *mut c_void, memtype: c_int,
    ) {
        get(ncid, varid, loose(start, count, stride, imap), memory_of(memtype)?, data)
    }

    /// `nc_free_string`
    fn frz_nc_free_string(nelems: usize, data: *mut *mut c_char) {
        for &text in list(data, nelems)? {
            strings::free(text);
        }
        Ok(())
    }
}
