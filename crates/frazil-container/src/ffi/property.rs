//! Property lists: what datasets, groups and files are created with.

use std::ffi::{c_char, c_uint};

use frazil_types::{FilterPipeline, FilterSpec};
use hdf5_sys::h5d::{H5D_alloc_time_t, H5D_fill_time_t, H5D_layout_t};
use hdf5_sys::h5f::{H5F_close_degree_t, H5F_libver_t};
use hdf5_sys::h5p::{
    H5P_CLS_DATASET_CREATE, H5P_CLS_DATATYPE_CREATE, H5P_CLS_FILE_ACCESS, H5P_CLS_FILE_CREATE,
    H5P_CLS_GROUP_CREATE,
};
use hdf5_sys::h5t::H5T_cset_t;

use super::handle::{DEFAULT, Handle, api, c_name, check, failure, own};
use super::known::{LAYOUTS, known};
use super::{dataspace, driver};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::text;
use frazil_hdf5::{Extent, FillTime, VirtualPart};

/// `H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED`.
pub(crate) const TRACKED_AND_INDEXED: u32 = 3;
/// `H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS`.
const RAW_PARTIAL_EDGES: u32 = 2;
/// libhdf5 allows at most this many filters in a pipeline (`H5Z_MAX_NFILTERS`).
const MAX_FILTERS: i32 = 32;
/// No filter has more client data than this in practice; a file that claims more is refused.
const MAX_CD_VALUES: usize = 1 << 16;

/// What header a copy of an object gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeaderForm {
    /// Version 1, else version 2.
    pub(crate) is_old: bool,
    /// Whether it keeps the order in which attributes were created.
    pub(crate) is_ordered: bool,
}

impl HeaderForm {
    /// Version 2, with the order of attributes.
    pub(crate) const ORDERED: Self = Self {
        is_old: false,
        is_ordered: true,
    };
}

/// Layout class and chunk shape of a dataset creation list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LayoutClass {
    Compact,
    Contiguous,
    External,
    Chunked {
        chunk: Vec<u64>,
        raw_partial_edges: bool,
    },
    Virtual,
}

/// An owned property list.
#[derive(Debug)]
pub(crate) struct PropertyList(pub(super) Handle);

impl PropertyList {
    pub(super) fn new(class: hdf5_sys::h5i::hid_t) -> Result<Self> {
        let _guard = library_lock();
        // SAFETY: a class identifier of the initialised library.
        own(unsafe { (api().H5Pcreate)(class) }, "create property list").map(Self)
    }

    /// For reading through our driver. It takes no lock: reading a file that lies on NFS or Lustre
    /// must not fail for want of one.
    pub(super) fn file_access_read() -> Result<Self> {
        let _guard = library_lock();
        let list = Self::file_access()?;
        // SAFETY: a live property list, a registered driver, no driver information.
        let status =
            unsafe { (api().H5Pset_driver)(list.0.id(), driver::driver_id(), std::ptr::null()) };
        check(status, "set file driver")?;
        Ok(list)
    }

    /// For writing through our driver.
    pub(super) fn file_access_write(metadata_block_bytes: u64) -> Result<Self> {
        Self::file_access_blocks(metadata_block_bytes, None)
    }

    /// As [`Self::file_access_write`], with small raw data one by one: each gets space of its own,
    /// which the caller may choose.
    pub(super) fn file_access_scattered(metadata_block_bytes: u64) -> Result<Self> {
        Self::file_access_blocks(metadata_block_bytes, Some(0))
    }

    fn file_access_blocks(metadata_bytes: u64, small_data_bytes: Option<u64>) -> Result<Self> {
        let _guard = library_lock();
        let list = Self::file_access()?;
        // SAFETY: a live property list, a registered driver, no driver information.
        unsafe {
            let id = list.0.id();
            check(
                (api().H5Pset_driver)(id, driver::driver_id(), std::ptr::null()),
                "set file driver",
            )?;
            check(
                (api().H5Pset_meta_block_size)(id, metadata_bytes),
                "set metadata block size",
            )?;
            check(
                (api().H5Pset_sieve_buf_size)(id, 0),
                "set sieve buffer size",
            )?;
            if let Some(bytes) = small_data_bytes {
                let status = (api().H5Pset_small_data_block_size)(id, bytes);
                check(status, "set small data block size")?;
            }
        }
        Ok(list)
    }

