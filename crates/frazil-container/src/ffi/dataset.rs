//! Datasets: open, create, read and write through libhdf5, and place chunks without writing.

use std::ffi::{c_int, c_void};

use super::attribute::usize_of;
use super::dataspace::{self, Hyperslab};
use super::datatype::Datatype;
use super::driver::RawSink;
use super::external;
use super::filter::{self, WithoutPlugins};
use super::handle::{DEFAULT, Handle, api, c_name, check, own, take_error_stack};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use crate::system::ZeroMapping;
use frazil_hdf5::Extent;
use frazil_types::FileAddress;

/// An open dataset.
#[derive(Debug)]
pub(crate) struct Dataset(pub(super) Handle);

/// One entry of a chunk index, as libhdf5 gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// First element of the chunk along each axis.
    pub(crate) offset: Vec<u64>,
    pub(crate) filter_mask: u32,
    pub(crate) address: FileAddress,
    pub(crate) stored_bytes: u64,
}

/// How chunks are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkIndexKind {
    /// A B-tree, of either version.
    Tree,
    FixedArray,
    ExtensibleArray,
    /// There is one chunk, or all lie one behind the other.
    Computed,
}

/// What a chunk index walk collects; handed to the C callback as its data.
struct Collector {
    rank: usize,
    entries: Vec<IndexEntry>,
    limit: usize,
}

extern "C" fn collect_chunk(
    offset: *const u64,
    filter_mask: u32,
    address: u64,
    size: u64,
    data: *mut c_void,
) -> c_int {
    // SAFETY: `data` is the pointer given to H5Dchunk_iter below.
    let collector = unsafe { &mut *data.cast::<Collector>() };
    // SAFETY: libhdf5 passes as many offsets as the dataset has axes.
    let offset = unsafe { std::slice::from_raw_parts(offset, collector.rank) };
    if collector.entries.len() >= collector.limit {
        return -1;
    }
    collector.entries.push(IndexEntry {
        offset: offset.to_vec(),
        filter_mask,
        address,
        stored_bytes: size,
    });
    0
}

impl Dataset {
    /// Opens a dataset by name under a location.
    pub(crate) fn open(location: &Handle, name: &str) -> Result<Self> {
        let _guard = library_lock();
        let c = c_name(name)?;
        // SAFETY: a live location and a NUL-terminated name.
        own(
            unsafe { (api().H5Dopen2)(location.id(), c.as_ptr(), DEFAULT) },
            "open dataset",
        )
        .map(Self)
    }

    /// Creates a dataset and links it as `name`.
    pub(crate) fn create(
        location: &Handle,
        name: &str,
        datatype: &Datatype,
        extent: &Extent,
        link_creation: &PropertyList,
        creation: &PropertyList,
    ) -> Result<Self> {
        let _guard = library_lock();
        let c = c_name(name)?;
        let space = dataspace::create(extent)?;
        let _plugins = WithoutPlugins::for_filters(&creation.pipeline()?);
        // SAFETY: live identifiers and a NUL-terminated name.
        let id = unsafe {
            (api().H5Dcreate2)(
                location.id(),
                c.as_ptr(),
                datatype.id(),
                space.id(),
                PropertyList::id_or_default(Some(link_creation)),
                PropertyList::id_or_default(Some(creation)),
                DEFAULT,
            )
        };
        own(id, "create dataset").map(Self)
    }

    /// The handle, for attribute and link calls.
    pub(crate) fn handle(&self) -> &Handle {
        &self.0
    }

    pub(super) fn space(&self) -> Result<Handle> {
        let _guard = library_lock();
        // SAFETY: a live dataset.
        own(
            unsafe { (api().H5Dget_space)(self.0.id()) },
            "read dataset shape",
        )
    }

    /// Shape and maximum shape.
    pub(crate) fn extent(&self) -> Result<Extent> {
        dataspace::read_extent(&self.space()?)
    }

    /// Changes the shape; axes may grow as far as the maximum shape allows.
    pub(crate) fn set_shape(&self, shape: &[u64]) -> Result<()> {
        let Extent::Simple { shape: old, .. } = self.extent()? else {
            return Err(ContainerError::Internal(
                "only arrays have a shape to change".to_owned(),
            ));
        };
        // Shrinking would make libhdf5 decode chunks at the new edge.
        let grows = old.len() == shape.len() && old.iter().zip(shape).all(|(old, new)| old <= new);
        if !grows {
            return Err(ContainerError::Internal(format!(
                "shape {old:?} cannot become {shape:?}"
            )));
        }
        // libhdf5 looks whether it has the filters, though it neither reads nor writes a chunk here.
        for filter in &self.creation()?.pipeline()?.0 {
            filter::accept_encoded(filter)?;
        }
        let _guard = library_lock();
        // SAFETY: a live dataset, and as many extents as it has axes.
        let status = unsafe { (api().H5Dset_extent)(self.0.id(), shape.as_ptr()) };
        check(status, "extend dataset")
    }

