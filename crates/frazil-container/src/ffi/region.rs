//! What a region reference selects.

use std::fmt;

use hdf5_sys::h5r::H5R_type_t;

use super::dataspace;
use super::handle::{Handle, api, check, failure, own, truth};
use super::known::{SELECTIONS, SelectionKind, known};
use super::reference::REGION_BYTES;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::Extent;

/// `H5S_UNLIMITED`.
const UNLIMITED: u64 = u64::MAX;
/// No selection that takes more numbers than this to describe (256 MiB) is believed: few bytes of a
/// file can stand for any number of boxes.
const MAX_NUMBERS: u64 = 1 << 25;

/// The elements that a region reference selects, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Region {
    /// Nothing.
    None,
    /// Everything.
    All,
    /// Single elements, one after the other: `rank` numbers each.
    Points { rank: usize, at: Vec<u64> },
    /// Boxes: the first and the last element of each, `rank` numbers each.
    Boxes { rank: usize, corners: Vec<u64> },
    /// Boxes in a regular pattern, which may go on without end: start, stride, count and size of
    /// them along each axis.
    Regular { axes: Vec<[u64; 4]> },
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = |rank: &usize, numbers: &[u64]| -> String {
            let each = numbers.chunks_exact((*rank).max(1));
            each.map(|at| format!(" {at:?}")).collect()
        };
        match self {
            Self::None => f.write_str("(nothing)"),
            Self::All => f.write_str("(all)"),
            Self::Points { rank, at } => write!(f, "points{}", places(rank, at)),
            Self::Boxes { rank, corners } => write!(f, "boxes{}", places(rank, corners)),
            Self::Regular { axes } => {
                f.write_str("boxes")?;
                axes.iter().try_for_each(|[start, stride, count, size]| {
                    match *count == UNLIMITED || *size == UNLIMITED {
                        true => write!(f, " [{start} and on, every {stride}]"),
                        false => write!(f, " [{count} of {size} from {start}, every {stride}]"),
                    }
                })
            }
        }
    }
}

/// Reads the selection behind a region reference of `location`'s file.
pub(crate) fn region(location: &Handle, reference: &[u8; REGION_BYTES]) -> Result<Region> {
    let _guard = library_lock();
    // SAFETY: a live location and the reference's 12 bytes.
    let id = unsafe {
        (api().H5Rget_region)(
            location.id(),
            H5R_type_t::H5R_DATASET_REGION1,
            reference.as_ptr().cast(),
        )
    };
    selected(&own(id, "read region reference")?)
}

/// Reads what is selected of a dataspace.
pub(super) fn selected(space: &Handle) -> Result<Region> {
    let _guard = library_lock();
    let rank = match dataspace::read_extent(space)? {
        Extent::Simple { shape, .. } => shape.len(),
        Extent::Null | Extent::Scalar => 0,
    };
    // SAFETY: a live dataspace.
    let kind = unsafe { (api().H5Sget_select_type)(space.id()) };
    match known(kind, "kind of selection", &SELECTIONS)? {
        SelectionKind::None => Ok(Region::None),
        SelectionKind::All => Ok(Region::All),
        SelectionKind::Points => points(space, rank),
        SelectionKind::Boxes => boxes(space, rank),
    }
}

fn points(space: &Handle, rank: usize) -> Result<Region> {
    // SAFETY: a live dataspace.
    let count = believed(unsafe { (api().H5Sget_select_npoints)(space.id()) }, rank)?;
    let mut at = vec![0_u64; rank * count];
    // SAFETY: the buffer holds `rank` numbers for each of the points.
    let status = unsafe {
        (api().H5Sget_select_elem_pointlist)(space.id(), 0, count as u64, at.as_mut_ptr())
    };
    check(status, "read selected points")?;
    Ok(Region::Points { rank, at })
}

fn boxes(space: &Handle, rank: usize) -> Result<Region> {
    // SAFETY: a live dataspace.
    let count = unsafe { (api().H5Sget_select_hyper_nblocks)(space.id()) };
    let count = believed(count, 2 * rank)?;
    let mut corners = vec![0_u64; 2 * rank * count];
    // SAFETY: the buffer holds two corners of `rank` numbers for each of the boxes.
    let status = unsafe {
        (api().H5Sget_select_hyper_blocklist)(space.id(), 0, count as u64, corners.as_mut_ptr())
    };
    check(status, "read selected boxes")?;
    Ok(Region::Boxes { rank, corners })
}

/// The number of pieces of a selection, each of which takes so many numbers.
fn believed(count: i64, numbers: usize) -> Result<usize> {
    let count = u64::try_from(count).map_err(|_| failure("count a selection"))?;
    if count.saturating_mul(numbers as u64) > MAX_NUMBERS {
        return Err(ContainerError::Unsupported(format!(
            "a region reference of {count} separate pieces"
        )));
    }
    Ok(count as usize)
}

/// As [`selected`]; a regular pattern of boxes comes as such, however many they are.
pub(super) fn selected_pattern(space: &Handle) -> Result<Region> {
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
    Ok(Region::Regular {
        axes: axes.collect(),
    })
}