    fn file_access() -> Result<Self> {
        let _guard = library_lock();
        api();
        let list = Self::new(*H5P_CLS_FILE_ACCESS)?;
        // SAFETY: a live property list. Low bound V18 is what netCDF-C writes and every reader
        // since 2008 reads.
        unsafe {
            let (low, high) = (H5F_libver_t::H5F_LIBVER_V18, H5F_libver_t::H5F_LIBVER_V200);
            check(
                (api().H5Pset_libver_bounds)(list.0.id(), low, high),
                "set format bounds",
            )?;
            let degree = H5F_close_degree_t::H5F_CLOSE_SEMI;
            check(
                (api().H5Pset_fclose_degree)(list.0.id(), degree),
                "set close degree",
            )?;
        }
        Ok(list)
    }

    /// For creating a file.
    pub(crate) fn file_create(user_block_bytes: u64, link_order: u32) -> Result<Self> {
        let _guard = library_lock();
        api();
        let list = Self::new(*H5P_CLS_FILE_CREATE)?;
        // SAFETY: a live property list.
        unsafe {
            check(
                (api().H5Pset_userblock)(list.0.id(), user_block_bytes),
                "set user block",
            )?;
        }
        list.set_link_order(link_order)?;
        list.set_attribute_order_and_no_times()?;
        Ok(list)
    }

    /// For creating a group.
    pub(crate) fn group_create(link_order: u32, header: HeaderForm) -> Result<Self> {
        let list = Self::object_create(*H5P_CLS_GROUP_CREATE, header)?;
        list.set_link_order(link_order)?;
        Ok(list)
    }

    /// For creating a dataset.
    pub(crate) fn dataset_create(header: HeaderForm) -> Result<Self> {
        Self::object_create(*H5P_CLS_DATASET_CREATE, header)
    }

    /// For committing a datatype.
    pub(crate) fn datatype_create(header: HeaderForm) -> Result<Self> {
        Self::object_create(*H5P_CLS_DATATYPE_CREATE, header)
    }

    fn object_create(class: hdf5_sys::h5i::hid_t, header: HeaderForm) -> Result<Self> {
        let list = Self::new(class)?;
        match header.is_ordered {
            true => list.set_attribute_order_and_no_times()?,
            false => list.leave_out_times()?,
        }
        Ok(list)
    }