    /// The element type; committed types come as such.
    pub(crate) fn datatype(&self) -> Result<Datatype> {
        let _guard = library_lock();
        // SAFETY: a live dataset.
        own(
            unsafe { (api().H5Dget_type)(self.0.id()) },
            "read dataset type",
        )
        .map(Datatype::from_handle)
    }

    /// The creation list.
    pub(crate) fn creation(&self) -> Result<PropertyList> {
        let _guard = library_lock();
        // SAFETY: a live dataset.
        own(
            unsafe { (api().H5Dget_create_plist)(self.0.id()) },
            "read dataset properties",
        )
        .map(PropertyList)
    }

    /// Bytes stored for the values (0 if none were written).
    pub(crate) fn stored_bytes(&self) -> u64 {
        let _guard = library_lock();
        // SAFETY: a live dataset.
        unsafe { (api().H5Dget_storage_size)(self.0.id()) }
    }

    /// The whole chunk index in one pass.
    ///
    /// # Errors
    /// [`ContainerError::Corrupt`] if it cannot be walked, or has more than `limit` entries.
    pub(crate) fn chunk_index(&self, rank: usize, limit: usize) -> Result<Vec<IndexEntry>> {
        let _guard = library_lock();
        let mut collector = Collector {
            rank,
            entries: Vec::new(),
            limit,
        };
        let data: *mut Collector = &raw mut collector;
        // SAFETY: the callback only runs during the call, on a live collector.
        let status = unsafe {
            (api().H5Dchunk_iter)(self.0.id(), DEFAULT, Some(collect_chunk), data.cast())
        };
        if status < 0 {
            let reason = take_error_stack();
            let cause = format!("its chunk index cannot be read ({reason})");
            return Err(ContainerError::Corrupt(cause));
        }
        Ok(collector.entries)
    }

    /// How the chunks of a chunked dataset are found.
    pub(crate) fn chunk_index_kind(&self) -> Result<ChunkIndexKind> {
        let _guard = library_lock();
        let mut kind = 0;
        // SAFETY: a live dataset and a valid out-pointer.
        let status = unsafe { (api().H5Dget_chunk_index_type)(self.0.id(), &raw mut kind) };
        check(status, "read the kind of chunk index")?;
        // The numbers of `H5D_chunk_index_t`.
        Ok(match kind {
            0 | 5 => ChunkIndexKind::Tree,
            3 => ChunkIndexKind::FixedArray,
            4 => ChunkIndexKind::ExtensibleArray,
            _ => ChunkIndexKind::Computed,
        })
    }

    /// Looks every one of these chunks up, as a reader does that wants its values.
    ///
    /// A walk goes through the index from end to end, and a look-up searches it by its order: where
    /// keys are damaged, a walk finds chunks that no reader finds. Where an array holds the entries, it shows
    /// whether the walk names them rightly. What is computed needs no look.
    ///
    /// # Errors
    /// [`ContainerError::Corrupt`] for the first chunk that is not found, or of another length.
    pub(crate) fn look_up(&self, entries: &[IndexEntry]) -> Result<()> {
        if self.chunk_index_kind()? == ChunkIndexKind::Computed {
            return Ok(());
        }
        let _guard = library_lock();
        let is_filtered = !self.creation()?.pipeline()?.is_empty();
        for entry in entries {
            let mut bytes = 0;
            // SAFETY: a live dataset, as many offsets as it has axes (the walk of the same index gave
            // them), a valid out-pointer.
            let status = unsafe {
                let offset = entry.offset.as_ptr();
                (api().H5Dget_chunk_storage_size)(self.0.id(), offset, &raw mut bytes)
            };
            // Without filters, a chunk that is found counts as a whole one, however it is stored.
            let is_found = bytes == entry.stored_bytes || (bytes != 0 && !is_filtered);
            if status < 0 || !is_found {
                // Nobody else reads the messages of this failure.
                take_error_stack();
                return Err(ContainerError::Corrupt(format!(
                    "its chunk index is out of order: readers do not find the chunk at {:?} and \
                     would see fill values there",
                    entry.offset
                )));
            }
        }
        Ok(())
    }

    /// Reads a box (or everything) in the layout of `memory`.
    pub(crate) fn read(
        &self,
        memory: &Datatype,
        selection: Option<Hyperslab<'_>>,
        elements: u64,
    ) -> Result<Vec<u8>> {
        let bytes = elements
            .checked_mul(memory.size_bytes()? as u64)
            .ok_or_else(|| {
                ContainerError::Corrupt("it claims more elements than can be counted".to_owned())
            })?;
        let mut values = vec![0_u8; usize_of(bytes)?];
        self.read_into(memory, selection, &mut values)?;
        Ok(values)
    }

