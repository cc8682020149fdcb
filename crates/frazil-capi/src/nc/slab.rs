//! Slabs of variables between the caller's bare pointers and a file.

use std::ffi::{c_int, c_void};

use frazil::netcdf::{Dataset, GroupNumber, MemorySpan, MemoryType, Outcome, Region, Status};
use smallvec::SmallVec;

use crate::nc::pointers::list;
use crate::nc::strings::{get_strings, put_strings};
use crate::nc::types;
use crate::nc::user_values::{collect, deliver};

/// One number for each axis; seldom more than 8.
pub(crate) type Axes<T> = SmallVec<[T; 8]>;

/// Which elements, and where in memory: a [`Region`] that owns its numbers.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    pub(crate) start: Option<Axes<u64>>,
    pub(crate) count: Option<Axes<u64>>,
    pub(crate) stride: Option<Axes<i64>>,
    pub(crate) map: Option<Axes<i64>>,
}

impl Slab {
    /// The same, borrowed.
    pub(crate) fn region(&self) -> Region<'_> {
        Region {
            start: self.start.as_deref(),
            count: self.count.as_deref(),
            stride: self.stride.as_deref(),
            map: self.map.as_deref(),
        }
    }
}

/// The memory that a slab covers.
///
/// # Safety
/// `data` is NULL, and nothing is covered, or all of that is the caller's alone and may be read.
unsafe fn covered<'a>(span: MemorySpan, size: usize, data: *mut c_void) -> &'a mut [u8] {
    match span.len() {
        0 => &mut [],
        length => {
            let first = data.cast::<u8>().wrapping_sub(span.before * size);
            // SAFETY: not NULL; the caller vouches for the rest.
            unsafe { std::slice::from_raw_parts_mut(first, length * size) }
        }
    }
}

/// A variable of an open file.
pub(crate) struct Variable<'a> {
    pub(crate) file: &'a mut Dataset,
    pub(crate) group: GroupNumber,
    pub(crate) varid: c_int,
}

impl Variable<'_> {
    /// Number of axes.
    pub(crate) fn rank(&mut self) -> Outcome<usize> {
        self.file.inq_varndims(self.group, self.varid)
    }

    /// Length of each axis.
    pub(crate) fn shape(&mut self) -> Outcome<Axes<u64>> {
        let dimensions = self.file.inq_var(self.group, self.varid)?.dimensions;
        let lengths = dimensions.into_iter();
        lengths
            .map(|dimid| Ok(self.file.inq_dim(self.group, dimid)?.length))
            .collect()
    }

    /// The type of its values.
    pub(crate) fn nc_type(&mut self) -> Outcome<c_int> {
        self.file.inq_vartype(self.group, self.varid)
    }

    /// The type of values in memory that look like those in the file.
    pub(crate) fn memory(&mut self) -> Outcome<MemoryType> {
        types::memory(self.nc_type()?)
    }

    /// The memory that a region covers. A single element is known to be one.
    fn span(
        &mut self,
        region: &Region<'_>,
        memory: MemoryType,
        is_put: bool,
    ) -> Outcome<MemorySpan> {
        if region.start.is_some() && region.count.is_none() && region.map.is_none() {
            return Ok(MemorySpan {
                before: 0,
                after: 1,
            });
        }
        self.file
            .memory_span(self.group, self.varid, region, memory, is_put)
    }

    /// Why nothing can be put into a variable that is not there.
    pub(crate) fn refuse_put(&mut self, memory: MemoryType) -> Outcome<()> {
        let (group, region) = (self.group, Region::default());
        self.file.put(group, self.varid, &region, memory, &[])?;
        Err(Status::ENOTVAR)
    }

    /// Writes a slab from memory.
    ///
    /// # Safety
    /// `data` is NULL or holds what the slab covers, in elements of `memory`.
    pub(crate) unsafe fn put(
        &mut self,
        slab: &Slab,
        memory: MemoryType,
        data: *const c_void,
    ) -> Outcome<()> {
        let region = slab.region();
        let span = self.span(&region, memory, true)?;
        if data.is_null() && !span.is_empty() {
            return Err(Status::EINVAL);
        }
        if memory == MemoryType::String {
            // SAFETY: as this function's.
            return unsafe { put_strings(self, &region, span, data.cast()) };
        }
        let size = memory.size_bytes();
        let first = data.cast::<u8>().wrapping_sub(span.before * size);
        // SAFETY: the caller vouches for what the slab covers, which is `span`.
        let bytes = unsafe { list(first, span.len() * size) }?;
        self.file
            .put(self.group, self.varid, &region, memory, bytes)
    }

    /// Reads a slab into memory.
    ///
    /// # Safety
    /// `data` is NULL or has room for what the slab covers, in elements of `memory`, and every byte
    /// of it is the caller's alone and may be read.
    pub(crate) unsafe fn get(
        &mut self,
        slab: &Slab,
        memory: MemoryType,
        data: *mut c_void,
    ) -> Outcome<()> {
        let region = slab.region();
        let span = self.span(&region, memory, false)?;
        if data.is_null() && !span.is_empty() {
            return Err(Status::EINVAL);
        }
        if memory == MemoryType::String {
            // SAFETY: as this function's.
            return unsafe { get_strings(self, &region, span, data.cast()) };
        }
        // SAFETY: the caller vouches for what the slab covers, which is `span`.
        let bytes = unsafe { covered(span, memory.size_bytes(), data) };
        self.file
            .get(self.group, self.varid, &region, memory, bytes)
    }

    /// Writes a slab of a type that a program has defined from memory.
    ///
    /// # Safety
    /// As [`Self::put`], in elements of that type.
    pub(crate) unsafe fn put_user(
        &mut self,
        slab: &Slab,
        nc_type: c_int,
        data: *const c_void,
    ) -> Outcome<()> {
        let region = slab.region();
        // Of numbers there are as many.
        let span = self.span(&region, MemoryType::UChar, true)?;
        if data.is_null() && !span.is_empty() {
            return Err(Status::EINVAL);
        }
        let known = self.file.user_types().get(nc_type)?;
        if known.is_indirect {
            // SAFETY: the caller vouches for what the slab covers, which is `span`.
            let elements = unsafe { collect(self.file.user_types(), nc_type, data, span.len()) }?;
            return (self.file).put_elements(self.group, self.varid, &region, &elements);
        }
        let size = known.size_bytes;
        // SAFETY: the caller vouches for what the slab covers, which is `span`.
        let bytes = unsafe { list(data.cast::<u8>(), span.len() * size) }?;
        self.file.put_user(self.group, self.varid, &region, bytes)
    }

    /// Reads a slab of a type that a program has defined into memory.
    ///
    /// # Safety
    /// As [`Self::get`], in elements of that type.
    pub(crate) unsafe fn get_user(
        &mut self,
        slab: &Slab,
        nc_type: c_int,
        data: *mut c_void,
    ) -> Outcome<()> {
        let region = slab.region();
        // Of numbers there are as many.
        let span = self.span(&region, MemoryType::UChar, false)?;
        if data.is_null() && !span.is_empty() {
            return Err(Status::EINVAL);
        }
        let size = self.file.user_types().get(nc_type)?.size_bytes;
        // SAFETY: the caller vouches for what the slab covers, which is `span`.
        let bytes = unsafe { covered(span, size, data) };
        match (self.file).get_user(self.group, self.varid, &region, bytes)? {
            // SAFETY: as this function's.
            Some(values) => unsafe { deliver(&values, data) },
            None => Ok(()),
        }
    }
}