    fn set_link_order(&self, flags: u32) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        let status = unsafe { (api().H5Pset_link_creation_order)(self.0.id(), flags) };
        check(status, "track link order")
    }

    /// Attribute order is always tracked: netCDF readers show attributes in creation order, and
    /// old object headers keep it without being asked. Times are never kept: equal input gives
    /// equal bytes.
    fn set_attribute_order_and_no_times(&self) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live object-creation property list.
        let status =
            unsafe { (api().H5Pset_attr_creation_order)(self.0.id(), TRACKED_AND_INDEXED) };
        check(status, "track attribute order")?;
        self.leave_out_times()
    }

    fn leave_out_times(&self) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live object-creation property list.
        let status = unsafe { (api().H5Pset_obj_track_times)(self.0.id(), 0) };
        check(status, "leave out object times")
    }

    /// Link order flags of a group's creation list.
    pub(crate) fn link_order(&self) -> Result<u32> {
        let _guard = library_lock();
        let mut flags: c_uint = 0;
        // SAFETY: a live property list and a valid out-pointer.
        let status = unsafe { (api().H5Pget_link_creation_order)(self.0.id(), &raw mut flags) };
        check(status, "read link order")?;
        Ok(flags)
    }

    /// Layout of a dataset's creation list.
    pub(crate) fn layout(&self) -> Result<LayoutClass> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        let class = unsafe { (api().H5Pget_layout)(self.0.id()) };
        match known(class, "layout of a dataset", &LAYOUTS)? {
            H5D_layout_t::H5D_COMPACT => Ok(LayoutClass::Compact),
            H5D_layout_t::H5D_CONTIGUOUS => {
                // SAFETY: a live property list.
                let external = unsafe { (api().H5Pget_external_count)(self.0.id()) };
                Ok(if external > 0 {
                    LayoutClass::External
                } else {
                    LayoutClass::Contiguous
                })
            }
            H5D_layout_t::H5D_CHUNKED => self.chunk(),
            H5D_layout_t::H5D_VIRTUAL => Ok(LayoutClass::Virtual),
            _ => Err(ContainerError::Internal(
                "a layout without a name".to_owned(),
            )),
        }
    }

    fn chunk(&self) -> Result<LayoutClass> {
        let mut chunk = [0_u64; 32];
        // SAFETY: the buffer holds 32 values, the largest rank libhdf5 knows.
        let rank = unsafe { (api().H5Pget_chunk)(self.0.id(), 32, chunk.as_mut_ptr()) };
        let rank = usize::try_from(rank).map_err(|_| failure("read chunk shape"))?;
        let Some(chunk) = chunk.get(..rank) else {
            return Err(ContainerError::Corrupt(format!("chunks of {rank} axes")));
        };
        let mut options: c_uint = 0;
        // SAFETY: a live property list and a valid out-pointer.
        let status = unsafe { (api().H5Pget_chunk_opts)(self.0.id(), &raw mut options) };
        check(status, "read chunk options")?;
        Ok(LayoutClass::Chunked {
            chunk: chunk.to_vec(),
            raw_partial_edges: options & RAW_PARTIAL_EDGES != 0,
        })
    }

    /// Filters of a dataset's creation list.
    pub(crate) fn pipeline(&self) -> Result<FilterPipeline> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        let count = unsafe { (api().H5Pget_nfilters)(self.0.id()) };
        if !(0..=MAX_FILTERS).contains(&count) {
            return Err(failure("read filters"));
        }
        (0..count.unsigned_abs())
            .map(|i| self.filter(i))
            .collect::<Result<_>>()
            .map(FilterPipeline)
    }

    fn filter(&self, i: u32) -> Result<FilterSpec> {
        let (mut flags, mut config) = (0, 0);
        let mut count = 0;
        // SAFETY: with a count of 0 and no buffers, only flags and the count are written.
        let id = unsafe {
            (api().H5Pget_filter2)(
                self.0.id(),
                i,
                &raw mut flags,
                &raw mut count,
                std::ptr::null_mut(),
                0,
                std::ptr::null_mut(),
                &raw mut config,
            )
        };
        if id < 0 || count > MAX_CD_VALUES {
            return Err(failure("read filter"));
        }
        let mut cd_values = vec![0_u32; count];
        let mut name = [0_u8; 256];
        // SAFETY: buffers of the stated sizes.
        let status = unsafe {
            (api().H5Pget_filter2)(
                self.0.id(),
                i,
                &raw mut flags,
                &raw mut count,
                cd_values.as_mut_ptr(),
                name.len() - 1,
                name.as_mut_ptr().cast::<c_char>(),
                &raw mut config,
            )
        };
        if status < 0 {
            return Err(failure("read filter"));
        }
        let name = text::from_buffer(&name);
        Ok(FilterSpec {
            id,
            flags,
            cd_values,
            name,
        })
    }

    /// Sets contiguous layout.
    pub(crate) fn set_contiguous(&self) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        unsafe {
            let id = self.0.id();
            check(
                (api().H5Pset_layout)(id, H5D_layout_t::H5D_CONTIGUOUS),
                "set layout",
            )?;
            check(
                (api().H5Pset_alloc_time)(id, H5D_alloc_time_t::H5D_ALLOC_TIME_LATE),
                "set allocation time",
            )
        }
    }

    /// Sets compact layout.
    pub(crate) fn set_compact(&self) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        let status = unsafe { (api().H5Pset_layout)(self.0.id(), H5D_layout_t::H5D_COMPACT) };
        check(status, "set layout")
    }

    /// Sets virtual layout of a dataset of this extent, mapped onto these parts of others.
    pub(crate) fn set_virtual(&self, extent: &Extent, parts: &[VirtualPart]) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live property list.
        let status = unsafe { (api().H5Pset_layout)(self.0.id(), H5D_layout_t::H5D_VIRTUAL) };
        check(status, "set layout")?;
        for part in parts {
            let target = dataspace::select_part(dataspace::create(extent)?, &part.target)?;
            let elements = part.target.elements().or_else(|| extent.elements());
            let elements = elements.unwrap_or(0);
            let whole = dataspace::create(&part.source.least_extent(elements))?;
            let source = dataspace::select_part(whole, &part.source)?;
            let (file, dataset) = (c_name(&part.file)?, c_name(&part.dataset)?);
            // SAFETY: live identifiers and NUL-terminated names.
            let status = unsafe {
                (api().H5Pset_virtual)(
                    self.0.id(),
                    target.id(),
                    file.as_ptr(),
                    dataset.as_ptr(),
                    source.id(),
                )
            };
            check(status, "map a virtual dataset")?;
        }
        Ok(())
    }

    /// Sets chunked layout with a pipeline; chunks are allocated one by one.
    pub(crate) fn set_chunked(&self, chunk: &[u64], pipeline: &FilterPipeline) -> Result<()> {
        let _guard = library_lock();
        let rank = dataspace::rank_of(chunk)?;
        // SAFETY: a live property list, `rank` chunk extents, cd_values with their length.
        unsafe {
            let id = self.0.id();
            check(
                (api().H5Pset_chunk)(id, rank, chunk.as_ptr()),
                "set chunk shape",
            )?;
            check(
                (api().H5Pset_alloc_time)(id, H5D_alloc_time_t::H5D_ALLOC_TIME_INCR),
                "set allocation time",
            )?;
            for filter in &pipeline.0 {
                let (count, values) = (filter.cd_values.len(), filter.cd_values.as_ptr());
                let status = (api().H5Pset_filter)(id, filter.id, filter.flags, count, values);
                check(status, "set filter")?;
            }
        }
        Ok(())
    }

    /// Sets when fill values are written.
    pub(crate) fn set_fill_time(&self, time: FillTime) -> Result<()> {
        let _guard = library_lock();
        let time = match time {
            FillTime::Allocation => H5D_fill_time_t::H5D_FILL_TIME_ALLOC,
            FillTime::Never => H5D_fill_time_t::H5D_FILL_TIME_NEVER,
            FillTime::IfSet => H5D_fill_time_t::H5D_FILL_TIME_IFSET,
        };
        // SAFETY: a live property list.
        check(
            unsafe { (api().H5Pset_fill_time)(self.0.id(), time) },
            "set fill time",
        )
    }

    /// Sets the fill value (`None`: undefined) from one element of `datatype`.
    pub(crate) fn set_fill_value(
        &self,
        datatype: &super::datatype::Datatype,
        value: Option<&[u8]>,
    ) -> Result<()> {
        let _guard = library_lock();
        let pointer = match value {
            Some(bytes) if bytes.len() != datatype.size_bytes()? => {
                return Err(ContainerError::Internal(
                    "fill value of wrong size".to_owned(),
                ));
            }
            Some(bytes) => bytes.as_ptr().cast(),
            None => std::ptr::null(),
        };
        // SAFETY: null, or one element of the type, checked above.
        let status = unsafe { (api().H5Pset_fill_value)(self.0.id(), datatype.id(), pointer) };
        check(status, "set fill value")
    }

    /// UTF-8 as the character set of link or attribute names created with this list.
    pub(crate) fn set_utf8(&self) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: a live string-creation property list.
        let status =
            unsafe { (api().H5Pset_char_encoding)(self.0.id(), H5T_cset_t::H5T_CSET_UTF8) };
        check(status, "set name encoding")
    }

    pub(super) fn id_or_default(list: Option<&Self>) -> hdf5_sys::h5i::hid_t {
        list.map_or(DEFAULT, |list| list.0.id())
    }
}