    /// Reads a box (or everything) in the layout of `memory` into `values`, which must have room for
    /// exactly that.
    pub(crate) fn read_into(
        &self,
        memory: &Datatype,
        selection: Option<Hyperslab<'_>>,
        values: &mut [u8],
    ) -> Result<()> {
        self.check_length(memory, selection, values)?;
        if values.is_empty() {
            return Ok(());
        }
        let _guard = library_lock();
        let spaces = self.selected(selection)?;
        let (memory_space, file_space) = space_ids(spaces.as_ref());
        // SAFETY: the buffer holds exactly the selected elements, checked above.
        let status = unsafe {
            (api().H5Dread)(
                self.0.id(),
                memory.id(),
                memory_space,
                file_space,
                DEFAULT,
                values.as_mut_ptr().cast(),
            )
        };
        check(status, "read values").map_err(|error| external::explain(error, self))
    }

    /// Writes a box (or everything) from the layout of `memory`.
    pub(crate) fn write(
        &self,
        memory: &Datatype,
        selection: Option<Hyperslab<'_>>,
        values: &[u8],
    ) -> Result<()> {
        self.check_length(memory, selection, values)?;
        if values.is_empty() {
            return Ok(());
        }
        let _guard = library_lock();
        let spaces = self.selected(selection)?;
        let (memory_space, file_space) = space_ids(spaces.as_ref());
        // SAFETY: the buffer holds exactly the selected elements, checked above.
        let status = unsafe {
            (api().H5Dwrite)(
                self.0.id(),
                memory.id(),
                memory_space,
                file_space,
                DEFAULT,
                values.as_ptr().cast(),
            )
        };
        check(status, "write values")
    }

    /// Refuses values that are not as many as a box (or everything) has elements of `memory`.
    fn check_length(
        &self,
        memory: &Datatype,
        selection: Option<Hyperslab<'_>>,
        values: &[u8],
    ) -> Result<()> {
        let elements = match selection {
            Some(slab) => slab.elements(),
            None => self.extent()?.elements(),
        };
        let wanted = elements.and_then(|n| n.checked_mul(memory.size_bytes().ok()? as u64));
        match wanted == Some(values.len() as u64) {
            true => Ok(()),
            false => Err(ContainerError::Internal("values of wrong size".to_owned())),
        }
    }

    /// Memory and file dataspaces for a box.
    fn selected(&self, selection: Option<Hyperslab<'_>>) -> Result<Option<(Handle, Handle)>> {
        let Some(slab) = selection else {
            return Ok(None);
        };
        let space = self.space()?;
        if slab.count.is_empty() && dataspace::read_extent(&space)? == Extent::Scalar {
            return Ok(None);
        }
        let file = dataspace::select(&space, &slab)?;
        let max_shape = slab.count.iter().map(|&n| Some(n)).collect();
        let memory = dataspace::create(&Extent::Simple {
            shape: slab.count.to_vec(),
            max_shape,
        })?;
        Ok(Some((memory, file)))
    }

    /// Enters a chunk of `stored_bytes` into the index and returns where its bytes belong; nothing
    /// is written there. That is the address `chosen` if the chunk needs new space and libhdf5 has
    /// none of its own.
    pub(crate) fn place_chunk(
        &self,
        sink: RawSink,
        offset: &[u64],
        filter_mask: u32,
        stored_bytes: usize,
        chosen: Option<FileAddress>,
    ) -> Result<FileAddress> {
        static SENTINEL: [u8; 64] = [0; 64];
        let buffer: *const c_void = SENTINEL.as_ptr().cast();
        let _guard = library_lock();
        let enter = || {
            // SAFETY: `offset` has the dataset's rank. libhdf5 hands the buffer through to our
            // driver, which recognises it and never reads it: its length does not matter.
            let status = unsafe {
                (api().H5Dwrite_chunk)(
                    self.0.id(),
                    DEFAULT,
                    filter_mask,
                    offset.as_ptr(),
                    stored_bytes,
                    buffer,
                )
            };
            check(status, "place chunk")
        };
        match chosen {
            Some(address) => sink.learn_chosen_address(buffer, stored_bytes, address, enter),
            None => sink.learn_address(buffer, stored_bytes, enter),
        }
    }

    /// Allocates a whole contiguous dataset of `bytes` and returns where it begins; nothing is
    /// written there.
    pub(crate) fn place_contiguous(
        &self,
        sink: RawSink,
        datatype: &Datatype,
        bytes: u64,
    ) -> Result<FileAddress> {
        let bytes = usize_of(bytes)?;
        let mapping = ZeroMapping::new(bytes)?;
        let _guard = library_lock();
        sink.learn_address(mapping.as_ptr(), bytes, || {
            // SAFETY: the mapping is readable for the dataset's whole size.
            let status = unsafe {
                (api().H5Dwrite)(
                    self.0.id(),
                    datatype.id(),
                    DEFAULT,
                    DEFAULT,
                    DEFAULT,
                    mapping.as_ptr(),
                )
            };
            check(status, "place contiguous data")
        })
    }
}

/// Identifiers for a pair of dataspaces; all elements if there is none.
fn space_ids(spaces: Option<&(Handle, Handle)>) -> (hdf5_sys::h5i::hid_t, hdf5_sys::h5i::hid_t) {
    spaces.map_or((DEFAULT, DEFAULT), |(memory, file)| {
        (memory.id(), file.id())
    })
}
