//! Between Fortran's numbers and C's: Fortran counts from 1 and names the fastest axis first.
//!
//! Nothing else in this face adds or takes off 1, or turns a list around.

use std::ffi::c_int;

use frazil::netcdf::{Outcome, Status};

use crate::nc::pointers::{list, store, store_all};
use crate::nc::slab::{Axes, Slab};
use crate::nf::value;

/// A variable's number; `NF_GLOBAL` (0) becomes `NC_GLOBAL` (-1).
///
/// # Safety
/// `varid` is NULL or can be read.
pub(super) unsafe fn variable(varid: *const c_int) -> Outcome<c_int> {
    // SAFETY: as this function's.
    unsafe { position(varid) }
}

/// The number of a variable, dimension or attribute, counted from 0.
///
/// # Safety
/// `number` is NULL or can be read.
pub(super) unsafe fn position(number: *const c_int) -> Outcome<c_int> {
    // SAFETY: as this function's.
    let number = unsafe { value(number) }?;
    Ok(number.wrapping_sub(1))
}

/// Hands back the number of a variable, dimension or attribute; -1 (none) stays.
///
/// # Safety
/// `place` is NULL or can be written.
pub(super) unsafe fn store_position(place: *mut c_int, number: c_int) {
    // SAFETY: as this function's.
    unsafe { store(place, if number < 0 { -1 } else { number + 1 }) };
}

/// Hands back numbers of variables or dimensions in the order in which they come.
///
/// # Safety
/// `place` is NULL or has room for all of them.
pub(super) unsafe fn store_positions(place: *mut c_int, numbers: &[c_int]) {
    let numbers: Axes<c_int> = numbers.iter().map(|number| number + 1).collect();
    // SAFETY: as this function's.
    unsafe { store_all(place, &numbers) };
}

/// The dimensions of a variable, slowest first.
///
/// # Safety
/// `dimids` is NULL or holds `rank` numbers.
pub(super) unsafe fn dimensions(dimids: *const c_int, rank: usize) -> Outcome<Axes<c_int>> {
    // SAFETY: as this function's.
    let dimids = unsafe { list(dimids, rank) }?.iter().rev();
    Ok(dimids.map(|dimid| dimid.wrapping_sub(1)).collect())
}

/// Hands back the dimensions of a variable.
///
/// # Safety
/// `place` is NULL or has room for all of them.
pub(super) unsafe fn store_dimensions(place: *mut c_int, dimids: &[c_int]) {
    let reversed: Axes<c_int> = dimids.iter().rev().copied().collect();
    // SAFETY: as this function's.
    unsafe { store_positions(place, &reversed) };
}

/// Hands back one number for each axis.
///
/// # Safety
/// `place` is NULL or has room for all of them.
pub(super) unsafe fn store_axes(place: *mut c_int, numbers: impl Iterator<Item = c_int>) {
    let mut numbers: Axes<c_int> = numbers.collect();
    numbers.reverse();
    // SAFETY: as this function's.
    unsafe { store_all(place, &numbers) };
}

/// The coordinates of an element. One before the first becomes one that no axis has.
///
/// # Safety
/// `start` is NULL or holds `rank` numbers; it outlives the result.
#[inline]
pub(super) unsafe fn coordinates<'a>(
    start: *const c_int,
    rank: usize,
) -> Outcome<impl Iterator<Item = u64> + 'a> {
    // SAFETY: as this function's.
    let start = unsafe { list(start, rank) }.map_err(|_| Status::EINVALCOORDS)?;
    let start = start.iter().rev();
    Ok(start.map(|&start| (i64::from(start) - 1).cast_unsigned()))
}

/// One size for each axis. A negative one becomes one that no axis has.
///
/// # Safety
/// `sizes` is NULL or holds `rank` numbers.
pub(super) unsafe fn sizes(sizes: *const c_int, rank: usize) -> Outcome<Axes<u64>> {
    // SAFETY: as this function's.
    let sizes = unsafe { list(sizes, rank) }?.iter().rev();
    Ok(sizes.map(|&size| i64::from(size).cast_unsigned()).collect())
}

