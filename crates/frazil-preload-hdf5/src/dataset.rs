//! What a dataset is, as far as writing its chunks needs it, and why some are left to libhdf5.

use std::borrow::Cow;
use std::ffi::{c_char, c_int, c_uint};

use frazil_types::{ChunkGrid, FilterPipeline, FilterSpec, filter_id};

use crate::handles::Owned;
use crate::library::{Functions, Hid};
use crate::selection::{self, MOST_AXES};

/// `H5D_CHUNKED`
const CHUNKED: c_int = 2;
/// `H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS`
const EDGES_ARE_UNFILTERED: c_uint = 2;
/// `H5F_ACC_RDWR`
const WRITTEN: c_uint = 1;
/// `H5F_ACC_SWMR_WRITE`
const READ_MEANWHILE: c_uint = 0x20;
/// `H5D_FILL_VALUE_USER_DEFINED`
const OWN_FILL: c_int = 2;
/// Filters that are encoded here: all that libhdf5 itself has for any type, but for szip.
const ENCODED: [i32; 3] = [
    filter_id::DEFLATE,
    filter_id::SHUFFLE,
    filter_id::FLETCHER32,
];
/// Parameters of a filter that are asked for; the filters above have one at most.
const MOST_PARAMETERS: usize = 8;

/// Why a call goes on to the program's own library.
pub(crate) enum Left {
    /// Nothing of this dataset is ever taken.
    Always(Cow<'static, str>),
    /// This call is not.
    ThisCall(&'static str),
    /// This call is not, nor many others of its kind: it writes little.
    Little,
    /// Something failed: `H5Dwrite` will say what.
    Failed,
}

/// A dataset whose chunks are packed here.
pub(crate) struct Dataset {
    pub(crate) id: Hid,
    /// Its type in the file.
    pub(crate) datatype: Owned,
    pub(crate) element_bytes: usize,
    pub(crate) grid: ChunkGrid,
    pub(crate) filters: FilterPipeline,
    /// One element; nothing for zeros.
    pub(crate) fill: Vec<u8>,
    /// Whether chunks at the edges are stored without filters.
    pub(crate) edges_are_unfiltered: bool,
}

impl Dataset {
    pub(crate) fn open(hdf5: &Functions, id: Hid) -> Result<Self, Left> {
        // SAFETY: a dataset.
        let created = unsafe { (hdf5.H5Dget_create_plist)(id) };
        let created = Owned::new(created, hdf5.H5Pclose).ok_or(Left::Failed)?;
        // SAFETY: its properties.
        if unsafe { (hdf5.H5Pget_layout)(created.id) } != CHUNKED {
            return Err(Left::Always("it has no chunks".into()));
        }
        let filters = filters(hdf5, created.id)?;
        check_file(hdf5, id)?;
        // SAFETY: a dataset.
        let (datatype, space) = unsafe { ((hdf5.H5Dget_type)(id), (hdf5.H5Dget_space)(id)) };
        let datatype = Owned::new(datatype, hdf5.H5Tclose).ok_or(Left::Failed)?;
        let space = Owned::new(space, hdf5.H5Sclose).ok_or(Left::Failed)?;
        let lengths = selection::extent(hdf5, space.id).ok_or(Left::Failed)?;
        let mut options: c_uint = 0;
        // SAFETY: a type and properties, with places for what is asked.
        let (element_bytes, found) = unsafe {
            let found = (hdf5.H5Pget_chunk_opts)(created.id, &raw mut options);
            ((hdf5.H5Tget_size)(datatype.id), found)
        };
        if element_bytes == 0 || found < 0 {
            return Err(Left::Failed);
        }
        Ok(Self {
            id,
            grid: grid(hdf5, created.id, &lengths).ok_or(Left::Failed)?,
            fill: fill(hdf5, created.id, &datatype, element_bytes).ok_or(Left::Failed)?,
            datatype,
            element_bytes,
            filters,
            edges_are_unfiltered: options & EDGES_ARE_UNFILTERED != 0,
        })
    }

    /// Bytes of a chunk; `None`: more than `H5Dwrite_chunk` takes.
    pub(crate) fn chunk_bytes(&self) -> Option<usize> {
        let elements = usize::try_from(self.grid.chunk_elements()).ok()?;
        let bytes = elements.checked_mul(self.element_bytes)?;
        u32::try_from(bytes).ok().map(|_| bytes)
    }
}

fn grid(hdf5: &Functions, created: Hid, lengths: &[u64]) -> Option<ChunkGrid> {
    let mut chunk = [0_u64; MOST_AXES];
    // SAFETY: properties with chunks, and room for as many axes as there can be.
    let axes = unsafe { (hdf5.H5Pget_chunk)(created, MOST_AXES as c_int, chunk.as_mut_ptr()) };
    let chunk = chunk.get(..usize::try_from(axes).ok()?)?;
    (chunk.len() == lengths.len()).then(|| ChunkGrid::new(lengths, chunk))?
}

/// The filters, if all are encoded here.
fn filters(hdf5: &Functions, created: Hid) -> Result<FilterPipeline, Left> {
    // SAFETY: properties of a dataset.
    let count = unsafe { (hdf5.H5Pget_nfilters)(created) };
    let count = c_uint::try_from(count).map_err(|_| Left::Failed)?;
    if count == 0 {
        return Err(Left::Always("it has no filters".into()));
    }
    let filters = (0..count).map(|number| filter(hdf5, created, number));
    Ok(FilterPipeline(filters.collect::<Result<_, _>>()?))
}

fn filter(hdf5: &Functions, created: Hid, number: c_uint) -> Result<FilterSpec, Left> {
    let (mut flags, mut configuration): (c_uint, c_uint) = (0, 0);
    let (mut count, mut values) = (MOST_PARAMETERS, [0; MOST_PARAMETERS]);
    let mut name: [c_char; 1] = [0];
    // SAFETY: the number is one of the filters; there is room for what it says.
    let (id, is_there) = unsafe {
        let id = (hdf5.H5Pget_filter2)(
            created,
            number,
            &raw mut flags,
            &raw mut count,
            values.as_mut_ptr(),
            0,
            name.as_mut_ptr(),
            &raw mut configuration,
        );
        (id, id >= 0 && (hdf5.H5Zfilter_avail)(id) > 0)
    };
    let values = values.get(..count);
    match values.filter(|_| is_there && ENCODED.contains(&id)) {
        Some(values) => Ok(FilterSpec::new(id, values.to_vec())),
        None if id < 0 => Err(Left::Failed),
        None => {
            let name = FilterSpec::new(id, Vec::new()).display_name();
            let why = format!("frazil does not encode its filter here: {name}");
            Err(Left::Always(why.into()))
        }
    }
}

/// Refuses files that are only read, that several processes write together, or that others read meanwhile.
fn check_file(hdf5: &Functions, dataset: Hid) -> Result<(), Left> {
    // SAFETY: a dataset.
    let file = unsafe { (hdf5.H5Iget_file_id)(dataset) };
    let file = Owned::new(file, hdf5.H5Fclose).ok_or(Left::Failed)?;
    let mut intent: c_uint = 0;
    // SAFETY: a file, with a place for what is asked.
    let found = unsafe { (hdf5.H5Fget_intent)(file.id, &raw mut intent) };
    if found < 0 || intent & WRITTEN == 0 {
        // `H5Dwrite_chunk` of 1.10 does not look, and leaves a file behind that cannot be closed.
        return Err(Left::Failed);
    }
    if intent & READ_MEANWHILE != 0 {
        return Err(Left::Always("others read the file meanwhile (SWMR)".into()));
    }
    let Some(fapl_mpio) = hdf5.fapl_mpio else {
        return Ok(());
    };
    // SAFETY: a file.
    let access = unsafe { (hdf5.H5Fget_access_plist)(file.id) };
    let access = Owned::new(access, hdf5.H5Pclose).ok_or(Left::Failed)?;
    // SAFETY: properties of a file; nothing is asked but whether MPI writes it.
    let is_shared =
        unsafe { fapl_mpio(access.id, std::ptr::null_mut(), std::ptr::null_mut()) } >= 0;
    match is_shared {
        true => Err(Left::Always(
            "several processes write the file together (MPI)".into(),
        )),
        false => Ok(()),
    }
}

/// What elements are that were never written.
fn fill(hdf5: &Functions, created: Hid, datatype: &Owned, bytes: usize) -> Option<Vec<u8>> {
    let mut kind: c_int = 0;
    // SAFETY: properties of a dataset, with a place for what is asked.
    if unsafe { (hdf5.H5Pfill_value_defined)(created, &raw mut kind) } < 0 {
        return None;
    }
    if kind != OWN_FILL {
        return Some(Vec::new());
    }
    let mut value = vec![0; bytes];
    let place = value.as_mut_ptr().cast();
    // SAFETY: one element of the type has room.
    let found = unsafe { (hdf5.H5Pget_fill_value)(created, datatype.id, place) };
    (found >= 0).then_some(value)
}
