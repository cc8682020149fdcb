//! Values of variables: `put` and `get` of one element, of slabs with strides and maps, of all.

use std::ffi::{c_char, c_int, c_void};

use frazil::netcdf::{Dataset, GroupNumber, MemoryType, Outcome};
use frazil::{Counting, set_counting};

use crate::nc::pointers::list;
use crate::nc::slab::Variable;
use crate::nc::table;
use crate::nf::order::{Place, coordinates, variable};
use crate::nf::value;

/// Messages count as Fortran does as long as it lives.
struct FromOne(Counting);

impl FromOne {
    fn new() -> Self {
        Self(set_counting(Counting::FromOne))
    }
}

impl Drop for FromOne {
    fn drop(&mut self) {
        set_counting(self.0);
    }
}

/// Writes values; `memory` is their type, `None`: the variable's own.
///
/// # Safety
/// References are as [`Place::read`] has them; `data` is NULL or holds what the slab covers.
unsafe fn put(
    (ncid, varid): (*const c_int, *const c_int),
    place: Place,
    memory: Option<MemoryType>,
    data: *const c_void,
) -> Outcome<()> {
    let _counting = FromOne::new();
    // SAFETY: as this function's.
    let (ncid, varid) = unsafe { (value(ncid)?, variable(varid)?) };
    table::with(ncid, |file, group| {
        if let (Some(start), Some(memory)) = (place.element(), memory) {
            // SAFETY: as this function's.
            if unsafe { put_element((file, group, varid), start, memory, data) }? {
                return Ok(());
            }
        }
        let mut variable = Variable { file, group, varid };
        let memory = memory.map_or_else(|| variable.memory(), Ok)?;
        // SAFETY: as this function's.
        unsafe {
            let slab = place.read(variable.rank()?)?;
            variable.put(&slab, memory, data)
        }
    })
}

/// More axes than variables have that are written value by value.
const FEW_AXES: usize = 8;

/// Writes one value of the variable's own type the short way; `false`: there is none, and nothing
/// was done.
///
/// # Safety
/// `start` is NULL or holds as many numbers as the variable has axes; `data` is NULL or holds one
/// value.
#[inline]
unsafe fn put_element(
    (file, group, varid): (&mut Dataset, GroupNumber, c_int),
    start: *const c_int,
    memory: MemoryType,
    data: *const c_void,
) -> Outcome<bool> {
    let Some((variable, rank)) = file.plain_variable(group, varid, memory) else {
        return Ok(false);
    };
    if rank > FEW_AXES || start.is_null() || data.is_null() {
        return Ok(false);
    }
    let mut index = [0; FEW_AXES];
    // SAFETY: as this function's; not NULL.
    let bytes = unsafe {
        let coordinates = coordinates(start, rank)?;
        index
            .iter_mut()
            .zip(coordinates)
            .for_each(|(place, at)| *place = at);
        list(data.cast::<u8>(), memory.size_bytes())?
    };
    file.put_element(variable, &index[..rank], bytes)
}

/// Reads values; as [`put`].
///
/// # Safety
/// As [`put`]; `data` can be written.
unsafe fn get(
    (ncid, varid): (*const c_int, *const c_int),
    place: Place,
    memory: Option<MemoryType>,
    data: *mut c_void,
) -> Outcome<()> {
    let _counting = FromOne::new();
    // SAFETY: as this function's.
    let (ncid, varid) = unsafe { (value(ncid)?, variable(varid)?) };
    table::with(ncid, |file, group| {
        let mut variable = Variable { file, group, varid };
        let memory = memory.map_or_else(|| variable.memory(), Ok)?;
        // SAFETY: as this function's.
        unsafe {
            let slab = place.read(variable.rank()?)?;
            variable.get(&slab, memory, data)
        }
    })
}

/// One exported pair of functions for a way to address elements. Texts have their length behind
/// all other arguments; it says nothing about arrays of texts, so that nobody looks at it.
macro_rules! pair {
    ($slab:literal, $suffix:literal, $put:ident, $get:ident, $value:ty, $memory:expr,
     ($($argument:ident),*), ($($length:ident)?)) => {
        /// Writes values, as netCDF-Fortran's function of this name.
        ///
        /// # Safety
        /// References are good for what the interface reads there.
        #[unsafe(export_name = concat!("nf_put_", $slab, $suffix, "_"))]
        unsafe extern "C" fn $put(
            ncid: *const c_int, varid: *const c_int, $($argument: *const c_int,)*
            values: *const $value, $($length: usize)?
        ) -> c_int {
            let place = Place::default()$(.$argument($argument))*;
            // SAFETY: the caller vouches for its references; NULL is checked for.
            crate::nc::run(|| unsafe { put((ncid, varid), place, $memory, values.cast()) })
        }

        /// Reads values, as netCDF-Fortran's function of this name.
        ///
        /// # Safety
        /// References are good for what the interface reads or writes there.
        #[unsafe(export_name = concat!("nf_get_", $slab, $suffix, "_"))]
        unsafe extern "C" fn $get(
            ncid: *const c_int, varid: *const c_int, $($argument: *const c_int,)*
            values: *mut $value, $($length: usize)?
        ) -> c_int {
            let place = Place::default()$(.$argument($argument))*;
            // SAFETY: the caller vouches for its references; NULL is checked for.
            crate::nc::run(|| unsafe { get((ncid, varid), place, $memory, values.cast()) })
        }
    };
}

/// The exported functions for values of one type in memory.
macro_rules! family {
    ($module:ident, $suffix:literal, $value:ty, $memory:expr, $length:tt) => {
        mod $module {
            use super::*;

            pair!(
                "var",
                $suffix,
                put_var,
                get_var,
                $value,
                $memory,
                (),
                $length
            );
            pair!(
                "var1",
                $suffix,
                put_var1,
                get_var1,
                $value,
                $memory,
                (start),
                $length
            );
            pair!(
                "vara",
                $suffix,
                put_vara,
                get_vara,
                $value,
                $memory,
                (start, count),
                $length
            );
            pair!(
                "vars",
                $suffix,
                put_vars,
                get_vars,
                $value,
                $memory,
                (start, count, stride),
                $length
            );
            pair!(
                "varm",
                $suffix,
                put_varm,
                get_varm,
                $value,
                $memory,
                (start, count, stride, map),
                $length
            );
        }
    };
}

family!(untyped, "", c_void, None, ());
family!(text, "_text", c_char, Some(MemoryType::Text), (_length));
family!(int1, "_int1", i8, Some(MemoryType::SChar), ());
family!(int2, "_int2", i16, Some(MemoryType::Short), ());
family!(int, "_int", i32, Some(MemoryType::Int), ());
family!(int64, "_int64", i64, Some(MemoryType::Int64), ());
family!(real, "_real", f32, Some(MemoryType::Float), ());
family!(double, "_double", f64, Some(MemoryType::Double), ());