/// One distance for each axis.
///
/// # Safety
/// `steps` is NULL or holds `rank` numbers.
unsafe fn steps(steps: *const c_int, rank: usize) -> Outcome<Axes<i64>> {
    // SAFETY: as this function's.
    let steps = unsafe { list(steps, rank) }?.iter().rev();
    Ok(steps.map(|&step| i64::from(step)).collect())
}

/// Fortran's references to a slab's numbers; `None` where the call has no such argument.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    start: Option<*const c_int>,
    count: Option<*const c_int>,
    stride: Option<*const c_int>,
    map: Option<*const c_int>,
}

impl Place {
    /// With the first element.
    pub(super) fn start(mut self, start: *const c_int) -> Self {
        self.start = Some(start);
        self
    }

    /// With the number of elements along each axis.
    pub(super) fn count(mut self, count: *const c_int) -> Self {
        self.count = Some(count);
        self
    }

    /// With every how many-th element along each axis.
    pub(super) fn stride(mut self, stride: *const c_int) -> Self {
        self.stride = Some(stride);
        self
    }

    /// With the distance of neighbours in memory along each axis.
    pub(super) fn map(mut self, map: *const c_int) -> Self {
        self.map = Some(map);
        self
    }

    /// Where the only element is that the call is about; `None`: it is about slabs.
    pub(super) fn element(&self) -> Option<*const c_int> {
        self.start.filter(|_| self.count.is_none())
    }

    /// The numbers behind the references.
    ///
    /// # Safety
    /// Each is NULL or to `rank` numbers.
    pub(super) unsafe fn read(&self, rank: usize) -> Outcome<Slab> {
        let first = |start: *const c_int| -> Outcome<Axes<u64>> {
            // SAFETY: as this function's.
            Ok(unsafe { coordinates(start, rank) }?.collect())
        };
        Ok(Slab {
            start: self.start.map(first).transpose()?,
            // SAFETY: as this function's.
            count: (self.count.map(|count| unsafe { sizes(count, rank) })).transpose()?,
            // SAFETY: as this function's.
            stride: (self.stride.map(|stride| unsafe { steps(stride, rank) })).transpose()?,
            // SAFETY: as this function's.
            map: (self.map.map(|map| unsafe { steps(map, rank) })).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_turned_around_and_counted_from_zero() {
        let (start, count, step) = ([1, 5, 9], [10, 20, 30], [1, 2, -3]);
        let place = Place::default()
            .start(start.as_ptr())
            .count(count.as_ptr())
            .stride(step.as_ptr());
        // SAFETY: three numbers each.
        let slab = unsafe { place.read(3) }.unwrap();
        assert_eq!(slab.start.unwrap().as_slice(), [8, 4, 0]);
        assert_eq!(slab.count.unwrap().as_slice(), [30, 20, 10]);
        assert_eq!(slab.stride.unwrap().as_slice(), [-3, 2, 1]);
        assert!(slab.map.is_none());
    }

    #[test]
    fn a_start_of_zero_is_outside_of_every_variable() {
        let zero = [0];
        let place = Place::default().start(zero.as_ptr());
        // SAFETY: one number.
        let slab = unsafe { place.read(1) }.unwrap();
        assert_eq!(slab.start.unwrap().as_slice(), [u64::MAX]);
    }

    #[test]
    fn global_and_none_are_minus_one_on_one_side_only() {
        let mut back = 7;
        // SAFETY: references to numbers of this function.
        unsafe {
            assert_eq!(variable(&0).unwrap(), frazil::netcdf::GLOBAL);
            assert_eq!(variable(&3).unwrap(), 2);
            store_position(&mut back, -1);
            assert_eq!(back, -1);
            store_position(&mut back, 0);
            assert_eq!(back, 1);
        }
    }
}
