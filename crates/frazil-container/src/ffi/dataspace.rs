//! Dataspaces: the shapes of datasets and attributes.

use frazil_hdf5::{Extent, Selection};
use hdf5_sys::h5s::{H5S_class_t, H5S_seloper_t};

use super::handle::{Handle, api, check, failure, own};
use super::known::{DATASPACE_CLASSES, known};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

/// `H5S_UNLIMITED`.
const UNLIMITED: u64 = u64::MAX;

/// Reads a dataspace's extent.
pub(super) fn read_extent(space: &Handle) -> Result<Extent> {
    let _guard = library_lock();
    // SAFETY: a live dataspace identifier.
    let class = unsafe { (api().H5Sget_simple_extent_type)(space.id()) };
    match known(class, "class of a dataspace", &DATASPACE_CLASSES)? {
        H5S_class_t::H5S_NULL => return Ok(Extent::Null),
        H5S_class_t::H5S_SCALAR => return Ok(Extent::Scalar),
        _ => {}
    }
    // SAFETY: a live dataspace identifier.
    let rank = unsafe { (api().H5Sget_simple_extent_ndims)(space.id()) };
    let rank = usize::try_from(rank).map_err(|_| failure("read dataspace rank"))?;
    let (mut shape, mut limits) = (vec![0_u64; rank], vec![0_u64; rank]);
    // SAFETY: both buffers hold `rank` values.
    let got = unsafe {
        (api().H5Sget_simple_extent_dims)(space.id(), shape.as_mut_ptr(), limits.as_mut_ptr())
    };
    if got < 0 {
        return Err(failure("read dataspace shape"));
    }
    let max_shape = limits
        .into_iter()
        .map(|n| (n != UNLIMITED).then_some(n))
        .collect();
    Ok(Extent::Simple { shape, max_shape })
}

/// Creates a dataspace.
pub(super) fn create(extent: &Extent) -> Result<Handle> {
    let _guard = library_lock();
    match extent {
        // SAFETY: plain calls without pointers.
        Extent::Null => own(
            unsafe { (api().H5Screate)(H5S_class_t::H5S_NULL) },
            "create space",
        ),
        Extent::Scalar => {
            // SAFETY: as above.
            own(
                unsafe { (api().H5Screate)(H5S_class_t::H5S_SCALAR) },
                "create space",
            )
        }
        Extent::Simple { shape, max_shape } => {
            let limits: Vec<u64> = max_shape.iter().map(|n| n.unwrap_or(UNLIMITED)).collect();
            let rank = rank_of(shape)?;
            // SAFETY: both buffers hold `rank` values.
            let id = unsafe { (api().H5Screate_simple)(rank, shape.as_ptr(), limits.as_ptr()) };
            own(id, "create dataspace")
        }
    }
}

/// A regular part of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hyperslab<'a> {
    /// First element along each axis.
    pub start: &'a [u64],
    /// Number of elements along each axis.
    pub count: &'a [u64],
    /// From one element to the next along each axis, at least 1; `None`: 1 everywhere.
    pub stride: Option<&'a [u64]>,
}

impl<'a> Hyperslab<'a> {
    /// The box of `count` elements from `start` on.
    #[must_use]
    pub fn dense(start: &'a [u64], count: &'a [u64]) -> Self {
        Self {
            start,
            count,
            stride: None,
        }
    }

    /// Number of elements; `None` on overflow.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        let mut counts = self.count.iter();
        counts.try_fold(1_u64, |product, &n| product.checked_mul(n))
    }

    fn has_rank(&self, rank: usize) -> bool {
        let stride = self.stride.map_or(rank, <[u64]>::len);
        [self.start.len(), self.count.len(), stride] == [rank; 3]
    }
}

/// A copy of a file's dataspace with a hyperslab selected.
pub(super) fn select(space: &Handle, slab: &Hyperslab<'_>) -> Result<Handle> {
    let rank = match read_extent(space)? {
        Extent::Simple { shape, .. } => shape.len(),
        Extent::Null | Extent::Scalar => 0,
    };
    if !slab.has_rank(rank) {
        return Err(ContainerError::Internal(
            "a selection of another rank than the array".to_owned(),
        ));
    }
    let _guard = library_lock();
    // SAFETY: a live dataspace identifier.
    let copy = own(unsafe { (api().H5Scopy)(space.id()) }, "copy dataspace")?;
    // SAFETY: start, count and stride have the dataspace's rank, checked above; stride and block
    // may be null.
    let status = unsafe {
        (api().H5Sselect_hyperslab)(
            copy.id(),
            H5S_seloper_t::H5S_SELECT_SET,
            slab.start.as_ptr(),
            slab.stride.map_or(std::ptr::null(), <[u64]>::as_ptr),
            slab.count.as_ptr(),
            std::ptr::null(),
        )
    };
    check(status, "select a part")?;
    Ok(copy)
}

/// A dataspace with a part of it selected.
pub(super) fn select_part(space: Handle, part: &Selection) -> Result<Handle> {
    const DOING: &str = "select a part";
    let _guard = library_lock();
    let rank = read_extent(&space)?.shape().len();
    let has_rank = match part {
        Selection::All | Selection::None => true,
        Selection::Points { rank: own, .. } | Selection::Boxes { rank: own, .. } => *own == rank,
        Selection::Regular { axes } => axes.len() == rank,
    };
    if !has_rank {
        return Err(ContainerError::Corrupt(
            "a reference to a region along other axes than its dataset has".to_owned(),
        ));
    }
    // SAFETY: a live dataspace; every list has a number for each of its axes, checked above.
    unsafe {
        match part {
            Selection::All => check((api().H5Sselect_all)(space.id()), DOING)?,
            Selection::None => check((api().H5Sselect_none)(space.id()), DOING)?,
            Selection::Points { at, .. } => {
                let (way, count) = (H5S_seloper_t::H5S_SELECT_SET, at.len() / rank.max(1));
                let status = (api().H5Sselect_elements)(space.id(), way, count, at.as_ptr());
                check(status, DOING)?;
            }
            Selection::Boxes { corners, .. } => {
                check((api().H5Sselect_none)(space.id()), DOING)?;
                for both in corners.chunks_exact(2 * rank.max(1)) {
                    let (start, last) = both.split_at(rank);
                    let lengths = start.iter().zip(last);
                    let count: Vec<u64> = lengths.map(|(a, b)| b.saturating_sub(*a) + 1).collect();
                    let status = (api().H5Sselect_hyperslab)(
                        space.id(),
                        H5S_seloper_t::H5S_SELECT_OR,
                        start.as_ptr(),
                        std::ptr::null(),
                        count.as_ptr(),
                        std::ptr::null(),
                    );
                    check(status, DOING)?;
                }
            }
            Selection::Regular { axes } => {
                let numbers = |i: usize| axes.iter().map(|axis| axis[i]).collect::<Vec<u64>>();
                let [start, stride, count, block] = [0, 1, 2, 3].map(numbers);
                let status = (api().H5Sselect_hyperslab)(
                    space.id(),
                    H5S_seloper_t::H5S_SELECT_SET,
                    start.as_ptr(),
                    stride.as_ptr(),
                    count.as_ptr(),
                    block.as_ptr(),
                );
                check(status, DOING)?;
            }
        }
    }
    Ok(space)
}

/// The rank as libhdf5 wants it.
pub(super) fn rank_of(shape: &[u64]) -> Result<i32> {
    i32::try_from(shape.len())
        .map_err(|_| ContainerError::Corrupt("it claims more than 32 axes".to_owned()))
}
