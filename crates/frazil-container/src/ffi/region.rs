//! What is selected of a dataspace.

use super::dataspace;
use super::handle::{Handle, api, check, failure, truth};
use super::known::{SELECTIONS, SelectionKind, known};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::{Extent, Selection};

/// No selection that takes more numbers than this to describe (256 MiB) is believed: few bytes of a
/// file can stand for any number of boxes.
const MAX_NUMBERS: u64 = 1 << 25;

/// Reads what is selected of a dataspace.
fn selected(space: &Handle) -> Result<Selection> {
    let _guard = library_lock();
    let rank = match dataspace::read_extent(space)? {
        Extent::Simple { shape, .. } => shape.len(),
        Extent::Null | Extent::Scalar => 0,
    };
    // SAFETY: a live dataspace.
    let kind = unsafe { (api().H5Sget_select_type)(space.id()) };
    match known(kind, "kind of selection", &SELECTIONS)? {
        SelectionKind::None => Ok(Selection::None),
        SelectionKind::All => Ok(Selection::All),
        SelectionKind::Points => points(space, rank),
        SelectionKind::Boxes => boxes(space, rank),
    }
}

fn points(space: &Handle, rank: usize) -> Result<Selection> {
    // SAFETY: a live dataspace.
    let count = believed(unsafe { (api().H5Sget_select_npoints)(space.id()) }, rank)?;
    let mut at = vec![0_u64; rank * count];
    // SAFETY: the buffer holds `rank` numbers for each of the points.
    let status = unsafe {
        (api().H5Sget_select_elem_pointlist)(space.id(), 0, count as u64, at.as_mut_ptr())
    };
    check(status, "read selected points")?;
    Ok(Selection::Points { rank, at })
}

fn boxes(space: &Handle, rank: usize) -> Result<Selection> {
    // SAFETY: a live dataspace.
    let count = unsafe { (api().H5Sget_select_hyper_nblocks)(space.id()) };
    let count = believed(count, 2 * rank)?;
    let mut corners = vec![0_u64; 2 * rank * count];
    // SAFETY: the buffer holds two corners of `rank` numbers for each of the boxes.
    let status = unsafe {
        (api().H5Sget_select_hyper_blocklist)(space.id(), 0, count as u64, corners.as_mut_ptr())
    };
    check(status, "read selected boxes")?;
    Ok(Selection::Boxes { rank, corners })
}

/// The number of pieces of a selection, each of which takes so many numbers.
fn believed(count: i64, numbers: usize) -> Result<usize> {
    let count = u64::try_from(count).map_err(|_| failure("count a selection"))?;
    if count.saturating_mul(numbers as u64) > MAX_NUMBERS {
        return Err(ContainerError::Unsupported(format!(
            "a selection of {count} separate pieces"
        )));
    }
    Ok(count as usize)
}

/// As [`selected`]; a regular pattern of boxes comes as such, however many they are.
pub(super) fn selected_pattern(space: &Handle) -> Result<Selection> {
    let _guard = library_lock();
    // SAFETY: a live dataspace.
    let kind = unsafe { (api().H5Sget_select_type)(space.id()) };
    if !matches!(
        known(kind, "kind of selection", &SELECTIONS)?,
        SelectionKind::Boxes
    ) {
        return selected(space);
    }
    // SAFETY: a live dataspace with a selection of boxes.
    let regular = unsafe { (api().H5Sis_regular_hyperslab)(space.id()) };
    let Extent::Simple { shape, .. } = dataspace::read_extent(space)? else {
        return selected(space);
    };
    if !truth(regular, "read a selection")? {
        return selected(space);
    }
    let mut numbers = [(); 4].map(|()| vec![0_u64; shape.len()]);
    let [start, stride, count, size] = numbers.each_mut().map(Vec::as_mut_ptr);
    // SAFETY: four buffers of as many numbers as the dataspace has axes.
    let status =
        unsafe { (api().H5Sget_regular_hyperslab)(space.id(), start, stride, count, size) };
    check(status, "read a selection")?;
    let axes = (0..shape.len()).map(|axis| numbers.each_ref().map(|one| one[axis]));
    Ok(Selection::Regular {
        axes: axes.collect(),
    })
}
