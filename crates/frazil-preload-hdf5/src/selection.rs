//! Which elements a call writes, and where they lie in the program's memory.

use frazil_types::Selection;

use crate::library::{Functions, Hid};

/// `H5S_ALL`
pub(crate) const ALL: Hid = 0;
/// `H5S_SEL_HYPERSLABS` and `H5S_SEL_ALL`
const SELECTED_BOXES: [i32; 2] = [2, 3];
/// `H5S_MAX_RANK`
pub(crate) const MOST_AXES: usize = 32;

/// The lengths of a dataspace.
pub(crate) fn extent(hdf5: &Functions, space: Hid) -> Option<Vec<u64>> {
    // SAFETY: a dataspace.
    let axes = unsafe { (hdf5.H5Sget_simple_extent_ndims)(space) };
    let axes = usize::try_from(axes)
        .ok()
        .filter(|axes| *axes <= MOST_AXES)?;
    let mut lengths = vec![0; axes];
    // SAFETY: room for each axis.
    let found = unsafe {
        (hdf5.H5Sget_simple_extent_dims)(space, lengths.as_mut_ptr(), std::ptr::null_mut())
    };
    (found >= 0).then_some(lengths)
}

/// The box that is selected in a dataspace with so many axes; `None`: it is none, or not only one.
pub(crate) fn selected(hdf5: &Functions, space: Hid, axes: usize) -> Option<Selection> {
    let (mut start, mut last) = (vec![0_u64; axes], vec![0_u64; axes]);
    // SAFETY: a dataspace, with room for each of its axes.
    let (kind, found, points) = unsafe {
        let kind = (hdf5.H5Sget_select_type)(space);
        let points = (hdf5.H5Sget_select_npoints)(space);
        if points < 1 {
            return None;
        }
        let (first, last) = (start.as_mut_ptr(), last.as_mut_ptr());
        (
            kind,
            (hdf5.H5Sget_select_bounds)(space, first, last),
            points,
        )
    };
    if found < 0 || !SELECTED_BOXES.contains(&kind) {
        return None;
    }
    let counts = start.iter().zip(&last);
    let count = counts.map(|(start, last)| last.checked_sub(*start)?.checked_add(1));
    let selection = Selection {
        count: count.collect::<Option<_>>()?,
        start,
    };
    // Less than the whole box: it has holes.
    (selection.elements()? == u64::try_from(points).ok()?).then_some(selection)
}

/// Where elements lie: the first one, and the distance of neighbours along each axis, in elements.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) first: usize,
    pub(crate) strides: Vec<usize>,
}

/// Distances in a row-major array of these lengths.
pub(crate) fn strides_of(lengths: &[u64]) -> Option<Vec<usize>> {
    let mut strides = vec![1_usize; lengths.len()];
    for axis in (1..lengths.len()).rev() {
        strides[axis - 1] = strides[axis].checked_mul(usize::try_from(lengths[axis]).ok()?)?;
    }
    Some(strides)
}

/// Where the elements of a box of these `counts` lie that are the box `part` of an array of `lengths` in
/// memory, in the same order; `None`: not at equal distances.
pub(crate) fn placed(lengths: &[u64], part: &Selection, counts: &[u64]) -> Option<Placed> {
    let in_memory = strides_of(lengths)?;
    let mut starts = part.start.iter().zip(&in_memory);
    let first = starts.try_fold(0_usize, |first, (start, stride)| {
        first.checked_add(usize::try_from(*start).ok()?.checked_mul(*stride)?)
    })?;
    let long = |counts: &[u64]| -> Vec<usize> {
        let axes = counts.iter().enumerate();
        axes.filter(|(_, count)| **count > 1)
            .map(|(axis, _)| axis)
            .collect()
    };
    let (memory_axes, file_axes) = (long(&part.count), long(counts));
    let of_memory = memory_axes.iter().map(|&axis| part.count[axis]);
    if of_memory.eq(file_axes.iter().map(|&axis| counts[axis])) {
        // The same shape, but for axes of one element.
        let mut strides = vec![1; counts.len()];
        for (file, memory) in file_axes.iter().zip(&memory_axes) {
            strides[*file] = in_memory[*memory];
        }
        return Some(Placed { first, strides });
    }
    let mut dense = 1_usize;
    for &axis in memory_axes.iter().rev() {
        if in_memory[axis] != dense {
            return None;
        }
        dense = dense.checked_mul(usize::try_from(part.count[axis]).ok()?)?;
    }
    let strides = strides_of(counts)?;
    Some(Placed { first, strides })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_array_keeps_its_distances() {
        let found = placed(&[6, 10], &Selection::new(&[2, 3], &[4, 5]), &[1, 4, 5]).unwrap();
        assert_eq!((found.first, &found.strides[1..]), (23, &[10, 1][..]));
    }

    #[test]
    fn a_row_is_taken_for_any_shape() {
        let found = placed(&[100], &Selection::new(&[40], &[60]), &[3, 20]).unwrap();
        assert_eq!((found.first, found.strides), (40, vec![20, 1]));
        // Two whole rows of memory are one run, too.
        assert!(placed(&[4, 30], &Selection::new(&[1, 0], &[2, 30]), &[3, 20]).is_some());
        assert_eq!(
            placed(&[4, 31], &Selection::new(&[1, 0], &[2, 30]), &[3, 20]),
            None
        );
    }
}
